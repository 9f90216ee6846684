/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What plays, records or calls, what comes near, and what has ended. Asks the daemon only while it is shown. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_STREAMS (brio_page_streams_get_type ())
G_DECLARE_FINAL_TYPE (BrioPageStreams, brio_page_streams, BRIO, PAGE_STREAMS, AdwBin)

G_END_DECLS
