/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>

#include "clock.h"
#include "fdio.h"
#include "macro.h"
#include "source-bfq.h"
#include "source-timer.h"
#include "str.h"

/* A line has some 100 bytes. What one look leaves waits for the next in the kernel's buffer, which drops the oldest and says so. */
#define LOOK_BYTES (256 * 1024)
#define LOOK_INTERVAL_NS (50 * NSEC_PER_MSEC)
#define LINES_MAX 8192 /* bytes that are read at a time; a longer line is passed over */
#define SCHEDULER "[bfq]"

struct source_bfq {
        bool recorded; /* the machine is a tree of files */
        sd_event_source *timer;
        char state_dir[PATH_MAX], boot_id[64];
        struct bfq_session_places places;
        int fd; /* -1: off */
        nsec_t since, until;
        bool skipping; /* the rest of a line that is too long */
        size_t n_lines;
        char lines[LINES_MAX];
        struct bfq_verdicts verdicts;
        struct source_cost cost;
};

static void feed_line(struct source_bfq *s, const char *line, size_t size) {
        struct bfq_log_message m;

        bfq_log_parse_line(line, size, &m);
        s->cost.events += m.kind != BFQ_LOG_OTHER;
        (void) bfq_verdicts_feed(&s->verdicts, &m);
}

/* Takes the whole lines, and moves what is left to the front. */
static void take_lines(struct source_bfq *s) {
        const char *at = s->lines, *end = at + s->n_lines, *stop;

        while ((stop = memchr(at, '\n', (size_t) (end - at)))) {
                if (!s->skipping)
                        feed_line(s, at, (size_t) (stop - at));
                s->skipping = false;
                at = stop + 1;
        }
        s->n_lines = (size_t) (end - at);
        memmove(s->lines, at, s->n_lines);
        if (s->n_lines == sizeof(s->lines)) {
                s->n_lines = 0;
                s->skipping = true;
        }
}

static void look(struct source_bfq *s) {
        size_t bytes = 0;

        while (s->fd >= 0 && bytes < LOOK_BYTES) {
                ssize_t n = read(s->fd, s->lines + s->n_lines, sizeof(s->lines) - s->n_lines);
                if (n <= 0)
                        break;
                bytes += (size_t) n;
                s->n_lines += (size_t) n;
                take_lines(s);
        }
        s->cost.bytes += bytes;
}

static void end(struct source_bfq *s, nsec_t now) {
        if (s->fd < 0)
                return;
        look(s);
        s->fd = safe_close(s->fd); /* the tracer cannot be changed while it is read */
        bfq_session_end(&s->places);
        sd_event_source_set_enabled(s->timer, SD_EVENT_OFF);
        s->cost.active_ns += nsec_sub(now, s->since);
}

static int on_timer(sd_event_source *timer _unused_, uint64_t usec _unused_, void *userdata) {
        struct source_bfq *s = userdata;
        nsec_t now = clock_now(CLOCK_MONOTONIC);

        s->cost.wakeups++;
        look(s);
        if (now >= s->until)
                end(s, now);
        else
                source_timer_arm(s->timer, now, LOOK_INTERVAL_NS);
        return 0;
}

static bool has_bfq(const struct source_bfq *s, const char *name) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];

        snprintf(path, sizeof(path), "%s/%s/queue/scheduler", s->places.block, name);
        return fdio_read_at(AT_FDCWD, path, text, sizeof(text)) >= 0 && strstr(text, SCHEDULER);
}

static int begin(struct source_bfq *s, const char *const *names, size_t n, nsec_t now) {
        const char *with_bfq[BFQ_SESSION_DRIVES_MAX];
        enum bfq_obstacle obstacle = s->recorded ? BFQ_SESSION_NOT_MOUNTED : bfq_session_obstacle(&s->places);
        size_t found = 0;
        int fd;

        if (obstacle != BFQ_SESSION_POSSIBLE)
                return obstacle == BFQ_SESSION_IN_USE ? -EBUSY : -EPERM;
        for (size_t i = 0; i < n && found < ARRAY_SIZE(with_bfq); i++)
                if (has_bfq(s, names[i]))
                        with_bfq[found++] = names[i];
        if (found == 0)
                return -ENODEV;
        fd = bfq_session_begin(&s->places, with_bfq, found);
        if (fd < 0)
                return fd;
        s->fd = fd;
        s->since = now;
        s->n_lines = 0;
        s->skipping = false;
        s->verdicts = (struct bfq_verdicts) { .evicted = s->verdicts.evicted, .lost = s->verdicts.lost };
        source_timer_arm(s->timer, now, LOOK_INTERVAL_NS);
        return 0;
}

int source_bfq_want(struct source_bfq *s, const char *const *names, size_t n, nsec_t now, nsec_t duration) {
        int r = s->fd >= 0 ? 0 : begin(s, names, n, now);

        if (r >= 0)
                s->until = now + MIN(duration, SOURCE_BFQ_MAX_NS);
        return r;
}

const struct bfq_verdict *source_bfq_get(struct source_bfq *s, nsec_t now, size_t *ret_n) {
        look(s);
        if (s->fd >= 0 && now >= s->until)
                end(s, now);
        *ret_n = s->verdicts.n;
        return s->verdicts.verdicts;
}

static int set_places(struct source_bfq *s, const char *state_dir) {
        if (!str_copy(s->state_dir, sizeof(s->state_dir), state_dir))
                return -ENAMETOOLONG;
        if (fdio_read_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", s->boot_id, sizeof(s->boot_id)) < 0)
                *s->boot_id = '\0';
        s->places = (struct bfq_session_places) { "/sys/kernel/tracing", "/sys/block", "/sys/kernel/debug/block", s->state_dir, s->boot_id };
        return 0;
}

size_t source_bfq_clean_up(const char *root, const char *state_dir) {
        struct source_bfq s;

        return *root || set_places(&s, state_dir) < 0 ? 0 : bfq_session_end(&s.places);
}

int source_bfq_new(const char *root, const char *state_dir, sd_event *event, struct source_bfq **ret) {
        struct source_bfq *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        s->fd = -1;
        s->recorded = *root;
        r = set_places(s, state_dir);
        if (r >= 0)
                r = source_timer_new(event, "bfq", on_timer, s, &s->timer);
        if (r < 0) {
                source_bfq_free(s);
                return r;
        }
        if (!s->recorded)
                bfq_session_end(&s->places);
        *ret = s;
        return 0;
}

struct source_bfq *source_bfq_free(struct source_bfq *s) {
        if (!s)
                return NULL;
        end(s, s->since);
        sd_event_source_disable_unref(s->timer);
        free(s);
        return NULL;
}

static size_t probe(void *source, struct source_info *ret) {
        const struct source_bfq *s = source;
        const char *why = s->recorded ? "a recorded machine has no scheduler of its own"
                          : s->fd >= 0 ? NULL
                                       : bfq_obstacle_to_sentence(bfq_session_obstacle(&s->places));

        *ret = (struct source_info) { .name = "bfq", .state = why ? SOURCE_UNNEEDED : SOURCE_WORKS };
        str_copy(ret->detail, sizeof(ret->detail), why ? why : s->fd >= 0 ? "bfq's own verdicts, now" : "bfq's own verdicts, while they are asked for");
        if (s->verdicts.evicted > 0)
                str_append(ret->detail, sizeof(ret->detail), "; queues that there was no room for: %" PRIu64, s->verdicts.evicted);
        return 1;
}

/* Times that the kernel said so; how much it was it says in its own words, which change. */
static uint64_t drops(void *source) {
        const struct source_bfq *s = source;

        return s->verdicts.lost;
}

static void cost(void *source, struct source_cost *ret) {
        const struct source_bfq *s = source;

        *ret = s->cost;
        if (s->fd >= 0)
                ret->active_ns += nsec_sub(clock_now(CLOCK_MONOTONIC), s->since);
}

const struct source_ops source_bfq_ops = { .probe = probe, .drops = drops, .cost = cost };
