/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "clock.h"
#include "fdio.h"
#include "macro.h"
#include "netlink-socket.h"
#include "sound-clients.h"

#define ANSWER_MAX 32768 /* the kernel fills no larger one */
#define ANSWERS_MAX 256  /* of some hundred sockets each: any user may have more of them */
#define STATE_ESTABLISHED 1
#define PATH_SIZE (sizeof(((struct sockaddr_un *) NULL)->sun_path) + 1)

struct sound_clients {
        bool works; /* the kernel says so at all */
        nsec_t asked; /* 0: never */
        size_t n;
        uint32_t inodes[SOUND_CLIENTS_MAX];
        uint64_t bounds_hit;
        uint64_t answer[ANSWER_MAX / sizeof(uint64_t)];
};

/* Where PipeWire and PulseAudio listen, a user's and the system's. It is no proof: each user can listen there, or be connected and play nothing. What that
 * gains is bounded where it would (core/law-stream-first.c). */
static bool is_sound_server(const char *path, size_t length) {
        static const char *const names[] = { "/pipewire-0", "/pulse/native", "/pipewire/pipewire-0" };
        char text[PATH_SIZE];
        const char *of_user, *rest;

        snprintf(text, sizeof(text), "%.*s", (int) MIN(length, sizeof(text)), path);
        of_user = startswith(text, "/run/user/");
        rest = of_user ? of_user + strspn(of_user, "0123456789") : startswith(text, "/run");
        for (size_t i = 0; rest && i < ARRAY_SIZE(names); i++)
                if (streq(rest, names[i]))
                        return true;
        return false;
}

/* The other end of the socket, 0 where it is none of the sound server's, or has none any more. */
static uint32_t find_client(const char *attributes, size_t size) {
        bool is_server = false;
        uint32_t peer = 0;

        while (size >= RTA_LENGTH(0)) {
                struct rtattr a;

                memcpy(&a, attributes, sizeof(a));
                if (a.rta_len < RTA_LENGTH(0) || a.rta_len > size)
                        break;
                if (a.rta_type == UNIX_DIAG_NAME)
                        is_server = is_sound_server(attributes + RTA_LENGTH(0), a.rta_len - RTA_LENGTH(0));
                if (a.rta_type == UNIX_DIAG_PEER && a.rta_len >= RTA_LENGTH(sizeof(peer)))
                        memcpy(&peer, attributes + RTA_LENGTH(0), sizeof(peer));
                attributes += MIN((size_t) RTA_ALIGN(a.rta_len), size);
                size -= MIN((size_t) RTA_ALIGN(a.rta_len), size);
        }
        return is_server ? peer : 0;
}

static int read_error(const char *data, size_t size) {
        int error;

        if (size < sizeof(error))
                return -EBADMSG;
        memcpy(&error, data, sizeof(error));
        return error < 0 ? error : -EBADMSG;
}

int sound_clients_parse(const void *answer, size_t size, uint32_t sequence, uint32_t ret[SOUND_CLIENTS_MAX], size_t n, bool *ret_more) {
        const char *p = answer;
        struct nlmsghdr h;

        *ret_more = true;
        for (; size >= sizeof(h); p += MIN((size_t) NLMSG_ALIGN(h.nlmsg_len), size), size -= MIN((size_t) NLMSG_ALIGN(h.nlmsg_len), size)) {
                size_t head = NLMSG_LENGTH(sizeof(struct unix_diag_msg));
                uint32_t client;

                memcpy(&h, p, sizeof(h));
                if (h.nlmsg_len < NLMSG_HDRLEN || h.nlmsg_len > size)
                        return -EBADMSG;
                if (h.nlmsg_seq != sequence)
                        continue;
                if (h.nlmsg_type == NLMSG_DONE) {
                        *ret_more = false;
                        break;
                }
                if (h.nlmsg_type == NLMSG_ERROR)
                        return read_error(p + NLMSG_HDRLEN, h.nlmsg_len - NLMSG_HDRLEN);
                if (h.nlmsg_type != SOCK_DIAG_BY_FAMILY || h.nlmsg_len < head)
                        continue;
                client = find_client(p + head, h.nlmsg_len - head);
                if (client && n < SOUND_CLIENTS_MAX)
                        ret[n] = client;
                n += client && n <= SOUND_CLIENTS_MAX;
        }
        return (int) n;
}

/* What a question of before left unread, also that of an earlier briod: a socket that systemd passed keeps it, and the kernel takes no other question until it
 * is read (-EBUSY). */
static void read_rest(struct sound_clients *c, int fd) {
        for (unsigned i = 0; i < ANSWERS_MAX; i++)
                if (recv(fd, c->answer, sizeof(c->answer), MSG_DONTWAIT) < 0 && errno != ENOBUFS)
                        return;
}

static int ask(struct sound_clients *c) {
        _cleanup_close_ int fd = netlink_socket_open(NETLINK_SOCK_DIAG);
        struct {
                struct nlmsghdr header;
                struct unix_diag_req request;
        } q = {
                .header = { .nlmsg_len = sizeof(q), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
                            .nlmsg_seq = (uint32_t) clock_now(CLOCK_MONOTONIC) }, /* tells its answer from the rest of another */
                .request = { .sdiag_family = AF_UNIX, .udiag_states = 1u << STATE_ESTABLISHED, .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER },
        };
        size_t n = 0;
        bool more = true;

        c->n = 0;
        if (fd < 0)
                return fd;
        read_rest(c, fd);
        if (send(fd, &q, sizeof(q), MSG_NOSIGNAL) < 0)
                return -errno;
        for (unsigned i = 0; more && i < ANSWERS_MAX; i++) { /* the kernel makes the next while one is taken: nothing is waited for */
                ssize_t size = recv(fd, c->answer, sizeof(c->answer), MSG_DONTWAIT);
                int r = size < 0 ? -errno : sound_clients_parse(c->answer, (size_t) size, q.header.nlmsg_seq, c->inodes, n, &more);
                if (r < 0)
                        return r;
                n = (size_t) r;
        }
        c->bounds_hit += more || n > SOUND_CLIENTS_MAX;
        c->n = MIN(n, (size_t) SOUND_CLIENTS_MAX);
        return 0;
}

struct sound_clients *sound_clients_new(void) {
        struct sound_clients *c = calloc(1, sizeof(*c));

        if (c) {
                int r = ask(c);
                c->works = r == 0 || r == -EBUSY;
        }
        return c;
}

struct sound_clients *sound_clients_free(struct sound_clients *c) {
        free(c);
        return NULL;
}

bool sound_clients_have(struct sound_clients *c, uint64_t inode, nsec_t now) {
        if (!c->works)
                return false;
        if (!c->asked || nsec_sub(now, c->asked) > SOUND_CLIENTS_FRESH_NS) {
                c->asked = MAX(now, 1u);
                (void) ask(c); /* what fails for now is asked again then */
        }
        for (size_t i = 0; i < c->n; i++)
                if (c->inodes[i] == inode)
                        return true;
        return false;
}

uint64_t sound_clients_bounds_hit(const struct sound_clients *c) {
        return c->bounds_hit;
}
