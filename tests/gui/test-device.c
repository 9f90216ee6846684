/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <gio/gio.h>
#include <malloc.h>
#include <math.h>

#include "decision-marks.h"
#include "detector.h"
#include "object-device.h"
#include "object-tunable.h"
#include "words.h"

static int notified;

static void count(void) {
        notified++;
}

static GVariant *properties(const char *text) {
        GVariant *v = g_variant_parse(G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL);

        return g_variant_ref_sink(v);
}

static void update(BrioDevice *device, const char *text) {
        g_autoptr(GVariant) v = properties(text);

        brio_device_update(device, v);
}

static BrioDevice *new_device(void) {
        BrioDevice *device = brio_device_new("/org/brio/Brio1/device/sda");

        update(device, "{'Name': <'sda'>, 'Scheduler': <'bfq'>, "
                       "'Tunables': <{'b': ('1', '', '1', 'kernel'), 'a': ('2', '', '2', 'kernel')}>}");
        notified = 0;
        g_signal_connect(device, "notify", count, NULL);
        return device;
}

TEST(properties_notify_only_when_they_change) {
        g_autoptr(BrioDevice) device = new_device();

        update(device, "{'Name': <'sda'>, 'Scheduler': <'bfq'>}");
        CHECK_INT(notified, 0);
        update(device, "{'Scheduler': <'none'>}");
        CHECK_INT(notified, 1);
        CHECK_STR(brio_device_get_scheduler(device), "none");
        CHECK_STR(brio_device_get_name(device), "sda");
}

TEST(unknown_names_and_wrong_types_are_passed_over) {
        g_autoptr(BrioDevice) device = new_device();

        update(device, "{'Name': <7>, 'Scheduler': <['bfq']>, 'Tunables': <{'a': 'b'}>, 'Colour': <'red'>}");
        CHECK_INT(notified, 0);
        CHECK_STR(brio_device_get_name(device), "sda");
        CHECK_INT(g_list_model_get_n_items(brio_device_get_tunables(device)), 2);
}

TEST(tunables_merge_by_name_and_keep_their_objects) {
        g_autoptr(BrioDevice) device = new_device();
        GListModel *list = brio_device_get_tunables(device);
        g_autoptr(BrioTunable) b = g_list_model_get_item(list, 1);
        g_autoptr(BrioTunable) first = NULL;
        int changes;

        CHECK_STR(brio_tunable_get_name(b), "b");
        g_signal_connect(list, "items-changed", G_CALLBACK(count), NULL);
        g_signal_connect(b, "notify", count, NULL);
        update(device, "{'Tunables': <{'a': ('2', '', '2', 'kernel'), 'b': ('1', '', '1', 'kernel')}>}");
        CHECK_INT(notified, 0);
        update(device, "{'Tunables': <{'a': ('2', '', '2', 'kernel'), 'b': ('1', '9', '9', 'brio')}>}");
        CHECK_INT(notified, 3); /* wanted, current, owner; the list is the same */
        CHECK_STR(brio_tunable_get_current(b), "9");
        changes = notified;
        update(device, "{'Tunables': <{'b': ('1', '9', '9', 'brio'), 'c': ('', '', '', '')}>}");
        CHECK_INT(notified - changes, 2); /* a went, c came */
        first = g_list_model_get_item(list, 0);
        CHECK(first == b);
}

static gboolean add(BrioDevice *device, int64_t t_us, uint32_t read_us, uint32_t iops) {
        struct brio_sample s = { .t_ns = (uint64_t) t_us * 1000, .read_latency_us = read_us, .read_iops = iops };

        return brio_device_add_sample(device, &s, 100000000);
}

TEST(samples_of_another_time_are_refused) {
        g_autoptr(BrioDevice) device = new_device();

        CHECK(add(device, 100000000, 5, 1));
        CHECK(!add(device, 100000000, 5, 1));
        CHECK(!add(device, 99000000, 5, 1));
        CHECK(!add(device, 200000000, 5, 1));
        CHECK(!add(device, INT64_MAX / 1000, 5, 1));
        CHECK_INT(series_count(history_samples(brio_device_get_history(device))), 1);
}

TEST(recent_latency_is_weighted_by_requests) {
        g_autoptr(BrioDevice) device = new_device();
        struct response_facts recent;

        brio_device_get_recent(device, &recent);
        CHECK(recent.read_mean_us == 0 && recent.write_mean_us == 0);
        add(device, 90000000, 900000, 1); /* too long ago */
        add(device, 99000000, 1000, 30);
        add(device, 99500000, 5000, 10);
        add(device, 100000000, 0, 0); /* nothing completed */
        brio_device_get_recent(device, &recent);
        CHECK_INT(recent.read_mean_us, 2000);
        CHECK_INT(recent.write_mean_us, 0);
        CHECK(isnan(series_value(history_samples(brio_device_get_history(device)), BRIO_CHANNEL_READ_MEAN_US, 3)));
        brio_device_end_samples(device);
        brio_device_get_recent(device, &recent);
        CHECK_INT(recent.read_mean_us, 0);
}

TEST(recent_percentiles_are_the_newest_and_a_verdict_says_that_a_process_waits) {
        g_autoptr(BrioDevice) device = new_device();
        struct brio_sample old = { .t_ns = UINT64_C(99000000000), .read_latency_us = 50, .read_p99_us = 300, .write_p99_us = 900 };
        struct brio_sample new = { .t_ns = UINT64_C(100000000000), .read_latency_us = 60, .read_p99_us = 700 };
        struct response_facts recent;

        CHECK(brio_device_add_sample(device, &old, 100000000));
        CHECK(brio_device_add_sample(device, &new, 100000000));
        update(device, "{'Verdicts': <[{'kind': <'bulk'>}, {'kind': <'victim'>}]>}");
        brio_device_get_recent(device, &recent);
        CHECK_INT(recent.read_p99_us, 700);
        CHECK_INT(recent.write_p99_us, 0);
        CHECK(recent.waits);
        update(device, "{'Verdicts': <[{'kind': <'bulk'>}]>}");
        brio_device_get_recent(device, &recent);
        CHECK(!recent.waits);
}

TEST(each_workload_that_the_daemon_may_tell_has_words) {
        CHECK_STR(words_workload("of-a-later-version"), "of-a-later-version");
        for (enum verdict_kind k = 0; k < _VERDICT_KIND_MAX; k++)
                CHECK(!verdict_is_workload(k) || strcmp(words_workload(verdict_kind_to_string(k)), verdict_kind_to_string(k)) != 0);
}

TEST(a_drives_waiting_names_the_program_that_waits_and_the_one_that_has_the_drive) {
        static const struct {
                const char *verdict, *waiting;
        } cases[] = {
                { "'sentence_data': <[{'id': <'victim'>, 'process': <'firefox'>, 'percent': <int64 62>}, {'id': <'victim-of'>, 'percent': <int64 71>, 'process': <'rsync'>}, "
                  "{'id': <'victim-own'>, 'percent': <int64 2>, 'process': <'firefox'>}]>", "Firefox waits, mostly for rsync" },
                { "'sentence_data': <[{'id': <'victim'>, 'process': <'grep'>, 'percent': <int64 62>}, {'id': <'victim-of-kernel'>, 'percent': <int64 71>}]>", "grep waits" },
                { "'sentence_data': <[{'id': <'victim'>, 'process': <[{'id': <'not-seen'>}]>, 'percent': <int64 62>}, {'id': <'victim-of-kernel-for'>, 'percent': <int64 71>, "
                  "'process': <'tar'>}]>", "another user's process waits, mostly for tar" },
                { "'sentence_data': <[{'id': <'victim-guess'>, 'process': <'grep'>, 'percent': <int64 62>, 'culprit_percent': <int64 71>, 'culprit': <'dd'>}]>", "grep waits, mostly for dd" },
                { "'sentence': <'of an older daemon'>", "A program waits for this drive" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                g_autoptr(BrioDevice) device = new_device();
                g_autofree char *verdicts = g_strdup_printf("{'Verdicts': <[{'kind': <'bulk'>}, {'kind': <'victim'>, %s}]>}", cases[i].verdict);

                CHECK_STR(brio_device_get_waiting(device), "");
                update(device, verdicts);
                CHECK_STR(brio_device_get_waiting(device), cases[i].waiting);
                update(device, "{'Verdicts': <[{'kind': <'bulk'>}]>}");
                CHECK_STR(brio_device_get_waiting(device), "");
        }
}

TEST(the_response_is_that_to_processes_that_do_not_let_others_go_first) {
        g_autoptr(BrioDevice) device = new_device();
        struct brio_sample first = { .t_ns = UINT64_C(99000000000), .read_p99_us = 1900000, .foremost_p99_us = 12000 };
        struct brio_sample all_yield = { .t_ns = UINT64_C(100000000000), .read_p99_us = 1900000 };
        struct response_facts recent;

        CHECK(brio_device_add_sample(device, &first, 100000000));
        brio_device_get_recent(device, &recent);
        CHECK_INT(recent.read_p99_us, 12000);
        CHECK(recent.others_yield);
        CHECK(brio_device_add_sample(device, &all_yield, 100000000));
        brio_device_get_recent(device, &recent);
        CHECK_INT(recent.read_p99_us, 1900000);
        CHECK(!recent.others_yield);
}

static struct plot_column newest(BrioDevice *device, enum brio_channel channel) {
        const struct history *h = brio_device_get_history(device);

        return history_at(h, channel, history_newest_us(h));
}

TEST(a_mean_is_kept_only_where_single_requests_were_not_looked_at) {
        g_autoptr(BrioDevice) device = new_device();
        struct brio_sample looked = { .t_ns = UINT64_C(99000000000), .read_latency_us = 50, .read_median_us = 20, .read_p99_us = 300,
                                      .write_latency_us = 70 };
        struct brio_sample old = { .t_ns = UINT64_C(100000000000), .read_latency_us = 60 };

        CHECK(brio_device_add_sample(device, &looked, 100000000));
        CHECK(newest(device, BRIO_CHANNEL_READ_MEDIAN_US).max == 20);
        CHECK(newest(device, BRIO_CHANNEL_READ_P99_US).max == 300);
        CHECK(newest(device, BRIO_CHANNEL_READ_MEAN_US).min > newest(device, BRIO_CHANNEL_READ_MEAN_US).max);
        CHECK(newest(device, BRIO_CHANNEL_WRITE_MEAN_US).max == 70);
        CHECK(brio_device_add_sample(device, &old, 100000000));
        CHECK(newest(device, BRIO_CHANNEL_READ_MEDIAN_US).min > newest(device, BRIO_CHANNEL_READ_MEDIAN_US).max);
        CHECK(newest(device, BRIO_CHANNEL_READ_MEAN_US).max == 60);
}

TEST(an_hour_of_samples_takes_no_more_memory_than_one_and_half_of_it_is_there) {
        g_autoptr(BrioDevice) device = new_device();
        const struct history *h = brio_device_get_history(device);
        struct mallinfo2 before = mallinfo2();
        struct plot_column all;

        for (int64_t s = 1; s <= 3600; s++) {
                struct brio_sample sample = { .t_ns = (uint64_t) s * 1000000000, .read_bytes_per_s = s == 1801 ? 777 : 1 };

                CHECK(brio_device_add_sample(device, &sample, s * 1000000));
        }
        history_columns(h, BRIO_CHANNEL_READ_BYTES_PER_S, INT64_C(1801) * 1000000, INT64_C(1800) * 1000000, &all, 1);
        CHECK(all.min == 1 && all.max == 777);
        /* GLib may keep something else meanwhile, but not as much as one number of each sample would take. */
        CHECK(mallinfo2().uordblks < before.uordblks + 3600 * sizeof(uint64_t) / 2);
}

static void decide(GListModel *devices, const char *text) {
        g_autoptr(GVariant) decision = properties(text);

        decision_marks_add(devices, decision, 1000);
}

TEST(what_was_changed_is_marked_in_the_history_of_its_drive_and_what_was_only_advised_is_not) {
        g_autoptr(GListStore) devices = g_list_store_new(BRIO_TYPE_DEVICE);
        g_autoptr(BrioDevice) sda = new_device();
        const int64_t *marks;
        size_t n;

        g_list_store_append(devices, sda);
        decide(G_LIST_MODEL(devices), "{'device': <'sda'>, 'result': <'applied'>, 'time_usec': <uint64 5000000>}");
        decide(G_LIST_MODEL(devices), "{'device': <'sda'>, 'result': <'restored'>, 'time_usec': <uint64 7000000>}");
        decide(G_LIST_MODEL(devices), "{'device': <'sda'>, 'result': <'advised'>, 'time_usec': <uint64 9000000>}");
        decide(G_LIST_MODEL(devices), "{'device': <'sdb'>, 'result': <'applied'>, 'time_usec': <uint64 11000000>}");
        decide(G_LIST_MODEL(devices), "{'device': <'sda'>, 'result': <'applied'>}");
        decide(G_LIST_MODEL(devices), "{}");
        marks = history_marks(brio_device_get_history(sda), &n);
        CHECK_INT(n, 2);
        CHECK_INT(marks[0], 4999000);
        CHECK_INT(marks[1], 6999000);
}
