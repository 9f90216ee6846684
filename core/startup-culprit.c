/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Because of whom a start took long: who was served on its drives while it waited for them. */
#include <string.h>

#include "macro.h"
#include "startup.h"

static bool same(const struct startup_served *served, const struct startup_culprit *who) {
        if (*who->name && *served->who.name)
                return streq(served->who.name, who->name); /* ten copies of one program are one culprit */
        return served->who.tgid == who->tgid && served->who.start_ticks == who->start_ticks;
}

static struct startup_served *get_served(struct startup *s, const struct startup_culprit *who) {
        struct startup_served *served;

        for (size_t i = 0; i < s->n_served; i++)
                if (same(&s->served[i], who))
                        return &s->served[i];
        if (s->n_served == STARTUP_CULPRITS_MAX) {
                s->served_refused++;
                return NULL;
        }
        served = &s->served[s->n_served++];
        *served = (struct startup_served){ .who = *who };
        return served;
}

void startup_note_served(struct startup *s, const struct startup_culprit *who, unsigned op, uint64_t ns, uint64_t bytes) {
        struct startup_served *served;

        if (op > REQUEST_WRITE || (ns == 0 && bytes == 0))
                return;
        if (who->tgid == 0) {
                s->anonymous_ns[op] += ns;
                return;
        }
        served = get_served(s, who);
        if (!served)
                return;
        served->ns[op] += ns;
        served->bytes[op] += bytes;
}

/* What kernel threads asked for is that of the processes that read or wrote meanwhile, by how much they did: what is written, for one,
 * goes to the drive in the name of the kernel's flusher. */
static double share_of_anonymous(const struct startup *s, const struct startup_served *served, unsigned op) {
        double bytes = 0;

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
        v->culprits[i] = served->who;
        v->culprits[i].permille = permille;
}

void startup_list_culprits(const struct startup *s, struct startup_view *ret) {
        double total = (double) (s->own_ns + s->anonymous_ns[REQUEST_READ] + s->anonymous_ns[REQUEST_WRITE]);
        bool timed = false;

        ret->n_culprits = 0;
        for (size_t i = 0; i < s->n_served; i++)
                total += (double) (s->served[i].ns[REQUEST_READ] + s->served[i].ns[REQUEST_WRITE]);
        timed = total > 0;
        if (!timed) { /* no single requests were told: by bytes */
                total = (double) s->view.read_bytes;
                for (size_t i = 0; i < s->n_served; i++)
                        total += (double) (s->served[i].bytes[REQUEST_READ] + s->served[i].bytes[REQUEST_WRITE]);
        }
        for (size_t i = 0; i < s->n_served && total > 0; i++) {
                const struct startup_served *served = &s->served[i];
                double part = 0;
                for (unsigned op = REQUEST_READ; op <= REQUEST_WRITE; op++)
                        part += timed ? (double) served->ns[op] + share_of_anonymous(s, served, op) : (double) served->bytes[op];
                if (part * 1000 >= total * STARTUP_CULPRIT_PERMILLE && *served->who.name)
                        insert(ret, served, (uint16_t) MIN(part * 1000 / total, 1000.0));
        }
}
