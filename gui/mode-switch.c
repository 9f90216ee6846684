/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mode-switch.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "hold-button.h"
#include "words.h"

struct _BrioModeSwitch
{
  AdwBin parent_instance;

  char *mode, *hold;
  gboolean showing; /* the buttons follow the mode, not the user */

  GtkMenuButton *button;
  GtkWidget *caption;
  GtkLabel *label;
  GtkPopover *popover;
  GtkCheckButton *mode_auto;
  GtkCheckButton *mode_advise;
  GtkCheckButton *mode_off;
  GtkListBox *holds;
};

G_DEFINE_FINAL_TYPE (BrioModeSwitch, brio_mode_switch, ADW_TYPE_BIN)

static void
show_mode (BrioModeSwitch *self)
{
  const struct
  {
    const char *mode;
    GtkCheckButton *button;
  } buttons[] = { { "auto", self->mode_auto }, { "advise", self->mode_advise }, { "off", self->mode_off } };
  g_autofree char *held = words_mode_held (self->mode, self->hold), *label = NULL;

  /* Translators: the button that shows and changes the mode, for screen readers: "Mode: Automatic" */
  label = g_strdup_printf (_("Mode: %s"), held);
  self->showing = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (buttons); i++)
    gtk_check_button_set_active (buttons[i].button, g_str_equal (buttons[i].mode, self->mode));
  self->showing = FALSE;
  gtk_label_set_label (self->label, held);
  accessible_name (GTK_WIDGET (self->button), label);
  gtk_widget_set_visible (GTK_WIDGET (self), *self->mode != '\0');
}

void
brio_mode_switch_set_mode (BrioModeSwitch *self,
                           const char     *mode,
                           const char     *hold)
{
  g_return_if_fail (BRIO_IS_MODE_SWITCH (self));

  if (g_str_equal (self->mode, mode) && g_str_equal (self->hold, hold))
    return;
  g_free (self->mode);
  g_free (self->hold);
  self->mode = g_strdup (mode);
  self->hold = g_strdup (hold);
  show_mode (self);
}

void
brio_mode_switch_hide_caption (BrioModeSwitch *self)
{
  g_return_if_fail (BRIO_IS_MODE_SWITCH (self));

  gtk_widget_set_visible (self->caption, FALSE);
  gtk_menu_button_set_direction (self->button, GTK_ARROW_DOWN);
}

void
brio_mode_switch_show_holds (BrioModeSwitch *self,
                             BrioClient     *client)
{
  g_return_if_fail (BRIO_IS_MODE_SWITCH (self));

  gtk_widget_set_visible (GTK_WIDGET (self->holds), hold_button_list (self->holds, client));
}

void
brio_mode_switch_request (BrioModeSwitch *self,
                          const char     *mode)
{
  g_return_if_fail (BRIO_IS_MODE_SWITCH (self));

  gtk_popover_popdown (self->popover);
  if (!g_str_equal (self->mode, mode))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.mode", "s", mode);
  show_mode (self); /* until the daemon says otherwise */
}

static void
on_toggled (BrioModeSwitch *self,
            GtkCheckButton *button)
{
  if (self->showing || !gtk_check_button_get_active (button))
    return;
  brio_mode_switch_request (self, button == self->mode_auto ? "auto" : button == self->mode_advise ? "advise" : "off");
}

static void
brio_mode_switch_finalize (GObject *object)
{
  g_free (BRIO_MODE_SWITCH (object)->mode);
  g_free (BRIO_MODE_SWITCH (object)->hold);

  G_OBJECT_CLASS (brio_mode_switch_parent_class)->finalize (object);
}

static void
brio_mode_switch_class_init (BrioModeSwitchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = brio_mode_switch_finalize;

  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/mode-switch.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioModeSwitch, button);
  gtk_widget_class_bind_template_child (widget_class, BrioModeSwitch, label);
  gtk_widget_class_bind_template_child (widget_class, BrioModeSwitch, caption);
  gtk_widget_class_bind_template_child (widget_class, BrioModeSwitch, popover);
  gtk_widget_class_bind_template_child (widget_class, BrioModeSwitch, mode_auto);
  gtk_widget_class_bind_template_child (widget_class, BrioModeSwitch, mode_advise);
  gtk_widget_class_bind_template_child (widget_class, BrioModeSwitch, mode_off);
  gtk_widget_class_bind_template_child (widget_class, BrioModeSwitch, holds);
  gtk_widget_class_bind_template_callback (widget_class, on_toggled);
}

static void
brio_mode_switch_init (BrioModeSwitch *self)
{
  self->mode = g_strdup ("");
  self->hold = g_strdup ("");
  gtk_widget_init_template (GTK_WIDGET (self));
  show_mode (self);
}
