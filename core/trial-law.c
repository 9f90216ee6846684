/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each law is measured by. */
#include <errno.h>

#include "str.h"
#include "trial.h"

enum trial_measure trial_measure_of(enum law_id law) {
        switch (law) {
        case LAW_IDLE_LIMIT:
                return TRIAL_MEAN_READ;
        case LAW_SLICE_SHARE: /* whose turn it is reads hundreds of times before the next waits once: neither mean nor 99 of 100 show that */
                return TRIAL_LONGEST_READ;
        case LAW_HOLE_FILLER: /* what it costs the process that is waited for, it measures itself */
        case LAW_THROUGHPUT:
                return TRIAL_THROUGHPUT;
        case LAW_STARTUP_GUARD: /* over before anything could be compared */
        case LAW_STREAM_GUARD:
        case LAW_WRITEBACK_GUARD: /* to try without would be a stall that a user sees */
        case LAW_STEP_BACK: /* the process that it is for mostly comes later */
        case LAW_READAHEAD: /* a file that is open keeps what it was opened with */
        case LAW_SCHEDULER: /* chosen while the drive is quiet */
        case LAW_PREFETCH: /* its own starts without help say what it is worth */
        case LAW_RESTORE:
        case LAW_NONE:
        case _LAW_MAX:
                break;
        }
        return TRIAL_NOT_MEASURED;
}

const char *trial_measure_name(enum trial_measure m) {
        switch (m) {
        case TRIAL_MEAN_READ:
                return "mean read";
        case TRIAL_LONGEST_READ:
                return "longest read";
        case TRIAL_THROUGHPUT:
                return "throughput";
        case TRIAL_NOT_MEASURED:
        case _TRIAL_MEASURE_MAX:
                break;
        }
        return "";
}

int trial_measure_from_name(const char *name) {
        for (int m = TRIAL_NOT_MEASURED + 1; m < _TRIAL_MEASURE_MAX; m++)
                if (streq(name, trial_measure_name((enum trial_measure) m)))
                        return m;
        return -EINVAL;
}
