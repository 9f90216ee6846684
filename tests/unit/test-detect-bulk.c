/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "detection.h"
#include "model.h"
#include "test.h"
#include "told.h"

#define MIB (1024u * 1024)

static struct process_view *one(uint64_t bytes, uint32_t seconds) {
        struct process_view *p;

        begin_drive()->moved[REQUEST_READ].bytes = 1u << 30;
        p = add_process(10, "cp");
        p->moved[REQUEST_READ].bytes = bytes;
        p->moved[REQUEST_READ].active_s = seconds;
        return p;
}

TEST(a_copy_is_bulk_and_says_how_much_it_moved) {
        const struct verdict *v;

        one(640u * MIB, 8);
        v = find_about(VERDICT_BULK, 10);
        CHECK(v);
        CHECK_STR(told(v->sentence), "cp has moved 671 MB in the last 8 seconds, without a pause");
        CHECK_INT(v->severity, 625);
        CHECK_INT(v->confidence, 1000);
        CHECK_INT(v->culprit.tgid, 0);
        CHECK_STR(v->subject.name, "cp");
}

TEST(a_player_at_bfqs_highest_rate_is_not_bulk) {
        one(8u * 3584000, 8);
        CHECK(!find_about(VERDICT_BULK, 10));
}

TEST(a_program_that_loads_for_four_seconds_is_not_bulk) {
        one(400u * MIB, 4);
        CHECK(!find_about(VERDICT_BULK, 10));
}

TEST(an_application_that_starts_is_not_bulk_however_much_it_reads) {
        one(640u * MIB, 8)->starts = true;
        CHECK(!find_about(VERDICT_BULK, 10));
        snapshot.processes[0].starts = false;
        CHECK(find_about(VERDICT_BULK, 10));
}

DEFINE_TRIVIAL_CLEANUP_FUNC(struct model *, model_free)

TEST(a_process_of_an_application_that_was_launched_is_known_to_start) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct event e = { .t = 10 * SEC, .kind = EVENT_PROCESS_EXEC, .flags = EVENT_LAUNCHED, .dev = 1, .tgid = 10 };

        e.process_exec = (struct event_process_exec){ .start_ticks = 7, .parent = 1, .session = 1, .job = 10, .name = "office" };
        model_feed(m, &e);
        for (int32_t tgid = 10; tgid <= 11; tgid++) { /* another one beside it */
                e = (struct event){ .t = 11 * SEC, .kind = EVENT_PROCESS_IO, .dev = 1, .tgid = tgid };
                e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 64u * MIB };
                model_feed(m, &e);
        }
        model_snapshot(m, 11 * SEC, &snapshot);
        CHECK_INT(snapshot.n_startups, 1);
        CHECK_INT(snapshot.n_processes, 2);
        for (size_t i = 0; i < 2; i++)
                CHECK(snapshot.processes[i].starts == (snapshot.processes[i].tgid == 10));
}

TEST(one_great_piece_is_not_bulk) {
        one(2000u * MIB, 1);
        CHECK(!find_about(VERDICT_BULK, 10));
}

/* A film of 12 MB/s that ten writers made wait moved 43 of 1300 MB, showed no rhythm, and stepped back; under bfq alone none of its frames was late. */
TEST(what_moves_less_than_a_sixteenth_of_what_the_drive_does_is_not_bulk_and_ends_to_be_at_half_of_that) {
        struct process_view *p = one(64u * MIB - 1, 8);

        CHECK(!find_about(VERDICT_BULK, 10));
        p->moved[REQUEST_READ].bytes++;
        CHECK(find_about(VERDICT_BULK, 10));
        snapshot.now += SEC;
        p->moved[REQUEST_READ].bytes = 32u * MIB;
        CHECK(find_about(VERDICT_BULK, 10));
        snapshot.now += SEC;
        p->moved[REQUEST_READ].bytes--;
        CHECK(!find_about(VERDICT_BULK, 10));
}

/* Of five readers at level 7 beside a film, one had 30 of 1040 MB: with its own priority back it made the others wait until it stepped back again. */
TEST(what_lets_others_go_first_goes_on_to_be_bulk_however_small_a_part_they_leave) {
        struct process_view *p = one(64u * MIB, 8);

        CHECK(find_about(VERDICT_BULK, 10));
        snapshot.now += SEC;
        p->io_class = IO_CLASS_BEST_EFFORT;
        p->io_level = 7;
        p->moved[REQUEST_READ].bytes = 16u * MIB;
        CHECK(find_about(VERDICT_BULK, 10));
        snapshot.now += SEC;
        p->moved[REQUEST_READ].bytes--;
        CHECK(!find_about(VERDICT_BULK, 10));
}

TEST(bulk_ends_at_half_its_rate_or_with_longer_pauses) {
        struct process_view *p = one(40u * MIB, 5);

        snapshot.devices[0].moved[REQUEST_READ].bytes = 256u * MIB;
        CHECK(find_about(VERDICT_BULK, 10));
        snapshot.now += SEC;
        p->moved[REQUEST_READ].bytes = 16u * MIB;
        p->moved[REQUEST_READ].active_s = 3;
        CHECK(find_about(VERDICT_BULK, 10));
        CHECK_INT(find_about(VERDICT_BULK, 10)->since, 100 * SEC);
        p->moved[REQUEST_READ].active_s = 2;
        CHECK(!find_about(VERDICT_BULK, 10));
        p->moved[REQUEST_READ].active_s = 3;
        CHECK(!find_about(VERDICT_BULK, 10)); /* it is not found anew */
}

TEST(each_of_several_is_found_the_greatest_first) {
        size_t n, bulk = 0;

        one(80u * MIB, 8);
        add_process(11, "tar")->moved[REQUEST_READ].bytes = 120u * MIB;
        snapshot.processes[1].moved[REQUEST_READ].active_s = 8;
        add_process(12, "dd")->moved[REQUEST_READ].bytes = 900u * MIB;
        snapshot.processes[2].moved[REQUEST_READ].active_s = 8;
        snapshot.processes[2].dev = 2; /* elsewhere */
        n = detectors_run(&detectors, &snapshot, verdicts);
        for (size_t i = 0; i < n; i++)
                bulk += verdicts[i].kind == VERDICT_BULK;
        CHECK_INT(bulk, 2);
        CHECK_INT(verdicts[0].subject.tgid, 11);
        CHECK_INT(verdicts[0].severity, 117);
        CHECK_INT(verdicts[1].subject.tgid, 10);
}

TEST(a_process_that_moved_more_than_the_drive_moved_it_elsewhere) {
        struct process_view *p = one(640u * MIB, 8);

        snapshot.devices[0].moved[REQUEST_READ].bytes = 20u * MIB;
        CHECK(!find_about(VERDICT_BULK, 10));
        p->moved[REQUEST_WRITE] = (struct moved){ 640u * MIB, 8 };
        CHECK(!find_about(VERDICT_BULK, 10)); /* nothing was written there */
        snapshot.devices[0].moved[REQUEST_WRITE].bytes = 12u * MIB;
        CHECK_INT(verdict_evidence(find_about(VERDICT_BULK, 10), "moved", 0), 32u * MIB);
}

TEST(a_drive_that_is_inferred_lowers_the_confidence) {
        one(640u * MIB, 8)->flags = EVENT_INFERRED;
        CHECK_INT(find_about(VERDICT_BULK, 10)->confidence, 700);
}

/* Reads so much in each sample of 250 ms, and is in state D in so many of four of them; from the tenth second on. The drive reads or writes much. */
static void move_beside(struct model *m, nsec_t from, nsec_t until, uint32_t bytes, unsigned waits_of_four, bool writes) {
        for (nsec_t t = from; t < until; t += SEC / 4) {
                struct event stat = { .t = t, .kind = EVENT_DEVICE_STAT, .dev = 1 }, io = { .t = t, .kind = EVENT_PROCESS_IO, .dev = 1, .tgid = 10 };
                bool waits = t / (SEC / 4) % 4 < waits_of_four;
                stat.device_stat = (struct event_device_stat){ .span_us = 250000, .reads = 40, .read_sectors = 1u << (writes ? 14 : 16), .read_ms = 100, .busy_ms = 250 };
                if (writes)
                        stat.device_stat.writes = 100, stat.device_stat.write_sectors = 1u << 16;
                model_feed(m, &stat);
                io.flags = waits ? EVENT_WAITING : 0;
                io.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = bytes };
                model_feed(m, &io);
                model_snapshot(m, t, &snapshot);
        }
}

static void move(struct model *m, nsec_t from, nsec_t until, uint32_t bytes, unsigned waits_of_four) {
        move_beside(m, from, until, bytes, waits_of_four, false);
}

static bool found_as_bulk(void) {
        detectors = (struct detectors){ 0 };
        return find_about(VERDICT_BULK, 10);
}

TEST(a_process_with_a_pace_of_its_own_is_not_bulk_however_much_it_moves_and_one_that_moves_what_it_gets_is) {
        static const struct {
                uint32_t bytes; /* a quarter of a second */
                unsigned waits_of_four;
                bool bulk;
        } vectors[] = { { 3 * MIB, 1, false }, { 6 * MIB, 0, false }, { 9 * MIB, 2, false }, { 3 * MIB, 4, true }, { 12 * MIB, 1, true } };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
                for (nsec_t s = 4; s <= 12; s += 2) {
                        _cleanup_(model_freep) struct model *m = model_new();
                        move(m, 10 * SEC, (10 + s) * SEC, vectors[i].bytes, vectors[i].waits_of_four);
                        CHECK_INT(found_as_bulk(), vectors[i].bulk && s > 4);
                }
}

TEST(a_process_that_keeps_its_pace_is_not_bulk_while_others_make_it_wait_and_is_once_it_moves_more) {
        _cleanup_(model_freep) struct model *m = model_new();

        move(m, 10 * SEC, 20 * SEC, 3 * MIB, 0);
        CHECK(!found_as_bulk());
        move(m, 20 * SEC, 40 * SEC, 2 * MIB, 4);
        CHECK(!found_as_bulk());
        move(m, 40 * SEC, 50 * SEC, 8 * MIB, 4);
        CHECK(found_as_bulk());
}

/* A film of 12 MB/s beside ten writers waited for nearly all of its time, was called bulk, and then stood still for 5 s. */
TEST(a_reader_is_not_bulk_for_waiting_behind_what_others_write_up_to_the_rate_of_a_stream_however_uneven_that_is) {
        for (unsigned writes = 0; writes <= 1; writes++)
                for (unsigned fast = 0; fast <= 1; fast++) {
                        _cleanup_(model_freep) struct model *m = model_new();
                        move_beside(m, 10 * SEC, 20 * SEC, fast ? 12 * MIB : 3 * MIB, 4, writes);
                        CHECK_INT(found_as_bulk(), fast || !writes);
                }
        for (unsigned writes = 0; writes <= 1; writes++) {
                _cleanup_(model_freep) struct model *m = model_new();
                for (unsigned s = 10; s < 20; s++)
                        move_beside(m, s * SEC, (s + 1) * SEC, s >= 17 ? 6 * MIB : 2 * MIB, 4, writes);
                CHECK_INT(found_as_bulk(), !writes);
        }
}

TEST(a_stream_is_not_bulk_and_what_a_slow_network_paces_is) {
        struct process_view *p = one(100u * MIB, 8);

        snapshot.n_streams = 1;
        snapshot.streams[0] = (struct stream_view){ .state = STREAM_IS, .dev = 1, .tgid = 10 };
        CHECK(!find_about(VERDICT_BULK, 10));
        snapshot.streams[0].state = STREAM_NEAR_MISS;
        snapshot.streams[0].figures.flaw = RHYTHM_STARVES;
        CHECK(!find_about(VERDICT_BULK, 10));
        snapshot.streams[0].figures.flaw = RHYTHM_IRREGULAR;
        CHECK(find_about(VERDICT_BULK, 10));
        p->paced = true;
        CHECK(!find_about(VERDICT_BULK, 10));
        snapshot.streams[0].dev = p->dev;
        snapshot.streams[0].figures.flaw = RHYTHM_FOLLOWS;
        CHECK(find_about(VERDICT_BULK, 10));
}
