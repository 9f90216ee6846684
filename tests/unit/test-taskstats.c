/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fdio.h"
#include "taskstats.h"
#include "test.h"

#define FAMILY 28
#define STATS_BYTES 560
#define NOT_ROOT "needs root: the kernel's task statistics"
#define NOT_HERE "the kernel does not let us ask for task statistics"
#define NOT_ACCOUNTED "the kernel does not account delays (kernel.task_delayacct)"

/* An answer as the kernel lays it out. */
struct message {
        uint8_t bytes[1024];
        size_t size;
};

static void put(struct message *m, const void *data, size_t size) {
        memcpy(m->bytes + m->size, data, size);
        m->size += NLA_ALIGN(size);
}

static void put_u64(struct message *m, size_t offset, uint64_t value) {
        memcpy(m->bytes + offset, &value, sizeof(value));
}

static struct message begin(uint16_t type, uint8_t command) {
        struct message m = { 0 };

        put(&m, &(struct nlmsghdr){ .nlmsg_type = type }, sizeof(struct nlmsghdr));
        put(&m, &(struct genlmsghdr){ .cmd = command, .version = 1 }, sizeof(struct genlmsghdr));
        return m;
}

static void end(struct message *m) {
        uint32_t size = (uint32_t) m->size;

        memcpy(m->bytes, &size, sizeof(size));
}

/* At the offsets of that version: waits and ns, 3 and 4567; and ns of swapping in, reclaim, thrashing and compaction, 10, 200, 3000 and 40000 */
static struct message make_answer(uint32_t id, uint16_t version) {
        struct message m = begin(FAMILY, TASKSTATS_CMD_NEW);
        static const size_t plain[] = { 32, 40, 56, 320, 336, 360 }, spread[] = { 48, 56, 88, 368, 400, 440 };
        const size_t *offsets = version == 15 ? spread : plain;
        struct nlattr group = { .nla_len = 4 + 8 + 4 + STATS_BYTES, .nla_type = TASKSTATS_TYPE_AGGR_TGID };
        size_t stats;

        put(&m, &group, sizeof(group));
        put(&m, &(struct nlattr){ .nla_len = 8, .nla_type = TASKSTATS_TYPE_TGID }, sizeof(struct nlattr));
        put(&m, &id, sizeof(id));
        put(&m, &(struct nlattr){ .nla_len = 4 + STATS_BYTES, .nla_type = TASKSTATS_TYPE_STATS }, sizeof(struct nlattr));
        stats = m.size;
        m.size += STATS_BYTES;
        memcpy(m.bytes + stats, &version, sizeof(version));
        put_u64(&m, stats + 16, 77);
        put_u64(&m, stats + offsets[0], 3);
        put_u64(&m, stats + offsets[1], 4567);
        put_u64(&m, stats + offsets[2], 10);
        put_u64(&m, stats + offsets[3], 200);
        put_u64(&m, stats + offsets[4], 3000);
        put_u64(&m, stats + offsets[5], 40000);
        end(&m);
        return m;
}

TEST(an_answer_about_a_process_is_read_in_every_layout) {
        static const uint16_t versions[] = { 8, 14, 15, 16, 17 };

        for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
                struct message m = make_answer(500, versions[i]);
                struct task_stats_reply r;

                CHECK_INT(task_stats_parse(m.bytes, m.size, FAMILY, &r), 1);
                CHECK(r.error == 0 && r.id == 500);
                CHECK_INT(r.runs, 77);
                CHECK(r.waits == 3 && r.wait_ns == 4567);
                CHECK_INT(r.memory_ns, 43210);
        }
}

/* struct taskstats ended there before Linux 5.17. */
TEST(a_kernel_that_does_not_tell_of_compaction_tells_of_the_rest) {
        struct message m = make_answer(500, 10);
        const size_t left = STATS_BYTES - 352;
        struct task_stats_reply r;
        uint32_t size;

        m.size -= left;
        size = (uint32_t) m.size;
        memcpy(m.bytes, &size, sizeof(size));
        memcpy(m.bytes + NLMSG_HDRLEN + GENL_HDRLEN, &(uint16_t){ 4 + 8 + 4 + 352 }, 2);
        memcpy(m.bytes + NLMSG_HDRLEN + GENL_HDRLEN + 4 + 8, &(uint16_t){ 4 + 352 }, 2);
        CHECK_INT(task_stats_parse(m.bytes, m.size, FAMILY, &r), 1);
        CHECK_INT(r.memory_ns, 3210);
}

TEST(an_answer_about_a_thread_is_none) {
        struct message m = make_answer(500, 14);
        struct task_stats_reply r;

        m.bytes[NLMSG_HDRLEN + GENL_HDRLEN + 2] = TASKSTATS_TYPE_AGGR_PID;
        CHECK_INT(task_stats_parse(m.bytes, m.size, FAMILY, &r), -EBADMSG);
}

TEST(a_layout_that_is_too_old_is_refused) {
        struct message m = make_answer(500, 7);
        struct task_stats_reply r;

        CHECK_INT(task_stats_parse(m.bytes, m.size, FAMILY, &r), -EPROTONOSUPPORT);
}

TEST(a_refusal_carries_its_error) {
        struct message m = begin(NLMSG_ERROR, 0);
        struct task_stats_reply r;
        int32_t error = -ESRCH;

        m.size = NLMSG_HDRLEN;
        put(&m, &error, sizeof(error));
        m.size += NLMSG_HDRLEN; /* the request comes back with it */
        end(&m);
        CHECK_INT(task_stats_parse(m.bytes, m.size, FAMILY, &r), 1);
        CHECK(r.error == ESRCH && r.id == 0 && r.waits == 0);
        CHECK_INT(task_stats_parse_family(m.bytes, m.size), -ESRCH);
        error = 0;
        memcpy(m.bytes + NLMSG_HDRLEN, &error, sizeof(error));
        CHECK_INT(task_stats_parse(m.bytes, m.size, FAMILY, &r), -EBADMSG);
}

TEST(the_family_has_a_number) {
        struct message m = begin(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY), other = begin(FAMILY, CTRL_CMD_NEWFAMILY);
        uint16_t number = FAMILY;

        put(&m, &(struct nlattr){ .nla_len = 4 + sizeof(TASKSTATS_GENL_NAME), .nla_type = CTRL_ATTR_FAMILY_NAME }, sizeof(struct nlattr));
        put(&m, TASKSTATS_GENL_NAME, sizeof(TASKSTATS_GENL_NAME));
        put(&m, &(struct nlattr){ .nla_len = 6, .nla_type = CTRL_ATTR_FAMILY_ID }, sizeof(struct nlattr));
        put(&m, &number, sizeof(number));
        end(&m);
        CHECK_INT(task_stats_parse_family(m.bytes, m.size), FAMILY);
        end(&other);
        CHECK_INT(task_stats_parse_family(other.bytes, other.size), -EBADMSG);
}

TEST(messages_of_others_are_nothing) {
        struct message m = make_answer(500, 14);
        struct task_stats_reply r;

        CHECK_INT(task_stats_parse(m.bytes, m.size, FAMILY + 1, &r), 0);
        m.bytes[NLMSG_HDRLEN] = TASKSTATS_CMD_GET;
        CHECK_INT(task_stats_parse(m.bytes, m.size, FAMILY, &r), 0);
}

TEST(every_cut_answer_is_refused) {
        struct message m = make_answer(500, 14);
        struct task_stats_reply r;

        for (size_t size = 0; size < m.size; size++) {
                /* on the heap and exactly as long, so that a read beyond it is seen; once with the old length, once with the new one */
                _cleanup_free_ uint8_t *copy = malloc(size + 1);
                uint32_t length = (uint32_t) size;

                CHECK(copy);
                memcpy(copy, m.bytes, size);
                CHECK_INT(task_stats_parse(copy, size, FAMILY, &r), -EBADMSG);
                if (size < sizeof(length))
                        continue;
                memcpy(copy, &length, sizeof(length));
                CHECK_INT(task_stats_parse(copy, size, FAMILY, &r), -EBADMSG);
        }
}

TEST(garbage_is_survived) {
        struct message base = make_answer(500, 14);
        uint64_t state = test_seed();

        for (size_t i = 0; i < 50000; i++) {
                struct message m = base;
                struct task_stats_reply r;
                int result;

                for (size_t k = test_random(&state) % 8; k > 0; k--)
                        m.bytes[test_random(&state) % (k > 4 ? m.size : 40)] = (uint8_t) test_random(&state);
                result = task_stats_parse(m.bytes, test_random(&state) % 4 ? m.size : test_random(&state) % (m.size + 1), FAMILY, &r);
                CHECK(result == 0 || result == 1 || result == -EBADMSG || result == -EPROTONOSUPPORT);
        }
}

#define SPAN (250 * NSEC_PER_MSEC)

TEST(the_first_total_is_a_base_and_later_ones_differences) {
        struct wait_account a = { 0 };

        CHECK_INT(wait_account_add(&a, 7 * NSEC_PER_SEC, false, SPAN), 0);
        CHECK_INT(wait_account_add(&a, 7 * NSEC_PER_SEC + 1000, false, SPAN), 1000);
        CHECK_INT(wait_account_add(&a, 7 * NSEC_PER_SEC + 1000, false, SPAN), 0);
        CHECK_INT(wait_account_add(&a, 9 * NSEC_PER_SEC, false, SPAN), SPAN); /* eight threads wait side by side */
        CHECK_INT(wait_account_add(&a, 1, false, SPAN), 0); /* less than before: another base */
        CHECK_INT(wait_account_add(&a, 5, false, SPAN), 4);
}

TEST(a_wait_that_lasts_counts_while_it_lasts_and_once) {
        struct wait_account a = { .known = true };
        uint64_t sum = 0;

        for (unsigned i = 0; i < 8; i++)
                sum += wait_account_add(&a, 0, true, SPAN);
        CHECK_INT(sum, 8 * SPAN);
        sum += wait_account_add(&a, 8 * SPAN + SPAN / 2, false, SPAN); /* it ended in the middle of this one */
        CHECK_INT(sum, 8 * SPAN + SPAN / 2);
        sum += wait_account_add(&a, 8 * SPAN + SPAN / 2 + 1000, false, SPAN);
        CHECK_INT(sum, 8 * SPAN + SPAN / 2 + 1000);
}

TEST(live_a_process_that_is_gone_is_told_so) {
        struct task_stats *t = NULL;
        struct task_stats_reply r;
        struct source_info info;
        int result;

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        CHECK_INT(task_stats_new("", &t), 0);
        task_stats_probe(t, &info);
        result = task_stats_get_process(t, INT32_MAX, &r);
        task_stats_free(t);
        if (info.state == SOURCE_UNAVAILABLE)
                test_skip(NOT_HERE);
        CHECK_INT(result, -ESRCH);
}

TEST(live_a_reader_past_the_page_cache_waits) {
        struct task_stats *t = NULL;
        struct task_stats_reply r;
        char path[4200];
        void *block = aligned_alloc(4096, 4096);
        int fd, result;
        ssize_t n = -1;

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        CHECK_INT(task_stats_new("", &t), 0);
        if (!task_stats_works(t)) {
                task_stats_free(t);
                free(block);
                test_skip(NOT_ACCOUNTED);
        }
        snprintf(path, sizeof(path), "%s/waited", test_tmpdir());
        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_DIRECT, 0600);
        memset(block, 1, 4096);
        if (fd >= 0 && pwrite(fd, block, 4096, 0) == 4096 && fsync(fd) == 0)
                n = pread(fd, block, 4096, 0);
        safe_close(fd);
        free(block);
        result = task_stats_get_process(t, getpid(), &r);
        task_stats_free(t);
        if (n != 4096)
                test_skip("the temporary directory's file system has no direct I/O");
        CHECK_INT(result, 0);
        CHECK(r.waits > 0 && r.wait_ns > 0);
}

TEST(a_kernel_without_the_switch_of_5_14_accounts_delays_where_it_says_anything_of_ourselves) {
        static const struct {
                const char *state;
                uint64_t runs;
                enum delay_accounting is;
        } vectors[] = { { NULL, 1, DELAYS_ALWAYS_ACCOUNTED }, { NULL, 0, DELAYS_UNKNOWN_TO_KERNEL }, { "0", 1, DELAYS_NOT_ACCOUNTED }, { "0", 0, DELAYS_NOT_ACCOUNTED },
                        { "1", 1, DELAYS_ACCOUNTED }, { "1", 0, DELAYS_ACCOUNTED } };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
                CHECK_INT(task_stats_accounting(vectors[i].state, &(struct task_stats_reply){ .runs = vectors[i].runs }), vectors[i].is);
}

TEST(a_recorded_machine_is_not_asked) {
        struct task_stats *t = NULL;
        struct task_stats_reply r;
        struct source_info info;

        CHECK_INT(task_stats_new("/nonexistent", &t), 0);
        CHECK(!task_stats_works(t));
        CHECK_INT(task_stats_get_process(t, 1, &r), -ENODATA);
        task_stats_probe(t, &info);
        CHECK(info.state == SOURCE_UNAVAILABLE && strstr(info.detail, "recorded"));
        task_stats_free(t);
}
