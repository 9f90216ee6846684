/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the detectors share. Private to core/. */
#pragma once

#include "detector.h"

#define CONFIDENCE_OBSERVED 1000
#define CONFIDENCE_INFERRED 700 /* /proc does not say on which drive a process reads */

uint16_t detector_confidence(const struct snapshot *s, const struct device_view *v);

/* Looks at one drive. standing: it found something in the tick before (for hysteresis). Fills everything of ret but kind, dev
 * and since. Returns whether it found something. */
typedef bool (*detect_fn)(const struct snapshot *s, const struct device_view *v, bool standing, struct verdict *ret);

bool detect_many_sync(const struct snapshot *s, const struct device_view *v, bool standing, struct verdict *ret);
bool detect_shared(const struct snapshot *s, const struct device_view *v, bool standing, struct verdict *ret);
