/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "test.h"
#include "trace-formats.h"

#define DEV DEV_NUMBER(7, 1)

static uint8_t bytes[64];

/* A record with the fields that all of ours have at the same place. */
static void record(uint16_t id, int32_t tid, uint64_t sector, uint32_t sectors, size_t rwbs_at, const char *rwbs) {
        uint32_t dev = DEV;

        memset(bytes, 0, sizeof(bytes));
        memcpy(bytes, &id, sizeof(id));
        memcpy(bytes + 4, &tid, sizeof(tid));
        memcpy(bytes + 8, &dev, sizeof(dev));
        memcpy(bytes + 16, &sector, sizeof(sector));
        memcpy(bytes + 24, &sectors, sizeof(sectors));
        memcpy(bytes + rwbs_at, rwbs, strlen(rwbs));
}

TEST(the_letters_say_what_is_done) {
        static const struct {
                const char *rwbs;
                enum request_op op;
        } cases[] = {
                { "R", REQUEST_READ }, { "RA", REQUEST_READ }, { "RM", REQUEST_READ }, { "W", REQUEST_WRITE }, { "WS", REQUEST_WRITE },
                { "WFS", REQUEST_WRITE }, { "FW", REQUEST_WRITE }, { "FWFS", REQUEST_WRITE }, { "D", REQUEST_DISCARD },
                { "DE", REQUEST_DISCARD }, { "F", REQUEST_FLUSH }, { "FF", REQUEST_FLUSH }, { "FS", REQUEST_FLUSH }, { "N", _REQUEST_OP_MAX },
                { "", _REQUEST_OP_MAX }, { "\xff", _REQUEST_OP_MAX },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                CHECK_INT(trace_record_op(cases[i].rwbs, strlen(cases[i].rwbs)), cases[i].op);
}

TEST(fields_are_found_where_the_kernel_says_they_are) {
        struct trace_record r;

        record(ID_BIO_QUEUE, 1234, 1ULL << 40, 8, 28, "WS");
        CHECK_INT(trace_record_parse(&trace_formats_6_18, bytes, sizeof(bytes), &r), 1);
        CHECK_INT(r.kind, TRACE_BIO_QUEUE);
        CHECK_INT(r.tid, 1234);
        CHECK_INT(r.dev, DEV);
        CHECK(r.request.sector == 1ULL << 40);
        CHECK_INT(r.request.sectors, 8);
        CHECK_INT(r.request.op, REQUEST_WRITE);
        record(ID_RQ_COMPLETE, 0, 5, 16, 34, "R");
        CHECK_INT(trace_record_parse(&trace_formats_6_18, bytes, sizeof(bytes), &r), 1);
        CHECK_INT(r.kind, TRACE_RQ_COMPLETE);
}

TEST(each_kind_of_record_is_one_kind_of_event) {
        uint32_t seen = 0;

        for (int k = 0; k < _TRACE_KIND_MAX; k++) {
                CHECK(strncmp(trace_kind_to_string((enum trace_kind) k), "block_", strlen("block_")) == 0);
                seen |= 1u << trace_kind_to_event((enum trace_kind) k);
        }
        CHECK_INT(__builtin_popcount(seen), _TRACE_KIND_MAX);
        CHECK_INT(trace_kind_to_event(TRACE_BIO_QUEUE), EVENT_REQUEST_QUEUE);
        CHECK_INT(trace_kind_to_event(TRACE_RQ_COMPLETE), EVENT_REQUEST_COMPLETE);
}

TEST(a_split_tells_the_length_of_its_front) {
        struct trace_record r;
        uint64_t behind = 1000 + 128;

        record(ID_SPLIT, 1, 1000, 0, 32, "R");
        memcpy(bytes + 24, &behind, sizeof(behind));
        CHECK_INT(trace_record_parse(&trace_formats_6_18, bytes, sizeof(bytes), &r), 1);
        CHECK_INT(r.kind, TRACE_SPLIT);
        CHECK_INT(r.request.sectors, 128);
}

TEST(flushes_and_others_events_are_passed_over) {
        struct trace_record r;

        record(ID_RQ_COMPLETE, 0, 0, 0, 34, "FF");
        CHECK_INT(trace_record_parse(&trace_formats_6_18, bytes, sizeof(bytes), &r), 0);
        record(ID_RQ_COMPLETE, 0, UINT64_MAX, 0, 34, "W"); /* failed before it had a place */
        CHECK_INT(trace_record_parse(&trace_formats_6_18, bytes, sizeof(bytes), &r), 0);
        record(9999, 0, 0, 8, 34, "R");
        CHECK_INT(trace_record_parse(&trace_formats_6_18, bytes, sizeof(bytes), &r), 0);
}

TEST(a_record_that_is_too_short_is_refused) {
        struct trace_record r;

        record(ID_RQ_ISSUE, 1, 1000, 8, 34, "R");
        for (size_t size = 0; size < 44; size++)
                CHECK_INT(trace_record_parse(&trace_formats_6_18, bytes, size, &r), -EBADMSG);
        CHECK_INT(trace_record_parse(&trace_formats_6_18, bytes, 44, &r), 1);
}
