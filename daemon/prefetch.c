/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "child-task.h"
#include "clock.h"
#include "fdio.h"
#include "io-priority.h"
#include "ioprio.h"
#include "log.h"
#include "macro.h"
#include "prefetch-resident.h"
#include "prefetch-store.h"
#include "prefetch-trace.h"
#include "prefetch.h"
#include "str.h"

#define STARTS_MAX STARTUPS_MAX
/* A start that is not told of for so long was none. */
#define LOST_NS (2 * NSEC_PER_SEC)
/* The programs stay attached for so long after the last start: commands of a terminal come one after the other. */
#define REST_NS (5 * NSEC_PER_SEC)
/* On a drive with heads: beside a load, what is read ahead is not there before the program needs it otherwise (docs/results/prefetch.md). */
#define PRIORITY_PLAY IO_PRIORITY(IO_CLASS_REALTIME, 4)
/* On flash: what the program asks for itself would have to wait until all is read ahead otherwise. */
#define PRIORITY_FLASH IO_PRIORITY(IO_CLASS_BEST_EFFORT, IO_LEVEL_USUAL)
#define PRIORITY_LEARN IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7)

/* A start that is followed. */
struct start {
        struct prefetch *prefetch;
        struct subject subject; /* tgid 0: free */
        char application[APPLICATION_MAX];
        bool launched;
        nsec_t seen;
        int trace; /* number; <= 0: none */
        struct child_task *play; /* NULL: it has ended, or there is none */
        int32_t player;          /* its process; 0: none was told of */
        struct prefetch_places places;
        struct prefetch_limits limits;
        struct prefetch_exec_files exec; /* in the child that reads ahead */
        struct prefetch_result result;
};

/* For the child that learns. */
struct lesson {
        struct prefetch *prefetch;
        struct prefetch_list *seen;
        struct prefetch_places places;
        struct prefetch_tasks tasks;
        struct prefetch_exec exec;
        struct prefetch_ended ended;
};

struct prefetch {
        struct event_sink sink;
        prefetch_told_fn told;
        char state_dir[PATH_MAX];
        struct child_tasks *tasks;
        struct prefetch_account *account;
        struct prefetch_trace *trace;
        struct start starts[STARTS_MAX];
        nsec_t active; /* a start was followed last */
        struct prefetch_asked asked;
        uint64_t places_refused; /* of the start that was looked at last */
        struct prefetch_counters counters;
};

int prefetch_new(sd_event *event, struct event_sink sink, prefetch_told_fn told, const char *state_dir, struct prefetch **ret) {
        struct prefetch *p = calloc(1, sizeof(*p));
        int r = p ? child_tasks_new(event, &p->tasks) : -ENOMEM;

        if (r >= 0)
                r = prefetch_account_new(&p->account);
        if (r >= 0)
                r = prefetch_trace_new(&p->trace);
        if (r < 0) {
                prefetch_free(p);
                return r;
        }
        p->sink = sink;
        p->told = told;
        str_copy(p->state_dir, sizeof(p->state_dir), state_dir);
        *ret = p;
        return 0;
}

static void tell_player(struct start *s, uint16_t kind) {
        struct event e = { .t = clock_now(CLOCK_MONOTONIC), .kind = kind, .tgid = s->player };

        if (kind == EVENT_PROCESS_FORK)
                e.process_fork.parent = s->subject.tgid;
        if (s->player > 0)
                s->prefetch->sink.fn(s->prefetch->sink.userdata, &e);
}

/* What the child said last, of what it said as a whole. */
static bool take_result(struct start *s, const char *said, size_t size) {
        size_t n = size / sizeof(s->result);

        if (n > 0)
                memcpy(&s->result, said + (n - 1) * sizeof(s->result), sizeof(s->result));
        return n > 0;
}

/* It reads ahead no longer: it is done, or was stopped, perhaps before it had begun. */
static void conclude(struct start *s) {
        struct prefetch *p = s->prefetch;
        const struct prefetch_result *r = &s->result;
        char priority[IO_PRIORITY_TEXT_MAX];

        tell_player(s, EVENT_PROCESS_EXIT);
        s->player = 0;
        prefetch_account_end(p->account, s->limits.play, clock_now(CLOCK_MONOTONIC));
        p->counters.bytes += r->read_bytes;
        p->counters.failed += r->outcome == PREFETCH_FAILED;
        p->counters.controls += r->outcome == PREFETCH_CONTROL;
        log_debug("%s: read ahead: %s, %u files (%u not as they were), %u ranges, %llu of %llu KiB from drives, %llu ms, %.1f ms of the processor, at %s",
                  s->application, prefetch_outcome_to_string(r->outcome), r->files, r->missing, r->ranges, (unsigned long long) r->read_bytes / 1024,
                  (unsigned long long) r->bytes / 1024, (unsigned long long) (r->took / NSEC_PER_MSEC), (double) r->cpu / NSEC_PER_MSEC,
                  io_priority_format(r->priority, priority, sizeof(priority)));
        if (!prefetch_outcome_is_help(r->outcome))
                return;
        p->counters.played++;
        if (p->told)
                p->told(p->sink.userdata, &(struct prefetch_told){ s->subject, s->application, r });
}

static void end_play(struct start *s) {
        const char *said;
        size_t size;

        if (!s->play)
                return;
        size = child_task_said(s->play, &said);
        if (!take_result(s, said, size))
                s->result.outcome = PREFETCH_NONE; /* it has not begun to read */
        s->play = child_task_drop(s->play);
        conclude(s);
}

static void forget(struct start *s) {
        struct prefetch *p = s->prefetch;

        end_play(s);
        if (s->trace > 0)
                prefetch_list_free(prefetch_trace_end(p->trace, s->trace, NULL));
        prefetch_places_done(&s->places);
        *s = (struct start){ 0 };
}

struct prefetch *prefetch_free(struct prefetch *p) {
        if (!p)
                return NULL;
        p->told = NULL; /* what is told goes, too */
        for (size_t i = 0; i < STARTS_MAX; i++)
                if (p->starts[i].subject.tgid)
                        forget(&p->starts[i]);
        child_tasks_free(p->tasks);
        prefetch_account_free(p->account);
        prefetch_trace_free(p->trace);
        free(p);
        return NULL;
}

static struct start *find(struct prefetch *p, const struct startup_view *v) {
        for (size_t i = 0; i < STARTS_MAX; i++)
                if (p->starts[i].subject.tgid == v->tgid && p->starts[i].subject.start_ticks == v->start_ticks)
                        return &p->starts[i];
        return NULL;
}

/* The child that reads ahead. */
static void open_exec(void *userdata) {
        struct start *s = userdata;

        prefetch_exec_open(s->subject.tgid, &s->exec);
}

static void run_play(void *userdata, int fd) {
        const struct start *s = userdata;
        struct prefetch_result result = { .outcome = PREFETCH_NONE };
        _cleanup_close_ int dir_fd = prefetch_store_open(s->prefetch->state_dir);
        struct prefetch_list *l;
        int r = dir_fd < 0 ? dir_fd : prefetch_store_load(dir_fd, s->application, s->subject.uid, &l);

        if (r == 0) {
                result.outcome = prefetch_store_is_on(dir_fd) ? prefetch_choose(l, &s->limits) : PREFETCH_OFF;
                if (result.outcome == PREFETCH_PLAYED) {
                        prefetch_play_begin(l, &s->places, &result);
                        if (!result.heads)
                                (void) ioprio_write(0, PRIORITY_FLASH); /* lower: no right is needed */
                        result.priority = ioprio_read(0);
                        (void) fdio_write_all(fd, &result, sizeof(result)); /* all that is known of one that is killed */
                        prefetch_play(l, &s->places, &s->limits, &result);
                }
        } else if (r != -ENOENT && r != -EBADMSG) {
                result.outcome = PREFETCH_FAILED;
        }
        if (!prefetch_outcome_is_help(result.outcome)) /* else the list has them */
                prefetch_exec_find(&s->exec, &s->places, &result.exec);
        result.cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
        (void) fdio_write_all(fd, &result, sizeof(result));
}

static void on_played(void *userdata, const char *said, size_t size) {
        struct start *s = userdata;

        s->play = NULL;
        if (!take_result(s, said, size))
                s->result.outcome = PREFETCH_FAILED;
        conclude(s);
}

static void play(struct start *s) {
        struct child_work work = { .before = open_exec, .run = run_play, .done = on_played, .userdata = s, .keep_fd = -1, .priority = PRIORITY_PLAY };
        struct prefetch *p = s->prefetch;

        s->result = (struct prefetch_result){ .outcome = PREFETCH_NONE };
        s->limits.account = p->account;
        s->limits.play = (size_t) (s - p->starts);
        if (!prefetch_account_begin(p->account, s->limits.play, s->subject.uid, clock_now(CLOCK_MONOTONIC))) {
                p->counters.refused++;
                return;
        }
        if (child_task_start(p->tasks, &work, &s->play) < 0) {
                prefetch_account_end(p->account, s->limits.play, clock_now(CLOCK_MONOTONIC));
                p->counters.refused++;
                return;
        }
        s->player = child_task_pid(s->play);
        tell_player(s, EVENT_PROCESS_FORK);
}

static struct start *get_room(struct prefetch *p) {
        for (size_t i = 0; i < STARTS_MAX; i++)
                if (!p->starts[i].subject.tgid)
                        return &p->starts[i];
        p->counters.refused++;
        return NULL;
}

/* A wrapper has another name than what it starts, and a session's manager another user at first. */
static bool is_as_before(const struct start *s, const struct startup_view *v) {
        return s->launched == v->launched && s->subject.uid == v->uid && streq(s->application, v->application);
}

void prefetch_prepare(struct prefetch *p) {
        prefetch_trace_prepare(p->trace);
}

void prefetch_follow(struct prefetch *p, nsec_t now, const struct startup_view *v, prefetch_places_fn places, void *userdata) {
        struct start *s = find(p, v);

        p->active = now;
        if (!s) {
                s = get_room(p);
                if (!s)
                        return;
                *s = (struct start){ .prefetch = p, .subject = { .tgid = v->tgid, .start_ticks = v->start_ticks } };
        }
        s->seen = now;
        if (v->uid == PROCESS_UID_UNKNOWN || (s->places.n > 0 && is_as_before(s, v)))
                return;
        end_play(s);
        str_copy(s->application, sizeof(s->application), v->application);
        s->launched = v->launched;
        s->subject.uid = v->uid;
        memcpy(s->subject.name, v->name, sizeof(s->subject.name));
        prefetch_places_done(&s->places);
        s->limits = (struct prefetch_limits){ 0 };
        places(userdata, v, &s->places, &s->limits);
        p->places_refused = s->places.refused;
        p->counters.refused += s->places.refused > 0;
        if (s->places.n == 0)
                return;
        play(s);
        if (s->trace == 0)
                s->trace = prefetch_trace_begin(p->trace, v->tgid, v->application, v->uid);
}

/* The child that learns. */
static void find_names(void *userdata) {
        struct lesson *lesson = userdata;

        prefetch_names_find(lesson->seen, &lesson->places, &lesson->tasks);
}

static void run_lesson(void *userdata, int fd) {
        const struct lesson *lesson = userdata;
        _cleanup_close_ int dir_fd = prefetch_store_open(lesson->prefetch->state_dir);
        _cleanup_(prefetch_list_freep) struct prefetch_list *old = NULL, *learnt = NULL;
        int r = dir_fd < 0 ? dir_fd : prefetch_store_lock(dir_fd);

        if (r == 0)
                r = prefetch_store_load(dir_fd, lesson->seen->application, lesson->seen->uid, &old);
        if (r == -ENOENT || r == -EBADMSG)
                r = prefetch_list_new(lesson->seen->application, lesson->seen->uid, &old);
        for (size_t i = 0; r == 0 && lesson->tasks.is_residency && i < lesson->seen->n_files; i++)
                prefetch_resident_add_file(&lesson->places, lesson->seen, (uint32_t) i);
        if (r == 0 && !lesson->tasks.is_residency)
                prefetch_exec_add(&lesson->exec, &lesson->places, lesson->seen);
        if (r == 0)
                r = prefetch_learn(old, lesson->seen, &lesson->places, &lesson->ended, &learnt);
        if (r == 0)
                r = prefetch_store_save(dir_fd, learnt);
        (void) fdio_write_all(fd, &r, sizeof(r));
}

static void lesson_free(struct lesson *l) {
        prefetch_list_free(l->seen);
        prefetch_places_done(&l->places);
        free(l);
}

static void on_learnt(void *userdata, const char *said, size_t size) {
        struct lesson *lesson = userdata;
        struct prefetch_counters *c = &lesson->prefetch->counters;
        int r = -EIO;

        if (size == sizeof(r))
                memcpy(&r, said, size);
        if (r < 0)
                log_debug("%s: what it read cannot be kept: %s", lesson->seen->application, strerror(-r));
        c->learnt += r == 0;
        c->failed += r < 0;
        lesson_free(lesson);
}

static void learn(struct prefetch *p, struct start *s, const struct startup_view *v, struct prefetch_list *seen, const struct prefetch_tasks *tasks) {
        struct lesson *lesson = calloc(1, sizeof(*lesson));
        struct child_work work = { .before = find_names, .run = run_lesson, .done = on_learnt, .userdata = lesson, .keep_fd = -1, .priority = PRIORITY_LEARN };
        struct child_task *task;

        if (!lesson) {
                prefetch_list_free(seen);
                return;
        }
        str_copy(seen->application, sizeof(seen->application), v->application);
        seen->uid = v->uid;
        *lesson = (struct lesson){ .prefetch = p, .seen = seen, .places = s->places, .tasks = *tasks, .exec = s->result.exec };
        lesson->ended = (struct prefetch_ended){ s->result.outcome, (uint32_t) (v->latency / NSEC_PER_MSEC) };
        s->places = (struct prefetch_places){ 0 };
        if (child_task_start(p->tasks, &work, &task) < 0) {
                p->counters.refused++;
                lesson_free(lesson);
        }
}

enum prefetch_outcome prefetch_end(struct prefetch *p, const struct startup_view *v) {
        struct start *s = find(p, v);
        struct prefetch_tasks tasks = { 0 };
        enum prefetch_outcome outcome;
        struct prefetch_list *seen;

        if (!s)
                return PREFETCH_NONE;
        end_play(s);
        outcome = s->result.outcome;
        seen = s->trace > 0 ? prefetch_trace_end(p->trace, s->trace, &tasks) : NULL;
        if (seen && s->places.n > 0 && (v->cold || s->result.read_bytes >= STARTUP_COLD_BYTES)) /* a warm one teaches nothing */
                learn(p, s, v, seen, &tasks);
        else
                prefetch_list_free(seen);
        forget(s);
        return outcome;
}

void prefetch_look(struct prefetch *p, nsec_t now) {
        prefetch_trace_drain(p->trace);
        for (size_t i = 0; i < STARTS_MAX; i++)
                if (p->starts[i].subject.tgid && nsec_sub(now, p->starts[i].seen) > LOST_NS)
                        forget(&p->starts[i]);
        if (nsec_sub(now, p->active) > REST_NS)
                prefetch_trace_rest(p->trace);
}

void prefetch_stop(struct prefetch *p) {
        for (size_t i = 0; i < STARTS_MAX; i++)
                end_play(&p->starts[i]);
}

int prefetch_question(struct prefetch *p, const struct prefetch_question *q, prefetch_answer_fn fn, void *userdata) {
        return prefetch_ask(p->tasks, p->state_dir, q, &p->asked, fn, userdata);
}

struct prefetch_account *prefetch_get_account(const struct prefetch *p) {
        return p->account;
}

void prefetch_get_counters(const struct prefetch *p, struct prefetch_counters *ret) {
        *ret = p->counters;
}

void prefetch_probe(struct prefetch *p, struct source_info *ret) {
        prefetch_trace_probe(p->trace, ret);
        if (p->places_refused > 0)
                str_append(ret->detail, sizeof(ret->detail), "; no room for %" PRIu64 " mounted file systems", p->places_refused);
}
