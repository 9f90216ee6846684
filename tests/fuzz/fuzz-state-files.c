/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever lines with right checksums the files of starts, outcomes and the mode hold: what is read is what would be written, and each file is
 * loaded as far as its lines are good. */
#include <errno.h>

#include "fuzz-files.h"
#include "fuzz.h"
#include "macro.h"
#include "mode-store.h"
#include "outcome-store.h"
#include "startup-store.h"
#include "str.h"

static const struct outcome_clock outcome_time = { .now = 1000 * NSEC_PER_SEC, .realtime_usec = 1000 * USEC_PER_SEC };

static void check_start(const char *line, size_t length) {
        struct startup_record first, again;
        char text[STARTUP_LINE_MAX];
        size_t n;

        if (startup_line_parse(line, length, &first) < 0)
                return;
        MUST(*first.start.application && str_is_text(first.start.application) && str_is_text(first.start.name) && str_is_text(first.device));
        MUST(first.start.n_culprits <= STARTUP_CULPRITS_SHOWN);
        n = startup_line_format(text, &first);
        MUST(n < sizeof(text) && text[n - 1] == '\n');
        MUST(startup_line_parse(text, n - 1, &again) == 0 && memcmp(&first, &again, sizeof(first)) == 0);
}

static void check_outcome(const char *line, size_t length) {
        struct outcome first, again;
        char text[OUTCOME_LINE_MAX];
        int r = outcome_line_parse(line, length, &outcome_time, &first);
        size_t n;

        MUST(r == 0 || r == 1 || r == -EBADMSG);
        if (r != 0)
                return;
        MUST(first.until > 0 && str_is_text(first.key.model) && str_is_text(first.key.workload) && str_is_text(first.change));
        n = outcome_line_format(text, &first, &outcome_time);
        MUST(n < sizeof(text) && text[n - 1] == '\n');
        MUST(outcome_line_parse(text, n - 1, &outcome_time, &again) == 0);
        MUST(memcmp(&first.key, &again.key, sizeof(first.key)) == 0 && first.result == again.result && first.reverts == again.reverts);
}

static void check_mode(const char *line, size_t length) {
        char text[MODE_LINE_MAX];
        enum mode mode;

        if (mode_line_parse(line, length, &mode) < 0)
                return;
        MUST(mode_line_format(text, mode) == length + 1 && memcmp(text, line, length) == 0);
}

static void check_files(const char *text, size_t size, size_t lines) {
        static struct startup_history starts;
        static struct outcomes outcomes;
        size_t damaged;
        enum mode mode;
        int r;

        memset(&starts, 0, sizeof(starts));
        memset(&outcomes, 0, sizeof(outcomes));
        fuzz_write("startups", text, size);
        MUST(startup_store_load(fuzz_directory(), &starts, &damaged) == 0 && damaged <= lines);
        fuzz_write("outcomes", text, size);
        MUST(outcome_store_load(fuzz_directory(), &outcome_time, &outcomes, &damaged) == 0 && damaged <= lines);
        fuzz_write("mode", text, size);
        r = mode_store_load(fuzz_directory(), &mode);
        MUST(r == 1 || r == -EBADMSG || (r == 0 && lines == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        size_t n, lines = 0;
        char *text = fuzz_seal_lines(data, size, &n);

        for (size_t at = 0; at < n; lines++) {
                const char *end = memchr(text + at, '\n', n - at);
                size_t length = end ? (size_t) (end - text) - at : n - at;
                check_start(text + at, length);
                check_outcome(text + at, length);
                check_mode(text + at, length);
                at += length + 1;
        }
        check_files(text, n, lines);
        free(text);
        return 0;
}
