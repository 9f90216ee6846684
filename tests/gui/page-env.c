/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "gui-env.h"
#include "page-env.h"

static bool is_connected(void *client) {
        return brio_client_get_state(client) == BRIO_CLIENT_CONNECTED;
}

bool page_env_open(GType type, const char *scenario, int width, int height, struct page_env *ret) {
        if (!env_daemon_start(scenario))
                return false;
        ret->client = brio_client_new(env_bus_start());
        brio_client_start(ret->client);
        if (!env_wait(is_connected, ret->client))
                return false;
        ret->page = g_object_new(type, NULL);
        brio_page_set_client(ret->page, ret->client);
        ret->window = GTK_WINDOW(gtk_window_new());
        gtk_window_set_decorated(ret->window, FALSE);
        gtk_window_set_default_size(ret->window, width, height);
        gtk_window_set_child(ret->window, GTK_WIDGET(ret->page));
        gtk_window_present(ret->window);
        return true;
}

bool page_env_close(struct page_env *p) {
        GWeakRef weak;
        bool gone;

        g_weak_ref_init(&weak, p->page);
        gtk_window_destroy(p->window);
        gone = env_goes(&weak); /* when cancelled calls have come back */
        env_daemon_stop();
        g_object_unref(p->client);
        return gone;
}

GtkWidget *page_env_find(GtkWidget *w, GType type, const char *text) {
        if (gtk_widget_get_mapped(w) && G_TYPE_CHECK_INSTANCE_TYPE(w, type)
            && (!text || (GTK_IS_LABEL(w) && g_str_equal(gtk_label_get_label(GTK_LABEL(w)), text))))
                return w;
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c)) {
                GtkWidget *found = page_env_find(c, type, text);

                if (found)
                        return found;
        }
        return NULL;
}

bool page_env_is_mapped(void *widget) {
        return gtk_widget_get_mapped(widget);
}

bool page_env_is_unmapped(void *widget) {
        return !gtk_widget_get_mapped(widget);
}

guint page_env_count_rows(GtkWidget *w) {
        return g_list_model_get_n_items(G_LIST_MODEL(gtk_column_view_get_model(GTK_COLUMN_VIEW(page_env_find(w, GTK_TYPE_COLUMN_VIEW, NULL)))));
}

const char *page_env_get_shown(void *widget) {
        return gtk_stack_get_visible_child_name(GTK_STACK(gtk_widget_get_template_child(widget, G_OBJECT_TYPE(widget), "stack")));
}

bool page_env_shows(void *widget, const char *what) {
        return strcmp(page_env_get_shown(widget), what) == 0;
}

bool page_env_shows_list(void *page) {
        return page_env_shows(page, "list");
}

bool page_env_shows_empty(void *page) {
        return page_env_shows(page, "empty");
}

bool page_env_shows_failed(void *page) {
        return page_env_shows(page, "failed");
}

bool page_env_shows_no_match(void *page) {
        return page_env_shows(page, "no-match");
}

bool page_env_loads_in_silence(BrioPage *page) {
        return page_env_shows(page, "loading") && !page_env_find(GTK_WIDGET(page), ADW_TYPE_STATUS_PAGE, NULL) && env_wait(page_env_shows_list, page);
}

static char *caught;

static void on_activate(GSimpleAction *action, GVariant *parameter) {
        (void) action;
        g_free(caught);
        caught = g_variant_print(parameter, FALSE);
}

void page_env_catch(GtkWindow *window, const char *name, const char *type) {
        g_autoptr(GSimpleActionGroup) actions = g_simple_action_group_new();
        g_autoptr(GSimpleAction) action = g_simple_action_new(name, G_VARIANT_TYPE(type));

        g_signal_connect(action, "activate", G_CALLBACK(on_activate), NULL);
        g_action_map_add_action(G_ACTION_MAP(actions), G_ACTION(action));
        gtk_widget_insert_action_group(GTK_WIDGET(window), "win", G_ACTION_GROUP(actions));
        g_clear_pointer(&caught, g_free);
}

const char *page_env_caught(void) {
        return caught;
}
