/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "slow-start.h"
#include "variant-text.h"

/* A start that is worth telling but for what stands last, which takes the place of what stands before. */
static BrioStartup *start(const char *other) {
        g_autoptr(GVariant) usual = variant_parse("a{sv}",
                "{'application': <'org.mozilla.firefox'>, 'device': <'sda'>, 'time_usec': <uint64 1795000000000000>, 'launched': <true>, 'cold': <true>,"
                " 'latency_usec': <uint64 4700000>, 'waited_usec': <uint64 3600000>, 'usual_usec': <uint64 1200000>, 'p95_usec': <uint64 4700000>,"
                " 'cold_starts': <uint64 9>, 'warm_starts': <uint64 12>, 'warm_usual_usec': <uint64 400000>, 'warm_p95_usec': <uint64 600000>,"
                " 'culprits': <[('rsync', uint32 4711, uint64 480), ('tar', 4712, 90)]>}");
        g_autoptr(GVariant) others = variant_parse("a{sv}", other), entry = NULL, value;
        GVariantDict dict;
        GVariantIter iter;
        const char *key;

        g_variant_dict_init(&dict, usual);
        g_variant_iter_init(&iter, others);
        while (g_variant_iter_loop(&iter, "{&sv}", &key, &value))
                g_variant_dict_insert_value(&dict, key, value);
        value = NULL;
        entry = g_variant_ref_sink(g_variant_dict_end(&dict));
        return brio_startup_new(entry);
}

static bool is_worth(const char *other) {
        g_autoptr(BrioStartup) s = start(other);
        struct slow_start slow = slow_start_of(s);

        return slow_is_worth_telling(&slow);
}

TEST(a_start_of_much_more_than_usual_because_of_others_is_worth_telling) {
        CHECK(is_worth("{}"));
}

TEST(each_condition_alone_keeps_it_quiet) {
        CHECK(!is_worth("{'launched': <false>}"));                       /* a terminal's command */
        CHECK(!is_worth("{'cold_starts': <uint64 4>}"));                 /* nothing is usual yet */
        CHECK(!is_worth("{'usual_usec': <uint64 2350001>}"));            /* less than twice as long */
        CHECK(is_worth("{'usual_usec': <uint64 2350000>}"));
        CHECK(!is_worth("{'p95_usec': <uint64 4700001>}"));              /* one of twenty takes longer */
        CHECK(!is_worth("{'waited_usec': <uint64 1749999>}"));           /* it was the application itself */
        CHECK(is_worth("{'waited_usec': <uint64 1750000>}"));
        CHECK(!is_worth("{'culprits': <@a(sut) []>}"));                  /* no process was to blame */
        CHECK(!is_worth("{'latency_usec': <uint64 900000>, 'p95_usec': <uint64 900000>, 'usual_usec': <uint64 200000>, 'waited_usec': <uint64 800000>}"));
}

TEST(a_warm_start_is_held_against_warm_ones) {
        CHECK(is_worth("{'cold': <false>}"));
        CHECK(!is_worth("{'cold': <false>, 'warm_starts': <uint64 2>}"));
        CHECK(!is_worth("{'cold': <false>, 'warm_usual_usec': <uint64 4000000>}"));
        /* As long as is usual for a cold one. */
        CHECK(is_worth("{'cold': <false>, 'latency_usec': <uint64 1500000>, 'waited_usec': <uint64 900000>}"));
}

TEST(a_daemon_that_tells_less_makes_nothing_up) {
        g_autoptr(GVariant) little = variant_parse("a{sv}", "{'application': <'mpv'>, 'latency_usec': <uint64 99000000>, 'launched': <true>}");
        g_autoptr(BrioStartup) s = brio_startup_new(little);
        struct slow_start slow = slow_start_of(s);

        CHECK(!slow_is_worth_telling(&slow));
}

TEST(ten_minutes_pass_between_two_notifications_and_six_hours_between_two_of_one_application) {
        static struct slow_limit limit;
        gint64 minute = 60 * G_USEC_PER_SEC;

        CHECK(slow_limit_take(&limit, "a", 0)); /* as soon as the machine has started */
        CHECK(!slow_limit_take(&limit, "a", 0));
        CHECK(!slow_limit_take(&limit, "b", 10 * minute - 1));
        CHECK(slow_limit_take(&limit, "b", 10 * minute));
        CHECK(!slow_limit_take(&limit, "a", 20 * minute));
        CHECK(!slow_limit_take(&limit, "a", 360 * minute - 1));
        CHECK(slow_limit_take(&limit, "a", 360 * minute));
}

static const char *body_of(BrioStartup *startup) {
        static char text[SLOW_BODY_MAX];
        struct slow_start slow = slow_start_of(startup);

        return slow_format_body(&slow, text, sizeof(text));
}

TEST(the_notification_names_the_time_what_is_usual_and_which_process_had_the_drive) {
        g_autoptr(BrioStartup) s = start("{}");
        g_autoptr(BrioStartup) somewhere = start("{'device': <''>}");
        g_autoptr(BrioStartup) blameless = start("{'culprits': <@a(sut) []>}");
        struct slow_start slow = slow_start_of(s);
        char title[SLOW_TITLE_MAX];

        CHECK_STR(slow_format_title(&slow, "Firefox", title, sizeof(title)), "Firefox took 4.7 s to start");
        CHECK_STR(body_of(s), "Usually 1.2 s. It waited 3.6 s for sda, while rsync had 48 % of that drive.");
        CHECK_STR(body_of(somewhere), "Usually 1.2 s. It waited 3.6 s for the drive, while rsync had 48 % of it.");
        CHECK_STR(body_of(blameless), "Usually 1.2 s.");
}
