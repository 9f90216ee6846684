/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "request-table.h"

#define MASK (REQUEST_SLOTS - 1)

static size_t home_slot(uint32_t dev, uint64_t sector) {
        return ((sector ^ (uint64_t) dev << 44) * 0x9e3779b97f4a7c15u) >> 40 & MASK; /* Fibonacci hashing */
}

static nsec_t age_of(const struct request *r) {
        return r->queued ? r->queued : r->issued;
}

/* The newest one that begins at this sector, is of this kind, and is with the drive or not; NULL: none. Two processes may ask
 * for the same sectors at a time; but an older one is as well a leftover, whose end was not seen, and would hand its age on. */
static struct request *find(struct request_table *t, uint32_t dev, uint64_t sector, uint8_t op, bool issued) {
        struct request *best = NULL;

        for (size_t i = home_slot(dev, sector); t->slots[i]; i = (i + 1) & MASK) {
                struct request *r = &t->places[t->slots[i] - 1];
                if (r->sector == sector && r->dev == dev && r->op == op && (r->issued != 0) == issued &&
                    (!best || age_of(r) > age_of(best)))
                        best = r;
        }
        return best;
}

static void insert(struct request_table *t, const struct request *r) {
        size_t i = home_slot(r->dev, r->sector);
        uint16_t place = t->free;

        if (place)
                t->free = (uint16_t) t->places[place - 1].owner;
        else
                place = (uint16_t) ++t->used;
        while (t->slots[i])
                i = (i + 1) & MASK;
        t->slots[i] = place;
        t->places[place - 1] = *r;
        t->n++;
}

static size_t slot_of(const struct request_table *t, const struct request *r) {
        size_t i = home_slot(r->dev, r->sector);

        while (&t->places[t->slots[i] - 1] != r)
                i = (i + 1) & MASK;
        return i;
}

/* Linear probing without tombstones: those behind the hole move up unless they are at home already. */
static void take_out(struct request_table *t, struct request *r) {
        size_t hole = slot_of(t, r);
        uint16_t place = t->slots[hole];

        for (size_t i = (hole + 1) & MASK; t->slots[i]; i = (i + 1) & MASK) {
                const struct request *other = &t->places[t->slots[i] - 1];
                size_t home = home_slot(other->dev, other->sector);
                if (((i - home) & MASK) >= ((i - hole) & MASK)) {
                        t->slots[hole] = t->slots[i];
                        hole = i;
                }
        }
        t->slots[hole] = 0;
        *r = (struct request){ .owner = t->free };
        t->free = place;
        t->n--;
}

/* Parts r in two where it goes beyond `end`; its front stays where it is, and the rear is the one that counts. */
static void part(struct request_table *t, struct request *r, uint64_t end) {
        struct request front = *r, rear = *r;

        if (r->sectors <= end - r->sector)
                return;
        if (t->n == REQUEST_SLOTS - 1) { /* then all of it does what its front did */
                t->refused++;
                return;
        }
        front.sectors = (uint32_t) (end - r->sector);
        front.asked = 0;
        rear.sectors -= front.sectors;
        rear.sector = end;
        *r = front; /* begins where it began, so its slot is the same */
        insert(t, &rear);
}

/* A new one. The last quarter of the slots is kept for parts. */
static bool add(struct request_table *t, const struct request *r) {
        if (t->n >= REQUESTS_MAX) {
                t->refused++;
                return false;
        }
        insert(t, r);
        return true;
}

bool request_table_queue(struct request_table *t, nsec_t now, uint32_t dev, const struct event_request *e, uint32_t owner, bool yields) {
        struct request r = { .sector = e->sector, .dev = dev, .sectors = e->sectors, .asked = e->sectors, .owner = owner,
                             .queued = now, .op = e->op, .yields = yields };

        return e->sectors > 0 && add(t, &r);
}

/* The last sector of a range that wraps is the last there is. */
static uint64_t end_of(const struct event_request *e) {
        return e->sector > UINT64_MAX - e->sectors ? UINT64_MAX : e->sector + e->sectors;
}

void request_table_split(struct request_table *t, uint32_t dev, const struct event_request *e) {
        struct request *r = e->sectors > 0 ? find(t, dev, e->sector, e->op, false) : NULL;

        if (r)
                part(t, r, end_of(e));
}

void request_table_issue(struct request_table *t, nsec_t now, uint32_t dev, const struct event_request *e,
                         request_step_fn fn, void *userdata) {
        uint64_t at = e->sector, end = end_of(e);

        while (at < end) {
                struct request *r = find(t, dev, at, e->op, false);
                bool again;

                if (!r) /* it was issued before, and its way back not seen */
                        r = find(t, dev, at, e->op, true);
                if (!r) { /* its queuing was not seen */
                        struct request unknown = { .sector = at, .dev = dev, .sectors = (uint32_t) (end - at),
                                                   .asked = (uint32_t) (end - at), .issued = now, .op = e->op };
                        if (add(t, &unknown))
                                fn(userdata, REQUEST_ISSUED, &unknown, now);
                        return;
                }
                part(t, r, end);
                at += MIN(r->sectors, end - at);
                again = r->issued != 0;
                r->issued = now;
                if (!again)
                        fn(userdata, REQUEST_ISSUED, r, now);
        }
}

void request_table_requeue(struct request_table *t, nsec_t now, uint32_t dev, const struct event_request *e,
                           request_step_fn fn, void *userdata) {
        uint64_t at = e->sector, end = end_of(e);
        struct request *r;

        for (; at < end && (r = find(t, dev, at, e->op, true)); at += MIN(r->sectors, end - at)) {
                part(t, r, end);
                fn(userdata, REQUEST_REQUEUED, r, now);
                r->issued = 0;
                if (!r->queued) /* or it would be of no age */
                        r->queued = now;
        }
}

void request_table_complete(struct request_table *t, nsec_t now, uint32_t dev, const struct event_request *e,
                            request_step_fn fn, void *userdata) {
        uint64_t at = e->sector, end = end_of(e);

        while (at < end) {
                struct request *r = find(t, dev, at, e->op, true), done;

                if (!r) /* its issue was not seen */
                        r = find(t, dev, at, e->op, false);
                if (!r) {
                        t->unmatched++;
                        return;
                }
                part(t, r, end);
                done = *r;
                take_out(t, r);
                fn(userdata, REQUEST_DONE, &done, now);
                at += MIN(done.sectors, end - at);
        }
}

/* Taking one out moves others up into its slot, even around the end of the table: such a slot is looked at again. */
static size_t give_up(struct request_table *t, nsec_t now, nsec_t older_than, uint32_t dev, request_step_fn fn, void *userdata) {
        size_t n = 0;

        for (size_t i = 0; i < REQUEST_SLOTS && t->n > 0;) {
                struct request *found = t->slots[i] ? &t->places[t->slots[i] - 1] : NULL, r;
                if (!found || (dev && found->dev != dev) || age_of(found) > older_than) {
                        i++;
                        continue;
                }
                r = *found;
                take_out(t, found);
                fn(userdata, REQUEST_LOST, &r, now);
                n++;
        }
        return n;
}

void request_table_expire(struct request_table *t, nsec_t now, request_step_fn fn, void *userdata) {
        if (now > REQUEST_AGE_NS)
                t->aged += give_up(t, now, now - REQUEST_AGE_NS, 0, fn, userdata);
}

void request_table_forget(struct request_table *t, nsec_t now, uint32_t dev, request_step_fn fn, void *userdata) {
        give_up(t, now, UINT64_MAX, dev, fn, userdata);
}
