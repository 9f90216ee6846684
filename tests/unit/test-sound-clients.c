/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>

#include "macro.h"
#include "sound-clients.h"
#include "test.h"

#define SEQUENCE 5

struct answer {
        size_t size;
        uint64_t bytes[512];
};

static char *room(struct answer *a) {
        return (char *) a->bytes + a->size;
}

static void put_attribute(struct answer *a, uint16_t type, const void *value, size_t size) {
        struct rtattr head = { .rta_len = (uint16_t) RTA_LENGTH(size), .rta_type = type };

        memcpy(room(a), &head, sizeof(head));
        memcpy(room(a) + RTA_LENGTH(0), value, size);
        a->size += RTA_ALIGN(head.rta_len);
}

/* A socket that is bound to path, or to none (NULL), and connected to that of peer, or to none (0). */
static void put_socket(struct answer *a, const char *path, uint32_t peer) {
        struct nlmsghdr *h = (struct nlmsghdr *) (void *) room(a);
        size_t begin = a->size;

        a->size += NLMSG_LENGTH(sizeof(struct unix_diag_msg));
        if (path)
                put_attribute(a, UNIX_DIAG_NAME, path, strlen(path));
        if (peer)
                put_attribute(a, UNIX_DIAG_PEER, &peer, sizeof(peer));
        *h = (struct nlmsghdr){ .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_len = (uint32_t) (a->size - begin), .nlmsg_seq = SEQUENCE };
}

static void put_end(struct answer *a, uint16_t type, int error) {
        struct nlmsghdr *h = (struct nlmsghdr *) (void *) room(a);

        *h = (struct nlmsghdr){ .nlmsg_type = type, .nlmsg_len = NLMSG_LENGTH(sizeof(error)), .nlmsg_seq = SEQUENCE };
        memcpy(NLMSG_DATA(h), &error, sizeof(error));
        a->size += h->nlmsg_len;
}

/* What the kernel answers instead of what it would; NULL: it fails. Without an end it goes on and on. */
static const struct answer *instead;
static bool is_instead, is_asked;
static uint32_t asked_sequence;

ssize_t send(int fd, const void *data, size_t size, int flags) {
        if (!is_instead)
                return sendto(fd, data, size, flags, NULL, 0);
        is_asked = true;
        asked_sequence = ((const struct nlmsghdr *) data)->nlmsg_seq;
        return (ssize_t) size;
}

static void set_sequence(void *answer, size_t size, uint32_t sequence) {
        for (struct nlmsghdr *h = answer; NLMSG_OK(h, size); h = NLMSG_NEXT(h, size))
                h->nlmsg_seq = sequence;
}

ssize_t recv(int fd, void *buf, size_t size, int flags) {
        if (!is_instead)
                return recvfrom(fd, buf, size, flags, NULL, NULL);
        if (!is_asked || !instead) {
                errno = is_asked ? ENOBUFS : EAGAIN;
                return -1;
        }
        memcpy(buf, instead->bytes, MIN(size, instead->size));
        set_sequence(buf, MIN(size, instead->size), asked_sequence);
        return (ssize_t) MIN(size, instead->size);
}

TEST(a_question_that_fails_or_has_no_end_is_asked_again) {
        struct answer whole = { 0 }, endless = { 0 };
        struct sound_clients *c;

        put_socket(&endless, "/run/user/1000/bus", 14);
        put_socket(&whole, "/run/user/1000/pipewire-0", 11);
        put_end(&whole, NLMSG_DONE, 0);
        is_instead = true;
        instead = &whole;
        c = sound_clients_new();
        CHECK(c && sound_clients_have(c, 11, 10 * NSEC_PER_SEC));
        CHECK(!sound_clients_have(c, 14, 10 * NSEC_PER_SEC));
        instead = &endless;
        CHECK(!sound_clients_have(c, 11, 20 * NSEC_PER_SEC));
        CHECK_INT(sound_clients_bounds_hit(c), 1);
        instead = NULL;
        CHECK(!sound_clients_have(c, 11, 30 * NSEC_PER_SEC));
        instead = &whole;
        CHECK(sound_clients_have(c, 11, 40 * NSEC_PER_SEC));
        CHECK_INT(sound_clients_bounds_hit(c), 1);
        is_instead = false;
        sound_clients_free(c);
}

TEST(a_process_connected_to_pipewire_or_pulseaudio_is_a_client_and_no_other_is) {
        uint32_t inodes[SOUND_CLIENTS_MAX] = { 0 };
        struct answer a = { 0 };
        bool more;

        put_socket(&a, "/run/user/1000/pipewire-0", 11);
        put_socket(&a, "/run/user/1000/pulse/native", 12);
        put_socket(&a, "/run/user/1000/pipewire-0-manager", 13);
        put_socket(&a, "/run/user/1000/bus", 14);
        put_socket(&a, "/home/user/pulse/native", 15);
        put_socket(&a, "/run/lock/pulse/native", 18); /* a directory that every user may write to */
        put_socket(&a, "/run/user/1000/app/pipewire-0", 19);
        put_socket(&a, "/run/user//pipewire-0/pipewire-0", 20);
        put_socket(&a, NULL, 16);
        put_socket(&a, "/run/pulse/native", 0); /* held by none any more */
        CHECK_INT(sound_clients_parse(a.bytes, a.size, SEQUENCE, inodes, 0, &more), 2);
        CHECK(more && inodes[0] == 11 && inodes[1] == 12);
        a.size = 0;
        put_socket(&a, "/run/pulse/native", 17);
        put_socket(&a, "/run/pipewire/pipewire-0", 21);
        put_end(&a, NLMSG_DONE, 0);
        CHECK_INT(sound_clients_parse(a.bytes, a.size, SEQUENCE, inodes, 2, &more), 4);
        CHECK(!more && inodes[2] == 17 && inodes[3] == 21);
}

TEST(a_kernel_that_does_not_tell_says_so) {
        uint32_t inodes[SOUND_CLIENTS_MAX];
        struct answer a = { 0 };
        bool more;

        put_end(&a, NLMSG_ERROR, -ENOENT);
        CHECK_INT(sound_clients_parse(a.bytes, a.size, SEQUENCE, inodes, 0, &more), -ENOENT);
}

TEST(what_the_kernel_says_to_another_question_is_skipped_with_its_end_and_its_errors) {
        uint32_t inodes[SOUND_CLIENTS_MAX] = { 0 };
        struct answer a = { 0 };
        bool more;

        put_socket(&a, "/run/user/1000/pipewire-0", 11);
        put_end(&a, NLMSG_DONE, 0);
        put_end(&a, NLMSG_ERROR, -EBUSY);
        set_sequence(a.bytes, a.size, SEQUENCE - 1);
        CHECK_INT(sound_clients_parse(a.bytes, a.size, SEQUENCE, inodes, 0, &more), 0);
        CHECK(more);
        put_socket(&a, "/run/user/1000/pipewire-0", 12);
        put_end(&a, NLMSG_DONE, 0);
        CHECK_INT(sound_clients_parse(a.bytes, a.size, SEQUENCE, inodes, 0, &more), 1);
        CHECK(!more && inodes[0] == 12);
}

TEST(clients_beyond_the_bound_are_counted_and_not_kept) {
        uint32_t inodes[SOUND_CLIENTS_MAX + 1] = { [SOUND_CLIENTS_MAX] = 4711 };
        size_t n = 0;

        for (uint32_t i = 0; i < SOUND_CLIENTS_MAX + 10; i++) {
                struct answer a = { 0 };
                bool more;
                put_socket(&a, "/run/user/1000/pulse/native", 1 + i);
                n = (size_t) sound_clients_parse(a.bytes, a.size, SEQUENCE, inodes, n, &more);
        }
        CHECK_INT(n, SOUND_CLIENTS_MAX + 1);
        CHECK_INT(inodes[SOUND_CLIENTS_MAX - 1], SOUND_CLIENTS_MAX);
        CHECK_INT(inodes[SOUND_CLIENTS_MAX], 4711);
}

TEST(cut_and_garbled_answers_break_nothing) {
        uint64_t random = test_seed();
        struct answer whole = { 0 };

        put_socket(&whole, "/run/user/1000/pulse/native", 11);
        put_socket(&whole, "/run/user/1000/pipewire-0", 12);
        put_end(&whole, NLMSG_DONE, 0);
        for (unsigned i = 0; i < 20000; i++) {
                uint32_t inodes[SOUND_CLIENTS_MAX];
                struct answer a = whole;
                bool more;
                int r;
                for (unsigned k = 0; k < 1 + i % 4; k++)
                        ((uint8_t *) a.bytes)[test_random(&random) % a.size] = (uint8_t) test_random(&random);
                r = sound_clients_parse(a.bytes, test_random(&random) % (a.size + 1), SEQUENCE, inodes, 0, &more);
                CHECK(r < 0 || r <= 2);
        }
}
