/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An exec that is under way. The kernel tells of an exec when it is done: on a busy drive the way to the program and its first pages are
 * waited for before that, a good part of a second. Meanwhile the process stands in that system call, and what it asked for can be read. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define EXEC_PROGRAM_MAX 256
#define EXEC_ARGUMENTS_BYTES 1024
#define EXEC_ENVIRONMENT_BYTES 16384

struct exec_call {
        int directory;                          /* AT_FDCWD, or the process's descriptor that the path is relative to */
        uint64_t program, arguments, environment; /* addresses in the process */
};

struct exec_entry {
        int directory;                          /* as above */
        char program[EXEC_PROGRAM_MAX];         /* as it was asked for; "": the file behind `directory` */
        size_t arguments_size, environment_size;
        char arguments[EXEC_ARGUMENTS_BYTES];     /* of an interpreter, each with its NUL: what fits */
        char environment[EXEC_ENVIRONMENT_BYTES]; /* NAME=VALUE, each with its NUL: what fits */
};

/* Reads /proc/PID/syscall. Returns 1 where it is an exec, 0 where not. */
int exec_entry_parse(const char *text, struct exec_call *ret);

/* Whether the process waits in the midst of an exec, and for what. Returns 1, 0 where it does not (any more), or -errno: it is gone, or
 * may not be looked at (CAP_SYS_PTRACE). Touches no file of the process's, so that it waits for no drive. */
int exec_entry_look(int32_t tgid, struct exec_entry *ret);
