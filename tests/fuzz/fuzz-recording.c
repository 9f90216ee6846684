/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a file holds, a replay of it ends, and tells of drives, verdicts and settings that are whole. */
#include <errno.h>
#include <stdlib.h>

#include "fuzz.h"
#include "macro.h"
#include "replay.h"
#include "str.h"

#define MUST(expr) ((expr) ? (void) 0 : abort())

struct input {
        const uint8_t *data;
        size_t size;
};

static ssize_t fill(void *userdata, void *buf, size_t size) {
        struct input *in = userdata;
        size_t n = MIN(size, in->size);

        memcpy(buf, in->data, n);
        in->data += n;
        in->size -= n;
        return (ssize_t) n;
}

static void check_note(void *userdata, const struct replay_note *note) {
        (void) userdata;
        MUST(str_is_text(note->device));
        if (note->verdict)
                MUST(note->verdict->n_evidence <= VERDICT_EVIDENCE_MAX && note->verdict->severity <= 1000 && note->verdict->confidence <= 1000);
        if (note->change)
                MUST(*note->change->value && *note->change->reason && note->change->tunable < _TUNABLE_MAX);
}

/* Every law, for every drive. */
static void make_policy(struct policy *p) {
        policy_init(p, "fuzz", "fuzz.conf");
        p->classes = UINT32_MAX;
        p->idle_limit.enabled = p->slice_share.enabled = true;
        p->n_schedulers = 1;
        p->schedulers[0] = SCHEDULER_BFQ;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct recording_reader *reader = malloc(sizeof(*reader));
        struct policy *policy = malloc(sizeof(*policy));
        struct input in = { data, size };
        struct recording_item item;
        struct replay_summary summary;
        struct replay *replay;
        int r;

        MUST(reader && policy);
        make_policy(policy);
        replay = replay_new(policy, 1, check_note, NULL);
        MUST(replay);
        recording_reader_init(reader, fill, &in);
        while ((r = recording_read(reader, &item)) > 0)
                replay_take(replay, &item);
        MUST(r == 0 || r == -ENODATA || r == -EBADMSG || r == -EPROTONOSUPPORT);
        MUST(reader->counters.damaged_bytes <= size);
        replay_summarize(replay, &summary);
        replay_free(replay);
        free(policy);
        free(reader);
        return 0;
}
