/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "bfq-log.h"
#include "event.h"
#include "macro.h"

#define NOTE " m   N " /* as the blk tracer prints a message: blk_log_action() and its flags */
#define LOST " [LOST "
#define SHARED "SHARED-"
#define FRACTION_DIGITS 6 /* of a time in a line: microseconds */

/* What is left to read. */
struct text {
        const char *at, *end;
};

static bool skip(struct text *t, const char *word) {
        size_t n = strlen(word);

        if ((size_t) (t->end - t->at) < n || memcmp(t->at, word, n) != 0)
                return false;
        t->at += n;
        return true;
}

static bool read_number(struct text *t, uint64_t max, uint64_t *ret) {
        const char *begin = t->at;
        uint64_t v = 0;

        for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
                v = v * 10 + (uint64_t) (*t->at - '0');
                if (v > max)
                        return false;
        }
        *ret = v;
        return t->at > begin;
}

/* "bfq1234S ", "bfqSHARED-A " */
static bool read_queue(struct text *t, struct bfq_queue *ret) {
        uint64_t tid = 0;

        if (!skip(t, "bfq") || !(skip(t, SHARED) || (read_number(t, INT32_MAX, &tid) && tid > 0)))
                return false;
        ret->tid = (int32_t) tid;
        ret->sync = t->at < t->end && *t->at == 'S';
        return skip(t, ret->sync ? "S " : "A ");
}

/* "raising period dur 0/300 msec, old coeff 3000, w 120000(40)" */
static bool read_raising(struct text *t, struct bfq_log_message *m) {
        uint64_t since, period, coefficient;

        if (!skip(t, "raising period dur ") || !read_number(t, UINT32_MAX, &since) || !skip(t, "/") || !read_number(t, UINT32_MAX, &period) ||
            !skip(t, " msec, old coeff ") || !read_number(t, UINT32_MAX, &coefficient) || !skip(t, ","))
                return false;
        m->raised_ms = (uint32_t) since;
        m->period_ms = (uint32_t) period;
        m->coefficient = (uint32_t) coefficient;
        return true;
}

void bfq_log_parse_text(const char *text, size_t size, struct bfq_log_message *ret) {
        struct text t = { text, text + size };

        ret->kind = BFQ_LOG_OTHER;
        if (!read_queue(&t, &ret->queue))
                return;
        if (read_raising(&t, ret))
                ret->kind = BFQ_LOG_RAISED;
        else if (skip(&t, "bfqq_served "))
                ret->kind = BFQ_LOG_SERVED;
        else if (skip(&t, "set_in_service_queue, ") || skip(&t, "select_queue: already in-service queue"))
                ret->kind = BFQ_LOG_IN_SERVICE;
        else if (skip(&t, "expire ("))
                ret->kind = BFQ_LOG_EXPIRED;
}

/* The word before at, which moves to its beginning; line: where the line begins. */
static struct text word_before(const char *line, const char **at) {
        struct text word;

        while (*at > line && (*at)[-1] == ' ')
                (*at)--;
        word.end = *at;
        while (*at > line && (*at)[-1] != ' ')
                (*at)--;
        word.at = *at;
        return word;
}

/* "34673.185156:" */
static bool read_time(struct text t, nsec_t *ret) {
        uint64_t seconds, fraction;
        const char *point;

        if (!read_number(&t, UINT32_MAX, &seconds) || !skip(&t, "."))
                return false;
        point = t.at;
        if (!read_number(&t, NSEC_PER_SEC, &fraction) || t.at - point != FRACTION_DIGITS || !skip(&t, ":") || t.at != t.end)
                return false;
        *ret = seconds * NSEC_PER_SEC + fraction * NSEC_PER_USEC;
        return true;
}

/* "7,10" */
static bool read_pair(struct text t, uint64_t *ret_first, uint64_t *ret_second) {
        return read_number(&t, UINT32_MAX, ret_first) && skip(&t, ",") && read_number(&t, UINT32_MAX, ret_second) && t.at == t.end;
}

/* What stands before a message: "... 34673.185156:   7,10  1,0 "; the second pair, of the cgroup, is not everywhere, and hexadecimal. */
static bool read_head(const char *line, const char *end, struct bfq_log_message *ret) {
        struct text drive = word_before(line, &end), time = word_before(line, &end);
        uint64_t major, minor;

        if (!read_time(time, &ret->t)) {
                drive = time;
                if (!read_time(word_before(line, &end), &ret->t))
                        return false;
        }
        if (!read_pair(drive, &major, &minor))
                return false;
        ret->queue.dev = DEV_NUMBER(major, minor);
        return true;
}

/* "CPU:1 [LOST 1234 EVENTS]" */
static bool tells_loss(const char *line, size_t size) {
        return size > strlen(LOST) && memcmp(line, "CPU:", 4) == 0 && memmem(line, size, LOST, strlen(LOST));
}

void bfq_log_parse_line(const char *line, size_t size, struct bfq_log_message *ret) {
        const char *end = line + size, *note = line;

        *ret = (struct bfq_log_message) { .kind = tells_loss(line, size) ? BFQ_LOG_LOST : BFQ_LOG_OTHER };
        /* The name of a task, which comes first, may look like anything. */
        while (ret->kind == BFQ_LOG_OTHER && (note = memmem(note, (size_t) (end - note), NOTE, strlen(NOTE)))) {
                const char *text = note + strlen(NOTE);
                if (read_head(line, note, ret))
                        bfq_log_parse_text(text, (size_t) (end - text), ret);
                note = text;
        }
}

static bool is_queue(const struct bfq_queue *a, const struct bfq_queue *b) {
        return a->dev == b->dev && a->tid == b->tid && a->sync == b->sync;
}

static struct bfq_verdict *find(struct bfq_verdicts *v, const struct bfq_queue *queue) {
        for (size_t i = 0; i < v->n; i++)
                if (is_queue(&v->verdicts[i].queue, queue))
                        return &v->verdicts[i];
        return NULL;
}

static struct bfq_verdict *add(struct bfq_verdicts *v, const struct bfq_queue *queue, nsec_t t) {
        struct bfq_verdict *q = v->verdicts;

        if (v->n < BFQ_QUEUES_MAX) {
                q = &v->verdicts[v->n++];
        } else {
                for (size_t i = 1; i < v->n; i++)
                        if (v->verdicts[i].seen < q->seen)
                                q = &v->verdicts[i];
                v->evicted++;
        }
        *q = (struct bfq_verdict) { .queue = *queue, .coefficient = 1, .since = t, .seen = t };
        return q;
}

/* The turn on that drive; NULL: there are too many drives. */
static struct bfq_turn *turn_of(struct bfq_verdicts *v, uint32_t dev) {
        for (size_t i = 0; i < BFQ_DRIVES_MAX; i++)
                if (v->turns[i].dev == dev || v->turns[i].dev == 0) {
                        v->turns[i].dev = dev;
                        return &v->turns[i];
                }
        return NULL;
}

/* It was served in its turn, and bfq had no word of raising for that. */
static const struct bfq_verdict *close_turn(struct bfq_verdicts *v, struct bfq_turn *turn) {
        struct bfq_verdict *q = turn->open ? find(v, &turn->queue) : NULL;

        turn->open = false;
        if (!q)
                return NULL;
        q->seen = turn->served;
        if (q->coefficient == 1)
                return NULL;
        q->coefficient = 1;
        q->since = turn->served;
        return q;
}

static const struct bfq_verdict *raise(struct bfq_verdicts *v, const struct bfq_log_message *m) {
        struct bfq_verdict *q = find(v, &m->queue);

        if (!q)
                q = add(v, &m->queue, m->t);
        q->seen = m->t;
        if (q->coefficient == m->coefficient)
                return NULL;
        q->coefficient = m->coefficient;
        q->since = nsec_sub(m->t, m->raised_ms * (nsec_t) NSEC_PER_MSEC);
        return q;
}

/* Where messages are missing, so may be what bfq said of a turn. */
static void forget_turns(struct bfq_verdicts *v) {
        v->lost++;
        for (size_t i = 0; i < BFQ_DRIVES_MAX; i++)
                v->turns[i].known = v->turns[i].open = false;
}

const struct bfq_verdict *bfq_verdicts_feed(struct bfq_verdicts *v, const struct bfq_log_message *m) {
        const struct bfq_verdict *changed = NULL;
        struct bfq_turn *turn;

        if (m->kind == BFQ_LOG_LOST)
                forget_turns(v);
        if (m->kind == BFQ_LOG_LOST || m->kind == BFQ_LOG_OTHER || m->queue.dev == 0 || !(turn = turn_of(v, m->queue.dev)))
                return NULL;
        if (m->kind == BFQ_LOG_RAISED) {
                turn->open = false;
                return raise(v, m);
        }
        changed = close_turn(v, turn);
        if (m->kind == BFQ_LOG_SERVED) {
                turn->open = turn->known && is_queue(&turn->queue, &m->queue);
                turn->served = m->t;
        } else {
                turn->known = m->kind == BFQ_LOG_IN_SERVICE;
                turn->queue = m->queue;
        }
        return changed;
}
