/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "bpf/record.h"
#include "bpf-flows.h"
#include "bpf-programs.h"
#include "bpf-record.h"
#include "bpf-underway.h"
#include "clock.h"
#include "event-order.h"
#include "fdio.h"
#include "log.h"
#include "macro.h"
#include "release.h"
#include "requests.skel.h"
#include "source-bpf.h"
#include "source-drives.h"
#include "source-timer.h"
#include "str.h"

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

/* Records taken in a look: the rest waits for the next, so that a flood of them does not keep the daemon from its other work. */
#define RECORDS_A_LOOK 65536
#define AGAIN_NS NSEC_PER_MSEC

/* How often the programs are asked what they missed; it takes a system call each. */
#define MISSED_INTERVAL_NS NSEC_PER_SEC
/* How often those are looked for whose end no program saw: a third of a megabyte to look at. */
#define UNSEEN_INTERVAL_NS (250 * NSEC_PER_MSEC)

struct source_bpf {
        struct event_sink sink;
        sd_event_source *timer;
        bool recorded; /* the machine is a tree of files */
        bool tried;    /* to load the programs: error holds */
        int error;     /* of the last time */

        struct requests_bpf *programs; /* NULL: no drive is watched */
        struct ring_buffer *ring;
        struct event_order *order;
        struct process_names *names;

        struct source_drives drives; /* the programs have them too */
        struct bpf_flows *flows;     /* the drives that are told in sums */

        nsec_t since;       /* the programs are there */
        nsec_t missed_read; /* they were asked what they missed */
        nsec_t swept;       /* completions that they did not see were looked for */
        nsec_t newest;      /* of the records taken */
        nsec_t last;        /* of the events told */
        size_t records_left;
        uint64_t unfit, missed; /* of the programs that are there: for want of room; while they ran already */
        uint64_t lost, late, unseen, malformed;
        struct source_cost cost;
};

static void emit(struct source_bpf *s, const struct event *e) {
        source_tell(&s->sink, &s->cost, e);
}

static void tell_lost(struct source_bpf *s, nsec_t now) {
        uint64_t unfit = __atomic_load_n(&s->programs->bss->lost, __ATOMIC_RELAXED), missed = s->missed;
        struct event e = { .t = now, .kind = EVENT_LOST, .flags = EVENT_REQUESTS };

        if (nsec_sub(now, s->missed_read) >= MISSED_INTERVAL_NS) {
                s->missed_read = now;
                missed = bpf_programs_missed(s->programs->obj, s->programs->progs.on_complete); /* completions are found out later */
        }
        e.lost.count = (unfit - s->unfit) + (missed - s->missed);
        s->unfit = unfit;
        s->missed = missed;
        s->lost += e.lost.count;
        if (e.lost.count > 0)
                emit(s, &e);
}

static void tell_first(struct source_bpf *s) {
        const struct event *e = event_order_first(s->order);

        s->late += e->t < s->last;
        s->last = MAX(s->last, e->t);
        if (e->dev == 0 || source_drives_find(&s->drives, e->dev) < s->drives.n) /* a name, or of a drive that is still told */
                emit(s, e);
        event_order_pop(s->order);
}

static void take(struct source_bpf *s, const struct event *e) {
        if (!event_order_push(s->order, e)) {
                tell_first(s);
                event_order_push(s->order, e);
        }
}

static void take_record(struct source_bpf *s, const void *data, size_t size) {
        struct event e, name;
        int r = bpf_record_parse(data, size, &e, &name);

        s->malformed += r < 0;
        if (r <= 0)
                return;
        if (process_names_is_new(s->names, &name))
                take(s, &name);
        take(s, &e);
        s->unseen += (e.flags & EVENT_UNSEEN) != 0;
        s->newest = MAX(s->newest, e.t);
        while (event_order_first_until(s->order, nsec_sub(s->newest, BPF_SETTLE_NS)))
                tell_first(s);
}

static int on_record(void *userdata, void *data, size_t size) {
        struct source_bpf *s = userdata;

        s->cost.bytes += size;
        take_record(s, data, size);
        return --s->records_left > 0 ? 0 : -EAGAIN;
}

/* What is noted as under way on a drive that rests has ended. */
static void find_unseen(struct source_bpf *s, nsec_t now) {
        enum { NOT_ASKED, RESTS, WORKS } state[BPF_DRIVES_MAX] = { NOT_ASKED };
        nsec_t until = nsec_sub(now, BPF_UNDERWAY_AGE_NS);
        struct bpf_underway *u;
        struct bpf_record r;

        s->swept = now;
        for (size_t i = 0; (u = bpf_underway_next(s->programs->bss->underway, &i, until));) {
                size_t drive = source_drives_find(&s->drives, u->record.dev);

                if (drive < s->drives.n && state[drive] == NOT_ASKED)
                        state[drive] = bpf_underway_rests(BPF_UNDERWAY_BLOCKS, s->drives.devs[drive]) ? RESTS : WORKS;
                if (drive < s->drives.n && state[drive] == RESTS && bpf_underway_take(u, until, now, &r))
                        take_record(s, &r, sizeof(r));
        }
}

static void drain(struct source_bpf *s, nsec_t now) {
        nsec_t settled = nsec_sub(now, BPF_SETTLE_NS);

        if (!s->programs)
                return;
        tell_lost(s, now);
        s->records_left = RECORDS_A_LOOK;
        (void) ring_buffer__consume(s->ring); /* fails as on_record() has it */
        if (nsec_sub(now, s->swept) >= UNSEEN_INTERVAL_NS)
                find_unseen(s, now);
        while (s->records_left > 0 && event_order_first_until(s->order, settled))
                tell_first(s);
        source_timer_arm(s->timer, now, s->records_left > 0 ? BPF_INTERVAL_NS : AGAIN_NS);
}

void source_bpf_drain(struct source_bpf *s, nsec_t now) {
        bpf_flows_look(s->flows, now);
        drain(s, now);
}

static int on_timer(sd_event_source *timer _unused_, uint64_t usec _unused_, void *userdata) {
        struct source_bpf *s = userdata;

        s->cost.wakeups++;
        drain(s, clock_now(CLOCK_MONOTONIC));
        return 0;
}

static void end(struct source_bpf *s, nsec_t now) {
        if (!s->programs)
                return;
        ring_buffer__free(TAKE_PTR(s->ring));
        requests_bpf__destroy(TAKE_PTR(s->programs));
        free(TAKE_PTR(s->order));
        free(TAKE_PTR(s->names));
        s->cost.active_ns += nsec_sub(now, s->since);
        sd_event_source_set_enabled(s->timer, SD_EVENT_OFF);
}

/* What libbpf complained of first since the programs were last tried: of the kernel's refusal it knows more than the error says. It
 * tells the process, not one of us. */
static char complaint[160];

_printf_(2, 0) static int log_libbpf(enum libbpf_print_level level, const char *format, va_list args) {
        char text[512];

        if (level == LIBBPF_DEBUG)
                return 0;
        vsnprintf(text, sizeof(text), format, args);
        text[strcspn(text, "\n")] = '\0';
        log_debug("%s", text);
        if (level == LIBBPF_WARN && !*complaint) {
                str_copy(complaint, sizeof(complaint), text);
                str_make_text(complaint, sizeof(complaint));
        }
        return 0;
}

/* The skeleton's functions set errno. */
static int load(struct source_bpf *s) {
        if (s->recorded)
                return -ENODEV;
        if (access(BTF_FILE, R_OK) < 0)
                return -errno;
        *complaint = '\0';
        s->programs = requests_bpf__open_and_load();
        return s->programs ? 0 : -errno;
}

static int run(struct source_bpf *s) {
        int r;

        s->unfit = s->missed = 0;
        s->newest = s->last = 0;
        s->order = calloc(1, sizeof(*s->order));
        s->names = calloc(1, sizeof(*s->names));
        if (!s->order || !s->names)
                return -ENOMEM;
        s->ring = ring_buffer__new(bpf_map__fd(s->programs->maps.records), on_record, s, NULL);
        if (!s->ring)
                return -errno;
        r = requests_bpf__attach(s->programs);
        return r < 0 ? r : 0;
}

static int begin(struct source_bpf *s, nsec_t now) {
        int r;

        if (s->programs)
                return 0;
        r = load(s);
        if (r < 0)
                return r;
        s->since = s->missed_read = s->swept = now;
        r = run(s);
        if (r < 0)
                end(s, now);
        else
                source_timer_arm(s->timer, now, BPF_INTERVAL_NS);
        return r;
}

/* One that changes its place is there twice for a moment, rather than not at all. */
static void place_drive(struct source_bpf *s, size_t place, uint32_t dev, size_t n) {
        s->drives.devs[place] = dev;
        s->drives.n = n;
        bpf_programs_watch(s->programs->bss->watched, &s->programs->bss->n_watched, place, dev, n);
}

static int start_single(struct source_bpf *s, const struct source_drive *drive, nsec_t now) {
        int r;

        if (source_drives_find(&s->drives, drive->dev) < s->drives.n)
                return 0;
        if (s->drives.n == BPF_DRIVES_MAX)
                return -ENOSPC;
        r = begin(s, now);
        if (r < 0)
                return r;
        source_tell_watch(&s->sink, &s->cost, drive, true, now);
        place_drive(s, s->drives.n, drive->dev, s->drives.n + 1);
        return 0;
}

static int start(void *source, const struct source_drive *drive, nsec_t now) {
        struct source_bpf *s = source;
        int r;

        s->tried = true;
        if (s->recorded)
                r = -ENODEV;
        else
                r = drive->summed ? bpf_flows_start(s->flows, drive, now) : start_single(s, drive, now);
        if (r != -ENOSPC)
                s->error = r;
        return r;
}

static void stop(void *source, uint32_t dev, nsec_t now) {
        struct source_drive drive = { .dev = dev };
        struct source_bpf *s = source;
        size_t place = source_drives_find(&s->drives, dev);

        bpf_flows_stop(s->flows, dev, now);
        if (place == s->drives.n)
                return;
        drain(s, now);
        place_drive(s, place, s->drives.devs[s->drives.n - 1], s->drives.n - 1);
        source_tell_watch(&s->sink, &s->cost, &drive, false, now);
        if (s->drives.n == 0)
                end(s, now);
}

int source_bpf_new(const char *root, sd_event *event, struct event_sink sink, struct source_bpf **ret) {
        struct source_bpf *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        s->sink = sink;
        s->recorded = *root;
        libbpf_set_print(log_libbpf);
        r = source_timer_new(event, "bpf", on_timer, s, &s->timer);
        if (r >= 0)
                r = bpf_flows_new(event, sink, &s->cost, &s->flows);
        if (r < 0) {
                source_bpf_free(s);
                return r;
        }
        *ret = s;
        return 0;
}

void source_bpf_limit(struct source_bpf *s, uint32_t looked_max) {
        bpf_flows_limit(s->flows, looked_max);
}

struct source_bpf *source_bpf_free(struct source_bpf *s) {
        if (!s)
                return NULL;
        end(s, clock_now(CLOCK_MONOTONIC));
        bpf_flows_free(s->flows);
        sd_event_source_disable_unref(s->timer);
        free(s);
        return NULL;
}

static uint64_t drops(void *source) {
        const struct source_bpf *s = source;

        return s->lost + bpf_flows_lost(s->flows);
}

static void cost(void *source, struct source_cost *ret) {
        const struct source_bpf *s = source;
        nsec_t now = clock_now(CLOCK_MONOTONIC), since = s->programs ? s->since : now, flows = bpf_flows_since(s->flows);

        *ret = s->cost;
        ret->active_ns += nsec_sub(now, flows > 0 ? MIN(since, flows) : since);
}

/* Whether the kernel takes the programs shows only when it is asked to. */
static void try(struct source_bpf *s) {
        if (s->tried || s->programs)
                return;
        s->tried = true;
        s->error = load(s);
        requests_bpf__destroy(TAKE_PTR(s->programs));
}

static bool is_confidential(void) {
        char text[64];

        return fdio_read_at(AT_FDCWD, LOCKDOWN_FILE, text, sizeof(text)) > 0 && strstr(text, "[confidentiality]");
}

static void explain_obstacle(const struct source_bpf *s, struct source_info *ret) {
        const char *why = NULL;

        if (s->recorded)
                why = "a recorded machine has no requests of its own";
        else if (kernel_is_before(5, 8))
                why = "this kernel has no BPF ring buffer; Linux 5.8 is the first that has";
        else if (access(BTF_FILE, R_OK) < 0)
                why = "this kernel does not describe its types in " BTF_FILE "; it needs CONFIG_DEBUG_INFO_BTF";
        else if (is_confidential())
                why = "the kernel is locked down to confidentiality, so BPF may not read its memory; see kernel_lockdown(7)";
        else if (s->error == -EPERM || (s->error == -EACCES && !strstr(complaint, "prog '"))) /* else the verifier says so of a program */
                why = "not permitted; briod needs to be root with CAP_BPF and CAP_PERFMON, and the system call bpf()";
        else if (libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, NULL) <= 0)
                why = "this kernel has no BPF ring buffer; it needs to be Linux 5.8 or later, with CONFIG_BPF_SYSCALL";
        ret->state = SOURCE_UNAVAILABLE;
        if (why)
                str_copy(ret->detail, sizeof(ret->detail), why);
        else
                snprintf(ret->detail, sizeof(ret->detail), "the kernel does not take the programs: %s%s%s; briod --verbose says more",
                         strerrordesc_np(-s->error), *complaint ? ", " : "", complaint);
}

static size_t probe(void *source, struct source_info *ret) {
        struct source_bpf *s = source;
        uint64_t unseen;
        size_t summed;

        try(s);
        *ret = (struct source_info){ .name = "bpf", .state = SOURCE_WORKS };
        if (s->error < 0) {
                explain_obstacle(s, ret);
                return 1;
        }
        summed = bpf_flows_drives(s->flows);
        unseen = s->unseen + bpf_flows_unseen(s->flows);
        snprintf(ret->detail, sizeof(ret->detail), "single requests, on %zu drive%s now", s->drives.n, s->drives.n == 1 ? "" : "s");
        if (summed > 0)
                str_append(ret->detail, sizeof(ret->detail), ", and in sums on %zu", summed);
        if (bpf_flows_one_in(s->flows) > 1)
                str_append(ret->detail, sizeof(ret->detail), ", where one request in %" PRIu32 " is looked at", bpf_flows_one_in(s->flows));
        if (unseen > 0)
                str_append(ret->detail, sizeof(ret->detail), "; completions that were found out later: %" PRIu64, unseen);
        if (s->late > 0 || s->malformed > 0)
                str_append(ret->detail, sizeof(ret->detail), "; out of order: %" PRIu64 ", not understood: %" PRIu64, s->late, s->malformed);
        return 1;
}

const struct source_ops source_bpf_ops = { .probe = probe, .start = start, .stop = stop, .drops = drops, .cost = cost };
