/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a service hears through, with a network namespace of its own and the sockets that systemd passes (data/briod-*.socket). */
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>

#include "clock.h"
#include "devices-internal.h"
#include "netlink-socket.h"
#include "proc-connector.h"
#include "sound-clients.h"
#include "test.h"

#define NO_NAMESPACE "needs root: a network namespace of its own"
#define NOT_NAMED "this kernel does not tell network namespaces apart"
#define PATIENCE_NS (20 * NSEC_PER_SEC)
#define OUT_OF_THE_WAY 100 /* of the numbers that are passed */

static const int passed[] = { NETLINK_KOBJECT_UEVENT, NETLINK_CONNECTOR, NETLINK_SOCK_DIAG };

/* 0: not known, before Linux 5.14. */
static uint64_t namespace_of(int fd) {
        uint64_t cookie = 0;
        socklen_t size = sizeof(cookie);

        return getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) < 0 ? 0 : cookie;
}

static uint64_t own_namespace(void) {
        _cleanup_close_ int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

        return namespace_of(fd);
}

static bool pass_sockets(void) {
        int fds[ARRAY_SIZE(passed)];
        char text[16];

        for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
                struct sockaddr_nl address = { .nl_family = AF_NETLINK };
                _cleanup_close_ int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, passed[i]);
                if (fd < 0 || bind(fd, (struct sockaddr *) &address, sizeof(address)) < 0 || (fds[i] = fcntl(fd, F_DUPFD, OUT_OF_THE_WAY)) < 0)
                        return false;
        }
        for (size_t i = 0; i < ARRAY_SIZE(passed); i++)
                if (dup3(fds[i], SD_LISTEN_FDS_START + (int) i, O_CLOEXEC) < 0)
                        return false;
        snprintf(text, sizeof(text), "%d", getpid());
        setenv("LISTEN_PID", text, true);
        snprintf(text, sizeof(text), "%zu", ARRAY_SIZE(passed));
        setenv("LISTEN_FDS", text, true);
        return true;
}

/* In a process that systemd starts so; passes: whether it passes sockets. Returns what fn does, or -1. */
static int run_as_service(bool passes, int (*fn)(uint64_t machine)) {
        uint64_t machine = own_namespace();
        int status;
        pid_t pid;

        fflush(stdout);
        pid = fork();
        if (pid == 0)
                _exit((passes && !pass_sockets()) || unshare(CLONE_NEWNET) < 0 ? UINT8_MAX : fn(machine));
        return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void skip_without(void) {
        if (geteuid() != 0)
                test_skip(NO_NAMESPACE);
        if (own_namespace() == 0)
                test_skip(NOT_NAMED);
}

/* How many of them are the machine's. */
static int count_machines(uint64_t machine) {
        int n = 0;

        for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
                _cleanup_close_ int fd = netlink_socket_open(passed[i]);
                int flags = fcntl(fd, F_GETFL);
                n += namespace_of(fd) == machine && flags & O_NONBLOCK;
        }
        return n;
}

static int count_others(uint64_t machine) {
        _cleanup_close_ int fd = netlink_socket_open(NETLINK_ROUTE);

        return fd >= 0 && namespace_of(fd) != machine;
}

TEST(what_was_passed_is_taken_for_its_protocol_and_for_no_other) {
        skip_without();
        CHECK_INT(run_as_service(false, count_machines), 0);
        CHECK_INT(run_as_service(true, count_machines), ARRAY_SIZE(passed));
        CHECK_INT(run_as_service(true, count_others), 1);
}

static void see(void *userdata, const struct proc_change *c) {
        bool *born = userdata;

        *born |= c->kind == PROC_BORN && c->parent == getpid();
}

/* Whether a birth is heard of. */
static int hear_processes(uint64_t machine _unused_) {
        nsec_t end = clock_now(CLOCK_MONOTONIC) + PATIENCE_NS;
        struct proc_connector *c = NULL;
        struct source_info info;
        sd_event *event = NULL;
        bool born = false;
        pid_t pid;

        if (sd_event_new(&event) < 0 || proc_connector_new(event, 0, see, &born, &c) < 0)
                return 0;
        proc_connector_probe(c, &info);
        if (info.state != SOURCE_WORKS)
                return 0;
        pid = fork();
        if (pid == 0)
                _exit(0);
        waitpid(pid, NULL, 0);
        while (!born && clock_now(CLOCK_MONOTONIC) < end)
                sd_event_run(event, USEC_PER_SEC);
        return born;
}

TEST(births_are_heard_of_through_what_was_passed) {
        skip_without();
        CHECK_INT(run_as_service(false, hear_processes), 0);
        CHECK_INT(run_as_service(true, hear_processes), 1);
}

static void look_away(void *userdata _unused_, enum drive_action action _unused_, const struct drive *drive _unused_) {
}

/* Whether libudev's monitor listens where udev speaks. */
static int hear_drives(uint64_t machine) {
        static const struct devices_config config = { .root = "" };
        struct devices *d = NULL;
        sd_event *event = NULL;
        uint32_t groups = 0;
        socklen_t size = sizeof(groups);
        int fd;

        if (sd_event_new(&event) < 0 || devices_new(&config, event, look_away, NULL, &d) < 0 || !d->monitor_source)
                return 0;
        fd = udev_monitor_get_fd(d->monitor);
        return namespace_of(fd) == machine && getsockopt(fd, SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS, &groups, &size) == 0 && groups != 0;
}

TEST(drives_are_heard_of_through_what_was_passed) {
        skip_without();
        CHECK_INT(run_as_service(false, hear_drives), 0);
        CHECK_INT(run_as_service(true, hear_drives), 1);
}

/* Asks as an earlier briod did that ended before it read the answer. */
static bool leave_unread(void) {
        _cleanup_close_ int fd = netlink_socket_open(NETLINK_SOCK_DIAG);
        struct {
                struct nlmsghdr header;
                struct unix_diag_req request;
        } q = {
                .header = { .nlmsg_len = sizeof(q), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP, .nlmsg_seq = 1 },
                .request = { .sdiag_family = AF_UNIX, .udiag_states = UINT32_MAX, .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER },
        };

        return send(fd, &q, sizeof(q), MSG_NOSIGNAL) == (ssize_t) sizeof(q);
}

/* So many that the kernel does not tell of all at once. */
static void make_many(void) {
        for (unsigned i = 0; i < 400; i++) {
                int pair[2];
                (void) socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
        }
}

/* Returns the number of a socket that is connected to a sound server's, or 0. */
static uint64_t connect_to_sound_server(void) {
        struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/run/pulse/native" };
        int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct stat st;

        if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount("tmpfs", "/run", "tmpfs", 0, NULL) < 0 ||
            mkdir("/run/pulse", 0755) < 0 || bind(server, (struct sockaddr *) &address, sizeof(address)) < 0 || listen(server, 1) < 0 ||
            connect(client, (struct sockaddr *) &address, sizeof(address)) < 0 || accept4(server, NULL, NULL, SOCK_CLOEXEC) < 0 || fstat(client, &st) < 0)
                return 0;
        return st.st_ino;
}

static int machine_namespace = -1;

static int find_sound(uint64_t machine _unused_) {
        struct sound_clients *c;
        uint64_t client;

        if (setns(machine_namespace, CLONE_NEWNET) < 0) /* where the processes are */
                return 0;
        client = connect_to_sound_server();
        make_many();
        if (client == 0 || !leave_unread() || !(c = sound_clients_new()))
                return 0;
        return sound_clients_have(c, client, 10 * NSEC_PER_SEC) + 2 * (leave_unread() && sound_clients_have(c, client, 20 * NSEC_PER_SEC));
}

TEST(an_answer_that_was_left_unread_on_what_was_passed_does_not_put_the_next_ones_out_of_step) {
        _cleanup_close_ int fd = -1;

        skip_without();
        fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
        machine_namespace = fcntl(fd, F_DUPFD_CLOEXEC, 2 * OUT_OF_THE_WAY);
        CHECK_INT(run_as_service(true, find_sound), 3);
        safe_close(machine_namespace);
}
