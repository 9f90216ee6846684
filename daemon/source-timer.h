/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a source of single requests looks at what the kernel has for it. */
#pragma once

#include <systemd/sd-event.h>

#include "units.h"

/* Makes a timer of the monotonic clock that is off. name: for debugging. Returns 0 or -errno; the caller owns *ret and ends it with
 * sd_event_source_disable_unref(). */
int source_timer_new(sd_event *event, const char *name, sd_event_time_handler_t handler, void *userdata, sd_event_source **ret);

/* Lets it expire once, `delay` after `now`. */
void source_timer_arm(sd_event_source *timer, nsec_t now, nsec_t delay);
