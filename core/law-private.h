/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the laws share. Private to core/. */
#pragma once

#include "law.h"

/* The first verdict of that kind, or NULL. */
const struct verdict *law_find_verdict(const struct law_input *l, enum verdict_kind kind);

/* The value that stood before Brio came. Returns false where the tunable is not there or is no number. */
bool law_original(const struct controller_device *d, enum tunable_id id, int64_t *ret);
