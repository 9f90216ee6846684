/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mount-table.h"
#include "proc-scan.h"
#include "process-reader.h"
#include "process-drives.h"
#include "scan-table.h"
#include "source-process-private.h"
#include "test.h"

#define SDA DEV_NUMBER(8, 0)
#define SDB DEV_NUMBER(8, 16)
#define SDA1 DEV_NUMBER(8, 1)
#define LOOP0 DEV_NUMBER(7, 0)
#define EVENTS_MAX 4096

/* ---- a recorded machine, one directory a test ---- */

struct machine {
        char root[256];
        struct source_process *source;
        size_t n;
        struct event events[EVENTS_MAX];
        uint64_t read_bytes; /* sum over all events, also those beyond EVENTS_MAX */
};

static uint32_t resolve(void *userdata _unused_, uint32_t dev) {
        return dev == SDA1 ? SDA : dev == SDA || dev == SDB ? dev : 0;
}

static void take(void *userdata, const struct event *e) {
        struct machine *m = userdata;

        if (e->kind == EVENT_PROCESS_IO)
                m->read_bytes += e->process_io.read_bytes;
        if (m->n < EVENTS_MAX)
                m->events[m->n] = *e;
        m->n++;
}

static struct machine *machine_new(void) {
        static unsigned number;
        struct machine *m = calloc(1, sizeof(*m));
        struct source_process_config config;

        if (!m)
                abort();
        snprintf(m->root, sizeof(m->root), "%s/%u", test_tmpdir(), number++);
        test_write_file(m->root, "proc/self/mountinfo",
                        "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                        "21 20 0:22 / /tmp rw shared:3 - tmpfs tmpfs rw\n"
                        "22 20 0:23 /home /srv/my\\040music rw - btrfs /dev/sdb rw\n"
                        "23 20 7:0 / /snap/x ro - squashfs /dev/loop0 ro\n");
        test_write_file(m->root, "sys/class/block/sda/dev", "8:0\n");
        test_write_file(m->root, "sys/class/block/sda1/dev", "8:1\n");
        test_write_file(m->root, "sys/class/block/sdb/dev", "8:16\n");
        config = (struct source_process_config) { .root = m->root, .sink = { take, m }, .resolve = resolve };
        if (source_process_new(&config, NULL, &m->source) < 0)
                abort();
        return m;
}

static void machine_freep(struct machine **m) {
        source_process_free((*m)->source);
        free(*m);
}
#define _machine_ _cleanup_(machine_freep) struct machine *

static void put_process(struct machine *m, int tgid, const char *name, uint64_t start, uint64_t read, uint64_t write) {
        char path[64], text[512];

        snprintf(path, sizeof(path), "proc/%d/stat", tgid);
        snprintf(text, sizeof(text), "%d (%s) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %" PRIu64 " 1000 10\n", tgid, name, start);
        test_write_file(m->root, path, text);
        snprintf(path, sizeof(path), "proc/%d/io", tgid);
        snprintf(text, sizeof(text), "rchar: 9\nwchar: 9\nsyscr: 9\nsyscw: 9\nread_bytes: %" PRIu64 "\nwrite_bytes: %" PRIu64
                 "\ncancelled_write_bytes: 0\n", read, write);
        test_write_file(m->root, path, text);
}

static void put_file(struct machine *m, int tgid, int fd, const char *target) {
        char path[512];

        snprintf(path, sizeof(path), "%s/proc/%d/fd", m->root, tgid);
        (void) mkdir(path, 0755);
        snprintf(path, sizeof(path), "%s/proc/%d/fd/%d", m->root, tgid, fd);
        (void) unlink(path);
        if (symlink(target, path) < 0)
                abort();
}

static void end_process(struct machine *m, int tgid) {
        static const char *const files[] = { "stat", "io", "fd/3", "fd", "." };
        char path[512];

        for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
                snprintf(path, sizeof(path), "%s/proc/%d/%s", m->root, tgid, files[i]);
                if (streq(files[i], "."))
                        path[strlen(path) - 2] = '\0';
                (void) remove(path);
        }
}

/* Samples at second t with one drive busy, or none (0). */
static int sample(struct machine *m, nsec_t t, uint32_t busy) {
        struct drive_activity drive = { busy, t * NSEC_PER_SEC };

        m->n = 0;
        return source_process_sample(m->source, t * NSEC_PER_SEC, &drive, busy != 0);
}

/* ---- parsing ---- */

TEST(a_name_that_is_no_text_becomes_text) {
        char text[] = "12 (\xff\x1b[2J\xc3) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 77 1000 10\n";
        struct proc_counters c = { 0 };

        CHECK_INT(proc_parse_stat(text, &c), 0);
        CHECK_STR(c.name, "\\xff\\x1b[2J\\xc3");
}

TEST(a_name_may_hold_parentheses_and_blanks) {
        char text[] = "77 (a) b (c) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 1000 10";
        char kernel[] = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0";
        struct proc_counters c = { 0 };

        CHECK_INT(proc_parse_stat(text, &c), 0);
        CHECK(c.tgid == 77 && c.start_ticks == 4242 && !c.kernel_thread);
        CHECK_STR(c.name, "a) b (c");
        CHECK_INT(proc_parse_stat(kernel, &c), 0);
        CHECK(c.tgid == 2 && c.kernel_thread);
}

TEST(cut_and_garbled_files_are_refused) {
        static const char whole[] = "77 (a) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242";
        static const char *const io[] = { "read_bytes: x\n", "read_bytes:\n", "write_bytes: -1\n" };
        struct proc_counters c = { 0 };
        char text[128];

        for (size_t n = 0; n < sizeof(whole) - 6; n++) {
                snprintf(text, sizeof(text), "%.*s", (int) n, whole);
                CHECK_INT(proc_parse_stat(text, &c), -EINVAL);
        }
        for (const char *const *s = (const char *const[]) { ")(", "(a) S", "0 (a) S", "x (a) S", "1(a) S 1", NULL }; *s; s++) {
                snprintf(text, sizeof(text), "%s", *s);
                CHECK_INT(proc_parse_stat(text, &c), -EINVAL);
        }
        for (size_t i = 0; i < ARRAY_SIZE(io); i++) {
                snprintf(text, sizeof(text), "%s", io[i]);
                CHECK_INT(proc_parse_io(text, &c), -EINVAL);
        }
}

TEST(counters_do_not_end_at_four_gib) {
        char io[] = "rchar: 1\nread_bytes: 5000000000\nwrite_bytes: 18446744073709551615\n";
        struct proc_counters c;

        CHECK_INT(proc_parse_io(io, &c), 0);
        CHECK(c.read_bytes == 5000000000u);
        CHECK(c.write_bytes == UINT64_MAX);
}

static void keep(void *userdata, const struct proc_counters *c) {
        struct proc_counters *ret = userdata;

        *ret = *c;
}

static void keep_counted(void *userdata, int error, const struct proc_counters *counters, size_t n) {
        if (error >= 0 && n == 1)
                *(struct proc_counters *) userdata = *counters;
}

/* A reader that waits for a busy drive with a page of this program is given up: the next one has it. */
static void count_with_reader(sd_event *event, int32_t tgid, struct proc_counters *ret) {
        for (unsigned tries = 0; ret->tgid == 0 && tries < 100; tries++) {
                struct process_reader *reader;
                CHECK_INT(process_reader_new(event, &reader), 0);
                CHECK_INT(process_reader_count(reader, &tgid, 1, keep_counted, ret), 0);
                CHECK_INT(ret->tgid, 0); /* it is told by the event loop */
                while (ret->tgid == 0 && process_reader_given_up(reader) == 0)
                        CHECK_INT(sd_event_run(event, UINT64_MAX) < 0, 0);
                process_reader_free(reader);
        }
}

TEST(the_reader_reads_of_a_process_what_that_reads_itself) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        const int32_t self = getpid();
        struct proc_counters before = { 0 }, c = { 0 }, after = { 0 };
        struct proc_scan *scan;

        CHECK_INT(sd_event_new(&event) < 0, 0);
        CHECK_INT(proc_scan_new("", &scan), 0);
        CHECK_INT(proc_scan_some(scan, &self, 1, keep, &before), 0);
        count_with_reader(event, self, &c);
        CHECK_INT(proc_scan_some(scan, &self, 1, keep, &after), 0);
        proc_scan_free(scan);
        CHECK_INT(c.tgid, self);
        CHECK(c.start_ticks > 0 && c.start_ticks == after.start_ticks);
        /* This process may have pages of its own read meanwhile. */
        CHECK(before.read_bytes <= c.read_bytes && c.read_bytes <= after.read_bytes);
        CHECK(before.write_bytes <= c.write_bytes && c.write_bytes <= after.write_bytes);
        CHECK(!c.kernel_thread && !after.kernel_thread);
        CHECK_STR(c.name, after.name);
}

TEST(garbage_never_breaks_the_parsers) {
        uint64_t state = test_seed();

        for (size_t i = 0; i < 20000; i++) {
                static const char alphabet[] = "0123456789 ()\n:-read_bytes\xff";
                struct proc_counters c = { 0 };
                char text[160], copy[160];
                size_t n = test_random(&state) % (sizeof(text) - 1);

                for (size_t k = 0; k < n; k++)
                        text[k] = alphabet[test_random(&state) % (sizeof(alphabet) - 1)];
                text[n] = '\0';
                memcpy(copy, text, n + 1);
                (void) proc_parse_io(copy, &c);
                if (proc_parse_stat(text, &c) == 0)
                        CHECK(c.tgid > 0 && memchr(c.name, '\0', sizeof(c.name)));
        }
}

/* ---- attribution ---- */

TEST(bytes_go_to_the_busy_drives_that_are_open) {
        enum { BOTH = FILE_READ | FILE_WRITE };
        struct process_drives both = { .n = 2, .access = { BOTH, BOTH }, .devs = { SDA, SDB } }, none = { 0 };
        struct process_drives one = { .n = 1, .access = { BOTH }, .devs = { SDA } }, other = { .foreign = BOTH };
        struct process_drives node = { .n = 2, .access = { BOTH, FILE_READ | FILE_NODE }, .devs = { SDA, SDB } };
        struct process_drives nodes = { .n = 2, .access = { FILE_READ | FILE_NODE, BOTH }, .devs = { SDA, SDB } };
        struct process_drives at_home = { .n = 2, .access = { BOTH, FILE_HOME }, .devs = { SDA, SDB } };
        struct process_drives homeless = { .n = 1, .access = { FILE_HOME }, .devs = { SDA } };
        struct process_drives logs = { .n = 2, .access = { FILE_READ, FILE_WRITE }, .devs = { SDA, SDB } };
        struct drive_share s[DRIVE_SHARES_MAX];

        CHECK_INT(process_drives_share(&both, (uint32_t[]) { SDB, LOOP0 }, 2, 1000, 10, s), 1);
        CHECK(s[0].dev == SDB && s[0].read_bytes == 1000 && s[0].write_bytes == 10);
        CHECK_INT(process_drives_share(&both, (uint32_t[]) { SDB, SDA }, 2, 1001, 1, s), 2);
        CHECK(s[0].dev == SDA && s[0].read_bytes == 501 && s[0].write_bytes == 1);
        CHECK(s[1].dev == SDB && s[1].read_bytes == 500 && s[1].write_bytes == 0);
        /* a log is not read, a source is not written */
        CHECK_INT(process_drives_share(&logs, (uint32_t[]) { SDB, SDA }, 2, 1000, 50, s), 2);
        CHECK(s[0].dev == SDA && s[0].read_bytes == 1000 && s[0].write_bytes == 0);
        CHECK(s[1].dev == SDB && s[1].read_bytes == 0 && s[1].write_bytes == 50);
        /* a node before files, in either order */
        CHECK_INT(process_drives_share(&node, (uint32_t[]) { SDB, SDA }, 2, 1000, 0, s), 1);
        CHECK(s[0].dev == SDB && s[0].read_bytes == 1000);
        CHECK_INT(process_drives_share(&nodes, (uint32_t[]) { SDB, SDA }, 2, 1000, 0, s), 1);
        CHECK(s[0].dev == SDA && s[0].read_bytes == 1000);
        CHECK_INT(process_drives_share(&nodes, (uint32_t[]) { SDB }, 1, 1000, 0, s), 1);
        CHECK_INT(s[0].dev, SDB);
        /* nothing open there: the only busy drive, or none that is known */
        CHECK_INT(process_drives_share(&none, (uint32_t[]) { SDB }, 1, 1000, 0, s), 1);
        CHECK_INT(s[0].dev, SDB);
        CHECK_INT(process_drives_share(&none, (uint32_t[]) { SDA, SDB }, 2, 1000, 0, s), 1);
        CHECK_INT(s[0].dev, 0);
        CHECK_INT(process_drives_share(&none, NULL, 0, 1000, 0, s), 1);
        CHECK_INT(s[0].dev, 0);
        /* files on another drive: no guess */
        CHECK_INT(process_drives_share(&other, (uint32_t[]) { SDB }, 1, 1000, 0, s), 1);
        CHECK_INT(s[0].dev, 0);
        /* nor with files on an idle one of ours: what stands on it may have read from memory; writes may wait for it */
        CHECK_INT(process_drives_share(&one, (uint32_t[]) { SDB }, 1, 1000, 2000, s), 2);
        CHECK(s[0].dev == 0 && s[0].read_bytes == 1000 && s[0].write_bytes == 0);
        CHECK(s[1].dev == SDA && s[1].read_bytes == 0 && s[1].write_bytes == 2000);
        /* unless its program or its working directory is on the busy one */
        CHECK_INT(process_drives_share(&at_home, (uint32_t[]) { SDB }, 1, 1000, 0, s), 1);
        CHECK_INT(s[0].dev, SDB);
        CHECK_INT(process_drives_share(&at_home, (uint32_t[]) { SDB, LOOP0 }, 2, 1000, 0, s), 1);
        CHECK_INT(s[0].dev, 0);
        /* but a program on an idle one is no reason against the busy one */
        CHECK_INT(process_drives_share(&homeless, (uint32_t[]) { SDB }, 1, 1000, 0, s), 1);
        CHECK_INT(s[0].dev, SDB);
        CHECK_INT(process_drives_share(&one, (uint32_t[]) { SDA }, 1, UINT64_MAX, 0, s), 1);
        CHECK(s[0].read_bytes == UINT32_MAX);
        CHECK_INT(process_drives_share(&one, (uint32_t[]) { SDA }, 1, 0, 0, s), 0);
}

TEST(a_process_whose_program_may_have_been_read_from_elsewhere_has_mapped_what_is_not_known) {
        struct process_drives apart = { .n = 2, .access = { FILE_HOME | FILE_PROGRAM, FILE_READ }, .devs = { SDA, SDB } };
        struct process_drives foreign = { .foreign = FILE_READ | FILE_WRITE | FILE_PROGRAM, .n = 1, .access = { FILE_READ }, .devs = { SDB } };
        struct process_drives together = { .n = 1, .access = { FILE_HOME | FILE_PROGRAM | FILE_READ }, .devs = { SDB } };
        struct process_drives writes = { .n = 2, .access = { FILE_HOME | FILE_PROGRAM, FILE_WRITE }, .devs = { SDA, SDB } };

        CHECK(process_drives_doubt_mapped(&apart, (uint32_t[]) { SDA, SDB }, 2));
        CHECK(!process_drives_doubt_mapped(&apart, (uint32_t[]) { SDB }, 1)); /* its libraries are in memory */
        CHECK(!process_drives_doubt_mapped(&apart, (uint32_t[]) { SDA }, 1));
        CHECK(process_drives_doubt_mapped(&foreign, (uint32_t[]) { SDB }, 1));
        CHECK(!process_drives_doubt_mapped(&foreign, (uint32_t[]) { SDA }, 1));
        CHECK(!process_drives_doubt_mapped(&together, (uint32_t[]) { SDA, SDB }, 2));
        CHECK(!process_drives_doubt_mapped(&writes, (uint32_t[]) { SDA, SDB }, 2));
}

static void look(struct machine *m, int tgid, struct process_drives *ret) {
        struct drive_finder *f;

        if (drive_finder_new(m->root, resolve, NULL, &f) < 0)
                abort();
        drive_finder_look(f, tgid, NSEC_PER_SEC, ret);
        drive_finder_free(f);
}

static uint32_t resolve_any(void *userdata _unused_, uint32_t dev) {
        return dev;
}

/* What a process finds that has nothing open but a file with that many bytes in it, to write to. */
static uint8_t access_to_file_of(size_t bytes) {
        struct process_drives d = { 0 };
        struct drive_finder *f;
        int ready[2], status;
        pid_t child;
        char byte;

        if (pipe2(ready, O_CLOEXEC) < 0 || drive_finder_new("", resolve_any, NULL, &f) < 0 || (child = fork()) < 0)
                abort();
        if (child == 0) {
                char path[256];
                int fd;

                prctl(PR_SET_PDEATHSIG, SIGKILL);
                snprintf(path, sizeof(path), "%s/written-%zu", test_tmpdir(), bytes);
                if (ready[1] != 0 && (close(0), fcntl(ready[1], F_DUPFD, 0)) != 0)
                        _exit(1);
                for (fd = 1; fd < 256; fd++)
                        close(fd);
                fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
                if (fd < 0 || (bytes > 0 && write(fd, path, bytes) < 0) || write(0, "", 1) < 0)
                        _exit(1);
                for (;;)
                        pause();
        }
        close(ready[1]);
        if (read(ready[0], &byte, 1) != 1)
                abort();
        close(ready[0]);
        drive_finder_look(f, child, NSEC_PER_SEC, &d);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        drive_finder_free(f);
        for (size_t i = 0; i < d.n; i++)
                if (d.access[i] & FILE_WRITE)
                        return d.access[i];
        return 0;
}

TEST(live_a_file_with_nothing_in_it_has_not_been_written_to) {
        struct stat st;

        if (stat(test_tmpdir(), &st) < 0 || major(st.st_dev) == 0)
                return; /* on no drive */
        CHECK(access_to_file_of(100) & FILE_WRITE);
        CHECK_INT(access_to_file_of(0), 0);
}

TEST(open_files_lead_to_drives) {
        _machine_ m = machine_new();
        struct process_drives d;

        put_process(m, 10, "cat", 5, 0, 0);
        put_file(m, 10, 0, "/dev/null");
        put_file(m, 10, 1, "pipe:[12]");
        put_file(m, 10, 2, "/tmp/log");
        put_file(m, 10, 3, "/srv/my music/a b.ogg");
        look(m, 10, &d);
        CHECK(d.n == 1 && d.devs[0] == SDB); /* btrfs: through the mount's source */
        put_file(m, 10, 3, "/dev/sda");
        look(m, 10, &d);
        CHECK(d.n == 1 && d.devs[0] == SDA && !d.foreign);
        put_file(m, 10, 3, "/srv/my musical"); /* not below the mount: on the root's partition */
        look(m, 10, &d);
        CHECK(d.n == 1 && d.devs[0] == SDA);
        put_file(m, 10, 3, "/snap/x/bin/x");
        look(m, 10, &d);
        CHECK(d.n == 0 && d.foreign);
        look(m, 11, &d); /* there is none */
        CHECK(d.n == 0 && !d.foreign && d.t == NSEC_PER_SEC);
}

TEST(an_open_sound_node_or_camera_is_told_with_the_io_of_its_process_and_an_open_mixer_is_not) {
        static const struct {
                const char *node;
                uint16_t flags;
        } nodes[] = {
                { "/dev/snd/pcmC0D0p", EVENT_HOLDS_SOUND }, { "/dev/snd/controlC0", 0 }, { "/dev/video0", EVENT_HOLDS_VIDEO },
                { "/dev/null", 0 }, { "/srv/my music/pcmC0D0p", 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
                _machine_ m = machine_new();
                put_process(m, 10, "mpv", 5, 0, 0);
                put_file(m, 10, 3, "/dev/sda");
                put_file(m, 10, 4, nodes[i].node);
                CHECK_INT(sample(m, 1, SDA), 0);
                put_process(m, 10, "mpv", 5, 4096, 0);
                CHECK_INT(sample(m, 6, SDA), 0);
                CHECK(m->n == 2 && m->events[1].flags == (EVENT_INFERRED | nodes[i].flags));
                put_file(m, 10, 4, "/dev/null"); /* and closes it */
                put_process(m, 10, "mpv", 5, 8192, 0);
                CHECK_INT(sample(m, 9, SDA), 0);
                CHECK(m->n == 1 && m->events[0].flags == EVENT_INFERRED);
        }
}

static void put_link(struct machine *m, int tgid, const char *name, const char *target) {
        char path[512];

        snprintf(path, sizeof(path), "%s/proc/%d/%s", m->root, tgid, name);
        (void) unlink(path);
        if (symlink(target, path) < 0)
                abort();
}

TEST(a_program_leads_to_its_drive_on_every_file_system) {
        _machine_ m = machine_new();
        struct drive_finder *f;

        put_process(m, 10, "prog", 5, 0, 0);
        put_link(m, 10, "exe", "/srv/my music/bin/prog"); /* btrfs: the number of its files is no drive's */
        put_process(m, 11, "kthread", 5, 0, 0);
        CHECK_INT(drive_finder_new(m->root, resolve, NULL, &f), 0);
        CHECK_INT(drive_finder_find_program(f, 10, NSEC_PER_SEC), SDB);
        CHECK_INT(drive_finder_find_program(f, 11, NSEC_PER_SEC), 0);
        put_link(m, 10, "exe", "/snap/x/bin/x"); /* on none of ours */
        CHECK_INT(drive_finder_find_program(f, 10, NSEC_PER_SEC), 0);
        drive_finder_free(f);
}

TEST(a_process_is_at_home_where_its_program_and_its_working_directory_are) {
        _machine_ m = machine_new();
        struct process_drives d;

        put_process(m, 10, "git", 5, 0, 0);
        put_file(m, 10, 0, "/dev/null");
        put_link(m, 10, "exe", "/usr/bin/git");
        put_link(m, 10, "cwd", "/srv/my music/lists");
        look(m, 10, &d);
        CHECK(d.n == 2 && d.devs[0] == SDA && d.devs[1] == SDB && d.access[0] == (FILE_HOME | FILE_PROGRAM) && d.access[1] == FILE_HOME);
        put_link(m, 10, "exe", "/snap/x/bin/git");
        look(m, 10, &d);
        CHECK(d.n == 1 && d.devs[0] == SDB);
        CHECK_INT(d.foreign, FILE_READ | FILE_WRITE | FILE_PROGRAM);
}

/* A process that read from sdb long before the load on sda began, and is looked at only now. */
TEST(bytes_go_to_no_drive_that_alone_is_busy_now_but_was_not_when_they_were_read) {
        const struct drive_activity drives[] = { { SDA, 6 * NSEC_PER_SEC }, { SDB, 3 * NSEC_PER_SEC } };
        _machine_ m = machine_new();

        put_process(m, 10, "cat", 5, 0, 0);
        CHECK_INT(sample(m, 1, 0), 0);
        put_process(m, 10, "cat", 5, 4096, 0);
        m->n = 0;
        CHECK_INT(source_process_sample(m->source, 6 * NSEC_PER_SEC, drives, 2), 0);
        CHECK_INT(m->n, 2);
        CHECK(m->events[1].kind == EVENT_PROCESS_IO && m->events[1].process_io.read_bytes == 4096);
        CHECK_INT(m->events[1].dev, 0);
        put_process(m, 10, "cat", 5, 8192, 0); /* but since then only sda had any */
        m->n = 0;
        CHECK_INT(source_process_sample(m->source, 7 * NSEC_PER_SEC, (struct drive_activity[]) { { SDA, 7 * NSEC_PER_SEC }, drives[1] }, 2), 0);
        CHECK_INT(m->n, 1);
        CHECK_INT(m->events[0].dev, SDA);
}

TEST(a_process_that_read_more_than_the_drives_did_read_elsewhere) {
        static const struct {
                uint64_t process, drives; /* bytes between two looks */
                uint32_t dev;
        } cases[] = {
                { 80 << 20, 80 << 10, 0 },  { 80 << 20, 80 << 20, SDA }, { 80 << 20, 60 << 20, SDA }, /* not counted at the same moment */
                { 128 << 10, 0, SDA }, /* on its way */
        };
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                _machine_ m = machine_new();

                put_process(m, 100, "fio", 5000, 0, 0);
                put_file(m, 100, 3, "/srv/data");
                source_process_note_reads(m->source, NSEC_PER_SEC, 1 << 30);
                CHECK_INT(sample(m, 1, SDA), 0);
                put_process(m, 100, "fio", 5000, cases[i].process, 0);
                source_process_note_reads(m->source, 7 * NSEC_PER_SEC, (1 << 30) + cases[i].drives);
                CHECK_INT(sample(m, 7, SDA), 0);
                CHECK_INT(m->read_bytes, cases[i].process);
                CHECK_INT(m->events[m->n - 1].dev, cases[i].dev);
                CHECK_INT(m->events[m->n - 1].flags & EVENT_ELSEWHERE, cases[i].dev ? 0 : EVENT_ELSEWHERE);
                /* A drive has gone, and with it what it had read: nothing is known. */
                put_process(m, 100, "fio", 5000, 2 * cases[i].process, 0);
                source_process_note_reads(m->source, 8 * NSEC_PER_SEC, 0);
                CHECK_INT(sample(m, 8, SDA), 0);
                CHECK_INT(m->events[m->n - 1].dev, SDA);
        }
}

TEST(mounts_are_those_of_the_first_process_and_a_sandbox_is_found_by_the_number_of_the_file) {
        _machine_ m = machine_new();
        struct mount_table *t;
        size_t length;

        test_write_file(m->root, "proc/1/mountinfo",
                        "30 1 0:30 /home /home rw - btrfs /dev/sdb rw\n"
                        "garbage\n31 1 0:x / /x rw - tmpfs\n32 1 8:1 /\n"
                        "33 1 0:33 / /run rw - tmpfs tmpfs rw\n");
        CHECK_INT(mount_table_new(m->root, &t), 0);
        CHECK_INT(mount_table_find_file(t, 900, DEV_NUMBER(0, 77), NSEC_PER_SEC), 0);
        CHECK_INT(mount_table_find_file(t, 22, DEV_NUMBER(0, 77), NSEC_PER_SEC), 0); /* an id of self */
        CHECK_INT(mount_table_find_file(t, 30, DEV_NUMBER(0, 77), NSEC_PER_SEC), SDB);
        CHECK_INT(mount_table_find_file(t, 900, DEV_NUMBER(0, 77), NSEC_PER_SEC), SDB);
        CHECK_INT(mount_table_find_file(t, 33, DEV_NUMBER(0, 33), NSEC_PER_SEC), 0);
        CHECK_INT(mount_table_find_path(t, "/home", NULL), SDB);
        CHECK_INT(mount_table_find_path(t, "/homes", NULL), 0);
        mount_table_free(t);
        CHECK_INT(mount_table_new_own(m->root, &t), 0); /* those of self */
        CHECK_INT(mount_table_find_path(t, "/srv/my music/a", &length), SDB);
        CHECK_INT(length, strlen("/srv/my music"));
        CHECK_INT(mount_table_find_path(t, "/home", &length), SDA1);
        CHECK_INT(length, 1);
        mount_table_free(t);
}

TEST(nodes_are_found_under_all_their_names) {
        _machine_ m = machine_new();
        struct mount_table *t;

        test_write_file(m->root, "sys/class/block/dm-0/dev", "253:0\n");
        test_write_file(m->root, "sys/class/block/dm-0/dm/name", "swap\n");
        test_write_file(m->root, "sys/class/block/dm-1/dev", "253:1\n");
        test_write_file(m->root, "sys/class/block/dm-1/dm/name", "luks-home\n");
        test_write_file(m->root, "sys/class/block/cciss!c0d0/dev", "104:0\n");
        CHECK_INT(mount_table_new(m->root, &t), 0);
        CHECK_INT(mount_table_find_node(t, "/dev/mapper/luks-home"), DEV_NUMBER(253, 1));
        CHECK_INT(mount_table_find_node(t, "/dev/mapper/luks"), 0);
        CHECK_INT(mount_table_find_node(t, "/dev/dm-0"), DEV_NUMBER(253, 0));
        CHECK_INT(mount_table_find_node(t, "/dev/cciss/c0d0"), DEV_NUMBER(104, 0));
        CHECK_INT(mount_table_find_node(t, "/dev/null"), 0);
        CHECK_INT(mount_table_find_node(t, "/devs"), 0);
        mount_table_free(t);
}

/* ---- sampling ---- */

TEST(the_first_sample_is_the_base_and_the_next_tells_differences) {
        _machine_ m = machine_new();

        put_process(m, 10, "cp", 5, 1000000, 500);
        put_file(m, 10, 3, "/dev/sda");
        CHECK_INT(sample(m, 1, SDA), 0);
        CHECK_INT(m->n, 0);
        put_process(m, 10, "cp", 5, 1004096, 500);
        CHECK_INT(sample(m, 6, SDA), 0);
        CHECK_INT(m->n, 2);
        CHECK(m->events[0].kind == EVENT_PROCESS_NAME && m->events[0].tgid == 10 && m->events[0].process_name.start_ticks == 5);
        CHECK_STR(m->events[0].process_name.name, "cp");
        CHECK(m->events[1].kind == EVENT_PROCESS_IO && m->events[1].dev == SDA && m->events[1].flags == EVENT_INFERRED);
        CHECK(m->events[1].process_io.read_bytes == 4096 && m->events[1].process_io.write_bytes == 0);
        CHECK(m->events[1].process_io.span_us == 5000000 && m->events[1].process_io.start_ticks == 5);
        /* now a candidate: looked at in each sample */
        put_process(m, 10, "cp", 5, 1004096, 1500);
        CHECK_INT(sample(m, 7, SDA), 0);
        CHECK(m->n == 1 && m->events[0].process_io.write_bytes == 1000 && m->events[0].process_io.span_us == 1000000);
}

TEST(readers_and_processes_that_read_nothing_yet_are_both_seen_waiting_and_running) {
        _machine_ m = machine_new();
        static const char waits[] = "10 (cp) D 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 5 1000 10\n",
                          runs[] = "10 (cp) R 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 5 1000 10\n";

        put_process(m, 10, "cp", 5, 0, 0);
        put_file(m, 10, 3, "/dev/sda");
        CHECK_INT(sample(m, 1, SDA), 0);
        put_process(m, 10, "cp", 5, 4096, 0);
        test_write_file(m->root, "proc/10/stat", waits);
        CHECK_INT(sample(m, 6, SDA), 0);
        CHECK(m->n == 2 && m->events[1].flags == (EVENT_INFERRED | EVENT_WAITING) && m->events[1].process_io.read_bytes == 4096);
        CHECK_INT(sample(m, 7, SDA), 0);
        CHECK(m->n == 1 && m->events[0].flags == (EVENT_INFERRED | EVENT_WAITING) && m->events[0].process_io.read_bytes == 0);
        test_write_file(m->root, "proc/10/stat", runs);
        CHECK_INT(sample(m, 7, SDA), 0);
        CHECK(m->n == 1 && m->events[0].flags == (EVENT_INFERRED | EVENT_RUNNABLE) && m->events[0].process_io.read_bytes == 0);
        put_process(m, 10, "cp", 5, 8192, 0); /* and sleeps again */
        CHECK_INT(sample(m, 8, SDA), 0);
        CHECK(m->n == 1 && m->events[0].flags == EVENT_INFERRED);
}

TEST(others_are_looked_at_every_five_seconds) {
        _machine_ m = machine_new();

        for (int i = 1; i <= 9; i++)
                put_process(m, 10 * i, "idle", 5, 0, 0);
        CHECK_INT(sample(m, 1, SDA), 0);
        put_process(m, 10, "idle", 5, 4096, 0);
        for (nsec_t t = 2; t < 6; t++) {
                CHECK_INT(sample(m, t, SDA), 0);
                CHECK_INT(m->n, 0);
        }
        CHECK_INT(sample(m, 6, SDA), 0);
        CHECK_INT(m->n, 2);
}

/* What a scan of all takes is what it took on this machine; here it is said. */
TEST(a_process_that_did_io_is_looked_at_each_time_and_the_others_the_more_rarely_the_more_that_costs) {
        static const struct {
                nsec_t cost, interval_s;
        } scans[] = { { NSEC_PER_MSEC, 5 }, { 100 * NSEC_PER_MSEC, 10 }, { 200 * NSEC_PER_MSEC, 20 }, { 10 * NSEC_PER_SEC, 30 } };
        _machine_ m = machine_new();
        uint64_t bytes = 4096;
        nsec_t t = 1;

        for (int i = 1; i <= 20; i++)
                put_process(m, 10 * i, "idle", 5, 0, 0);
        CHECK_INT(sample(m, t, SDA), 0);
        for (size_t i = 0; i < ARRAY_SIZE(scans); i++) {
                nsec_t full = m->source->last_full / NSEC_PER_SEC;

                m->source->full_cpu = scans[i].cost;
                put_process(m, 10, "busy", 5, bytes += 4096, 0); /* each second */
                put_process(m, 20, "other", 5, bytes, 0);        /* once */
                while (++t < full + scans[i].interval_s) {
                        CHECK_INT(sample(m, t, SDA), 0);
                        for (size_t k = 0; k < m->n; k++)
                                CHECK(m->events[k].tgid == 10);
                        CHECK(i == 0 || m->n > 0);
                        put_process(m, 10, "busy", 5, bytes += 4096, 0);
                }
                CHECK_INT(m->source->last_full / NSEC_PER_SEC, full);
                CHECK_INT(sample(m, t, SDA), 0);
                CHECK_INT(m->source->last_full / NSEC_PER_SEC, t);
                CHECK(m->n > 0 && m->events[m->n - 1].kind == EVENT_PROCESS_IO);
                for (nsec_t rest = t + 11; t < rest; t++) { /* the other is none that did I/O again */
                        put_process(m, 10, "busy", 5, bytes += 4096, 0);
                        CHECK_INT(sample(m, t + 1, SDA), 0);
                }
        }
}

TEST(a_process_born_between_samples_counts_from_zero) {
        _machine_ m = machine_new();

        CHECK_INT(sample(m, 1, SDA), 0);
        put_process(m, 20, "new", 9, 8192, 0);
        CHECK_INT(sample(m, 6, SDA), 0);
        CHECK_INT(m->n, 2);
        CHECK(m->events[1].process_io.read_bytes == 8192 && m->events[1].dev == SDA);
}

static bool always_starts(void *userdata _unused_, int32_t tgid _unused_) {
        return true;
}

/* A busy machine may leave briod without a processor for seconds. */
TEST(what_a_start_did_before_a_late_first_look_is_no_rest) {
        _machine_ m = machine_new();
        const struct proc_change fork = { .t = NSEC_PER_SEC, .tgid = 20, .parent = 10 };
        const int32_t tgid = 20;

        m->source->config.starting = always_starts;
        put_process(m, 20, "manager", 5, 1 << 20, 0);
        process_note_fork(m->source, &fork);
        m->n = 0;
        source_process_look(m->source, 4 * NSEC_PER_SEC, &tgid, 1);
        CHECK_INT(m->n, 0);
        put_process(m, 20, "manager", 5, (1 << 20) + 4096, 0);
        source_process_look(m->source, 4 * NSEC_PER_SEC + 50 * NSEC_PER_MSEC, &tgid, 1);
        CHECK_INT(m->n, 1);
        CHECK_INT(m->events[0].kind, EVENT_PROCESS_WORK);
        CHECK_INT(m->events[0].process_work.span_us, 50000);
        CHECK_INT(m->events[0].process_work.read_bytes, 4096);
}

/* The reader may be held up. */
TEST(what_a_start_read_while_that_could_not_be_asked_is_not_told_with_what_it_read_before_it) {
        _machine_ m = machine_new();
        const struct proc_change fork = { .t = NSEC_PER_SEC, .tgid = 20, .parent = 10 };
        static const uint32_t told[] = { 0, 0, 4096, 0, 8192 };
        const int32_t tgid = 20;

        m->source->config.starting = always_starts;
        put_process(m, 20, "manager", 5, 1 << 20, 0);
        test_write_file(m->root, "proc/20/io", "read_bytes: ?\n");
        process_note_fork(m->source, &fork);
        source_process_look(m->source, 4 * NSEC_PER_SEC, &tgid, 1); /* the base of all else */
        for (unsigned i = 0; i < ARRAY_SIZE(told); i++) {
                put_process(m, 20, "manager", 5, (1 << 20) + 4096 * i, 0);
                if (i == 0 || i == 3)
                        test_write_file(m->root, "proc/20/io", "read_bytes: ?\n");
                m->n = 0;
                source_process_look(m->source, (5 + i) * NSEC_PER_SEC, &tgid, 1);
                CHECK_INT(m->n, 1);
                CHECK_INT(m->events[0].kind, EVENT_PROCESS_WORK);
                CHECK_INT(m->events[0].process_work.read_bytes, told[i]);
        }
}

static bool never_starts(void *userdata _unused_, int32_t tgid _unused_) {
        return false;
}

TEST(a_process_that_is_gone_when_its_user_is_asked_for_begins_no_start) {
        _machine_ m = machine_new();
        const struct proc_change exec = { .kind = PROC_EXEC, .t = NSEC_PER_SEC, .tgid = 20 };
        const struct process_launch launch = { .start_ticks = 5, .parent = 10, .flags = EVENT_LAUNCHED, .name = "editor" };
        const struct exec_entry entry = { .program = "/usr/bin/editor" };

        m->source->config.starting = never_starts;
        process_tell_entry(m->source, &exec, &launch, &entry);
        CHECK_INT(m->n, 0);
        test_write_file(m->root, "proc/20/status", "Name:\teditor\nUid:\t1000\t1000\t1000\t1000\n");
        process_tell_entry(m->source, &exec, &launch, &entry);
        CHECK_INT(m->n, 1);
        CHECK_INT(m->events[0].kind, EVENT_PROCESS_EXEC);
}

TEST(a_reused_number_is_another_process) {
        _machine_ m = machine_new();

        put_process(m, 10, "old", 5, 0, 0);
        CHECK_INT(sample(m, 1, SDA), 0);
        put_process(m, 10, "old", 5, 1 << 20, 0);
        CHECK_INT(sample(m, 6, SDA), 0);
        CHECK_INT(m->n, 2);
        put_process(m, 10, "new", 700, 4096, 0);
        CHECK_INT(sample(m, 7, SDA), 0);
        CHECK_INT(m->n, 3);
        CHECK(m->events[0].kind == EVENT_PROCESS_EXIT && m->events[0].process_io.start_ticks == 5);
        CHECK(m->events[1].kind == EVENT_PROCESS_NAME && m->events[1].process_name.start_ticks == 700);
        CHECK(m->events[2].process_io.start_ticks == 700 && m->events[2].process_io.read_bytes == 4096);
}

TEST(only_processes_that_were_named_are_told_to_exit) {
        _machine_ m = machine_new();

        put_process(m, 10, "reader", 5, 0, 0);
        put_process(m, 11, "idle", 5, 0, 0);
        CHECK_INT(sample(m, 1, SDA), 0);
        put_process(m, 10, "reader", 5, 4096, 0);
        CHECK_INT(sample(m, 6, SDA), 0);
        end_process(m, 10);
        end_process(m, 11);
        CHECK_INT(sample(m, 7, SDA), 0);
        CHECK(m->n == 1 && m->events[0].kind == EVENT_PROCESS_EXIT && m->events[0].tgid == 10);
        CHECK_INT(sample(m, 12, SDA), 0);
        CHECK_INT(m->n, 0);
}

TEST(a_new_name_is_told) {
        _machine_ m = machine_new();

        put_process(m, 10, "bash", 5, 0, 0);
        CHECK_INT(sample(m, 1, SDA), 0);
        put_process(m, 10, "bash", 5, 4096, 0);
        CHECK_INT(sample(m, 6, SDA), 0);
        put_process(m, 10, "a name of more than fifteen", 5, 4096, 0);
        CHECK_INT(sample(m, 7, SDA), 0);
        CHECK(m->n == 1 && m->events[0].kind == EVENT_PROCESS_NAME);
        CHECK_STR(m->events[0].process_name.name, "a name of more ");
}

TEST(after_ten_seconds_without_io_a_process_is_named_again) {
        _machine_ m = machine_new();

        put_process(m, 10, "cp", 5, 0, 0);
        CHECK_INT(sample(m, 1, SDA), 0);
        for (nsec_t t = 6; t <= 20; t += t == 7 ? 13 : 1) { /* at 6, 7 and 20 s */
                put_process(m, 10, "cp", 5, t * 4096, 0);
                CHECK_INT(sample(m, t, SDA), 0);
                CHECK_INT(m->n, t == 7 ? 1 : 2);
                CHECK_INT(m->events[0].kind, t == 7 ? EVENT_PROCESS_IO : EVENT_PROCESS_NAME);
        }
}

TEST(kernel_threads_are_left_out) {
        _machine_ m = machine_new();

        test_write_file(m->root, "proc/2/stat", "2 (kworker/u4:1) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0\n");
        test_write_file(m->root, "proc/2/io", "read_bytes: 0\nwrite_bytes: 0\n");
        CHECK_INT(sample(m, 1, SDA), 0);
        test_write_file(m->root, "proc/2/io", "read_bytes: 4096\nwrite_bytes: 4096\n");
        CHECK_INT(sample(m, 6, SDA), 0);
        CHECK_INT(m->n, 0);
}

TEST(a_process_half_gone_is_no_difference) {
        _machine_ m = machine_new();
        char path[512];

        put_process(m, 10, "cp", 5, 0, 0);
        CHECK_INT(sample(m, 1, SDA), 0);
        put_process(m, 10, "cp", 5, 4096, 0);
        CHECK_INT(sample(m, 6, SDA), 0);
        snprintf(path, sizeof(path), "%s/proc/10/io", m->root);
        CHECK(unlink(path) == 0);
        CHECK_INT(sample(m, 7, SDA), 0);
        CHECK_INT(m->n, 0);
        test_write_file(m->root, "proc/10/stat", "10 (cp");
        test_write_file(m->root, "proc/11/stat", "");
        CHECK_INT(sample(m, 8, SDA), 0);
        CHECK(m->n == 1 && m->events[0].kind == EVENT_PROCESS_EXIT);
}

TEST(after_a_rest_the_bases_are_new_and_deaths_are_told) {
        _machine_ m = machine_new();

        put_process(m, 10, "cp", 5, 0, 0);
        put_process(m, 11, "dd", 5, 0, 0);
        CHECK_INT(sample(m, 1, SDA), 0);
        put_process(m, 10, "cp", 5, 4096, 0);
        put_process(m, 11, "dd", 5, 4096, 0);
        CHECK_INT(sample(m, 6, SDA), 0);
        CHECK_INT(m->n, 4);
        source_process_rest(m->source);
        put_process(m, 10, "cp", 5, 1 << 30, 0);
        end_process(m, 11);
        CHECK_INT(sample(m, 100, SDA), 0);
        CHECK(m->n == 1 && m->events[0].kind == EVENT_PROCESS_EXIT && m->events[0].tgid == 11);
        put_process(m, 10, "cp", 5, (1 << 30) + 512, 0);
        CHECK_INT(sample(m, 105, SDA), 0);
        CHECK(m->n == 2 && m->events[0].kind == EVENT_PROCESS_NAME);
        CHECK(m->events[1].kind == EVENT_PROCESS_IO && m->events[1].process_io.read_bytes == 512);
}

TEST(what_a_process_has_open_is_looked_at_again) {
        _machine_ m = machine_new();

        put_process(m, 10, "cp", 5, 0, 0);
        put_file(m, 10, 3, "/dev/sda");
        CHECK_INT(sample(m, 1, 0), 0);
        put_process(m, 10, "cp", 5, 0, 100);
        CHECK_INT(sample(m, 6, 0), 0);
        CHECK(m->n == 2 && m->events[1].dev == SDA);
        put_file(m, 10, 3, "/dev/sdb");
        put_process(m, 10, "cp", 5, 0, 200);
        CHECK_INT(sample(m, 7, 0), 0);
        CHECK(m->n == 1 && m->events[0].dev == SDA); /* as remembered for 2 s */
        put_process(m, 10, "cp", 5, 0, 300);
        CHECK_INT(sample(m, 9, 0), 0);
        CHECK(m->n == 1 && m->events[0].dev == SDB);
}

TEST(ten_thousand_processes_are_followed) {
        _machine_ m = machine_new();
        enum { PROCESSES = 10000 }; /* so many are looked at every 30 s at least, whatever that costs */

        for (int i = 1; i <= PROCESSES; i++)
                put_process(m, i, "worker", 5, 0, 0);
        CHECK_INT(sample(m, 1, SDA), 0);
        CHECK_INT(m->n, 0);
        for (int i = 1; i <= PROCESSES; i++)
                put_process(m, i, "worker", 5, 4096, 0);
        CHECK_INT(sample(m, 31, SDA), 0);
        CHECK_INT(m->n, 2 * PROCESSES);
        CHECK_INT(m->read_bytes, PROCESSES * 4096);
        CHECK_INT(sample(m, 32, SDA), 0);
        CHECK_INT(m->n, 0);
        for (int i = 1; i <= PROCESSES; i++)
                end_process(m, i);
        CHECK_INT(sample(m, 62, SDA), 0);
        CHECK_INT(m->n, PROCESSES);
}

TEST(the_table_has_a_bound_and_gives_back_room) {
        struct scan_table *t = scan_table_new();

        CHECK(t);
        for (int32_t i = 1; i <= PROCESSES_MAX; i++)
                CHECK(scan_table_add(t, i * 7));
        CHECK(!scan_table_add(t, 1));
        CHECK(scan_table_find(t, 7 * 4096) && !scan_table_find(t, 1));
        scan_table_remove(t, 7 * 4096);
        scan_table_remove(t, 7 * 4096);
        CHECK_INT(scan_table_count(t), PROCESSES_MAX - 1);
        CHECK(!scan_table_find(t, 7 * 4096) && scan_table_add(t, 1));
        scan_table_free(t);
}

TEST(a_tree_without_proc_is_an_error_that_probe_tells) {
        struct machine m = { 0 };
        struct source_process_config config = { .root = "/nonexistent", .sink = { take, &m }, .resolve = resolve };
        struct source_process *s = NULL;
        struct source_info info[SOURCE_INFOS_MAX];

        CHECK_INT(source_process_new(&config, NULL, &s), 0);
        CHECK_INT(source_process_sample(s, NSEC_PER_SEC, NULL, 0), -ENOENT);
        source_process_ops.probe(s, info);
        CHECK(info[0].state == SOURCE_UNAVAILABLE && info[1].state == SOURCE_UNAVAILABLE);
        CHECK(strstr(info[0].detail, "/proc") && *info[1].detail);
        source_process_free(s);
}

static void put_reads(struct machine *m, int tgid, unsigned faults, uint64_t called, uint64_t read) {
        char path[64], text[512];

        snprintf(path, sizeof(path), "proc/%d/stat", tgid);
        snprintf(text, sizeof(text), "%d (player) S 1 1 1 0 -1 4194560 1 2 %u 4 5 6 7 8 20 0 1 0 5 1000 10\n", tgid, faults);
        test_write_file(m->root, path, text);
        snprintf(path, sizeof(path), "proc/%d/io", tgid);
        snprintf(text, sizeof(text), "rchar: %" PRIu64 "\nread_bytes: %" PRIu64 "\nwrite_bytes: 0\n", called, read);
        test_write_file(m->root, path, text);
}

static uint32_t read_on(const struct machine *m, uint32_t dev) {
        uint32_t sum = 0;

        for (size_t i = 0; i < m->n; i++)
                if (m->events[i].kind == EVENT_PROCESS_IO && m->events[i].dev == dev)
                        sum += m->events[i].process_io.read_bytes;
        return sum;
}

TEST(the_libraries_of_a_player_are_not_laid_at_the_drive_of_its_video) {
        _machine_ m = machine_new();

        put_reads(m, 10, 0, 0, 0);
        put_link(m, 10, "exe", "/snap/x/bin/player"); /* on a drive that is left out */
        put_file(m, 10, 3, "/srv/my music/video");
        CHECK_INT(sample(m, 1, 0), 0);
        put_reads(m, 10, 40, 300000, 10300000);
        CHECK_INT(sample(m, 7, SDB), 0);
        CHECK_INT(read_on(m, SDB), 300000);
        CHECK_INT(read_on(m, 0), 10000000);
        put_reads(m, 10, 40, 300000, 11300000); /* no calls and no faults: direct reads that do not count as calls */
        CHECK_INT(sample(m, 8, SDB), 0);
        CHECK_INT(read_on(m, SDB), 1000000);
        put_reads(m, 10, 41, 4300000, 15300000); /* all of it by calls */
        CHECK_INT(sample(m, 9, SDB), 0);
        CHECK_INT(read_on(m, SDB), 4000000);
        CHECK_INT(read_on(m, 0), 0);
}
