/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What briod's workers do for one drive each, for all drives of an actuator. */
#pragma once

#include <stdlib.h>

#include "actuator-private.h"

/* Returns how many receipts ret has, at most max. */
static inline size_t actuator_check_all(struct actuator *a, nsec_t now, struct receipt *ret, size_t max) {
        size_t n = 0;

        for (size_t i = 0; i < a->n_devices; i++)
                n += actuator_check_device(a, a->devices[i], now, ret + n, max - n);
        return n;
}

/* Returns how many settings were put back. */
static inline size_t actuator_recover_all(struct actuator *a, nsec_t now, actuator_report_fn report, void *userdata) {
        char (*names)[ACTUATOR_NAME_MAX];
        size_t n = actuator_list_held(a, &names), restored = 0;

        for (size_t i = 0; i < n; i++)
                restored += actuator_recover_device(a, names[i], now, report, userdata);
        free(names);
        return restored;
}
