/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hold-button.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "app-info.h"
#include "list-box.h"
#include "words.h"

#define COOKIE_KEY "brio-cookie"

static void
on_answer (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  g_autoptr (GtkWidget) window = userdata; /* held for the call: the row of the button may be gone by then */
  g_autoptr (GVariant) nothing = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  nothing = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  if (nothing)
    return;
  text = brio_client_explain_error (error);
  gtk_widget_activate_action (window, "win.notify", "s", text);
}

static void
on_clicked (GtkWidget  *button,
            BrioClient *client)
{
  guint32 cookie = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), COOKIE_KEY));

  brio_client_call_authorized_async (client, "ReleaseHold", g_variant_new ("(u)", cookie), "()", NULL, on_answer,
                                     g_object_ref (GTK_WIDGET (gtk_widget_get_root (button))));
}

GtkWidget *
hold_button_new (BrioClient *client)
{
  /* Translators: button: ends what a program has asked Brio for */
  GtkWidget *button = gtk_button_new_with_mnemonic (_("_Release"));

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_clicked), client, 0);
  return button;
}

void
hold_button_set (GtkWidget              *button,
                 const struct brio_hold *hold)
{
  /* Translators: %s: why a program holds a mode */
  g_autofree char *name = g_strdup_printf (_("Release the hold “%s”"), *hold->reason ? hold->reason : _("Without a reason"));

  accessible_name (button, name);
  g_object_set_data (G_OBJECT (button), COOKIE_KEY, GUINT_TO_POINTER (hold->cookie));
}

static void
add_row (GtkListBox             *list,
         BrioClient             *client,
         const struct brio_hold *hold)
{
  /* Translators: a hold: the application that has it, what it asks for */
  g_autofree char *subtitle = g_strdup_printf (_("%s · %s"), *hold->application ? app_info_get_name (hold->application) : _("Unknown"),
                                               words_hold (hold->mode));
  GtkWidget *row = list_box_add_row (list, *hold->reason ? hold->reason : _("Without a reason"), subtitle);
  GtkWidget *button = hold_button_new (client);

  hold_button_set (button, hold);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
}

gboolean
hold_button_list (GtkListBox *list,
                  BrioClient *client)
{
  GVariant *holds = brio_client_get_holds (client);
  struct brio_hold hold;
  GVariantIter iter;

  list_box_clear (list);
  if (!holds)
    return FALSE;
  g_variant_iter_init (&iter, holds);
  while (g_variant_iter_next (&iter, "(u&s&s&s)", &hold.cookie, &hold.mode, &hold.reason, &hold.application))
    add_row (list, client, &hold);
  return gtk_list_box_get_row_at_index (list, 0) != NULL;
}
