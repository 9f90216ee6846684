/* SPDX-License-Identifier: GPL-3.0-or-later */
/* brio-events-watch: a drive's single requests told to model and detectors as briod does at attention level 2, for as long as
 * this runs and however many there are; briod would not look at a drive so closely that does more than 20 000 a second. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "clock.h"
#include "detector.h"
#include "macro.h"
#include "model.h"
#include "request-sources.h"

#define TICK_US (250 * USEC_PER_MSEC) /* as briod's while a drive is busy */
#define TICK_ACCURACY_US (5 * USEC_PER_MSEC)

struct watch {
        struct model *model;
        struct snapshot *snapshot;
        struct detectors *detectors;
        struct verdict *verdicts;
        struct request_sources *sources;
        sd_event *event;
        uint64_t told[_EVENT_KIND_MAX], summed, completed_sectors, unseen, lost;
        uint32_t one_in; /* the fewest that were looked at */
};

static int usage(FILE *f, int status) {
        fputs("Usage: brio-events-watch --source SOURCE [--sums] DRIVE\n"
              "       brio-events-watch --list\n\n"
              "Tells the drive's requests to the model until SIGTERM, then prints what it saw as JSON. Prints\n"
              "\"ready\" once it watches. --sums: in sums, where the source can. --list prints the sources that work here, the best first.\n",
              f);
        return status;
}

static void on_event(void *userdata, const struct event *e) {
        struct watch *w = userdata;

        w->told[e->kind]++;
        if (e->kind == EVENT_REQUEST_COMPLETE)
                w->completed_sectors += e->request.sectors;
        if (e->kind == EVENT_SUMS)
                w->summed += e->sums.requests;
        if (e->kind == EVENT_TOTAL) {
                w->completed_sectors += e->total.sectors;
                w->one_in = MAX(w->one_in, e->total.one_in);
        }
        w->unseen += (e->flags & EVENT_UNSEEN) != 0;
        if (e->kind == EVENT_LOST)
                w->lost += e->lost.count;
        model_feed(w->model, e);
}

static int on_tick(sd_event_source *timer, uint64_t usec, void *userdata) {
        struct watch *w = userdata;
        nsec_t now = clock_now(CLOCK_MONOTONIC);

        model_expire(w->model, now);
        model_snapshot(w->model, now, w->snapshot);
        detectors_run(w->detectors, w->snapshot, w->verdicts);
        return sd_event_source_set_time(timer, usec + TICK_US);
}

static int list_sources(const struct watch *w) {
        const struct source *s;
        struct source_info infos[SOURCE_INFOS_MAX];

        for (size_t i = 0; (s = request_sources_get(w->sources, i)); i++)
                if (s->ops->probe(s->self, infos) > 0 && infos[0].state != SOURCE_UNAVAILABLE)
                        puts(infos[0].name);
        return 0;
}

static void print_seen(const struct watch *w, const char *source) {
        struct model_counters m;
        struct source_cost c;

        model_get_counters(w->model, &m);
        request_sources_cost(w->sources, &c);
        printf("{\"source\": \"%s\", \"queued\": %" PRIu64 ", \"issued\": %" PRIu64 ", \"completed\": %" PRIu64 ", \"summed\": %" PRIu64
               ", \"completed_sectors\": %" PRIu64 ", \"one_in\": %" PRIu32 ", \"unseen\": %" PRIu64 ", \"lost\": %" PRIu64 ", \"wakeups\": %" PRIu64 ", \"bytes\": %" PRIu64
               ", \"events\": %" PRIu64 ", \"invalid\": %" PRIu64 ", \"requests_refused\": %" PRIu64 ", \"requests_unmatched\": %" PRIu64 "}\n",
               source, w->told[EVENT_REQUEST_QUEUE], w->told[EVENT_REQUEST_ISSUE], w->told[EVENT_REQUEST_COMPLETE], w->summed,
               w->completed_sectors, w->one_in, w->unseen, w->lost, c.wakeups, c.bytes, c.events, m.invalid, m.requests_refused, m.requests_unmatched);
}

static int find_drive(const char *name, bool summed, struct source_drive *ret) {
        struct stat st;
        char path[64];

        if (snprintf(path, sizeof(path), "/dev/%s", name) >= (int) sizeof(path))
                return -ENAMETOOLONG;
        if (stat(path, &st) < 0)
                return -errno;
        if (!S_ISBLK(st.st_mode))
                return -ENOTBLK;
        *ret = (struct source_drive) { .dev = DEV_NUMBER(major(st.st_rdev), minor(st.st_rdev)), .summed = summed };
        return 0;
}

/* Until SIGTERM, SIGINT or SIGHUP, which the event loop ends at. */
static int loop_until_signal(struct watch *w) {
        int r = sd_event_add_signal(w->event, NULL, SIGTERM, NULL, NULL);
        if (r >= 0)
                r = sd_event_add_signal(w->event, NULL, SIGINT, NULL, NULL);
        if (r >= 0)
                r = sd_event_add_signal(w->event, NULL, SIGHUP, NULL, NULL);
        if (r < 0)
                return r;
        puts("ready");
        fflush(stdout);
        return sd_event_loop(w->event);
}

static int watch_drive(struct watch *w, const char *source, const char *name, bool summed) {
        sd_event_source *timer = NULL;
        struct source_drive drive;
        int r = find_drive(name, summed, &drive);

        if (r >= 0)
                r = request_sources_start(w->sources, &drive, name, clock_now(CLOCK_MONOTONIC));
        if (r >= 0)
                r = sd_event_add_time_relative(w->event, &timer, CLOCK_MONOTONIC, TICK_US, TICK_ACCURACY_US, on_tick, w);
        if (r >= 0)
                r = sd_event_source_set_enabled(timer, SD_EVENT_ON);
        if (r >= 0)
                r = loop_until_signal(w);
        if (r >= 0) {
                request_sources_stop(w->sources, drive.dev, clock_now(CLOCK_MONOTONIC));
                print_seen(w, source);
        }
        sd_event_source_unref(timer);
        return r;
}

/* Before anything is made that would have to go again: a signal that comes earlier waits for the event loop. */
static int hold_signals(void) {
        sigset_t signals;

        sigemptyset(&signals);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGHUP);
        return sigprocmask(SIG_BLOCK, &signals, NULL) < 0 ? -errno : 0;
}

static int run(const char *source, const char *name, bool summed) {
        struct watch w = {
                .model = model_new(),
                .snapshot = calloc(1, sizeof(*w.snapshot)),
                .detectors = calloc(1, sizeof(*w.detectors)),
                .verdicts = calloc(DETECTORS_VERDICTS_MAX, sizeof(*w.verdicts)),
                .one_in = 1,
        };
        const char *tmp = getenv("TMPDIR");
        char state[PATH_MAX]; /* where a trace of blktrace is noted while it runs */
        struct request_sources_config config = { .choice = source, .root = "", .state_dir = state, .sink = { on_event, &w } };
        int r = w.model && w.snapshot && w.detectors && w.verdicts ? sd_event_new(&w.event) : -ENOMEM;

        if (snprintf(state, sizeof(state), "%s/brio-events-XXXXXX", tmp && *tmp ? tmp : "/tmp") >= (int) sizeof(state))
                r = -ENAMETOOLONG;
        if (r >= 0)
                r = hold_signals();
        if (r >= 0 && !mkdtemp(state))
                r = -errno;
        if (r >= 0)
                r = request_sources_new(&config, w.event, &w.sources);
        if (r >= 0)
                r = name ? watch_drive(&w, source, name, summed) : list_sources(&w);
        if (r < 0)
                fprintf(stderr, "brio-events-watch: %s%s%s\n", name ? name : "", name ? ": " : "", strerror(-r));
        request_sources_free(w.sources);
        rmdir(state);
        sd_event_unref(w.event);
        free(w.verdicts);
        free(w.detectors);
        free(w.snapshot);
        model_free(w.model);
        return r < 0 ? 1 : 0;
}

int main(int argc, char **argv) {
        static const struct option known[] = {
                { "source", required_argument, NULL, 's' }, { "sums", no_argument, NULL, 'S' },
                { "list", no_argument, NULL, 'l' }, { "help", no_argument, NULL, 'h' }, { 0 },
        };
        const char *source = NULL;
        bool list = false, sums = false;
        int c;

        while ((c = getopt_long(argc, argv, "h", known, NULL)) >= 0) {
                if (c == 'h')
                        return usage(stdout, 0);
                if (c == '?')
                        return usage(stderr, 2);
                list = list || c == 'l';
                sums = sums || c == 'S';
                if (c == 's' && !(source = request_sources_choice(optarg)))
                        return usage(stderr, 2);
        }
        if (list ? source || sums || optind != argc : !source || optind != argc - 1)
                return usage(stderr, 2);
        return list ? run(REQUEST_SOURCE_AUTO, NULL, false) : run(source, argv[optind], sums);
}
