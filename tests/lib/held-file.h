/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file whose server does not answer: what any user can have in a user namespace of his own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What its mount says that it is a mount of: no drive, but the way to the file itself. */
#define HELD_FILE_SOURCE "/dev/../mnt/file"

struct held_file {
        _Atomic uint32_t opcode;   /* of requests that are not answered: FUSE_READ, FUSE_FLUSH */
        _Atomic uint32_t answered; /* so many of those are, with an error, before */
        _Atomic uint32_t held;
        _Atomic bool release, released; /* the server ends, with an error for each process that waits; also by itself, after half a minute */
        _Atomic pid_t user;
        pid_t server;
};

/* Runs `use` in a process of a user without rights, with the file open for reading, and goes on when it has a number.
 * Returns NULL where user namespaces cannot have files of their own. */
struct held_file *held_file_start(uint32_t opcode, uint32_t answered, void (*use)(int fd));

/* Waits until a process waits for the file. Returns whether that is so. */
bool held_file_await(const struct held_file *f);

struct held_file *held_file_end(struct held_file *f);
