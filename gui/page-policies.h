/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Brio may do: its mode, the holders of another one, what it advises, and the policies with their laws. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_POLICIES (brio_page_policies_get_type ())
G_DECLARE_FINAL_TYPE (BrioPagePolicies, brio_page_policies, BRIO, PAGE_POLICIES, AdwBin)

G_END_DECLS
