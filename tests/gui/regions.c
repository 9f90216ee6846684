/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "regions.h"

#include <adwaita.h>
#include <math.h>

/* What rounding moves. */
#define SLACK_PX 1.5f
/* Of columns that share what is left of a width, each may be rounded. */
#define MIRROR_SLACK_PX 5
/* A stroke that is not as high, as of "-", is smoothed away in part. */
#define STROKE_PX 3
/* A letter may reach beyond its own place, as "J" does. */
#define OVERHANG_PX 2
/* A longer one, as of a path, may be broken. */
#define WORD_MAX 24

static const char *const charts[] = { "BrioPlot", "BrioTimeline", "BrioRhythmChart", "BrioLatencyBar" };
static const char *const controls[] = { "GtkSwitch", "GtkSpinner", "GtkProgressBar", "GtkLevelBar", "AdwAvatar" };
/* Where libadwaita's own style has less contrast: what it dims, white on its blue and red, a version in its blue. */
static const char *const faint_classes[] = { "dim-label", "dimmed", "subtitle", "suggested-action", "destructive-action", "app-version" };

static bool is_one_of(const char *name, const char *const *names, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (g_str_equal(name, names[i]))
                        return true;
        return false;
}

/* -1: nothing that is drawn by itself. */
static int get_kind(GtkWidget *w) {
        const char *type = G_OBJECT_TYPE_NAME(w);

        if (GTK_IS_LABEL(w))
                return *gtk_label_get_text(GTK_LABEL(w)) ? REGION_TEXT : -1;
        if (GTK_IS_IMAGE(w))
                return gtk_image_get_storage_type(GTK_IMAGE(w)) != GTK_IMAGE_EMPTY ? REGION_ICON : -1;
        if (is_one_of(type, charts, G_N_ELEMENTS(charts)))
                return REGION_CHART;
        return is_one_of(type, controls, G_N_ELEMENTS(controls)) ? REGION_CONTROL : -1;
}

/* Of the text alone: a label may be larger. */
static void get_ink(GtkLabel *label, graphene_rect_t *ret) {
        PangoRectangle ink;
        int x, y;

        pango_layout_get_pixel_extents(gtk_label_get_layout(label), &ink, NULL);
        gtk_label_get_layout_offsets(label, &x, &y);
        graphene_rect_init(ret, (float) (x + ink.x), (float) (y + ink.y), (float) ink.width, (float) ink.height);
}

static bool get_bounds(GtkWidget *w, enum region_kind kind, GtkWidget *window, graphene_rect_t *ret) {
        graphene_rect_t all, own;
        graphene_point_t origin;

        if (!gtk_widget_compute_bounds(w, w, &all) || !gtk_widget_compute_point(w, window, &GRAPHENE_POINT_INIT(0, 0), &origin))
                return false;
        own = all;
        if (kind == REGION_TEXT)
                get_ink(GTK_LABEL(w), &own);
        graphene_rect_offset(&own, origin.x, origin.y);
        *ret = own;
        return own.size.width > 0 && own.size.height > 0;
}

static bool is_within(const graphene_rect_t *inner, const graphene_rect_t *outer) {
        return inner->origin.x >= outer->origin.x - SLACK_PX && inner->origin.y >= outer->origin.y - SLACK_PX
                && inner->origin.x + inner->size.width <= outer->origin.x + outer->size.width + SLACK_PX
                && inner->origin.y + inner->size.height <= outer->origin.y + outer->size.height + SLACK_PX;
}

static bool can_scroll(GtkAdjustment *a) {
        return a && gtk_adjustment_get_upper(a) - gtk_adjustment_get_lower(a) > gtk_adjustment_get_page_size(a) + 1;
}

/* Whether the user has to scroll to it. */
static bool is_scrolled_away(const struct region *r, GtkWidget *window) {
        for (GtkWidget *p = gtk_widget_get_parent(r->widget); p && p != window; p = gtk_widget_get_parent(p)) {
                graphene_rect_t bounds;

                if (!GTK_IS_SCROLLED_WINDOW(p) || !gtk_widget_compute_bounds(p, window, &bounds) || is_within(&r->bounds, &bounds))
                        continue;
                if (can_scroll(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(p)))
                    || can_scroll(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(p))))
                        return true;
        }
        return false;
}

static bool is_faint(GtkWidget *w) {
        for (; w && !GTK_IS_ROOT(w); w = gtk_widget_get_parent(w))
                for (size_t i = 0; i < G_N_ELEMENTS(faint_classes); i++)
                        if (gtk_widget_has_css_class(w, faint_classes[i]))
                                return true;
        return false;
}

static void add(GtkWidget *w, GtkWidget *window, GArray *regions) {
        int kind = get_kind(w);
        struct region r = { .widget = w, .kind = (enum region_kind) MAX(0, kind), .faint = is_faint(w), .inactive = !gtk_widget_is_sensitive(w) };
        const char *icon = GTK_IS_IMAGE(w) ? gtk_image_get_icon_name(GTK_IMAGE(w)) : NULL;

        if (kind < 0 || !get_bounds(w, r.kind, window, &r.bounds))
                return;
        r.scrolled_away = is_scrolled_away(&r, window);
        snprintf(r.name, sizeof(r.name), "%s “%.60s”", G_OBJECT_TYPE_NAME(w), GTK_IS_LABEL(w) ? gtk_label_get_text(GTK_LABEL(w)) : icon ? icon : "");
        g_strdelimit(r.name, "\n", ' '); /* of what the tests print each line says what it is */
        g_array_append_val(regions, r);
}

static void walk(GtkWidget *w, GtkWidget *window, GArray *regions) {
        if (!gtk_widget_get_mapped(w) || (GTK_IS_POPOVER(w) && w != window))
                return;
        add(w, window, regions);
        /* A switch has icons that only high contrast shows. */
        for (GtkWidget *c = GTK_IS_SWITCH(w) ? NULL : gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                walk(c, window, regions);
}

GArray *regions_find(GtkWidget *window) {
        GArray *regions = g_array_new(FALSE, TRUE, sizeof(struct region));

        walk(window, window, regions);
        return regions;
}

unsigned regions_count(const GArray *regions, const char *type_name) {
        unsigned n = 0;

        for (guint i = 0; i < regions->len; i++) {
                const struct region *r = &g_array_index(regions, struct region, i);

                n += !r->scrolled_away && g_str_equal(G_OBJECT_TYPE_NAME(r->widget), type_name);
        }
        return n;
}

static void print_problem(const struct region *r, const char *problem, const char *other) {
        printf("# %s at %.0f,%.0f (%.0f × %.0f) %s%s\n", r->name, (double) r->bounds.origin.x, (double) r->bounds.origin.y,
               (double) r->bounds.size.width, (double) r->bounds.size.height, problem, other);
}

/* Of a window, which the list of pages has. */
static bool is_title(GtkWidget *w) {
        return gtk_widget_get_ancestor(w, ADW_TYPE_WINDOW_TITLE) != NULL;
}

/* A text that is cut is fine where the pointer shows the whole of it. */
static bool is_cut(const struct region *r) {
        const char *tooltip = NULL;

        if (r->kind != REGION_TEXT || !pango_layout_is_ellipsized(gtk_label_get_layout(GTK_LABEL(r->widget))) || is_title(r->widget))
                return false;
        for (GtkWidget *w = r->widget; w && !tooltip; w = gtk_widget_get_parent(w))
                tooltip = gtk_widget_get_tooltip_text(w);
        return !tooltip || !strstr(tooltip, gtk_label_get_text(GTK_LABEL(r->widget)));
}

/* The ancestor that does not show all of it, or NULL. */
static GtkWidget *find_clipper(const struct region *r, GtkWidget *window) {
        for (GtkWidget *p = r->widget; p; p = p == window ? NULL : gtk_widget_get_parent(p)) {
                graphene_rect_t bounds;
                bool clips = p == window || gtk_widget_get_overflow(p) == GTK_OVERFLOW_HIDDEN || GTK_IS_LABEL(p) || GTK_IS_SCROLLED_WINDOW(p);

                if (!clips || !gtk_widget_compute_bounds(p, window, &bounds))
                        continue;
                if (GTK_IS_LABEL(p))
                        graphene_rect_inset(&bounds, -OVERHANG_PX, 0);
                if (!is_within(&r->bounds, &bounds))
                        return p;
        }
        return NULL;
}

unsigned regions_find_clipped(const GArray *regions, GtkWidget *window) {
        unsigned n = 0;

        for (guint i = 0; i < regions->len; i++) {
                const struct region *r = &g_array_index(regions, struct region, i);
                GtkWidget *clipper = r->scrolled_away ? NULL : find_clipper(r, window);

                if (clipper)
                        print_problem(r, "is clipped by ", G_OBJECT_TYPE_NAME(clipper));
                if (is_cut(r))
                        print_problem(r, "is cut with an ellipsis", "");
                n += clipper || is_cut(r);
        }
        return n;
}

/* detail: of such a region what is printed behind the problem; NULL: it is none. */
static unsigned count_problems(const GArray *regions, const char *(*detail)(const struct region *r), const char *problem) {
        unsigned n = 0;

        for (guint i = 0; i < regions->len; i++) {
                const struct region *r = &g_array_index(regions, struct region, i);
                const char *found = detail(r);

                if (found)
                        print_problem(r, problem, found);
                n += found != NULL;
        }
        return n;
}

static const char *find_torn(const struct region *r) {
        GSList *lines = r->kind == REGION_TEXT ? pango_layout_get_lines_readonly(gtk_label_get_layout(GTK_LABEL(r->widget))) : NULL;

        for (GSList *l = lines; l; l = l->next)
                if (((PangoLayoutLine *) l->data)->resolved_dir != ((PangoLayoutLine *) lines->data)->resolved_dir)
                        return "";
        return NULL;
}

unsigned regions_find_torn(const GArray *regions) {
        return count_problems(regions, find_torn, "has lines that begin at either side");
}

/* The first line that begins within a word which has room on one, or NULL. */
static const char *find_broken(const struct region *r) {
        PangoLayout *layout = r->kind == REGION_TEXT ? gtk_label_get_layout(GTK_LABEL(r->widget)) : NULL;
        GSList *lines = layout ? pango_layout_get_lines_readonly(layout) : NULL;
        const PangoLogAttr *at;
        int n_at;

        if (!lines || !lines->next)
                return NULL;
        at = pango_layout_get_log_attrs_readonly(layout, &n_at);
        for (GSList *l = lines->next; l; l = l->next) {
                const char *text = pango_layout_get_text(layout), *begin = text + ((PangoLayoutLine *) l->data)->start_index;
                long i = g_utf8_strlen(text, begin - text), first = i, last = i;

                if (i >= n_at || at[i].is_line_break)
                        continue;
                while (first > 0 && !at[first].is_line_break)
                        first--;
                while (last < n_at - 1 && !at[last].is_line_break)
                        last++;
                if (last - first <= WORD_MAX)
                        return begin;
        }
        return NULL;
}

unsigned regions_find_broken(const GArray *regions) {
        return count_problems(regions, find_broken, "breaks within a word, before ");
}

unsigned regions_find_overlapping(const GArray *regions) {
        unsigned n = 0;

        for (guint i = 0; i < regions->len; i++)
                for (guint k = i + 1; k < regions->len; k++) {
                        const struct region *a = &g_array_index(regions, struct region, i), *b = &g_array_index(regions, struct region, k);
                        graphene_rect_t both;

                        if (a->scrolled_away || b->scrolled_away || gtk_widget_is_ancestor(b->widget, a->widget)
                            || !graphene_rect_intersection(&a->bounds, &b->bounds, &both) || both.size.width <= SLACK_PX || both.size.height <= SLACK_PX)
                                continue;
                        print_problem(a, "overlaps ", b->name);
                        n++;
                }
        return n;
}

static bool is_symbolic(const struct region *r) {
        const char *name = r->kind == REGION_ICON ? gtk_image_get_icon_name(GTK_IMAGE(r->widget)) : NULL;

        return name && g_str_has_suffix(name, "-symbolic");
}

/* WCAG 2.1: 1.4.3 and 1.4.6 for text, 1.4.11 for what is no text. Applications' icons and libadwaita's controls are others'; they are to be
 * seen. */
static double get_demand(const struct region *r, const struct regions_demand *demand) {
        if (r->kind == REGION_TEXT && r->bounds.size.height < STROKE_PX)
                return 2;
        if (r->kind == REGION_TEXT)
                return demand->high_contrast ? (r->faint ? 4.5 : 7) : r->faint ? 3 : 4.5;
        if (GTK_IS_SWITCH(r->widget)) /* one that is off */
                return 1.4;
        return r->faint || r->kind == REGION_CONTROL || (r->kind == REGION_ICON && !is_symbolic(r)) ? 2 : 3;
}

unsigned regions_find_illegible(const GArray *regions, const struct picture *p, const struct regions_demand *demand) {
        unsigned n = 0;

        for (guint i = 0; i < regions->len; i++) {
                const struct region *r = &g_array_index(regions, struct region, i);
                struct picture_look look = picture_look_at(p, &r->bounds);
                double wanted = get_demand(r, demand);
                char text[64];

                if (r->scrolled_away || (look.ink > 0 && r->inactive) || look.contrast >= wanted)
                        continue;
                snprintf(text, sizeof(text), "%.1f : 1, and not %.1f : 1", look.contrast, wanted);
                print_problem(r, look.ink > 0 ? "has a contrast of " : "is not on the picture: ", text);
                n++;
        }
        return n;
}

unsigned regions_find_unmirrored(const GArray *regions, const GArray *mirrored, int width) {
        unsigned n = regions->len != mirrored->len;

        if (n > 0)
                printf("# %u regions, and %u in the other direction\n", regions->len, mirrored->len);
        for (guint i = 0; i < MIN(regions->len, mirrored->len); i++) {
                const struct region *a = &g_array_index(regions, struct region, i), *b = &g_array_index(mirrored, struct region, i);
                char name[128];
                float expected = (float) width - a->bounds.origin.x - a->bounds.size.width;

                if (a->scrolled_away || b->scrolled_away || fabsf(b->bounds.origin.x - expected) <= MIRROR_SLACK_PX)
                        continue;
                snprintf(name, sizeof(name), "%.0f, the mirror of %.80s", (double) expected, a->name);
                print_problem(b, "should begin at ", name);
                n++;
        }
        return n;
}
