/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "child-descriptors.h"
#include "clock.h"
#include "fdio.h"
#include "macro.h"
#include "process-ask.h"
#include "process-facts.h"
#include "process-shunned.h"

#define RUNNABLE_MAX 9 /* times that an answer is waited for once more, on a machine whose CPUs are all taken */
#define PAUSE_TIMES 9 /* as long as one was waited for in vain there is no next one: so it is waited for a tenth of the time at most */

struct question {
        process_ask_fn fn;
        size_t answer_size;
        _Alignas(max_align_t) char bytes[PROCESS_ASK_MAX];
};

struct answer {
        int result;
        _Alignas(max_align_t) char bytes[PROCESS_ASK_MAX];
};

#define QUESTION_BYTES offsetof(struct question, bytes)
#define ANSWER_BYTES offsetof(struct answer, bytes)

static struct asker {
        pid_t owner; /* 0: nothing is asked */
        pid_t pid;   /* of the other process; 0: none that has not been waited for */
        int fd;
        nsec_t next; /* start */
        bool hurries;
        uint64_t given_up;
        struct shunned shunned;
        struct question question;
        struct answer answer;
} asker = { .fd = -1 };

static _Noreturn void run(int socket) {
        child_keep_only(&socket, 1);
        while (recv(socket, &asker.question, sizeof(asker.question), 0) >= (ssize_t) QUESTION_BYTES) {
                asker.answer.result = asker.question.fn(asker.question.bytes, asker.answer.bytes);
                if (send(socket, &asker.answer, ANSWER_BYTES + (asker.answer.result < 0 ? 0 : asker.question.answer_size), MSG_NOSIGNAL) < 0)
                        break;
        }
        _exit(EXIT_SUCCESS);
}

static bool has_ended(void) {
        if (asker.pid > 0 && waitpid(asker.pid, NULL, WNOHANG) != 0)
                asker.pid = 0;
        return asker.pid == 0;
}

static void end(void) {
        asker.fd = safe_close(asker.fd);
        if (asker.pid > 0)
                (void) kill(asker.pid, SIGKILL);
        (void) has_ended();
}

static int start(void) {
        pid_t parent = getpid();
        int sockets[2];

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
                return -errno;
        asker.pid = fork();
        if (asker.pid == 0) {
                if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
                        _exit(EXIT_FAILURE);
                run(sockets[1]);
        }
        safe_close(sockets[1]);
        asker.fd = sockets[0];
        if (asker.pid > 0)
                return 0;
        asker.pid = 0;
        end();
        return -EBUSY;
}

static int ensure(void) {
        if (asker.fd >= 0)
                return 0;
        return asker.hurries || (has_ended() && clock_now(CLOCK_MONOTONIC) >= asker.next) ? start() : -EBUSY;
}

static void give_up(int32_t tgid, nsec_t begun) {
        nsec_t now = clock_now(CLOCK_MONOTONIC);

        end();
        shunned_add(&asker.shunned, tgid, now);
        asker.next = now + PAUSE_TIMES * nsec_sub(now, begun);
        asker.given_up++;
}

/* Returns how many bytes of the answer came, or -errno. One that only waits for a CPU is not held up, nor one that waits for a process that does. */
static ssize_t await(int32_t tgid) {
        for (unsigned waits = 0;; waits++) {
                struct pollfd answer = { .fd = asker.fd, .events = POLLIN };

                if (poll(&answer, 1, PROCESS_ASK_ANSWER_MS) > 0)
                        return recv(asker.fd, &asker.answer, sizeof(asker.answer), MSG_DONTWAIT);
                if (waits == RUNNABLE_MAX || (!process_is_runnable(asker.pid) && !process_is_runnable(tgid)))
                        return -ETIMEDOUT;
        }
}

void process_ask_begin(void) {
        asker.owner = getpid();
}

void process_ask_hurry(bool hurry) {
        asker.hurries = hurry;
}

void process_ask_end(void) {
        end();
        asker = (struct asker){ .fd = -1 };
}

int process_ask(int32_t tgid, process_ask_fn fn, const void *question, size_t question_size, void *answer, size_t answer_size) {
        nsec_t begun = clock_now(CLOCK_MONOTONIC);
        ssize_t n;

        if (asker.owner != getpid() || tgid == asker.owner)
                return fn(question, answer);
        if (question_size > PROCESS_ASK_MAX || answer_size > PROCESS_ASK_MAX)
                return -E2BIG;
        if (shunned_has(&asker.shunned, tgid, begun) || ensure() < 0)
                return -EBUSY;
        asker.question.fn = fn;
        asker.question.answer_size = answer_size;
        memcpy(asker.question.bytes, question, question_size);
        n = send(asker.fd, &asker.question, QUESTION_BYTES + question_size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -EPIPE : await(tgid);
        if (n < (ssize_t) ANSWER_BYTES || (asker.answer.result >= 0 && n < (ssize_t) (ANSWER_BYTES + answer_size))) {
                give_up(tgid, begun);
                return -EBUSY;
        }
        if (asker.answer.result >= 0)
                memcpy(answer, asker.answer.bytes, answer_size);
        return asker.answer.result;
}

uint64_t process_ask_given_up(void) {
        return asker.given_up;
}
