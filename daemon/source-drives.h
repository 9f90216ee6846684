/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which drives a source of single requests tells of, and how it tells. */
#pragma once

#include "source.h"

#define SOURCE_DRIVES_MAX 64 /* as many as the model knows */

struct source_drives {
        size_t n;
        uint32_t devs[SOURCE_DRIVES_MAX];
};

/* Returns its place; d->n: it is not among them. */
size_t source_drives_find(const struct source_drives *d, uint32_t dev);

/* Passes an event on and counts it. */
void source_tell(const struct event_sink *sink, struct source_cost *cost, const struct event *e);
/* Says that from now on the drive is told, or no longer. */
void source_tell_watch(const struct event_sink *sink, struct source_cost *cost, const struct source_drive *drive, bool on, nsec_t now);
