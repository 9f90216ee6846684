/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "notices.h"

#include <libintl.h>
#include <time.h>

#include "app-name.h"
#include "config.h"
#include "macro.h"
#include "name-owner.h"
#include "names.h"
#include "start-entry.h"
#include "str.h"

#define _(text) dgettext(GETTEXT_PACKAGE, text)

#define SERVER_NAME "org.freedesktop.Notifications"
#define SERVER_PATH "/org/freedesktop/Notifications"
#define DASHBOARD_NAME "org.brio.Brio"
#define DASHBOARD_PATH "/org/brio/Brio"
#define ESCAPED_MAX (SLOW_BODY_MAX * 5) /* "&amp;" */

/* Servers read the body as markup. Returns buf. */
static char *escape(const char *text, char *buf, size_t size) {
        *buf = '\0';
        for (; *text; text++)
                str_append(buf, size, *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "%c", *text);
        return buf;
}

static int on_told(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct notice *notice = userdata;

        if (sd_bus_message_is_method_error(m, NULL))
                fprintf(stderr, "brio-session: a notification was refused: %s\n", sd_bus_message_get_error(m)->message);
        else
                (void) sd_bus_message_read(m, "u", &notice->id);
        return 0;
}

static int tell(struct notices *n, const struct start_entry *e) {
        char name[APP_NAME_MAX], title[SLOW_TITLE_MAX], body[SLOW_BODY_MAX], escaped[ESCAPED_MAX];
        struct notice *notice = &n->told[n->next];

        n->next = (n->next + 1) % NOTICES_MAX;
        *notice = (struct notice){ .time_usec = e->time_usec };
        str_copy(notice->application, sizeof(notice->application), e->application);
        slow_format_title(&e->slow, app_name(e->application, name, sizeof(name)), title, sizeof(title));
        escape(slow_format_body(&e->slow, body, sizeof(body)), escaped, sizeof(escaped));
        /* Name, the one in whose place it goes, icon, title, body, actions, hints, how long it stays. */
        return sd_bus_call_method_async(n->link->session, NULL, SERVER_NAME, SERVER_PATH, SERVER_NAME, "Notify", on_told, notice, "susssasa{sv}i", "Brio", 0u,
                                        DASHBOARD_NAME, title, escaped, 2, "default", _("Open Brio"), 1, "desktop-entry", "s", DASHBOARD_NAME, -1);
}

static int on_startup(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct notices *n = userdata;
        struct start_entry e;
        struct timespec now;

        if (start_entry_read(m, &e) < 0 || !slow_is_worth_telling(&e.slow))
                return 0;
        clock_gettime(CLOCK_BOOTTIME, &now);
        if (slow_limit_take(&n->limit, e.application, now.tv_sec * (int64_t) USEC_PER_SEC + now.tv_nsec / (int64_t) NSEC_PER_USEC))
                (void) tell(n, &e);
        return 0;
}

static int on_opened(sd_bus_message *m, void *userdata _unused_, sd_bus_error *error _unused_) {
        if (sd_bus_message_is_method_error(m, NULL))
                fprintf(stderr, "brio-session: the dashboard cannot be opened: %s\n", sd_bus_message_get_error(m)->message);
        return 0;
}

static int on_action(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct notices *n = userdata;
        const char *action;
        uint32_t id;

        if (sd_bus_message_read(m, "us", &id, &action) < 0 || id == 0)
                return 0;
        for (size_t i = 0; i < NOTICES_MAX; i++)
                if (n->told[i].id == id)
                        return sd_bus_call_method_async(n->link->session, NULL, DASHBOARD_NAME, DASHBOARD_PATH, "org.freedesktop.Application", "ActivateAction",
                                                        on_opened, n, "sava{sv}", "show-startup", 1, "(sx)", n->told[i].application,
                                                        (int64_t) n->told[i].time_usec, 0);
        return 0;
}

static int on_observed(sd_bus_message *m _unused_, void *userdata _unused_, sd_bus_error *error _unused_) {
        return 0; /* an error: there is no daemon, or it told enough of them already */
}

static int observe(struct notices *n) {
        return link_call_manager(n->link, on_observed, n, "Observe", "");
}

static int on_daemon_owner(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        if (name_owner_read(m) > 0)
                (void) observe(userdata);
        return 0;
}

int notices_watch(struct notices *n, struct link *l) {
        int r;

        *n = (struct notices){ .link = l };
        r = sd_bus_match_signal_async(l->system, NULL, BRIO_BUS_NAME, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, "StartupFinished", on_startup, NULL, n);
        if (r >= 0)
                r = sd_bus_add_match_async(l->system, NULL, NAME_OWNER_MATCH(BRIO_BUS_NAME), on_daemon_owner, NULL, n);
        if (r >= 0)
                r = sd_bus_match_signal_async(l->session, NULL, SERVER_NAME, SERVER_PATH, SERVER_NAME, "ActionInvoked", on_action, NULL, n);
        if (r >= 0)
                r = observe(n);
        return r < 0 ? r : 0;
}
