/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "drive-card.h"

#include <glib/gi18n.h>

#include "object-tunable.h"
#include "plot.h"
#include "response.h"
#include "words.h"

/* How often the word and the number change: faster cannot be read. */
#define RESPONSE_INTERVAL_US G_USEC_PER_SEC

#define COLOR_READ "plot_read_color"
#define COLOR_WRITE "plot_write_color"
#define COLOR_DEPTH "plot_depth_color"

struct _BrioDriveCard
{
  AdwBin parent_instance;

  BrioDevice *device;
  GHashTable *tunable_rows; /* BrioTunable -> its row */
  gint64 responded_us;
  enum response response;

  GtkImage *icon;
  GtkLabel *title;
  GtkLabel *subtitle;
  GtkWidget *response_box;
  GtkLabel *response_number;
  GtkLabel *response_word;
  BrioPlot *latency;
  BrioPlot *throughput;
  BrioPlot *depth;
  AdwActionRow *state_row;
  GtkLabel *scheduler;
  AdwExpanderRow *settings_row;
};

G_DEFINE_FINAL_TYPE (BrioDriveCard, brio_drive_card, ADW_TYPE_BIN)

static void
show_response (BrioDriveCard *self)
{
  guint32 read_us, write_us, latency_us;
  enum response response;
  char number[32] = "";
  g_autofree char *label = NULL;

  brio_device_get_recent_latency (self->device, &read_us, &write_us);
  response = response_judge (read_us, write_us, &latency_us);
  if (response != RESPONSE_IDLE)
    plot_format (PLOT_UNIT_DURATION_US, latency_us, number, sizeof (number));
  gtk_label_set_label (self->response_number, number);
  gtk_label_set_label (self->response_word, response_to_label (response));
  gtk_widget_set_visible (GTK_WIDGET (self->response_number), response != RESPONSE_IDLE);
  gtk_widget_remove_css_class (self->response_box, response_to_css_class (self->response));
  gtk_widget_add_css_class (self->response_box, response_to_css_class (response));
  self->response = response;

  /* Translators: how a drive responds: a word and a duration, "Slow, 120 ms" */
  label = response == RESPONSE_IDLE ? g_strdup (response_to_label (response))
                                    : g_strdup_printf (_("%s, %s"), response_to_label (response), number);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->response_box), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

void
brio_drive_card_refresh (BrioDriveCard *self)
{
  gint64 now_us = g_get_monotonic_time ();

  g_return_if_fail (BRIO_IS_DRIVE_CARD (self));

  brio_plot_refresh (self->latency);
  brio_plot_refresh (self->throughput);
  brio_plot_refresh (self->depth);
  if (now_us - self->responded_us < RESPONSE_INTERVAL_US)
    return;
  self->responded_us = now_us;
  show_response (self);
}

static void
show_identity (BrioDriveCard *self)
{
  const char *class = words_device_class (brio_device_get_class (self->device));
  /* Translators: the kernel's name of a drive and what kind of drive it is, "sda · Hard disk" */
  g_autofree char *subtitle = g_strdup_printf (_("%s · %s"), brio_device_get_name (self->device), class);

  gtk_image_set_from_icon_name (self->icon, words_device_class_icon (brio_device_get_class (self->device)));
  gtk_label_set_label (self->title, brio_device_get_title (self->device));
  gtk_label_set_label (self->subtitle, subtitle);
}

static void
show_state (BrioDriveCard *self)
{
  g_autofree char *title = NULL;

  /* Translators: what Brio does with a drive and what goes on there, "Tuned · many small readers" */
  title = g_strdup_printf (_("%s · %s"), words_state (brio_device_get_state (self->device)),
                           words_workload (brio_device_get_workload (self->device)));
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->state_row), title);
  adw_action_row_set_subtitle (self->state_row, brio_device_get_reason (self->device));
  gtk_label_set_label (self->scheduler, brio_device_get_scheduler (self->device));
}

static void
show_tunable (BrioTunable *tunable,
              GParamSpec  *pspec,
              AdwActionRow *row)
{
  const char *initial = brio_tunable_get_initial (tunable);
  const char *current = brio_tunable_get_current (tunable);
  GtkLabel *owner = g_object_get_data (G_OBJECT (row), "brio-owner");
  g_autofree char *values = NULL;

  (void) pspec;
  /* Translators: the value before Brio and the one now, "8000 → 667" */
  values = g_str_equal (initial, current) ? g_strdup (current) : g_strdup_printf (_("%s → %s"), initial, current);
  adw_action_row_set_subtitle (row, values);
  gtk_label_set_label (owner, words_owner (brio_tunable_get_owner (tunable)));
  if (g_str_equal (brio_tunable_get_owner (tunable), "kernel"))
    gtk_widget_add_css_class (GTK_WIDGET (owner), "dim-label");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (owner), "dim-label");
}

static GtkWidget *
create_tunable_row (BrioTunable *tunable)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *owner = gtk_label_new (NULL);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), brio_tunable_get_name (tunable));
  gtk_widget_add_css_class (row, "tunable");
  gtk_label_set_wrap (GTK_LABEL (owner), TRUE);
  gtk_label_set_justify (GTK_LABEL (owner), GTK_JUSTIFY_RIGHT);
  gtk_label_set_xalign (GTK_LABEL (owner), 1);
  gtk_widget_add_css_class (owner, "caption");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), owner);
  g_object_set_data (G_OBJECT (row), "brio-owner", owner);
  g_signal_connect_object (tunable, "notify", G_CALLBACK (show_tunable), row, 0);
  show_tunable (tunable, NULL, ADW_ACTION_ROW (row));
  return row;
}

static guint
count_owned_by (BrioDriveCard *self,
                const char    *owner)
{
  GListModel *tunables = brio_device_get_tunables (self->device);
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (tunables); i++)
    {
      g_autoptr (BrioTunable) tunable = g_list_model_get_item (tunables, i);

      n += g_str_equal (brio_tunable_get_owner (tunable), owner);
    }
  return n;
}

static void
show_settings_summary (BrioDriveCard *self)
{
  guint total = g_list_model_get_n_items (brio_device_get_tunables (self->device));
  guint by_brio = count_owned_by (self, "brio"), by_others = count_owned_by (self, "manual");
  guint given_up = count_owned_by (self, "given-up");
  g_autoptr (GString) text = g_string_new (NULL);

  if (by_brio > 0)
    g_string_append_printf (text, ngettext ("%u set by Brio", "%u set by Brio", by_brio), by_brio);
  if (by_others > 0)
    {
      g_string_append (text, text->len > 0 ? ", " : "");
      g_string_append_printf (text, ngettext ("%u by somebody else", "%u by somebody else", by_others), by_others);
    }
  if (given_up > 0)
    {
      g_string_append (text, text->len > 0 ? ", " : "");
      g_string_append_printf (text, ngettext ("%u could not be set", "%u could not be set", given_up), given_up);
    }
  adw_expander_row_set_subtitle (self->settings_row, text->len > 0 ? text->str : _("All as the kernel set them"));
  gtk_widget_set_visible (GTK_WIDGET (self->settings_row), total > 0);
}

static void
on_tunable_owner (BrioDriveCard *self)
{
  show_settings_summary (self);
}

static void
add_row (BrioDriveCard *self,
         BrioTunable   *tunable)
{
  GtkWidget *row = create_tunable_row (tunable);

  g_signal_connect_object (tunable, "notify::owner", G_CALLBACK (on_tunable_owner), self, G_CONNECT_SWAPPED);
  g_hash_table_insert (self->tunable_rows, g_object_ref (tunable), row);
  adw_expander_row_add_row (self->settings_row, row);
}

/* AdwExpanderRow appends only, so that the rows are in the order in which the settings came: by name, as a rule. */
static void
on_tunables_changed (BrioDriveCard *self)
{
  GListModel *tunables = brio_device_get_tunables (self->device);
  g_autoptr (GHashTable) present = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer tunable, row;

  for (guint i = 0; i < g_list_model_get_n_items (tunables); i++)
    {
      g_autoptr (BrioTunable) item = g_list_model_get_item (tunables, i);

      g_hash_table_add (present, item);
      if (!g_hash_table_contains (self->tunable_rows, item))
        add_row (self, item);
    }
  g_hash_table_iter_init (&iter, self->tunable_rows);
  while (g_hash_table_iter_next (&iter, &tunable, &row))
    {
      if (g_hash_table_contains (present, tunable))
        continue;
      adw_expander_row_remove (self->settings_row, row);
      g_hash_table_iter_remove (&iter);
    }
  show_settings_summary (self);
}

static void
set_up_plots (BrioDriveCard *self)
{
  const BrioPlotLine latency[] = {
    { BRIO_CHANNEL_READ_LATENCY_US, _("Read"), COLOR_READ },
    { BRIO_CHANNEL_WRITE_LATENCY_US, _("Write"), COLOR_WRITE },
  };
  const BrioPlotLine throughput[] = {
    { BRIO_CHANNEL_READ_BYTES_PER_S, _("Read"), COLOR_READ },
    { BRIO_CHANNEL_WRITE_BYTES_PER_S, _("Write"), COLOR_WRITE },
  };
  const BrioPlotLine depth[] = {
    /* Translators: requests that a drive works on at a time */
    { BRIO_CHANNEL_DEPTH, _("In flight"), COLOR_DEPTH },
  };

  brio_plot_setup (self->latency, _("Latency"), PLOT_UNIT_DURATION_US, latency, G_N_ELEMENTS (latency));
  brio_plot_setup (self->throughput, _("Throughput"), PLOT_UNIT_BYTES_PER_S, throughput, G_N_ELEMENTS (throughput));
  brio_plot_setup (self->depth, _("Queue depth"), PLOT_UNIT_REQUESTS, depth, G_N_ELEMENTS (depth));
}

static void
set_device (BrioDriveCard *self,
            BrioDevice    *device)
{
  const struct series *series = brio_device_get_series (device);
  const char *name = brio_device_get_name (device);

  self->device = g_object_ref (device);
  for (const char *const *property = (const char *const[]){ "notify::name", "notify::model", "notify::class", NULL }; *property;
       property++)
    g_signal_connect_object (device, *property, G_CALLBACK (show_identity), self, G_CONNECT_SWAPPED);
  for (const char *const *property =
         (const char *const[]){ "notify::state", "notify::workload", "notify::reason", "notify::scheduler", NULL };
       *property; property++)
    g_signal_connect_object (device, *property, G_CALLBACK (show_state), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (brio_device_get_tunables (device), "items-changed", G_CALLBACK (on_tunables_changed), self,
                           G_CONNECT_SWAPPED);
  brio_plot_set_series (self->latency, series, name);
  brio_plot_set_series (self->throughput, series, name);
  brio_plot_set_series (self->depth, series, name);
  show_identity (self);
  show_state (self);
  on_tunables_changed (self);
  show_response (self);
  /* What Brio or somebody else set is the news; what the kernel set is not. */
  adw_expander_row_set_expanded (self->settings_row, count_owned_by (self, "kernel")
                                                       < g_list_model_get_n_items (brio_device_get_tunables (device)));
}

static void
brio_drive_card_dispose (GObject *object)
{
  BrioDriveCard *self = BRIO_DRIVE_CARD (object);

  if (self->device)
    {
      brio_plot_set_series (self->latency, NULL, NULL);
      brio_plot_set_series (self->throughput, NULL, NULL);
      brio_plot_set_series (self->depth, NULL, NULL);
    }
  g_clear_object (&self->device);
  g_clear_pointer (&self->tunable_rows, g_hash_table_unref);

  G_OBJECT_CLASS (brio_drive_card_parent_class)->dispose (object);
}

static void
brio_drive_card_class_init (BrioDriveCardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = brio_drive_card_dispose;

  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/drive-card.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, icon);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, title);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, subtitle);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, response_box);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, response_number);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, response_word);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, latency);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, throughput);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, depth);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, state_row);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, scheduler);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, settings_row);
}

static void
brio_drive_card_init (BrioDriveCard *self)
{
  self->tunable_rows = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  set_up_plots (self);
}

GtkWidget *
brio_drive_card_new (BrioDevice *device)
{
  BrioDriveCard *self = g_object_new (BRIO_TYPE_DRIVE_CARD, NULL);

  set_device (self, device);
  return GTK_WIDGET (self);
}

BrioDevice *
brio_drive_card_get_device (BrioDriveCard *self)
{
  g_return_val_if_fail (BRIO_IS_DRIVE_CARD (self), NULL);

  return self->device;
}
