/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A drive with its policy; unfolded, the laws of that: whether they may act, where the policy says so, and what they do. */
#pragma once

#include <adwaita.h>

#include "object-device.h"

G_BEGIN_DECLS

#define BRIO_TYPE_POLICY_ROW (brio_policy_row_get_type ())
G_DECLARE_FINAL_TYPE (BrioPolicyRow, brio_policy_row, BRIO, POLICY_ROW, AdwExpanderRow)

GtkWidget  *brio_policy_row_new (BrioDevice *device);
BrioDevice *brio_policy_row_get_device (BrioPolicyRow *self);
/* properties: all of the drive's, a{sv}. */
void        brio_policy_row_show (BrioPolicyRow *self,
                                  GVariant      *properties);
/* Why they are not known, instead. */
void        brio_policy_row_show_error (BrioPolicyRow *self,
                                        const char    *text);

G_END_DECLS
