/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One drive: how it responds, its plots, what is set and why. */
#pragma once

#include <adwaita.h>

#include "object-device.h"

G_BEGIN_DECLS

#define BRIO_TYPE_DRIVE_CARD (brio_drive_card_get_type ())
G_DECLARE_FINAL_TYPE (BrioDriveCard, brio_drive_card, BRIO, DRIVE_CARD, AdwBin)

GtkWidget  *brio_drive_card_new (BrioDevice *device);
BrioDevice *brio_drive_card_get_device (BrioDriveCard *self);

/* Its first line alone, or all; there is a button for it, too. */
void brio_drive_card_set_open (BrioDriveCard *self,
                               gboolean       open);
/* Shows the samples that came since, and says whether that draws anything; called once a frame at most. */
gboolean brio_drive_card_refresh (BrioDriveCard *self);
/* How long a time its plots are over, in seconds. */
void brio_drive_card_set_span (BrioDriveCard *self,
                               int            span_s);

G_END_DECLS
