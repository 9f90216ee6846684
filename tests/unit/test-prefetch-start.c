/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What becomes of starts while their children read ahead. A child is kept where it is by the kernel, which asks the test whether a file may be opened (fanotify). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "fdio.h"
#include "prefetch-store.h"
#include "prefetch.h"
#include "str.h"
#include "test.h"

#define USER 1000
#define FS_DEV 77
#define DRIVE 7
#define PATIENCE_MS 60000

struct scene {
        char dir[PATH_MAX], file[PATH_MAX], list[PATH_MAX];
        sd_event *event;
        struct prefetch *p;
        int gate; /* fanotify */
        size_t places;
        unsigned begun, ended, told;
        enum prefetch_outcome outcome; /* that was told */
};

static void on_event(void *userdata, const struct event *e) {
        struct scene *s = userdata;

        s->begun += e->kind == EVENT_PROCESS_FORK;
        s->ended += e->kind == EVENT_PROCESS_EXIT;
}

static void on_told(void *userdata, const struct prefetch_told *told) {
        struct scene *s = userdata;

        s->told++;
        s->outcome = told->result->outcome;
}

static void keep_list(struct scene *s, const struct stat *st) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        const struct prefetch_file f = { .ino = st->st_ino, .size = (uint64_t) st->st_size,
                                         .mtime_ns = st->st_mtim.tv_sec * (int64_t) NSEC_PER_SEC + st->st_mtim.tv_nsec };
        _cleanup_close_ int fd = prefetch_store_open(s->dir);
        char name[PREFETCH_NAME_MAX];

        if (prefetch_list_new("editor", USER, &l) < 0 || prefetch_list_add_file(l, &f, s->file) < 0 || prefetch_list_add_pages(l, 0, 0, 1, 1) < 0)
                abort();
        l->starts = 1;
        if (prefetch_store_save(fd, l) < 0)
                abort();
        snprintf(s->list, sizeof(s->list), "%.3000s/prefetch/%s", s->dir, prefetch_store_name("editor", USER, name));
}

/* Without the right to ask, there is no gate: the test is skipped. */
static void set_up(struct scene *s) {
        struct stat st;

        *s = (struct scene){ .places = 1, .gate = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_CLOEXEC) };
        if (s->gate < 0)
                test_skip("the kernel asks no program which files may be opened");
        snprintf(s->dir, sizeof(s->dir), "%s/XXXXXX", test_tmpdir());
        if (!mkdtemp(s->dir))
                abort();
        str_copy(s->file, sizeof(s->file), s->dir);
        str_append(s->file, sizeof(s->file), "/file");
        test_write_file(s->dir, "file", "text");
        if (chmod(s->dir, 0755) < 0 || chmod(s->file, 0644) < 0 || stat(s->file, &st) < 0)
                abort();
        keep_list(s, &st);
        if (sd_event_new(&s->event) < 0 || prefetch_new(s->event, (struct event_sink){ on_event, s }, on_told, s->dir, &s->p) < 0)
                abort();
}

static void tear_down(struct scene *s) {
        s->p = prefetch_free(s->p);
        s->event = sd_event_unref(s->event);
        close(s->gate);
        while (waitpid(-1, NULL, 0) > 0)
                ;
}

static void list_places(void *userdata, const struct startup_view *v _unused_, struct prefetch_places *ret, struct prefetch_limits *ret_limits) {
        const struct scene *s = userdata;
        struct statx st;
        char point[PATH_MAX];

        if (statx(AT_FDCWD, s->dir, 0, STATX_MNT_ID, &st) < 0)
                abort();
        for (size_t i = 0; i < s->places; i++) {
                snprintf(point, sizeof(point), i == 0 ? "%s" : "%.4000s/%zu", s->dir, i);
                (void) prefetch_places_add(ret, &(struct prefetch_place){ st.stx_mnt_id, FS_DEV, DRIVE, true, point, "/" });
        }
        *ret_limits = (struct prefetch_limits){ .bytes = 64 << 20, .memory_percent = 50, .time = 60 * NSEC_PER_SEC };
}

static struct startup_view view(uint64_t number) {
        return (struct startup_view){ .tgid = getpid(), .start_ticks = number, .application = "editor", .uid = USER, .launched = true };
}

static void follow(struct scene *s, uint64_t number) {
        const struct startup_view v = view(number);

        prefetch_follow(s->p, NSEC_PER_SEC, &v, list_places, s);
}

static enum prefetch_outcome end(struct scene *s, uint64_t number) {
        const struct startup_view v = view(number);

        return prefetch_end(s->p, &v);
}

/* Whatever opens it waits from now on. */
static void shut(const struct scene *s, const char *path) {
        if (fanotify_mark(s->gate, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, path) < 0)
                test_skip("the kernel asks no program whether a file may be opened");
}

/* Until so many children wait to open what is shut. */
static bool wait_for_children(const struct scene *s, unsigned n) {
        while (n > 0) {
                struct pollfd p = { .fd = s->gate, .events = POLLIN };
                struct fanotify_event_metadata events[32], *e = events;
                ssize_t size = poll(&p, 1, PATIENCE_MS) > 0 ? read(s->gate, events, sizeof(events)) : 0;
                if (size <= 0)
                        return false;
                for (; FAN_EVENT_OK(e, size); e = FAN_EVENT_NEXT(e, size), n--)
                        close(e->fd);
        }
        return true;
}

static struct prefetch_counters counters(const struct scene *s) {
        struct prefetch_counters c;

        prefetch_get_counters(s->p, &c);
        return c;
}

TEST(what_is_stopped_while_it_reads_ahead_is_told_of_and_not_begun_anew) {
        struct scene s;

        set_up(&s);
        shut(&s, s.file);
        follow(&s, 1);
        CHECK_INT(s.begun, 1);
        CHECK(wait_for_children(&s, 1));
        prefetch_stop(s.p);
        CHECK_INT(s.told, 1);
        CHECK_INT(s.outcome, PREFETCH_STOPPED);
        CHECK_INT(s.ended, 1);
        follow(&s, 1);
        prefetch_stop(s.p);
        CHECK(s.begun == 1 && s.told == 1);
        CHECK_INT(counters(&s).played, 1);
        CHECK_INT(end(&s, 1), PREFETCH_STOPPED);
        tear_down(&s);
}

TEST(a_start_that_ends_before_its_child_has_begun_to_read_was_without_help) {
        struct scene s;

        set_up(&s);
        shut(&s, s.list);
        follow(&s, 1);
        CHECK(wait_for_children(&s, 1));
        CHECK_INT(end(&s, 1), PREFETCH_NONE);
        CHECK(s.told == 0 && s.ended == 1);
        CHECK_INT(counters(&s).played, 0);
        tear_down(&s);
}

static void on_answer(void *userdata _unused_, int result _unused_, const char *said _unused_, size_t size _unused_) {
}

struct answer {
        bool is_there;
        int result;
        struct prefetch_summary first;
};

static void take_answer(void *userdata, int result, const char *said, size_t size) {
        struct answer *a = userdata;

        *a = (struct answer){ .is_there = true, .result = result };
        memcpy(&a->first, said, MIN(size, sizeof(a->first)));
}

static struct answer ask(struct scene *s, enum prefetch_wish wish, const char *application, uint32_t uid) {
        struct prefetch_question q = { .wish = wish, .uid = uid };
        struct answer a = { 0 };

        snprintf(q.application, sizeof(q.application), "%s", application);
        if (prefetch_question(s->p, &q, take_answer, &a) < 0)
                abort();
        while (!a.is_there) /* the harness has a time limit */
                if (sd_event_run(s->event, 100 * 1000) < 0)
                        abort();
        return a;
}

TEST(an_application_is_switched_off_before_its_first_start_which_root_alone_is_told) {
        struct scene s;
        struct answer a;

        set_up(&s);
        CHECK_INT(ask(&s, PREFETCH_WISH_ON, "game", PREFETCH_EVERYBODY).result, -ENOENT);
        CHECK_INT(ask(&s, PREFETCH_WISH_OFF, "game", PREFETCH_EVERYBODY).result, 0);
        a = ask(&s, PREFETCH_WISH_LIST, "game", PREFETCH_EVERYBODY);
        CHECK(a.result == 1 && a.first.off && a.first.uid == PREFETCH_EVERYBODY);
        CHECK_STR(a.first.application, "game");
        CHECK_INT(ask(&s, PREFETCH_WISH_LIST, "game", USER).result, -ENOENT);
        CHECK_INT(ask(&s, PREFETCH_WISH_ON, "game", PREFETCH_EVERYBODY).result, 0);
        CHECK_INT(ask(&s, PREFETCH_WISH_LIST, "game", PREFETCH_EVERYBODY).result, -ENOENT);
        tear_down(&s);
}

/* Of a thousand files with long names. */
static void keep_long_list(const struct scene *s, uint32_t uid) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        _cleanup_close_ int fd = prefetch_store_open(s->dir);
        char path[256];

        if (prefetch_list_new("editor", uid, &l) < 0)
                abort();
        for (unsigned i = 0; i < 1000; i++) {
                snprintf(path, sizeof(path), "/%0250u", i);
                if (prefetch_list_add_file(l, &(struct prefetch_file){ .size = PREFETCH_PAGE_BYTES }, path) < 0 || prefetch_list_add_pages(l, i, 0, 1, 1) < 0)
                        abort();
        }
        l->starts = 1;
        if (prefetch_store_save(fd, l) < 0)
                abort();
}

TEST(more_files_than_a_child_may_say_are_an_error_and_no_part_of_them) {
        struct scene s;

        set_up(&s);
        keep_long_list(&s, 1);
        CHECK_INT(ask(&s, PREFETCH_WISH_FILES, "editor", 1).result, 1);
        for (uint32_t uid = 2; uid <= 16; uid++)
                keep_long_list(&s, uid);
        CHECK_INT(ask(&s, PREFETCH_WISH_FILES, "editor", PREFETCH_EVERYBODY).result, -EMSGSIZE);
        CHECK_INT(ask(&s, PREFETCH_WISH_FILES, "editor", 1).result, 1);
        tear_down(&s);
}

TEST(what_was_switched_off_while_its_list_was_learnt_anew_is_told_once_and_switched_on_again) {
        struct scene s;
        struct answer a;

        set_up(&s);
        CHECK_INT(ask(&s, PREFETCH_WISH_OFF, "editor", PREFETCH_EVERYBODY).result, 1);
        a = ask(&s, PREFETCH_WISH_LIST, "", PREFETCH_EVERYBODY);
        CHECK(a.result == 1 && a.first.off && a.first.uid == USER);
        CHECK_INT(ask(&s, PREFETCH_WISH_FORGET, "", PREFETCH_EVERYBODY).result, 1);
        a = ask(&s, PREFETCH_WISH_LIST, "", PREFETCH_EVERYBODY);
        CHECK(a.result == 1 && a.first.off && a.first.uid == PREFETCH_EVERYBODY);
        CHECK_INT(ask(&s, PREFETCH_WISH_ON, "editor", PREFETCH_EVERYBODY).result, 0);
        tear_down(&s);
}

TEST(each_list_is_told_as_off_while_all_are) {
        struct scene s;

        set_up(&s);
        CHECK_INT(ask(&s, PREFETCH_WISH_OFF, "", PREFETCH_EVERYBODY).result, 0);
        CHECK(ask(&s, PREFETCH_WISH_LIST, "editor", USER).first.off);
        CHECK_INT(ask(&s, PREFETCH_WISH_ON, "", PREFETCH_EVERYBODY).result, 0);
        CHECK(!ask(&s, PREFETCH_WISH_LIST, "editor", USER).first.off);
        tear_down(&s);
}

TEST(a_start_for_which_there_is_no_room_counts_once_and_a_question_does_not_count) {
        const struct prefetch_question q = { .wish = PREFETCH_WISH_LIST, .uid = PREFETCH_EVERYBODY };
        struct scene s;

        set_up(&s);
        shut(&s, s.list);
        for (unsigned i = 0; i < PREFETCH_QUESTIONS_MAX; i++)
                CHECK_INT(prefetch_question(s.p, &q, on_answer, NULL), 0);
        CHECK_INT(prefetch_question(s.p, &q, on_answer, NULL), -EBUSY);
        for (unsigned i = 1; i <= STARTUPS_MAX; i++)
                follow(&s, i);
        CHECK(wait_for_children(&s, PREFETCH_QUESTIONS_MAX + STARTUPS_MAX));
        CHECK_INT(counters(&s).refused, 0);
        CHECK_INT(end(&s, 1), PREFETCH_NONE); /* its child has not been buried yet */
        follow(&s, STARTUPS_MAX + 1);
        CHECK_INT(counters(&s).refused, 1);
        follow(&s, STARTUPS_MAX + 2);
        CHECK_INT(counters(&s).refused, 2);
        tear_down(&s);
}

TEST(a_user_asks_two_questions_at_a_time_and_one_place_is_for_those_about_everybody) {
        struct prefetch_question q = { .wish = PREFETCH_WISH_LIST, .uid = USER };
        struct scene s;

        set_up(&s);
        for (unsigned i = 0; i < PREFETCH_QUESTIONS_PER_USER; i++)
                CHECK_INT(prefetch_question(s.p, &q, on_answer, NULL), 0);
        CHECK_INT(prefetch_question(s.p, &q, on_answer, NULL), -EBUSY);
        q.uid = USER + 1;
        CHECK_INT(prefetch_question(s.p, &q, on_answer, NULL), 0);
        CHECK_INT(prefetch_question(s.p, &q, on_answer, NULL), -EBUSY);
        q.uid = PREFETCH_EVERYBODY;
        CHECK_INT(prefetch_question(s.p, &q, on_answer, NULL), 0);
        tear_down(&s);
}

TEST(file_systems_for_which_there_is_no_room_are_counted_and_told) {
        struct source_info info;
        struct scene s;

        set_up(&s);
        s.places = PREFETCH_PLACES_MAX + 2;
        follow(&s, 1);
        CHECK_INT(counters(&s).refused, 1);
        prefetch_probe(s.p, &info);
        CHECK(strstr(info.detail, "; no room for 2 mounted file systems"));
        tear_down(&s);
}
