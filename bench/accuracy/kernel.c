/* SPDX-License-Identifier: GPL-3.0-or-later */
/* brio-accuracy-kernel: the processes that bfq raises, by its own words and by core's rule, in the same form. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "bfq-log.h"
#include "bfq-session.h"
#include "fdio.h"
#include "macro.h"
#include "model-private.h"
#include "recording.h"
#include "recording-drive.h"
#include "tick.h"

/* The kernel's log of a run as a whole, in KiB for each CPU: it is read when the run is over, since a reader meanwhile is in the way of what it is about. */
#define LOG_KIB "49152"
#define LOG_SIZE "/sys/kernel/tracing/buffer_size_kb"
#define LINES_MAX 65536

static int usage(FILE *f, int status) {
        fputs("Usage: brio-accuracy-kernel listen DRIVE STATE_DIR\n"
              "       brio-accuracy-kernel rule RECORDING\n\n"
              "Prints a line whenever a process is raised by another factor: the time in us of CLOCK_MONOTONIC, the thread or\n"
              "process, and the factor (1: not, 30: as one that starts, 3000: as soft real-time). listen: what bfq says, until\n"
              "SIGTERM; it prints \"ready\" first, and at the end a line \"lost N\". rule: what core's rule makes of a recording.\n",
              f);
        return status;
}

static void tell(nsec_t t, int32_t id, uint32_t coefficient) {
        printf("%" PRIu64 " %" PRId32 " %u\n", (uint64_t) (t / NSEC_PER_USEC), id, coefficient);
}

struct lines {
        int fd;
        size_t n;
        char text[LINES_MAX];
        struct bfq_verdicts verdicts;
};

static void take_line(struct lines *l, const char *line, size_t size) {
        struct bfq_log_message m;
        const struct bfq_verdict *v;

        bfq_log_parse_line(line, size, &m);
        v = bfq_verdicts_feed(&l->verdicts, &m);
        if (v && v->queue.sync)
                tell(v->seen, v->queue.tid, v->coefficient);
}

static void look(struct lines *l) {
        ssize_t n;

        while ((n = read(l->fd, l->text + l->n, sizeof(l->text) - l->n)) > 0) {
                char *at = l->text, *end = l->text + l->n + n, *stop;
                for (; (stop = memchr(at, '\n', (size_t) (end - at))); at = stop + 1)
                        take_line(l, at, (size_t) (stop - at));
                l->n = (size_t) (end - at) < sizeof(l->text) ? (size_t) (end - at) : 0;
                memmove(l->text, at, l->n);
        }
}

/* "1408", or "7 (expanded: 1408)" before the first trace: the number that puts it back. */
static bool grow_log(char *ret, size_t size) {
        if (fdio_read_at(AT_FDCWD, LOG_SIZE, ret, size) < 0)
                return false;
        ret[strcspn(ret, " \n")] = '\0';
        return fdio_write_at(AT_FDCWD, LOG_SIZE, LOG_KIB) >= 0;
}

/* All that bfq says till a signal comes. */
static int hear(const struct bfq_session_places *places, const char *drive, struct pollfd *end) {
        static struct lines lines;

        bfq_session_end(places);
        lines.fd = bfq_session_begin(places, &drive, 1);
        if (lines.fd < 0)
                return lines.fd;
        puts("ready");
        fflush(stdout);
        while (poll(end, 1, -1) < 0 && errno == EINTR)
                ;
        look(&lines);
        safe_close(lines.fd);
        bfq_session_end(places);
        printf("lost %" PRIu64 "\n", lines.verdicts.lost);
        return 0;
}

static int listen_to(const char *drive, const char *state_dir) {
        char boot_id[64] = "", log_kib[64] = "";
        struct bfq_session_places places = { "/sys/kernel/tracing", "/sys/block", "/sys/kernel/debug/block", state_dir, boot_id };
        struct pollfd fds[1] = { { .events = POLLIN } };
        sigset_t signals;
        bool grown;
        int r;

        if (fdio_read_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id)) < 0)
                return -errno;
        sigemptyset(&signals);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGINT);
        sigprocmask(SIG_BLOCK, &signals, NULL);
        fds[0].fd = signalfd(-1, &signals, SFD_CLOEXEC);
        if (fds[0].fd < 0)
                return -errno;
        grown = grow_log(log_kib, sizeof(log_kib));
        r = hear(&places, drive, fds);
        if (grown)
                (void) fdio_write_at(AT_FDCWD, LOG_SIZE, log_kib);
        return r;
}

struct rule {
        struct model *model;
        uint32_t dev; /* of the only drive */
        struct drive_settings settings;
        struct snapshot *snapshot;
        struct {
                int32_t tgid;
                uint32_t coefficient;
        } last[FLOWS_MAX]; /* by place in the table */
        struct moment {
                uint32_t at_drive, factor;
        } before[FLOWS_MAX];
};

/* bfq says by what factor a queue is raised as it dispatches one of its requests in its turn, before it looks whether that is over. So is it told
 * here: what is at that moment. */
static void note_before(struct rule *r) {
        const struct flow *f;

        for (size_t i = 0; (f = flow_table_next(&r->model->flows, &i));)
                r->before[f - r->model->flows.entries] = (struct moment){ f->stream.queue.at_drive, soft_rt_factor(&f->stream.queue.kernel) };
}

static void tell_dispatched(struct rule *r, nsec_t t) {
        const struct device *d = model_find_device(r->model, r->dev);
        const struct flow *f;

        for (size_t i = 0; d && (f = flow_table_next(&r->model->flows, &i));) {
                size_t place = (size_t) (f - r->model->flows.entries);
                const struct moment *before = &r->before[place];

                if (f->stream.queue.at_drive <= before->at_drive || d->requests.turn.owner != flow_table_name(&r->model->flows, f) ||
                    (r->last[place].tgid == f->tgid && r->last[place].coefficient == before->factor))
                        continue;
                r->last[place].tgid = f->tgid;
                r->last[place].coefficient = before->factor;
                tell(t, f->tgid, before->factor);
        }
}

/* Of a drive that no event came from yet the model keeps none: they are told again with each tick, as in the daemon. */
static void note_drive(struct rule *r, const char *text) {
        struct device_facts facts;

        if (recording_parse_drive(text, &facts) < 0)
                return;
        r->dev = facts.dev;
        r->settings = tick_settings(&facts);
}

static ssize_t fill(void *userdata, void *buf, size_t size) {
        ssize_t n = read(*(int *) userdata, buf, size);

        return n < 0 ? -errno : n;
}

static int apply_rule(const char *path) {
        static struct rule rule;
        _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
        struct recording_reader *reader = calloc(1, sizeof(*reader));
        struct recording_item item;
        int r = fd < 0 ? -errno : 0;

        rule.model = model_new();
        rule.snapshot = calloc(1, sizeof(*rule.snapshot));
        if (!reader || !rule.model || !rule.snapshot)
                return -ENOMEM;
        if (r >= 0)
                recording_reader_init(reader, fill, &fd);
        while (r >= 0 && (r = recording_read(reader, &item)) > 0) {
                if (item.kind == RECORDING_DRIVE)
                        note_drive(&rule, item.text);
                if (item.kind == RECORDING_TICK) {
                        model_set_settings(rule.model, rule.dev, &rule.settings);
                        model_expire(rule.model, item.t);
                        model_snapshot(rule.model, item.t, rule.snapshot);
                }
                if (item.kind == RECORDING_EVENT) {
                        bool dispatches = item.event.kind == EVENT_REQUEST_ISSUE;
                        if (dispatches)
                                note_before(&rule);
                        model_feed(rule.model, &item.event);
                        if (dispatches)
                                tell_dispatched(&rule, item.t);
                }
        }
        model_free(rule.model);
        free(rule.snapshot);
        free(reader);
        return r;
}

int main(int argc, char *argv[]) {
        int r;

        if (argc == 2 && (streq(argv[1], "--help") || streq(argv[1], "-h")))
                return usage(stdout, EXIT_SUCCESS);
        if (argc == 4 && streq(argv[1], "listen"))
                r = listen_to(argv[2], argv[3]);
        else if (argc == 3 && streq(argv[1], "rule"))
                r = apply_rule(argv[2]);
        else
                return usage(stderr, 2);
        if (r < 0)
                fprintf(stderr, "brio-accuracy-kernel: %s\n", r == -EBUSY ? bfq_obstacle_to_sentence(BFQ_SESSION_IN_USE) : strerror(-r));
        return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
