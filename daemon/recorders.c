/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

#include "checksum.h"
#include "fdio.h"
#include "macro.h"
#include "recorders.h"
#include "recording-drive.h"
#include "recording-outcome.h"

_Static_assert(RECORDING_BLOCK_MAX <= PIPE_BUF, "a block goes into a pipe as a whole or not at all");

struct told_drive {
        uint32_t dev; /* 0: free */
        uint32_t checksum; /* of its text, as it was told */
};

struct recorder {
        int fd;
        bool ticked;
        size_t n_devs; /* 0: all drives */
        uint32_t devs[SNAPSHOT_DEVICES_MAX];
        uint64_t lost; /* and not told yet */
        uint32_t n_ticks; /* of the block's items */
        struct told_drive told[SNAPSHOT_DEVICES_MAX];
        struct recording_block block, text;
};

struct recorders {
        struct recorder *recorders[RECORDERS_MAX]; /* NULL: free; most daemons never have one */
        uint64_t lost;
};

struct recorders *recorders_new(void) {
        return calloc(1, sizeof(struct recorders));
}

static struct recorder *recorder_free(struct recorder *r) {
        if (!r)
                return NULL;
        safe_close(r->fd);
        free(r);
        return NULL;
}

struct recorders *recorders_free(struct recorders *r) {
        for (size_t i = 0; r && i < RECORDERS_MAX; i++)
                recorder_free(r->recorders[i]);
        free(r);
        return NULL;
}

static void begin_block(struct recorder *r, nsec_t t) {
        struct event e = { .t = t, .kind = EVENT_LOST, .flags = EVENT_REQUESTS, .lost.count = r->lost };

        recording_block_begin(&r->block, t);
        r->n_ticks = 0;
        if (r->lost > 0)
                recording_block_add(&r->block, &e);
}

int recorders_open(struct recorders *r, const uint32_t *devs, size_t n, const char *environment, nsec_t now) {
        uint8_t mark[RECORDING_MARK_BYTES];
        struct recorder *new;
        size_t i = 0;
        int fds[2] = { -1, -1 }, e;

        if (n > SNAPSHOT_DEVICES_MAX)
                return -E2BIG;
        while (i < RECORDERS_MAX && r->recorders[i])
                i++;
        if (i == RECORDERS_MAX)
                return -ENOSPC;
        new = calloc(1, sizeof(*new));
        if (!new)
                return -ENOMEM;
        e = fdio_pipe(fds);
        if (e < 0) {
                free(new);
                return e;
        }
        (void) fcntl(fds[1], F_SETPIPE_SZ, RECORDER_PIPE_BYTES); /* where it may not be, a slow reader loses sooner */
        new->fd = fds[1];
        new->n_devs = n;
        for (size_t k = 0; k < n; k++)
                new->devs[k] = devs[k];
        recording_write_mark(mark);
        recording_block_set_text(&new->text, RECORDING_BLOCK_ENVIRONMENT, 0, environment);
        begin_block(new, now);
        /* An empty pipe has room for both. */
        if (write(new->fd, mark, sizeof(mark)) < 0 || write(new->fd, new->text.data, new->text.size) < 0) {
                e = -errno;
                recorder_free(new);
                safe_close(fds[0]);
                return e;
        }
        r->recorders[i] = new;
        return fds[0];
}

bool recorders_active(const struct recorders *r) {
        for (size_t i = 0; i < RECORDERS_MAX; i++)
                if (r->recorders[i])
                        return true;
        return false;
}

static bool names(const struct recorder *r, uint32_t dev) {
        for (size_t i = 0; i < r->n_devs; i++)
                if (r->devs[i] == dev)
                        return true;
        return false;
}

bool recorders_watch(const struct recorders *r, uint32_t dev) {
        for (size_t i = 0; i < RECORDERS_MAX; i++)
                if (r->recorders[i] && names(r->recorders[i], dev))
                        return true;
        return false;
}

bool recorders_watch_any(const struct recorders *r) {
        for (size_t i = 0; i < RECORDERS_MAX; i++)
                if (r->recorders[i] && r->recorders[i]->n_devs > 0)
                        return true;
        return false;
}

static struct recorder *close_recorder(struct recorders *r, size_t i) {
        r->recorders[i] = recorder_free(r->recorders[i]);
        return NULL;
}

/* Returns 1 where it went into the pipe, 0 where there is no room, or -errno: the reader is gone. */
static int send_block(const struct recorder *r, const struct recording_block *b) {
        ssize_t n = write(r->fd, b->data, b->size);

        if (n >= 0)
                return 1;
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

/* Sends the events that there are, and begins anew. Returns NULL where the reader left. */
static struct recorder *flush(struct recorders *all, size_t i, nsec_t now) {
        struct recorder *r = all->recorders[i];
        uint32_t n = r->block.n - r->n_ticks;
        int sent;

        if (r->block.n == 0)
                return r;
        recording_block_seal(&r->block);
        sent = send_block(r, &r->block);
        if (sent < 0)
                return close_recorder(all, i);
        if (sent > 0) {
                r->lost = 0;
        } else {
                n -= r->lost > 0; /* that it tells of a loss is no loss */
                r->lost += n;
                all->lost += n;
        }
        begin_block(r, now);
        return r;
}

/* A program may lie on another drive than it reads from: its start belongs to both. */
static bool wants(const struct recorder *r, const struct event *e) {
        return r->n_devs == 0 || e->dev == 0 || names(r, e->dev) || e->kind == EVENT_PROCESS_EXEC;
}

/* Another drive may come under the number of one that is gone. */
static void forget_told(struct recorder *r, uint32_t dev) {
        for (size_t i = 0; i < SNAPSHOT_DEVICES_MAX; i++)
                if (r->told[i].dev == dev)
                        r->told[i] = (struct told_drive){ 0 };
}

static void feed(struct recorders *r, size_t i, const struct event *e) {
        struct recorder *one = r->recorders[i];

        if (!one || !wants(one, e))
                return;
        if (e->kind == EVENT_DEVICE_GONE)
                forget_told(one, e->dev);
        if (recording_block_add(&one->block, e) != -ENOSPC)
                return;
        one = flush(r, i, e->t);
        if (one)
                recording_block_add(&one->block, e);
}

void recorders_feed(struct recorders *r, const struct event *e) {
        for (size_t i = 0; i < RECORDERS_MAX; i++)
                feed(r, i, e);
}

void recorders_feed_new(struct recorders *r, const struct event *e) {
        for (size_t i = 0; i < RECORDERS_MAX; i++)
                if (r->recorders[i] && !r->recorders[i]->ticked)
                        feed(r, i, e);
}

static struct told_drive *find_told(struct recorder *r, uint32_t dev) {
        struct told_drive *free_slot = NULL;

        for (size_t i = 0; i < SNAPSHOT_DEVICES_MAX; i++) {
                if (r->told[i].dev == dev)
                        return &r->told[i];
                if (!free_slot && r->told[i].dev == 0)
                        free_slot = &r->told[i];
        }
        return free_slot ? free_slot : &r->told[0]; /* many came and went: one is told twice */
}

/* What the controller may go by on that drive. What does not fit into the pipe is lost, as events are. */
static void tell_outcomes(struct recorders *all, struct recorder *r, const struct controller_device *d, const struct outcomes *o, nsec_t now) {
        char text[RECORDING_TEXT_MAX + 1];

        for (size_t i = 0; i < OUTCOMES_MAX; i++) {
                if (!recording_format_outcome(&o->entries[i], d, now, text, sizeof(text)))
                        continue;
                recording_block_set_text(&r->text, RECORDING_BLOCK_OUTCOME, now, text);
                if (send_block(r, &r->text) <= 0) {
                        r->lost++;
                        all->lost++;
                }
        }
}

/* Returns the recorder where the drive is new to it, else NULL. */
static struct recorder *tell_drive(struct recorders *all, size_t i, const struct device_facts *facts, const char *text) {
        struct recorder *r = all->recorders[i];
        uint32_t checksum = checksum_crc32c(0, text, strlen(text));
        struct told_drive *told;
        bool is_new;

        if (!r || (r->n_devs > 0 && !names(r, facts->dev)))
                return NULL;
        told = find_told(r, facts->dev);
        if (told->dev == facts->dev && told->checksum == checksum)
                return NULL;
        is_new = told->dev != facts->dev;
        r = flush(all, i, r->block.state.t); /* in its order */
        if (!r)
                return NULL;
        recording_block_set_text(&r->text, RECORDING_BLOCK_DRIVE, 0, text);
        if (send_block(r, &r->text) <= 0) /* the next time */
                return NULL;
        *told = (struct told_drive){ facts->dev, checksum };
        return is_new ? r : NULL;
}

void recorders_tell_drive(struct recorders *r, const struct controller_device *d, const struct outcomes *o, nsec_t now) {
        char text[RECORDING_TEXT_MAX];
        struct device_facts facts;

        if (!recorders_active(r))
                return;
        recording_format_drive(recording_drive_facts(d, &facts), text, sizeof(text));
        for (size_t i = 0; i < RECORDERS_MAX; i++) {
                struct recorder *new = tell_drive(r, i, &facts, text);
                if (new)
                        tell_outcomes(r, new, d, o, now);
        }
}

void recorders_tick(struct recorders *r, nsec_t now, enum hold hold) {
        for (size_t i = 0; i < RECORDERS_MAX; i++) {
                struct recorder *one = r->recorders[i];
                if (one && recording_block_add_tick(&one->block, now, (uint8_t) hold) == -ENOSPC) {
                        one = flush(r, i, now);
                        if (one)
                                recording_block_add_tick(&one->block, now, (uint8_t) hold);
                }
                if (!one)
                        continue;
                one->ticked = true;
                one->n_ticks++;
                flush(r, i, now);
        }
}

uint64_t recorders_lost(const struct recorders *r) {
        return r->lost;
}
