/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "child-descriptors.h"
#include "clock.h"
#include "fdio.h"
#include "process-reader.h"
#include "process-stat.h"
#include "str.h"

#define RUNNABLE_MAX 9 /* times that an answer is waited for once more, on a machine whose CPUs are all taken */

#define SHUNNED_MAX 32

enum question { QUESTION_ENTRY, QUESTION_FILE, QUESTION_COUNTERS };

struct request {
        enum question question;
        uint32_t size; /* of the file, most that is wanted */
        char name[16];
        uint32_t n;
        int32_t tgids[PROCESS_READER_COUNTERS_MAX]; /* one but for counters */
};

struct answer {
        int64_t result; /* of counters: how many */
        nsec_t cpu;     /* that this reader has taken so far */
        union {
                struct proc_counters counters[PROCESS_READER_COUNTERS_MAX];
                struct exec_entry entry;
                char text[PROCESS_READER_TEXT_MAX];
        };
};

struct process_reader {
        pid_t pid; /* 0: none that has not been waited for */
        int fd;    /* -1: none that may be asked */
        nsec_t next; /* start */
        uint64_t given_up;
        nsec_t cpu, cpu_before; /* of this one, and of those before */
        _Atomic int32_t *at;    /* the process that it reads of: shared with it */
        struct shunned {
                int32_t tgid; /* 0: free */
                nsec_t until;
        } shunned[SHUNNED_MAX];
        size_t next_shunned;
        struct answer answer;
};

int process_reader_new(struct process_reader **ret) {
        struct process_reader *r = calloc(1, sizeof(*r));

        if (!r)
                return -ENOMEM;
        r->fd = -1;
        r->at = mmap(NULL, sizeof(*r->at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (r->at == MAP_FAILED) {
                free(r);
                return -ENOMEM;
        }
        *ret = r;
        return 0;
}

/* The child's part. */

static int64_t read_file(const struct request *q, char *buf) {
        char path[64];
        _cleanup_close_ int fd = -1;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/%s", q->tgids[0], q->name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        return fd < 0 ? -errno : fdio_read_all(fd, buf, MIN(q->size, (uint32_t) PROCESS_READER_TEXT_MAX));
}

static void keep_counters(void *userdata, const struct proc_counters *c) {
        struct answer *a = userdata;

        if (a->result < PROCESS_READER_COUNTERS_MAX)
                a->counters[a->result++] = *c;
}

static size_t count(const struct request *q, _Atomic int32_t *at, struct answer *ret) {
        static struct proc_scan *scan;
        int r = scan ? 0 : proc_scan_new("", NULL, &scan);

        ret->result = 0;
        for (size_t i = 0; r >= 0 && i < q->n; i++) {
                *at = q->tgids[i];
                r = proc_scan_some(scan, &q->tgids[i], 1, keep_counters, ret);
        }
        if (r < 0)
                ret->result = r;
        return offsetof(struct answer, text) + (size_t) MAX(ret->result, 0) * sizeof(*ret->counters);
}

/* Returns how many bytes of the answer count. */
static size_t find_answer(const struct request *q, _Atomic int32_t *at, struct answer *ret) {
        *at = q->tgids[0];
        switch (q->question) {
        case QUESTION_COUNTERS:
                return count(q, at, ret);
        case QUESTION_ENTRY:
                ret->result = exec_entry_look(q->tgids[0], &ret->entry);
                return ret->result <= 0 ? offsetof(struct answer, text) :
                                          offsetof(struct answer, entry.environment) + ret->entry.environment_size;
        case QUESTION_FILE:
                ret->result = read_file(q, ret->text);
                return offsetof(struct answer, text) + (size_t) MAX(ret->result, 0);
        }
        _exit(EXIT_FAILURE);
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

static int start(struct process_reader *r) {
        pid_t daemon = getpid(), pid;
        int sockets[2], error;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
                return -errno;
        pid = fork();
        if (pid == 0) {
                if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != daemon)
                        _exit(EXIT_FAILURE);
                run(sockets[1], r->at, &r->answer);
        }
        error = -errno;
        safe_close(sockets[1]);
        if (pid < 0) {
                safe_close(sockets[0]);
                return error;
        }
        r->pid = pid;
        r->fd = sockets[0];
        r->cpu_before += r->cpu;
        r->cpu = 0;
        return 0;
}

/* One that waits for what does not come ends when that comes, or the machine does. */
static bool has_ended(struct process_reader *r) {
        if (r->pid > 0 && waitpid(r->pid, NULL, WNOHANG) != 0)
                r->pid = 0;
        return r->pid == 0;
}

static void end(struct process_reader *r) {
        r->fd = safe_close(r->fd);
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

static int give_up(struct process_reader *r, int error) {
        nsec_t now = clock_now(CLOCK_MONOTONIC);

        end(r);
        r->shunned[r->next_shunned++ % SHUNNED_MAX] = (struct shunned){ *r->at, now + PROCESS_READER_SHUN_NS };
        r->next = now + PROCESS_READER_PAUSE_NS;
        r->given_up++;
        return error;
}

static int ensure(struct process_reader *r) {
        if (r->fd >= 0)
                return 0;
        if (!has_ended(r) || clock_now(CLOCK_MONOTONIC) < r->next)
                return -EBUSY;
        return start(r);
}

static int await_once(struct process_reader *r) {
        nsec_t end = clock_now(CLOCK_MONOTONIC) + PROCESS_READER_ANSWER_MS * NSEC_PER_MSEC;
        struct pollfd p = { .fd = r->fd, .events = POLLIN };
        int n;

        do {
                nsec_t left = nsec_sub(end, clock_now(CLOCK_MONOTONIC));
                n = poll(&p, 1, (int) ((left + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));
        } while (n < 0 && errno == EINTR);
        return n < 0 ? -errno : n == 0 ? -ETIMEDOUT : 0;
}

static bool is_runnable(pid_t pid) {
        struct process_stat stat;

        return process_stat_read("", pid, &stat) == 0 && stat.state == 'R';
}

/* One that only waits for a CPU is not held up. */
static int await(struct process_reader *r) {
        int error = await_once(r);

        for (unsigned i = 0; error == -ETIMEDOUT && i < RUNNABLE_MAX && is_runnable(r->pid); i++)
                error = await_once(r);
        return error;
}

/* Returns how much of r->answer is there, or -errno. */
static ssize_t ask(struct process_reader *r, const struct request *q) {
        ssize_t n;
        int error = ensure(r);

        if (error < 0)
                return error;
        if (send(r->fd, q, sizeof(*q), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
                return give_up(r, -EPIPE);
        error = await(r);
        if (error < 0)
                return give_up(r, error);
        n = recv(r->fd, &r->answer, sizeof(r->answer), MSG_DONTWAIT);
        if (n < (ssize_t) offsetof(struct answer, text))
                return give_up(r, -EPIPE);
        r->cpu = r->answer.cpu;
        return n;
}

struct process_reader *process_reader_free(struct process_reader *r) {
        if (!r)
                return NULL;
        end(r);
        munmap(r->at, sizeof(*r->at));
        free(r);
        return NULL;
}

int process_reader_look(struct process_reader *r, int32_t tgid, struct exec_entry *ret) {
        struct request q = { .question = QUESTION_ENTRY, .tgids = { tgid } };
        ssize_t n = is_shunned(r, tgid) ? -EBUSY : ask(r, &q);

        if (n < 0)
                return (int) n;
        if (r->answer.result > 0)
                memcpy(ret, &r->answer.entry, (size_t) n - offsetof(struct answer, entry));
        return (int) r->answer.result;
}

ssize_t process_reader_file(struct process_reader *r, int32_t tgid, const char *name, char *buf, size_t size) {
        struct request q = { .question = QUESTION_FILE, .tgids = { tgid }, .size = (uint32_t) MIN(size, (size_t) PROCESS_READER_TEXT_MAX) };
        ssize_t n;

        str_copy(q.name, sizeof(q.name), name);
        n = is_shunned(r, tgid) ? -EBUSY : ask(r, &q);
        if (n < 0)
                return n;
        if (r->answer.result > 0)
                memcpy(buf, r->answer.text, MIN((size_t) n - offsetof(struct answer, text), size));
        return (ssize_t) r->answer.result;
}

int process_reader_count(struct process_reader *r, const int32_t *tgids, size_t n, proc_scan_fn fn, void *userdata) {
        struct proc_counters counters[PROCESS_READER_COUNTERS_MAX]; /* fn may ask, too */
        struct request q = { .question = QUESTION_COUNTERS };
        ssize_t length;

        for (size_t i = 0; i < n && q.n < PROCESS_READER_COUNTERS_MAX; i++)
                if (!is_shunned(r, tgids[i]))
                        q.tgids[q.n++] = tgids[i];
        if (q.n == 0)
                return 0;
        length = ask(r, &q);
        if (length < 0 || r->answer.result < 0)
                return (int) (length < 0 ? length : r->answer.result);
        n = ((size_t) length - offsetof(struct answer, counters)) / sizeof(*counters);
        memcpy(counters, r->answer.counters, n * sizeof(*counters));
        for (size_t i = 0; i < n; i++)
                fn(userdata, &counters[i]);
        return 0;
}

nsec_t process_reader_cpu(const struct process_reader *r) {
        return r->cpu_before + r->cpu;
}

uint64_t process_reader_given_up(const struct process_reader *r) {
        return r->given_up;
}
