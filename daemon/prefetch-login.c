/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>

#include "child-task.h"
#include "clock.h"
#include "fdio.h"
#include "io-priority.h"
#include "log.h"
#include "macro.h"
#include "prefetch-login.h"
#include "prefetch-store.h"
#include "str.h"

#define REST_NS (10 * NSEC_PER_SEC) /* after a login nothing is read ahead for so long */
#define NOTE_NS (600 * NSEC_PER_SEC)
#define PRIORITY_PLAY IO_PRIORITY(IO_CLASS_IDLE, 0)
#define PRIORITY_NOTE IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7)

/* What the child that reads ahead says of each application. */
struct told {
        char application[APPLICATION_MAX];
        struct prefetch_result result;
};

struct prefetch_login {
        prefetch_login_fn told;
        void *userdata;
        char state_dir[PATH_MAX];
        struct child_tasks *tasks;
        nsec_t begun; /* 0: no login is followed */
        struct subject session;
        char applications[PREFETCH_NEXT_MAX][APPLICATION_MAX];
        size_t n;
        bool played;
        struct child_task *play; /* NULL: none reads ahead */
        struct prefetch_places places;
        struct prefetch_limits limits;
};

/* For the child that keeps what was noted. */
struct note {
        const char *state_dir; /* borrowed */
        uint32_t uid;
        char applications[PREFETCH_NEXT_MAX][APPLICATION_MAX];
        size_t n;
};

int prefetch_login_new(sd_event *event, prefetch_login_fn told, void *userdata, const char *state_dir, struct prefetch_login **ret) {
        struct prefetch_login *l = calloc(1, sizeof(*l));

        if (!l || child_tasks_new(event, &l->tasks) < 0) {
                free(l);
                return -ENOMEM;
        }
        l->told = told;
        l->userdata = userdata;
        str_copy(l->state_dir, sizeof(l->state_dir), state_dir);
        *ret = l;
        return 0;
}

struct prefetch_login *prefetch_login_free(struct prefetch_login *l) {
        if (!l)
                return NULL;
        l->told = NULL; /* what is told goes, too */
        prefetch_login_stop(l);
        child_tasks_free(l->tasks);
        free(l);
        return NULL;
}

/* The child that keeps what was noted. */
static void run_note(void *userdata, int fd _unused_) {
        const struct note *note = userdata;
        _cleanup_close_ int dir_fd = prefetch_store_open(note->state_dir);
        struct prefetch_next next = { 0 };

        if (dir_fd < 0 || prefetch_store_lock(dir_fd) < 0)
                return;
        (void) prefetch_store_load_next(dir_fd, note->uid, &next);
        prefetch_next_add(&next, note->applications, note->n);
        (void) prefetch_store_save_next(dir_fd, note->uid, &next);
}

static void on_noted(void *userdata, const char *said _unused_, size_t size _unused_) {
        free(userdata);
}

static void keep(struct prefetch_login *l) {
        struct note *note = calloc(1, sizeof(*note));
        struct child_work work = { .run = run_note, .done = on_noted, .userdata = note, .keep_fd = -1, .priority = PRIORITY_NOTE };
        struct child_task *task;

        l->begun = 0;
        if (!note)
                return;
        *note = (struct note){ .state_dir = l->state_dir, .uid = l->session.uid, .n = l->n };
        memcpy(note->applications, l->applications, sizeof(note->applications));
        if (child_task_start(l->tasks, &work, &task) < 0)
                free(note);
}

void prefetch_login_begin(struct prefetch_login *l, nsec_t now, const struct subject *session) {
        if (session->start_ticks < l->session.start_ticks) /* another has begun since */
                return;
        prefetch_login_stop(l);
        if (l->begun > 0 && session->start_ticks > l->session.start_ticks)
                keep(l);
        l->begun = now;
        l->session = *session;
        l->n = 0;
        l->played = false;
}

void prefetch_login_note(struct prefetch_login *l, uint32_t uid, const char *application) {
        size_t i = 0;

        if (l->begun == 0 || uid != l->session.uid)
                return;
        while (i < l->n && !streq(l->applications[i], application))
                i++;
        if (i == l->n && i < PREFETCH_NEXT_MAX)
                str_copy(l->applications[l->n++], APPLICATION_MAX, application);
}

void prefetch_login_forget(struct prefetch_login *l) {
        l->n = 0;
}

bool prefetch_login_look(struct prefetch_login *l, nsec_t now) {
        if (l->begun == 0)
                return false;
        if (nsec_sub(now, l->begun) < NOTE_NS)
                return !l->played && !l->play && nsec_sub(now, l->begun) >= REST_NS;
        prefetch_login_stop(l);
        keep(l);
        return false;
}

/* The child that reads ahead. Of one whose next start is to compare, nothing is. The limits are for all of them. Returns whether memory has room for more. */
static bool play_one(const struct prefetch_login *l, struct prefetch_limits *limits, int dir_fd, int fd, const char *application) {
        struct told told = { .result.outcome = PREFETCH_NONE };
        _cleanup_(prefetch_list_freep) struct prefetch_list *list = NULL;

        if (prefetch_store_load(dir_fd, application, l->session.uid, &list) < 0 || prefetch_choose(list, limits) != PREFETCH_PLAYED)
                return true;
        str_copy(told.application, sizeof(told.application), application);
        prefetch_play_begin(list, &l->places, &told.result);
        prefetch_play(list, &l->places, limits, &told.result);
        limits->used += told.result.bytes;
        (void) fdio_write_all(fd, &told, sizeof(told));
        return told.result.outcome != PREFETCH_SHORT;
}

static void run_play(void *userdata, int fd) {
        const struct prefetch_login *l = userdata;
        _cleanup_close_ int dir_fd = prefetch_store_open(l->state_dir);
        struct prefetch_limits limits = l->limits;
        struct prefetch_next next;
        bool has_room = true;

        if (dir_fd < 0 || !prefetch_store_is_on(dir_fd) || prefetch_store_load_next(dir_fd, l->session.uid, &next) < 0)
                return;
        for (size_t i = 0; i < next.n && has_room; i++)
                if (prefetch_next_is_usual(&next, i))
                        has_room = play_one(l, &limits, dir_fd, fd, next.applications[i].application);
}

static void tell(struct prefetch_login *l, const char *said, size_t size) {
        struct told told;

        for (; size >= sizeof(told); said += sizeof(told), size -= sizeof(told)) {
                memcpy(&told, said, sizeof(told));
                log_debug("%s: read ahead after a login: %s, %llu KiB from drives", told.application, prefetch_outcome_to_string(told.result.outcome),
                          (unsigned long long) told.result.read_bytes / 1024);
                if (l->told)
                        l->told(l->userdata, &l->session, told.application, &told.result);
        }
}

static void end_play(struct prefetch_login *l) {
        l->play = NULL;
        prefetch_account_end(l->limits.account, l->limits.play, clock_now(CLOCK_MONOTONIC));
        prefetch_places_done(&l->places);
}

static void on_played(void *userdata, const char *said, size_t size) {
        struct prefetch_login *l = userdata;

        end_play(l);
        l->played = true;
        tell(l, said, size);
}

void prefetch_login_play(struct prefetch_login *l, struct prefetch_places *places, const struct prefetch_limits *limits) {
        struct child_work work = { .run = run_play, .done = on_played, .userdata = l, .keep_fd = -1, .priority = PRIORITY_PLAY, .seconds = NOTE_NS / NSEC_PER_SEC };

        l->places = *places;
        l->limits = *limits;
        if (!prefetch_account_begin(l->limits.account, l->limits.play, l->session.uid, clock_now(CLOCK_MONOTONIC)))
                prefetch_places_done(&l->places);
        else if (child_task_start(l->tasks, &work, &l->play) < 0)
                end_play(l);
}

void prefetch_login_stop(struct prefetch_login *l) {
        const char *said;
        size_t size;

        if (!l->play)
                return;
        size = child_task_said(l->play, &said);
        tell(l, said, size);
        child_task_drop(l->play);
        end_play(l);
}
