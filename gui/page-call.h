/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call whose answer a page shows: asked once, or again and again while the page is shown; one at a time. What comes after
 * page_call_stop() is dropped. */
#pragma once

#include <adwaita.h>

#include "page.h"

G_BEGIN_DECLS

struct page_call
{
  BrioPage *page; /* held while the call is under way */
  BrioClient *client;
  const char *method;
  GVariant *parameters; /* NULL: none */
  AdwStatusPage *failed_page;
  void (*take) (BrioPage *page, GVariant *entries); /* aa{sv} */
  /* Instead of that, where the answer is long: what read makes of it in a thread of its own. */
  BrioClientRead read; /* a GPtrArray */
  void (*take_read) (BrioPage *page, GPtrArray *told);
  void (*show) (BrioPage *page);                    /* whatever came of it */

  gboolean loaded; /* there was an answer, and it still holds */
  gboolean failed; /* the last one was an error, which failed_page says */
  GCancellable *cancellable; /* of the call under way; NULL: none */
  guint poll_source;         /* while it is asked again and again */
};

/* Once, when the page has its client. The other fields are the page's to set before; parameters may be floating. */
void page_call_set_up (struct page_call *self,
                       BrioPage         *page,
                       BrioClient       *client,
                       const char       *method,
                       GVariant         *parameters);
/* For the page's dispose(). */
void page_call_clear (struct page_call *self);

/* Asks, unless it is under way or there is no daemon. */
void page_call_ask (struct page_call *self);
/* The same, unless it is loaded or the page is not shown: for what the daemon tells from then on by itself. */
void page_call_ask_once (struct page_call *self);
/* Asks at once, and then in such intervals, but not for a window that is minimised. */
void page_call_poll (struct page_call *self,
                     guint             interval_ms);
void page_call_stop (struct page_call *self);
/* The daemon went away: as in the beginning. */
void page_call_forget (struct page_call *self);
/* The user asks for another try after a failure. */
void page_call_retry (struct page_call *self);

/* The name of the page's stack page: "failed", "loading", "empty", "no-match" or "list". n_found: of the n that match a search. */
const char *page_call_get_shown (const struct page_call *self,
                                 guint                   n,
                                 guint                   n_found);
/* What went wrong, on a status page. */
void page_call_explain (AdwStatusPage *failed_page,
                        const GError  *error);

G_END_DECLS
