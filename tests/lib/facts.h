/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A drive's settings for tests of laws and controller, as if they had been read. */
#pragma once

#include "controller.h"

static inline void facts_set(struct device_facts *f, enum tunable_id id, int64_t value) {
        f->values[id].present = f->values[id].numeric = true;
        f->values[id].number = value;
}
