/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "start-entry.h"

#include <libintl.h>

#include "config.h"
#include "macro.h"

enum number { TIME, LATENCY, WAITED, USUAL, P95, COLD_STARTS, WARM_USUAL, WARM_P95, WARM_STARTS, _NUMBER_MAX };

static const char *const number_keys[_NUMBER_MAX] = {
        [TIME] = "time_usec", [LATENCY] = "latency_usec", [WAITED] = "waited_usec", [USUAL] = "usual_usec", [P95] = "p95_usec",
        [COLD_STARTS] = "cold_starts", [WARM_USUAL] = "warm_usual_usec", [WARM_P95] = "warm_p95_usec", [WARM_STARTS] = "warm_starts",
};

struct told {
        uint64_t numbers[_NUMBER_MAX];
        const char *application, *drive, *culprit;
        uint64_t culprit_permille;
        int launched, cold;
};

/* The first is the one with most of the drive. */
static int read_culprit(sd_bus_message *m, struct told *t) {
        uint32_t pid;
        int r = sd_bus_message_enter_container(m, 'v', "a(sut)");

        if (r >= 0)
                r = sd_bus_message_enter_container(m, 'a', "(sut)");
        if (r >= 0)
                r = sd_bus_message_read(m, "(sut)", &t->culprit, &pid, &t->culprit_permille);
        if (r > 0 && pid == 0) /* told without its name */
                t->culprit = dgettext(GETTEXT_PACKAGE, "another user’s process");
        while (r > 0)
                r = sd_bus_message_skip(m, "(sut)");
        for (int i = 0; r >= 0 && i < 2; i++)
                r = sd_bus_message_exit_container(m);
        return r;
}

static int read_value(sd_bus_message *m, const char *key, struct told *t) {
        if (streq(key, "application"))
                return sd_bus_message_read(m, "v", "s", &t->application);
        if (streq(key, "device"))
                return sd_bus_message_read(m, "v", "s", &t->drive);
        if (streq(key, "launched"))
                return sd_bus_message_read(m, "v", "b", &t->launched);
        if (streq(key, "cold"))
                return sd_bus_message_read(m, "v", "b", &t->cold);
        if (streq(key, "culprits"))
                return read_culprit(m, t);
        for (size_t i = 0; i < _NUMBER_MAX; i++)
                if (streq(key, number_keys[i]))
                        return sd_bus_message_read(m, "v", "t", &t->numbers[i]);
        return sd_bus_message_skip(m, "v");
}

static int read_pairs(sd_bus_message *m, struct told *t) {
        const char *key;
        int r = sd_bus_message_enter_container(m, 'a', "{sv}");

        while (r >= 0) {
                r = sd_bus_message_enter_container(m, 'e', "sv");
                if (r <= 0)
                        break;
                r = sd_bus_message_read(m, "s", &key);
                if (r >= 0)
                        r = read_value(m, key, t);
                if (r >= 0)
                        r = sd_bus_message_exit_container(m);
        }
        return r;
}

int start_entry_read(sd_bus_message *m, struct start_entry *ret) {
        struct told t = { .application = "", .drive = "" };
        int r = read_pairs(m, &t);

        if (r < 0)
                return r;
        for (size_t i = 0; i < _NUMBER_MAX; i++)
                t.numbers[i] = MIN(t.numbers[i], (uint64_t) INT64_MAX / 4); /* sums of two of them have room */
        *ret = (struct start_entry){
                .application = t.application,
                .time_usec = t.numbers[TIME],
                .slow = {
                        .launched = t.launched,
                        .known = (int64_t) t.numbers[t.cold ? COLD_STARTS : WARM_STARTS],
                        .latency_us = (int64_t) t.numbers[LATENCY],
                        .waited_us = (int64_t) t.numbers[WAITED],
                        .median_us = (int64_t) t.numbers[t.cold ? USUAL : WARM_USUAL],
                        .p95_us = (int64_t) t.numbers[t.cold ? P95 : WARM_P95],
                        .drive = t.drive,
                        .culprit = t.culprit,
                        .culprit_permille = (unsigned) MIN(t.culprit_permille, 1000u),
                },
        };
        return 0;
}
