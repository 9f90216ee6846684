/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sidebar.h"
#include "accessible.h"

#include <glib/gi18n.h>

#define PAGE_KEY "brio-page"

struct _BrioSidebar
{
  AdwBin parent_instance;

  AdwViewStack *stack;
  GtkListBox *list;
};

enum
{
  PROP_0,
  PROP_STACK,
  N_PROPS
};

enum
{
  ACTIVATED,
  N_SIGNALS
};

G_DEFINE_FINAL_TYPE (BrioSidebar, brio_sidebar, ADW_TYPE_BIN)

static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

static GtkWidget *
create_row (gpointer item,
            gpointer unused)
{
  AdwViewStackPage *page = item;
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *icon = gtk_image_new_from_icon_name (adw_view_stack_page_get_icon_name (page));
  GtkWidget *label = gtk_label_new (adw_view_stack_page_get_title (page));

  (void) unused;
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_box_append (GTK_BOX (box), icon);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  accessible_name (GTK_WIDGET (row), adw_view_stack_page_get_title (page));
  g_object_set_data (G_OBJECT (row), PAGE_KEY, adw_view_stack_page_get_child (page));
  return row;
}

static void
on_visible_child (BrioSidebar *self)
{
  GtkWidget *shown = adw_view_stack_get_visible_child (self->stack);
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)); i++)
    {
      if (g_object_get_data (G_OBJECT (row), PAGE_KEY) != shown)
        continue;
      gtk_list_box_select_row (self->list, row);
      if (gtk_widget_get_focus_child (GTK_WIDGET (self->list))) /* else two rows look chosen */
        gtk_widget_grab_focus (GTK_WIDGET (row));
    }
}

static void
on_row_activated (BrioSidebar   *self,
                  GtkListBoxRow *row)
{
  adw_view_stack_set_visible_child (self->stack, g_object_get_data (G_OBJECT (row), PAGE_KEY));
  g_signal_emit (self, signals[ACTIVATED], 0);
}

static void
set_stack (BrioSidebar  *self,
           AdwViewStack *stack)
{
  g_autoptr (GtkSelectionModel) pages = NULL;

  self->stack = g_object_ref (stack);
  pages = adw_view_stack_get_pages (stack);
  gtk_list_box_bind_model (self->list, G_LIST_MODEL (pages), create_row, NULL, NULL);
  g_signal_connect_object (stack, "notify::visible-child", G_CALLBACK (on_visible_child), self, G_CONNECT_SWAPPED);
  on_visible_child (self);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_STACK]);
}

static void
brio_sidebar_get_property (GObject    *object,
                           guint       prop_id,
                           GValue     *value,
                           GParamSpec *pspec)
{
  if (prop_id == PROP_STACK)
    g_value_set_object (value, BRIO_SIDEBAR (object)->stack);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
brio_sidebar_set_property (GObject      *object,
                           guint         prop_id,
                           const GValue *value,
                           GParamSpec   *pspec)
{
  if (prop_id == PROP_STACK)
    set_stack (BRIO_SIDEBAR (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
brio_sidebar_dispose (GObject *object)
{
  g_clear_object (&BRIO_SIDEBAR (object)->stack);

  G_OBJECT_CLASS (brio_sidebar_parent_class)->dispose (object);
}

static void
brio_sidebar_class_init (BrioSidebarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = brio_sidebar_get_property;
  object_class->set_property = brio_sidebar_set_property;
  object_class->dispose = brio_sidebar_dispose;

  props[PROP_STACK] = g_param_spec_object ("stack", NULL, NULL, ADW_TYPE_VIEW_STACK,
                                           G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
  signals[ACTIVATED] =
    g_signal_new ("activated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
brio_sidebar_init (BrioSidebar *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_BROWSE);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "navigation-sidebar");
  accessible_name (GTK_WIDGET (self->list), _("Pages"));
  g_signal_connect_object (self->list, "row-activated", G_CALLBACK (on_row_activated), self, G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  gtk_widget_set_vexpand (scroller, TRUE);
  adw_bin_set_child (ADW_BIN (self), scroller);
}
