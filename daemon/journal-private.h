/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by journal.c (the file, and the tunables in it) and journal-priorities.c (the processes in it). */
#pragma once

#include <stdbool.h>

#include "journal-line.h"

struct journal {
        int dir_fd, lock_fd, fd;      /* fd: -1 while there is no file */
        char boot_id[JOURNAL_BOOT_ID_MAX];
        size_t size;                  /* of the file's whole lines, in bytes */
        bool directory_dirty;         /* the file's name is not yet on disk */
        bool suspect;                 /* the file may differ from what we wrote: to be written anew */
        journal_pass_on_fn pass_on;   /* NULL: this process keeps the file */
        void *userdata;
        bool serves;                  /* workers pass records on, and sync what they need: this process does not wait for a disk */
        size_t n, allocated;
        struct journal_entry *entries;
        size_t n_priorities;
        struct journal_priority priorities[JOURNAL_PRIORITIES_MAX];
};

/* Adds one line that journal_line_format*() made, or passes its error on. Returns 0 or -errno; then the file is as before, or suspect. */
int journal_append_line(struct journal *j, const char *line, int length);

/* After something was forgotten: removes the file where that was the last. Returns 1 where it did, 0 where lines are left, or -errno. */
int journal_remove_empty(struct journal *j);

/* Writes what is alive anew where most of the file is not. */
void journal_compact(struct journal *j);

/* Adds what a line says, or takes out what it says has gone. */
void journal_take_priority(struct journal *j, enum journal_line_kind kind, const struct journal_priority *p);
