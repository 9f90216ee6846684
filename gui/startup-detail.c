/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "startup-detail.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "app-info.h"
#include "columns.h"
#include "list-box.h"
#include "page-call.h"
#include "startup-changes.h"
#include "startup-course.h"
#include "startup-row.h"
#include "startup-words.h"
#include "words.h"

struct _BrioStartupDetail
{
  AdwBin parent_instance;

  BrioClient *client;
  char *application;
  GListStore *startups;  /* newest first */
  BrioStartup *startup;  /* the one that is shown */
  gint64 chosen_us;      /* when that was, where the reader chose it; 0: the newest is shown */
  GCancellable *listing; /* of the call for them all; NULL: none */

  GtkStack *stack;
  GtkSpinner *spinner;
  AdwStatusPage *failed_page;
  GtkImage *icon;
  GtkLabel *title;
  GtkLabel *subtitle;
  GtkLabel *last;
  GtkLabel *usual;
  GtkLabel *p95;
  GtkLabel *best;
  GtkLabel *worth;
  BrioStartupCourse *course;
  GtkWidget *culprits_group;
  GtkListBox *culprits;
  BrioStartupChanges *changes;
  GtkListBox *starts;
};

G_DEFINE_FINAL_TYPE (BrioStartupDetail, brio_startup_detail, ADW_TYPE_BIN)

/* One that turns costs frames, also where it is not seen. */
static void
show_page (BrioStartupDetail *self,
           const char        *name)
{
  gtk_stack_set_visible_child_name (self->stack, name);
  gtk_spinner_set_spinning (self->spinner, self->application && g_str_equal (name, "loading"));
}

static void
set_duration (GtkLabel *label,
              gint64    us)
{
  g_autofree char *text = words_duration (us);

  gtk_label_set_label (label, text);
}

static void
show_culprits (BrioStartupDetail *self)
{
  const BrioCulprit *culprits;
  guint n = brio_startup_get_culprits (self->startup, &culprits);

  list_box_clear (self->culprits);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *pid = culprits[i].pid ? g_strdup_printf (_("Process %u"), culprits[i].pid) : g_strdup ("");
      /* Translators: a share of what the drive did */
      g_autofree char *share = g_strdup_printf (_("%d %%"), culprits[i].permille / 10);
      GtkWidget *row = list_box_add_row (self->culprits, culprits[i].name, pid), *bar = gtk_level_bar_new_for_interval (0, 1000);
      GtkWidget *label = gtk_label_new (share);

      gtk_level_bar_set_value (GTK_LEVEL_BAR (bar), culprits[i].permille);
      gtk_level_bar_add_offset_value (GTK_LEVEL_BAR (bar), GTK_LEVEL_BAR_OFFSET_LOW, 0);
      gtk_level_bar_add_offset_value (GTK_LEVEL_BAR (bar), GTK_LEVEL_BAR_OFFSET_HIGH, 0);
      gtk_widget_set_size_request (bar, 96, -1);
      gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
      accessible_name_of (bar, _("Share of what the drive did"), culprits[i].name);
      gtk_widget_add_css_class (label, "numeric");
      gtk_label_set_width_chars (GTK_LABEL (label), 5);
      gtk_label_set_xalign (GTK_LABEL (label), 1);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), bar);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
    }
  gtk_widget_set_visible (self->culprits_group, n > 0);
}

static void
show_startup (BrioStartupDetail *self,
              BrioStartup       *startup)
{
  g_autofree char *when = startup_words_when_exactly (brio_startup_get_time_us (startup));
  g_autofree char *summary = startup_words_summary (startup);
  /* Translators: when a start was, and what there is to say of it */
  g_autofree char *subtitle = g_strdup_printf (_("%s · %s"), when, summary);

  g_set_object (&self->startup, startup);
  set_duration (self->last, brio_startup_get_figure (startup, BRIO_STARTUP_LATENCY));
  gtk_label_set_label (self->subtitle, subtitle);
  show_culprits (self);
  brio_startup_changes_forget (self->changes);
  brio_startup_course_load (self->course, self->client, self->application, startup);
}

static void
show_worth (BrioStartupDetail *self)
{
  BrioStartupWorth worth;
  g_autofree char *text = NULL;

  if (!self->application)
    return;
  worth = brio_startup_worth_find (brio_client_get_prefetch (self->client), self->application);
  text = startup_words_worth (&worth);
  gtk_label_set_label (self->worth, text);
  gtk_widget_set_visible (GTK_WIDGET (self->worth), *text != '\0');
}

static void
show_application (BrioStartupDetail *self,
                  BrioStartup       *newest)
{
  g_autoptr (GIcon) icon = app_info_dup_icon (self->application);

  gtk_image_set_from_gicon (self->icon, icon);
  gtk_label_set_label (self->title, app_info_get_name (self->application));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title), self->application);
  set_duration (self->usual, brio_startup_get_figure (newest, BRIO_STARTUP_USUAL));
  set_duration (self->p95, brio_startup_get_figure (newest, BRIO_STARTUP_P95));
  set_duration (self->best, brio_startup_get_figure (newest, BRIO_STARTUP_BEST));
  show_worth (self);
}

/* The one that the reader chose, while it is among those that are known; else the newest. */
static guint
find_chosen (BrioStartupDetail *self,
             GPtrArray         *newest_first)
{
  for (guint i = 0; self->chosen_us > 0 && i < newest_first->len; i++)
    if (brio_startup_get_time_us (newest_first->pdata[i]) == self->chosen_us)
      return i;
  return 0;
}

static void
show_startups (BrioStartupDetail *self,
               GPtrArray         *newest_first)
{
  guint chosen = find_chosen (self, newest_first);
  BrioStartup *startup = newest_first->pdata[chosen];

  g_list_store_splice (self->startups, 0, g_list_model_get_n_items (G_LIST_MODEL (self->startups)), newest_first->pdata,
                       newest_first->len);
  show_application (self, newest_first->pdata[0]);
  if (!self->startup || brio_startup_get_time_us (self->startup) != brio_startup_get_time_us (startup))
    show_startup (self, startup);
  gtk_list_box_select_row (self->starts, gtk_list_box_get_row_at_index (self->starts, (int) chosen));
  show_page (self, "detail");
}

static void
show_failure (BrioStartupDetail *self,
              const GError      *error)
{
  if (error)
    page_call_explain (self->failed_page, error);
  else
    adw_status_page_set_description (self->failed_page, "");
  show_page (self, "failed");
}

static void
on_starts (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  g_autoptr (BrioStartupDetail) self = userdata; /* held for the call */
  g_autoptr (GPtrArray) newest_first = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GVariant) entries = NULL;
  g_autoptr (GError) error = NULL;

  entries = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  for (gsize i = entries ? g_variant_n_children (entries) : 0; i > 0; i--)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (entries, i - 1);
      BrioStartup *startup = brio_startup_new (entry);

      if (startup)
        g_ptr_array_add (newest_first, startup);
    }
  if (newest_first->len > 0)
    show_startups (self, newest_first);
  else if (!self->startup)
    show_failure (self, error);
}

static void
let_go (BrioStartupDetail *self)
{
  brio_startup_course_forget (self->course);
  brio_startup_changes_forget (self->changes);
  g_clear_object (&self->startup);
  g_list_store_remove_all (self->startups);
  g_clear_pointer (&self->application, g_free);
  self->chosen_us = 0;
  show_page (self, "loading");
}

void
brio_startup_detail_load (BrioStartupDetail *self,
                          const char        *application)
{
  g_return_if_fail (BRIO_IS_STARTUP_DETAIL (self));

  g_cancellable_cancel (self->listing);
  g_clear_object (&self->listing);
  if (g_strcmp0 (application, self->application) != 0)
    let_go (self);
  if (!application)
    return;
  if (!self->application)
    {
      self->application = g_strdup (application);
      show_page (self, "loading");
    }
  self->listing = g_cancellable_new ();
  brio_client_call_async (self->client, "GetStartups", g_variant_new ("(s)", application), "(aa{sv})", self->listing, on_starts,
                          g_object_ref (self));
}

void
brio_startup_detail_choose (BrioStartupDetail *self,
                            const char        *application,
                            gint64             time_us)
{
  g_return_if_fail (BRIO_IS_STARTUP_DETAIL (self));

  brio_startup_detail_load (self, application);
  self->chosen_us = time_us;
}

static gint64
longest_us (BrioStartupDetail *self)
{
  GListModel *model = G_LIST_MODEL (self->startups);
  gint64 longest = 0;

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (BrioStartup) startup = g_list_model_get_item (model, i);

      longest = MAX (longest, brio_startup_get_figure (startup, BRIO_STARTUP_LATENCY));
    }
  return longest;
}

static GtkWidget *
create_start (gpointer item,
              gpointer userdata)
{
  BrioStartupDetail *self = userdata;
  GtkWidget *row = gtk_list_box_row_new (), *content = brio_startup_row_new (FALSE);

  gtk_widget_set_margin_top (content, 9);
  gtk_widget_set_margin_bottom (content, 9);
  gtk_widget_set_margin_start (content, 12);
  gtk_widget_set_margin_end (content, 12);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), content);
  brio_startup_row_show (BRIO_STARTUP_ROW (content), item, longest_us (self));
  return row;
}

static void
on_start_activated (BrioStartupDetail *self,
                    GtkListBoxRow     *row)
{
  guint position = (guint) gtk_list_box_row_get_index (row);
  g_autoptr (BrioStartup) startup = g_list_model_get_item (G_LIST_MODEL (self->startups), position);

  self->chosen_us = position > 0 ? brio_startup_get_time_us (startup) : 0;
  show_startup (self, startup);
}

static void
on_told (BrioStartupDetail *self,
         gint64             begin_us,
         GVariant          *sequences)
{
  brio_startup_changes_load (self->changes, self->client, begin_us, sequences);
}

static void
on_changes_loaded (BrioStartupDetail *self)
{
  guint n;
  const struct timeline_mark *marks = brio_startup_changes_get_marks (self->changes, &n);

  brio_startup_course_mark (self->course, marks, n);
}

void
brio_startup_detail_set_client (BrioStartupDetail *self,
                                BrioClient        *client)
{
  g_return_if_fail (BRIO_IS_STARTUP_DETAIL (self));
  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  g_signal_connect_object (client, "prefetch-changed", G_CALLBACK (show_worth), self, G_CONNECT_SWAPPED);
}

static void
brio_startup_detail_dispose (GObject *object)
{
  BrioStartupDetail *self = BRIO_STARTUP_DETAIL (object);

  g_cancellable_cancel (self->listing);
  g_clear_object (&self->listing);
  if (self->starts)
    {
      brio_startup_course_forget (self->course);
      brio_startup_changes_forget (self->changes);
      gtk_list_box_bind_model (self->starts, NULL, NULL, NULL, NULL);
    }
  self->starts = NULL;
  g_clear_object (&self->startup);
  g_clear_object (&self->startups);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_startup_detail_parent_class)->dispose (object);
}

static void
brio_startup_detail_finalize (GObject *object)
{
  g_free (BRIO_STARTUP_DETAIL (object)->application);

  G_OBJECT_CLASS (brio_startup_detail_parent_class)->finalize (object);
}

static void
brio_startup_detail_class_init (BrioStartupDetailClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = brio_startup_detail_dispose;
  object_class->finalize = brio_startup_detail_finalize;

  g_type_ensure (BRIO_TYPE_COLUMNS);
  g_type_ensure (BRIO_TYPE_STARTUP_CHANGES);
  g_type_ensure (BRIO_TYPE_STARTUP_COURSE);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/startup-detail.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, stack);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, spinner);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, failed_page);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, icon);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, title);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, subtitle);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, last);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, usual);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, p95);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, best);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, worth);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, course);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, culprits_group);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, culprits);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, changes);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupDetail, starts);
  gtk_widget_class_bind_template_callback (widget_class, on_told);
  gtk_widget_class_bind_template_callback (widget_class, on_changes_loaded);
  gtk_widget_class_bind_template_callback (widget_class, on_start_activated);
}

static void
brio_startup_detail_init (BrioStartupDetail *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->startups = g_list_store_new (BRIO_TYPE_STARTUP);
  gtk_list_box_bind_model (self->starts, G_LIST_MODEL (self->startups), create_start, self, NULL);
}
