/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>

#include "client.h"
#include "format.h"
#include "name-owner.h"
#include "names.h"
#include "verbs.h"

#define EXIT_CANNOT_EXECUTE 126 /* as shells have it */
#define EXIT_NOT_FOUND 127
#define EXIT_SIGNAL_BASE 128

#define REASON_MAX 255u /* bytes */

enum { OPTION_REASON, OPTION_APPLICATION };

static const struct cli_option options[] = {
        [OPTION_REASON] = { "reason", 'r', "TEXT", "why, for people (default: the command)" },
        [OPTION_APPLICATION] = { "application", 'a', "ID", "the holder, such as org.gnome.Builder (default: the command's name)" },
        {},
};

static const char *const modes[] = { "interactive", "throughput", "pause" };

/* What a shell or a session manager sends to end or steer a job. */
static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT };

struct hold {
        struct client client;
        const char *mode, *application;
        char *reason;
        uint64_t cookie; /* 0: not held */
        pid_t child;
};

static int take(struct hold *h) {
        _cleanup_value_ struct json_object *cookie = NULL;
        int r = client_call(&h->client, &cookie, "Hold", "sss", h->mode, h->reason, h->application);

        if (r >= 0)
                h->cookie = json_object_get_uint64(cookie);
        return r;
}

static int on_released(sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        struct hold *h = userdata;
        uint32_t cookie;

        if (sd_bus_message_read(m, "u", &cookie) < 0 || cookie != h->cookie)
                return 0;
        h->cookie = 0;
        fprintf(stderr, "brioctl: an administrator set the mode, which ended the hold; the command goes on.\n");
        return 0;
}

/* A daemon that starts anew knows of no holds. */
static int on_owner(sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        struct hold *h = userdata;
        int owned = name_owner_read(m);

        if (owned < 0)
                return 0;
        h->cookie = 0;
        if (!owned)
                fprintf(stderr, "brioctl: briod went away; the command goes on without a hold.\n");
        else if (take(h) >= 0)
                fprintf(stderr, "brioctl: briod is back, and so is the hold.\n");
        return 0;
}

/* The terminal sends its signals to the child as well; only a signal to us alone is passed on. */
static int on_signal(_unused_ sd_event_source *source, const struct signalfd_siginfo *si, void *userdata) {
        const struct hold *h = userdata;

        if (si->ssi_code == SI_USER || si->ssi_code == SI_QUEUE || si->ssi_code == SI_TKILL)
                kill(h->child, (int) si->ssi_signo);
        return 0;
}

static int on_exit_of_child(sd_event_source *source, const siginfo_t *si, void *userdata) {
        int code = si->si_code == CLD_EXITED ? si->si_status : EXIT_SIGNAL_BASE + si->si_status;
        struct hold *h = userdata;

        /* Here, since the bus closes with the loop; should it fail, leaving the bus releases as well. */
        if (h->cookie != 0)
                client_call(&h->client, NULL, "ReleaseHold", "u", (uint32_t) h->cookie);
        return sd_event_exit(sd_event_source_get_event(source), code);
}

static _Noreturn void execute(char **command, const sigset_t *mask) {
        int error;

        sigprocmask(SIG_SETMASK, mask, NULL);
        execvp(command[0], command);
        error = errno;
        fprintf(stderr, "brioctl: cannot start %s: %s.\n", command[0], strerror(error));
        _exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE);
}

static int block_signals(sigset_t *ret_before) {
        sigset_t mask;

        sigemptyset(&mask);
        sigaddset(&mask, SIGCHLD); /* sd_event_add_child() wants it */
        for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++)
                sigaddset(&mask, forwarded[i]);
        return sigprocmask(SIG_BLOCK, &mask, ret_before) < 0 ? -errno : 0;
}

static int watch(struct hold *h, sd_event *event) {
        int r = client_believe_briod(&h->client);

        if (r >= 0)
                r = sd_bus_match_signal(h->client.bus, NULL, BRIO_BUS_NAME, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, "HoldReleased", on_released, h);
        if (r >= 0)
                r = sd_bus_add_match(h->client.bus, NULL, NAME_OWNER_MATCH(BRIO_BUS_NAME), on_owner, h);
        if (r >= 0)
                r = sd_bus_attach_event(h->client.bus, event, SD_EVENT_PRIORITY_NORMAL);
        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(forwarded); i++)
                r = sd_event_add_signal(event, NULL, forwarded[i], on_signal, h);
        return r;
}

/* Runs the command to its end. Returns its exit code or -errno. */
static int supervise(struct hold *h, sd_event *event, char **command) {
        sigset_t before;
        int r = block_signals(&before);

        if (r < 0)
                return r;
        r = watch(h, event);
        if (r < 0)
                return r;
        fflush(NULL);
        h->child = fork();
        if (h->child < 0)
                return -errno;
        if (h->child == 0)
                execute(command, &before);
        r = sd_event_add_child(event, NULL, h->child, WEXITED, on_exit_of_child, h);
        return r < 0 ? r : sd_event_loop(event);
}

static int run_held(struct hold *h, char **command) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        int r = take(h);

        if (r < 0)
                return client_failed(&h->client, r);
        r = sd_event_new(&event);
        if (r >= 0)
                r = supervise(h, event, command);
        if (r < 0) {
                fprintf(stderr, "brioctl: cannot run %s: %s.\n", command[0], strerror(-r));
                r = CLI_FAILED;
        }
        return r;
}

static char *join(char **words) {
        char *text = text_format("%s", words[0]);

        for (words++; *words; words++) {
                char *longer = text_format("%s %s", text, *words);
                free(text);
                text = longer;
        }
        return text;
}

/* To what Hold() takes, at the end of a character. */
static void shorten(char *reason) {
        size_t columns = REASON_MAX;

        while (text_cut(reason, columns) > REASON_MAX)
                columns--;
        reason[text_cut(reason, columns)] = '\0';
}

static int run(const struct cli_invocation *inv) {
        char **command = inv->argv + 1;
        const char *slash = strrchr(command[0], '/');
        struct hold h = { .mode = inv->argv[0], .application = inv->options[OPTION_APPLICATION] };
        bool known = false;
        int r;

        for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
                known |= streq(modes[i], h.mode);
        if (!known)
                return cli_usage_error("hold", "there is no hold \"%s\": interactive, throughput or pause.", h.mode);
        if (!h.application)
                h.application = slash ? slash + 1 : command[0];
        h.reason = inv->options[OPTION_REASON] ? text_format("%s", inv->options[OPTION_REASON]) : join(command);
        h.reason = text_make_harmless(h.reason);
        if (!inv->options[OPTION_REASON])
                shorten(h.reason);
        r = client_open(&h.client, inv->bus);
        r = r < 0 ? client_failed(&h.client, r) : run_held(&h, command);
        client_close(&h.client);
        free(h.reason);
        return r;
}

const struct cli_verb verb_hold = {
        .name = "hold",
        .operands = "MODE -- CMD…",
        .needs = "a mode and a command, such as pause -- make",
        .summary = "Hold a mode for as long as a command runs",
        .details = "interactive: the normal behaviour. throughput: no law acts that costs throughput. pause: every setting stays as it is.\n"
                   "Signals go to the command, and its exit code is brioctl's (128 + N after signal N; 127: not found, 126: not executable).\n"
                   "Where there can be no hold, the command is not started.",
        .min_operands = 2,
        .max_operands = -1,
        .options = options,
        .run = run,
};
