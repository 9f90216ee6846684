/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "actuator-private.h"
#include "drive-worker.h"
#include "str.h"

struct worker {
        struct actuator *actuator;
        const char *name;
        int socket;
};

/* Nobody listens any more: what is not written yet will not be. */
static void tell(const struct worker *w, const struct drive_answer *answer) {
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
        const struct worker *w = userdata;
        struct drive_answer answer = { .kind = DRIVE_ANSWER_LINE, .length = length };

        if (length > sizeof(answer.line))
                return -EINVAL;
        if (length > 0)
                memcpy(answer.line, line, length);
        tell(w, &answer);
        return hear(w).result;
}

static void report(void *userdata, const char *device _unused_, const struct receipt *r) {
        struct drive_answer answer = { .kind = DRIVE_ANSWER_RECEIPT, .receipt = *r };

        tell(userdata, &answer);
}

static bool is_kept(const struct worker *w, int fd) {
        bool kept = fd <= STDERR_FILENO || fd == w->socket || fd == journal_directory(w->actuator->journal);

        for (size_t i = 0; !kept && i < w->actuator->n_devices; i++)
                kept = w->actuator->devices[i]->fd == fd && streq(w->actuator->devices[i]->name, w->name);
        return kept;
}

/* Whoever waits for the end of what the daemon writes waits for no drive. */
static void let_go_of_output(void) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);

        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
                if (null < 0 || dup3(null, fd, O_CLOEXEC) < 0)
                        (void) close(fd);
}

static void close_others(const struct worker *w) {
        DIR *dir = opendir("/proc/self/fd");
        struct dirent *entry;
        uint64_t fd;

        if (!dir)
                _exit(EXIT_FAILURE);
        while ((entry = readdir(dir)))
                if (str_parse_u64(entry->d_name, &fd) == 0 && (int) fd != dirfd(dir) && !is_kept(w, (int) fd))
                        (void) close((int) fd);
        closedir(dir);
}

static _Noreturn void run(struct worker *w) {
        journal_become_worker(w->actuator->journal, pass_on, w);
        let_go_of_output();
        close_others(w);
        journal_claim_device(w->actuator->journal, w->name);
        for (;;) {
                struct drive_request request = hear(w);
                struct drive_answer answer = { .kind = DRIVE_ANSWER_DONE };
                answer.restored = actuator_recover_device(w->actuator, w->name, request.now, report, w);
                tell(w, &answer);
        }
}

int drive_worker_start(struct actuator *a, const char *name, pid_t *ret_pid) {
        struct worker w = { .actuator = a, .name = name };
        pid_t daemon = getpid(), pid;
        int sockets[2];

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
                return -errno;
        pid = fork();
        if (pid < 0) {
                int r = -errno;
                safe_close(sockets[0]);
                safe_close(sockets[1]);
                return r;
        }
        if (pid == 0) {
                w.socket = sockets[1];
                if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != daemon)
                        _exit(EXIT_FAILURE);
                run(&w);
        }
        safe_close(sockets[1]);
        *ret_pid = pid;
        return sockets[0];
}
