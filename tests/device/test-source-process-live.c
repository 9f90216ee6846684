/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process source on the running kernel. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "clock.h"
#include "proc-connector.h"
#include "process-drives.h"
#include "sound-clients.h"
#include "source-process.h"
#include "test.h"

#define NOT_ROOT "needs root: the process connector and loop devices"
#define NO_CONNECTOR "the kernel does not let us listen to the process connector"
#define NO_LOOP "no loop device can be made here"

#define BLOCK_BYTES 4096
#define BLOCKS 64
#define LOOP_BYTES (1 << 20)
#define PATIENCE_NS (20 * NSEC_PER_SEC)

DEFINE_TRIVIAL_CLEANUP_FUNC(struct source_process *, source_process_free)
DEFINE_TRIVIAL_CLEANUP_FUNC(struct drive_finder *, drive_finder_free)

struct seen {
        uint32_t drive; /* the only one of ours */
        int32_t watch;  /* a process */
        uint64_t read_bytes, elsewhere_bytes;
        unsigned names, exits, lost, bursts;
        bool inferred, sampled;
        int error; /* of the last sample */
};

static uint32_t resolve(void *userdata, uint32_t dev) {
        const struct seen *s = userdata;

        return dev == s->drive ? dev : 0;
}

static void note_burst(void *userdata) {
        ((struct seen *) userdata)->bursts++;
}

static void take(void *userdata, const struct event *e) {
        struct seen *s = userdata;

        s->lost += e->kind == EVENT_LOST;
        if (e->tgid != s->watch || s->watch == 0)
                return;
        s->names += e->kind == EVENT_PROCESS_NAME;
        s->exits += e->kind == EVENT_PROCESS_EXIT;
        if (e->kind != EVENT_PROCESS_IO)
                return;
        s->inferred = e->flags & EVENT_INFERRED;
        *(e->dev == s->drive ? &s->read_bytes : &s->elsewhere_bytes) += e->process_io.read_bytes;
}

static void note_sampled(void *userdata, int error) {
        struct seen *s = userdata;

        s->sampled = true;
        s->error = error;
}

static void run_for(sd_event *event, nsec_t duration) {
        for (nsec_t end = clock_now(CLOCK_MONOTONIC) + duration; clock_now(CLOCK_MONOTONIC) < end;)
                sd_event_run(event, 10000);
}

static struct source_process *open_source(sd_event **event, struct seen *seen) {
        struct source_process_config config = { .root = "", .sink = { take, seen }, .resolve = resolve, .burst = note_burst,
                                                .sampled = note_sampled, .userdata = seen };
        struct source_process *s = NULL;

        if (sd_event_new(event) < 0 || source_process_new(&config, *event, &s) < 0)
                abort();
        return s;
}

static bool has_connector(struct source_process *s) {
        struct source_info info[SOURCE_INFOS_MAX];

        source_process_ops.probe(s, info);
        return info[1].state == SOURCE_WORKS;
}

/* Until its end. Again where a busy machine kept the reader from answering. */
static int sample(sd_event *event, struct source_process *s, struct seen *seen, nsec_t ahead, const struct drive_activity *drives, size_t n) {
        nsec_t end = clock_now(CLOCK_MONOTONIC) + PATIENCE_NS;
        int r;

        do {
                seen->sampled = false;
                r = source_process_sample(s, clock_now(CLOCK_MONOTONIC) + ahead, drives, n);
                while (r == 1 && !seen->sampled)
                        sd_event_run(event, UINT64_MAX);
                r = r == 1 ? seen->error : r;
                if (r < 0)
                        run_for(event, 100 * NSEC_PER_MSEC);
        } while ((r == -EBUSY || r == -ETIMEDOUT) && clock_now(CLOCK_MONOTONIC) < end);
        return r;
}

/* A loop device on a fresh file; it goes when the returned descriptor is closed. -1 where there can be none. */
static int make_loop(char path[32], uint32_t *ret_dev) {
        _cleanup_close_ int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), file = -1;
        char backing[4200];

        test_write_file(test_tmpdir(), "backing", "");
        snprintf(backing, sizeof(backing), "%s/backing", test_tmpdir());
        file = open(backing, O_RDWR | O_CLOEXEC);
        if (control < 0 || file < 0 || ftruncate(file, LOOP_BYTES) < 0)
                return -1;
        for (unsigned attempt = 0; attempt < 16; attempt++) { /* another process may take the number that we were told */
                struct loop_config config = { .fd = (uint32_t) file, .info.lo_flags = LO_FLAGS_AUTOCLEAR };
                int number = ioctl(control, LOOP_CTL_GET_FREE);
                struct stat st;
                int fd;

                snprintf(path, 32, "/dev/loop%d", number);
                fd = number < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
                if (fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config) == 0 && fstat(fd, &st) == 0) {
                        *ret_dev = DEV_NUMBER(major(st.st_rdev), minor(st.st_rdev));
                        return fd;
                }
                safe_close(fd);
        }
        return -1;
}

/* A child that reads all of path past the page cache, then waits for its end. *ret_pid and a descriptor that tells when it
 * has read (a byte) or failed (none). */
static int start_reader(const char *path, pid_t *ret_pid) {
        int fds[2];

        if (pipe2(fds, O_CLOEXEC) < 0)
                return -1;
        *ret_pid = fork();
        if (*ret_pid == 0) {
                int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
                void *block = aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);

                for (off_t i = 0; i < BLOCKS; i++)
                        if (!block || pread(fd, block, BLOCK_BYTES, i * BLOCK_BYTES) != BLOCK_BYTES)
                                _exit(1);
                if (write(fds[1], "", 1) == 1)
                        pause();
                _exit(0);
        }
        close(fds[1]);
        return fds[0];
}

static void end_child(pid_t pid) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
}

TEST(a_direct_reader_born_after_the_first_sample_is_seen_at_once_on_its_drive) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_process_freep) struct source_process *s = NULL;
        _cleanup_close_ int loop = -1, ready = -1;
        struct seen seen = { 0 };
        uint32_t other = DEV_NUMBER(8, 0);
        char path[32], byte;
        ssize_t n;

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        loop = make_loop(path, &seen.drive);
        if (loop < 0)
                test_skip(NO_LOOP);
        s = open_source(&event, &seen);
        CHECK_INT(sample(event, s, &seen, 0, &(struct drive_activity){ seen.drive, UINT64_MAX }, 1), 0);
        ready = start_reader(path, &seen.watch);
        n = read(ready, &byte, 1);
        source_process_follow(s);
        /* without the connector only the next full scan finds it */
        CHECK_INT(sample(event, s, &seen, has_connector(s) ? 0 : 6 * NSEC_PER_SEC,
                         (struct drive_activity[]) { { other, UINT64_MAX }, { seen.drive, UINT64_MAX } }, 2), 0);
        end_child(seen.watch);
        source_process_follow(s);
        CHECK_INT(sample(event, s, &seen, 12 * NSEC_PER_SEC, &(struct drive_activity){ seen.drive, UINT64_MAX }, 1), 0);
        CHECK_INT(n, 1);
        CHECK(seen.read_bytes >= BLOCKS * BLOCK_BYTES); /* and what its own pages took */
        CHECK_INT(seen.elsewhere_bytes, 0);
        CHECK(seen.inferred && seen.names == 1 && seen.exits == 1);
}

TEST(the_first_sample_tells_what_a_process_born_just_before_it_has_read) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_process_freep) struct source_process *s = NULL;
        _cleanup_close_ int loop = -1, ready = -1;
        struct seen seen = { 0 };
        char path[32], byte;
        nsec_t start;
        ssize_t n;
        int r;

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        loop = make_loop(path, &seen.drive);
        if (loop < 0)
                test_skip(NO_LOOP);
        s = open_source(&event, &seen);
        start = clock_now(CLOCK_MONOTONIC);
        ready = start_reader(path, &seen.watch);
        n = read(ready, &byte, 1);
        r = sample(event, s, &seen, 0, &(struct drive_activity){ seen.drive, UINT64_MAX }, 1);
        end_child(seen.watch);
        CHECK_INT(n, 1);
        CHECK_INT(r, 0);
        if (clock_now(CLOCK_MONOTONIC) - start > 2 * NSEC_PER_SEC)
                test_skip("the machine is too slow to read 256 KiB within two seconds");
        CHECK(seen.read_bytes >= BLOCKS * BLOCK_BYTES);
}

TEST(eight_forks_call_the_daemon) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_process_freep) struct source_process *s = NULL;
        struct seen seen = { 0 };
        nsec_t end;

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        s = open_source(&event, &seen);
        if (!has_connector(s))
                test_skip(NO_CONNECTOR);
        end = clock_now(CLOCK_MONOTONIC) + PATIENCE_NS;
        do { /* again where this was kept from running in between: then they are no burst */
                for (unsigned i = 0; i < 8; i++) {
                        pid_t pid = fork();
                        if (pid == 0)
                                _exit(0);
                        waitpid(pid, NULL, 0);
                }
                run_for(event, 100 * NSEC_PER_MSEC);
        } while (seen.bursts == 0 && clock_now(CLOCK_MONOTONIC) < end);
        CHECK_INT(seen.bursts, 1);
}

TEST(lost_births_are_told_and_found_by_the_next_sample) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_process_freep) struct source_process *s = NULL;
        _cleanup_close_ int loop = -1, ready = -1;
        struct seen seen = { 0 };
        char path[32], byte;
        ssize_t n;

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        loop = make_loop(path, &seen.drive);
        if (loop < 0)
                test_skip(NO_LOOP);
        s = open_source(&event, &seen);
        if (!has_connector(s))
                test_skip(NO_CONNECTOR);
        CHECK_INT(sample(event, s, &seen, 0, &(struct drive_activity){ seen.drive, UINT64_MAX }, 1), 0);
        for (unsigned i = 0; i < 4000; i++) { /* more than the receive buffer holds */
                pid_t pid = fork();
                if (pid == 0)
                        _exit(0);
                waitpid(pid, NULL, 0);
        }
        ready = start_reader(path, &seen.watch);
        n = read(ready, &byte, 1);
        source_process_follow(s);
        CHECK_INT(sample(event, s, &seen, 0, &(struct drive_activity){ seen.drive, UINT64_MAX }, 1), 0);
        end_child(seen.watch);
        CHECK_INT(n, 1);
        CHECK(seen.lost > 0);
        CHECK(seen.read_bytes >= BLOCKS * BLOCK_BYTES); /* and what its own pages took */
}

static uint16_t holds(struct drive_finder *f) {
        static nsec_t now = NSEC_PER_SEC;
        struct process_drives d;

        now += SOUND_CLIENTS_FRESH_NS + NSEC_PER_SEC;
        drive_finder_look(f, getpid(), now, &d);
        return d.holds;
}

/* Nodes as ALSA's and V4L2's: no driver need be there for one that is opened as a path. */
TEST(a_process_with_a_node_of_sound_or_video_open_holds_it_and_one_with_another_node_does_not) {
        static const struct {
                const char *name;
                unsigned major;
                uint16_t holds;
        } nodes[] = { { "pcmC0D0p", 116, EVENT_HOLDS_SOUND }, { "controlC0", 116, 0 }, { "pcmC1D0p", 1, 0 }, { "video0", 81, EVENT_HOLDS_VIDEO } };
        _cleanup_(drive_finder_freep) struct drive_finder *f = NULL;
        struct seen seen = { 0 };
        char path[512];

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        CHECK_INT(drive_finder_new("", resolve, &seen, &f), 0);
        CHECK_INT(holds(f), 0);
        for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
                _cleanup_close_ int fd = -1;
                snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), nodes[i].name);
                CHECK_INT(mknod(path, S_IFCHR | 0600, makedev(nodes[i].major, 2)), 0);
                fd = open(path, O_PATH | O_CLOEXEC);
                CHECK(fd >= 0);
                CHECK_INT(holds(f), nodes[i].holds);
        }
        CHECK_INT(holds(f), 0);
}

static int open_socket(const struct sockaddr_un *address, bool listens) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if ((listens ? bind : connect)(fd, (const struct sockaddr *) address, sizeof(*address)) < 0 || (listens && listen(fd, 1) < 0))
                abort();
        return fd;
}

TEST(a_client_of_the_sound_server_holds_sound_until_it_disconnects) {
        _cleanup_(drive_finder_freep) struct drive_finder *f = NULL;
        struct seen seen = { 0 };
        _cleanup_close_ int server = -1, client = -1, taken = -1;
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        char directory[64];

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        snprintf(directory, sizeof(directory), "/run/user/%u", 4000000000u + (unsigned) getpid()); /* of no user */
        (void) mkdir("/run/user", 0755);
        CHECK_INT(mkdir(directory, 0700), 0);
        snprintf(address.sun_path, sizeof(address.sun_path), "%s/pipewire-0", directory);
        CHECK_INT(drive_finder_new("", resolve, &seen, &f), 0);
        server = open_socket(&address, true);
        CHECK_INT(holds(f), 0);
        client = open_socket(&address, false);
        taken = accept4(server, NULL, NULL, SOCK_CLOEXEC);
        (void) (unlink(address.sun_path), rmdir(directory));
        CHECK(taken >= 0);
        CHECK_INT(holds(f), EVENT_HOLDS_SOUND);
        client = safe_close(client);
        CHECK_INT(holds(f), 0);
}

TEST(processes_that_vanish_while_they_are_read_are_no_error) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_process_freep) struct source_process *s = NULL;
        struct seen seen = { 0 };
        pid_t churner;

        s = open_source(&event, &seen);
        churner = fork();
        if (churner == 0)
                for (;;) {
                        pid_t pid = fork();
                        if (pid == 0)
                                _exit(0);
                        waitpid(pid, NULL, 0);
                }
        for (unsigned i = 0; i < 20; i++) {
                int r;
                run_for(event, 5 * NSEC_PER_MSEC);
                r = sample(event, s, &seen, 0, NULL, 0);
                if (i == 10)
                        source_process_rest(s);
                if (r < 0)
                        end_child(churner);
                CHECK_INT(r, 0);
        }
        end_child(churner);
}

/* What the probe says of other users' processes without those capabilities, a bit each; in a child, which ends with it. -1: not known. */
static int probe_without(uint32_t capabilities) {
        pid_t pid;
        int status;

        fflush(stdout);
        pid = fork();
        if (pid == 0) {
                struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
                struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
                struct source_info info[SOURCE_INFOS_MAX];
                struct seen seen = { 0 };
                sd_event *event = NULL;
                struct source_process *s;

                if (syscall(SYS_capget, &header, data) < 0)
                        _exit(UINT8_MAX);
                data[0].effective &= ~capabilities;
                if (syscall(SYS_capset, &header, data) < 0)
                        _exit(UINT8_MAX);
                s = open_source(&event, &seen);
                source_process_ops.probe(s, info);
                source_process_free(s);
                sd_event_unref(event);
                _exit(info[0].state);
        }
        return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(without_either_right_it_says_that_other_users_processes_are_not_seen) {
        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        CHECK_INT(probe_without(0), SOURCE_WORKS);
        CHECK_INT(probe_without(1u << CAP_SYS_PTRACE), SOURCE_REDUCED);
        CHECK_INT(probe_without(1u << CAP_DAC_READ_SEARCH | 1u << CAP_DAC_OVERRIDE), SOURCE_REDUCED);
}

TEST(an_unprivileged_daemon_works_with_less_and_says_so) {
        int status;
        pid_t pid;

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        fflush(stdout);
        pid = fork();
        if (pid == 0) {
                sd_event *event = NULL;
                struct source_process *s;
                struct source_info info[SOURCE_INFOS_MAX];
                struct seen seen = { 0 };

                if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
                        _exit(2);
                prctl(PR_SET_DUMPABLE, 1); /* as one that began without privileges: its own files are its own */
                s = open_source(&event, &seen);
                if (sample(event, s, &seen, 0, NULL, 0) < 0)
                        _exit(3);
                source_process_ops.probe(s, info);
                for (size_t i = 0; i < ARRAY_SIZE(info); i++)
                        printf("# %s: %s: %s\n", info[i].name, source_state_to_string(info[i].state), info[i].detail);
                fflush(stdout);
                source_process_free(s);
                sd_event_unref(event);
                _exit(info[0].state == SOURCE_REDUCED && strstr(info[0].detail, "CAP_SYS_PTRACE") && *info[1].detail &&
                      info[2].state != SOURCE_WORKS && *info[2].detail ? 0 : 4);
        }
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
        CHECK_INT(WEXITSTATUS(status), 0);
}
