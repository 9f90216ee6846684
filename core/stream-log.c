/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "stream-log.h"

static bool same(const struct stream_view *a, const struct stream_view *b) {
        return a->tgid == b->tgid && a->dev == b->dev && (a->start_ticks == b->start_ticks || !a->start_ticks || !b->start_ticks);
}

static struct stream_entry *find(struct stream_log *l, const struct stream_view *v) {
        for (size_t i = 0; i < STREAM_LOG_MAX; i++)
                if (l->entries[i].view.tgid && same(&l->entries[i].view, v))
                        return &l->entries[i];
        return NULL;
}

/* The less it is missed, the smaller: a free one, a near miss, then what ended longest ago. */
static uint64_t worth(const struct stream_entry *e) {
        if (!e->view.tgid)
                return 0;
        if (e->here)
                return UINT64_MAX;
        return e->ended ? 2 + e->ended : 1;
}

/* One that the snapshot has always finds room: the log has more than a snapshot. */
static struct stream_entry *make(struct stream_log *l) {
        struct stream_entry *least = &l->entries[0];

        for (size_t i = 1; i < STREAM_LOG_MAX; i++)
                if (worth(&l->entries[i]) < worth(least))
                        least = &l->entries[i];
        l->dropped += least->ended != 0;
        *least = (struct stream_entry){ 0 };
        return least;
}

static void end(struct stream_entry *e, nsec_t now, stream_change_fn fn, void *userdata) {
        e->ended = now;
        fn(userdata, STREAM_ENDED, e);
}

static void take(struct stream_log *l, const struct stream_view *v, nsec_t now, stream_change_fn fn, void *userdata) {
        struct stream_entry *e = find(l, v);
        bool was, is = v->state == STREAM_IS;

        if (!e)
                e = make(l);
        was = e->started && !e->ended;
        if (was && !is)
                end(e, now, fn, userdata);
        e->here = true;
        if (e->ended && !is)
                return; /* what it was as a stream is worth more than why it is none now */
        e->view = *v;
        e->seen = now;
        if (!is || was)
                return;
        e->started = now;
        e->ended = 0;
        fn(userdata, STREAM_STARTED, e);
}

/* Those that the snapshot has. */
static void mark(struct stream_log *l, const struct snapshot *s) {
        for (size_t i = 0; i < STREAM_LOG_MAX; i++)
                l->entries[i].here = false;
        for (size_t i = 0; i < s->n_streams; i++) {
                struct stream_entry *e = find(l, &s->streams[i]);
                if (e)
                        e->here = true;
        }
}

void stream_log_follow(struct stream_log *l, const struct snapshot *s, stream_change_fn fn, void *userdata) {
        mark(l, s);
        for (size_t i = 0; i < STREAM_LOG_MAX; i++) { /* first, so that those make room that have ended */
                struct stream_entry *e = &l->entries[i];
                if (e->view.tgid && !e->here && e->started && !e->ended)
                        end(e, s->now, fn, userdata);
        }
        for (size_t i = 0; i < s->n_streams; i++)
                take(l, &s->streams[i], s->now, fn, userdata);
}

const char *stream_entry_state(const struct stream_entry *e) {
        if (!e->view.tgid)
                return NULL;
        if (e->ended)
                return "ended";
        return e->here ? stream_state_to_string(e->view.state) : NULL;
}
