/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands for a page until that is needed: shown, searched or asked for a detail. A page that is not opened costs no memory and no time. */
#pragma once

#include <adwaita.h>

#include "page.h"

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_HOLDER (brio_page_holder_get_type ())
/* A BrioPage. Property page-type (GType): of the BrioPage that it stands for. */
G_DECLARE_FINAL_TYPE (BrioPageHolder, brio_page_holder, BRIO, PAGE_HOLDER, AdwBin)

G_END_DECLS
