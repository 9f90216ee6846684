/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "source-tracefs.h"
#include "task-table.h"
#include "test.h"

#define SEC NSEC_PER_SEC

DEFINE_TRIVIAL_CLEANUP_FUNC(struct task_table *, task_table_free)

static struct {
        unsigned n;
        struct event last;
} heard;

static void hear(void *userdata _unused_, const struct event *e) {
        heard.n++;
        heard.last = *e;
}

static struct task_table *fresh(void) {
        heard.n = 0;
        return task_table_new((struct event_sink) { hear, NULL });
}

static void *note_number(void *userdata) {
        _cleanup_(task_table_freep) struct task_table *t = fresh();

        *(bool *) userdata = gettid() != getpid() && task_table_find(t, gettid(), SEC) == getpid();
        return NULL;
}

TEST(a_thread_is_its_process) {
        pthread_t thread;
        bool right = false;

        CHECK_INT(pthread_create(&thread, NULL, note_number, &right), 0);
        pthread_join(thread, NULL);
        CHECK(right);
}

TEST(a_process_is_named_before_it_is_told_and_believed_for_a_while) {
        _cleanup_(task_table_freep) struct task_table *t = fresh();

        CHECK_INT(task_table_find(t, getpid(), SEC), getpid());
        CHECK_INT(heard.n, 1);
        CHECK_INT(heard.last.kind, EVENT_PROCESS_NAME);
        CHECK_INT(heard.last.tgid, getpid());
        CHECK_STR(heard.last.process_name.name, "test-source-tra");
        CHECK(heard.last.process_name.start_ticks > 0);
        CHECK_INT(task_table_find(t, getpid(), SEC + TASK_BELIEVED_NS), getpid());
        CHECK_INT(heard.n, 1);
        CHECK_INT(task_table_find(t, getpid(), SEC + TASK_BELIEVED_NS + 1), getpid());
        CHECK_INT(heard.n, 2);
}

TEST(a_process_that_is_gone_or_never_was_has_no_holdings) {
        _cleanup_(task_table_freep) struct task_table *t = fresh();
        pid_t child = fork();

        if (child == 0)
                _exit(0);
        CHECK(child > 0);
        waitpid(child, NULL, 0);
        CHECK_INT(task_table_find(t, child, SEC), 0);
        CHECK_INT(task_table_find(t, 0, SEC), 0);
        CHECK_INT(task_table_find(t, -5, SEC), 0);
        CHECK_INT(heard.n, 0);
}

TEST(no_more_threads_than_the_bound_are_looked_up_in_a_look_and_known_ones_stay_known) {
        _cleanup_(task_table_freep) struct task_table *t = fresh();
        /* Above the kernel's limit of numbers; none of them takes this process' place. */
        int32_t unused = (1 << 22) + (getpid() & (TASK_PLACES - 1));

        CHECK_INT(task_table_find(t, getpid(), SEC), getpid());
        for (int i = 1; i < TASK_LOOKUPS_MAX; i++)
                CHECK_INT(task_table_find(t, unused + i, SEC), 0);
        CHECK_INT(task_table_find(t, unused + TASK_LOOKUPS_MAX, SEC), -EBUSY);
        CHECK_INT(task_table_find(t, unused + 1, SEC), 0);
        CHECK_INT(task_table_find(t, getpid(), SEC), getpid());
        task_table_renew(t);
        CHECK_INT(task_table_find(t, unused + TASK_LOOKUPS_MAX, SEC), 0);
}

TEST(requests_of_a_recorded_machine_cannot_be_told_and_probe_says_so) {
        const struct source_drive drive = { .dev = DEV_NUMBER(8, 0) };
        struct source_tracefs *s;
        struct source_info info;
        sd_event *event;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(source_tracefs_new(test_tmpdir(), event, (struct event_sink) { hear, NULL }, &s), 0);
        CHECK(source_tracefs_ops.start(s, &drive, SEC) < 0);
        CHECK_INT(source_tracefs_ops.probe(s, &info), 1);
        CHECK_STR(info.name, "tracefs");
        CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        CHECK(*info.detail);
        source_tracefs_ops.stop(s, drive.dev, SEC);
        source_tracefs_free(s);
        sd_event_unref(event);
}
