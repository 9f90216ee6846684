/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "request-sources.h"
#include "test.h"

static const struct source_drive drive = { .dev = DEV_NUMBER(8, 0) };
static unsigned heard;

static void hear(void *userdata _unused_, const struct event *e _unused_) {
        heard++;
}

/* Of a recorded machine: whatever this one can do, its requests cannot be told. */
static struct request_sources *open_with(const char *choice, sd_event **ret_event) {
        struct request_sources_config config = {
                .choice = request_sources_choice(choice), .root = test_tmpdir(), .state_dir = test_tmpdir(), .sink = { hear, NULL },
        };
        struct request_sources *s = NULL;

        heard = 0;
        if (sd_event_new(ret_event) >= 0)
                (void) request_sources_new(&config, *ret_event, &s);
        return s;
}

static size_t count(const struct request_sources *s) {
        size_t n = 0;

        while (request_sources_get(s, n))
                n++;
        return n;
}

TEST(a_choice_is_auto_or_proc_or_a_source) {
        CHECK_STR(request_sources_choice("auto"), REQUEST_SOURCE_AUTO);
        CHECK_STR(request_sources_choice("proc"), REQUEST_SOURCE_PROC);
        CHECK_STR(request_sources_choice("bpf"), "bpf");
        CHECK_STR(request_sources_choice("tracefs"), "tracefs");
        CHECK_STR(request_sources_choice("blktrace"), "blktrace");
        CHECK(!request_sources_choice("ftrace"));
        CHECK(!request_sources_choice(""));
}

TEST(each_source_is_named_as_it_is_chosen) {
        sd_event *event;
        struct request_sources *s = open_with("auto", &event);

        CHECK(s);
        CHECK(count(s) > 0);
        for (size_t i = 0; i < count(s); i++) {
                const struct source *source = request_sources_get(s, i);
                struct source_info infos[SOURCE_INFOS_MAX];

                CHECK(source->ops->probe(source->self, infos) >= 1);
                CHECK_STR(request_sources_choice(infos[0].name), infos[0].name);
        }
        request_sources_free(s);
        sd_event_unref(event);
}

TEST(where_no_source_can_the_start_fails_and_nothing_is_told) {
        struct source_cost cost;
        sd_event *event;
        struct request_sources *s = open_with("auto", &event);

        CHECK(s);
        CHECK_INT(request_sources_start(s, &drive, "sda", NSEC_PER_SEC), -ENODEV);
        request_sources_drain(s, 2 * NSEC_PER_SEC);
        request_sources_stop(s, drive.dev, 2 * NSEC_PER_SEC);
        request_sources_cost(s, &cost);
        CHECK_INT(cost.events, 0);
        CHECK_INT(heard, 0);
        request_sources_free(s);
        sd_event_unref(event);
}

static char said[8192];

/* What starts of the drive, one after the other, write to stderr. */
static void hear_starts(struct request_sources *s, const struct source_drive *d, const char *name, unsigned n) {
        int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), fd = open(test_tmpdir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        ssize_t size;

        CHECK(saved >= 0 && fd >= 0 && dup3(fd, STDERR_FILENO, O_CLOEXEC) >= 0);
        for (unsigned i = 0; i < n; i++)
                (void) request_sources_start(s, d, name, (i + 1) * NSEC_PER_SEC);
        CHECK(dup3(saved, STDERR_FILENO, O_CLOEXEC) >= 0);
        size = pread(fd, said, sizeof(said) - 1, 0);
        said[MAX(size, 0)] = '\0';
        close(saved);
        close(fd);
}

static size_t count_said(struct request_sources *s, const struct source_drive *d, const char *name, unsigned n) {
        size_t lines = 0;

        hear_starts(s, d, name, n);
        for (const char *c = said; *c; c++)
                lines += *c == '\n';
        return lines;
}

TEST(why_a_source_cannot_at_all_is_said_once_for_all_drives) {
        const struct source_drive other = { .dev = DEV_NUMBER(8, 16) };
        sd_event *event;
        struct request_sources *s = open_with("auto", &event);

        CHECK(s);
        CHECK_INT(count_said(s, &drive, "sda", 1), count(s));
        CHECK(strstr(said, "single requests cannot be told by tracefs: "));
        CHECK_INT(count_said(s, &drive, "sda", 5), 0);
        CHECK_INT(count_said(s, &other, "sdb", 5), 0);
        request_sources_free(s);
        sd_event_unref(event);
}

TEST(what_was_not_chosen_says_so) {
        sd_event *event;
        struct request_sources *s = open_with("proc", &event);
        struct source_info info = { .name = "tracefs", .state = SOURCE_WORKS, .detail = "fine" };

        CHECK(s);
        request_sources_explain(s, 0, &info);
        CHECK_STR(info.detail, "fine; not used: the configuration asks for proc");
        CHECK_INT(info.state, SOURCE_WORKS);
        info.state = SOURCE_UNAVAILABLE;
        request_sources_explain(s, 0, &info);
        CHECK_INT(info.state, SOURCE_UNNEEDED);
        CHECK_INT(request_sources_start(s, &drive, "sda", NSEC_PER_SEC), -ENODEV);
        request_sources_free(s);
        sd_event_unref(event);
}

TEST(none_is_in_reserve_for_one_that_does_not_work) {
        sd_event *event;
        struct request_sources *s = open_with("auto", &event);

        CHECK(s);
        for (size_t i = 0; i < count(s); i++) {
                struct source_info info = { .state = SOURCE_WORKS, .detail = "fine" };
                request_sources_explain(s, i, &info);
                CHECK_STR(info.detail, "fine");
        }
        request_sources_free(s);
        sd_event_unref(event);
}

TEST(a_source_that_cannot_sum_up_is_not_asked_to) {
        static const char *const choices[] = { "tracefs", "blktrace" };
        const struct source_drive summed = { .dev = DEV_NUMBER(8, 0), .summed = true };

        for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
                sd_event *event;
                struct request_sources *s = open_with(choices[i], &event);

                CHECK(s);
                CHECK_INT(request_sources_start(s, &summed, "sda", NSEC_PER_SEC), -EOPNOTSUPP);
                CHECK_INT(heard, 0);
                request_sources_free(s);
                sd_event_unref(event);
        }
}
