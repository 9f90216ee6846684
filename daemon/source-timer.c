/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source-timer.h"

#include "macro.h"

#define ACCURACY_US (5 * USEC_PER_MSEC) /* of the interval a tenth: the event loop may join it with other wake-ups */

int source_timer_new(sd_event *event, const char *name, sd_event_time_handler_t handler, void *userdata, sd_event_source **ret) {
        sd_event_source *timer = NULL;
        int r = sd_event_add_time(event, &timer, CLOCK_MONOTONIC, 0, ACCURACY_US, handler, userdata);

        if (r >= 0)
                r = sd_event_source_set_enabled(timer, SD_EVENT_OFF);
        if (r < 0) {
                sd_event_source_disable_unref(timer);
                return r;
        }
        (void) sd_event_source_set_description(timer, name);
        *ret = TAKE_PTR(timer);
        return 0;
}

void source_timer_arm(sd_event_source *timer, nsec_t now, nsec_t delay) {
        sd_event_source_set_time(timer, (now + delay) / NSEC_PER_USEC);
        sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}
