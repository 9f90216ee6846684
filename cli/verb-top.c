/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>

#include "str.h"
#include "terminal.h"
#include "top-frame.h"
#include "verbs.h"

enum { OPTION_BATCH, OPTION_COUNT, OPTION_INTERVAL, OPTION_SORT, OPTION_DEVICE };

static const struct cli_option options[] = {
        [OPTION_BATCH] = { "batch", 'b', NULL, "frames one below the other, as when the output is no terminal" },
        [OPTION_COUNT] = { "count", 'n', "COUNT", "end after so many frames (with --batch or --json)" },
        [OPTION_INTERVAL] = { "interval", 'i', "TIME", "between two frames: 100ms to 10s (default 1s)" },
        [OPTION_SORT] = { "sort", 's', "COLUMN", "bytes (default), read, write, requests, wait, latency, p99, pid, name, drive" },
        [OPTION_DEVICE] = { "device", 'd', "DEV", "only this drive and its processes" },
        {},
};

_Static_assert(ARRAY_SIZE(options) - 1 <= CLI_OPTIONS_MAX, "room for each");

/* What + and - step through, within the limits of OpenSampleStream(). */
static const uint32_t intervals_ms[] = { 100, 200, 500, 1000, 2000, 5000, 10000 };
#define INTERVAL_DEFAULT_MS 1000

/* The records of one interval come in one go, or nearly: what follows the first within this belongs to the same frame. */
#define GATHER_US (20 * USEC_PER_MSEC)
#define RETRY_US USEC_PER_SEC

struct top {
        sd_event *event;
        sd_event_source *timer;
        struct top_link link;
        struct output out;
        enum top_sort sort;
        const char *device; /* NULL: all */
        bool screen, json, paused;
        bool gathering;      /* the timer stands for samples that came */
        bool said_gone;
        uint64_t frames_left;
};

static void arm(struct top *t, uint64_t in_us) {
        sd_event_source_set_time_relative(t->timer, in_us);
        sd_event_source_set_enabled(t->timer, SD_EVENT_ONESHOT);
}

/* Until the next look when no samples come (no drives, a daemon that hangs or is away): the frame still ages. */
static uint64_t idle_us(const struct top *t) {
        return t->link.connected ? 2 * t->link.interval_ms * USEC_PER_MSEC : RETRY_US;
}

/* Puts text on the screen without flicker: each line is overwritten, then cleared to its end. */
static void paint(char *text, unsigned lines) {
        fputs("\033[H", stdout);
        for (unsigned i = 0; i < lines && *text; i++) {
                size_t n = strcspn(text, "\n");
                printf("%s%.*s\033[K", i > 0 ? "\r\n" : "", (int) n, text);
                text += n + (text[n] == '\n');
        }
        fputs("\033[J", stdout);
        fflush(stdout);
}

static int draw_screen(struct top *t) {
        struct top_frame frame = { .link = &t->link, .sort = t->sort, .device = t->device, .paused = t->paused, .keys = isatty(STDIN_FILENO),
                                   .now = top_now() };
        _cleanup_free_ char *text = NULL;
        struct output out = t->out;
        size_t size;

        terminal_size(&frame.lines, &out.columns);
        out.file = open_memstream(&text, &size);
        if (!out.file)
                return -errno;
        top_frame_print(&frame, &out);
        fclose(out.file);
        paint(text, frame.lines);
        return 0;
}

static void draw_batch(struct top *t) {
        struct top_frame frame = { .link = &t->link, .sort = t->sort, .device = t->device, .now = top_now() };
        _cleanup_value_ struct json_object *json = NULL;

        if (t->json) {
                json = top_frame_json(&frame);
                value_print_line(json);
        } else {
                top_frame_print(&frame, &t->out);
                fputc('\n', stdout);
                fflush(stdout);
        }
        if (ferror(stdout))
                sd_event_exit(t->event, CLI_FAILED);
        else if (t->link.connected && t->frames_left > 0 && --t->frames_left == 0)
                sd_event_exit(t->event, CLI_OK);
}

static int draw(struct top *t) {
        if (t->screen)
                return draw_screen(t);
        draw_batch(t);
        return 0;
}

static void on_change(void *userdata) {
        struct top *t = userdata;

        if (t->gathering)
                return;
        t->gathering = true;
        arm(t, GATHER_US);
}

/* Says once that the daemon is away, then tries to find it again. */
static void seek_daemon(struct top *t) {
        if (!t->said_gone) {
                t->said_gone = true;
                draw(t);
        } else if (top_link_connect(&t->link) < 0) {
                top_link_disconnect(&t->link);
                if (t->screen)
                        draw(t); /* the clock shows that it still runs */
        } else {
                t->said_gone = false;
        }
}

static int on_timer(_unused_ sd_event_source *source, _unused_ uint64_t usec, void *userdata) {
        struct top *t = userdata;

        t->gathering = false;
        if (!t->link.connected)
                seek_daemon(t);
        else if (!t->paused)
                draw(t);
        top_link_poll(&t->link);
        if (!t->gathering)
                arm(t, idle_us(t));
        return 0;
}

static void change_interval(struct top *t, int step) {
        size_t i = 0;

        while (i + 1 < ARRAY_SIZE(intervals_ms) && intervals_ms[i] < t->link.interval_ms)
                i++;
        if (step < 0 && i > 0)
                i--;
        else if (step > 0 && intervals_ms[i] <= t->link.interval_ms && i + 1 < ARRAY_SIZE(intervals_ms))
                i++;
        if (top_link_set_interval(&t->link, intervals_ms[i]) < 0)
                top_link_disconnect(&t->link);
        t->gathering = false;
        arm(t, idle_us(t));
}

/* The daemon gives the busiest first: for another order all are needed. */
static void set_sort(struct top *t, enum top_sort sort) {
        t->sort = sort;
        t->link.processes_limit = sort == TOP_SORT_BYTES && !t->device ? TOP_PROCESSES : 0;
}

static int on_key(_unused_ sd_event_source *source, int fd, uint32_t events, void *userdata) {
        struct top *t = userdata;
        char key;

        if (events & (EPOLLHUP | EPOLLERR))
                return sd_event_exit(t->event, CLI_OK); /* the terminal is gone */
        if (read(fd, &key, 1) != 1)
                return 0;
        if (key == 'q' || key == 'Q')
                return sd_event_exit(t->event, CLI_OK);
        if (key == 'p' || key == ' ')
                t->paused = !t->paused;
        else if (key == 's')
                set_sort(t, (enum top_sort) ((t->sort + 1) % _TOP_SORT_MAX));
        else if (key == '+' || key == '=')
                change_interval(t, 1);
        else if (key == '-')
                change_interval(t, -1);
        else
                return 0;
        return draw(t);
}

static int on_signal(_unused_ sd_event_source *source, const struct signalfd_siginfo *si, void *userdata) {
        struct top *t = userdata;

        switch (si->ssi_signo) {
        case SIGTSTP:
                terminal_leave();
                raise(SIGSTOP);
                break; /* SIGCONT comes next */
        case SIGCONT:
                if (terminal_enter() < 0)
                        return sd_event_exit(t->event, CLI_FAILED);
                return draw(t);
        case SIGWINCH:
                return draw(t);
        default:
                return sd_event_exit(t->event, CLI_OK); /* asked to end, and does */
        }
        return 0;
}

static int add_signals(struct top *t) {
        static const int both[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT }, screen[] = { SIGTSTP, SIGCONT, SIGWINCH };
        sigset_t mask;
        int r = 0;

        sigemptyset(&mask);
        for (size_t i = 0; i < ARRAY_SIZE(both); i++)
                sigaddset(&mask, both[i]);
        for (size_t i = 0; t->screen && i < ARRAY_SIZE(screen); i++)
                sigaddset(&mask, screen[i]);
        if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
                return -errno;
        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(both); i++)
                r = sd_event_add_signal(t->event, NULL, both[i], on_signal, t);
        for (size_t i = 0; r >= 0 && t->screen && i < ARRAY_SIZE(screen); i++)
                r = sd_event_add_signal(t->event, NULL, screen[i], on_signal, t);
        return r;
}

static int set_up(struct top *t) {
        int r = add_signals(t);

        if (r < 0)
                return r;
        r = sd_event_add_time_relative(t->event, &t->timer, CLOCK_MONOTONIC, idle_us(t), 1, on_timer, t);
        if (r < 0 || !t->screen)
                return r;
        r = terminal_enter();
        if (r < 0)
                return r;
        if (isatty(STDIN_FILENO))
                r = sd_event_add_io(t->event, NULL, STDIN_FILENO, EPOLLIN, on_key, t);
        return r < 0 ? r : draw(t);
}

static int loop(struct top *t) {
        int r = top_link_connect(&t->link);

        if (r >= 0)
                r = client_check_drive(&t->link.client, t->device); /* one that comes and goes is waited for */
        if (r < 0)
                return client_failed(&t->link.client, r);
        r = set_up(t);
        if (r >= 0)
                r = sd_event_loop(t->event);
        terminal_leave();
        if (r < 0) {
                fprintf(stderr, "brioctl: cannot go on: %s.\n", strerror(-r));
                return CLI_FAILED;
        }
        return r;
}

static int parse(struct top *t, const struct cli_invocation *inv, uint32_t *ret_interval_ms) {
        const char *count = inv->options[OPTION_COUNT], *interval = inv->options[OPTION_INTERVAL];
        const char *sort_word = inv->options[OPTION_SORT], *device = inv->options[OPTION_DEVICE];
        int sort = sort_word ? top_sort_from_string(sort_word) : TOP_SORT_BYTES;
        uint64_t us = INTERVAL_DEFAULT_MS * USEC_PER_MSEC;

        if (count && (str_parse_u64(count, &t->frames_left) < 0 || t->frames_left == 0))
                return cli_usage_error("top", "--count needs a number above 0, not \"%s\".", count);
        if (count && t->screen)
                return cli_usage_error("top", "--count goes with --batch or --json.");
        if (interval && (str_parse_duration_us(interval, &us) < 0 || us < 100 * USEC_PER_MSEC || us > 10 * USEC_PER_SEC))
                return cli_usage_error("top", "--interval needs a time from 100ms to 10s, not \"%s\".", interval);
        if (sort_word && sort < 0)
                return cli_usage_error("top", "--sort needs %s, not \"%s\".", top_sort_words(), sort_word);
        t->device = device ? cli_drive_name(device) : NULL;
        t->sort = (enum top_sort) sort;
        *ret_interval_ms = (uint32_t) (us / USEC_PER_MSEC);
        return CLI_OK;
}

static int run(const struct cli_invocation *inv) {
        struct top *t = calloc(1, sizeof(*t)); /* the stream's buffer is too much for a stack */
        uint32_t interval_ms = INTERVAL_DEFAULT_MS;
        int r;

        if (!t || sd_event_new(&t->event) < 0) {
                fputs("brioctl: out of memory\n", stderr);
                free(t);
                return CLI_FAILED;
        }
        t->json = inv->json;
        t->screen = !inv->json && !inv->options[OPTION_BATCH] && isatty(STDOUT_FILENO);
        output_init(&t->out, stdout);
        r = parse(t, inv, &interval_ms);
        if (r == CLI_OK) {
                top_link_init(&t->link, t->event, inv, interval_ms);
                set_sort(t, t->sort);
                t->link.on_change = on_change;
                t->link.userdata = t;
                r = loop(t);
                top_link_done(&t->link);
        }
        sd_event_source_unref(t->timer);
        sd_event_unref(t->event);
        free(t);
        return r;
}

const struct cli_verb verb_top = {
        .name = "top",
        .operands = "",
        .summary = "Watch drives and the busiest processes live",
        .details = "Keys: q quit, p pause, s sort by the next column, + longer and - shorter interval. Goes on waiting while briod is away.\n"
                   "With --json, one object a line.",
        .json = true,
        .observes = true,
        .options = options,
        .run = run,
};
