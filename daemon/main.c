/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <systemd/sd-daemon.h>

#include "bus.h"
#include "config.h"
#include "log.h"
#include "manager.h"

/* Also the answer to a second briod: the name on the bus is taken. */
static int open_bus(struct manager *m, const char *address) {
        int r = bus_new(m, address, &m->bus);

        if (r == -EEXIST)
                log_error("another briod owns org.brio.Brio1 on this bus; stop it first (systemctl stop briod)");
        else if (r == -ENOENT || r == -ECONNREFUSED)
                log_error("no D-Bus at \"%s\" (%s); start one, or name another with --bus", address, strerror(-r));
        else if (r == -EACCES || r == -EPERM)
                log_error("the bus \"%s\" does not let briod own org.brio.Brio1; its policy file is not installed, or this is not root", address);
        else if (r < 0)
                log_error("cannot use the bus \"%s\": %s", address, strerror(-r));
        return r;
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *si, void *userdata _unused_) {
        log_notice("%s: ending; every setting is put back", strsignal((int) si->ssi_signo));
        return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int run(const struct options *o) {
        sd_event *event = NULL;
        struct manager *m = NULL;
        int r = sd_event_default(&event);

        if (r >= 0)
                r = sd_event_add_signal(event, NULL, SIGTERM, on_signal, NULL);
        if (r >= 0)
                r = sd_event_add_signal(event, NULL, SIGINT, on_signal, NULL);
        if (r >= 0) /* the terminal of a briod in the foreground went away */
                r = sd_event_add_signal(event, NULL, SIGHUP, on_signal, NULL);
        if (r >= 0)
                r = sd_event_set_watchdog(event, true);
        if (r >= 0)
                r = manager_new(o, event, &m);
        if (r >= 0)
                r = open_bus(m, o->bus);
        if (r >= 0) {
                manager_tick(m);
                log_notice("briod " BRIO_VERSION " runs, mode %s", mode_to_string(m->mode));
                sd_notifyf(false, "READY=1\nSTATUS=mode %s", mode_to_string(m->mode));
                r = sd_event_loop(event);
                sd_notify(false, "STOPPING=1");
        }
        manager_free(m);
        sd_event_unref(event);
        return r;
}

static void report_policy(void *userdata _unused_, enum policy_severity severity, const char *file, int line, const char *message) {
        const char *word = severity == POLICY_ERROR ? "error" : "warning";

        if (line > 0)
                fprintf(stderr, "%s:%d: %s: %s\n", file, line, word, message);
        else /* the file as a whole */
                fprintf(stderr, "%s: %s: %s\n", file, word, message);
}

/* --check: says what is wrong, and whether a start would work with it. */
static int check(const struct options *o, int config_result) {
        struct policy_set policies = { 0 };
        int errors = policy_load_all(o->root, o->policy_dir, report_policy, NULL, &policies);

        if (errors >= 0)
                printf("%zu policies with %d error%s; configuration %s\n", policies.n, errors, errors == 1 ? "" : "s", config_result < 0 ? "has errors" : "is good");
        policy_set_done(&policies);
        return errors == 0 && config_result == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char *argv[]) {
        struct options o;
        sigset_t mask;
        int r = options_parse(&o, argc, argv), status;

        if (r <= 0) {
                options_done(&o);
                return r < 0 ? 2 : EXIT_SUCCESS;
        }
        log_open(o.log_level);
        r = options_load_config(&o);
        if (o.check) {
                status = check(&o, r);
                options_done(&o);
                return status;
        }
        if (o.restore) { /* the journal names the drives: no setting matters */
                status = manager_recover(&o) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
                options_done(&o);
                return status;
        }
        /* Bad lines of the configuration are reported; the good ones count, and the defaults are safe. A file that was named
         * and cannot be read is another matter. */
        if (r < 0 && r != -EINVAL) {
                options_done(&o);
                return EXIT_FAILURE;
        }
        sigemptyset(&mask);
        sigaddset(&mask, SIGTERM);
        sigaddset(&mask, SIGINT);
        sigaddset(&mask, SIGHUP);
        sigprocmask(SIG_BLOCK, &mask, NULL);
        signal(SIGPIPE, SIG_IGN); /* readers of sample streams come and go */
        r = run(&o);
        options_done(&o);
        return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
