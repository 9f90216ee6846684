/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pressure-stall trigger on /proc/pressure/io: wakes the daemon when tasks begin to wait for I/O. */
#pragma once

#include <systemd/sd-event.h>

#include "source.h"

struct source_psi;

typedef void (*psi_fn)(void *userdata);

/* Returns 0 also where there is no PSI: probe says why. -errno for want of memory, or of the event loop. */
int source_psi_new(const char *root, sd_event *event, psi_fn fn, void *userdata, struct source_psi **ret);
struct source_psi *source_psi_free(struct source_psi *s);
extern const struct source_ops source_psi_ops;

/* Why there is no trigger, of that kernel: a clause for people; NULL for an error without a name. */
const char *source_psi_explain(int error, const char *release);
