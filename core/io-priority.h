/* SPDX-License-Identifier: GPL-3.0-or-later */
/* I/O priorities as ioprio_set(2) has them: class << 13 | hint << 3 | level (the hint since Linux 6.5). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As the kernel numbers them. */
enum io_class { IO_CLASS_NONE, IO_CLASS_REALTIME, IO_CLASS_BEST_EFFORT, IO_CLASS_IDLE, _IO_CLASS_MAX };
#define IO_CLASS_UNKNOWN (-1)
#define IO_LEVELS 8 /* 0 is the highest */
#define IO_LEVEL_USUAL 4

#define IO_PRIORITY_CLASS_SHIFT 13
#define IO_PRIORITY(class, level) ((uint16_t) ((class) << IO_PRIORITY_CLASS_SHIFT | (level)))
#define IO_PRIORITY_NONE IO_PRIORITY(IO_CLASS_NONE, 0)

/* What ioprio_get(2) returned. Returns the class and its level, or IO_CLASS_UNKNOWN for a negative or senseless one. */
int io_class_from_priority(long priority, uint32_t *ret_level);

/* "none" (the kernel takes it from the niceness), "realtime", "best-effort", "idle"; "" for IO_CLASS_UNKNOWN. */
const char *io_class_to_string(int io_class);

/* Whether it lets processes of the usual priority go first. */
bool io_priority_yields(int io_class, uint32_t level);

/* The same to the kernel: before Linux 5.15 "none" is told with a level that cannot be written. */
bool io_priority_same(uint16_t a, uint16_t b);

/* For people: "none", "RT/0", "BE/7", "idle"; a number for a senseless one. Returns buf. */
#define IO_PRIORITY_TEXT_MAX 16
char *io_priority_format(uint16_t priority, char *buf, size_t size);
