/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What libFuzzer calls; replay.c calls it with the files of a corpus. Returns 0; a broken rule aborts. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define MUST(expr) ((expr) ? (void) 0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
