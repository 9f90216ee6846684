/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-welcome.h"

#include <glib/gi18n.h>

#include "page.h"

enum
{
  DONE,
  N_SIGNALS
};

struct _BrioPageWelcome
{
  AdwBin parent_instance;

  GtkWidget *status;

  BrioClient *client;
  GCancellable *cancellable; /* of the call under way; NULL: none */

  GtkWidget *advise_button;
  GtkWidget *go_on_button;
  GtkWidget *problem_box;
  GtkLabel *problem;
  GtkLabel *note;
};

G_DEFINE_FINAL_TYPE (BrioPageWelcome, brio_page_welcome, ADW_TYPE_BIN)

static guint signals[N_SIGNALS];

static void
show_problem (BrioPageWelcome *self,
              const char      *text)
{
  gtk_label_set_label (self->problem, text);
  gtk_widget_set_visible (self->problem_box, *text != '\0');
}

/* What may be chosen, and why not where it may not. */
static void
show_choice (BrioPageWelcome *self)
{
  gboolean connected = self->client && brio_client_get_state (self->client) == BRIO_CLIENT_CONNECTED;
  const char *mode = connected ? brio_client_get_mode (self->client) : "", *note;

  if (!connected)
    note = _("Brio’s daemon does not run yet: once it does, the mode is chosen below the list of pages.");
  else if (g_str_equal (mode, "advise"))
    note = _("It only gives advice now. The mode is chosen below the list of pages.");
  else if (g_str_equal (mode, "off"))
    note = _("It is switched off now, and only watches. The mode is chosen below the list of pages.");
  else if (*brio_client_get_mode_origin (self->client))
    note = _("The mode is chosen below the list of pages at any time, and is kept when the computer starts again.");
  else /* an older daemon */
    note = _("The mode is chosen below the list of pages at any time. It lasts until the computer starts again; “man briod” tells how to "
             "keep it.");
  gtk_label_set_label (self->note, note);
  gtk_widget_set_visible (self->advise_button, !connected || g_str_equal (mode, "auto"));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "welcome.advise", connected && !self->cancellable);
}

static void
on_mode_set (GObject      *source,
             GAsyncResult *result,
             gpointer      userdata)
{
  g_autoptr (BrioPageWelcome) self = userdata; /* held for the call */
  g_autoptr (GError) error = NULL;
  gboolean agreed = brio_client_set_mode_finish (BRIO_CLIENT (source), result, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->cancellable);
  if (agreed)
    {
      g_signal_emit (self, signals[DONE], 0);
      return;
    }
  g_autofree char *why = brio_client_explain_error (error);
  /* Translators: the mode was to become "Advise"; %s says why it did not */
  g_autofree char *text = g_strdup_printf (_("Brio goes on as before. %s"), why);

  show_problem (self, text);
  show_choice (self);
  gtk_widget_grab_focus (self->go_on_button);
}

static void
on_advise (GtkWidget  *widget,
           const char *name,
           GVariant   *parameter)
{
  BrioPageWelcome *self = BRIO_PAGE_WELCOME (widget);

  (void) name;
  (void) parameter;
  self->cancellable = g_cancellable_new ();
  show_problem (self, "");
  brio_client_set_mode_async (self->client, "advise", self->cancellable, on_mode_set, g_object_ref (self));
  show_choice (self);
}

static void
on_go_on (GtkWidget  *widget,
          const char *name,
          GVariant   *parameter)
{
  (void) name;
  (void) parameter;
  g_signal_emit (widget, signals[DONE], 0);
}

void
brio_page_welcome_set_client (BrioPageWelcome *self,
                              BrioClient      *client)
{
  g_return_if_fail (BRIO_IS_PAGE_WELCOME (self));
  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  g_signal_connect_object (client, "notify::state", G_CALLBACK (show_choice), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::mode", G_CALLBACK (show_choice), self, G_CONNECT_SWAPPED);
  show_choice (self);
}

/* Enter goes on, wherever the focus was. */
static void
brio_page_welcome_map (GtkWidget *widget)
{
  BrioPageWelcome *self = BRIO_PAGE_WELCOME (widget);
  GtkRoot *root = gtk_widget_get_root (widget);

  GTK_WIDGET_CLASS (brio_page_welcome_parent_class)->map (widget);
  if (!GTK_IS_WINDOW (root))
    return;
  gtk_window_set_default_widget (GTK_WINDOW (root), self->go_on_button);
  gtk_widget_grab_focus (self->go_on_button);
}

static void
brio_page_welcome_unmap (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);

  if (GTK_IS_WINDOW (root))
    gtk_window_set_default_widget (GTK_WINDOW (root), NULL);
  GTK_WIDGET_CLASS (brio_page_welcome_parent_class)->unmap (widget);
}

static void
brio_page_welcome_dispose (GObject *object)
{
  BrioPageWelcome *self = BRIO_PAGE_WELCOME (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_page_welcome_parent_class)->dispose (object);
}

static void
brio_page_welcome_class_init (BrioPageWelcomeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_page_welcome_dispose;
  widget_class->map = brio_page_welcome_map;
  widget_class->unmap = brio_page_welcome_unmap;

  signals[DONE] = g_signal_new ("done", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-welcome.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageWelcome, status);
  gtk_widget_class_bind_template_child (widget_class, BrioPageWelcome, advise_button);
  gtk_widget_class_bind_template_child (widget_class, BrioPageWelcome, go_on_button);
  gtk_widget_class_bind_template_child (widget_class, BrioPageWelcome, problem_box);
  gtk_widget_class_bind_template_child (widget_class, BrioPageWelcome, problem);
  gtk_widget_class_bind_template_child (widget_class, BrioPageWelcome, note);
  gtk_widget_class_install_action (widget_class, "welcome.advise", NULL, on_advise);
  gtk_widget_class_install_action (widget_class, "welcome.go-on", NULL, on_go_on);
}

/* Large text may need two lines in a narrow window. */
static void
wrap (GtkWidget *button)
{
  GtkLabel *label = GTK_LABEL (gtk_button_get_child (GTK_BUTTON (button)));

  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_justify (label, GTK_JUSTIFY_CENTER);
}

static void
brio_page_welcome_init (BrioPageWelcome *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  brio_page_set_status_icon (self->status, "org.brio.Brio-symbolic");
  wrap (self->go_on_button);
  wrap (self->advise_button);
}
