/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "clock.h"
#include "policy-files.h"
#include "replay-show.h"
#include "verbs.h"

enum { OPTION_DIRECTORY, OPTION_PROC_ONLY, OPTION_KERNEL_RULE, OPTION_NO_MEMORY, OPTION_KERNEL_TURNS };

static const struct cli_option options[] = {
        [OPTION_DIRECTORY] = { "policy-dir", '\0', "DIR", "take the policies of this directory alone" },
        [OPTION_PROC_ONLY] = { "proc-only", '\0', NULL, "pass over single requests, as where the kernel does not tell them" },
        [OPTION_KERNEL_RULE] = { "kernel-rule", '\0', NULL, "take for streams what bfq's rule does, and that alone" },
        [OPTION_NO_MEMORY] = { "no-memory", '\0', NULL, "the same with the rule as it was before Linux 4.16" },
        [OPTION_KERNEL_TURNS] = { "kernel-turns", '\0', NULL, "the same as bfq applies it where processes take each other's turns" },
        {},
};

static ssize_t fill(void *userdata, void *buf, size_t size) {
        const int *fd = userdata;
        ssize_t n;

        do
                n = read(*fd, buf, size);
        while (n < 0 && errno == EINTR);
        return n < 0 ? -errno : n;
}

/* r is what recording_read() returned. Returns an exit code. */
static int say_end(const char *file, const struct recording_reader *reader, int r) {
        switch (r) {
        case 0:
                break;
        case -ENODATA:
                fprintf(stderr, "brioctl: %s is empty.\n", file);
                return CLI_FAILED;
        case -EBADMSG:
                fprintf(stderr, "brioctl: %s is no recording. `brioctl record` makes one.\n", file);
                return CLI_FAILED;
        case -EPROTONOSUPPORT:
                fprintf(stderr, "brioctl: %s is a recording of another version; this brioctl reads version %d. Replay it with the brioctl "
                        "that wrote it.\n", file, RECORDING_VERSION);
                return CLI_FAILED;
        default:
                fprintf(stderr, "brioctl: cannot read %s: %s.\n", file, strerror(-r));
                return CLI_FAILED;
        }
        if (reader->counters.damages > 0)
                fprintf(stderr, "brioctl: %s is damaged in %" PRIu64 " place(s): %" PRIu64 " bytes were passed over, and count as lost events.\n",
                        file, reader->counters.damages, reader->counters.damaged_bytes);
        if (!reader->ended)
                fprintf(stderr, "brioctl: %s ends too early: the recording was interrupted, or the file was cut. What is there has been "
                        "replayed.\n", file);
        return reader->counters.damages == 0 && reader->ended ? CLI_OK : CLI_FAILED;
}

static int replay_all(struct recording_reader *reader, struct replay *replay, bool json) {
        struct recording_item item;
        int r;

        while ((r = recording_read(reader, &item)) > 0) {
                if (item.kind == RECORDING_ENVIRONMENT)
                        replay_show_environment(json, item.text);
                replay_take(replay, &item);
        }
        return r;
}

static void set_ways(struct replay *replay, const struct cli_invocation *inv) {
        if (inv->options[OPTION_PROC_ONLY])
                replay_set_proc_only(replay);
        if (inv->options[OPTION_NO_MEMORY])
                replay_set_judge(replay, STREAM_JUDGE_FORGETFUL);
        else if (inv->options[OPTION_KERNEL_RULE])
                replay_set_judge(replay, STREAM_JUDGE_RULE);
        else if (inv->options[OPTION_KERNEL_TURNS])
                replay_set_judge(replay, STREAM_JUDGE_TURNS);
}

static int replay_file(const char *file, int fd, const struct policy_set *policies, const struct cli_invocation *inv) {
        _cleanup_free_ struct recording_reader *reader = malloc(sizeof(*reader));
        bool json = inv->json;
        struct replay *replay = replay_new(policies->policies, policies->n, replay_show_note, &json);
        struct replay_summary summary;
        nsec_t began = clock_now(CLOCK_MONOTONIC), took;
        int r;

        if (!reader || !replay) {
                fputs("brioctl: out of memory\n", stderr);
                replay_free(replay);
                return CLI_FAILED;
        }
        set_ways(replay, inv);
        recording_reader_init(reader, fill, &fd);
        r = replay_all(reader, replay, json);
        took = clock_now(CLOCK_MONOTONIC) - began;
        if (r == 0) {
                replay_finish(replay);
                replay_summarize(replay, &summary);
                replay_show_summary(json, &summary, reader);
                fflush(stdout);
                /* Not the same each time, so not where the rest is. */
                fprintf(stderr, "%" PRIu64 " events in %" PRIu64 " ms: %" PRIu64 " a second.\n", reader->counters.events,
                        (uint64_t) (took / NSEC_PER_MSEC), (uint64_t) (reader->counters.events * NSEC_PER_SEC / (took ? took : 1)));
        }
        replay_free(replay);
        return say_end(file, reader, r);
}

static int run(const struct cli_invocation *inv) {
        _cleanup_policies_ struct policy_set policies = {};
        const char *file = inv->argv[0];
        bool is_stdin = streq(file, "-");
        _cleanup_close_ int opened = is_stdin ? -1 : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);

        if (!is_stdin && opened < 0) {
                fprintf(stderr, "brioctl: cannot open %s: %s.\n", file, strerror(errno));
                return CLI_FAILED;
        }
        if (policy_files_load(inv->options[OPTION_DIRECTORY], &policies) < 0)
                return CLI_FAILED;
        if (policies.n == 0)
                fputs("brioctl: there are no policies, so nothing would be set. Name their directory with --policy-dir.\n", stderr);
        return replay_file(is_stdin ? "standard input" : file, is_stdin ? STDIN_FILENO : opened, &policies, inv);
}

const struct cli_verb verb_replay = {
        .name = "replay",
        .operands = "FILE",
        .needs = "a recording, or - for the standard input",
        .summary = "Run Brio's decisions over a recording, as fast as it can",
        .details = "Prints what would have been found and set, in mode auto, on drives that take every setting; the same each time.\n"
                   "FILE \"-\" is the standard input. Needs no daemon. Exits 1 where the recording is damaged or cut short.\n"
                   "With --json, one object a line. How fast it was is told on the standard error.",
        .min_operands = 1,
        .max_operands = 1,
        .json = true,
        .options = options,
        .run = run,
};
