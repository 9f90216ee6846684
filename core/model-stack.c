/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes read from a drive through what stands on it: dm-crypt, md, a loop device on a file. The drive's own requests are then
 * those of kernel threads; but what stands on top is asked by the processes themselves. docs/sources.md has the account. */
#include "macro.h"
#include "model-private.h"

bool model_is_upper(const struct model *m, uint32_t dev) {
        for (size_t i = 0; i < m->n_stacks; i++)
                if (m->stacks[i].upper == dev)
                        return true;
        return false;
}

/* Removes those on the drive that are of this upper device; 0: of any. */
static void remove_stacks(struct model *m, uint32_t upper, uint32_t dev) {
        size_t n = 0;

        for (size_t i = 0; i < m->n_stacks; i++)
                if (m->stacks[i].dev != dev || (upper && m->stacks[i].upper != upper))
                        m->stacks[n++] = m->stacks[i];
        m->n_stacks = n;
}

void model_stack(struct model *m, const struct event *e) {
        struct stack s = { .upper = e->stack.upper, .dev = e->dev, .drives = e->stack.drives };

        if (!s.dev || !s.upper || s.upper == s.dev) {
                m->counters.invalid++;
                return;
        }
        remove_stacks(m, s.upper, s.dev);
        if (!s.drives)
                return;
        if (m->n_stacks < STACKS_MAX)
                m->stacks[m->n_stacks++] = s;
        else
                m->stacks_refused++;
}

void model_unstack(struct model *m, uint32_t dev) {
        remove_stacks(m, 0, dev);
}

void model_feed_above(struct model *m, const struct event *e) {
        for (size_t i = 0; i < m->n_stacks; i++) {
                const struct stack *s = &m->stacks[i];
                struct flow *f = s->upper == e->dev ? flow_table_get(&m->flows, e->tgid, s->dev) : NULL;

                if (!f)
                        continue;
                f->asked_above[e->request.op] = MAX(f->asked_above[e->request.op], e->t);
                if (e->request.op == REQUEST_READ) /* several drives share it evenly, as far as can be told */
                        recent_add(&f->sectors_above, e->t, (e->request.sectors + s->drives - 1u) / s->drives);
        }
}

/* What a process asked above and not of the drive itself came there as another's: where it did both, as through LVM,
 * its requests went through under its own name. */
void model_explain_requests(struct model *m, nsec_t now) {
        const struct flow *f;
        size_t i = 0;

        for (size_t k = 0; k < m->n_stacks; k++) {
                struct device *d = model_find_device(m, m->stacks[k].dev);
                if (d)
                        d->requests.explained = 0;
        }
        while (m->n_stacks > 0 && (f = flow_table_next(&m->flows, &i))) {
                uint64_t above = recent_get(&f->sectors_above, now), own = recent_get(&f->sectors_own, now);
                struct device *d = above > own ? model_find_device(m, f->dev) : NULL;
                if (d)
                        d->requests.explained += above - own;
        }
}
