/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>

#include "clock.h"
#include "macro.h"
#include "netlink-socket.h"
#include "proc-connector.h"
#include "str.h"
#include "wake-budget.h"

#define ACK_TIMEOUT_MS 200
#define DATAGRAM_MAX 128     /* a message is 76 bytes */
#define BATCH 32             /* messages a recvmmsg */
#define DRAIN_BATCHES_MAX 256 /* more than the buffer holds; then the rest of the event loop has its turn */
#define LOT_ACCURACY 4       /* of the time till the next look a quarter: it may come with other wake-ups */
/* What the kernel accounts for a message in its buffer: the smallest pieces of memory that hold its head and its data. */
#define MESSAGE_BUFFER_BYTES 768

#define OFFSET_EVENT (NLMSG_HDRLEN + sizeof(struct cn_msg))
#define OFFSET_OF(member) (OFFSET_EVENT + offsetof(struct proc_event, member))
#define OFFSET_DATA OFFSET_OF(event_data)

struct proc_connector {
        int fd;
        int error; /* why it does not work: -errno, -ETIME where the kernel does not answer */
        bool listening; /* counted as a listener by the kernel */
        proc_change_fn fn;
        void *userdata;
        sd_event_source *io, *timer;
        size_t room; /* messages that the kernel's buffer holds */
        struct wake_budget budget;
        bool paused;
        size_t n_held; /* that came before the pause was known */
        struct proc_change held[BATCH];
        bool hurry; /* no further ahead than WAKE_HURRY_NS */
        nsec_t next; /* wake-up; 0: at once */
        nsec_t last_drain;
        nsec_t started;
        uint64_t wakeups, messages, overflows; /* since then */
};

int proc_connector_parse(const void *data, size_t size, struct proc_change *ret) {
        struct proc_event event = { 0 };
        struct nlmsghdr header;
        struct cn_msg message;

        if (size < OFFSET_DATA)
                return -EBADMSG;
        memcpy(&header, data, sizeof(header));
        memcpy(&message, (const char *) data + NLMSG_HDRLEN, sizeof(message));
        if (header.nlmsg_type != NLMSG_DONE || header.nlmsg_len < OFFSET_DATA || header.nlmsg_len > size ||
            message.id.idx != CN_IDX_PROC || message.id.val != CN_VAL_PROC ||
            message.len < offsetof(struct proc_event, event_data) || message.len > size - OFFSET_EVENT)
                return -EBADMSG;
        /* In the message the event is aligned to 4 bytes, in C to 8. */
        memcpy(&event, (const char *) data + OFFSET_EVENT, MIN((size_t) message.len, sizeof(event)));

        if (event.what == PROC_EVENT_NONE) {
                *ret = (struct proc_change) { .kind = PROC_ACK, .ack = message.ack, .error = event.event_data.ack.err };
                return 1;
        }
        if (event.what != PROC_EVENT_FORK && event.what != PROC_EVENT_EXEC && event.what != PROC_EVENT_EXIT)
                return 0;
        if (message.len < offsetof(struct proc_event, event_data) + sizeof(event.event_data.fork))
                return -EBADMSG;
        *ret = (struct proc_change) { .kind = PROC_BORN, .tgid = event.event_data.fork.child_tgid, .t = event.timestamp_ns };
        if (event.what == PROC_EVENT_FORK) {
                ret->parent = event.event_data.fork.parent_tgid;
                return event.event_data.fork.child_pid == ret->tgid && ret->tgid > 0;
        }
        if (event.what == PROC_EVENT_EXEC) {
                ret->kind = PROC_EXEC;
                ret->tgid = event.event_data.exec.process_tgid; /* of whatever thread did it: it is the only one from then on */
                return ret->tgid > 0;
        }
        ret->kind = PROC_DIED;
        ret->tgid = event.event_data.exit.process_tgid;
        return event.event_data.exit.process_pid == ret->tgid && ret->tgid > 0;
}

/* Keeps threads and all other events from waking us, also on kernels before 6.6, which send everything. The numbers of
 * a jump count the lines that it passes over; a load gives the host's idea of a big-endian word. */
static int attach_filter(int fd) {
        struct sock_filter code[] = {
                /*  0 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET_OF(what)),
                /*  1 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_NONE), 11, 0),
                /*  2 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_EXEC), 10, 0),
                /*  3 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_FORK), 0, 4),
                /*  4 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET_OF(event_data.fork.child_pid)),
                /*  5 */ BPF_STMT(BPF_MISC | BPF_TAX, 0),
                /*  6 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET_OF(event_data.fork.child_tgid)),
                /*  7 */ BPF_STMT(BPF_JMP | BPF_JA, 4),
                /*  8 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_EXIT), 0, 5),
                /*  9 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET_OF(event_data.exit.process_pid)),
                /* 10 */ BPF_STMT(BPF_MISC | BPF_TAX, 0),
                /* 11 */ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET_OF(event_data.exit.process_tgid)),
                /* 12 */ BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 1),
                /* 13 */ BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
                /* 14 */ BPF_STMT(BPF_RET | BPF_K, 0),
        };
        struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };

        return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno : 0;
}

/* events 0: all (the only request that kernels before 6.6 know). */
static int send_request(int fd, uint32_t op, uint32_t events, uint32_t ack) {
        uint32_t data[2] = { op, events };
        size_t length = events ? sizeof(data) : sizeof(data[0]);
        struct nlmsghdr header = { .nlmsg_len = (uint32_t) (OFFSET_EVENT + length), .nlmsg_type = NLMSG_DONE };
        struct cn_msg message = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .ack = ack, .len = (uint16_t) length };
        char request[OFFSET_EVENT + sizeof(data)];

        memcpy(request, &header, sizeof(header));
        memcpy(request + NLMSG_HDRLEN, &message, sizeof(message));
        memcpy(request + OFFSET_EVENT, data, length);
        return send(fd, request, OFFSET_EVENT + length, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Reads until our request is answered; what happens to processes meanwhile the first scan will see.
 * Returns 0, the error of the answer, or -ETIME where none comes. */
static int wait_ack(int fd, uint32_t ack) {
        nsec_t deadline = clock_now(CLOCK_MONOTONIC) + ACK_TIMEOUT_MS * NSEC_PER_MSEC;

        for (nsec_t now; (now = clock_now(CLOCK_MONOTONIC)) < deadline;) {
                struct pollfd p = { .fd = fd, .events = POLLIN };
                char datagram[DATAGRAM_MAX];
                struct proc_change change;
                ssize_t n;

                if (poll(&p, 1, (int) ((deadline - now) / NSEC_PER_MSEC) + 1) <= 0)
                        continue;
                n = recv(fd, datagram, sizeof(datagram), MSG_DONTWAIT);
                if (n > 0 && proc_connector_parse(datagram, (size_t) n, &change) > 0 && change.kind == PROC_ACK &&
                    change.ack == ack + 1)
                        return change.error ? -(int) MIN(change.error, 4095u) : 0; /* 4095: MAX_ERRNO */
        }
        return -ETIME;
}

static int open_socket(size_t receive_bytes) {
        _cleanup_close_ int fd = netlink_socket_open(NETLINK_CONNECTOR);
        int size = (int) receive_bytes, r;

        if (fd < 0)
                return TAKE_FD(fd);
        /* Without the privilege the buffer stays within rmem_max: more is lost, and said. */
        if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
                (void) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
        r = attach_filter(fd);
        if (r >= 0)
                r = netlink_socket_join(fd, CN_IDX_PROC);
        return r < 0 ? r : TAKE_FD(fd);
}

/* First the request that every kernel answers, then the one that spares newer kernels the events that we do not want:
 * its answer is filtered by the kernel itself, and older kernels ignore it. */
static int start(struct proc_connector *c, size_t receive_bytes) {
        uint32_t ack = (uint32_t) clock_now(CLOCK_MONOTONIC); /* tells our answer from those to other listeners */
        int r;

        c->fd = open_socket(receive_bytes);
        if (c->fd < 0)
                return TAKE_FD(c->fd);
        r = send_request(c->fd, PROC_CN_MCAST_LISTEN, 0, ack);
        if (r < 0)
                return r;
        r = wait_ack(c->fd, ack);
        if (r < 0)
                return r;
        c->listening = true;
        (void) send_request(c->fd, PROC_CN_MCAST_LISTEN, PROC_EVENT_FORK | PROC_EVENT_EXEC | PROC_EVENT_EXIT, ack + 1);
        return 0;
}

static void take_datagram(struct proc_connector *c, const struct mmsghdr *m) {
        const struct sockaddr_nl *sender = m->msg_hdr.msg_name;
        struct proc_change change;

        if (sender->nl_pid != 0) /* not the kernel */
                return;
        if (proc_connector_parse(m->msg_hdr.msg_iov->iov_base, m->msg_len, &change) <= 0 || change.kind == PROC_ACK)
                return;
        if (c->paused)
                c->held[c->n_held++] = change;
        else
                c->fn(c->userdata, &change);
}

/* Until the socket is empty or it is others' turn. Returns how many messages came, or -errno where it is of no more use. */
static int receive(struct proc_connector *c) {
        char datagrams[BATCH][DATAGRAM_MAX];
        struct sockaddr_nl senders[BATCH];
        struct mmsghdr messages[BATCH];
        struct iovec vectors[BATCH];
        int total = 0;

        for (unsigned batch = 0; batch < DRAIN_BATCHES_MAX && !c->paused; batch++) {
                int n;

                for (size_t i = 0; i < BATCH; i++) {
                        vectors[i] = (struct iovec) { .iov_base = datagrams[i], .iov_len = DATAGRAM_MAX };
                        messages[i] = (struct mmsghdr) { .msg_hdr = { .msg_name = &senders[i], .msg_namelen = sizeof(senders[i]),
                                                                      .msg_iov = &vectors[i], .msg_iovlen = 1 } };
                }
                n = recvmmsg(c->fd, messages, BATCH, MSG_DONTWAIT, NULL);
                if (n < 0 && errno == ENOBUFS) {
                        c->overflows++;
                        c->fn(c->userdata, &(struct proc_change) { .kind = PROC_LOST, .t = clock_now(CLOCK_MONOTONIC) });
                        total++;
                        continue;
                }
                if (n < 0)
                        return errno == EAGAIN || errno == EINTR ? total : -errno;
                for (int i = 0; i < n; i++)
                        take_datagram(c, &messages[i]);
                total += n;
                if (n < BATCH)
                        break;
        }
        return total;
}

/* From then on births are found by the scans of all processes alone. */
static int give_up(struct proc_connector *c, int error) {
        c->error = error;
        (void) sd_event_source_set_enabled(c->timer, SD_EVENT_OFF);
        return sd_event_source_set_enabled(c->io, SD_EVENT_OFF);
}

/* Not woken until then. */
static int wait_until(struct proc_connector *c, nsec_t now, nsec_t next) {
        int r = sd_event_source_set_enabled(c->io, SD_EVENT_OFF);

        if (r >= 0)
                r = sd_event_source_set_time_accuracy(c->timer, (next - now) / LOT_ACCURACY / NSEC_PER_USEC);
        if (r >= 0)
                r = sd_event_source_set_time(c->timer, next / NSEC_PER_USEC);
        return r < 0 ? r : sd_event_source_set_enabled(c->timer, SD_EVENT_ONESHOT);
}

/* Returns when the buffer needs to be looked at again, or 0 where it is of no more use. */
static nsec_t drain(struct proc_connector *c, nsec_t now) {
        nsec_t span = nsec_sub(now, c->last_drain);
        int n = receive(c);

        if (n < 0) {
                (void) give_up(c, n);
                return 0;
        }
        c->last_drain = now;
        c->messages += (uint64_t) n;
        return wake_budget_full(now, span, (size_t) n, c->room);
}

static int on_io(sd_event_source *source _unused_, int fd _unused_, uint32_t revents _unused_, void *userdata) {
        struct proc_connector *c = userdata;
        nsec_t now = clock_now(CLOCK_MONOTONIC), full, next;

        if (c->paused)
                return sd_event_source_set_enabled(c->io, SD_EVENT_OFF);
        full = drain(c, now);
        if (full == 0)
                return 0;
        c->wakeups++;
        next = wake_budget_take(&c->budget, now);
        next = MIN(next, full);
        if (c->hurry)
                next = MIN(next, now + WAKE_HURRY_NS);
        c->next = next > now ? next : 0;
        return next > now ? wait_until(c, now, next) : 0;
}

/* Where something waits in the socket, it is taken in this same wake-up. */
static int on_timer(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata) {
        struct proc_connector *c = userdata;

        c->next = 0;
        return sd_event_source_set_enabled(c->io, SD_EVENT_ON);
}

void proc_connector_hurry(struct proc_connector *c, bool hurry) {
        nsec_t now = clock_now(CLOCK_MONOTONIC);

        if (hurry && !c->hurry && c->io && c->error >= 0 && c->next > now + WAKE_HURRY_NS)
                (void) wait_until(c, now, now + WAKE_HURRY_NS);
        c->hurry = hurry;
}

void proc_connector_pause(struct proc_connector *c) {
        c->paused = true;
}

void proc_connector_resume(struct proc_connector *c) {
        size_t n = 0;

        c->paused = false;
        while (n < c->n_held && !c->paused)
                c->fn(c->userdata, &c->held[n++]);
        c->n_held -= n;
        memmove(c->held, c->held + n, c->n_held * sizeof(*c->held));
        if (!c->paused && c->io && c->error >= 0 && c->next == 0)
                (void) sd_event_source_set_enabled(c->io, SD_EVENT_ON);
}

void proc_connector_follow(struct proc_connector *c) {
        if (c->io && c->error >= 0 && !c->paused)
                (void) drain(c, clock_now(CLOCK_MONOTONIC));
}

static int attach(struct proc_connector *c, sd_event *event) {
        int r = sd_event_add_io(event, &c->io, c->fd, EPOLLIN, on_io, c);

        if (r < 0)
                return r;
        (void) sd_event_source_set_description(c->io, "proc-connector");
        r = sd_event_add_time(event, &c->timer, CLOCK_MONOTONIC, 0, 0, on_timer, c);
        if (r < 0)
                return r;
        (void) sd_event_source_set_description(c->timer, "proc-connector-lot");
        return sd_event_source_set_enabled(c->timer, SD_EVENT_OFF);
}

int proc_connector_new(sd_event *event, size_t receive_bytes, proc_change_fn fn, void *userdata, struct proc_connector **ret) {
        struct proc_connector *c = calloc(1, sizeof(*c));
        int r;

        if (!c)
                return -ENOMEM;
        *c = (struct proc_connector) { .fd = -1, .fn = fn, .userdata = userdata };
        receive_bytes = receive_bytes > 0 ? receive_bytes : PROC_CONNECTOR_BUFFER_BYTES;
        c->room = 2 * receive_bytes / MESSAGE_BUFFER_BYTES; /* the kernel doubles what it is asked for */
        c->started = c->last_drain = clock_now(CLOCK_MONOTONIC);
        c->error = start(c, receive_bytes);
        if (c->error < 0)
                c->fd = safe_close(c->fd);
        r = c->error < 0 ? 0 : attach(c, event);
        if (r < 0) {
                proc_connector_free(c);
                return r;
        }
        *ret = c;
        return 0;
}

uint64_t proc_connector_wakeups(const struct proc_connector *c) {
        return c->wakeups;
}

struct proc_connector *proc_connector_free(struct proc_connector *c) {
        if (!c)
                return NULL;
        sd_event_source_disable_unref(c->io);
        sd_event_source_disable_unref(c->timer);
        if (c->listening) /* kernels before 6.6 count listeners, and do not notice that one is gone */
                (void) send_request(c->fd, PROC_CN_MCAST_IGNORE, 0, 0);
        safe_close(c->fd);
        free(c);
        return NULL;
}

static void add_account(const struct proc_connector *c, struct source_info *ret) {
        uint64_t s = nsec_sub(clock_now(CLOCK_MONOTONIC), c->started) / NSEC_PER_SEC + 1;

        snprintf(ret->detail, sizeof(ret->detail),
                 "births and deaths of processes and what they run, from the kernel as they happen; %.1f wake-ups/s for %.1f of them/s",
                 (double) c->wakeups / (double) s, (double) c->messages / (double) s);
        if (c->overflows > 0)
                str_append(ret->detail, sizeof(ret->detail), "; more came than the kernel's buffer holds: %" PRIu64 " times", c->overflows);
}

void proc_connector_probe(const struct proc_connector *c, struct source_info *ret) {
        const char *why;

        *ret = (struct source_info) { .name = "proc-connector", .state = SOURCE_WORKS };
        if (c->error >= 0) {
                add_account(c, ret);
                return;
        }
        ret->state = SOURCE_UNAVAILABLE;
        if (c->error == -ETIME)
                why = "the kernel does not answer: it tells only the initial user and PID namespace, so run briod outside the container";
        else if (c->error == -EPERM || c->error == -EACCES)
                why = "not permitted; give briod CAP_NET_ADMIN";
        else if (c->error == -ECONNREFUSED)
                why = "no answer comes in this network namespace: run briod in the initial one, or by systemd with briod-processes.socket";
        else if (c->error == -EPROTONOSUPPORT)
                why = "not in this kernel; it needs CONFIG_CONNECTOR and CONFIG_PROC_EVENTS";
        else
                why = strerrordesc_np(-c->error);
        snprintf(ret->detail, sizeof(ret->detail), "%s; new processes are found by scans", why ? why : "unknown error");
}
