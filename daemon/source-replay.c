/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "macro.h"
#include "source-replay.h"
#include "str.h"

struct source_replay {
        int fd;
        bool begun, there, over;
        nsec_t first, began; /* the time of the first item, as recorded and as it was taken */
        int error;
        struct recording_item next; /* where it is there */
        char complaint[128];
        struct recording_reader reader;
};

static ssize_t fill(void *userdata, void *buf, size_t size) {
        struct source_replay *s = userdata;
        ssize_t n;

        do
                n = read(s->fd, buf, size);
        while (n < 0 && errno == EINTR);
        return n < 0 ? -errno : n;
}

static bool has_time(const struct recording_item *item) {
        return item->kind == RECORDING_EVENT || item->kind == RECORDING_TICK || item->kind == RECORDING_OUTCOME;
}

/* Sees to it that the next item is there, unless it is over. */
static void look_ahead(struct source_replay *s) {
        int r;

        if (s->there || s->over)
                return;
        r = recording_read(&s->reader, &s->next);
        s->there = r > 0;
        s->over = r <= 0;
        s->error = MIN(r, 0);
}

/* By the clock of now. */
static nsec_t translate(const struct source_replay *s, nsec_t t) {
        nsec_t since = nsec_sub(t, s->first);

        return s->began > UINT64_MAX - since ? UINT64_MAX : s->began + since;
}

int source_replay_new(const char *path, struct source_replay **ret) {
        struct source_replay *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        recording_reader_init(&s->reader, fill, s);
        s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        r = s->fd < 0 ? -errno : 0;
        if (r == 0) {
                look_ahead(s);
                r = s->error;
        }
        if (r < 0) {
                source_replay_free(s);
                return r;
        }
        *ret = s;
        return 0;
}

struct source_replay *source_replay_free(struct source_replay *s) {
        if (!s)
                return NULL;
        safe_close(s->fd);
        free(s);
        return NULL;
}

nsec_t source_replay_due(struct source_replay *s) {
        look_ahead(s);
        if (s->over)
                return UINT64_MAX;
        return s->begun && has_time(&s->next) ? translate(s, s->next.t) : 0;
}

int source_replay_take(struct source_replay *s, nsec_t now, struct recording_item *ret) {
        if (source_replay_due(s) > now || s->over)
                return 0;
        if (!s->begun && has_time(&s->next)) {
                s->begun = true;
                s->first = s->next.t;
                s->began = now;
        }
        *ret = s->next;
        if (has_time(ret))
                ret->t = ret->event.t = translate(s, ret->t);
        s->there = false;
        return 1;
}

const char *source_replay_complaint(struct source_replay *s) {
        const struct recording_counters *c = &s->reader.counters;

        *s->complaint = '\0';
        if (s->error < 0)
                str_append(s->complaint, sizeof(s->complaint), "it cannot be read on: %s", strerror(-s->error));
        else if (s->over && !s->reader.ended)
                str_append(s->complaint, sizeof(s->complaint), "it ends too early");
        if (c->damages > 0)
                str_append(s->complaint, sizeof(s->complaint), "%sdamaged in %" PRIu64 " place(s)", *s->complaint ? "; " : "", c->damages);
        return s->complaint;
}

static size_t probe(void *source, struct source_info *ret) {
        struct source_replay *s = source;
        const char *complaint = source_replay_complaint(s);

        *ret = (struct source_info){ .name = "replay", .state = *complaint ? SOURCE_REDUCED : SOURCE_WORKS };
        str_append(ret->detail, sizeof(ret->detail), "a recording, %s: %" PRIu64 " events so far%s%s", s->over ? "which is over" : "as fast as it was made",
                   s->reader.counters.events, *complaint ? "; " : "", complaint);
        return 1;
}

const struct source_ops source_replay_ops = { .probe = probe };
