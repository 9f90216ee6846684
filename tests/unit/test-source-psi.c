/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "clock.h"
#include "release.h"
#include "source-psi.h"
#include "str.h"
#include "test.h"

DEFINE_TRIVIAL_CLEANUP_FUNC(struct source_psi *, source_psi_free)

static void count(void *userdata) {
        (*(unsigned *) userdata)++;
}

TEST(a_recorded_machine_has_no_trigger_and_says_so) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_psi_freep) struct source_psi *s = NULL;
        struct source_info info;
        unsigned calls = 0;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(source_psi_new(test_tmpdir(), event, count, &calls, &s), 0);
        source_psi_ops.probe(s, &info);
        CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        CHECK(strstr(info.detail, "recorded"));
}

TEST(live_it_works_exactly_where_the_kernel_has_pressure) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_psi_freep) struct source_psi *s = NULL;
        struct source_info info;
        unsigned calls = 0;
        char text[256];
        _cleanup_close_ int fd = open("/proc/pressure/io", O_RDWR | O_CLOEXEC);
        bool has = fd >= 0 && read(fd, text, sizeof(text)) > 0;
        int error = fd < 0 ? errno : has ? 0 : EOPNOTSUPP;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(source_psi_new("", event, count, &calls, &s), 0);
        source_psi_ops.probe(s, &info);
        printf("# %s: %s\n", source_state_to_string(info.state), info.detail);
        if (has)
                CHECK(info.state == SOURCE_WORKS || info.state == SOURCE_REDUCED || strstr(info.detail, "CAP_SYS_RESOURCE"));
        else
                CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        if (error == EOPNOTSUPP || error == ENOENT)
                CHECK(strstr(info.detail, "psi=1"));
        /* Nothing is ready for ever: an error on the descriptor would spin the loop. */
        for (unsigned i = 0; i < 10; i++)
                CHECK(sd_event_run(event, 1000) >= 0);
        CHECK(calls <= 1);
}

#define PATIENCE_NS (20 * NSEC_PER_SEC)
#define PART_MIN 5 /* so much of the time, one of, a process has to have waited for the trigger to be due in some window */

/* The time that any process waited for I/O since boot. */
static nsec_t waited(void) {
        char text[256] = "", *total;
        _cleanup_close_ int fd = open("/proc/pressure/io", O_RDONLY | O_CLOEXEC);
        uint64_t us;

        if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || !(total = strstr(text, "total=")))
                return 0;
        total += strlen("total=");
        total[strcspn(total, "\n")] = '\0';
        return str_parse_u64(total, &us) == 0 ? us * NSEC_PER_USEC : 0;
}

/* Waits for a drive again and again until it is killed. */
static pid_t start_waiting(void) {
        char path[4096], page[4096] = "";
        pid_t pid;

        snprintf(path, sizeof(path), "%s/waits", test_tmpdir());
        pid = fork();
        if (pid == 0) {
                int fd = open(path, O_WRONLY | O_CREAT | O_DSYNC | O_CLOEXEC, 0600);
                while (fd >= 0 && pwrite(fd, page, sizeof(page), 0) == sizeof(page))
                        ;
                _exit(1);
        }
        return pid;
}

TEST(live_pressure_is_an_event) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_psi_freep) struct source_psi *s = NULL;
        nsec_t begin = clock_now(CLOCK_MONOTONIC), before = waited(), span;
        struct source_info info;
        unsigned calls = 0;
        pid_t pid;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(source_psi_new("", event, count, &calls, &s), 0);
        source_psi_ops.probe(s, &info);
        if (info.state == SOURCE_UNAVAILABLE)
                test_skip("no trigger of pressure here");
        pid = start_waiting();
        do {
                CHECK(sd_event_run(event, 100 * USEC_PER_MSEC) >= 0);
                span = clock_now(CLOCK_MONOTONIC) - begin;
        } while (calls == 0 && span < PATIENCE_NS);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        printf("# told after %.1f s, of which processes waited %.1f s\n", (double) span / NSEC_PER_SEC, (double) (waited() - before) / NSEC_PER_SEC);
        if (calls == 0 && (waited() - before) * PART_MIN < span)
                test_skip("the temporary files are on no drive that one waits for");
        CHECK(calls > 0);
}

TEST(what_a_kernel_is_advised_it_can_have) {
        static const struct {
                int error;
                const char *release, *says, *says_not;
        } vectors[] = {
                { -ENOENT, "4.19.0-27-amd64", "Linux 4.20 is the first", "psi=1" }, { -ENOENT, "5.10.0-33-amd64", "psi=1", "4.20" },
                { -EACCES, "5.10.0-33-amd64", "CAP_DAC_OVERRIDE", "CAP_SYS_RESOURCE" }, { -EACCES, "6.1.0-1", "CAP_SYS_RESOURCE", "CAP_DAC_OVERRIDE" },
                { -EINVAL, "6.1.0-1", "CAP_SYS_RESOURCE", "5.13" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
                const char *text = source_psi_explain(vectors[i].error, vectors[i].release);
                CHECK(strstr(text, vectors[i].says));
                CHECK(!strstr(text, vectors[i].says_not));
        }
}

TEST(a_kernels_release_is_compared_by_its_numbers) {
        CHECK(release_is_before("4.19.0-27-amd64", 4, 20));
        CHECK(release_is_before("5.4", 5, 10));
        CHECK(!release_is_before("5.10.0-33-amd64", 5, 10));
        CHECK(!release_is_before("6.1.0", 5, 13));
        CHECK(!release_is_before("", 5, 13));
}
