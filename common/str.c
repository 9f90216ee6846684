/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <strings.h>

#include "str.h"
#include "units.h"

int str_parse_u64(const char *s, uint64_t *ret) {
        uint64_t value = 0;

        if (*s == '\0')
                return -EINVAL;
        for (; *s; s++) {
                if (*s < '0' || *s > '9')
                        return -EINVAL;
                if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *s - '0', &value))
                        return -ERANGE;
        }
        *ret = value;
        return 0;
}

int str_parse_u64_most(const char *s, uint64_t most, uint64_t *ret) {
        uint64_t value;
        int r = str_parse_u64(s, &value);

        if (r < 0)
                return r;
        if (value > most)
                return -ERANGE;
        *ret = value;
        return 0;
}

int str_parse_i64(const char *s, int64_t *ret) {
        bool negative = *s == '-';
        uint64_t magnitude;
        int r = str_parse_u64(s + negative, &magnitude);

        if (r < 0)
                return r;
        if (magnitude > (uint64_t) INT64_MAX + negative)
                return -ERANGE;
        *ret = negative ? (int64_t) -magnitude : (int64_t) magnitude;
        return 0;
}

int str_parse_bool(const char *s, bool *ret) {
        static const char *const yes[] = { "yes", "true", "on", "1" }, *const no[] = { "no", "false", "off", "0" };

        for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
                if (strcasecmp(s, yes[i]) == 0) {
                        *ret = true;
                        return 0;
                }
                if (strcasecmp(s, no[i]) == 0) {
                        *ret = false;
                        return 0;
                }
        }
        return -EINVAL;
}

int str_parse_duration_us(const char *s, uint64_t *ret) {
        static const struct {
                const char *suffix;
                uint64_t us;
        } units[] = { { "us", 1 }, { "ms", USEC_PER_MSEC }, { "s", USEC_PER_SEC }, { "min", 60 * USEC_PER_SEC } };
        size_t digits = strspn(s, "0123456789");
        char number[24];
        uint64_t value;
        int r;

        if (digits >= sizeof(number))
                return -ERANGE;
        memcpy(number, s, digits);
        number[digits] = '\0';
        r = str_parse_u64(number, &value);
        if (r < 0)
                return r;
        while (s[digits] == ' ')
                digits++;
        for (size_t i = 0; i < ARRAY_SIZE(units); i++)
                if (streq(s + digits, units[i].suffix)) {
                        if (__builtin_mul_overflow(value, units[i].us, &value))
                                return -ERANGE;
                        *ret = value;
                        return 0;
                }
        return -EINVAL;
}

int str_parse_range(const char *s, int64_t *ret_min, int64_t *ret_max) {
        const char *dots = strstr(s, "..");
        char low[24];
        int64_t min, max;
        int r;

        if (!dots)
                return -EINVAL;
        if ((size_t) (dots - s) >= sizeof(low))
                return -ERANGE;
        memcpy(low, s, (size_t) (dots - s));
        low[dots - s] = '\0';
        r = str_parse_i64(low, &min);
        if (r < 0)
                return r;
        r = str_parse_i64(dots + 2, &max);
        if (r < 0)
                return r;
        if (min > max)
                return -EINVAL;
        *ret_min = min;
        *ret_max = max;
        return 0;
}

/* The length of the UTF-8 sequence at s, and the code point; 0 where there is none. Overlong forms, surrogates and beyond U+10FFFF are none. */
static size_t utf8_decode(const unsigned char *s, uint32_t *ret_point) {
        uint32_t point;
        size_t n = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;

        if (n == 0)
                return 0;
        point = n == 1 ? *s : *s & (0x7fu >> n);
        for (size_t i = 1; i < n; i++) {
                if ((s[i] & 0xc0) != 0x80)
                        return 0;
                point = point << 6 | (s[i] & 0x3f);
        }
        if ((n == 3 && point < 0x800) || (n == 4 && point < 0x10000) || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
                return 0;
        *ret_point = point;
        return n;
}

static size_t utf8_length(const unsigned char *s) {
        uint32_t point;

        return utf8_decode(s, &point);
}

/* Takes the part of a UTF-8 sequence off the end, where a cut within it left one. */
static void drop_cut_sequence(char *s, size_t length) {
        size_t start = length;

        while (start > 0 && length - start < 4 && ((unsigned char) s[start - 1] & 0xc0) == 0x80)
                start--;
        if (start > 0 && (unsigned char) s[start - 1] >= 0xc2 && utf8_length((unsigned char *) s + start - 1) == 0)
                s[start - 1] = '\0';
}

bool str_copy(char *dst, size_t size, const char *src) {
        size_t length = strlen(src), n = MIN(length, size - 1);

        memcpy(dst, src, n);
        dst[n] = '\0';
        if (n < length)
                drop_cut_sequence(dst, n);
        return n == length;
}

bool str_append(char *buf, size_t size, const char *format, ...) {
        size_t used = strlen(buf);
        va_list args;
        int n;

        va_start(args, format);
        n = vsnprintf(buf + used, size - used, format, args);
        va_end(args);
        if (n >= 0 && (size_t) n < size - used)
                return true;
        drop_cut_sequence(buf, strlen(buf));
        return false;
}

char *str_strip(char *s) {
        size_t length;

        while (isspace((unsigned char) *s))
                s++;
        length = strlen(s);
        while (length > 0 && isspace((unsigned char) s[length - 1]))
                s[--length] = '\0';
        return s;
}

/* What is not seen, or changes how the text around it is seen: control characters, line separators, and what Unicode calls default ignorable
 * (DerivedCoreProperties.txt, 15.0), of which are the bidirectional controls, the zero width characters and the tags. */
static bool is_unseen(uint32_t point) {
        static const struct {
                uint32_t first, last;
        } ranges[] = {
                { 0x00, '\t' - 1 }, { '\t' + 1, ' ' - 1 }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x61c, 0x61c }, { 0x115f, 0x1160 },
                { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
                { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
                { 0xe0000, 0xe0fff },
        };

        for (size_t i = 0; i < ARRAY_SIZE(ranges) && point >= ranges[i].first; i++)
                if (point <= ranges[i].last)
                        return true;
        return false;
}

/* The length of the character at s, 0 where it is none or not seen. */
static size_t text_length(const unsigned char *s) {
        uint32_t point;
        size_t n = utf8_decode(s, &point);

        return n > 0 && is_unseen(point) ? 0 : n;
}

bool str_is_text(const char *s) {
        const unsigned char *p = (const unsigned char *) s;

        while (*p) {
                size_t n = text_length(p);
                if (n == 0)
                        return false;
                p += n;
        }
        return true;
}

#define ESCAPE_MAX sizeof("\\U00000000")

/* Returns how many bytes of s the escape stands for. */
static size_t escape(const unsigned char *s, char ret[static ESCAPE_MAX]) {
        uint32_t point;
        size_t n = utf8_decode(s, &point);

        if (n <= 1)
                snprintf(ret, ESCAPE_MAX, "\\x%02x", *s);
        else if (point <= 0xffff)
                snprintf(ret, ESCAPE_MAX, "\\u%04x", point);
        else
                snprintf(ret, ESCAPE_MAX, "\\U%08x", point);
        return MAX(n, 1u);
}

char *str_make_text(char *s, size_t size) {
        for (char *p = s; *p;) {
                char escaped[ESCAPE_MAX];
                size_t n = text_length((unsigned char *) p), room = size - (size_t) (p - s), length, rest;
                if (n > 0) {
                        p += n;
                        continue;
                }
                n = escape((unsigned char *) p, escaped);
                length = strlen(escaped);
                if (length >= room) {
                        *p = '\0';
                        break;
                }
                rest = strlen(p + n);
                memmove(p + length, p + n, MIN(rest, room - length - 1));
                memcpy(p, escaped, length);
                p += length;
                p[MIN(rest, room - length - 1)] = '\0';
                if (rest > room - length - 1)
                        drop_cut_sequence(p, room - length - 1);
        }
        return s;
}

size_t str_distance(const char *a, const char *b) {
        enum { LONGEST = 64 };
        size_t n = strlen(a), m = strlen(b), row[LONGEST + 1];

        if (n > LONGEST || m > LONGEST)
                return MAX(n, m);
        for (size_t j = 0; j <= m; j++)
                row[j] = j;
        for (size_t i = 1; i <= n; i++) {
                size_t diagonal = row[0];
                row[0] = i;
                for (size_t j = 1; j <= m; j++) {
                        size_t replaced = diagonal + (tolower((unsigned char) a[i - 1]) != tolower((unsigned char) b[j - 1]));
                        diagonal = row[j];
                        row[j] = MIN(replaced, MIN(row[j], row[j - 1]) + 1);
                }
        }
        return row[m];
}

char *str_format_duration_us(char *buf, size_t size, uint64_t us) {
        if (us < USEC_PER_MSEC)
                snprintf(buf, size, "%" PRIu64 " µs", us);
        else if (us < USEC_PER_SEC - 500) /* above it "%.3g" would print 1e+03 */
                snprintf(buf, size, "%.3g ms", (double) us / USEC_PER_MSEC);
        else if (us < 60 * USEC_PER_SEC)
                snprintf(buf, size, "%.3g s", (double) us / USEC_PER_SEC);
        else
                snprintf(buf, size, "%" PRIu64 " min", (uint64_t) (us / (60 * USEC_PER_SEC)));
        return buf;
}

/* A number that was formatted with at most two decimals, times its unit, which is a multiple of 100. */
static uint64_t parse_scaled(const char *text, uint64_t unit) {
        uint64_t value = 0;

        for (; isdigit((unsigned char) *text); text++)
                value = value * 10 + (uint64_t) (*text - '0') * unit;
        while (*text && !isdigit((unsigned char) *text)) /* whatever the locale has there */
                text++;
        for (; isdigit((unsigned char) *text); text++)
                value += (uint64_t) (*text - '0') * (unit /= 10);
        return value;
}

uint64_t str_round_duration_us(uint64_t us) {
        uint64_t unit = us < USEC_PER_SEC - 500 ? USEC_PER_MSEC : USEC_PER_SEC;
        char text[32];

        if (us < USEC_PER_MSEC)
                return us;
        if (us >= 60 * USEC_PER_SEC)
                return us - us % (60 * USEC_PER_SEC);
        snprintf(text, sizeof(text), "%.3g", (double) us / (double) unit);
        return parse_scaled(text, unit);
}

static const char *const byte_prefixes[] = { "kB", "MB", "GB", "TB", "PB", "EB" };

/* The prefix of what is 1000 at least, and what is before it. */
static double scale_bytes(uint64_t bytes, size_t *ret_prefix) {
        double value = (double) bytes / 1000;

        for (*ret_prefix = 0; value >= 999.5 && *ret_prefix + 1 < ARRAY_SIZE(byte_prefixes); (*ret_prefix)++)
                value /= 1000;
        return value;
}

static void format_scaled(char *buf, size_t size, double value) {
        snprintf(buf, size, "%.*f", value < 9.95 ? 1 : 0, value);
}

char *str_format_bytes(char *buf, size_t size, uint64_t bytes) {
        double value;
        size_t i;

        if (bytes < 1000) {
                snprintf(buf, size, "%" PRIu64 " B", bytes);
                return buf;
        }
        value = scale_bytes(bytes, &i);
        format_scaled(buf, size, value);
        str_append(buf, size, " %s", byte_prefixes[i]);
        return buf;
}

uint64_t str_round_bytes(uint64_t bytes) {
        uint64_t unit = 1000;
        char text[32];
        size_t i;

        if (bytes < 1000)
                return bytes;
        format_scaled(text, sizeof(text), scale_bytes(bytes, &i));
        for (; i > 0; i--)
                unit *= 1000;
        return parse_scaled(text, unit);
}
