/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For how long the starts of one user may hold back the processes of another: a bounded part of each minute, on each drive. A start of
 * root's, and one whose user is not known, has no such bound. Pure. */
#pragma once

#include <stdbool.h>

#include "snapshot.h"
#include "units.h"

struct controller_device;
struct controller_input;

#define OTHERS_TIME_WINDOW_NS (60 * NSEC_PER_SEC)

struct others_time {
        nsec_t began; /* of the minute that is counted; 0: none yet */
        nsec_t counted;
        nsec_t spent; /* of it */
        bool holds;   /* since it was counted last, such a process has made room, or has not come back yet */
};

/* Counts the time since the last call, once a tick, before any of them makes room in this one. */
void others_time_count(struct others_time *t, nsec_t now);

/* Whether each start under way on the drive is another user's than this one, whose process makes room there. */
bool others_time_concerns(const struct controller_input *in, uint32_t dev, uint32_t uid);

/* Whether the minute's part of it is over on the drive, which has a policy. */
bool others_time_is_spent(const struct controller_device *d);

/* Whether a process of that user may make room for the starts on the drive. */
bool others_time_allows(const struct controller_device *d, const struct controller_input *in, uint32_t uid);
