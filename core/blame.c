/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blame.h"
#include "macro.h"

/* A process that waits less of its time is not worth following. */
#define WAITS_PERMILLE 100
/* One that is followed already stays, unless another is worse off by so much. */
#define STAYS_PERMILLE 100

static size_t find_owner(const struct blame_victim *v, uint32_t owner) {
        size_t i = 0;

        while (i < BLAME_CULPRITS && (v->owners[i] != owner || v->shares[i] == 0))
                i++;
        return i;
}

static size_t find_least(const struct blame_victim *v) {
        size_t least = 0;

        for (size_t i = 1; i < BLAME_CULPRITS; i++)
                if (v->shares[i] < v->shares[least])
                        least = i;
        return least;
}

/* One more than there is room for takes from all, and has its place once one of them is used up. */
static void take_place(struct blame_victim *v, uint32_t owner, int32_t tgid, nsec_t ns) {
        size_t place = find_least(v);
        nsec_t least = MIN(v->shares[place], ns);

        for (size_t i = 0; least > 0 && i < BLAME_CULPRITS; i++)
                v->shares[i] -= least;
        if (ns == least)
                return;
        v->owners[place] = owner;
        v->tgids[place] = tgid;
        v->shares[place] = ns - least;
}

static void charge(struct blame_victim *v, uint32_t owner, const struct flow *by, nsec_t ns) {
        size_t i;

        v->all += ns;
        if (owner == v->name) {
                v->own += ns;
                return;
        }
        if (!by) {
                v->kernel += ns;
                return;
        }
        i = find_owner(v, owner);
        if (i < BLAME_CULPRITS)
                v->shares[i] += ns;
        else
                take_place(v, owner, by->tgid, ns);
}

nsec_t blame_serve(struct blame *b, struct flow_table *flows, uint32_t owner, nsec_t issued, nsec_t t) {
        nsec_t begin = MAX(b->served, issued), took = begin ? nsec_sub(t, begin) : 0;
        const struct flow *by = NULL;

        b->served = MAX(b->served, t);
        b->uncharged += took;
        if (b->uncharged < BLAME_SAMPLE_NS)
                return took;
        for (size_t i = 0; i < BLAME_VICTIMS; i++) {
                struct blame_victim *v = &b->victims[i];
                const struct flow *f = v->name ? flow_table_find(flows, v->name) : NULL;
                if (!f || !f->waits_since || t <= f->waits_since)
                        continue;
                if (!by && owner)
                        by = flow_table_find(flows, owner);
                charge(v, owner, by, MIN(b->uncharged, t - f->waits_since));
        }
        b->uncharged = 0;
        return took;
}

static void halve(struct blame *b, nsec_t now) {
        if (nsec_sub(now, b->halved) < BLAME_HALVE_NS)
                return;
        b->halved = now;
        for (size_t i = 0; i < BLAME_VICTIMS; i++) {
                struct blame_victim *v = &b->victims[i];
                v->all /= 2;
                v->own /= 2;
                v->kernel /= 2;
                for (size_t k = 0; k < BLAME_CULPRITS; k++)
                        v->shares[k] /= 2;
        }
}

static struct blame_victim *find_victim(struct blame *b, uint32_t name) {
        for (size_t i = 0; i < BLAME_VICTIMS; i++)
                if (b->victims[i].name == name)
                        return &b->victims[i];
        return NULL;
}

struct candidate {
        uint32_t name;
        int32_t score;
};

/* Keeps the best, the first being the best of all. */
static void add_candidate(struct candidate best[static BLAME_VICTIMS], struct candidate c) {
        for (size_t i = 0; i < BLAME_VICTIMS; i++)
                if (!best[i].name || c.score > best[i].score) {
                        struct candidate swap = best[i];
                        best[i] = c;
                        c = swap;
                        if (!c.name)
                                return;
                }
}

static bool is_among(const struct candidate best[static BLAME_VICTIMS], uint32_t name) {
        for (size_t i = 0; i < BLAME_VICTIMS; i++)
                if (best[i].name == name)
                        return true;
        return false;
}

void blame_choose(struct blame *b, const struct flow_table *flows, uint32_t dev, nsec_t now) {
        struct candidate best[BLAME_VICTIMS] = { 0 };
        const struct flow *f;
        size_t i = 0;

        halve(b, now);
        while ((f = flow_table_next(flows, &i))) {
                uint32_t waits = f->dev == dev ? flow_wait_permille(f, now) : 0;
                struct candidate c = { .name = flow_table_name(flows, f) };
                if (waits < WAITS_PERMILLE)
                        continue;
                c.score = (int32_t) waits - (int32_t) recent_permille(&f->served, f->since, now) + (find_victim(b, c.name) ? STAYS_PERMILLE : 0);
                add_candidate(best, c);
        }
        for (i = 0; i < BLAME_VICTIMS; i++)
                if (b->victims[i].name && !is_among(best, b->victims[i].name))
                        b->victims[i] = (struct blame_victim){ 0 };
        for (i = 0; i < BLAME_VICTIMS; i++)
                if (best[i].name && !find_victim(b, best[i].name))
                        *find_victim(b, 0) = (struct blame_victim){ .name = best[i].name, .since = now };
}

static bool is_stream(const struct flow_table *flows, uint32_t name) {
        const struct flow *f = flow_table_peek(flows, name);

        return f && f->stream.rhythm.confirmed;
}

int blame_greatest(const struct blame_victim *v, const struct flow_table *flows) {
        int greatest = -1;

        for (int i = 0; i < BLAME_CULPRITS; i++)
                if (v->shares[i] > (greatest < 0 ? 0 : v->shares[greatest]) && !is_stream(flows, v->owners[i]))
                        greatest = i;
        return greatest;
}
