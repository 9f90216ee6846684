/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy-row.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "decision-words.h"
#include "law-words.h"
#include "list-box.h"
#include "statement-words.h"
#include "variant.h"

struct _BrioPolicyRow
{
  AdwExpanderRow parent_instance;

  BrioDevice *device;
  GPtrArray *laws; /* rows; each has its label with LABEL_KEY, and the row below it with FORMULA_KEY */
};

#define LABEL_KEY "brio-enabled"
#define FORMULA_KEY "brio-formula"

G_DEFINE_FINAL_TYPE (BrioPolicyRow, brio_policy_row, ADW_TYPE_EXPANDER_ROW)

static void
brio_policy_row_finalize (GObject *object)
{
  BrioPolicyRow *self = BRIO_POLICY_ROW (object);

  g_ptr_array_unref (self->laws);
  g_object_unref (self->device);

  G_OBJECT_CLASS (brio_policy_row_parent_class)->finalize (object);
}

static void
brio_policy_row_class_init (BrioPolicyRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = brio_policy_row_finalize;
}

static void
brio_policy_row_init (BrioPolicyRow *self)
{
  self->laws = g_ptr_array_new ();
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
}

GtkWidget *
brio_policy_row_new (BrioDevice *device)
{
  BrioPolicyRow *self = g_object_new (BRIO_TYPE_POLICY_ROW, NULL);
  g_autofree char *title = NULL;

  self->device = g_object_ref (device);
  /* Translators: a drive: its model and its name, as "Seagate Barracuda (sda)" */
  title = g_strdup_printf (_("%s (%s)"), brio_device_get_title (device), brio_device_get_name (device));
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self),
                                 g_str_equal (brio_device_get_title (device), brio_device_get_name (device)) ? brio_device_get_name (device)
                                                                                                              : title);
  accessible_name (GTK_WIDGET (self), adw_preferences_row_get_title (ADW_PREFERENCES_ROW (self)));
  return GTK_WIDGET (self);
}

BrioDevice *
brio_policy_row_get_device (BrioPolicyRow *self)
{
  g_return_val_if_fail (BRIO_IS_POLICY_ROW (self), NULL);

  return self->device;
}

static GtkWidget *
add_law (BrioPolicyRow *self)
{
  GtkWidget *row = adw_expander_row_new (), *label = gtk_label_new (NULL), *formula = list_box_new_row (_("Details"), NULL);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  gtk_widget_add_css_class (label, "dim-label");
  adw_expander_row_add_action (ADW_EXPANDER_ROW (row), label);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (row), formula);
  adw_expander_row_set_enable_expansion (ADW_EXPANDER_ROW (row), FALSE);
  g_object_set_data (G_OBJECT (row), LABEL_KEY, label);
  g_object_set_data (G_OBJECT (row), FORMULA_KEY, formula);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), row);
  g_ptr_array_add (self->laws, row);
  return row;
}

static void
add_line (GString    *text,
          const char *line)
{
  if (*line)
    g_string_append_printf (text, "%s%s", text->len ? "\n" : "", line);
}

static void
show_law (GtkWidget *row,
          GVariant  *law)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 line = variant_number (law, "line");
  const char *enabled = variant_flag (law, "enabled") ? _("On") : _("Off");
  g_autoptr (GVariant) data = g_variant_lookup_value (law, "reason_data", G_VARIANT_TYPE ("aa{sv}"));
  g_autofree char *reason = statement_words (law, "reason"), *effect = statement_words (law, "effect"), *formula = statement_words_formula_of (data);
  const char *name = law_words_name (variant_text (law, "law")), *meaning = law_words_meaning (variant_text (law, "law"));
  const char *trial = variant_text (law, "trial");
  g_autofree char *p95 = decision_words_p95 (trial, variant_number (law, "p95_before_usec"), variant_number (law, "p95_after_usec"));
  g_autofree char *where = NULL, *label = NULL, *details = decision_words_details (formula, effect, *p95 != '\0');

  add_line (text, reason);
  add_line (text, decision_words_outcome (trial));
  add_line (text, *p95 ? p95 : effect);
  /* Translators: where something is set: file and line */
  where = line > 0 ? g_strdup_printf (_("%s, line %d"), variant_text (law, "file"), (int) line) : g_strdup (_("By default"));
  add_line (text, where);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), name);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (row), text->str);
  list_box_show_details (ADW_EXPANDER_ROW (row), g_object_get_data (G_OBJECT (row), FORMULA_KEY), details);
  if (g_strcmp0 (gtk_widget_get_tooltip_text (row), meaning) != 0) /* else GTK asks the display each time where the pointer is */
    gtk_widget_set_tooltip_text (row, meaning);
  gtk_label_set_label (g_object_get_data (G_OBJECT (row), LABEL_KEY), enabled);
  /* Translators: a law for screen readers: name, on or off, details */
  label = g_strdup_printf (_("%s, %s, %s"), name, enabled, text->str);
  accessible_name (GTK_WIDGET (row), label);
}

void
brio_policy_row_show (BrioPolicyRow *self,
                      GVariant      *properties)
{
  g_autoptr (GVariant) laws = NULL;
  g_autofree char *subtitle = NULL;
  const char *name = "", *file = "";
  gsize n = 0;

  g_return_if_fail (BRIO_IS_POLICY_ROW (self));

  g_variant_lookup (properties, "Policy", "(&s&s)", &name, &file);
  /* Translators: a policy: its name and its file */
  subtitle = *name ? g_strdup_printf (_("%s · %s"), name, file) : g_strdup (_("No policy is for this drive: Brio leaves it alone"));
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), subtitle);
  if (g_variant_lookup (properties, "Laws", "@aa{sv}", &laws))
    n = g_variant_n_children (laws);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) law = g_variant_get_child_value (laws, i);

      show_law (i < self->laws->len ? self->laws->pdata[i] : add_law (self), law);
    }
  while (self->laws->len > n)
    {
      adw_expander_row_remove (ADW_EXPANDER_ROW (self), self->laws->pdata[self->laws->len - 1]);
      g_ptr_array_remove_index (self->laws, self->laws->len - 1);
    }
  list_box_let_unfold (ADW_EXPANDER_ROW (self), n > 0);
}

void
brio_policy_row_show_error (BrioPolicyRow *self,
                            const char    *text)
{
  g_return_if_fail (BRIO_IS_POLICY_ROW (self));

  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), text);
}
