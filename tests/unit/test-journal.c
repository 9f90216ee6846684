/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "checksum.h"
#include "fdio.h"
#include "journal.h"
#include "test.h"

#define BOOT "6f1a0c52-7f34-4b9e-8d5c-0d1f3f0a9c11"

static unsigned fsync_calls, fsync_fails_at; /* 0: never */
static bool ftruncate_fails;

int __wrap_fsync(int fd);
int __wrap_fsync(int fd _unused_) {
        if (++fsync_calls == fsync_fails_at) {
                errno = EIO;
                return -1;
        }
        return 0; /* no test looks behind a power loss */
}

/* The name behind ftruncate() with 64-bit offsets, which meson asks for. */
int __real_ftruncate64(int fd, off_t length);
int __wrap_ftruncate64(int fd, off_t length);
int __wrap_ftruncate64(int fd, off_t length) {
        if (ftruncate_fails) {
                errno = EIO;
                return -1;
        }
        return __real_ftruncate64(fd, length);
}

/* A fresh directory for each test, with the name of the file in it. */
static const char *fresh_dir(const char **ret_file) {
        static unsigned count;
        static char dir[PATH_MAX / 2], file[PATH_MAX];

        snprintf(dir, sizeof(dir), "%s/state-%u", test_tmpdir(), count++);
        snprintf(file, sizeof(file), "%s/originals", dir);
        if (ret_file)
                *ret_file = file;
        fsync_calls = fsync_fails_at = 0;
        ftruncate_fails = false;
        return dir;
}

static size_t slurp(const char *path, char *buf, size_t size) {
        _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? 0 : read(fd, buf, size);

        return n < 0 ? 0 : (size_t) n;
}

static void spill(const char *path, const char *buf, size_t size) {
        _cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

        if (fd < 0 || fdio_write_all(fd, buf, size) < 0)
                abort();
}

static int record(struct journal *j, const char *device, enum tunable_id tunable, const char *before, const char *value) {
        return journal_record(j, device, 7, tunable, "bfq", before, value);
}

TEST(an_entry_survives_and_keeps_the_first_value_as_original) {
        const char *dir = fresh_dir(NULL);
        _cleanup_(journal_closep) struct journal *j = NULL;
        const struct journal_entry *e;
        unsigned damaged = 9;

        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_INT(journal_count(j), 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "600", "300"), 0);
        CHECK_INT(journal_note(j, "sda", 7, TUNABLE_QUEUE_NR_REQUESTS, "mq-deadline", "64", ""), 0);
        CHECK_INT(journal_sync(j), 0);
        j = journal_close(j);

        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_INT(journal_count(j), 2);
        e = journal_find(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US);
        CHECK(e);
        CHECK_STR(e->original, "8000");
        CHECK_STR(e->before, "600");
        CHECK_STR(e->written, "300");
        CHECK_STR(e->scheduler, "bfq");
        CHECK_INT(e->diskseq, 7);
        e = journal_find(j, "sda", TUNABLE_QUEUE_NR_REQUESTS);
        CHECK(e);
        CHECK_STR(e->original, "64");
        CHECK_STR(e->written, "");
        CHECK(!journal_find(j, "sdb", TUNABLE_QUEUE_NR_REQUESTS));
        CHECK(!journal_get(j, 2));
}

TEST(forgetting_the_last_entry_removes_the_file) {
        const char *file, *dir = fresh_dir(&file);
        _cleanup_(journal_closep) struct journal *j = NULL;
        unsigned damaged;

        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK(access(file, F_OK) < 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC, "124", "60"), 0);
        CHECK_INT(record(j, "sdb", TUNABLE_BFQ_TIMEOUT_SYNC, "124", "60"), 0);
        CHECK_INT(journal_forget(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC), 0);
        CHECK_INT(journal_forget(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC), 0);
        CHECK(access(file, F_OK) == 0);
        j = journal_close(j);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(journal_count(j), 2);
        journal_forget_device(j, "sda");
        CHECK_INT(journal_count(j), 1);
        CHECK_INT(journal_forget(j, "sdb", TUNABLE_BFQ_TIMEOUT_SYNC), 0);
        CHECK(access(file, F_OK) < 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), 0);
        CHECK(access(file, F_OK) == 0);
}

TEST(the_first_record_syncs_file_and_directory_and_removal_the_directory) {
        const char *dir = fresh_dir(NULL);
        _cleanup_(journal_closep) struct journal *j = NULL;
        unsigned damaged;

        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        fsync_calls = 0;
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), 0);
        CHECK_INT(fsync_calls, 2);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC, "124", "60"), 0);
        CHECK_INT(fsync_calls, 3);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC, "60", "50"), 0);
        CHECK_INT(fsync_calls, 3);
        journal_forget_device(j, "sda");
        CHECK_INT(fsync_calls, 4);
}

TEST(a_second_daemon_is_refused) {
        const char *dir = fresh_dir(NULL);
        _cleanup_(journal_closep) struct journal *first = NULL;
        struct journal *second = NULL;
        unsigned damaged;

        CHECK_INT(journal_open(dir, BOOT, &first, &damaged), 0);
        CHECK_INT(journal_open(dir, BOOT, &second, &damaged), -EBUSY);
        CHECK(!second);
        first = journal_close(first);
        CHECK_INT(journal_open(dir, BOOT, &first, &damaged), 0);
}

TEST(entries_of_another_boot_are_void_and_not_damage) {
        const char *file, *dir = fresh_dir(&file);
        _cleanup_(journal_closep) struct journal *j = NULL;
        unsigned damaged = 9;

        CHECK_INT(journal_open(dir, "another-boot", &j, &damaged), 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), 0);
        j = journal_close(j);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_INT(journal_count(j), 0);
        CHECK(access(file, F_OK) < 0);
}

TEST(what_a_power_loss_cut_short_is_void_with_the_rest_of_its_boot) {
        const char *file, *dir = fresh_dir(&file);
        _cleanup_(journal_closep) struct journal *j = NULL;
        char text[4096];
        unsigned damaged = 9;
        size_t length;

        CHECK_INT(journal_open(dir, "another-boot", &j, &damaged), 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC, "124", "60"), 0);
        j = journal_close(j);
        length = slurp(file, text, sizeof(text));
        memset(text + length - 20, 0, 20); /* ext4 may have its length and not its end */
        spill(file, text, length);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_INT(journal_count(j), 0);
        CHECK(access(file, F_OK) < 0);
}

/* Five records, the fourth of them one that forgets; what must be known after the first n lines. */
static void make_five_lines(const char *dir) {
        struct journal *j;
        unsigned damaged;

        if (journal_open(dir, BOOT, &j, &damaged) < 0 || record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600") < 0 ||
            record(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC, "124", "60") < 0 ||
            record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "600", "300") < 0 ||
            journal_forget(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC) < 0 ||
            record(j, "nvme0n1", TUNABLE_QUEUE_SCHEDULER, "none", "bfq") < 0)
                abort();
        journal_close(j);
}

static bool holds_after_lines(const struct journal *j, size_t lines) {
        static const char *const idle_written[] = { NULL, "600", "600", "300", "300", "300" };
        static const size_t counts[] = { 0, 1, 2, 2, 1, 2 };
        const struct journal_entry *e = journal_find(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US);

        if (journal_count(j) != counts[lines] || !e != !idle_written[lines])
                return false;
        return !e || (streq(e->original, "8000") && streq(e->written, idle_written[lines]));
}

TEST(a_file_cut_at_any_byte_keeps_every_whole_line) {
        const char *file, *dir = fresh_dir(&file);
        char text[4096];
        size_t length, lines = 0;

        make_five_lines(dir);
        length = slurp(file, text, sizeof(text));
        CHECK(length > 300 && length < sizeof(text));
        for (size_t cut = 0; cut <= length; cut++) {
                _cleanup_(journal_closep) struct journal *j = NULL;
                bool boundary = cut == 0 || text[cut - 1] == '\n';
                unsigned damaged, again;
                lines += cut > 0 && boundary;
                spill(file, text, cut);
                CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
                CHECK_INT(damaged, !boundary);
                CHECK(holds_after_lines(j, lines));
                /* and it is of use at once: what is recorded now is found by the next run */
                CHECK_INT(record(j, "sdz", TUNABLE_QUEUE_NR_REQUESTS, "64", "128"), 0);
                j = journal_close(j);
                CHECK_INT(journal_open(dir, BOOT, &j, &again), 0);
                CHECK_INT(again, 0);
                CHECK(journal_find(j, "sdz", TUNABLE_QUEUE_NR_REQUESTS));
                CHECK_INT(journal_forget(j, "sdz", TUNABLE_QUEUE_NR_REQUESTS), 0);
                CHECK(holds_after_lines(j, lines));
        }
        CHECK_INT(lines, 5);
}

TEST(a_flipped_bit_anywhere_costs_one_line_at_most_two) {
        const char *file, *dir = fresh_dir(&file);
        uint64_t state = test_seed();
        char text[4096];
        size_t length;

        make_five_lines(dir);
        length = slurp(file, text, sizeof(text));
        for (size_t at = 0; at < length; at++) {
                _cleanup_(journal_closep) struct journal *j = NULL;
                const struct journal_entry *e;
                char mask = (char) (1 << test_random(&state) % 8);
                unsigned damaged;
                text[at] ^= mask;
                spill(file, text, length);
                text[at] ^= mask;
                CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
                CHECK(damaged == 1 || damaged == 2); /* two where a newline went or came */
                e = journal_find(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US);
                CHECK(!e || streq(e->original, "8000") || streq(e->original, "600"));
        }
}

static struct journal_priority make_priority(int32_t tgid) {
        return (struct journal_priority) { .tgid = tgid, .start_ticks = 1000u + (uint64_t) tgid, .session = 12, .cgroup = 0xfeedbeef,
                                           .since_ticks = 5000, .original = 0, .written = 2 << 13 | 7 };
}

static int note_priority(struct journal *j, int32_t tgid) {
        struct journal_priority p = make_priority(tgid);

        return journal_note_priority(j, &p);
}

TEST(a_process_survives_beside_the_tunables_with_all_that_is_known_of_it) {
        const char *file, *dir = fresh_dir(&file);
        _cleanup_(journal_closep) struct journal *j = NULL;
        const struct journal_priority *p;
        unsigned damaged;

        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(note_priority(j, 4711), 0);
        CHECK_INT(note_priority(j, 4711), -EEXIST);
        CHECK_INT(note_priority(j, 4712), 0);
        CHECK_INT(journal_sync(j), 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), 0);
        CHECK_INT(journal_forget_priority(j, 4712, 1000 + 4712), 0);
        CHECK_INT(journal_forget_priority(j, 4711, 999), 0); /* another one of that number */
        j = journal_close(j);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_INT(journal_count(j), 1);
        CHECK_INT(journal_count_priorities(j), 1);
        p = journal_get_priority(j, 0);
        CHECK_INT(p->tgid, 4711);
        CHECK_INT(p->start_ticks, 1000 + 4711);
        CHECK_INT(p->session, 12);
        CHECK_INT(p->cgroup, 0xfeedbeef);
        CHECK_INT(p->since_ticks, 5000);
        CHECK_INT(p->original, 0);
        CHECK_INT(p->written, 2 << 13 | 7);
        CHECK_INT(journal_forget(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US), 0);
        CHECK(access(file, F_OK) == 0);
        CHECK_INT(journal_forget_priority(j, 4711, 1000 + 4711), 0);
        CHECK(access(file, F_OK) < 0);
        CHECK_INT(note_priority(j, 1), 0);
        j = journal_close(j);
        CHECK_INT(journal_open(dir, "another-boot", &j, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_INT(journal_count_priorities(j), 0);
}

TEST(processes_in_a_file_cut_at_any_byte_or_with_any_bit_flipped_lose_their_own_line_alone) {
        const char *file, *dir = fresh_dir(&file);
        _cleanup_(journal_closep) struct journal *j = NULL;
        char whole[2048], text[sizeof(whole)];
        unsigned damaged;
        size_t size;

        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(note_priority(j, 4711), 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), 0);
        CHECK_INT(note_priority(j, 4712), 0);
        CHECK_INT(journal_forget_priority(j, 4711, 1000 + 4711), 0);
        j = journal_close(j);
        size = slurp(file, whole, sizeof(whole));
        for (size_t cut = 0; cut <= size; cut++) {
                size_t lines = 0;
                for (size_t i = 0; i < cut; i++)
                        lines += whole[i] == '\n';
                spill(file, whole, cut);
                CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
                CHECK_INT(journal_count(j), lines >= 2);
                CHECK_INT(journal_count_priorities(j), lines == 0 ? 0 : lines == 3 ? 2 : 1);
                CHECK_INT(damaged, cut > 0 && whole[cut - 1] != '\n');
                if (lines == 4)
                        CHECK_INT(journal_get_priority(j, 0)->tgid, 4712);
                j = journal_close(j);
        }
        for (size_t bit = 0; bit < 8 * size; bit++) {
                memcpy(text, whole, size);
                text[bit / 8] ^= (char) (1u << bit % 8);
                spill(file, text, size);
                CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
                CHECK(damaged <= 2 && journal_count_priorities(j) <= 2);
                for (size_t i = 0; i < journal_count_priorities(j); i++) {
                        const struct journal_priority *p = journal_get_priority(j, i);
                        CHECK(p->tgid == 4711 || p->tgid == 4712);
                        CHECK_INT(p->written, 2 << 13 | 7);
                }
                j = journal_close(j);
        }
}

TEST(as_many_processes_as_there_may_be_and_no_more) {
        const char *dir = fresh_dir(NULL);
        _cleanup_(journal_closep) struct journal *j = NULL;
        unsigned damaged;

        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        for (int32_t i = 1; i <= JOURNAL_PRIORITIES_MAX; i++)
                CHECK_INT(note_priority(j, i), 0);
        CHECK_INT(note_priority(j, JOURNAL_PRIORITIES_MAX + 1), -ENOSPC);
        for (int round = 0; round < 2000; round++) { /* the file stays small */
                CHECK_INT(journal_forget_priority(j, 7, 1007), 0);
                CHECK_INT(note_priority(j, 7), 0);
        }
        j = journal_close(j);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(journal_count_priorities(j), JOURNAL_PRIORITIES_MAX);
}

TEST(garbage_is_skipped_and_counted) {
        const char *file, *dir = fresh_dir(&file);
        _cleanup_(journal_closep) struct journal *j = NULL;
        char text[8192];
        size_t length;
        unsigned damaged;

        make_five_lines(dir);
        length = slurp(file, text, sizeof(text));
        memmove(text + 4, text, length);
        memcpy(text, "\0\xff\n\n", 4);
        length += 4;
        memset(text + length, 'x', 2000); /* longer than any record */
        text[length + 2000] = '\n';
        length += 2001;
        memcpy(text + length, "brio1\tno\tcrc\n", 13);
        length += 13;
        spill(file, text, length);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 4);
        CHECK(holds_after_lines(j, 5));
        j = journal_close(j);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK(holds_after_lines(j, 5));
}

TEST(the_file_stays_small_however_often_a_value_changes) {
        const char *file, *dir = fresh_dir(&file);
        _cleanup_(journal_closep) struct journal *j = NULL;
        off_t largest = 0;
        struct stat st;
        unsigned damaged;

        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        for (unsigned i = 0; i < 5000; i++) {
                char value[16];
                snprintf(value, sizeof(value), "%u", i);
                CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", value), 0);
                CHECK(stat(file, &st) == 0);
                largest = MAX(largest, st.st_size);
        }
        CHECK(largest > 32 * 1024 && largest < 80 * 1024);
        j = journal_close(j);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_STR(journal_find(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US)->written, "4999");
}

/* The limit makes a write come up short, as a full disk does. */
static void limit_file_size(size_t bytes) {
        struct rlimit limit = { bytes, RLIM_INFINITY };

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
}

static void lift_file_size(void) {
        struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

        setrlimit(RLIMIT_FSIZE, &limit);
}

static int record_with_limit(struct journal *j, size_t bytes) {
        int r;

        limit_file_size(bytes);
        r = record(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC, "124", "60");
        lift_file_size();
        return r;
}

TEST(a_full_disk_refuses_the_record_and_harms_no_other) {
        for (unsigned variant = 0; variant < 2; variant++) {
                const char *file, *dir = fresh_dir(&file);
                _cleanup_(journal_closep) struct journal *j = NULL;
                struct stat before, after;
                unsigned damaged;
                CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
                CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), 0);
                CHECK(stat(file, &before) == 0);
                ftruncate_fails = variant == 1;
                CHECK_INT(record_with_limit(j, (size_t) before.st_size + 20), -EFBIG);
                ftruncate_fails = false;
                CHECK(!journal_find(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC));
                CHECK(stat(file, &after) == 0);
                CHECK_INT(after.st_size, before.st_size + (variant == 1 ? 20 : 0));
                CHECK_INT(record(j, "sda", TUNABLE_BFQ_MAX_BUDGET, "0", "4096"), 0);
                j = journal_close(j);
                CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
                CHECK_INT(damaged, 0);
                CHECK_INT(journal_count(j), 2);
        }
}

TEST(a_full_disk_at_the_start_does_not_hide_the_originals) {
        const char *file, *dir = fresh_dir(&file);
        _cleanup_(journal_closep) struct journal *j = NULL;
        char text[4096];
        size_t length;
        unsigned damaged;
        int r;

        make_five_lines(dir);
        length = slurp(file, text, sizeof(text));
        text[0] = 'X';
        spill(file, text, length);
        limit_file_size(10);
        r = journal_open(dir, BOOT, &j, &damaged);
        lift_file_size();
        CHECK_INT(r, 0);
        CHECK_INT(damaged, 1);
        CHECK_INT(journal_count(j), 2);
        journal_forget_device(j, "sda");
        CHECK_INT(journal_forget(j, "nvme0n1", TUNABLE_QUEUE_SCHEDULER), 0);
        CHECK(access(file, F_OK) < 0);
}

TEST(a_failed_fsync_is_an_error_and_the_next_record_writes_a_new_file) {
        for (unsigned at = 1; at <= 2; at++) { /* of the file, of the directory */
                const char *file, *dir = fresh_dir(&file);
                _cleanup_(journal_closep) struct journal *j = NULL;
                unsigned damaged;
                CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
                fsync_calls = 0;
                fsync_fails_at = at;
                CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), -EIO);
                CHECK_INT(journal_count(j), 0);
                CHECK_INT(record(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC, "124", "60"), 0);
                j = journal_close(j);
                CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
                CHECK_INT(damaged, 0);
                CHECK(journal_find(j, "sda", TUNABLE_BFQ_TIMEOUT_SYNC));
        }
}

TEST(a_directory_that_cannot_be_written_is_an_error) {
        const char *dir = fresh_dir(NULL);
        struct journal *j = NULL;
        char path[PATH_MAX];
        unsigned damaged;

        test_write_file(dir, "file", "");
        snprintf(path, sizeof(path), "%s/file", dir);
        CHECK_INT(journal_open(path, BOOT, &j, &damaged), -ENOTDIR);
        snprintf(path, sizeof(path), "%s/file/below", dir);
        CHECK_INT(journal_open(path, BOOT, &j, &damaged), -ENOTDIR);
        CHECK_INT(journal_open("/proc/brio", BOOT, &j, &damaged), -ENOENT);
        snprintf(path, sizeof(path), "%s/originals", dir);
        CHECK(mkdir(path, 0755) == 0);
        CHECK(journal_open(dir, BOOT, &j, &damaged) < 0);
        CHECK(!j);
}

TEST(a_record_is_refused_where_the_directory_is_gone) {
        const char *dir = fresh_dir(NULL);
        _cleanup_(journal_closep) struct journal *j = NULL;
        char path[PATH_MAX];
        unsigned damaged;

        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        snprintf(path, sizeof(path), "%s/lock", dir);
        CHECK(unlink(path) == 0 && rmdir(dir) == 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "600"), -ENOENT);
        CHECK_INT(journal_count(j), 0);
}

TEST(values_that_would_break_a_line_are_refused) {
        const char *dir = fresh_dir(NULL);
        _cleanup_(journal_closep) struct journal *j = NULL;
        char longest[TUNABLE_VALUE_MAX + 1] = "";
        unsigned damaged;

        memset(longest, '9', sizeof(longest) - 1);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8\t000", "600"), -EINVAL);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, "8000", "6\n00"), -EINVAL);
        CHECK_INT(record(j, "sda", TUNABLE_BFQ_SLICE_IDLE_US, longest, "600"), -EINVAL);
        CHECK_INT(journal_count(j), 0);
        longest[TUNABLE_VALUE_MAX - 1] = '\0';
        CHECK_INT(record(j, "a-name-of-thirty-one-characters", TUNABLE_CFQ_TARGET_LATENCY_US, longest, longest), 0);
        j = journal_close(j);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_STR(journal_get(j, 0)->original, longest);
}

/* Taken, it would keep the journal from being written anew. */
TEST(a_line_that_is_never_written_is_damage_whatever_its_checksum_says) {
        const char *file, *dir = fresh_dir(&file);
        static const char with_escape[] = "brio1\t" BOOT "\toriginal\tsd\x1b\t1\tbfq:slice_idle_us\tbfq\t8000\t8000\t600";
        static const char with_nul[] = "brio1\t" BOOT "\toriginal\tsda\t1\tbfq:slice_idle_us\tbfq\t8000\t8000\t6\00000";
        _cleanup_(journal_closep) struct journal *j = NULL;
        unsigned damaged = 0;
        FILE *f = mkdir(dir, 0700) == 0 ? fopen(file, "we") : NULL;

        CHECK(f);
        fwrite(with_escape, 1, sizeof(with_escape) - 1, f);
        fprintf(f, "\t%08x\n", checksum_crc32c(0, with_escape, sizeof(with_escape) - 1));
        fwrite(with_nul, 1, sizeof(with_nul) - 1, f);
        fprintf(f, "\t%08x\n", checksum_crc32c(0, with_nul, sizeof(with_nul) - 1));
        CHECK_INT(fclose(f), 0);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 2);
        CHECK_INT(journal_count(j), 0);
}

TEST(every_tunable_is_found_again_by_its_name) {
        const char *dir = fresh_dir(NULL);
        _cleanup_(journal_closep) struct journal *j = NULL;
        unsigned damaged;

        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++)
                CHECK_INT(journal_note(j, "sda", 0, id, "bfq", "1", "2"), 0);
        j = journal_close(j);
        CHECK_INT(journal_open(dir, BOOT, &j, &damaged), 0);
        CHECK_INT(damaged, 0);
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++)
                CHECK(journal_find(j, "sda", id));
}
