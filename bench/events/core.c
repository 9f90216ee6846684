/* SPDX-License-Identifier: GPL-3.0-or-later */
/* brio-events-core: what an event costs the core. The model is fed a seeded stream, and looked at four times a second of the
 * stream's time as briod does: model_snapshot() and the detectors. Prints one JSON object. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "clock.h"
#include "detector.h"
#include "macro.h"
#include "model-private.h"
#include "str.h"
#include "stream.h"

#define CHUNK 4096u /* events made at a time, so that making them is not measured, nor reading them from far away */
#define TICK_NS (250 * NSEC_PER_MSEC)
#define ROUNDS_MAX 100

struct options {
        uint64_t events, processes, drives, seed, rounds;
};

struct effort {
        uint64_t ns, instructions, n;
};

struct bench {
        struct model *model;
        struct snapshot *snapshot;
        struct detectors *detectors;
        struct verdict *verdicts;
        struct stream *stream;
        struct event *events;
        int counter;       /* of instructions; negative: -errno of why there is none */
        nsec_t next_tick;
        struct effort feed, tick;
};

static int usage(FILE *f, int status) {
        fputs("Usage: brio-events-core [--events N] [--processes N] [--drives N] [--seed N] [--rounds N]\n\n"
              "Feeds the model N events (default 1000000) a round, of so many processes (10000) on so many\n"
              "drives (8), after a round that is not counted; prints what each cost as JSON.\n",
              f);
        return status;
}

static bool take_number(const char *text, uint64_t least, uint64_t most, uint64_t *ret) {
        return str_parse_u64(text, ret) == 0 && *ret >= least && *ret <= most;
}

static int parse_options(int argc, char **argv, struct options *ret) {
        static const struct option known[] = {
                { "events", required_argument, NULL, 'e' }, { "processes", required_argument, NULL, 'p' },
                { "drives", required_argument, NULL, 'd' }, { "seed", required_argument, NULL, 's' },
                { "rounds", required_argument, NULL, 'r' }, { "help", no_argument, NULL, 'h' },
                { 0 },
        };
        struct options o = { .events = 1000000, .processes = 10000, .drives = 8, .seed = 1, .rounds = 5 };
        bool fine = true;
        int c;

        while (fine && (c = getopt_long(argc, argv, "h", known, NULL)) >= 0) {
                if (c == 'e')
                        fine = take_number(optarg, CHUNK, UINT32_MAX, &o.events);
                else if (c == 'p')
                        fine = take_number(optarg, 1, STREAM_PROCESSES_MAX, &o.processes);
                else if (c == 'd')
                        fine = take_number(optarg, 1, STREAM_DRIVES_MAX, &o.drives);
                else if (c == 's')
                        fine = take_number(optarg, 0, UINT64_MAX, &o.seed);
                else if (c == 'r')
                        fine = take_number(optarg, 1, ROUNDS_MAX, &o.rounds);
                else if (c == 'h')
                        exit(usage(stdout, 0));
                else
                        fine = false;
        }
        if (!fine || optind != argc)
                return -EINVAL;
        *ret = o;
        return 0;
}

/* Counts this thread's instructions outside of the kernel. Virtual machines often have no such counter. */
static int open_counter(void) {
        struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = PERF_COUNT_HW_INSTRUCTIONS,
                                        .exclude_kernel = 1, .exclude_hv = 1 };
        long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

        return fd >= 0 ? (int) fd : -errno;
}

static uint64_t read_counter(const struct bench *b) {
        uint64_t value;

        return b->counter >= 0 && read(b->counter, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static void tick(struct bench *b, nsec_t now) {
        model_expire(b->model, now);
        model_snapshot(b->model, now, b->snapshot);
        detectors_run(b->detectors, b->snapshot, b->verdicts);
}

static void run_ticks(struct bench *b, nsec_t now) {
        for (; b->next_tick <= now; b->next_tick += TICK_NS) {
                uint64_t instructions = read_counter(b);
                nsec_t begin = clock_now(CLOCK_THREAD_CPUTIME_ID);

                tick(b, b->next_tick);
                b->tick.ns += clock_now(CLOCK_THREAD_CPUTIME_ID) - begin;
                b->tick.instructions += read_counter(b) - instructions;
                b->tick.n++;
        }
}

static void feed(struct bench *b, size_t n) {
        uint64_t instructions = read_counter(b);
        nsec_t begin = clock_now(CLOCK_THREAD_CPUTIME_ID);

        for (size_t i = 0; i < n; i++)
                model_feed(b->model, &b->events[i]);
        b->feed.ns += clock_now(CLOCK_THREAD_CPUTIME_ID) - begin;
        b->feed.instructions += read_counter(b) - instructions;
        b->feed.n += n;
}

static void run_round(struct bench *b, uint64_t events) {
        b->feed = b->tick = (struct effort) { 0 };
        for (uint64_t left = events; left > 0;) {
                size_t n = (size_t) MIN(left, (uint64_t) CHUNK);

                stream_fill(b->stream, b->events, n);
                feed(b, n);
                run_ticks(b, b->events[n - 1].t);
                left -= n;
        }
}

/* Of memory that starts at p: what of its pages was ever written to. */
static uint64_t touched_bytes(const void *p, size_t size) {
        uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), begin = (uintptr_t) p & ~(page - 1);
        size_t length = (uintptr_t) p + size - begin, pages = (length + page - 1) / page, n = 0;
        _cleanup_free_ unsigned char *present = malloc(pages);

        if (!present || mincore((void *) begin, length, present) < 0)
                return 0;
        for (size_t i = 0; i < pages; i++)
                n += present[i] & 1;
        return n * page;
}

static void print_effort(const struct bench *b, const char *name, const struct effort *e, uint64_t events) {
        printf("\"%s_ns\": %.2f, \"%s_instructions\": ", name, (double) e->ns / (double) events, name);
        if (b->counter >= 0)
                printf("%.1f", (double) e->instructions / (double) events);
        else
                printf("null");
}

/* Both for each event, also the ticks: so they add up. */
static void print_round(const struct bench *b, bool first) {
        printf("%s{", first ? "" : ", ");
        print_effort(b, "feed", &b->feed, b->feed.n);
        printf(", ");
        print_effort(b, "tick", &b->tick, b->feed.n);
        printf(", \"ticks\": %" PRIu64 ", \"a_tick_us\": %.1f}", b->tick.n, b->tick.n ? (double) b->tick.ns / (double) b->tick.n / 1000 : 0);
}

static void print_state(const struct bench *b) {
        struct model_counters c;

        model_get_counters(b->model, &c);
        printf("\"counter\": \"%s\", \"model_bytes\": %zu, \"touched_bytes\": %" PRIu64 ", \"event_bytes\": %zu, "
               "\"processes_known\": %" PRIu32 ", \"invalid\": %" PRIu64 ", \"requests_refused\": %" PRIu64
               ", \"requests_unmatched\": %" PRIu64 ", \"requests_aged\": %" PRIu64,
               b->counter >= 0 ? "instructions" : strerrorname_np(-b->counter), sizeof(struct model),
               touched_bytes(b->model, sizeof(struct model)), sizeof(struct event), b->snapshot->processes_known, c.invalid,
               c.requests_refused, c.requests_unmatched, c.requests_aged);
}

static void run(struct bench *b, const struct options *o) {
        size_t n = stream_begin(b->stream, b->events);

        b->next_tick = b->events[0].t + TICK_NS;
        for (size_t i = 0; i < n; i++)
                model_feed(b->model, &b->events[i]);
        run_round(b, o->events);
        printf("{\"rounds\": [");
        for (uint64_t i = 0; i < o->rounds; i++) {
                run_round(b, o->events);
                print_round(b, i == 0);
        }
        printf("], ");
        print_state(b);
        printf("}\n");
}

int main(int argc, char **argv) {
        struct options o;
        struct bench b;

        if (parse_options(argc, argv, &o) < 0)
                return usage(stderr, 2);
        b = (struct bench) {
                .model = model_new(),
                .snapshot = calloc(1, sizeof(*b.snapshot)),
                .detectors = calloc(1, sizeof(*b.detectors)),
                .verdicts = calloc(DETECTORS_VERDICTS_MAX, sizeof(*b.verdicts)),
                .stream = stream_new(o.seed, o.processes, o.drives),
                .events = calloc(STREAM_DRIVES_MAX + STREAM_PROCESSES_MAX, sizeof(*b.events)),
                .counter = open_counter(),
        };
        if (b.model && b.snapshot && b.detectors && b.verdicts && b.stream && b.events)
                run(&b, &o);
        else
                fputs("brio-events-core: no memory\n", stderr);
        if (b.counter >= 0)
                close(b.counter);
        stream_free(b.stream);
        free(b.events);
        free(b.verdicts);
        free(b.detectors);
        free(b.snapshot);
        model_free(b.model);
        return ferror(stdout) || !b.model ? 1 : 0;
}
