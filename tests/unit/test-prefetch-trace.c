/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells of pages, of this machine's kernel: tests/loop/test-prefetch.py has what it tells. */
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "prefetch-trace.h"
#include "test.h"

/* No descriptor is to be had any more. Returns the limit of before. */
static struct rlimit use_up_descriptors(void) {
        struct rlimit before, none;

        if (getrlimit(RLIMIT_NOFILE, &before) < 0)
                abort();
        none = before;
        none.rlim_cur = 0;
        if (setrlimit(RLIMIT_NOFILE, &none) < 0)
                abort();
        return before;
}

TEST(what_cannot_tell_for_want_of_descriptors_is_tried_again_at_the_next_start) {
        struct source_info before, after;
        struct prefetch_trace *t;
        struct rlimit limit;
        int r;

        CHECK_INT(prefetch_trace_new(&t), 0);
        prefetch_trace_probe(t, &before);
        if (before.state != SOURCE_WORKS)
                test_skip("the kernel does not tell what starts read");
        limit = use_up_descriptors();
        r = prefetch_trace_begin(t, getpid(), "editor", 1000);
        CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        CHECK_INT(r, -EMFILE);
        prefetch_trace_probe(t, &after);
        CHECK_STR(after.detail, before.detail);
        r = prefetch_trace_begin(t, getpid(), "editor", 1000);
        CHECK(r > 0);
        prefetch_list_free(prefetch_trace_end(t, r, NULL));
        prefetch_trace_free(t);
}
