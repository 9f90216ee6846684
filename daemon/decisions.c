/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "decisions.h"
#include "macro.h"
#include "str.h"

const struct decision *decisions_add(struct decisions *d, const char *device, const struct receipt *r, const char *reason,
                                     uint64_t time_usec) {
        struct decision *slot = &d->ring[d->count++ % DECISIONS_MAX];

        *slot = (struct decision){ .sequence = d->count, .time_usec = time_usec, .receipt = *r };
        str_copy(slot->device, sizeof(slot->device), device);
        str_copy(slot->reason, sizeof(slot->reason), reason);
        return slot;
}

struct decision *decisions_last(struct decisions *d) {
        return d->count > 0 ? &d->ring[(d->count - 1) % DECISIONS_MAX] : NULL;
}

struct decision *decisions_find_start(struct decisions *d, const struct subject *subject) {
        for (uint64_t i = d->count; i >= decisions_first(d); i--) {
                struct decision *entry = &d->ring[(i - 1) % DECISIONS_MAX];
                if (entry->receipt.law == LAW_PREFETCH && entry->receipt.result == RECEIPT_APPLIED && subject_same(&entry->receipt.process, subject))
                        return entry;
        }
        return NULL;
}

void decisions_report(struct decisions *d, const struct trial_report *r, decision_fn fn, void *userdata) {
        for (uint64_t i = decisions_first(d); i <= d->count; i++) {
                struct decision *entry = &d->ring[(i - 1) % DECISIONS_MAX];
                const struct receipt *receipt = &entry->receipt;
                if (receipt->result != RECEIPT_APPLIED || receipt->process.tgid > 0 || receipt->dev != r->dev || receipt->law != r->law ||
                    receipt->id < r->first_id || receipt->id > r->last_id)
                        continue;
                entry->trial = r->state;
                str_copy(entry->effect, sizeof(entry->effect), r->effect);
                entry->figures = r->figures;
                fn(userdata, entry);
        }
}

uint64_t decisions_first(const struct decisions *d) {
        return d->count > DECISIONS_MAX ? d->count - DECISIONS_MAX + 1 : 1;
}

const struct decision *decisions_get(const struct decisions *d, uint64_t sequence) {
        if (sequence < decisions_first(d) || sequence > d->count)
                return NULL;
        return &d->ring[(sequence - 1) % DECISIONS_MAX];
}

char *decision_format_id(const struct decision *d, char *buf, size_t size) {
        const struct subject *process = &d->receipt.process;

        if (d->receipt.result == RECEIPT_ADVISED && process->tgid > 0)
                snprintf(buf, size, "%s." RECEIPT_PRIORITY ".%" PRId32 "=%s", d->device, process->tgid, d->receipt.wanted);
        else if (d->receipt.result == RECEIPT_ADVISED)
                snprintf(buf, size, "%s.%s=%s", d->device, tunable_get(d->receipt.tunable)->name, d->receipt.wanted);
        else
                snprintf(buf, size, "d%" PRIu64, d->sequence);
        return buf;
}

int decision_parse_id(const char *id, uint64_t *ret_sequence) {
        return *id == 'd' ? str_parse_u64(id + 1, ret_sequence) : -EINVAL;
}
