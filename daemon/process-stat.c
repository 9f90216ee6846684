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
        WORD_FAULTS = 12 - 3,
        WORD_USER = 14 - 3,
        WORD_SYSTEM = 15 - 3,
        WORD_THREADS = 20 - 3,
        WORD_START = 22 - 3,
        WORDS,
};

int process_stat_parse(char *text, struct process_stat *ret) {
        char *open = strchr(text, '('), *close = strrchr(text, ')'), *rest, *word; /* a name may hold blanks and ')' */
        int64_t numbers[WORDS] = { 0 };
        struct process_stat s = { 0 };
        size_t n = 0;

        if (!open || !close || close < open)
                return -EINVAL;
        *close = '\0';
        for (rest = close + 1; n < WORDS && (word = strsep(&rest, " "));) {
                if (!*word)
                        continue;
                if (n == WORD_STATE)
                        s.state = *word;
                else if (str_parse_i64(word, &numbers[n]) < 0)
                        return -EINVAL;
                n++;
        }
        if (n < WORDS)
                return -EINVAL;
        s.parent = (int32_t) numbers[WORD_PARENT];
        s.job = (int32_t) numbers[WORD_JOB];
        s.session = (int32_t) numbers[WORD_SESSION];
        s.terminal = numbers[WORD_TERMINAL] != 0;
        s.faults = (uint64_t) numbers[WORD_FAULTS];
        s.cpu_ticks = (uint64_t) numbers[WORD_USER] + (uint64_t) numbers[WORD_SYSTEM];
        s.threads = (uint64_t) numbers[WORD_THREADS];
        s.start_ticks = (uint64_t) numbers[WORD_START];
        str_copy(s.name, sizeof(s.name), open + 1);
        str_make_text(s.name);
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
