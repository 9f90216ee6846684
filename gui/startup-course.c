/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "startup-course.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app-info.h"
#include "names.h"
#include "plot-math.h"
#include "table.h"
#include "timeline-words.h"
#include "timeline.h"
#include "words.h"

struct _BrioStartupCourse
{
  AdwPreferencesGroup parent_instance;

  char *application;
  BrioStartup *startup;
  GCancellable *cancellable; /* of the call; NULL: none */
  struct timeline timeline;

  GtkToggleButton *table_button;
  GtkStack *stack;
  BrioTimeline *chart;
  BrioTable *table;
  GtkLabel *none;
};

G_DEFINE_FINAL_TYPE (BrioStartupCourse, brio_startup_course, ADW_TYPE_PREFERENCES_GROUP)

enum
{
  TOLD,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

static void
show_table (BrioStartupCourse *self)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_free);
  const struct timeline *t = &self->timeline;

  for (guint i = 0; i < t->n_slices; i++)
    {
      g_autofree char *at = words_duration (i * t->slice_us);
      char bytes[32];
      GString *row;

      plot_format (PLOT_UNIT_BYTES, (double) t->slices[i].read_bytes, bytes, sizeof (bytes));
      row = g_string_new (at);
      for (enum timeline_lane lane = 0; lane < _TIMELINE_LANE_MAX; lane++)
        g_string_append_printf (row, "\t%.0f", round (100 * timeline_share (t, i, lane)));
      g_string_append_printf (row, "\t%s", bytes);
      g_ptr_array_add (rows, g_string_free (row, FALSE));
    }
  g_ptr_array_add (rows, NULL);
  brio_table_set_rows (self->table, (const char *const *) rows->pdata);
}

static void
show_page (BrioStartupCourse *self)
{
  gtk_stack_set_visible_child_name (self->stack, gtk_toggle_button_get_active (self->table_button) ? "table" : "timeline");
}

void
brio_startup_course_mark (BrioStartupCourse *self,
                          const struct timeline_mark *marks,
                          guint              n_marks)
{
  gint64 best;

  g_return_if_fail (BRIO_IS_STARTUP_COURSE (self));

  best = brio_startup_get_factor (self->startup) > 0 ? brio_startup_get_figure (self->startup, BRIO_STARTUP_BEST) : -1;
  brio_timeline_set (self->chart, &self->timeline, best, marks, n_marks, app_info_get_name (self->application));
}

static void
show_none (BrioStartupCourse *self,
           const GError      *error)
{
  g_autofree char *remote = error ? g_dbus_error_get_remote_error (error) : NULL;
  g_autofree char *text = NULL;

  if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_METHOD))
    text = g_strdup (_("The running daemon is older than this window, and does not tell how a start went."));
  else if (!error || g_strcmp0 (remote, BRIO_ERROR_NOT_FOUND) == 0)
    text = g_strdup (_("How this start went is not known: the daemon keeps that of the latest starts, for as long as it runs."));
  else
    text = brio_client_explain_error (error);
  adw_preferences_group_set_description (ADW_PREFERENCES_GROUP (self), NULL);
  gtk_label_set_label (self->none, text);
  gtk_stack_set_visible_child_name (self->stack, "none");
  gtk_widget_set_sensitive (GTK_WIDGET (self->table_button), FALSE);
}

static void
on_timeline (GObject      *source,
             GAsyncResult *result,
             gpointer      userdata)
{
  g_autoptr (BrioStartupCourse) self = userdata; /* held for the call */
  g_autoptr (GVariant) answer = NULL, sequences = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *verdict = NULL, *escaped = NULL;
  const BrioCulprit *culprits;
  const char *culprit;

  answer = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (!answer || !timeline_read (answer, &self->timeline))
    {
      show_none (self, error);
      return;
    }
  culprit = brio_startup_get_culprits (self->startup, &culprits) > 0 ? culprits[0].name : "";
  verdict = timeline_words_verdict (&self->timeline, culprit, brio_client_is_memory_untold (BRIO_CLIENT (source)));
  escaped = g_markup_escape_text (verdict, -1); /* it may name a process */
  adw_preferences_group_set_description (ADW_PREFERENCES_GROUP (self), escaped);
  gtk_widget_set_sensitive (GTK_WIDGET (self->table_button), TRUE);
  brio_startup_course_mark (self, NULL, 0);
  show_table (self);
  show_page (self);
  if (g_variant_lookup (answer, "decisions", "@at", &sequences))
    g_signal_emit (self, signals[TOLD], 0, self->timeline.time_us, sequences);
}

void
brio_startup_course_forget (BrioStartupCourse *self)
{
  g_return_if_fail (BRIO_IS_STARTUP_COURSE (self));

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->startup);
  g_clear_pointer (&self->application, g_free);
}

void
brio_startup_course_load (BrioStartupCourse *self,
                          BrioClient        *client,
                          const char        *application,
                          BrioStartup       *startup)
{
  g_return_if_fail (BRIO_IS_STARTUP_COURSE (self));

  brio_startup_course_forget (self);
  self->cancellable = g_cancellable_new ();
  self->startup = g_object_ref (startup);
  self->application = g_strdup (application);
  gtk_stack_set_visible_child_name (self->stack, "loading");
  gtk_widget_set_sensitive (GTK_WIDGET (self->table_button), FALSE);
  brio_client_call_async (client, "GetStartupTimeline",
                          g_variant_new ("(st)", application, (guint64) MAX (0, brio_startup_get_time_us (startup))), "(a{sv})",
                          self->cancellable, on_timeline, g_object_ref (self));
}

static void
on_table_toggled (BrioStartupCourse *self)
{
  if (gtk_widget_get_sensitive (GTK_WIDGET (self->table_button)))
    show_page (self);
}

static void
brio_startup_course_dispose (GObject *object)
{
  brio_startup_course_forget (BRIO_STARTUP_COURSE (object));

  G_OBJECT_CLASS (brio_startup_course_parent_class)->dispose (object);
}

static void
brio_startup_course_class_init (BrioStartupCourseClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_startup_course_dispose;

  signals[TOLD] = g_signal_new ("told", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_INT64,
                                G_TYPE_VARIANT);

  g_type_ensure (BRIO_TYPE_TABLE);
  g_type_ensure (BRIO_TYPE_TIMELINE);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/startup-course.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioStartupCourse, table_button);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupCourse, stack);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupCourse, chart);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupCourse, table);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupCourse, none);
  gtk_widget_class_bind_template_callback (widget_class, on_table_toggled);
}

static void
brio_startup_course_init (BrioStartupCourse *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  brio_table_set_up (self->table, _("What the start did over its time"),
                     (const char *const[]){ _("Time since start"), _("Reading, %"), _("Waiting, %"), _("Computing, %"), _("Processor, %"), _("Memory, %"),
                                          _("Something else, %"), _("Read"), NULL });
}
