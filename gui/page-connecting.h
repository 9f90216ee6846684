/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is shown until it is known whether there is a daemon: nothing, and a spinner once that takes a while. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_CONNECTING (brio_page_connecting_get_type ())
G_DECLARE_FINAL_TYPE (BrioPageConnecting, brio_page_connecting, BRIO, PAGE_CONNECTING, AdwBin)

G_END_DECLS
