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
#include "drive-worker.h"
#include "drive-workers.h"
#include "fdio.h"
#include "str.h"

/* A stick may take long for the writes that it was given; a drive that completes none has stopped. */
#define PATIENCE_NS (3 * NSEC_PER_SEC)
#define PATIENCE_MAX_NS (20 * NSEC_PER_SEC) /* less than systemd's TimeoutStopSec */
#define LOOK_MS 20 /* for completed requests */

struct drive_worker {
        char name[ACTUATOR_NAME_MAX];
        pid_t pid;
        int fd; /* -1: it has ended, or was given up */
        nsec_t heard;
        uint64_t completed;
};

struct drive_workers {
        struct actuator *actuator;
        struct drive_worker *workers;
        size_t n, restored;
        const struct drive_recovery *recovery;
};

/* Requests that the drive has completed: its "stat" is there without waiting for it. */
static uint64_t read_completed(const struct drive_workers *s, const char *name) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];
        unsigned long long reads = 0, writes = 0;

        if (snprintf(path, sizeof(path), "%s/sys/block/%s/stat", s->actuator->root, name) >= (int) sizeof(path) ||
            fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 || sscanf(text, "%llu %*u %*u %*u %llu", &reads, &writes) != 2)
                return 0;
        return reads + writes;
}

/* A killed one that the kernel has wait for its drive ends when the drive wakes up, and nobody waits for that. */
static void end(struct drive_worker *w) {
        w->fd = safe_close(w->fd);
        (void) kill(w->pid, SIGKILL);
        (void) waitpid(w->pid, NULL, WNOHANG);
}

static size_t count_entries(const struct drive_workers *s, const char *name) {
        size_t n = 0;

        for (size_t i = 0; i < journal_count(s->actuator->journal); i++)
                n += streq(journal_get(s->actuator->journal, i)->device, name);
        return n;
}

static void give_up(struct drive_workers *s, struct drive_worker *w) {
        end(w);
        s->recovery->silent(s->recovery->userdata, w->name, count_entries(s, w->name));
}

static void take(struct drive_workers *s, struct drive_worker *w) {
        struct drive_answer answer;
        struct drive_request recorded = { .kind = DRIVE_REQUEST_RECORDED };
        ssize_t n = recv(w->fd, &answer, sizeof(answer), MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n != (ssize_t) sizeof(answer)) { /* it died */
                give_up(s, w);
                return;
        }
        w->heard = clock_now(CLOCK_MONOTONIC);
        switch (answer.kind) {
        case DRIVE_ANSWER_LINE:
                recorded.result = journal_take_passed(s->actuator->journal, answer.line, MIN(answer.length, sizeof(answer.line)));
                (void) send(w->fd, &recorded, sizeof(recorded), MSG_NOSIGNAL | MSG_DONTWAIT);
                return;
        case DRIVE_ANSWER_RECEIPT:
                s->recovery->report(s->recovery->userdata, w->name, &answer.receipt);
                return;
        case DRIVE_ANSWER_DONE:
                s->restored += answer.restored;
                w->fd = safe_close(w->fd);
                (void) waitpid(w->pid, NULL, 0); /* it has nothing left to do but end */
                return;
        }
}

static void begin(struct drive_workers *s, struct drive_worker *w, nsec_t now) {
        struct drive_request request = { .kind = DRIVE_REQUEST_RECOVER, .now = now };

        w->completed = read_completed(s, w->name);
        w->heard = clock_now(CLOCK_MONOTONIC);
        w->fd = drive_worker_start(s->actuator, w->name, &w->pid);
        if (w->fd >= 0)
                (void) send(w->fd, &request, sizeof(request), MSG_NOSIGNAL | MSG_DONTWAIT);
        else
                s->restored += actuator_recover_device(s->actuator, w->name, now, s->recovery->report, s->recovery->userdata);
}

static void lose_patience(struct drive_workers *s, nsec_t began) {
        nsec_t now = clock_now(CLOCK_MONOTONIC);
        nsec_t patience = s->recovery->patience ? s->recovery->patience : PATIENCE_NS;
        nsec_t patience_max = s->recovery->patience_max ? s->recovery->patience_max : PATIENCE_MAX_NS;

        for (size_t i = 0; i < s->n; i++) {
                struct drive_worker *w = &s->workers[i];
                uint64_t completed = w->fd >= 0 ? read_completed(s, w->name) : 0;
                if (w->fd < 0)
                        continue;
                if (completed != w->completed)
                        w->heard = now;
                w->completed = completed;
                if (nsec_sub(now, w->heard) >= patience || nsec_sub(now, began) >= patience_max)
                        give_up(s, w);
        }
}

/* Returns false where there is nobody to wait for. */
static bool wait_once(struct drive_workers *s, struct pollfd *polls) {
        bool any = false;
        int n;

        for (size_t i = 0; i < s->n; i++) {
                polls[i] = (struct pollfd){ .fd = s->workers[i].fd, .events = POLLIN };
                any |= s->workers[i].fd >= 0;
        }
        if (!any)
                return false;
        n = poll(polls, s->n, LOOK_MS);
        for (size_t i = 0; n > 0 && i < s->n; i++)
                if (polls[i].revents)
                        take(s, &s->workers[i]);
        return true;
}

size_t drive_workers_recover(struct actuator *a, nsec_t now, const struct drive_recovery *recovery) {
        struct drive_workers s = { .actuator = a, .recovery = recovery };
        _cleanup_free_ char (*names)[ACTUATOR_NAME_MAX] = NULL;
        _cleanup_free_ struct pollfd *polls = NULL;
        nsec_t began = clock_now(CLOCK_MONOTONIC);

        s.n = actuator_list_held(a, &names);
        s.workers = calloc(s.n + 1, sizeof(*s.workers));
        polls = calloc(s.n + 1, sizeof(*polls));
        if (!s.workers || !polls)
                s.n = 0; /* the entries stay for the next start */
        for (size_t i = 0; i < s.n; i++) {
                str_copy(s.workers[i].name, sizeof(s.workers[i].name), names[i]);
                begin(&s, &s.workers[i], now);
        }
        while (wait_once(&s, polls))
                lose_patience(&s, began);
        free(s.workers);
        return s.restored;
}
