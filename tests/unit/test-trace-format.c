/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "test.h"
#include "trace-format.h"
#include "trace-formats.h"

#define COMMON                                                                       \
        "format:\n"                                                                  \
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"       \
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"       \
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define PLACE                                                             \
        "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"             \
        "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"      \
        "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
#define RWBS(size, offset) "\tfield:char rwbs[" #size "];\toffset:" #offset ";\tsize:" #size ";\tsigned:0;\n"
#define PRINT "\nprint fmt: \"%d,%d %s\", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1))), REC->rwbs\n"

#define HEADER_PAGE                                                  \
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"   \
        "\tfield: local_t commit;\toffset:8;\tsize:%d;\tsigned:1;\n" \
        "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"   \
        "\tfield: char data;\toffset:%d;\tsize:4080;\tsigned:0;\n"

static const char *const linux_6_18[_TRACE_KIND_MAX] = {
        [TRACE_BIO_QUEUE] = "name: block_bio_queue\nID: 2097\n" COMMON PLACE RWBS(10, 28)
                "\tfield:char comm[16];\toffset:38;\tsize:16;\tsigned:0;\n" PRINT,
        [TRACE_SPLIT] = "name: block_split\nID: 2092\n" COMMON
                "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
                "\tfield:sector_t new_sector;\toffset:24;\tsize:8;\tsigned:0;\n" RWBS(10, 32) PRINT,
        [TRACE_RQ_ISSUE] = "name: block_rq_issue\nID: 2104\n" COMMON PLACE
                "\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;\n\tfield:unsigned short ioprio;\toffset:32;\tsize:2;\tsigned:0;\n"
                RWBS(10, 34) "\tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;\n" PRINT,
        [TRACE_RQ_REQUEUE] = "name: block_rq_requeue\nID: 2108\n" COMMON PLACE RWBS(10, 30) PRINT,
        [TRACE_RQ_COMPLETE] = "name: block_rq_complete\nID: 2107\n" COMMON PLACE
                "\tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n" RWBS(10, 34) PRINT,
};

TEST(the_format_of_linux_6_18_is_read) {
        struct trace_format_parser *p;
        struct trace_formats formats;
        char header[512];

        snprintf(header, sizeof(header), HEADER_PAGE, 8, 16);
        p = trace_format_parser_new(header, &formats);
        for (int k = 0; k < _TRACE_KIND_MAX; k++)
                CHECK_INT(trace_format_parse(p, (enum trace_kind) k, linux_6_18[k]), 0);
        trace_format_parser_free(p);
        CHECK_INT(formats.commit_bytes, 8);
        CHECK(memcmp(&formats.pid, &trace_formats_6_18.pid, sizeof(formats.pid)) == 0);
        for (int k = 0; k < _TRACE_KIND_MAX; k++) {
                const struct trace_format *f = &formats.formats[k], *expected = &trace_formats_6_18.formats[k];
                CHECK(f->known);
                CHECK_INT(f->id, expected->id);
                CHECK_INT(f->sector.offset, expected->sector.offset);
                CHECK_INT(f->sectors.offset, expected->sectors.offset);
                CHECK_INT(f->sectors.size, expected->sectors.size);
                CHECK_INT(f->rwbs.offset, expected->rwbs.offset);
                CHECK_INT(f->rwbs.size, expected->rwbs.size);
        }
}

/* Linux 6.1: eight letters, and no ioprio before them; a header of a 32-bit machine. */
TEST(older_layouts_are_read) {
        struct trace_formats formats;
        struct trace_format_parser *p;
        char header[512];

        snprintf(header, sizeof(header), HEADER_PAGE, 4, 12);
        p = trace_format_parser_new(header, &formats);
        CHECK_INT(trace_format_parse(p, TRACE_RQ_COMPLETE, "name: block_rq_complete\nID: 1207\n" COMMON PLACE
                                     "\tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n" RWBS(8, 32) PRINT), 0);
        trace_format_parser_free(p);
        CHECK_INT(formats.commit_bytes, 4);
        CHECK_INT(formats.formats[TRACE_RQ_COMPLETE].id, 1207);
        CHECK_INT(formats.formats[TRACE_RQ_COMPLETE].rwbs.offset, 32);
        CHECK_INT(formats.formats[TRACE_RQ_COMPLETE].rwbs.size, 8);
        CHECK(!formats.formats[TRACE_BIO_QUEUE].known);
}

TEST(what_lacks_a_field_or_makes_no_sense_is_refused) {
        struct trace_formats formats;
        struct trace_format_parser *p = trace_format_parser_new(NULL, &formats);

        CHECK_INT(formats.commit_bytes, sizeof(long));
        CHECK_INT(trace_format_parse(p, TRACE_RQ_ISSUE, ""), -EBADMSG);
        CHECK_INT(trace_format_parse(p, TRACE_RQ_ISSUE, "name: block_rq_issue\nID: 5\n" COMMON PLACE PRINT), -EBADMSG);
        CHECK_INT(trace_format_parse(p, TRACE_RQ_ISSUE, linux_6_18[TRACE_RQ_COMPLETE]), -EBADMSG);
        CHECK(!formats.formats[TRACE_RQ_ISSUE].known);
        trace_format_parser_free(p);
}

TEST(fields_of_any_event_are_found_and_those_that_it_lacks_are_empty) {
        static const char text[] = "name: mm_filemap_add_to_page_cache\nID: 520\n" COMMON
                "\tfield:unsigned long pfn;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:unsigned long i_ino;\toffset:16;\tsize:8;\tsigned:0;\n"
                "\nprint fmt: \"%lu\", REC->i_ino\n";
        struct trace_field ino = { 0 }, pid = { 0 }, order = { 1, 1 };
        const struct trace_wanted wanted[] = { { "i_ino", 4, &ino }, { "common_pid", 4, &pid }, { "order", 1, &order } };
        struct trace_formats formats;
        struct trace_format_parser *p = trace_format_parser_new(NULL, &formats);

        CHECK_INT(trace_format_find(p, "filemap", "mm_filemap_add_to_page_cache", text, wanted, ARRAY_SIZE(wanted)), 520);
        CHECK_INT(ino.offset, 16);
        CHECK_INT(ino.size, 8);
        CHECK_INT(pid.offset, 4);
        CHECK_INT(order.size, 0);
        CHECK_INT(trace_format_find(p, "filemap", "mm_filemap_add_to_page_cache", "", wanted, ARRAY_SIZE(wanted)), -EBADMSG);
        trace_format_parser_free(p);
}
