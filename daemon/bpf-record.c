/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "bpf/record.h"
#include "bpf-record.h"
#include "str.h"

/* The kernel's unit of a process's start in /proc/PID/stat: USER_HZ is 100 wherever it compiles BPF programs. */
#define TICK_NS (NSEC_PER_SEC / 100)

_Static_assert(BPF_NAME_MAX == EVENT_NAME_MAX, "the kernel's names fit");

/* enum req_op of the kernel, include/linux/blk_types.h */
static enum request_op request_op(uint8_t kernel) {
        static const uint8_t ops[] = { [0] = REQUEST_READ, [1] = REQUEST_WRITE, [2] = REQUEST_FLUSH, [3] = REQUEST_DISCARD,
                                       [4] = _REQUEST_OP_MAX, [5] = REQUEST_DISCARD };

        return kernel < sizeof(ops) ? ops[kernel] : _REQUEST_OP_MAX;
}

struct event bpf_record_name(nsec_t t, int32_t tgid, uint64_t start_ns, const char name[static EVENT_NAME_MAX]) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_NAME, .tgid = tgid };

        e.process_name.start_ticks = start_ns / TICK_NS;
        memcpy(e.process_name.name, name, strnlen(name, EVENT_NAME_MAX - 1)); /* behind its end is what the buffer had before */
        str_make_text(e.process_name.name, sizeof(e.process_name.name)); /* each process names itself as it likes, and the bus takes nothing but text */
        return e;
}

int bpf_record_parse(const void *data, size_t size, struct event *ret, struct event *ret_name) {
        static const uint16_t kinds[_BPF_RECORD_KIND_MAX] = {
                [BPF_RECORD_QUEUE] = EVENT_REQUEST_QUEUE,
                [BPF_RECORD_SPLIT] = EVENT_REQUEST_SPLIT,
                [BPF_RECORD_ISSUE] = EVENT_REQUEST_ISSUE,
                [BPF_RECORD_REQUEUE] = EVENT_REQUEST_REQUEUE,
                [BPF_RECORD_COMPLETE] = EVENT_REQUEST_COMPLETE,
        };
        struct bpf_record_queue q = { 0 };
        enum request_op op;

        if (size != sizeof(q) && size != sizeof(q.record))
                return -EBADMSG;
        memcpy(&q, data, size);
        if (q.record.kind >= _BPF_RECORD_KIND_MAX || (q.record.kind == BPF_RECORD_QUEUE) != (size == sizeof(q)))
                return -EBADMSG;
        op = request_op(q.record.op);
        if (op == _REQUEST_OP_MAX || op == REQUEST_FLUSH || q.record.sectors == 0)
                return 0;
        *ret = (struct event){ .t = q.record.t, .kind = kinds[q.record.kind], .dev = q.record.dev, .tgid = q.record.tgid };
        if (q.record.unseen)
                ret->flags = EVENT_UNSEEN;
        ret->request = (struct event_request){ .sector = q.record.sector, .sectors = q.record.sectors, .op = (uint8_t) op };
        *ret_name = bpf_record_name(q.record.t, q.record.tgid, q.start_ns, q.name);
        return 1;
}

bool process_names_is_new(struct process_names *n, const struct event *name) {
        struct event *told = &n->places[(uint32_t) name->tgid & (PROCESS_NAMES_PLACES - 1)];

        if (name->tgid <= 0)
                return false;
        if (told->tgid == name->tgid && nsec_sub(name->t, told->t) <= PROCESS_NAMES_TOLD_NS &&
            told->process_name.start_ticks == name->process_name.start_ticks &&
            memcmp(told->process_name.name, name->process_name.name, EVENT_NAME_MAX) == 0)
                return false;
        *told = *name;
        return true;
}
