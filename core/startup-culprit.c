/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Because of which processes a start took long: those served on its drives while it waited for them. */
#include <string.h>

#include "macro.h"
#include "startup.h"

static bool same(const struct startup_served *served, const struct startup_culprit *culprit) {
        if (*culprit->name && *served->culprit.name)
                return streq(served->culprit.name, culprit->name); /* ten copies of one program are one culprit */
        return served->culprit.tgid == culprit->tgid && served->culprit.start_ticks == culprit->start_ticks;
}

static uint64_t all_ns(const struct startup_served *served) {
        return served->ns[REQUEST_READ] + served->ns[REQUEST_WRITE];
}

static uint64_t all_bytes(const struct startup_served *served) {
        return served->bytes[REQUEST_READ] + served->bytes[REQUEST_WRITE];
}

/* How much it may have had, in parts of what all had: time and bytes together. */
static double weight(const struct startup_served *served, double ns, double bytes) {
        return (double) (all_ns(served) + served->before_ns) / MAX(ns, 1.0) + (double) (all_bytes(served) + served->before_bytes) / MAX(bytes, 1.0);
}

/* A new one takes the place of the one with least, and is taken for as large as that, so that the next does not take its place at once
 * (Space-Saving: A. Metwally, D. Agrawal, A. El Abbadi, Efficient computation of frequent and top-k elements, 2005): one that had more than one
 * of STARTUP_CULPRITS_MAX equal parts is always there, whenever it came. What is told of it is what it is known to have had. */
static struct startup_served *replace_least(struct startup *s, const struct startup_culprit *culprit) {
        struct startup_served *least = &s->served[0];
        double ns = (double) s->rest_ns, bytes = (double) (s->rest_bytes[REQUEST_READ] + s->rest_bytes[REQUEST_WRITE]);

        for (size_t i = 0; i < s->n_served; i++) {
                ns += (double) all_ns(&s->served[i]);
                bytes += (double) all_bytes(&s->served[i]);
        }
        for (size_t i = 1; i < s->n_served; i++)
                if (weight(&s->served[i], ns, bytes) < weight(least, ns, bytes))
                        least = &s->served[i];
        s->served_refused++;
        s->rest_ns += all_ns(least);
        s->rest_bytes[REQUEST_READ] += least->bytes[REQUEST_READ];
        s->rest_bytes[REQUEST_WRITE] += least->bytes[REQUEST_WRITE];
        *least = (struct startup_served){
                .culprit = *culprit,
                .before_ns = all_ns(least) + least->before_ns,
                .before_bytes = all_bytes(least) + least->before_bytes,
        };
        return least;
}

static struct startup_served *get_served(struct startup *s, const struct startup_culprit *culprit) {
        struct startup_served *served;

        for (size_t i = 0; i < s->n_served; i++)
                if (same(&s->served[i], culprit))
                        return &s->served[i];
        if (s->n_served == STARTUP_CULPRITS_MAX)
                return replace_least(s, culprit);
        served = &s->served[s->n_served++];
        *served = (struct startup_served){ .culprit = *culprit };
        return served;
}

void startup_note_served(struct startup *s, const struct startup_culprit *culprit, unsigned op, uint64_t ns, uint64_t bytes) {
        struct startup_served *served;

        if (op > REQUEST_WRITE || (ns == 0 && bytes == 0))
                return;
        if (culprit->tgid == 0) {
                s->anonymous_ns[op] += ns;
                return;
        }
        served = get_served(s, culprit);
        served->ns[op] += ns;
        served->bytes[op] += bytes;
}

void startup_merge_served(struct startup *to, const struct startup *from) {
        to->own_ns += from->own_ns;
        to->rest_ns += from->rest_ns;
        for (unsigned op = REQUEST_READ; op <= REQUEST_WRITE; op++) {
                to->anonymous_ns[op] += from->anonymous_ns[op];
                to->rest_bytes[op] += from->rest_bytes[op];
                for (size_t i = 0; i < from->n_served; i++)
                        startup_note_served(to, &from->served[i].culprit, op, from->served[i].ns[op], from->served[i].bytes[op]);
        }
        to->served_refused += from->served_refused;
}

/* What kernel threads asked for is that of the processes that read or wrote meanwhile, by how much they did: what is written, for one,
 * goes to the drive in the name of the kernel's flusher. */
static double share_of_anonymous(const struct startup *s, const struct startup_served *served, unsigned op) {
        double bytes = (double) s->rest_bytes[op];

        for (size_t i = 0; i < s->n_served; i++)
                bytes += (double) s->served[i].bytes[op];
        return bytes > 0 ? (double) s->anonymous_ns[op] * (double) served->bytes[op] / bytes : 0;
}

static void insert(struct startup_view *v, const struct startup_served *served, uint16_t permille) {
        size_t i = v->n_culprits < STARTUP_CULPRITS_SHOWN ? v->n_culprits++ : STARTUP_CULPRITS_SHOWN;

        if (i == STARTUP_CULPRITS_SHOWN && v->culprits[--i].permille >= permille)
                return;
        for (; i > 0 && v->culprits[i - 1].permille < permille; i--)
                v->culprits[i] = v->culprits[i - 1];
        v->culprits[i] = served->culprit;
        v->culprits[i].permille = permille;
}

void startup_list_culprits(const struct startup *s, struct startup_view *ret) {
        double total = (double) (s->own_ns + s->anonymous_ns[REQUEST_READ] + s->anonymous_ns[REQUEST_WRITE] + s->rest_ns);
        bool timed = false;

        ret->n_culprits = 0;
        for (size_t i = 0; i < s->n_served; i++)
                total += (double) all_ns(&s->served[i]);
        timed = total > 0;
        if (!timed) { /* no single requests were told: by bytes */
                total = (double) (s->view.read_bytes + s->rest_bytes[REQUEST_READ] + s->rest_bytes[REQUEST_WRITE]);
                for (size_t i = 0; i < s->n_served; i++)
                        total += (double) all_bytes(&s->served[i]);
        }
        for (size_t i = 0; i < s->n_served && total > 0; i++) {
                const struct startup_served *served = &s->served[i];
                double part = 0;
                for (unsigned op = REQUEST_READ; op <= REQUEST_WRITE; op++)
                        part += timed ? (double) served->ns[op] + share_of_anonymous(s, served, op) : (double) served->bytes[op];
                if (part * 1000 >= total * STARTUP_CULPRIT_PERMILLE && *served->culprit.name)
                        insert(ret, served, (uint16_t) MIN(part * 1000 / total, 1000.0));
        }
}
