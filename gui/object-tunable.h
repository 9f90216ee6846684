/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One setting of a drive, as the bus tells it. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define BRIO_TYPE_TUNABLE (brio_tunable_get_type ())
G_DECLARE_FINAL_TYPE (BrioTunable, brio_tunable, BRIO, TUNABLE, GObject)

BrioTunable *brio_tunable_new (const char *name);

/* Notifies the properties that change. */
void brio_tunable_update (BrioTunable *self,
                          const char  *initial,
                          const char  *wanted,
                          const char  *current,
                          const char  *owner);

const char *brio_tunable_get_name (BrioTunable *self);
const char *brio_tunable_get_initial (BrioTunable *self);
const char *brio_tunable_get_current (BrioTunable *self);
/* "kernel", "brio", "manual", "given-up", or a word of a newer daemon */
const char *brio_tunable_get_owner (BrioTunable *self);

G_END_DECLS
