/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-policies.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "advice-list.h"
#include "decision-actions.h"
#include "hold-button.h"
#include "list-box.h"
#include "mode-switch.h"
#include "object-decision.h"
#include "page.h"
#include "policy-row.h"
#include "policy-words.h"
#include "program-rules-ask.h"
#include "program-rules.h"
#include "words.h"

/* No signal tells of advice or laws. */
#define POLL_SECONDS 3
#define PROGRAM_KEY "brio-program"

struct _BrioPagePolicies
{
  AdwBin parent_instance;

  BrioClient *client;
  BrioDecisionActions *actions;
  guint poll_source;         /* while shown */
  GCancellable *cancellable; /* of the calls since it is shown */
  guint pending;             /* of these under way */
  GListStore *advised;       /* of BrioDecision, as the rows are */

  AdwActionRow *mode_row;
  AdwActionRow *origin_row;
  GtkWidget *forget_button;
  BrioModeSwitch *mode_switch;
  GtkListBox *holds;
  GtkListBox *programs;
  GtkListBox *advice;
  GtkListBox *drives;
  GtkListBox *policies;
};

static void brio_page_policies_page_init (BrioPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (BrioPagePolicies, brio_page_policies, ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (BRIO_TYPE_PAGE, brio_page_policies_page_init))

static void
show_holds (BrioPagePolicies *self)
{
  if (!hold_button_list (self->holds, self->client))
    list_box_add_row (self->holds, _("No requests"), "");
}

static void
on_forget_rule (GtkWidget *button)
{
  const char *program = g_object_get_data (G_OBJECT (button), PROGRAM_KEY);

  gtk_widget_activate_action (button, PROGRAM_RULES_ACTION, "(@a(ss)b)", g_variant_new_parsed ("[(%s, '')]", program), TRUE);
}

/* Either may be "". */
static char *
format_subtitle (const char *said,
                 const char *file)
{
  /* Translators: what is said of something, and the file that says so, a line each */
  return *said && *file ? g_strdup_printf (_("%s\n%s"), said, file) : g_strdup (*said ? said : file);
}

/* file: of the policy that says so; "": it was set, and can be taken back. */
static void
add_program (BrioPagePolicies *self,
             const char       *program,
             const char       *rule,
             const char       *file)
{
  g_autofree char *subtitle = format_subtitle (program_rules_describe (rule), file);
  GtkWidget *row = list_box_add_row (self->programs, program, subtitle), *button;
  g_autofree char *name = NULL;

  if (*file)
    return;
  button = gtk_button_new_with_mnemonic (_("_Remove Rule"));
  /* Translators: %s: a program that has a rule */
  name = g_strdup_printf (_("Remove the rule for “%s”"), program);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  accessible_name (button, name);
  g_object_set_data_full (G_OBJECT (button), PROGRAM_KEY, g_strdup (program), g_free);
  g_signal_connect (button, "clicked", G_CALLBACK (on_forget_rule), NULL);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
}

static void
show_programs (BrioPagePolicies *self)
{
  GVariant *rules = brio_client_get_program_rules (self->client);
  const char *program, *rule, *file;
  GVariantIter iter;

  list_box_clear (self->programs);
  if (rules)
    {
      g_variant_iter_init (&iter, rules);
      while (g_variant_iter_next (&iter, "(&s&s&s)", &program, &rule, &file))
        add_program (self, program, rule, file);
    }
  if (!gtk_list_box_get_row_at_index (self->programs, 0))
    list_box_add_row (self->programs, _("No program has a rule"), "");
}

static void
show_policies (BrioPagePolicies *self)
{
  GVariant *policies = brio_client_get_policies (self->client);
  const char *name, *file, *description;
  GVariantIter iter;

  list_box_clear (self->policies);
  if (policies)
    {
      g_variant_iter_init (&iter, policies);
      while (g_variant_iter_next (&iter, "(&s&s&s)", &name, &file, &description))
        {
          g_autofree char *subtitle = format_subtitle (policy_words (description), file);

          list_box_add_row (self->policies, name, subtitle);
        }
    }
  if (!gtk_list_box_get_row_at_index (self->policies, 0))
    list_box_add_row (self->policies, _("No policy is in force"), _("Brio changes nothing without one. “man brio.policy” tells how to write them"));
}

static GtkWidget *
create_drive_row (gpointer item,
                  gpointer unused)
{
  (void) unused;
  return brio_policy_row_new (item);
}

static BrioPolicyRow *
find_drive (BrioPagePolicies *self,
            BrioDevice       *device)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->drives, i)); i++)
    if (brio_policy_row_get_device (BRIO_POLICY_ROW (row)) == device)
      return BRIO_POLICY_ROW (row);
  return NULL;
}

static void
show_advice (BrioPagePolicies *self,
             GVariant         *entries)
{
  if (advice_list_show (self->advice, self->advised, entries, self->actions) == 0)
    list_box_add_row (self->advice, _("Nothing to advise now"),
             g_str_equal (brio_client_get_mode (self->client), "advise") ? "" : _("Advice is given in the mode Advise"));
}

static void
on_advice (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  g_autoptr (BrioPagePolicies) self = userdata; /* held for the call */
  g_autoptr (GVariant) entries = NULL;
  g_autoptr (GError) error = NULL;

  entries = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  self->pending--;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (entries)
    show_advice (self, entries);
  else
    {
      g_autofree char *text = brio_client_explain_error (error);

      g_list_store_remove_all (self->advised);
      list_box_clear (self->advice);
      list_box_add_row (self->advice, _("Advice Cannot Be Shown"), text);
    }
}

struct reading
{
  BrioPagePolicies *page; /* held for the call, as the next */
  BrioDevice *device;
};

static void
on_device (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  g_autofree struct reading *reading = userdata;
  g_autoptr (BrioPagePolicies) self = reading->page;
  g_autoptr (BrioDevice) device = reading->device;
  g_autoptr (GVariant) properties = NULL;
  g_autoptr (GError) error = NULL;
  BrioPolicyRow *row;

  properties = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  self->pending--;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  row = find_drive (self, device);
  if (row && properties)
    brio_policy_row_show (row, properties);
  else if (row)
    {
      g_autofree char *text = brio_client_explain_error (error);

      brio_policy_row_show_error (row, text);
    }
}

static void
poll_now (BrioPagePolicies *self)
{
  GListModel *devices;

  if (!self->poll_source || self->pending > 0 || brio_client_get_state (self->client) != BRIO_CLIENT_CONNECTED)
    return;
  devices = brio_client_get_devices (self->client);
  self->pending = 1 + g_list_model_get_n_items (devices);
  brio_client_call_async (self->client, "GetAdvice", NULL, "(aa{sv})", self->cancellable, on_advice, g_object_ref (self));
  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      struct reading *reading = g_new (struct reading, 1);

      reading->page = g_object_ref (self);
      reading->device = g_list_model_get_item (devices, i);
      brio_client_read_device_async (self->client, reading->device, self->cancellable, on_device, reading);
    }
}

static gboolean
on_poll (gpointer userdata)
{
  BrioPagePolicies *self = userdata;

  if (!brio_page_is_minimised (GTK_WIDGET (self)))
    poll_now (self);
  return G_SOURCE_CONTINUE;
}

/* Polls while it is shown. */
static void
update_polling (BrioPagePolicies *self)
{
  gboolean wanted = self->client && gtk_widget_get_mapped (GTK_WIDGET (self))
                    && brio_client_get_state (self->client) == BRIO_CLIENT_CONNECTED;

  if (wanted == (self->poll_source != 0))
    return;
  if (wanted)
    {
      self->cancellable = g_cancellable_new ();
      self->poll_source = g_timeout_add_seconds (POLL_SECONDS, on_poll, self);
      poll_now (self);
      return;
    }
  g_clear_handle_id (&self->poll_source, g_source_remove);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static void
on_state_changed (BrioPagePolicies *self)
{
  show_policies (self);
  update_polling (self);
}

static void
show_mode (BrioPagePolicies *self)
{
  brio_mode_switch_set_mode (self->mode_switch, brio_client_get_mode (self->client), brio_client_get_hold (self->client));
}

static void
on_holds_changed (BrioPagePolicies *self)
{
  show_holds (self);
  show_mode (self);
}

static void
on_mode_changed (BrioPagePolicies *self)
{
  const char *mode = brio_client_get_mode (self->client);

  show_mode (self);
  adw_action_row_set_subtitle (self->mode_row, words_mode_meaning (mode));
  poll_now (self);
}

static void
on_mode_origin_changed (BrioPagePolicies *self)
{
  const char *origin = brio_client_get_mode_origin (self->client), *text = words_mode_origin (origin);

  adw_action_row_set_subtitle (self->origin_row, text);
  gtk_widget_set_visible (GTK_WIDGET (self->origin_row), *text != '\0'); /* an older daemon does not tell */
  gtk_widget_set_visible (self->forget_button, g_str_equal (origin, "kept") || g_str_equal (origin, "set"));
}

static void
brio_page_policies_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (brio_page_policies_parent_class)->map (widget);
  update_polling (BRIO_PAGE_POLICIES (widget));
}

static void
brio_page_policies_unmap (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (brio_page_policies_parent_class)->unmap (widget);
  update_polling (BRIO_PAGE_POLICIES (widget));
}

static void
brio_page_policies_set_client (BrioPage   *page,
                               BrioClient *client)
{
  BrioPagePolicies *self = BRIO_PAGE_POLICIES (page);

  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  self->actions = brio_decision_actions_new (client, GTK_WIDGET (self));
  gtk_list_box_bind_model (self->drives, brio_client_get_devices (client), create_drive_row, NULL, NULL); /* a row that is unfolded stays so */
  g_signal_connect_object (self->actions, "changed", G_CALLBACK (poll_now), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::state", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::mode", G_CALLBACK (on_mode_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::mode-origin", G_CALLBACK (on_mode_origin_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "holds-changed", G_CALLBACK (on_holds_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (brio_client_get_devices (client), "items-changed", G_CALLBACK (poll_now), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "program-rules-changed", G_CALLBACK (show_programs), self, G_CONNECT_SWAPPED);
  show_holds (self);
  show_programs (self);
  on_mode_changed (self);
  on_mode_origin_changed (self);
  on_state_changed (self);
}

static void
brio_page_policies_page_init (BrioPageInterface *iface)
{
  iface->set_client = brio_page_policies_set_client;
}

static void
brio_page_policies_dispose (GObject *object)
{
  BrioPagePolicies *self = BRIO_PAGE_POLICIES (object);

  g_clear_handle_id (&self->poll_source, g_source_remove);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->advised);
  g_clear_object (&self->actions);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_page_policies_parent_class)->dispose (object);
}

static void
brio_page_policies_class_init (BrioPagePoliciesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_page_policies_dispose;
  widget_class->map = brio_page_policies_map;
  widget_class->unmap = brio_page_policies_unmap;

  g_type_ensure (BRIO_TYPE_MODE_SWITCH);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-policies.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPagePolicies, mode_row);
  gtk_widget_class_bind_template_child (widget_class, BrioPagePolicies, mode_switch);
  gtk_widget_class_bind_template_child (widget_class, BrioPagePolicies, origin_row);
  gtk_widget_class_bind_template_child (widget_class, BrioPagePolicies, forget_button);
  gtk_widget_class_bind_template_child (widget_class, BrioPagePolicies, holds);
  gtk_widget_class_bind_template_child (widget_class, BrioPagePolicies, programs);
  gtk_widget_class_bind_template_child (widget_class, BrioPagePolicies, advice);
  gtk_widget_class_bind_template_child (widget_class, BrioPagePolicies, drives);
  gtk_widget_class_bind_template_child (widget_class, BrioPagePolicies, policies);
}

static void
brio_page_policies_init (BrioPagePolicies *self)
{
  self->advised = g_list_store_new (BRIO_TYPE_DECISION);
  gtk_widget_init_template (GTK_WIDGET (self));
  brio_mode_switch_hide_caption (self->mode_switch);
}
