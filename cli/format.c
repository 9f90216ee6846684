/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <wchar.h>

#include "format.h"
#include "str.h"
#include "units.h"

#define COLUMNS_MIN 20    /* below it nothing is readable: better to let the terminal wrap */
#define COLUMNS_MAX 10000

static const char *const escapes[_STYLE_MAX] = {
        [STYLE_PLAIN] = "",
        [STYLE_BOLD] = "\033[1m",
        [STYLE_DIM] = "\033[2m",
        [STYLE_GOOD] = "\033[32m",
        [STYLE_WARNING] = "\033[33m",
        [STYLE_BAD] = "\033[31m",
};
#define ESCAPE_RESET "\033[0m"

static unsigned output_columns(int fd) {
        const char *columns = getenv("COLUMNS");
        struct winsize size;
        uint64_t n;

        if (columns && str_parse_u64(columns, &n) == 0 && n > 0)
                return (unsigned) CLAMP(n, (uint64_t) COLUMNS_MIN, (uint64_t) COLUMNS_MAX);
        if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
                return MAX(size.ws_col, COLUMNS_MIN);
        return 0;
}

void text_set_locale(void) {
        setlocale(LC_ALL, "");
        /* Numbers are for programs, too; and wcwidth(3) knows nothing but ASCII in the C locale, while the daemon
         * speaks UTF-8 in every one. */
        setlocale(LC_NUMERIC, "C");
        if (!streq(nl_langinfo(CODESET), "UTF-8"))
                setlocale(LC_CTYPE, "C.UTF-8");
}

void output_init(struct output *ret, FILE *file) {
        const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
        bool refused = (no_color && no_color[0]) || !term || streq(term, "dumb");
        int fd = fileno(file);

        *ret = (struct output){ .file = file, .colour = !refused && isatty(fd), .columns = output_columns(fd) };
}

static _Noreturn void out_of_memory(void) {
        fputs("brioctl: out of memory\n", stderr);
        exit(EXIT_FAILURE);
}

static char *text_vformat(const char *format, va_list args) _printf_(1, 0);
static char *text_vformat(const char *format, va_list args) {
        char *s;

        if (vasprintf(&s, format, args) < 0)
                out_of_memory();
        return s;
}

char *text_format(const char *format, ...) {
        va_list args;
        char *s;

        va_start(args, format);
        s = text_vformat(format, args);
        va_end(args);
        return s;
}

/* The next character: its bytes in *ret_length (at least 1 unless at the end) and its columns, -1 for an unprintable one. */
static int character(const char *s, size_t *ret_length) {
        mbstate_t state = {};
        wchar_t c;
        size_t n = mbrtowc(&c, s, MB_CUR_MAX, &state);

        if (n == (size_t) -1 || n == (size_t) -2) {
                *ret_length = 1;
                return -1;
        }
        *ret_length = n;
        return n == 0 ? 0 : wcwidth(c);
}

size_t text_width(const char *s) {
        size_t width = 0, n;

        for (; *s; s += n)
                width += (size_t) MAX(character(s, &n), 0);
        return width;
}

size_t text_cut(const char *s, size_t columns) {
        size_t bytes = 0, width = 0, n;

        for (; s[bytes]; bytes += n) {
                width += (size_t) MAX(character(s + bytes, &n), 0);
                if (width > columns)
                        break;
        }
        return bytes;
}

char *text_make_harmless(char *s) {
        size_t size = STR_ESCAPE_GROWTH * strlen(s) + 1, n;
        char *to, *from;

        if (!str_is_text(s)) {
                s = realloc(s, size);
                if (!s)
                        out_of_memory();
                str_make_text(s, size);
        }
        for (to = from = s; *from; from += n) { /* what this terminal cannot show */
                if (character(from, &n) < 0) {
                        *to++ = '?';
                        continue;
                }
                memmove(to, from, n);
                to += n;
        }
        *to = '\0';
        return s;
}

static void write_styled(const struct output *o, enum style style, const char *s, size_t bytes) {
        bool escape = o->colour && style != STYLE_PLAIN && bytes > 0;

        if (escape)
                fputs(escapes[style], o->file);
        fwrite(s, 1, bytes, o->file);
        if (escape)
                fputs(ESCAPE_RESET, o->file);
}

void output_styled(const struct output *o, enum style style, const char *format, ...) {
        _cleanup_free_ char *s = NULL;
        va_list args;

        va_start(args, format);
        s = text_vformat(format, args);
        va_end(args);
        s = text_make_harmless(s);
        write_styled(o, style, s, strlen(s));
}

void output_heading(const struct output *o, const char *text) {
        output_styled(o, STYLE_BOLD, "%s", text);
        fputc('\n', o->file);
}

/* Bytes of s that go on a line of so many columns: whole words, or a part of one that is wider than the line. */
static size_t line_break(const char *s, size_t columns) {
        size_t fits = text_cut(s, columns), end = fits;

        if (s[fits] == '\0')
                return fits;
        while (end > 0 && s[end] != ' ')
                end--;
        return end > 0 ? end : MAX(fits, 1u);
}

void output_paragraph(const struct output *o, unsigned indent, const char *format, ...) {
        size_t columns = o->columns > indent + COLUMNS_MIN / 2 ? o->columns - indent : SIZE_MAX;
        _cleanup_free_ char *text = NULL;
        const char *s;
        va_list args;

        va_start(args, format);
        text = text_vformat(format, args);
        va_end(args);
        text = text_make_harmless(text);
        s = text;
        do {
                size_t n = line_break(s, columns);
                fprintf(o->file, "%*s%.*s\n", (int) indent, "", (int) n, s);
                s += n;
                s += strspn(s, " ");
        } while (*s);
}

struct cell {
        char *text;
        size_t width;
        enum style style;
};

struct table {
        const struct table_column *columns;
        size_t n_columns;
        struct cell *cells;
        size_t n_cells, allocated;
};

struct table *table_new(const struct table_column *columns, size_t n) {
        struct table *t = calloc(1, sizeof(*t));

        if (!t)
                out_of_memory();
        t->columns = columns;
        t->n_columns = MIN(n, (size_t) TABLE_COLUMNS_MAX);
        return t;
}

struct table *table_free(struct table *t) {
        if (!t)
                return NULL;
        for (size_t i = 0; i < t->n_cells; i++)
                free(t->cells[i].text);
        free(t->cells);
        free(t);
        return NULL;
}

void table_add(struct table *t, enum style style, const char *format, ...) {
        struct cell *c;
        va_list args;

        if (t->n_cells == t->allocated) {
                t->allocated = MAX(2 * t->allocated, 64u);
                t->cells = reallocarray(t->cells, t->allocated, sizeof(*t->cells));
                if (!t->cells)
                        out_of_memory();
        }
        c = &t->cells[t->n_cells++];
        va_start(args, format);
        c->text = text_vformat(format, args);
        va_end(args);
        c->text = text_make_harmless(c->text);
        if (c->text[0] == '\0') {
                free(c->text);
                c->text = text_format("-");
        }
        c->width = text_width(c->text);
        c->style = style;
}

#define GAP 2         /* columns between two cells */
#define CUT_LEAST 4   /* "abc…" still says something */
#define CUT_WELL 10   /* rather than cut text shorter than this, columns are dropped */

static bool is_cuttable(const struct table_column *c) {
        return !c->right && !c->keep;
}

static void measure(const struct table *t, size_t *widths) {
        for (size_t c = 0; c < t->n_columns; c++)
                widths[c] = text_width(t->columns[c].heading);
        for (size_t i = 0; i < t->n_cells; i++)
                widths[i % t->n_columns] = MAX(widths[i % t->n_columns], t->cells[i].width);
}

/* Width of a row whose text columns are cut to `cut` at most. A column of width 0 is not there. */
static size_t row_width(const struct table *t, const size_t *widths, size_t cut) {
        size_t total = 0;

        for (size_t c = 0; c < t->n_columns; c++)
                if (widths[c] > 0)
                        total += (is_cuttable(&t->columns[c]) ? MIN(widths[c], cut) : widths[c]) + GAP;
        return total > GAP ? total - GAP : 0;
}

/* Leaves out what may be left out until the rest fits with text that is still readable. */
static void drop(const struct table *t, size_t *widths, size_t available) {
        while (row_width(t, widths, CUT_WELL) > available) {
                size_t first = t->n_columns;
                for (size_t c = 0; c < t->n_columns; c++)
                        if (widths[c] > 0 && t->columns[c].drop > 0 &&
                            (first == t->n_columns || t->columns[c].drop > t->columns[first].drop))
                                first = c;
                if (first == t->n_columns)
                        return;
                widths[first] = 0;
        }
}

/* Takes columns from the widest that may be cut until the row fits, or none is left that could give any. */
static void squeeze(const struct table *t, size_t *widths, size_t available) {
        while (row_width(t, widths, SIZE_MAX) > available) {
                size_t widest = t->n_columns;
                for (size_t c = 0; c < t->n_columns; c++)
                        if (is_cuttable(&t->columns[c]) && widths[c] > CUT_LEAST &&
                            (widest == t->n_columns || widths[c] > widths[widest]))
                                widest = c;
                if (widest == t->n_columns)
                        return;
                widths[widest]--;
        }
}

static void print_cell(const struct output *o, const char *s, enum style style, size_t width, bool right, bool last) {
        size_t bytes = strlen(s), taken = text_width(s);
        bool cut = taken > width;

        if (cut) {
                bytes = text_cut(s, width - 1);
                taken = width;
        }
        if (right)
                fprintf(o->file, "%*s", (int) (width - taken), "");
        write_styled(o, style, s, bytes);
        if (cut)
                fputs("…", o->file);
        if (!right && !last)
                fprintf(o->file, "%*s", (int) (width - taken), "");
        if (!last)
                fprintf(o->file, "%*s", GAP, "");
}

/* One row; cells NULL: the headings. */
static void print_row(const struct table *t, const struct output *o, unsigned indent, const size_t *widths,
                      const struct cell *cells) {
        size_t last = 0;

        for (size_t c = 0; c < t->n_columns; c++)
                if (widths[c] > 0)
                        last = c;
        fprintf(o->file, "%*s", (int) indent, "");
        for (size_t c = 0; c <= last; c++) {
                const char *text = cells ? cells[c].text : t->columns[c].heading;
                if (widths[c] > 0)
                        print_cell(o, text, cells ? cells[c].style : STYLE_BOLD, widths[c], t->columns[c].right, c == last);
        }
        fputc('\n', o->file);
}

void table_print(const struct table *t, const struct output *o, unsigned indent) {
        size_t widths[TABLE_COLUMNS_MAX];

        measure(t, widths);
        if (o->columns > indent) {
                drop(t, widths, o->columns - indent);
                squeeze(t, widths, o->columns - indent);
        }
        print_row(t, o, indent, widths, NULL);
        for (size_t i = 0; i + t->n_columns <= t->n_cells; i += t->n_columns)
                print_row(t, o, indent, widths, t->cells + i);
}

char *format_permille(char *buf, size_t size, uint64_t permille) {
        snprintf(buf, size, "%" PRIu64 ".%" PRIu64 " %%", permille / 10, permille % 10);
        return buf;
}

char *format_milli(char *buf, size_t size, uint64_t milli) {
        snprintf(buf, size, "%" PRIu64 ".%02" PRIu64, milli / 1000, milli % 1000 / 10);
        return buf;
}

char *format_rate(char *buf, size_t size, uint64_t bytes_per_s) {
        if (bytes_per_s == 0) {
                str_copy(buf, size, "-");
                return buf;
        }
        str_format_bytes(buf, size, bytes_per_s);
        str_append(buf, size, "/s");
        return buf;
}

char *format_latency(char *buf, size_t size, uint64_t us) {
        if (us == 0)
                str_copy(buf, size, "-");
        else
                str_format_duration_us(buf, size, us);
        return buf;
}

static char *format_size_per_s(char *buf, size_t size, uint64_t bytes) {
        str_append(str_format_bytes(buf, size, bytes), size, "/s");
        return buf;
}

char *format_quantity(char *buf, size_t size, int64_t value, const char *unit) {
        static const struct {
                const char *unit;
                char *(*format)(char *buf, size_t size, uint64_t value);
        } units[] = {
                { "us", str_format_duration_us }, { "bytes", str_format_bytes }, { "bytes/s", format_size_per_s },
                { "permille", format_permille },  { "milli", format_milli },
        };
        uint64_t magnitude = value < 0 ? -(uint64_t) value : (uint64_t) value;
        char text[64];

        for (size_t i = 0; i < ARRAY_SIZE(units); i++)
                if (streq(units[i].unit, unit)) {
                        snprintf(buf, size, "%s%s", value < 0 ? "-" : "", units[i].format(text, sizeof(text), magnitude));
                        return buf;
                }
        snprintf(buf, size, "%" PRId64 "%s%s", value, *unit ? " " : "", unit);
        return buf;
}

char *format_time(char *buf, size_t size, uint64_t realtime_us) {
        time_t seconds = (time_t) (realtime_us / USEC_PER_SEC);
        struct tm tm;

        if (!localtime_r(&seconds, &tm) || strftime(buf, size, "%Y-%m-%d %H:%M:%S", &tm) == 0)
                str_copy(buf, size, "?");
        return buf;
}
