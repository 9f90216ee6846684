/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "clock.h"
#include "fdio.h"
#include "process-reader.h"
#include "process-stat.h"
#include "str.h"

#define RUNNABLE_MAX 9 /* times that an answer is waited for once more, on a machine whose CPUs are all taken */

enum question { QUESTION_ENTRY, QUESTION_FILE };

struct request {
        enum question question;
        int32_t tgid;
        uint32_t size; /* of the file, most that is wanted */
        char name[16];
};

struct answer {
        int64_t result;
        union {
                struct exec_entry entry;
                char text[PROCESS_READER_TEXT_MAX];
        };
};

struct process_reader {
        pid_t pid; /* 0: none that has not been waited for */
        int fd;    /* -1: none that may be asked */
        nsec_t next; /* start */
        uint64_t given_up;
        struct answer answer;
};

int process_reader_new(struct process_reader **ret) {
        struct process_reader *r = calloc(1, sizeof(*r));

        if (!r)
                return -ENOMEM;
        r->fd = -1;
        *ret = r;
        return 0;
}

/* The child's part. */

static int64_t read_file(const struct request *q, char *buf) {
        char path[64];
        _cleanup_close_ int fd = -1;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/%s", q->tgid, q->name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        return fd < 0 ? -errno : fdio_read_all(fd, buf, MIN(q->size, (uint32_t) PROCESS_READER_TEXT_MAX));
}

/* Returns how many bytes of the answer count. */
static size_t find_answer(const struct request *q, struct answer *ret) {
        if (q->question == QUESTION_ENTRY) {
                ret->result = exec_entry_look(q->tgid, &ret->entry);
                return ret->result <= 0 ? offsetof(struct answer, text) :
                                          offsetof(struct answer, entry.environment) + ret->entry.environment_size;
        }
        ret->result = read_file(q, ret->text);
        return offsetof(struct answer, text) + (ret->result > 0 ? (size_t) ret->result : 0);
}

/* Whoever waits for the end of what briod writes does not wait for this process. */
static void close_others(int socket) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        DIR *dir;
        uint64_t fd;

        for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
                if (null < 0 || dup3(null, i, O_CLOEXEC) < 0)
                        (void) close(i);
        dir = opendir("/proc/self/fd");
        if (!dir)
                _exit(EXIT_FAILURE);
        for (const struct dirent *d; (d = readdir(dir));)
                if (str_parse_u64(d->d_name, &fd) == 0 && fd > STDERR_FILENO && (int) fd != dirfd(dir) && (int) fd != socket)
                        (void) close((int) fd);
        closedir(dir);
}

static _Noreturn void run(int socket, struct answer *answer) {
        struct request q;

        close_others(socket);
        while (recv(socket, &q, sizeof(q), 0) == (ssize_t) sizeof(q)) {
                size_t size = find_answer(&q, answer);
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
                run(sockets[1], &r->answer);
        }
        error = -errno;
        safe_close(sockets[1]);
        if (pid < 0) {
                safe_close(sockets[0]);
                return error;
        }
        r->pid = pid;
        r->fd = sockets[0];
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

static int give_up(struct process_reader *r, int error) {
        end(r);
        r->next = clock_now(CLOCK_MONOTONIC) + PROCESS_READER_PAUSE_NS;
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
        return n < (ssize_t) offsetof(struct answer, text) ? give_up(r, -EPIPE) : n;
}

struct process_reader *process_reader_free(struct process_reader *r) {
        if (r)
                end(r);
        free(r);
        return NULL;
}

int process_reader_look(struct process_reader *r, int32_t tgid, struct exec_entry *ret) {
        struct request q = { .question = QUESTION_ENTRY, .tgid = tgid };
        ssize_t n = ask(r, &q);

        if (n < 0)
                return (int) n;
        if (r->answer.result > 0)
                memcpy(ret, &r->answer.entry, (size_t) n - offsetof(struct answer, entry));
        return (int) r->answer.result;
}

ssize_t process_reader_file(struct process_reader *r, int32_t tgid, const char *name, char *buf, size_t size) {
        struct request q = { .question = QUESTION_FILE, .tgid = tgid, .size = (uint32_t) MIN(size, (size_t) PROCESS_READER_TEXT_MAX) };
        ssize_t n;

        str_copy(q.name, sizeof(q.name), name);
        n = ask(r, &q);
        if (n < 0)
                return n;
        if (r->answer.result > 0)
                memcpy(buf, r->answer.text, MIN((size_t) n - offsetof(struct answer, text), size));
        return (ssize_t) r->answer.result;
}

uint64_t process_reader_given_up(const struct process_reader *r) {
        return r->given_up;
}
