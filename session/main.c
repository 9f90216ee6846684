/* SPDX-License-Identifier: GPL-3.0-or-later */
/* brio-session: what a desktop session tells the daemon and is told by it while no window is open. */
#include <errno.h>
#include <getopt.h>
#include <libintl.h>
#include <locale.h>
#include <signal.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "config.h"
#include "games.h"
#include "macro.h"
#include "names.h"
#include "notices.h"

struct service {
        struct link link;
        struct games games;
        struct notices notices;
};

static int attach(sd_bus *bus, sd_event *event) {
        int r = sd_bus_set_exit_on_disconnect(bus, true);

        return r < 0 ? r : sd_bus_attach_event(bus, event, SD_EVENT_PRIORITY_NORMAL);
}

static int block_signals(sd_event *event) {
        sigset_t mask;
        int r;

        sigemptyset(&mask);
        sigaddset(&mask, SIGTERM);
        sigaddset(&mask, SIGINT);
        if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
                return -errno;
        r = sd_event_add_signal(event, NULL, SIGTERM, NULL, NULL);
        return r < 0 ? r : sd_event_add_signal(event, NULL, SIGINT, NULL, NULL);
}

static int run(struct service *s, bool games, bool notices) {
        sd_event *event = NULL;
        int r = sd_event_default(&event);

        if (r >= 0)
                r = block_signals(event);
        if (r >= 0)
                r = sd_bus_open_user(&s->link.session);
        if (r >= 0)
                r = sd_bus_open_system(&s->link.system);
        if (r >= 0)
                r = attach(s->link.session, event);
        if (r >= 0)
                r = attach(s->link.system, event);
        if (r >= 0)
                r = name_owner_guard(&s->link.briod, s->link.system, BRIO_BUS_NAME);
        if (r >= 0 && games)
                r = games_watch(&s->games, &s->link);
        if (r >= 0 && notices)
                r = notices_watch(&s->notices, &s->link);
        if (r >= 0) {
                sd_notify(false, "READY=1");
                r = sd_event_loop(event);
        }
        sd_bus_flush_close_unref(s->link.system);
        sd_bus_flush_close_unref(s->link.session);
        sd_event_unref(event);
        return r;
}

static void print_help(void) {
        printf("usage: brio-session [--no-games] [--no-notifications]\n\n"
               "Holds briod to its normal behaviour while GameMode knows of a game, and tells of starts that took much longer than usual.\n"
               "It is meant to be run by systemd: systemctl --user enable --now brio-session\n\n"
               "  --no-games          do not look after games\n"
               "  --no-notifications  do not tell of slow starts\n"
               "  --help, --version\n");
}

int main(int argc, char *argv[]) {
        static const struct option options[] = {
                { "no-games", no_argument, NULL, 'g' }, { "no-notifications", no_argument, NULL, 'n' },
                { "help", no_argument, NULL, 'h' },     { "version", no_argument, NULL, 'v' },
                {},
        };
        static struct service service;
        bool games = true, notices = true;
        int c, r;

        setlocale(LC_ALL, "");
        bindtextdomain(GETTEXT_PACKAGE, BRIO_LOCALE_DIR);
        bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
        while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
                if (c == 'h')
                        print_help();
                if (c == 'v')
                        printf("brio-session %s\n", BRIO_VERSION);
                if (c == '?')
                        return 2;
                if (c == 'h' || c == 'v')
                        return EXIT_SUCCESS;
                *(c == 'g' ? &games : &notices) = false;
        }
        r = run(&service, games, notices);
        if (r != 0) /* above 0: sd_bus_set_exit_on_disconnect() */
                fprintf(stderr, "brio-session: %s\n", r < 0 ? strerror(-r) : "a bus has gone");
        return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
