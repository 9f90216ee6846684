/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sources of single requests, best first. A drive's requests are told by the first of them that can, or by the one that
 * was asked for. */
#pragma once

#include <systemd/sd-event.h>

#include "source.h"

#define REQUEST_SOURCES_MAX 4
#define REQUEST_SOURCE_AUTO "auto" /* the best that works */
#define REQUEST_SOURCE_PROC "proc" /* none: what /proc shows has to do */

struct request_sources;

/* The word, in memory that stays, if it is one of the two above or a source's name; else NULL. */
const char *request_sources_choice(const char *word);

struct request_sources_config {
        const char *choice;    /* what request_sources_choice() returned */
        const char *root;      /* as for the other sources */
        const char *state_dir; /* whose lock is held (journal_open()) */
        struct event_sink sink;
};

/* Returns 0, -ENOMEM, or -errno of the event loop after having logged it. */
int request_sources_new(const struct request_sources_config *config, sd_event *event, struct request_sources **ret);
struct request_sources *request_sources_free(struct request_sources *s);

/* What killed briods left in the kernel, and goes on recording. Returns how many such were removed. state_dir as above;
 * NULL: where its lock is not to be had, what is noted there stays. */
size_t request_sources_clean_up(const char *root, const char *state_dir);

/* As source_ops has them. start: -ENODEV where there is none to try, -EOPNOTSUPP where that
 * is so because none of them sums up, else what the last of them said; where another source than
 * the best has to do, that is logged, once while the reason stays the same. name (of the drive) is for the log. */
int request_sources_start(struct request_sources *s, const struct source_drive *drive, const char *name, nsec_t now);
void request_sources_stop(struct request_sources *s, uint32_t dev, nsec_t now);
void request_sources_drain(struct request_sources *s, nsec_t now);
void request_sources_cost(struct request_sources *s, struct source_cost *ret); /* of all together */

/* The one at index i, the best first; NULL behind the last. */
const struct source *request_sources_get(const struct request_sources *s, size_t i);

/* Completes what its probe said by why another is used instead. */
void request_sources_explain(struct request_sources *s, size_t i, struct source_info *info);
