/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "fdio.h"
#include "io-priority.h"
#include "macro.h"
#include "prefetch-ask.h"
#include "str.h"

/* What is said begins with it, so that what follows is aligned. */
struct head {
        int64_t result;
};

struct errand {
        const char *state_dir;
        struct prefetch_question question;
        bool *is_open;
        prefetch_answer_fn fn;
        void *userdata;
        int fd, dir_fd, n, error; /* in the child */
        size_t said;              /* there: bytes */
        struct prefetch_off off;  /* there: what has no list */
        bool all_off;
};

/* The child's part. */

static void say(struct errand *e, const void *data, size_t size) {
        e->said += size;
        if (e->error == 0)
                e->error = e->said + sizeof(struct head) > CHILD_TASK_SAYS_MAX ? -EMSGSIZE : fdio_write_all(e->fd, data, size);
}

static void tell_summary(struct errand *e, const struct prefetch_list *l) {
        struct prefetch_summary s = {
                .uid = l->uid, .files = (uint32_t) l->n_files, .off = l->off || e->all_off, .worthless = prefetch_list_is_worthless(l),
                .worth = prefetch_list_get_worth(l), .bytes = prefetch_list_wanted_pages(l) * PREFETCH_PAGE_BYTES,
        };

        str_copy(s.application, sizeof(s.application), l->application);
        say(e, &s, sizeof(s));
}

static void tell_files(struct errand *e, const struct prefetch_list *l) {
        _cleanup_free_ struct prefetch_shown *files = calloc(MAX(l->n_files, (size_t) 1), sizeof(*files));

        if (!files) {
                e->error = -ENOMEM;
                return;
        }
        for (size_t i = 0; i < l->n_ranges; i++) {
                struct prefetch_shown *f = &files[l->ranges[i].file];
                if (!prefetch_range_is_wanted(l, &l->ranges[i]))
                        continue;
                f->ranges++;
                f->bytes += (uint64_t) l->ranges[i].count * PREFETCH_PAGE_BYTES;
        }
        for (size_t i = 0; i < l->n_files; i++) {
                char path[PREFETCH_PATH_MAX + sizeof(uint64_t)] = "";
                str_copy(path, PREFETCH_PATH_MAX, prefetch_list_path(l, &l->files[i]));
                files[i].uid = l->uid;
                files[i].path_size = (uint32_t) ((strlen(path) + sizeof(uint64_t)) / sizeof(uint64_t) * sizeof(uint64_t)); /* the next one is aligned */
                if (files[i].ranges == 0)
                        continue;
                say(e, &files[i], sizeof(files[i]));
                say(e, path, files[i].path_size);
        }
}

/* Its list was kept while it was off. */
static void switch_on(struct errand *e, const struct prefetch_list *l) {
        struct prefetch_list changed = *l; /* what it points to stays the other's */

        changed.off = false;
        if (e->error == 0 && l->off)
                e->error = prefetch_store_save(e->dir_fd, &changed);
}

static bool is_meant(const struct errand *e, const char *application) {
        return !*e->question.application || streq(application, e->question.application);
}

/* What is off, and has no list that would tell. */
static void tell_off(struct errand *e) {
        for (size_t i = 0; i < e->off.n; i++) {
                struct prefetch_summary s = { .uid = PREFETCH_EVERYBODY, .off = true };
                if (!is_meant(e, e->off.applications[i]))
                        continue;
                str_copy(s.application, sizeof(s.application), e->off.applications[i]);
                say(e, &s, sizeof(s));
                e->n++;
        }
}

static void leave_out(struct prefetch_off *off, const char *application) {
        for (size_t i = 0; i < off->n; i++)
                if (streq(off->applications[i], application))
                        memmove(off->applications[i], off->applications[i + 1], (--off->n - i) * sizeof(off->applications[i]));
}

static void on_list(void *userdata, const struct prefetch_list *l) {
        struct errand *e = userdata;

        if (!is_meant(e, l->application))
                return;
        leave_out(&e->off, l->application);
        e->n++;
        switch (e->question.wish) {
        case PREFETCH_WISH_LIST:
                tell_summary(e, l);
                break;
        case PREFETCH_WISH_FILES:
                tell_files(e, l);
                break;
        case PREFETCH_WISH_ON:
                switch_on(e, l);
                break;
        case PREFETCH_WISH_OFF:
        case PREFETCH_WISH_FORGET:
                break;
        }
}

static int answer(struct errand *e) {
        const struct prefetch_question *q = &e->question;
        bool switches = q->wish == PREFETCH_WISH_ON || q->wish == PREFETCH_WISH_OFF;
        int r = 0, changed = 0;

        e->dir_fd = prefetch_store_open(e->state_dir);
        if (e->dir_fd < 0)
                return e->dir_fd;
        e->all_off = !prefetch_store_is_on(e->dir_fd);
        if (q->wish != PREFETCH_WISH_LIST && q->wish != PREFETCH_WISH_FILES)
                r = prefetch_store_lock(e->dir_fd);
        if (r < 0)
                return r;
        if (switches)
                changed = prefetch_store_switch(e->dir_fd, q->application, q->wish == PREFETCH_WISH_ON);
        if (changed < 0 || (switches && !*q->application))
                return changed;
        if (q->wish == PREFETCH_WISH_LIST && q->uid == PREFETCH_EVERYBODY)
                prefetch_store_load_off(e->dir_fd, &e->off);
        if (q->wish == PREFETCH_WISH_FORGET)
                e->n = r = prefetch_store_forget(e->dir_fd, q->application);
        else
                r = prefetch_store_each(e->dir_fd, q->uid, on_list, e);
        tell_off(e);
        if (r >= 0 && e->error < 0)
                r = e->error;
        if (r < 0)
                return r;
        return e->n == 0 && *q->application && q->wish != PREFETCH_WISH_OFF && !changed ? -ENOENT : e->n;
}

/* How it went comes last. */
static void run(void *userdata, int fd) {
        struct errand *e = userdata;
        struct head head;

        e->fd = fd;
        head.result = answer(e);
        (void) fdio_write_all(fd, &head, sizeof(head));
}

/* The daemon's part. */

static void on_said(void *userdata, const char *said, size_t size) {
        struct errand *e = userdata;
        struct head head = { -EIO };

        if (size >= sizeof(head)) {
                size -= sizeof(head);
                memcpy(&head, said + size, sizeof(head));
        } else {
                size = 0;
        }
        *e->is_open = false;
        e->fn(e->userdata, (int) head.result, said, head.result < 0 ? 0 : size);
        free(e);
}

/* The number of the question; PREFETCH_QUESTIONS_MAX: there is no room. */
static size_t find_room(const struct prefetch_asked *asked, uint32_t uid) {
        size_t room = PREFETCH_QUESTIONS_MAX, own = 0;

        for (size_t i = uid == PREFETCH_EVERYBODY ? 0 : 1; i < PREFETCH_QUESTIONS_MAX; i++) {
                if (!asked->questions[i].is_open)
                        room = i;
                else
                        own += asked->questions[i].uid == uid;
        }
        return uid != PREFETCH_EVERYBODY && own >= PREFETCH_QUESTIONS_PER_USER ? PREFETCH_QUESTIONS_MAX : room;
}

int prefetch_ask(struct child_tasks *tasks, const char *state_dir, const struct prefetch_question *q, struct prefetch_asked *asked, prefetch_answer_fn fn,
                 void *userdata) {
        size_t room = find_room(asked, q->uid);
        struct errand *e = room < PREFETCH_QUESTIONS_MAX ? calloc(1, sizeof(*e)) : NULL;
        struct child_work work = { .run = run, .done = on_said, .userdata = e, .keep_fd = -1, .priority = IO_PRIORITY_NONE };
        struct child_task *task;
        int r;

        if (!e)
                return room < PREFETCH_QUESTIONS_MAX ? -ENOMEM : -EBUSY;
        *e = (struct errand){ .state_dir = state_dir, .question = *q, .is_open = &asked->questions[room].is_open, .fn = fn, .userdata = userdata };
        r = child_task_start(tasks, &work, &task);
        if (r < 0) {
                free(e);
                return r;
        }
        asked->questions[room].is_open = true;
        asked->questions[room].uid = q->uid;
        return r;
}
