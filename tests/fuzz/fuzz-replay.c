/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever events and ticks there are, as a recording has them, on a drive with every law: what is told of verdicts, settings and latencies is whole. A
 * byte that begins no item is passed over. */
#include <stdlib.h>

#include "fuzz.h"
#include "macro.h"
#include "recording.h"
#include "replay.h"
#include "str.h"

#define TICKS_MAX 64 /* each looks at everything */

static const char drive[] = "name=sda\ndevice=7:9\nclass=hdd\nrotational=1\nscheduler=bfq\nschedulers=none,mq-deadline,bfq,kyber\n"
                            "queue/nr_requests=256\nqueue/iosched/slice_idle_us=8000\nqueue/iosched/low_latency=1\nqueue/iosched/timeout_sync=124\n";

static void check_note(void *userdata, const struct replay_note *note) {
        (void) userdata;
        MUST(str_is_text(note->device));
        if (note->verdict)
                MUST(note->verdict->n_evidence <= VERDICT_EVIDENCE_MAX && note->verdict->severity <= 1000 && note->verdict->confidence <= 1000);
        if (note->change)
                MUST(*note->change->value && *note->change->reason && note->change->tunable < _TUNABLE_MAX);
}

static const struct policy *make_policy(void) {
        static struct policy p;

        if (p.n_schedulers == 0) {
                policy_init(&p, "fuzz", "fuzz.conf");
                p.classes = UINT32_MAX;
                p.idle_limit.enabled = p.slice_share.enabled = true;
                p.n_schedulers = 1;
                p.schedulers[0] = SCHEDULER_BFQ;
        }
        return &p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct replay *replay = replay_new(make_policy(), 1, check_note, NULL);
        struct recording_item item = { .kind = RECORDING_DRIVE, .text = drive };
        struct recording_state state = { 0 };
        struct replay_summary summary;
        unsigned ticks = 0;

        MUST(replay);
        replay_take(replay, &item);
        while (size > 0) {
                ssize_t n = recording_decode(&state, data, size, &item);
                if (n > 0 && (item.kind != RECORDING_TICK || ticks++ < TICKS_MAX))
                        replay_take(replay, &item);
                n = MAX(n, 1);
                data += n;
                size -= (size_t) n;
        }
        replay_finish(replay);
        replay_summarize(replay, &summary);
        MUST(summary.drives_refused == 0 && summary.ticks <= TICKS_MAX);
        replay_free(replay);
        return 0;
}
