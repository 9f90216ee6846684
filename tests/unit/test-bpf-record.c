/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "bpf-record.h"
#include "bpf/record.h"
#include "str.h"
#include "test.h"

static struct event e, name;

static struct bpf_record_queue queue_record(void) {
        return (struct bpf_record_queue){
                .record = { .t = 7 * NSEC_PER_SEC, .sector = 1000, .dev = DEV_NUMBER(8, 16), .sectors = 8, .tgid = 42, .kind = BPF_RECORD_QUEUE, .op = 1 },
                .start_ns = 123 * NSEC_PER_SEC / 100 + 1,
                .name = "fifteen-letters",
        };
}

TEST(a_queue_says_whose_it_is) {
        struct bpf_record_queue q = queue_record();

        CHECK_INT(bpf_record_parse(&q, sizeof(q), &e, &name), 1);
        CHECK_INT(e.kind, EVENT_REQUEST_QUEUE);
        CHECK_INT(e.t, 7 * NSEC_PER_SEC);
        CHECK_INT(e.dev, DEV_NUMBER(8, 16));
        CHECK_INT(e.tgid, 42);
        CHECK_INT(e.request.sector, 1000);
        CHECK_INT(e.request.sectors, 8);
        CHECK_INT(e.request.op, REQUEST_WRITE);
        CHECK_INT(name.kind, EVENT_PROCESS_NAME);
        CHECK_INT(name.tgid, 42);
        CHECK_INT(name.t, e.t);
        CHECK_INT(name.process_name.start_ticks, 123);
        CHECK_STR(name.process_name.name, "fifteen-letters");
}

TEST(each_kind_is_its_event_and_of_no_process_but_a_queue) {
        static const struct {
                enum bpf_record_kind kind;
                enum event_kind event;
        } kinds[] = {
                { BPF_RECORD_SPLIT, EVENT_REQUEST_SPLIT },
                { BPF_RECORD_ISSUE, EVENT_REQUEST_ISSUE },
                { BPF_RECORD_REQUEUE, EVENT_REQUEST_REQUEUE },
                { BPF_RECORD_COMPLETE, EVENT_REQUEST_COMPLETE },
        };

        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
                struct bpf_record r = { .dev = 1, .sectors = 1, .kind = (uint8_t) kinds[i].kind };
                CHECK_INT(bpf_record_parse(&r, sizeof(r), &e, &name), 1);
                CHECK_INT(e.kind, kinds[i].event);
                CHECK_INT(e.tgid, 0);
                CHECK_INT(name.tgid, 0);
        }
}

TEST(a_completion_that_was_found_out_later_says_so) {
        struct bpf_record r = { .dev = 1, .sectors = 1, .kind = BPF_RECORD_COMPLETE };

        CHECK_INT(bpf_record_parse(&r, sizeof(r), &e, &name), 1);
        CHECK_INT(e.flags, 0);
        r.unseen = 1;
        CHECK_INT(bpf_record_parse(&r, sizeof(r), &e, &name), 1);
        CHECK_INT(e.flags, EVENT_UNSEEN);
}

TEST(only_what_moves_or_frees_data_is_told) {
        static const int ops[] = { REQUEST_READ, REQUEST_WRITE, -1, REQUEST_DISCARD, -1, REQUEST_DISCARD, -1, -1, -1, -1 };

        for (size_t i = 0; i < 256; i++) {
                struct bpf_record r = { .dev = 1, .sectors = 1, .kind = BPF_RECORD_ISSUE, .op = (uint8_t) i };
                bool told = i < ARRAY_SIZE(ops) && ops[i] >= 0;
                CHECK_INT(bpf_record_parse(&r, sizeof(r), &e, &name), told);
                if (told)
                        CHECK_INT(e.request.op, ops[i]);
                r.sectors = 0;
                CHECK_INT(bpf_record_parse(&r, sizeof(r), &e, &name), 0);
        }
}

TEST(what_is_no_record_is_refused) {
        struct bpf_record_queue q = queue_record();

        for (size_t size = 0; size < sizeof(q); size++)
                CHECK_INT(bpf_record_parse(&q, size, &e, &name), -EBADMSG);
        q.record.kind = BPF_RECORD_ISSUE; /* that says whose it is */
        CHECK_INT(bpf_record_parse(&q, sizeof(q), &e, &name), -EBADMSG);
        q.record.kind = _BPF_RECORD_KIND_MAX;
        CHECK_INT(bpf_record_parse(&q, sizeof(q.record), &e, &name), -EBADMSG);
        q.record.kind = UINT8_MAX;
        CHECK_INT(bpf_record_parse(&q, sizeof(q), &e, &name), -EBADMSG);
}

TEST(a_name_without_an_end_is_cut) {
        struct bpf_record_queue q = queue_record();

        memset(q.name, 'x', sizeof(q.name));
        CHECK_INT(bpf_record_parse(&q, sizeof(q), &e, &name), 1);
        CHECK_STR(name.process_name.name, "xxxxxxxxxxxxxxx");
}

TEST(a_name_that_is_no_text_is_made_text) {
        struct bpf_record_queue q = queue_record();

        str_copy(q.name, sizeof(q.name), "a\xff\x1b[31m");
        CHECK_INT(bpf_record_parse(&q, sizeof(q), &e, &name), 1);
        CHECK_STR(name.process_name.name, "a\\xff\\x1b[31m");
}

TEST(what_is_behind_a_names_end_makes_no_other_name) {
        static struct process_names names;
        struct bpf_record_queue q = queue_record();

        str_copy(q.name, sizeof(q.name), "cp");
        CHECK_INT(bpf_record_parse(&q, sizeof(q), &e, &name), 1);
        CHECK(process_names_is_new(&names, &name));
        q.name[3] = 'x';
        CHECK_INT(bpf_record_parse(&q, sizeof(q), &e, &name), 1);
        CHECK(!process_names_is_new(&names, &name));
}

TEST(a_name_is_told_once_until_it_changes_or_may_be_forgotten) {
        static struct process_names names;
        struct event n = { .t = NSEC_PER_SEC, .kind = EVENT_PROCESS_NAME, .tgid = 42, .process_name = { .start_ticks = 5, .name = "cp" } };

        CHECK(process_names_is_new(&names, &n));
        CHECK(!process_names_is_new(&names, &n));
        n.t += PROCESS_NAMES_TOLD_NS;
        CHECK(!process_names_is_new(&names, &n));
        n.t++;
        CHECK(process_names_is_new(&names, &n));
        str_copy(n.process_name.name, EVENT_NAME_MAX, "mv"); /* exec() */
        CHECK(process_names_is_new(&names, &n));
        n.process_name.start_ticks = 6; /* the number is another's now */
        CHECK(process_names_is_new(&names, &n));
        CHECK(!process_names_is_new(&names, &n));
        n.tgid += PROCESS_NAMES_PLACES; /* shares the place */
        CHECK(process_names_is_new(&names, &n));
        n.tgid = 0; /* a kernel thread */
        CHECK(!process_names_is_new(&names, &n));
}
