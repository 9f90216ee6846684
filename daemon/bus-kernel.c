/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GetKernelVerdicts() of the Manager: marshals, and nothing else. data/org.brio.Brio1.xml says what each key means. */
#include <errno.h>

#include "bus-private.h"
#include "names.h"
#include "task-table.h"

#define SECONDS_MAX ((uint32_t) (SOURCE_BFQ_MAX_NS / NSEC_PER_SEC))

static const char *name_verdict(uint32_t coefficient) {
        switch (coefficient) {
        case 1:
                return "none";
        case BFQ_COEFFICIENT_INTERACTIVE:
                return "interactive";
        case BFQ_COEFFICIENT_SOFT_RT:
                return "soft-rt";
        default: /* the kernel's number, and no enum of ours */
                return "other";
        }
}

static int append_verdict(sd_bus_message *m, struct manager *manager, const struct bfq_verdict *v, nsec_t now) {
        const struct manager_drive *d = manager_find_drive_by_dev(manager, v->queue.dev);
        int r = sd_bus_message_open_container(m, 'a', "{sv}");

        if (r >= 0)
                r = sd_bus_message_append(m, "{sv}{sv}{sv}{sv}{sv}{sv}{sv}{sv}", "device", "s", d ? d->drive.name : "", "tid", "u", (uint32_t) v->queue.tid,
                                          "pid", "u", (uint32_t) (v->queue.tid ? task_leader(v->queue.tid) : 0), "sync", "b", (int) v->queue.sync,
                                          "coefficient", "u", v->coefficient, "verdict", "s", name_verdict(v->coefficient),
                                          "since_usec", "t", (uint64_t) (nsec_sub(now, v->since) / NSEC_PER_USEC),
                                          "seen_usec", "t", (uint64_t) (nsec_sub(now, v->seen) / NSEC_PER_USEC));
        return r < 0 ? r : sd_bus_message_close_container(m);
}

static int reply(sd_bus_message *call, struct manager *m) {
        nsec_t now = manager_now();
        sd_bus_message *answer = NULL;
        size_t n;
        const struct bfq_verdict *verdicts = source_bfq_get(m->source_bfq, now, &n);
        int r = bus_begin_list(call, &answer);

        for (size_t i = 0; r >= 0 && i < n; i++)
                r = append_verdict(answer, m, &verdicts[i], now);
        return bus_send_list(answer, r);
}

int bus_get_kernel_verdicts(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        uint32_t seconds;
        int r = bus_read_again(call, "u", &seconds);
        if (r < 0)
                return r;
        if (seconds == 0 || seconds > SECONDS_MAX)
                return sd_bus_error_setf(error, BRIO_ERROR_INVALID_ARGUMENT, "%u is not a time: 1 to %u seconds", seconds, SECONDS_MAX);
        r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_RECORD, bus_get_kernel_verdicts, userdata, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        r = manager_want_kernel_verdicts(b->manager, seconds * (nsec_t) NSEC_PER_SEC);
        if (r == -ENODEV)
                return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND, "no drive has the scheduler bfq");
        if (r == -EBUSY)
                return sd_bus_error_setf(error, BRIO_ERROR_FAILED, "%s", bfq_obstacle_to_sentence(BFQ_SESSION_IN_USE));
        if (r < 0)
                return sd_bus_error_setf(error, BRIO_ERROR_FAILED, "bfq's verdicts cannot be heard; brioctl probe says why, under \"bfq\"");
        return reply(call, b->manager);
}
