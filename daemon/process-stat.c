/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>

#include "fdio.h"
#include "macro.h"
#include "process-stat.h"
#include "str.h"

/* Words behind the name; proc(5) numbers them from 3. */
enum {
        WORD_STATE = 0,
        WORD_PARENT = 4 - 3,
        WORD_JOB = 5 - 3,
        WORD_SESSION = 6 - 3,
        WORD_TERMINAL = 7 - 3,
        WORD_FOREGROUND = 8 - 3,
        WORD_FLAGS = 9 - 3,
        WORD_FAULTS = 12 - 3,
        WORD_USER = 14 - 3,
        WORD_SYSTEM = 15 - 3,
        WORD_NICE = 19 - 3,
        WORD_THREADS = 20 - 3,
        WORD_START = 22 - 3,
        WORDS,
};

static bool fits(int64_t n, int32_t *ret) {
        if (n < INT32_MIN || n > INT32_MAX)
                return false;
        *ret = (int32_t) n;
        return true;
}

static bool take_int32(const char *text, int32_t *ret) {
        int64_t n;

        return str_parse_i64(text, &n) == 0 && fits(n, ret);
}

int process_stat_parse(char *text, struct process_stat *ret) {
        char *open = strchr(text, '('), *close = strrchr(text, ')'), *rest, *word; /* a name may hold blanks and ')' */
        int64_t numbers[WORDS] = { 0 };
        struct process_stat s = { 0 };
        const struct {
                int word;
                int32_t *ret;
        } small[] = {
                { WORD_PARENT, &s.parent }, { WORD_JOB, &s.job }, { WORD_SESSION, &s.session }, { WORD_TERMINAL, &s.terminal },
                { WORD_FOREGROUND, &s.foreground }, { WORD_NICE, &s.nice },
        };
        size_t n = 0;

        if (!open || !close || close < open || open == text || open[-1] != ' ')
                return -EINVAL;
        open[-1] = *close = '\0';
        if (!take_int32(text, &s.tgid) || s.tgid <= 0)
                return -EINVAL;
        for (rest = close + 1; n < WORDS && (word = strsep(&rest, " "));) {
                if (!*word)
                        continue;
                if (n == WORD_STATE)
                        s.state = *word;
                else if (str_parse_i64(word, &numbers[n]) < 0)
                        return -EINVAL;
                n++;
        }
        if (n < WORDS || numbers[WORD_START] < 0 || numbers[WORD_FLAGS] < 0 || numbers[WORD_FLAGS] > UINT32_MAX)
                return -EINVAL;
        for (size_t i = 0; i < ARRAY_SIZE(small); i++)
                if (!fits(numbers[small[i].word], small[i].ret))
                        return -EINVAL;
        s.flags = (uint32_t) numbers[WORD_FLAGS];
        s.faults = (uint64_t) numbers[WORD_FAULTS];
        s.cpu_ticks = (uint64_t) numbers[WORD_USER] + (uint64_t) numbers[WORD_SYSTEM];
        s.threads = (uint64_t) numbers[WORD_THREADS];
        s.start_ticks = (uint64_t) numbers[WORD_START];
        str_copy(s.name, sizeof(s.name), open + 1);
        str_make_text(s.name, sizeof(s.name));
        *ret = s;
        return 0;
}

int process_stat_read(const char *root, int32_t tgid, struct process_stat *ret) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];
        ssize_t n;

        snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/stat", root, tgid);
        n = fdio_read_at(AT_FDCWD, path, text, sizeof(text));
        return n < 0 ? (int) n : process_stat_parse(text, ret);
}
