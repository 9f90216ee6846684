/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-call.h"

void
page_call_set_up (struct page_call *self,
                  BrioPage         *page,
                  BrioClient       *client,
                  const char       *method,
                  GVariant         *parameters)
{
  self->page = page;
  self->client = g_object_ref (client);
  self->method = method;
  self->parameters = parameters ? g_variant_ref_sink (parameters) : NULL;
}

void
page_call_clear (struct page_call *self)
{
  page_call_stop (self);
  g_clear_object (&self->client);
  g_clear_pointer (&self->parameters, g_variant_unref);
}

void
page_call_explain (AdwStatusPage *failed_page,
                   const GError  *error)
{
  g_autofree char *text = brio_client_explain_error (error);

  brio_page_set_status_text (GTK_WIDGET (failed_page), text);
}

/* page_call_stop() was not called since. */
static gboolean
ends (struct page_call *self,
      const GError     *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return FALSE;
  g_clear_object (&self->cancellable);
  self->failed = error != NULL;
  self->loaded = !self->failed;
  if (error)
    page_call_explain (self->failed_page, error);
  return TRUE;
}

static void
on_answer (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  struct page_call *self = userdata;
  g_autoptr (BrioPage) page = self->page; /* held for the call */
  g_autoptr (GVariant) entries = NULL;
  g_autoptr (GError) error = NULL;

  entries = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  if (!ends (self, error))
    return;
  if (entries)
    self->take (page, entries);
  self->show (page);
}

static void
on_read (GObject      *source,
         GAsyncResult *result,
         gpointer      userdata)
{
  struct page_call *self = userdata;
  g_autoptr (BrioPage) page = self->page; /* held for the call */
  g_autoptr (GPtrArray) told = NULL;
  g_autoptr (GError) error = NULL;

  told = brio_client_call_read_finish (BRIO_CLIENT (source), result, &error);
  if (!ends (self, error))
    return;
  if (told)
    self->take_read (page, told);
  self->show (page);
}

void
page_call_ask (struct page_call *self)
{
  if (!self->client || self->cancellable || brio_client_get_state (self->client) != BRIO_CLIENT_CONNECTED)
    return;
  self->cancellable = g_cancellable_new ();
  g_object_ref (self->page);
  if (self->read)
    brio_client_call_read_async (self->client, self->method, self->parameters, "(aa{sv})", self->read, (GDestroyNotify) g_ptr_array_unref,
                                 self->cancellable, on_read, self);
  else
    brio_client_call_async (self->client, self->method, self->parameters, "(aa{sv})", self->cancellable, on_answer, self);
}

void
page_call_ask_once (struct page_call *self)
{
  if (!self->loaded && self->client && gtk_widget_get_mapped (GTK_WIDGET (self->page)))
    page_call_ask (self);
}

static gboolean
on_poll (gpointer userdata)
{
  struct page_call *self = userdata;

  if (!brio_page_is_minimised (GTK_WIDGET (self->page)))
    page_call_ask (self);
  return G_SOURCE_CONTINUE;
}

void
page_call_poll (struct page_call *self,
                guint             interval_ms)
{
  if (!self->client)
    return;
  self->poll_source = g_timeout_add (interval_ms, on_poll, self);
  on_poll (self);
}

void
page_call_stop (struct page_call *self)
{
  g_clear_handle_id (&self->poll_source, g_source_remove);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

void
page_call_forget (struct page_call *self)
{
  page_call_stop (self);
  self->loaded = self->failed = FALSE;
  self->show (self->page);
}

void
page_call_retry (struct page_call *self)
{
  self->failed = FALSE;
  self->show (self->page);
  page_call_ask (self);
}

const char *
page_call_get_shown (const struct page_call *self,
                     guint                   n,
                     guint                   n_found)
{
  if (self->failed)
    return "failed";
  if (!self->loaded)
    return "loading";
  return n == 0 ? "empty" : n_found == 0 ? "no-match" : "list";
}
