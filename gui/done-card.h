/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first of what the overview tells: which starts were helped today and what that saved, what is active right now, what was put back. */
#pragma once

#include <adwaita.h>

#include "client.h"

G_BEGIN_DECLS

#define BRIO_TYPE_DONE_CARD (brio_done_card_get_type ())
G_DECLARE_FINAL_TYPE (BrioDoneCard, brio_done_card, BRIO, DONE_CARD, AdwPreferencesGroup)

/* Once. */
void brio_done_card_set_client (BrioDoneCard *self,
                                BrioClient   *client);
/* Says it anew, where anything has changed. */
void brio_done_card_refresh (BrioDoneCard *self);

G_END_DECLS
