/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "gui-env.h"
#include "widget-env.h"

static bool is_laid_out(void *widget) {
        return !gtk_widget_get_visible(widget) || (gtk_widget_get_width(widget) > 0 && gtk_widget_get_height(widget) > 0);
}

GtkWindow *show(GtkWidget *child, int width, int height) {
        GtkWindow *window = GTK_WINDOW(gtk_window_new());

        gtk_window_set_decorated(window, FALSE);
        gtk_window_set_default_size(window, width, height);
        gtk_window_set_child(window, child);
        gtk_window_present(window);
        env_wait(is_laid_out, child);
        env_run_for_ms(100);
        return window;
}

GtkWindow *show_on_page(GtkWidget *child, int width, int height) {
        GtkWidget *scrolled = gtk_scrolled_window_new();

        gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), child);
        return show(scrolled, width, height);
}

bool destroy(GtkWindow *window) {
        GWeakRef weak;

        g_weak_ref_init(&weak, gtk_window_get_child(window));
        gtk_window_destroy(window);
        return env_goes(&weak);
}

BrioDevice *make_device(void) {
        BrioDevice *device = brio_device_new("/org/brio/Brio1/device/sda");
        g_autoptr(GVariant) v = g_variant_ref_sink(g_variant_new_parsed(
                "{'Name': <'sda'>, 'Model': <'A <b>bold</b> & odd model'>, 'Class': <'hdd'>, 'Scheduler': <'bfq'>, 'State': <'holding'>, "
                "'Workload': <'shared'>, 'Reason': <'3 < 8 & so on'>, 'Tunables': <{'slice_idle_us': ('8000', '667', '667', 'brio'), "
                "'low_latency': ('1', '', '1', 'kernel')}>}"));

        brio_device_update(device, v);
        return device;
}

GtkWidget *find(GtkWidget *w, GType type, const char *title) {
        if (G_TYPE_CHECK_INSTANCE_TYPE(w, type)
            && (!title || (ADW_IS_PREFERENCES_ROW(w) && strcmp(adw_preferences_row_get_title(ADW_PREFERENCES_ROW(w)), title) == 0)))
                return w;
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c)) {
                GtkWidget *found = find(c, type, title);

                if (found)
                        return found;
        }
        return NULL;
}
