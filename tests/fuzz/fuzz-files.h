/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that read files: a directory in memory for each, and an input that is cut into texts. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The directory of this process, made with the first call and removed at its end. */
const char *fuzz_directory(void);

/* Writes DIRECTORY/path, and the directories that it lies in. */
void fuzz_write(const char *path, const void *data, size_t size);

struct fuzz_input {
        const uint8_t *data;
        size_t size;
};

/* The next part of the input, up to a byte 0xff, which no text has, or its end: a copy with a NUL behind it, to be freed, that is no byte longer. */
char *fuzz_take(struct fuzz_input *in, size_t *ret_size);

/* Lines as the daemon's own files have them: behind each the tab and the checksum that no fuzzer finds, but behind those that begin with "!".
 * Returns a text, to be freed. */
char *fuzz_seal_lines(const uint8_t *data, size_t size, size_t *ret_size);
