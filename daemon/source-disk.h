/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/diskstats as EVENT_DEVICE_STAT. One pread a sample for each page of text up to the last
 * drive that was added (the kernel answers a page at a time); nothing is allocated while sampling. */
#pragma once

#include <stdbool.h>

#include "source-process.h"
#include "source.h"
#include "units.h"

struct source_disk;

/* root: a prefix to /proc, "" for the running machine. Returns 0 also where there is no diskstats (sampling and probe
 * say so); -ENOMEM. */
int source_disk_new(const char *root, struct event_sink sink, struct source_disk **ret);
struct source_disk *source_disk_free(struct source_disk *s);

/* Only drives that were added are reported. The first sample of a drive sets the base and gives no event; so does one in
 * which its counters went backwards, or in which it was back after it was missing.
 * Returns 0 (also when it was added before), -EINVAL for 0, or -ENOMEM. */
int source_disk_add(struct source_disk *s, uint32_t dev);
void source_disk_remove(struct source_disk *s, uint32_t dev);

/* A disk that is none of ours: nothing of it is told, but what processes do there is not to be taken for I/O on our drives.
 * Once it is added with source_disk_add(), it is one of ours; once it is gone from diskstats, it is forgotten. Returns as
 * source_disk_add(). */
int source_disk_add_other(struct source_disk *s, uint32_t dev);

/* Fills ret with at most size of these and when they were seen to do something last. Returns their number. */
size_t source_disk_list_others(const struct source_disk *s, struct drive_activity *ret, size_t size);

/* What has been read from the drives that are told, as of the last sample; less than before where one has gone. */
uint64_t source_disk_read_bytes(const struct source_disk *s);

/* Reads and reports: an event for each drive, idle ones too. *ret_busy (may be NULL): whether any drive completed a request since the
 * last sample or has one in flight. Returns 0, or -errno of open or read; the next call tries again. */
int source_disk_sample(struct source_disk *s, nsec_t now, bool *ret_busy);

extern const struct source_ops source_disk_ops;
