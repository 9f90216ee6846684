/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream, or what comes near one: the sentence, and unfolded how it asks, with the figures. */
#pragma once

#include <adwaita.h>

#include "object-stream.h"

G_BEGIN_DECLS

#define BRIO_TYPE_STREAM_ROW (brio_stream_row_get_type ())
G_DECLARE_FINAL_TYPE (BrioStreamRow, brio_stream_row, BRIO, STREAM_ROW, AdwExpanderRow)

GtkWidget *brio_stream_row_new (BrioPlayer *player);

G_END_DECLS
