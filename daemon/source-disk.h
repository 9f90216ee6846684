/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/diskstats as EVENT_DEVICE_STAT (facts/kernel.md 5.3). One pread a sample, whatever the number of drives. */
#pragma once

#include <stdbool.h>

#include "source.h"
#include "units.h"

struct source_disk;

int source_disk_new(const char *root, struct event_sink sink, struct source_disk **ret);
struct source_disk *source_disk_free(struct source_disk *s);

/* Only drives that were added are reported. The first sample of a drive sets the base and gives no event. */
int source_disk_add(struct source_disk *s, uint32_t dev);
void source_disk_remove(struct source_disk *s, uint32_t dev);

/* Reads and reports. *ret_busy: whether any reported drive did or has I/O. Returns 0 or -errno. */
int source_disk_sample(struct source_disk *s, nsec_t now, bool *ret_busy);

void source_disk_probe(struct source_disk *s, struct source_info *ret);
