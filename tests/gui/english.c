/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "english.h"

#include "law-words.h"
#include "process-cell.h"
#include "reading.h"

#define LETTERS_MIN 3 /* of a word: units have fewer */

/* The words of a text: parts between blanks without what surrounds them, where that is ASCII letters alone. Calls take(word, userdata) of each
 * in small letters until it returns true. */
static bool each_word(const char *text, bool (*take)(const char *word, void *userdata), void *userdata) {
        g_auto(GStrv) parts = g_strsplit_set(text, " \n\t/", -1);

        for (char **part = parts; *part; part++) {
                char *begin = *part, *end = begin + strlen(begin);
                bool is_word;

                while (begin < end && g_ascii_ispunct(*begin))
                        begin++;
                while (end > begin && g_ascii_ispunct(end[-1]))
                        end--;
                *end = '\0';
                is_word = end - begin >= LETTERS_MIN;
                for (char *c = begin; c < end; c++)
                        is_word &= g_ascii_isalpha(*c);
                if (is_word) {
                        g_autofree char *word = g_ascii_strdown(begin, -1);

                        if (take(word, userdata))
                                return true;
                }
        }
        return false;
}

static bool keep_word(const char *word, void *set) {
        g_hash_table_add(set, g_strdup(word));
        return false;
}

static bool is_in(const char *word, void *set) {
        return g_hash_table_contains(set, word);
}

static gboolean is_translated(void *word, void *unused, void *translated) {
        (void) unused;
        return g_hash_table_contains(translated, word);
}

/* The part in quotes. */
static char *quoted(const char *line) {
        const char *begin = strchr(line, '"');
        g_autofree char *text = begin && strlen(begin) > 1 ? g_strndup(begin + 1, strlen(begin) - 2) : g_strdup("");

        return g_strcompress(text);
}

static GHashTable *read_words(const char *catalogue) {
        GHashTable *words = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        g_autoptr(GHashTable) translated = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        g_autofree char *text = NULL;
        g_auto(GStrv) lines = NULL;
        GHashTable *to = NULL;

        if (!g_file_get_contents(catalogue, &text, NULL, NULL)) {
                printf("Bail out! no catalogue %s\n", catalogue);
                exit(99);
        }
        lines = g_strsplit(text, "\n", -1);
        for (char **line = lines; *line; line++) {
                g_autofree char *part = NULL;

                if (g_str_has_prefix(*line, "msg"))
                        to = g_str_has_prefix(*line, "msgid") ? words : g_str_has_prefix(*line, "msgstr") ? translated : NULL;
                else if (**line != '"')
                        to = NULL;
                if (to)
                        each_word(part = quoted(*line), keep_word, to);
        }
        g_hash_table_foreach_remove(words, is_translated, translated);
        return words;
}

struct search {
        GHashTable *words;
        GHashTable *seen; /* texts, told once */
        unsigned found;
};

static bool is_name(const char *text) {
        const char *name;

        for (guint i = 0; (name = law_words_nth(i)); i++)
                if (g_str_equal(name, text))
                        return true;
        for (guint i = 0; (name = tunable_words_nth(i)); i++)
                if (g_str_equal(name, text))
                        return true;
        return g_str_equal(text, "none"); /* no scheduler */
}

static void look_at(struct search *s, GtkWidget *w, const char *what, const char *text) {
        g_autoptr(GString) line = g_string_new(text);

        g_string_replace(line, "GNU General Public License", "", 0);
        g_string_replace(line, "\n", " ", 0);
        if (is_name(line->str) || !each_word(line->str, is_in, s->words) || !g_hash_table_add(s->seen, g_strdup(line->str)))
                return;
        s->found++;
        printf("# English in %s of %s: “%s”\n", what, G_OBJECT_TYPE_NAME(w), line->str);
}

static const char *const properties[] = { "label", "text", "title", "subtitle", "description", "tooltip-text", "placeholder-text", "heading", "body" };

/* What GtkDropDown would show where it had nothing to choose from. */
static bool is_of_toolkit(GtkWidget *w) {
        GtkWidget *stack = gtk_widget_get_parent(w);

        return stack && GTK_IS_STACK(stack) && gtk_widget_get_ancestor(stack, GTK_TYPE_DROP_DOWN) && gtk_stack_get_visible_child(GTK_STACK(stack)) != w;
}

static void walk(struct search *s, GtkWidget *w) {
        if (is_of_toolkit(w) || gtk_widget_has_css_class(w, "monospace"))
                return;
        for (size_t i = 0; i < G_N_ELEMENTS(properties); i++) {
                GParamSpec *p = g_object_class_find_property(G_OBJECT_GET_CLASS(w), properties[i]);
                g_autofree char *text = NULL;

                if (!p || p->value_type != G_TYPE_STRING || !(p->flags & G_PARAM_READABLE))
                        continue;
                g_object_get(w, properties[i], &text, NULL);
                look_at(s, w, properties[i], text);
        }
        if (BRIO_IS_READING(w))
                look_at(s, w, "the number", brio_reading_get_text(BRIO_READING(w)));
        if (BRIO_IS_PROCESS_CELL(w))
                look_at(s, w, "the cell", brio_process_cell_get_text(BRIO_PROCESS_CELL(w)));
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                walk(s, c);
}

unsigned english_find(GtkWidget *w, const char *catalogue) {
        static struct search s;

        if (!s.words)
                s.words = read_words(catalogue);
        s.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        s.found = 0;
        walk(&s, w);
        g_clear_pointer(&s.seen, g_hash_table_unref);
        return s.found;
}
