/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "actuator-private.h"
#include "child-descriptors.h"
#include "drive-worker.h"
#include "macro.h"
#include "str.h"
#include "sysfs.h"

struct worker {
        struct drive_hand hand;
        int socket;
};

static void tell_settings(struct drive_hand *h, const struct actuator_device *d) {
        struct drive_answer answer = { .kind = DRIVE_ANSWER_SETTINGS, .result = -ENODEV };
        struct sysfs_settings *s = &answer.settings;

        memset(s, 0, sizeof(*s));
        if (d)
                answer.result = sysfs_read_facts(d->fd, &s->facts);
        for (enum tunable_id id = 0; answer.result == 0 && id < _TUNABLE_MAX; id++)
                if (s->facts.values[id].present && sysfs_read_tunable(d->fd, id, s->texts[id], sizeof(s->texts[id])) < 0)
                        s->texts[id][0] = '\0';
        h->told = s->facts.scheduler;
        h->tell(h->userdata, &answer);
}

static bool was_switched(const struct drive_hand *h, const struct actuator_device *d) {
        char active[TUNABLE_VALUE_MAX];

        return sysfs_read_tunable(d->fd, TUNABLE_QUEUE_SCHEDULER, active, sizeof(active)) == 0 && scheduler_from_string(active) != h->told;
}

static void tell_receipt(struct drive_hand *h, int kind, const struct receipt *r) {
        struct drive_answer answer = { .kind = kind, .receipt = *r };

        h->tell(h->userdata, &answer);
}

/* A switch brings other tunables, and whatever else went wrong may have because what is known of them is old. */
static void apply(struct drive_hand *h, const struct drive_request *request) {
        struct receipt r;

        actuator_apply(h->actuator, &request->change, request->now, &r);
        tell_receipt(h, DRIVE_ANSWER_RECEIPT, &r);
        if (r.result != RECEIPT_ADVISED &&
            (request->change.tunable == TUNABLE_QUEUE_SCHEDULER || (r.result != RECEIPT_APPLIED && r.result != RECEIPT_RESTORED)))
                tell_settings(h, actuator_find_device(h->actuator, h->name));
}

static void look(struct drive_hand *h, const struct drive_request *request) {
        struct actuator_device *d = actuator_find_device(h->actuator, h->name);
        struct receipt receipts[16];
        size_t n = d ? actuator_check_device(h->actuator, d, request->now, receipts, ARRAY_SIZE(receipts)) : 0;

        for (size_t i = 0; i < n; i++)
                tell_receipt(h, DRIVE_ANSWER_LOST, &receipts[i]);
        if (n > 0 || request->settings || (d && was_switched(h, d)))
                tell_settings(h, d);
}

static void report(void *userdata, const char *device _unused_, const struct receipt *r) {
        tell_receipt(userdata, DRIVE_ANSWER_RECEIPT, r);
}

void drive_hand_perform(struct drive_hand *h, const struct drive_request *request) {
        struct drive_answer done = { .kind = DRIVE_ANSWER_DONE };

        switch (request->kind) {
        case DRIVE_REQUEST_OPEN:
                done.result = actuator_add_device(h->actuator, request->dev, h->name);
                tell_settings(h, actuator_find_device(h->actuator, h->name));
                break;
        case DRIVE_REQUEST_APPLY:
                apply(h, request);
                break;
        case DRIVE_REQUEST_LOOK:
                look(h, request);
                break;
        case DRIVE_REQUEST_RECOVER:
                done.restored = actuator_recover_device(h->actuator, h->name, request->now, report, h);
                break;
        case DRIVE_REQUEST_RECORDED:
                break;
        }
        h->tell(h->userdata, &done);
}

/* The daemon listens no more: what is not written yet will not be. */
static void tell(void *userdata, const struct drive_answer *answer) {
        const struct worker *w = userdata;

        if (send(w->socket, answer, sizeof(*answer), MSG_NOSIGNAL) != (ssize_t) sizeof(*answer))
                _exit(EXIT_FAILURE);
}

static struct drive_request hear(const struct worker *w) {
        struct drive_request request;

        if (recv(w->socket, &request, sizeof(request), 0) != (ssize_t) sizeof(request))
                _exit(EXIT_SUCCESS);
        return request;
}

static int pass_on(void *userdata, const char *line, size_t length) {
        struct worker *w = userdata;
        struct drive_answer answer = { .kind = DRIVE_ANSWER_LINE, .length = length };

        if (length > sizeof(answer.line))
                return -EINVAL;
        if (length > 0)
                memcpy(answer.line, line, length);
        tell(w, &answer);
        return hear(w).result;
}

/* No process that waits for the end of what the daemon writes waits for a drive. */
static void keep_what_is_used(const struct worker *w) {
        const struct actuator_device *d = actuator_find_device(w->hand.actuator, w->hand.name);
        int kept[] = { w->socket, journal_directory(w->hand.actuator->journal), d ? d->fd : -1 };

        child_keep_only(kept, ARRAY_SIZE(kept));
}

static _Noreturn void run(struct worker *w) {
        struct journal *journal = w->hand.actuator->journal;

        journal_become_worker(journal, pass_on, w);
        actuator_keep_device(w->hand.actuator, w->hand.name);
        keep_what_is_used(w);
        journal_claim_device(journal, w->hand.name);
        for (;;) {
                struct drive_request request = hear(w);
                drive_hand_perform(&w->hand, &request);
        }
}

int drive_worker_start(struct actuator *a, const char *name, pid_t *ret_pid) {
        struct worker w = { .hand = { .actuator = a, .told = SCHEDULER_NONE, .tell = tell } };
        pid_t daemon = getpid(), pid;
        int sockets[2], r;

        if (!str_copy(w.hand.name, sizeof(w.hand.name), name))
                return -ENAMETOOLONG;
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
                return -errno;
        pid = fork();
        if (pid < 0) {
                r = -errno;
                safe_close(sockets[0]);
                safe_close(sockets[1]);
                return r;
        }
        if (pid == 0) {
                w.hand.userdata = &w;
                w.socket = sockets[1];
                if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != daemon)
                        _exit(EXIT_FAILURE);
                run(&w);
        }
        safe_close(sockets[1]);
        *ret_pid = pid;
        return sockets[0];
}
