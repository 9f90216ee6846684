/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <sys/socket.h>

#include "fdio.h"
#include "macro.h"
#include "str.h"
#include "taskstats.h"

#define ATTEMPTS 3         /* answers that were not to our question, before it is given up */
#define DATAGRAM_MAX 2048  /* an answer is 600 bytes, and grows with the kernel */
#define SWITCH "/proc/sys/kernel/task_delayacct"

struct task_stats {
        int fd;
        int error; /* why it cannot be asked: -errno; -ENODATA: a recorded machine */
        uint16_t family;
        uint32_t sequence;
        struct task_stats_reply ours; /* of ourselves, as of the beginning */
        enum delay_accounting accounting;
};

/* A request with one attribute. */
struct request {
        struct nlmsghdr header;
        struct genlmsghdr command;
        struct nlattr attribute;
        char value[16];
};

static int send_request(struct task_stats *t, uint16_t family, uint8_t command, uint16_t type, const void *value, size_t size) {
        struct request q = {
                .header = { .nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST, .nlmsg_seq = ++t->sequence },
                .command = { .cmd = command, .version = 1 },
                .attribute = { .nla_len = (uint16_t) (NLA_HDRLEN + size), .nla_type = type },
        };

        q.header.nlmsg_len = (uint32_t) (offsetof(struct request, value) + NLA_ALIGN(size));
        memcpy(q.value, value, size);
        return send(t->fd, &q, q.header.nlmsg_len, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* The kernel has answered before send() returns. Returns the size of the answer to the last request, or -errno. */
static ssize_t receive(struct task_stats *t, uint8_t *answer, size_t size) {
        for (unsigned i = 0; i < ATTEMPTS; i++) {
                ssize_t n = recv(t->fd, answer, size, MSG_DONTWAIT);
                struct nlmsghdr header;

                if (n < 0)
                        return -errno;
                if ((size_t) n < sizeof(header))
                        continue;
                memcpy(&header, answer, sizeof(header));
                if (header.nlmsg_seq == t->sequence)
                        return n;
        }
        return -EBADMSG;
}

static int find_family(struct task_stats *t) {
        uint8_t answer[DATAGRAM_MAX];
        int r = send_request(t, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME, sizeof(TASKSTATS_GENL_NAME));
        ssize_t n;

        if (r < 0)
                return r;
        n = receive(t, answer, sizeof(answer));
        return n < 0 ? (int) n : task_stats_parse_family(answer, (size_t) n);
}

int task_stats_get_process(struct task_stats *t, int32_t tgid, struct task_stats_reply *ret) {
        struct task_stats_reply reply;
        uint8_t answer[DATAGRAM_MAX];
        ssize_t n;
        int r;

        if (t->error < 0)
                return t->error;
        r = send_request(t, t->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_TGID, &tgid, sizeof(tgid));
        if (r < 0)
                return r;
        n = receive(t, answer, sizeof(answer));
        if (n < 0)
                return (int) n;
        r = task_stats_parse(answer, (size_t) n, t->family, &reply);
        if (r <= 0)
                return r < 0 ? r : -EBADMSG;
        if (reply.error)
                return -reply.error;
        if (reply.id != tgid)
                return -EBADMSG;
        *ret = reply;
        return reply.waits > 0 ? 0 : -ENODATA;
}

enum delay_accounting task_stats_accounting(const char *state, const struct task_stats_reply *ours) {
        if (!state)
                return ours->runs > 0 ? DELAYS_ALWAYS_ACCOUNTED : DELAYS_UNKNOWN_TO_KERNEL;
        return streq(state, "0") ? DELAYS_NOT_ACCOUNTED : DELAYS_ACCOUNTED;
}

void task_stats_look(struct task_stats *t) {
        char text[ATTRIBUTE_MAX];
        bool has_switch;

        if (t->error < 0)
                return;
        has_switch = fdio_read_at(AT_FDCWD, SWITCH, text, sizeof(text)) >= 0;
        t->accounting = task_stats_accounting(has_switch ? str_strip(text) : NULL, &t->ours);
}

bool task_stats_works(const struct task_stats *t) {
        return t->error >= 0 && (t->accounting == DELAYS_ACCOUNTED || t->accounting == DELAYS_ALWAYS_ACCOUNTED);
}

/* Whether we may ask about anything: about ourselves. */
static int try_self(struct task_stats *t) {
        int r = task_stats_get_process(t, getpid(), &t->ours);

        return r == -ENODATA ? 0 : r;
}

static int start(struct task_stats *t) {
        int r;

        t->fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC);
        if (t->fd < 0)
                return -errno;
        r = find_family(t);
        if (r < 0)
                return r;
        t->family = (uint16_t) r;
        return try_self(t);
}

int task_stats_new(const char *root, struct task_stats **ret) {
        struct task_stats *t = calloc(1, sizeof(*t));

        if (!t)
                return -ENOMEM;
        t->fd = -1;
        t->error = *root ? -ENODATA : start(t);
        if (t->error < 0)
                t->fd = safe_close(t->fd);
        task_stats_look(t);
        *ret = t;
        return 0;
}

struct task_stats *task_stats_free(struct task_stats *t) {
        if (t)
                safe_close(t->fd);
        free(t);
        return NULL;
}

static const char *explain(int error) {
        switch (error) {
        case -ENODATA:
                return "a recorded machine accounts nothing";
        case -ENOENT:
                return "not in this kernel; it needs CONFIG_TASKSTATS and CONFIG_TASK_DELAY_ACCT";
        case -EPERM:
        case -EACCES:
                return "not permitted; give briod CAP_NET_ADMIN";
        case -ESRCH:
                return "the kernel knows only the processes of the initial PID namespace: run briod outside the container";
        default:
                return strerrordesc_np(-error);
        }
}

void task_stats_probe(const struct task_stats *t, struct source_info *ret) {
        static const char instead[] = "; how much processes wait is estimated from how often they are seen in state D";
        const char *why = explain(t->error);

        *ret = (struct source_info) { .name = "taskstats", .state = SOURCE_REDUCED };
        if (t->error < 0) {
                ret->state = SOURCE_UNAVAILABLE;
                snprintf(ret->detail, sizeof(ret->detail), "%s%s", why ? why : "unknown error", instead);
                return;
        }
        switch (t->accounting) {
        case DELAYS_UNKNOWN_TO_KERNEL:
                snprintf(ret->detail, sizeof(ret->detail), "the kernel accounts no delays; it needs CONFIG_TASK_DELAY_ACCT, and not to be begun with nodelayacct%s", instead);
                return;
        case DELAYS_NOT_ACCOUNTED:
                snprintf(ret->detail, sizeof(ret->detail),
                         "delays are not accounted; `sysctl kernel.task_delayacct=1` does, for processes that begin afterwards%s", instead);
                return;
        case DELAYS_ACCOUNTED:
                ret->state = SOURCE_WORKS;
                snprintf(ret->detail, sizeof(ret->detail),
                         "how long processes wait for block I/O; of those that began before kernel.task_delayacct=1 it is estimated");
                return;
        case DELAYS_ALWAYS_ACCOUNTED:
                ret->state = SOURCE_WORKS;
                snprintf(ret->detail, sizeof(ret->detail), "how long processes wait for block I/O");
                return;
        }
}
