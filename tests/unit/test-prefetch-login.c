/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which login is followed, and from when on. tests/loop/test-prefetch.py has logins, and what is read ahead after one. */
#include <limits.h>
#include <sys/wait.h>

#include "prefetch-login.h"
#include "prefetch-store.h"
#include "test.h"

#define LOGIN_NS (3600 * NSEC_PER_SEC)
#define NOTED_NS (600 * NSEC_PER_SEC)

static const char *state_dir; /* of each test its own */

static const struct subject earlier = { .name = "systemd", .tgid = 100, .start_ticks = 1, .uid = 1000 };
static const struct subject later = { .name = "systemd", .tgid = 200, .start_ticks = 2, .uid = 1001 };

/* As the manager does: told of it with each look until the start is over or, a minute later, given up. */
static void log_in(struct prefetch_login *l, const struct subject *s, nsec_t t, nsec_t long_ns) {
        for (nsec_t end = t + long_ns; t <= end; t += NSEC_PER_SEC)
                prefetch_login_begin(l, t, s);
}

static struct prefetch_login *new_login(sd_event **ret_event) {
        static char dir[PATH_MAX];
        struct prefetch_login *l;

        snprintf(dir, sizeof(dir), "%s/XXXXXX", test_tmpdir());
        state_dir = mkdtemp(dir);
        if (!state_dir || sd_event_new(ret_event) < 0 || prefetch_login_new(*ret_event, NULL, NULL, state_dir, &l) < 0)
                abort();
        return l;
}

/* Until all that is to be kept is. */
static void settle(sd_event *event) {
        siginfo_t ended;

        for (unsigned i = 0; i < 600 && waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0; i++)
                if (sd_event_run(event, 100 * 1000) < 0)
                        abort();
}

static struct prefetch_next kept(uint32_t uid) {
        _cleanup_close_ int fd = prefetch_store_open(state_dir);
        struct prefetch_next next = { 0 };

        (void) prefetch_store_load_next(fd, uid, &next);
        return next;
}

TEST(what_is_started_after_a_login_is_noted_though_its_desktop_is_not_quiet_within_a_minute) {
        sd_event *event;
        struct prefetch_login *l = new_login(&event);
        struct prefetch_next next;

        prefetch_login_begin(l, LOGIN_NS, &earlier);
        prefetch_login_note(l, 1000, "started-by-the-desktop");
        log_in(l, &earlier, LOGIN_NS, 60 * NSEC_PER_SEC);
        prefetch_login_note(l, 1000, "editor");
        prefetch_login_note(l, 1001, "another-users");
        CHECK(prefetch_login_look(l, LOGIN_NS + 80 * NSEC_PER_SEC)); /* time to read ahead */
        CHECK(!prefetch_login_look(l, LOGIN_NS + 61 * NSEC_PER_SEC + NOTED_NS));
        settle(event);
        next = kept(1000);
        CHECK_INT(next.logins, 1);
        CHECK_INT(next.n, 1);
        CHECK_STR(next.applications[0].application, "editor");
        prefetch_login_free(l);
        sd_event_unref(event);
}

TEST(of_two_sessions_that_start_at_a_time_the_later_one_is_followed_and_each_is_one_login) {
        sd_event *event;
        struct prefetch_login *l = new_login(&event);
        struct prefetch_next next;

        log_in(l, &earlier, LOGIN_NS, 0);
        prefetch_login_note(l, 1000, "editor");
        for (unsigned i = 0; i < 4; i++) {
                log_in(l, &later, LOGIN_NS + NSEC_PER_SEC, 0);
                log_in(l, &earlier, LOGIN_NS + NSEC_PER_SEC, 0);
        }
        settle(event);
        next = kept(1000);
        CHECK_INT(next.logins, 1);
        CHECK_INT(next.n, 1);
        prefetch_login_note(l, 1001, "browser");
        CHECK(!prefetch_login_look(l, LOGIN_NS + 2 * NSEC_PER_SEC + NOTED_NS));
        settle(event);
        next = kept(1001);
        CHECK_INT(next.logins, 1);
        CHECK_STR(next.applications[0].application, "browser");
        prefetch_login_free(l);
        sd_event_unref(event);
}

TEST(what_is_read_ahead_after_a_login_is_charged_to_its_user_and_not_begun_once_that_has_had_enough) {
        sd_event *event;
        struct prefetch_login *l = new_login(&event);
        struct prefetch_limits limits = { .play = PREFETCH_LOGIN_PLAY };
        struct prefetch_places none = { 0 };

        CHECK_INT(prefetch_account_new(&limits.account), 0);
        prefetch_login_begin(l, LOGIN_NS, &earlier);
        prefetch_login_play(l, &none, &limits);
        CHECK(limits.account->plays[PREFETCH_LOGIN_PLAY].runs && limits.account->plays[PREFETCH_LOGIN_PLAY].uid == 1000);
        CHECK(!prefetch_account_note(limits.account, PREFETCH_LOGIN_PLAY, 0, (uint64_t) PREFETCH_USER_MIB << 20, 0));
        prefetch_login_stop(l);
        CHECK(!limits.account->plays[PREFETCH_LOGIN_PLAY].runs);
        prefetch_login_play(l, &none, &limits);
        CHECK(!limits.account->plays[PREFETCH_LOGIN_PLAY].runs);
        prefetch_login_free(l);
        prefetch_account_free(limits.account);
        sd_event_unref(event);
}
