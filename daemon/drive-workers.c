/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "actuator-private.h"
#include "clock.h"
#include "drive-workers.h"
#include "fdio.h"
#include "process-facts.h"
#include "str.h"

/* A stick may take long for the writes that it was given; a drive that completes none has stopped. */
#define PATIENCE_NS (3 * NSEC_PER_SEC)
#define PATIENCE_MAX_NS (20 * NSEC_PER_SEC) /* less than systemd's TimeoutStopSec */
#define LOOK_NS (20 * NSEC_PER_MSEC) /* for completed requests, while a caller waits */

struct drive_worker {
        struct drive_workers *owner;
        struct drive_hand hand; /* with its name; works where there is no process */
        pid_t pid;
        int fd;                 /* -1: no process */
        sd_event_source *io;
        bool has_drive;
        bool busy;              /* with the first job */
        bool silent;
        size_t n, allocated;
        struct drive_job *jobs;
        nsec_t heard;
        uint64_t completed;
};

struct drive_workers {
        struct drive_workers_config config;
        size_t n, allocated, n_ended, ended_allocated, restored;
        struct drive_worker **workers;
        pid_t *ended; /* not reaped yet: the kernel has them wait for their drives */
};

struct drive_workers *drive_workers_new(const struct drive_workers_config *config) {
        struct drive_workers *s = calloc(1, sizeof(*s));

        if (!s)
                return NULL;
        s->config = *config;
        if (s->config.patience == 0)
                s->config.patience = PATIENCE_NS;
        if (s->config.patience_max == 0)
                s->config.patience_max = PATIENCE_MAX_NS;
        return s;
}

static struct drive_worker *find(const struct drive_workers *s, const char *name) {
        for (size_t i = 0; i < s->n; i++)
                if (streq(s->workers[i]->hand.name, name))
                        return s->workers[i];
        return NULL;
}

/* Requests that the drive has completed: its "stat" is there without waiting for it. */
static uint64_t read_completed(const struct drive_worker *w) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];
        unsigned long long reads = 0, writes = 0;

        if (snprintf(path, sizeof(path), "%s/sys/block/%s/stat", w->hand.actuator->root, w->hand.name) >= (int) sizeof(path) ||
            fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 || sscanf(text, "%llu %*u %*u %*u %llu", &reads, &writes) != 2)
                return 0;
        return reads + writes;
}

static void reap(struct drive_workers *s) {
        for (size_t i = s->n_ended; i-- > 0;)
                if (waitpid(s->ended[i], NULL, WNOHANG) != 0)
                        s->ended[i] = s->ended[--s->n_ended];
}

/* It may be waiting for its drive, and then ends when that wakes up. It is not waited for. */
static void end_process(struct drive_worker *w) {
        struct drive_workers *s = w->owner;

        if (w->fd < 0)
                return;
        w->io = sd_event_source_disable_unref(w->io);
        w->fd = safe_close(w->fd);
        (void) kill(w->pid, SIGKILL);
        if (s->n_ended == s->ended_allocated) {
                size_t wanted = MAX(16u, 2 * s->ended_allocated);
                pid_t *grown = reallocarray(s->ended, wanted, sizeof(*grown));
                if (!grown)
                        return;
                s->ended = grown;
                s->ended_allocated = wanted;
        }
        s->ended[s->n_ended++] = w->pid;
}

static void drop(struct drive_workers *s, struct drive_worker *w) {
        end_process(w);
        for (size_t i = 0; i < s->n; i++)
                if (s->workers[i] == w)
                        s->workers[i] = s->workers[--s->n];
        free(w->jobs);
        free(w);
}

struct drive_workers *drive_workers_free(struct drive_workers *s) {
        if (!s)
                return NULL;
        while (s->n > 0)
                drop(s, s->workers[s->n - 1]);
        reap(s);
        free(s->ended);
        free(s->workers);
        free(s);
        return NULL;
}

static void hand_on(struct drive_worker *w, const struct drive_answer *answer) {
        const struct drive_workers_config *config = &w->owner->config;

        config->answer(config->userdata, w->hand.name, &w->jobs[0], answer);
}

/* Of a worker that is no process. */
static void tell_within(void *userdata, const struct drive_answer *answer) {
        struct drive_worker *w = userdata;

        w->owner->restored += answer->kind == DRIVE_ANSWER_DONE ? answer->restored : 0;
        if (answer->kind != DRIVE_ANSWER_DONE)
                hand_on(w, answer);
}

static void take_job(struct drive_worker *w) {
        w->busy = false;
        memmove(&w->jobs[0], &w->jobs[1], --w->n * sizeof(*w->jobs));
}

static void begin_job(struct drive_worker *w) {
        while (w->n > 0 && !w->busy) {
                w->busy = true;
                if (w->fd < 0) {
                        struct drive_request request = w->jobs[0].request;
                        drive_hand_perform(&w->hand, &request);
                        take_job(w);
                        continue;
                }
                w->heard = clock_now(CLOCK_MONOTONIC);
                w->completed = read_completed(w);
                (void) send(w->fd, &w->jobs[0].request, sizeof(w->jobs[0].request), MSG_NOSIGNAL | MSG_DONTWAIT);
        }
}

static void set_silent(struct drive_worker *w, bool silent) {
        const struct drive_workers_config *config = &w->owner->config;

        if (w->silent == silent)
                return;
        w->silent = silent;
        config->silent(config->userdata, w->hand.name, silent);
}

static int start_process(struct drive_worker *w);

/* What it was doing has no answer, and is not begun again. */
static void mourn(struct drive_worker *w) {
        struct drive_answer answer = { .kind = DRIVE_ANSWER_RECEIPT };
        const struct setting_change *change = w->busy ? &w->jobs[0].request.change : NULL;

        end_process(w);
        (void) start_process(w);
        if (change && w->jobs[0].request.kind == DRIVE_REQUEST_APPLY) {
                answer.receipt = (struct receipt){ .id = change->id, .dev = change->dev, .tunable = change->tunable, .law = change->law,
                                                   .t = w->jobs[0].request.now, .result = RECEIPT_FAILED, .error = -EIO };
                str_copy(answer.receipt.wanted, sizeof(answer.receipt.wanted), change->value);
                hand_on(w, &answer);
        }
        if (w->busy)
                take_job(w);
        begin_job(w);
}

static void record(struct drive_worker *w, const struct drive_answer *answer) {
        struct drive_request recorded = { .kind = DRIVE_REQUEST_RECORDED };

        recorded.result = journal_take_passed(w->hand.actuator->journal, answer->line, MIN(answer->length, sizeof(answer->line)));
        (void) send(w->fd, &recorded, sizeof(recorded), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Returns false where nothing has come. */
static bool take_answer(struct drive_worker *w) {
        struct drive_answer answer;
        ssize_t n = w->fd < 0 ? 0 : recv(w->fd, &answer, sizeof(answer), MSG_DONTWAIT);

        if (w->fd < 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
                return false;
        if (n != (ssize_t) sizeof(answer)) {
                mourn(w);
                return false;
        }
        w->heard = clock_now(CLOCK_MONOTONIC);
        set_silent(w, false);
        if (answer.kind == DRIVE_ANSWER_LINE)
                record(w, &answer);
        else if (answer.kind != DRIVE_ANSWER_DONE)
                hand_on(w, &answer);
        else {
                w->owner->restored += answer.restored;
                take_job(w);
                begin_job(w);
        }
        return true;
}

static int on_answer(sd_event_source *source _unused_, int fd _unused_, uint32_t events _unused_, void *userdata) {
        struct drive_worker *w = userdata;
        struct drive_workers *s = w->owner;

        while (take_answer(w))
                ;
        if (w->n > 0)
                return 0;
        if (!w->has_drive)
                drop(s, w);
        s->config.idle(s->config.userdata);
        return 0;
}

static int start_process(struct drive_worker *w) {
        const struct drive_workers_config *config = &w->owner->config;
        int r;

        w->hand.told = SCHEDULER_NONE;
        if (config->within)
                return 0;
        r = drive_worker_start(config->actuator, w->hand.name, &w->pid);
        if (r < 0)
                return r; /* without a process, as before there were any */
        w->fd = r;
        if (config->event)
                (void) sd_event_add_io(config->event, &w->io, w->fd, POLLIN, on_answer, w);
        return 0;
}

static struct drive_worker *start(struct drive_workers *s, const char *name) {
        struct drive_worker *w = calloc(1, sizeof(*w)), **grown;

        if (w && s->n == s->allocated) {
                size_t wanted = MAX(16u, 2 * s->allocated);
                grown = reallocarray(s->workers, wanted, sizeof(*grown));
                if (!grown) {
                        free(w);
                        return NULL;
                }
                s->workers = grown;
                s->allocated = wanted;
        }
        if (!w)
                return NULL;
        *w = (struct drive_worker){ .owner = s, .fd = -1, .hand = { .actuator = s->config.actuator, .tell = tell_within, .userdata = w } };
        str_copy(w->hand.name, sizeof(w->hand.name), name);
        s->workers[s->n++] = w;
        (void) start_process(w);
        return w;
}

static int ask(struct drive_worker *w, const struct drive_job *job) {
        if (w->n == w->allocated) {
                size_t wanted = MAX(4u, 2 * w->allocated);
                struct drive_job *grown = reallocarray(w->jobs, wanted, sizeof(*grown));
                if (!grown)
                        return -ENOMEM;
                w->jobs = grown;
                w->allocated = wanted;
        }
        w->jobs[w->n++] = *job;
        begin_job(w);
        return 0;
}

int drive_workers_ask(struct drive_workers *s, const char *name, const struct drive_job *job) {
        struct drive_worker *w = find(s, name);

        return w ? ask(w, job) : -ENODEV;
}

int drive_workers_add(struct drive_workers *s, const char *name, uint32_t dev) {
        const struct drive_job job = { .request = { .kind = DRIVE_REQUEST_OPEN, .dev = dev } };
        struct drive_worker *w = find(s, name);

        if (!w)
                w = start(s, name);
        if (!w)
                return -ENOMEM;
        w->has_drive = true;
        return ask(w, &job);
}

/* Whatever has not begun. */
static void drop_jobs(struct drive_worker *w) {
        w->n = w->busy ? 1 : 0;
}

void drive_workers_remove(struct drive_workers *s, const char *name, const char *reason) {
        const struct drive_job job = { .request = { .kind = DRIVE_REQUEST_RECOVER, .now = clock_now(CLOCK_MONOTONIC) }, .reason = reason };
        struct drive_worker *w = find(s, name);

        if (!w)
                return;
        w->has_drive = false;
        drop_jobs(w);
        if (!reason || ask(w, &job) < 0 || w->n == 0)
                drop(s, w);
}

size_t drive_workers_count_changes(const struct drive_workers *s, const char *name, bool answering) {
        size_t n = 0;

        for (size_t i = 0; i < s->n; i++) {
                const struct drive_worker *w = s->workers[i];
                if ((name && !streq(w->hand.name, name)) || (answering && w->silent))
                        continue;
                for (size_t k = 0; k < w->n; k++)
                        n += w->jobs[k].request.kind == DRIVE_REQUEST_APPLY;
        }
        return n;
}

bool drive_workers_is_busy(const struct drive_workers *s, const char *name) {
        const struct drive_worker *w = find(s, name);

        return w && w->n > 0;
}

bool drive_workers_is_silent(const struct drive_workers *s, const char *name) {
        const struct drive_worker *w = find(s, name);

        return w && w->silent;
}

static bool is_waited_for(const struct drive_worker *w, const char *name) {
        return w->n > 0 && w->fd >= 0 && !w->silent && (!name || streq(w->hand.name, name));
}

/* Returns false where there is no worker to wait for. */
static bool wait_once(struct drive_workers *s, const char *name, nsec_t most) {
        _cleanup_free_ struct pollfd *polls = calloc(s->n + 1, sizeof(*polls));
        struct timespec timeout = { .tv_nsec = (long) MIN(most, LOOK_NS) };
        size_t n = 0;

        if (!polls)
                return false;
        for (size_t i = 0; i < s->n; i++)
                if (is_waited_for(s->workers[i], name))
                        polls[n++] = (struct pollfd){ .fd = s->workers[i]->fd, .events = POLLIN };
        if (n == 0)
                return false;
        (void) ppoll(polls, n, &timeout, NULL);
        for (size_t i = 0; i < s->n; i++)
                if (is_waited_for(s->workers[i], name))
                        while (take_answer(s->workers[i]))
                                ;
        return true;
}

void drive_workers_wait(struct drive_workers *s, const char *name, nsec_t limit) {
        nsec_t began = clock_now(CLOCK_MONOTONIC), waited = 0;

        while (waited < limit && wait_once(s, name, limit - waited)) {
                drive_workers_check(s);
                waited = nsec_sub(clock_now(CLOCK_MONOTONIC), began);
        }
}

/* An answer that was not taken yet and a wait for a processor are no fault of the drive. */
static bool is_held_up(const struct drive_worker *w) {
        struct pollfd answer = { .fd = w->fd, .events = POLLIN };

        return poll(&answer, 1, 0) == 0 && !process_is_runnable(w->pid);
}

void drive_workers_check(struct drive_workers *s) {
        nsec_t now = clock_now(CLOCK_MONOTONIC);

        reap(s);
        for (size_t i = 0; i < s->n; i++) {
                struct drive_worker *w = s->workers[i];
                uint64_t completed;
                if (!w->busy || w->fd < 0 || w->silent)
                        continue;
                completed = read_completed(w);
                if (completed != w->completed)
                        w->heard = now;
                w->completed = completed;
                if (nsec_sub(now, w->heard) < s->config.patience)
                        continue;
                w->heard = now;
                set_silent(w, is_held_up(w));
        }
}

size_t drive_workers_recover(struct drive_workers *s, nsec_t now, const char *reason) {
        const struct drive_job job = { .request = { .kind = DRIVE_REQUEST_RECOVER, .now = now }, .reason = reason };
        _cleanup_free_ char (*names)[ACTUATOR_NAME_MAX] = NULL;
        size_t n = actuator_list_held(s->config.actuator, &names);

        s->restored = 0;
        for (size_t i = 0; i < n; i++)
                if (!find(s, names[i]))
                        (void) start(s, names[i]); /* else its entries stay for the next start */
        for (size_t i = 0; i < s->n; i++) { /* also where the journal has nothing yet: a first change may be underway */
                drop_jobs(s->workers[i]);
                (void) ask(s->workers[i], &job);
        }
        drive_workers_wait(s, NULL, s->config.patience_max);
        for (size_t i = 0; i < s->n; i++)
                if (s->workers[i]->n > 0)
                        set_silent(s->workers[i], true);
        return s->restored;
}

void drive_workers_end_idle(struct drive_workers *s) {
        for (size_t i = s->n; i-- > 0;)
                if (s->workers[i]->n == 0 && !s->workers[i]->has_drive)
                        drop(s, s->workers[i]);
}
