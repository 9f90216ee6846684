/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source-bpf.h"
#include "test.h"

static void hear(void *userdata, const struct event *e _unused_) {
        ++*(unsigned *) userdata;
}

TEST(requests_of_a_recorded_machine_cannot_be_told_and_probe_says_so) {
        const struct source_drive drive = { .dev = DEV_NUMBER(8, 0) };
        struct source_bpf *s;
        struct source_info info;
        sd_event *event;
        unsigned heard = 0;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(source_bpf_new(test_tmpdir(), event, (struct event_sink) { hear, &heard }, &s), 0);
        CHECK_INT(source_bpf_ops.start(s, &drive, NSEC_PER_SEC), -ENODEV);
        CHECK_INT(source_bpf_ops.probe(s, &info), 1);
        CHECK_STR(info.name, "bpf");
        CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        CHECK(*info.detail);
        source_bpf_ops.stop(s, drive.dev, NSEC_PER_SEC);
        CHECK_INT(heard, 0);
        source_bpf_free(s);
        sd_event_unref(event);
}

/* Under any user: it works, or it says why not. */
TEST(probe_of_this_machine_says_how_well_it_works) {
        struct source_bpf *s;
        struct source_info info;
        sd_event *event;
        unsigned heard = 0;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(source_bpf_new("", event, (struct event_sink) { hear, &heard }, &s), 0);
        CHECK_INT(source_bpf_ops.probe(s, &info), 1);
        CHECK(info.state == SOURCE_WORKS || info.state == SOURCE_UNAVAILABLE);
        CHECK(*info.detail);
        CHECK_INT(heard, 0);
        source_bpf_free(s);
        sd_event_unref(event);
}

#define ANY_COMMAND UINT32_MAX

/* From now on bpf(2) with that command fails with the error, as a kernel would have it that lacks something. */
static bool refuse_bpf(uint32_t command, int error) {
        struct sock_filter code[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 3),
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
                BPF_JUMP(BPF_JMP | (command == ANY_COMMAND ? BPF_JGE : BPF_JEQ) | BPF_K, command == ANY_COMMAND ? 0 : command, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t) error),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        const struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };

        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* How a kernel refuses, and what is then said of it: `says`, and not `never`. */
struct refusal {
        uint32_t command;
        int error;
        const char *says, *never;
        bool old; /* it has the release of Linux 2.6, as before 3.0 each had (personality(2), UNAME26) */
};

/* 0: it says so; 1: it says something else; 2: nothing can be refused here; 3: there is no such source. */
static int try_refused(const struct refusal *k) {
        struct source_bpf *s;
        struct source_info info;
        unsigned heard = 0;
        sd_event *event;
        bool said;

        if ((k->old && personality(PER_LINUX | UNAME26) < 0) || !refuse_bpf(k->command, k->error))
                return 2;
        if (sd_event_new(&event) < 0 || source_bpf_new("", event, (struct event_sink) { hear, &heard }, &s) < 0)
                return 1;
        source_bpf_ops.probe(s, &info);
        printf("# %s\n", info.detail);
        fflush(stdout);
        said = info.state == SOURCE_UNAVAILABLE && strstr(info.detail, k->says) && !(k->never && strstr(info.detail, k->never));
        source_bpf_free(s);
        sd_event_unref(event);
        return said ? 0 : strstr(info.detail, "built without") ? 3 : 1;
}

/* A kernel that is too old, one without BPF, one that does not let us, and one whose verifier refuses a program. */
TEST(where_it_does_not_load_it_says_exactly_why_not) {
        static const struct refusal kernels[] = {
                { .command = BPF_MAP_CREATE, .error = EINVAL, .says = "Linux 5.8 or later" },
                { .command = ANY_COMMAND, .error = ENOSYS, .says = "CONFIG_BPF_SYSCALL" },
                { .command = ANY_COMMAND, .error = EPERM, .says = "CAP_BPF" },
                { .command = BPF_PROG_LOAD, .error = EACCES, .says = "CAP_BPF" },
                { .command = BPF_PROG_LOAD, .error = EINVAL, .says = "Invalid argument, libbpf: " },
                { .command = BPF_PROG_LOAD, .error = E2BIG, .says = "Argument list too long, libbpf: " },
                /* Before 5.8 neither an option nor a capability helps. */
                { .command = BPF_MAP_CREATE, .error = EINVAL, .says = "Linux 5.8 is the first that has", .never = "CONFIG_", .old = true },
                { .command = ANY_COMMAND, .error = ENOSYS, .says = "Linux 5.8 is the first that has", .never = "CONFIG_", .old = true },
                { .command = ANY_COMMAND, .error = EPERM, .says = "Linux 5.8 is the first that has", .never = "CAP_", .old = true },
        };

        if (geteuid() != 0)
                test_skip("needs root: BPF programs");
        if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
                test_skip("the kernel has no BTF");
        for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
                int status;
                pid_t pid;

                fflush(stdout);
                pid = fork();
                CHECK(pid >= 0);
                if (pid == 0)
                        _exit(try_refused(&kernels[i]));
                CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
                if (WEXITSTATUS(status) == 2)
                        test_skip("the kernel has no system call filters");
                if (WEXITSTATUS(status) == 3)
                        test_skip("briod was built without BPF");
                CHECK_INT(WEXITSTATUS(status), 0);
        }
}
