/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "child-descriptors.h"
#include "clock.h"
#include "fdio.h"
#include "macro.h"
#include "process-facts.h"
#include "process-reader.h"

#define RUNNABLE_MAX 9 /* times that an answer is waited for once more, on a machine whose CPUs are all taken */

#define SHUNNED_MAX 32

#define QUESTIONS_MAX 64 /* that wait: a scan, a look, an exec, and each birth that may be about to exec */

enum question { QUESTION_ENTRY, QUESTION_LAUNCH, QUESTION_COUNTERS };

struct request {
        enum question question;
        int32_t parent; /* as of process_launch_look(); not of counters */
        uint32_t n;
        int32_t tgids[PROCESS_READER_COUNTERS_MAX]; /* one but for counters */
};

struct answer {
        int64_t result; /* of counters: how many */
        nsec_t cpu;     /* that this reader has taken so far */
        union {
                struct proc_counters counters[PROCESS_READER_COUNTERS_MAX];
                struct {
                        struct process_launch launch;
                        struct exec_entry entry; /* its beginning alone is sent */
                };
        };
};

/* What every answer has, and what one about an exec has. */
#define ANSWER_BYTES offsetof(struct answer, counters)
#define ANSWER_LAUNCH_BYTES offsetof(struct answer, entry.arguments_size)

struct asked {
        struct request request;
        process_counted_fn counted; /* or */
        process_launch_fn launched; /* both NULL: not wanted any more */
        void *userdata;
};

struct process_reader {
        sd_event *event;
        sd_event_source *io; /* NULL: no reader that may be asked */
        sd_event_source *timer;
        pid_t pid; /* 0: none that has not been waited for */
        int fd;
        nsec_t next; /* start */
        uint64_t given_up;
        nsec_t cpu, cpu_before; /* of this one, and of those before */
        _Atomic int32_t *at;    /* the process that it reads of: shared with it */
        struct shunned {
                int32_t tgid; /* 0: free */
                nsec_t until;
        } shunned[SHUNNED_MAX];
        size_t next_shunned;
        size_t first, n; /* of the questions: the first has been sent */
        struct asked asked[QUESTIONS_MAX];
        unsigned waits; /* for the answer to the first, so far */
        struct answer answer;
};

/* The child's part. */

static void keep_counters(void *userdata, const struct proc_counters *c) {
        struct answer *a = userdata;

        if (a->result < PROCESS_READER_COUNTERS_MAX)
                a->counters[a->result++] = *c;
}

static size_t count(const struct request *q, _Atomic int32_t *at, struct answer *ret) {
        static struct proc_scan *scan;
        int r = scan ? 0 : proc_scan_new("", &scan);

        ret->result = 0;
        for (size_t i = 0; r >= 0 && i < q->n; i++) {
                *at = q->tgids[i];
                r = proc_scan_some(scan, &q->tgids[i], 1, keep_counters, ret);
        }
        if (r < 0)
                ret->result = r;
        return ANSWER_BYTES + (size_t) MAX(ret->result, 0) * sizeof(*ret->counters);
}

/* Returns how many bytes of the answer count. */
static size_t find_answer(const struct request *q, _Atomic int32_t *at, struct answer *ret) {
        *at = q->tgids[0];
        switch (q->question) {
        case QUESTION_COUNTERS:
                return count(q, at, ret);
        case QUESTION_ENTRY:
                ret->result = exec_entry_look(q->tgids[0], &ret->entry);
                break;
        case QUESTION_LAUNCH:
                ret->result = 1;
                break;
        }
        if (ret->result > 0) {
                int r = process_launch_look("", q->tgids[0], q->parent, q->question == QUESTION_ENTRY ? &ret->entry : NULL, at, &ret->launch);
                if (r < 0)
                        ret->result = r;
        }
        return ret->result > 0 ? ANSWER_LAUNCH_BYTES : ANSWER_BYTES;
}

static _Noreturn void run(int socket, _Atomic int32_t *at, struct answer *answer) {
        struct request q;

        child_keep_only(&socket, 1);
        while (recv(socket, &q, sizeof(q), 0) == (ssize_t) sizeof(q)) {
                size_t size = find_answer(&q, at, answer);
                answer->cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
                if (send(socket, answer, size, MSG_NOSIGNAL) < 0)
                        break;
        }
        _exit(EXIT_SUCCESS);
}

/* briod's part. */

/* One that waits for what does not come ends when that comes, or the machine does. */
static bool has_ended(struct process_reader *r) {
        if (r->pid > 0 && waitpid(r->pid, NULL, WNOHANG) != 0)
                r->pid = 0;
        return r->pid == 0;
}

static void end(struct process_reader *r) {
        r->io = sd_event_source_disable_unref(r->io);
        r->fd = safe_close(r->fd);
        (void) sd_event_source_set_enabled(r->timer, SD_EVENT_OFF);
        if (r->pid > 0)
                (void) kill(r->pid, SIGKILL);
        (void) has_ended(r);
}

static bool is_shunned(const struct process_reader *r, int32_t tgid) {
        for (size_t i = 0; i < SHUNNED_MAX; i++)
                if (r->shunned[i].tgid == tgid && r->shunned[i].until > clock_now(CLOCK_MONOTONIC))
                        return true;
        return false;
}

/* The first question; the next ones move up. */
static struct asked take_first(struct process_reader *r) {
        struct asked a = r->asked[r->first];

        r->first = (r->first + 1) % QUESTIONS_MAX;
        r->n--;
        return a;
}

static void tell_error(const struct asked *a, int error) {
        if (a->counted)
                a->counted(a->userdata, error, NULL, 0);
        if (a->launched)
                a->launched(a->userdata, a->request.tgids[0], error, NULL, NULL);
}

static void note_end(struct process_reader *r) {
        nsec_t now = clock_now(CLOCK_MONOTONIC);

        end(r);
        r->shunned[r->next_shunned++ % SHUNNED_MAX] = (struct shunned){ *r->at, now + PROCESS_READER_SHUN_NS };
        r->next = now + PROCESS_READER_PAUSE_NS;
        r->given_up++;
}

/* All that wait are told; what they ask then finds no reader. */
static void give_up(struct process_reader *r, int error) {
        note_end(r);
        while (r->n > 0) {
                struct asked a = take_first(r);
                tell_error(&a, error);
                error = -EBUSY;
        }
}

static void wait_for_answer(struct process_reader *r) {
        (void) sd_event_source_set_time(r->timer, clock_now(CLOCK_MONOTONIC) / NSEC_PER_USEC + PROCESS_READER_ANSWER_MS * USEC_PER_MSEC);
        (void) sd_event_source_set_enabled(r->timer, SD_EVENT_ONESHOT);
}

static int send_first(struct process_reader *r) {
        const struct request *q = &r->asked[r->first].request;

        if (send(r->fd, q, sizeof(*q), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
                return -EPIPE;
        r->waits = 0;
        wait_for_answer(r);
        return 0;
}

static void tell_answer(const struct process_reader *r, const struct asked *a, size_t size) {
        const struct answer *answer = &r->answer;
        bool about_exec = answer->result > 0 && size >= ANSWER_LAUNCH_BYTES;

        if (a->counted)
                a->counted(a->userdata, (int) MIN(answer->result, 0), answer->counters, (size - ANSWER_BYTES) / sizeof(*answer->counters));
        if (a->launched)
                a->launched(a->userdata, a->request.tgids[0], (int) answer->result, about_exec ? &answer->launch : NULL,
                            about_exec && a->request.question == QUESTION_ENTRY ? &answer->entry : NULL);
}

/* Returns whether an answer, or the end of the reader, was there. */
static bool take_answer(struct process_reader *r) {
        ssize_t n = recv(r->fd, &r->answer, sizeof(r->answer), MSG_DONTWAIT);
        struct asked a;

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return false;
        if (n < (ssize_t) ANSWER_BYTES || r->n == 0) {
                give_up(r, -EPIPE);
                return true;
        }
        r->cpu = r->answer.cpu;
        (void) sd_event_source_set_enabled(r->timer, SD_EVENT_OFF);
        a = take_first(r);
        tell_answer(r, &a, (size_t) n);
        if (r->io && r->n > 0 && !sd_event_source_get_enabled(r->timer, NULL) && send_first(r) < 0) /* what was told may have asked */
                give_up(r, -EPIPE);
        return true;
}

static int on_io(sd_event_source *source _unused_, int fd _unused_, uint32_t revents _unused_, void *userdata) {
        (void) take_answer(userdata);
        return 0;
}

/* One that only waits for a CPU is not held up, nor one that waits for a process that does: on a machine whose CPUs are all taken, most execs do. */
static bool waits_for_cpu(const struct process_reader *r) {
        return process_is_runnable(r->pid) || process_is_runnable(*r->at);
}

static int on_timer(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata) {
        struct process_reader *r = userdata;

        if (r->n == 0 || take_answer(r))
                return 0;
        if (r->waits++ < RUNNABLE_MAX && waits_for_cpu(r))
                wait_for_answer(r);
        else
                give_up(r, -ETIMEDOUT);
        return 0;
}

static int start(struct process_reader *r) {
        pid_t daemon = getpid();
        int sockets[2], error;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
                return -errno;
        r->pid = fork();
        if (r->pid == 0) {
                if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != daemon)
                        _exit(EXIT_FAILURE);
                run(sockets[1], r->at, &r->answer);
        }
        error = -errno;
        safe_close(sockets[1]);
        r->fd = sockets[0];
        if (r->pid > 0)
                error = sd_event_add_io(r->event, &r->io, r->fd, EPOLLIN, on_io, r);
        if (error < 0) {
                r->pid = MAX(r->pid, 0);
                end(r);
                return error;
        }
        (void) sd_event_source_set_description(r->io, "process-reader");
        r->cpu_before += r->cpu;
        r->cpu = 0;
        return 0;
}

static int ensure(struct process_reader *r) {
        if (r->io)
                return 0;
        if (!has_ended(r) || clock_now(CLOCK_MONOTONIC) < r->next)
                return -EBUSY;
        return start(r);
}

static int ask(struct process_reader *r, const struct asked *a) {
        int error = ensure(r);

        if (error < 0)
                return error;
        if (r->n == QUESTIONS_MAX)
                return -EBUSY;
        r->asked[(r->first + r->n++) % QUESTIONS_MAX] = *a;
        if (r->n > 1)
                return 0;
        error = send_first(r);
        if (error < 0) {
                (void) take_first(r);
                note_end(r);
        }
        return error;
}

int process_reader_new(sd_event *event, struct process_reader **ret) {
        struct process_reader *r = calloc(1, sizeof(*r));
        int error;

        if (!r)
                return -ENOMEM;
        r->fd = -1;
        r->event = sd_event_ref(event);
        r->at = mmap(NULL, sizeof(*r->at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        error = r->at == MAP_FAILED ? -ENOMEM : sd_event_add_time(event, &r->timer, CLOCK_MONOTONIC, 0, USEC_PER_MSEC, on_timer, r);
        if (error < 0) {
                process_reader_free(r);
                return error;
        }
        (void) sd_event_source_set_description(r->timer, "process-reader-answer");
        (void) sd_event_source_set_enabled(r->timer, SD_EVENT_OFF);
        *ret = r;
        return 0;
}

struct process_reader *process_reader_free(struct process_reader *r) {
        if (!r)
                return NULL;
        end(r);
        sd_event_source_disable_unref(r->timer);
        sd_event_unref(r->event);
        if (r->at != MAP_FAILED)
                munmap(r->at, sizeof(*r->at));
        free(r);
        return NULL;
}

int process_reader_count(struct process_reader *r, const int32_t *tgids, size_t n, process_counted_fn fn, void *userdata) {
        struct asked a = { .request.question = QUESTION_COUNTERS, .counted = fn, .userdata = userdata };
        struct request *q = &a.request;

        for (size_t i = 0; i < n && q->n < PROCESS_READER_COUNTERS_MAX; i++)
                if (!is_shunned(r, tgids[i]))
                        q->tgids[q->n++] = tgids[i];
        return q->n == 0 ? -ENOENT : ask(r, &a);
}

static int ask_launch(struct process_reader *r, enum question question, int32_t tgid, int32_t parent, process_launch_fn fn, void *userdata) {
        struct asked a = { .request = { .question = question, .parent = parent, .tgids = { tgid } }, .launched = fn, .userdata = userdata };

        if (is_shunned(r, parent))
                a.request.parent = -parent;
        return is_shunned(r, tgid) ? -EBUSY : ask(r, &a);
}

int process_reader_look(struct process_reader *r, int32_t tgid, int32_t parent, process_launch_fn fn, void *userdata) {
        return ask_launch(r, QUESTION_ENTRY, tgid, parent, fn, userdata);
}

int process_reader_launch(struct process_reader *r, int32_t tgid, int32_t parent, process_launch_fn fn, void *userdata) {
        return ask_launch(r, QUESTION_LAUNCH, tgid, parent, fn, userdata);
}

void process_reader_forget(struct process_reader *r, const void *userdata) {
        for (size_t i = 0; i < r->n; i++) {
                struct asked *a = &r->asked[(r->first + i) % QUESTIONS_MAX];
                if (a->userdata == userdata) {
                        a->counted = NULL;
                        a->launched = NULL;
                }
        }
}

nsec_t process_reader_cpu(const struct process_reader *r) {
        return r->cpu_before + r->cpu;
}

uint64_t process_reader_given_up(const struct process_reader *r) {
        return r->given_up;
}
