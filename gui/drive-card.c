/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "drive-card.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "columns.h"
#include "drive-plots.h"
#include "law-words.h"
#include "list-box.h"
#include "object-tunable.h"
#include "page.h"
#include "plot-math.h"
#include "reading.h"
#include "response.h"
#include "words.h"

/* How often the word and the number change: faster cannot be read. */
#define RESPONSE_INTERVAL_US (G_USEC_PER_SEC * 3 / 4) /* samples that come once a second do not come to the millisecond */

#define WORDS_INTERVAL_US G_USEC_PER_SEC

/* Where a setting's row stands. */
enum place
{
  PLACE_REASON, /* below the reason: Brio set it */
  PLACE_CARD,   /* among the rows of the card: another program set it, or it could not be set */
  PLACE_OTHERS, /* below settings_row: no program set it */
};

struct tunable_row
{
  AdwActionRow *row;
  GtkLabel *owner;
  enum place place;
};

struct _BrioDriveCard
{
  AdwBin parent_instance;

  BrioDevice *device;
  BrioTunable *scheduler;   /* NULL: not told */
  GHashTable *tunable_rows; /* BrioTunable -> struct tunable_row; of all others */
  gboolean stale;           /* its words are not those of the device any more */
  gint64 shown_us;          /* when they were */
  guint show_source;        /* they will be again */
  gint64 responded_us;
  enum response response;

  GtkImage *icon;
  GtkLabel *title;
  GtkLabel *subtitle;
  GtkWidget *response_box;
  GtkWidget *table_button;
  GtkToggleButton *fold_button;
  BrioReading *response_number;
  GtkLabel *response_word;
  BrioDrivePlots *plots;
  GtkListBox *rows;
  AdwActionRow *finding_row;
  AdwExpanderRow *state_row; /* folds out where there is a formula */
  AdwActionRow *formula_row;
  AdwActionRow *scheduler_row;
  GtkLabel *scheduler_owner;
  AdwExpanderRow *settings_row;
};

G_DEFINE_FINAL_TYPE (BrioDriveCard, brio_drive_card, ADW_TYPE_BIN)

/* Beside the word for how a drive responds. */
static char *
format_measure (const struct response_measure *measure,
                gboolean                       others_yield)
{
  char number[32] = "";

  plot_format (PLOT_UNIT_DURATION_US, measure->us, number, sizeof (number));
  if (!measure->is_p99)
    /* Translators: how a drive responds: the mean; %s is a duration */
    return g_strdup_printf (_("Mean: %s"), number);
  if (others_yield)
    /* Translators: how a drive responds: what 99 of 100 reads do not exceed, but for programs that let others go first; %s is a duration */
    return g_strdup_printf (_("99 %% in front: %s"), number);
  /* Translators: how a drive responds: what 99 of 100 reads do not exceed; %s is a duration */
  return g_strdup_printf (_("99 %%: %s"), number);
}

static void
show_response (BrioDriveCard *self)
{
  struct response_facts facts;
  struct response_measure measure;
  enum response response;
  g_autofree char *text = NULL, *label = NULL;

  brio_device_get_recent (self->device, &facts);
  response = response_judge (&facts, &measure);
  text = measure.us == 0 ? g_strdup ("") : format_measure (&measure, facts.others_yield);
  brio_reading_set_text (self->response_number, text);
  if (response != self->response || !*gtk_label_get_label (self->response_word))
    {
      gtk_label_set_label (self->response_word, response_to_label (response));
      gtk_widget_set_visible (GTK_WIDGET (self->response_number), measure.us > 0);
      gtk_widget_remove_css_class (self->response_box, response_to_css_class (self->response));
      gtk_widget_add_css_class (self->response_box, response_to_css_class (response));
    }
  self->response = response;

  /* Translators: how a drive responds: a word and a duration, "Slow, 99 %: 120 ms" */
  label = measure.us == 0 ? g_strdup (response_to_label (response)) : g_strdup_printf (_("%s, %s"), response_to_label (response), text);
  accessible_name (GTK_WIDGET (self->response_box), label);
}

/* Asked for by the pointer: a text that is set looks each time for what is under the pointer. */
static gboolean
on_query_response (BrioDriveCard *self,
                   int            x,
                   int            y,
                   gboolean       from_keyboard,
                   GtkTooltip    *tooltip)
{
  struct response_facts facts;
  struct response_measure measure;
  enum response response;
  g_autofree char *text = NULL;

  (void) x;
  (void) y;
  (void) from_keyboard;
  brio_device_get_recent (self->device, &facts);
  response = response_judge (&facts, &measure);
  if (response == RESPONSE_UNKNOWN)
    text = g_strdup (_("Brio does not tell this window how it responds now"));
  else if (response == RESPONSE_IDLE)
    text = g_strdup (_("Nothing was read or written in the last seconds"));
  else
    text = g_strdup (!measure.is_p99        ? _("What a request took on average in the last seconds")
                     : !facts.others_yield ? _("Of 100 requests in the last seconds, 99 took no longer")
                                           : _("Of 100 requests in the last seconds, 99 took no longer, without programs that let others go first"));
  if (facts.waits)
    {
      g_autofree char *alone = g_steal_pointer (&text);

      text = g_strdup_printf ("%s\n%s", alone, brio_device_get_waiting (self->device));
    }
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static gboolean
is_folded (BrioDriveCard *self)
{
  return !gtk_toggle_button_get_active (self->fold_button);
}

static void
show_identity (BrioDriveCard *self)
{
  const char *class = words_device_class (brio_device_get_class (self->device)), *name = brio_device_get_name (self->device);
  /* Where the model is not known, the name is the title. */
  gboolean named = g_str_equal (brio_device_get_title (self->device), name);
  /* Translators: the kernel's name of a drive and what kind of drive it is, "sda · Hard disk" */
  g_autofree char *both = g_strdup_printf (_("%s · %s"), name, class);
  char *subtitle = g_strdup (named ? class : both);

  if (is_folded (self))
    words_add (&subtitle, words_workload (brio_device_get_workload (self->device)));
  words_add (&subtitle, brio_device_get_waiting (self->device));
  gtk_image_set_from_icon_name (self->icon, words_device_class_icon (brio_device_get_class (self->device)));
  gtk_label_set_label (self->title, brio_device_get_title (self->device));
  gtk_label_set_label (self->subtitle, subtitle);
  g_free (subtitle);
  accessible_name_of (self->table_button, _("Show as a Table"), name);
  accessible_name_of (GTK_WIDGET (self->fold_button), _("Show All of This Drive"), name);
  accessible_name_of (GTK_WIDGET (self->rows), _("What is known of the drive"), name);
}

/* One law's reason; of several laws their names, and the reasons are details. */
static const char *
get_reason (BrioDriveCard *self)
{
  const char *laws = brio_device_get_laws (self->device);

  return *laws ? laws : brio_device_get_reason (self->device);
}

static void
show_state (BrioDriveCard *self)
{
  const char *reason = get_reason (self), *formula = brio_device_get_formula (self->device);
  gboolean several = *brio_device_get_laws (self->device) != '\0';
  g_autofree char *details = g_strjoin (several && *formula ? "\n" : "", several ? brio_device_get_reason (self->device) : "", formula, NULL);
  g_autofree char *title = NULL;

  /* Translators: what Brio does with a drive and what goes on there, "Tuned · many small readers" */
  title = g_strdup_printf (_("%s · %s"), words_state (brio_device_get_state (self->device)),
                           words_workload (brio_device_get_workload (self->device)));
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->state_row), title);
  adw_expander_row_set_subtitle (self->state_row, reason);
  accessible_name (GTK_WIDGET (self->state_row), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->state_row), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, reason, -1);
  list_box_show_details (self->state_row, self->formula_row, details);
}

static void
show_scheduler (BrioDriveCard *self)
{
  const char *current = brio_device_get_scheduler (self->device), *awaited = brio_device_get_awaited_scheduler (self->device);
  const char *initial = self->scheduler ? brio_tunable_get_initial (self->scheduler) : current;
  const char *owner = self->scheduler ? brio_tunable_get_owner (self->scheduler) : "kernel";
  g_autofree char *text = NULL;

  if (*awaited)
    /* Translators: two schedulers: the one that a drive has, and the one that it gets later: "mq-deadline now, bfq as soon as the drive is quiet" */
    text = g_strdup_printf (_("%s now, %s as soon as the drive is quiet"), current, awaited);
  else
    text = g_str_equal (initial, current) ? g_strdup (current) : g_strdup_printf (_("%s → %s"), initial, current);
  adw_action_row_set_subtitle (self->scheduler_row, text);
  gtk_label_set_label (self->scheduler_owner, words_owner (owner));
  gtk_widget_set_visible (GTK_WIDGET (self->scheduler_owner), !g_str_equal (owner, "kernel"));
}

/* Why it is as it is, where the reason for what Brio does about it does not say so already. */
static void
show_finding (BrioDriveCard *self)
{
  const char *finding = brio_device_get_finding (self->device);

  adw_action_row_set_subtitle (self->finding_row, finding);
  gtk_widget_set_visible (GTK_WIDGET (self->finding_row),
                          *finding && (*brio_device_get_laws (self->device) || !brio_device_is_finding_in_reason (self->device)));
}

static enum place
get_place (BrioTunable *tunable)
{
  if (g_str_equal (brio_tunable_get_owner (tunable), "kernel"))
    return PLACE_OTHERS;
  return g_str_equal (brio_tunable_get_owner (tunable), "brio") ? PLACE_REASON : PLACE_CARD;
}

static void
show_settings_summary (BrioDriveCard *self)
{
  GListModel *tunables = brio_device_get_tunables (self->device);
  g_autofree char *text = NULL;
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (tunables); i++)
    {
      g_autoptr (BrioTunable) tunable = g_list_model_get_item (tunables, i);

      n += get_place (tunable) == PLACE_OTHERS;
    }
  text = g_strdup_printf (ngettext ("%u unchanged", "%u unchanged", n), n);
  adw_expander_row_set_subtitle (self->settings_row, text);
  gtk_widget_set_visible (GTK_WIDGET (self->settings_row), n > 0);
}

static void
show_tunable (BrioTunable        *tunable,
              struct tunable_row *r)
{
  const char *initial = brio_tunable_get_initial (tunable);
  const char *current = brio_tunable_get_current (tunable);
  const char *unit = tunable_words_unit (brio_tunable_get_name (tunable));
  g_autofree char *values = NULL;

  /* Translators: the value before Brio and the one now, "8000 → 667"; right-to-left languages want ← */
  values = g_str_equal (initial, current) ? g_strdup (current) : g_strdup_printf (_("%s → %s"), initial, current);
  if (*unit)
    {
      g_autofree char *alone = g_steal_pointer (&values);

      values = g_strdup_printf ("%s %s", alone, unit);
    }
  adw_action_row_set_subtitle (r->row, values);
  gtk_label_set_label (r->owner, words_owner (brio_tunable_get_owner (tunable)));
  gtk_widget_set_visible (GTK_WIDGET (r->owner), r->place != PLACE_OTHERS);
}

static void
take_row_out (BrioDriveCard      *self,
              struct tunable_row *r)
{
  if (r->place == PLACE_OTHERS)
    adw_expander_row_remove (self->settings_row, GTK_WIDGET (r->row));
  else
    gtk_list_box_remove (self->rows, GTK_WIDGET (r->row));
}

static void
put_row_in (BrioDriveCard      *self,
            struct tunable_row *r,
            enum place          place)
{
  int position = place == PLACE_REASON ? gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (self->state_row)) + 1
                                       : gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (self->settings_row));

  r->place = place;
  if (place == PLACE_OTHERS)
    adw_expander_row_add_row (self->settings_row, GTK_WIDGET (r->row));
  else
    gtk_list_box_insert (self->rows, GTK_WIDGET (r->row), position);
}

static void
move_row (BrioDriveCard      *self,
          struct tunable_row *r,
          enum place          place)
{
  g_object_ref (r->row);
  take_row_out (self, r);
  put_row_in (self, r, place);
  g_object_unref (r->row);
}

/* Of what changes with each look of the daemon: its words, and the settings. */
static void
show_words (BrioDriveCard *self)
{
  GHashTableIter iter;
  gpointer tunable, r;

  self->stale = FALSE;
  self->shown_us = g_get_monotonic_time ();
  show_identity (self);
  if (is_folded (self))
    return;
  show_state (self);
  show_finding (self);
  show_scheduler (self);
  g_hash_table_iter_init (&iter, self->tunable_rows);
  while (g_hash_table_iter_next (&iter, &tunable, &r))
    {
      struct tunable_row *row = r;

      if (row->place != get_place (tunable))
        move_row (self, row, get_place (tunable));
      show_tunable (tunable, row);
    }
  show_settings_summary (self);
}

gboolean
brio_drive_card_refresh (BrioDriveCard *self)
{
  gint64 now_us = g_get_monotonic_time ();
  gboolean drawn;

  g_return_val_if_fail (BRIO_IS_DRIVE_CARD (self), FALSE);

  if (self->stale && self->show_source == 0)
    show_words (self); /* the window was minimised */
  drawn = brio_drive_plots_refresh (self->plots);
  if (now_us - self->responded_us < RESPONSE_INTERVAL_US)
    return drawn;
  self->responded_us = now_us;
  show_response (self);
  return TRUE;
}

static gboolean
on_show (gpointer userdata)
{
  BrioDriveCard *self = userdata;

  self->show_source = 0;
  if (!brio_page_is_minimised (GTK_WIDGET (self)))
    show_words (self);
  return G_SOURCE_REMOVE;
}

static void
on_fold (BrioDriveCard *self)
{
  if (!self->device)
    return;
  show_words (self);
  brio_drive_plots_refresh (self->plots);
}

/* Some of them change several times a second, and have the whole card laid out anew: faster than they can be read, and none while it is not seen. */
static void
on_words_changed (BrioDriveCard *self)
{
  gint64 wait_us = self->shown_us + WORDS_INTERVAL_US - g_get_monotonic_time ();

  self->stale = TRUE;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || self->show_source != 0 || brio_page_is_minimised (GTK_WIDGET (self)))
    return;
  self->show_source = g_timeout_add ((guint) (MAX (0, wait_us) / 1000), on_show, self);
}

static void
brio_drive_card_map (GtkWidget *widget)
{
  BrioDriveCard *self = BRIO_DRIVE_CARD (widget);

  if (self->stale)
    show_words (self);
  GTK_WIDGET_CLASS (brio_drive_card_parent_class)->map (widget);
}

static void
brio_drive_card_unmap (GtkWidget *widget)
{
  g_clear_handle_id (&BRIO_DRIVE_CARD (widget)->show_source, g_source_remove);
  GTK_WIDGET_CLASS (brio_drive_card_parent_class)->unmap (widget);
}

static void
add_tunable (BrioDriveCard *self,
             BrioTunable   *tunable)
{
  g_autofree char *tooltip = tunable_words_explain (brio_tunable_get_name (tunable));
  struct tunable_row *r;

  g_signal_connect_object (tunable, "notify", G_CALLBACK (on_words_changed), self, G_CONNECT_SWAPPED);
  if (g_str_equal (brio_tunable_get_name (tunable), "scheduler"))
    {
      g_set_object (&self->scheduler, tunable); /* it has a row of its own */
      return;
    }
  r = g_new0 (struct tunable_row, 1);
  r->row = ADW_ACTION_ROW (list_box_new_row (tunable_words_name (brio_tunable_get_name (tunable)), NULL));
  r->owner = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_set_tooltip_text (GTK_WIDGET (r->row), tooltip);
  gtk_label_set_wrap (r->owner, TRUE);
  gtk_label_set_natural_wrap_mode (r->owner, GTK_NATURAL_WRAP_NONE);
  gtk_label_set_justify (r->owner, GTK_JUSTIFY_RIGHT);
  gtk_label_set_xalign (r->owner, 1);
  adw_action_row_add_suffix (r->row, GTK_WIDGET (r->owner));

  g_hash_table_insert (self->tunable_rows, g_object_ref (tunable), r);
  put_row_in (self, r, get_place (tunable));
  show_tunable (tunable, r);
}

static void
on_tunables_changed (BrioDriveCard *self)
{
  GListModel *tunables = brio_device_get_tunables (self->device);
  g_autoptr (GHashTable) present = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer tunable, r;

  for (guint i = 0; i < g_list_model_get_n_items (tunables); i++)
    {
      g_autoptr (BrioTunable) item = g_list_model_get_item (tunables, i);

      g_hash_table_add (present, item);
      if (item != self->scheduler && !g_hash_table_contains (self->tunable_rows, item))
        add_tunable (self, item);
    }
  if (self->scheduler && !g_hash_table_contains (present, self->scheduler))
    {
      g_signal_handlers_disconnect_by_data (self->scheduler, self);
      g_clear_object (&self->scheduler);
    }
  g_hash_table_iter_init (&iter, self->tunable_rows);
  while (g_hash_table_iter_next (&iter, &tunable, &r))
    {
      if (g_hash_table_contains (present, tunable))
        continue;
      g_signal_handlers_disconnect_by_data (tunable, self);
      take_row_out (self, r);
      g_hash_table_iter_remove (&iter);
    }
  show_scheduler (self);
  show_settings_summary (self);
}

/* Gives the row the theme's arrow, which the style turns over. libadwaita's is an SVG, and it alone would have the library loaded that draws
 * these, of 6 MiB. */
static void
take_theme_arrow (GtkWidget *w)
{
  if (GTK_IS_IMAGE (w) && gtk_widget_has_css_class (w, "expander-row-arrow"))
    gtk_image_set_from_icon_name (GTK_IMAGE (w), "go-up-symbolic");
  for (GtkWidget *c = gtk_widget_get_first_child (w); c; c = gtk_widget_get_next_sibling (c))
    take_theme_arrow (c);
}

static void
set_device (BrioDriveCard *self,
            BrioDevice    *device)
{
  self->device = g_object_ref (device);
  for (const char *const *property = (const char *const[]){ "notify::name", "notify::model", "notify::class", NULL }; *property;
       property++)
    g_signal_connect_object (device, *property, G_CALLBACK (show_identity), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (device, "notify", G_CALLBACK (on_words_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (brio_device_get_tunables (device), "items-changed", G_CALLBACK (on_tunables_changed), self,
                           G_CONNECT_SWAPPED);
  brio_drive_plots_set_device (self->plots, device);
  show_identity (self);
  on_tunables_changed (self);
  show_words (self);
  show_response (self);
}

static void
brio_drive_card_dispose (GObject *object)
{
  BrioDriveCard *self = BRIO_DRIVE_CARD (object);

  g_clear_handle_id (&self->show_source, g_source_remove);
  if (self->device)
    brio_drive_plots_set_device (self->plots, NULL);
  g_clear_object (&self->scheduler);
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
  widget_class->map = brio_drive_card_map;
  widget_class->unmap = brio_drive_card_unmap;

  g_type_ensure (BRIO_TYPE_COLUMNS);
  g_type_ensure (BRIO_TYPE_DRIVE_PLOTS);
  g_type_ensure (BRIO_TYPE_READING);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/drive-card.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, icon);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, title);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, subtitle);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, response_box);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, table_button);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, fold_button);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, response_number);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, response_word);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, plots);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, rows);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, finding_row);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, state_row);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, formula_row);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, scheduler_row);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, scheduler_owner);
  gtk_widget_class_bind_template_child (widget_class, BrioDriveCard, settings_row);
  gtk_widget_class_bind_template_callback (widget_class, on_fold);
  gtk_widget_class_bind_template_callback (widget_class, on_query_response);
}

static void
brio_drive_card_init (BrioDriveCard *self)
{
  self->tunable_rows = g_hash_table_new_full (NULL, NULL, g_object_unref, g_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  take_theme_arrow (GTK_WIDGET (self->settings_row));
  take_theme_arrow (GTK_WIDGET (self->state_row));
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

void
brio_drive_card_set_span (BrioDriveCard *self,
                          int            span_s)
{
  g_return_if_fail (BRIO_IS_DRIVE_CARD (self));

  brio_drive_plots_set_span (self->plots, span_s);
}

void
brio_drive_card_set_open (BrioDriveCard *self,
                          gboolean       open)
{
  g_return_if_fail (BRIO_IS_DRIVE_CARD (self));

  gtk_toggle_button_set_active (self->fold_button, open);
}
