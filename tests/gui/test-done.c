/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "done.h"
#include "object-device.h"
#include "variant-text.h"

/* 2026-11-18, 11:06:40 UTC */
#define TODAY_S INT64_C(1795000000)
#define TODAY "uint64 1794999000000000"
#define YESTERDAY "uint64 1794950000000000"

static struct done *load_since(const char *text, guint limit, gint64 start_us) {
        struct done *d = done_new();
        g_autoptr(GVariant) entries = variant_parse("aa{sv}", text);
        g_autoptr(GDateTime) now = g_date_time_new_from_unix_utc(TODAY_S);

        done_load(d, entries, limit, start_us, now);
        return d;
}

static struct done *load(const char *text, guint limit) {
        return load_since(text, limit, 0);
}

#define START(time) "{'id': <'d'>, 'time_usec': <" time ">, 'tunable': <'read-ahead'>, 'result': <'applied'>, 'application': <'org.mozilla.firefox'>, 'pid': <uint32 9>}"
#define PRIORITY(time, pid, result) "{'id': <'d'>, 'time_usec': <" time ">, 'tunable': <'ioprio'>, 'result': <'" result "'>, 'pid': <uint32 " pid ">}"
#define FIRST(time, pid) "{'id': <'d'>, 'time_usec': <" time ">, 'law': <'stream-guard'>, 'tunable': <'ioprio'>, 'result': <'applied'>, 'pid': <uint32 " pid ">}"
#define SETTING(time, result) "{'id': <'d'>, 'time_usec': <" time ">, 'device': <'sda'>, 'tunable': <'slice_idle_us'>, 'result': <'" result "'>}"

static bool starts_are(struct done *d, const char *prefetch, const char *expected) {
        g_autoptr(GVariant) told = prefetch ? variant_parse("aa{sv}", prefetch) : NULL;
        g_autofree char *text = done_words_starts(d, told);

        if (strcmp(text, expected) != 0)
                printf("# %s\n", text);
        return strcmp(text, expected) == 0;
}

TEST(a_start_without_controls_is_said_to_be_helped_and_not_by_how_much) {
        struct done *d = load("[" START(YESTERDAY) ", " START(TODAY) "]", 512);

        CHECK(starts_are(d, NULL, "1 start was helped. How long they would have taken without help is not known yet: now and then one is left without, to compare."));
        /* Neither what was never helped nor what was never left without can be compared; and another application says nothing of this one. */
        CHECK(starts_are(d, "[{'application': <'org.mozilla.firefox'>, 'helped_usec': <uint64 4100000>, 'helped_starts': <uint64 3>, 'unhelped_usec': <uint64 0>, "
                            "'unhelped_starts': <uint64 0>}, {'application': <'other'>, 'helped_usec': <uint64 1>, 'helped_starts': <uint64 3>, "
                            "'unhelped_usec': <uint64 9000000>, 'unhelped_starts': <uint64 2>}]",
                         "1 start was helped. How long they would have taken without help is not known yet: now and then one is left without, to compare."));
        done_free(d);
}

#define ROOM(time, starting, result) \
        "{'id': <'d'>, 'time_usec': <" time ">, 'law': <'startup-guard'>, 'tunable': <'ioprio'>, 'result': <'" result "'>, 'pid': <uint32 7>, " \
        "'reason_data': <[{'id': <'makes-room'>, 'starting': <'" starting "'>, 'process': <'rsync'>}]>}"

TEST(a_start_that_others_made_room_for_counts_once_however_many_did_and_no_time_is_claimed) {
        struct done *d = load("[" ROOM(YESTERDAY, "gimp (4)", "applied") ", " ROOM(TODAY, "firefox (9)", "applied") ", " ROOM(TODAY, "firefox (9)", "applied") ", "
                              ROOM(TODAY, "gimp (5)", "advised") "]", 512);
        g_autoptr(GVariant) another = variant_parse("a{sv}", ROOM(TODAY, "firefox (11)", "applied")), ahead = variant_parse("a{sv}", START(TODAY));

        CHECK(starts_are(d, NULL, "Other programs made room for 1 start."));
        done_take(d, another);
        CHECK(starts_are(d, NULL, "Other programs made room for 2 starts."));
        done_take(d, ahead);
        CHECK(starts_are(d, NULL, "1 start was helped. How long they would have taken without help is not known yet: now and then one is left without, to compare. "
                                  "Other programs made room for 2 starts."));
        done_free(d);
}

TEST(what_controls_took_says_what_starts_saved) {
        struct done *d = load("[" START(TODAY) ", " START(TODAY) "]", 512);
        g_autoptr(GVariant) one = variant_parse("a{sv}", START(TODAY));

        CHECK(starts_are(d, "[{'application': <'org.mozilla.firefox'>, 'helped_usec': <uint64 4100000>, 'helped_starts': <uint64 8>, 'unhelped_usec': <uint64 20000000>, "
                            "'unhelped_starts': <uint64 4>}]",
                         "2 starts were helped. Firefox takes 4.1 s instead of 20 s without help. Together they saved about 31.8 s."));
        done_take(d, one);
        CHECK(starts_are(d, NULL, "3 starts were helped. How long they would have taken without help is not known yet: now and then one is left without, to compare."));
        done_free(d);
}

TEST(what_was_taken_is_of_its_day_alone) {
        struct done *d = load("[" START(TODAY) "]", 512), *none = done_new();
        g_autoptr(GDateTime) evening = g_date_time_new_utc(2026, 11, 18, 23, 59, 59), tomorrow = g_date_time_new_utc(2026, 11, 19, 0, 0, 0);

        CHECK(done_is_of_today(d, evening));
        CHECK(!done_is_of_today(d, tomorrow)); /* that day is to be asked for */
        CHECK(!done_is_of_today(none, evening));
        done_free(d);
        done_free(none);
}

TEST(a_start_that_is_slower_with_help_saved_nothing) {
        struct done *d = load("[" START(TODAY) "]", 512);

        CHECK(starts_are(d, "[{'application': <'org.mozilla.firefox'>, 'helped_usec': <uint64 4100000>, 'helped_starts': <uint64 8>, 'unhelped_usec': <uint64 4000000>, "
                            "'unhelped_starts': <uint64 4>}]",
                         "1 start was helped. How long they would have taken without help is not known yet: now and then one is left without, to compare."));
        done_free(d);
}

static bool active_is(struct done *d, GListModel *devices, const char *mode, const struct brio_hold *hold, const char *expected) {
        g_autofree char *text = done_words_active(d, devices, mode, hold);

        if (strcmp(text, expected) != 0)
                printf("# %s\n", text);
        return strcmp(text, expected) == 0;
}

TEST(what_is_active_is_what_is_not_back_yet) {
        struct done *d = load("[" PRIORITY(YESTERDAY, "7", "applied") ", " PRIORITY(TODAY, "8", "applied") ", " PRIORITY(TODAY, "8", "restored") ", "
                              PRIORITY(TODAY, "9", "failed") ", " FIRST(TODAY, "10") "]", 512); /* what plays lets no other go first */
        g_autoptr(GListStore) devices = g_list_store_new(BRIO_TYPE_DEVICE);
        g_autoptr(BrioDevice) device = brio_device_new("/org/brio/Brio1/device/sda");
        g_autoptr(GVariant) properties = variant_parse("a{sv}", "{'Name': <'sda'>, 'Tunables': <{'a': ('1', '2', '2', 'brio'), 'b': ('1', '2', '2', 'brio'), "
                                                                "'c': ('1', '', '1', 'kernel')}>}");
        g_autoptr(GVariant) back = variant_parse("a{sv}", PRIORITY(TODAY, "7", "gone"));

        CHECK(active_is(d, G_LIST_MODEL(devices), "auto", NULL, "1 program lets others go first."));
        brio_device_update(device, properties);
        g_list_store_append(devices, device);
        CHECK(active_is(d, G_LIST_MODEL(devices), "auto", NULL, "2 settings of sda are changed. 1 program lets others go first."));
        CHECK(active_is(d, G_LIST_MODEL(devices), "off", NULL, "Brio is switched off: it watches, and changes nothing."));
        done_take(d, back);
        g_list_store_remove_all(devices);
        CHECK(active_is(d, G_LIST_MODEL(devices), "auto", NULL, "Nothing is changed: no drive needs it."));
        done_free(d);
}

TEST(what_is_held_is_told_with_its_application_and_reason) {
        static const struct brio_hold pause = { 1, "pause", "A recording", "org.mozilla.firefox" }, unknown = { 1, "pause", "", "" };
        static const struct brio_hold throughput = { 1, "throughput", "A build needs the drive", "org.example.Builder" }, normal = { 1, "interactive", "", "org.mozilla.firefox" };
        struct done *d = load("[" PRIORITY(TODAY, "8", "applied") "]", 512);
        g_autoptr(GListStore) devices = g_list_store_new(BRIO_TYPE_DEVICE);

        CHECK(active_is(d, G_LIST_MODEL(devices), "auto", &pause, "Firefox has asked Brio to pause: every setting stays as it is. Its reason: “A recording”."));
        CHECK(active_is(d, G_LIST_MODEL(devices), "auto", &unknown, "An application has asked Brio to pause: every setting stays as it is."));
        CHECK(active_is(d, G_LIST_MODEL(devices), "auto", &throughput, "Builder has asked for throughput: nothing that costs some is done. Its reason: “A build needs the drive”. "
                                                                       "1 program lets others go first."));
        CHECK(active_is(d, G_LIST_MODEL(devices), "auto", &normal, "Firefox has asked for the normal behaviour. 1 program lets others go first."));
        CHECK(active_is(d, G_LIST_MODEL(devices), "off", &pause, "Brio is switched off: it watches, and changes nothing."));
        done_free(d);
}

TEST(what_was_done_is_counted_since_the_daemon_was_started_where_that_was_today) {
        struct done *today = load_since("[]", 512, TODAY_S * G_USEC_PER_SEC), *yesterday = load_since("[]", 512, INT64_C(1794950000000000));
        struct done *cut = load_since("[" START(TODAY) "]", 1, INT64_C(1794998000000000)); /* the ring is full: it tells of less */
        g_autofree char *of_today = done_words_title(today), *of_yesterday = done_words_title(yesterday), *of_cut = done_words_title(cut);
        struct done *ring = load("[" START(TODAY) "]", 1);
        g_autofree char *of_ring = done_words_title(ring);

        CHECK(g_str_has_prefix(of_today, "Done for You since "));
        CHECK_STR(of_yesterday, "Done for You Today");
        CHECK_STR(of_cut, of_ring);
        done_free(today);
        done_free(yesterday);
        done_free(cut);
        done_free(ring);
}

TEST(what_was_put_back_is_counted_of_today_alone_and_what_is_not_known_is_not_said_to_be_today) {
        struct done *d = load("[" SETTING(YESTERDAY, "restored") ", " SETTING(TODAY, "restored") ", " SETTING(TODAY, "applied") ", "
                              PRIORITY(TODAY, "8", "restored") ", " PRIORITY(TODAY, "9", "restored") "]", 5);
        struct done *cut = load("[" SETTING(TODAY, "restored") "]", 1), *none = load("[]", 512);
        g_autofree char *back = done_words_back(d), *title = done_words_title(d), *of_cut = done_words_title(cut), *one = done_words_back(cut);
        g_autofree char *nothing = done_words_back(none);

        CHECK_STR(back, "1 setting and the priorities of 2 programs are as they were before.");
        CHECK_STR(title, "Done for You Today");
        CHECK(g_str_has_prefix(of_cut, "Done for You since "));
        CHECK_STR(one, "Put back as before: 1 setting.");
        CHECK_STR(nothing, "Nothing yet. What Brio changes it puts back when it is needed no more.");
        done_free(d);
        done_free(cut);
        done_free(none);
}
