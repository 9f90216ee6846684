/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>

#include "client.h"
#include "clock.h"
#include "fdio.h"
#include "recording.h"
#include "str.h"
#include "verbs.h"

enum { OPTION_DURATION, OPTION_OUTPUT };

static const struct cli_option options[] = {
        [OPTION_DURATION] = { "duration", 'd', "TIME", "end after this time: \"30s\" (default: with Ctrl-C)" },
        [OPTION_OUTPUT] = { "output", 'o', "FILE", "a new file; \"-\" is the standard output (default: brio-DATE-TIME.recording)" },
        {},
};

#define PROGRESS_NS NSEC_PER_SEC
/* briod sends what it has with each tick, which comes once a second at least: what was seen before the end is waited for. */
#define LAST_TICK_NS (1500 * NSEC_PER_MSEC)

struct record {
        const char *name;
        char name_buffer[64];
        int file, pipe, signals;
        nsec_t began, until; /* until 0: not given */
        nsec_t asked;        /* to end; 0: not yet */
        nsec_t shown;
        bool progress;
        bool ending;         /* what is in the pipe is all */
        bool gone;           /* briod closed its end */
        int write_error;             /* negative errno */
        uint64_t bytes, lost;
        struct recording_reader reader;
};

static void show_progress(struct record *r, nsec_t now) {
        char size[32];

        if (!r->progress || now - r->shown < PROGRESS_NS)
                return;
        r->shown = now;
        fprintf(stderr, "\r%" PRIu64 " s, %" PRIu64 " events, %s, lost: %" PRIu64 "; Ctrl-C ends it \033[K", (uint64_t) ((now - r->began) / NSEC_PER_SEC),
                r->reader.counters.events, str_format_bytes(size, sizeof(size), r->bytes), r->lost);
}

static nsec_t next_deadline(const struct record *r, nsec_t now) {
        if (r->asked)
                return r->asked + LAST_TICK_NS;
        return r->until ? r->until : now + PROGRESS_NS;
}

/* Until there is something to read, a signal ends it, or the time is over. A second signal does not wait. */
static void wait_for_data(struct record *r) {
        struct pollfd fds[] = { { .fd = r->pipe, .events = POLLIN }, { .fd = r->signals, .events = POLLIN } };
        nsec_t now = clock_now(CLOCK_MONOTONIC), left = nsec_sub(next_deadline(r, now), now);
        struct signalfd_siginfo signal;
        bool asks;

        poll(fds, ARRAY_SIZE(fds), (int) (MIN(left, PROGRESS_NS) / NSEC_PER_MSEC) + 1);
        now = clock_now(CLOCK_MONOTONIC);
        asks = fds[1].revents != 0 && read(r->signals, &signal, sizeof(signal)) > 0;
        r->ending = r->asked && (asks || now >= r->asked + LAST_TICK_NS);
        if (!r->asked && (asks || (r->until && now >= r->until)))
                r->asked = now;
        show_progress(r, now);
}

/* What is read from briod goes to the file as it is; it passes through the reader, which counts. */
static ssize_t fill(void *userdata, void *buf, size_t size) {
        struct record *r = userdata;

        for (;;) {
                ssize_t n;
                if (!r->ending)
                        wait_for_data(r);
                n = read(r->pipe, buf, size);
                if (n > 0) {
                        r->write_error = fdio_write_all(r->file, buf, (size_t) n);
                        r->bytes += (uint64_t) n;
                        return r->write_error < 0 ? r->write_error : n;
                }
                if (n < 0 && errno != EAGAIN && errno != EINTR)
                        return -errno;
                r->gone = n == 0;
                if (n == 0 || (errno == EAGAIN && r->ending))
                        return 0;
        }
}

static int write_end(struct record *r) {
        uint8_t end[RECORDING_END_BYTES];
        int e;

        recording_write_end(end, r->reader.counters.events + r->reader.counters.ticks);
        e = fdio_write_all(r->file, end, sizeof(end));
        r->bytes += sizeof(end);
        return e < 0 ? e : 0;
}

static void print_summary(const struct record *r, bool json) {
        uint64_t us = (clock_now(CLOCK_MONOTONIC) - r->began) / NSEC_PER_USEC;
        FILE *to = r->file == STDOUT_FILENO ? stderr : stdout;
        char size[32], span[32];

        if (json) {
                _cleanup_value_ struct json_object *o = json_object_new_object();
                json_object_object_add(o, "file", json_object_new_string(r->name));
                json_object_object_add(o, "duration_usec", json_object_new_uint64(us));
                json_object_object_add(o, "events", json_object_new_uint64(r->reader.counters.events));
                json_object_object_add(o, "events_lost", json_object_new_uint64(r->lost));
                json_object_object_add(o, "bytes", json_object_new_uint64(r->bytes));
                value_print(o);
                return;
        }
        fprintf(to, "%s: %s, %" PRIu64 " events, %s, lost: %" PRIu64 ".\n", r->name, str_format_duration_us(span, sizeof(span), us),
                r->reader.counters.events, str_format_bytes(size, sizeof(size), r->bytes), r->lost);
}

/* Reads to the end. Returns an exit code. */
static int receive(struct record *r, bool json) {
        struct recording_item item;
        int e;

        recording_reader_init(&r->reader, fill, r);
        while ((e = recording_read(&r->reader, &item)) > 0) {
                if (item.kind == RECORDING_EVENT && item.event.kind == EVENT_LOST)
                        r->lost += MAX(item.event.lost.count, 1u);
                if (item.kind == RECORDING_TICK && r->asked && item.t >= r->asked)
                        r->ending = true;
        }
        if (e == 0)
                e = r->write_error = write_end(r);
        if (r->progress)
                fputs("\r\033[K", stderr);
        if (e < 0) {
                fprintf(stderr, "brioctl: cannot %s %s: %s.\n", r->write_error < 0 ? "write" : "go on with", r->name, strerror(-e));
                return CLI_FAILED;
        }
        print_summary(r, json);
        if (!r->gone)
                return CLI_OK;
        fputs("brioctl: briod ended, and so does the recording.\n", stderr);
        return CLI_FAILED;
}

static int catch_signals(struct record *r) {
        sigset_t mask;

        sigemptyset(&mask);
        sigaddset(&mask, SIGINT);
        sigaddset(&mask, SIGTERM);
        sigaddset(&mask, SIGHUP);
        if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0)
                return -errno;
        r->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
        return r->signals < 0 ? -errno : 0;
}

/* Begins and goes on to the end. Returns an exit code; CLI_NO_DAEMON and others leave the file empty. */
static int record(struct record *r, const struct cli_invocation *inv, uint64_t duration_us) {
        _cleanup_client_ struct client client;
        int e = client_open(&client, inv->bus);

        for (int i = 0; e >= 0 && i < inv->argc; i++)
                e = client_check_drive(&client, cli_drive_name(inv->argv[i]));
        if (e >= 0)
                e = client_open_recording(&client, inv->argv, (size_t) inv->argc, &r->pipe);
        if (e < 0)
                return client_failed(&client, e);
        e = catch_signals(r);
        if (e < 0 || fcntl(r->pipe, F_SETFL, O_NONBLOCK) < 0) {
                fprintf(stderr, "brioctl: cannot go on: %s.\n", strerror(e < 0 ? -e : errno));
                return CLI_FAILED;
        }
        r->began = clock_now(CLOCK_MONOTONIC);
        r->until = duration_us ? r->began + duration_us * NSEC_PER_USEC : 0;
        return receive(r, inv->json);
}

static void default_name(char *buf, size_t size) {
        time_t now = time(NULL);
        struct tm tm;

        localtime_r(&now, &tm);
        strftime(buf, size, "brio-%Y%m%d-%H%M%S.recording", &tm);
}

/* Only a file is to be removed; a device or a pipe is written to as the shell does it. */
static void say_why_not(const char *name) {
        struct stat st;
        bool there = lstat(name, &st) == 0;

        if (there && S_ISREG(st.st_mode))
                fprintf(stderr, "brioctl: %s is there already. Remove it, or name another file with -o.\n", name);
        else if (there && (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)))
                fprintf(stderr, "brioctl: %s is there already, and no file: name a new one with -o, or use \"-o - > %s\".\n", name, name);
        else
                fprintf(stderr, "brioctl: %s is there already, and no file: name a new one with -o.\n", name);
}

/* Returns CLI_OK or another exit code, after having said why. */
static int open_output(struct record *r, const char *output, bool json) {
        if (output && streq(output, "-")) {
                r->name = "standard output";
                r->file = STDOUT_FILENO;
                if (json)
                        return cli_usage_error("record", "--json does not go with the recording on the standard output.");
                if (isatty(r->file))
                        return cli_usage_error("record", "a recording is nothing for a terminal: name a file with -o.");
                return CLI_OK;
        }
        default_name(r->name_buffer, sizeof(r->name_buffer));
        r->name = output ? output : r->name_buffer;
        /* What others do on the drives is not for every user to read. */
        r->file = open(r->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
        if (r->file >= 0)
                return CLI_OK;
        if (errno == EEXIST)
                say_why_not(r->name);
        else
                fprintf(stderr, "brioctl: cannot make %s: %s.\n", r->name, strerror(errno));
        return CLI_FAILED;
}

static int run(const struct cli_invocation *inv) {
        const char *duration = inv->options[OPTION_DURATION];
        _cleanup_free_ struct record *r = calloc(1, sizeof(*r));
        uint64_t duration_us = 0;
        int code;

        if (!r) {
                fputs("brioctl: out of memory\n", stderr);
                return CLI_FAILED;
        }
        r->file = r->pipe = r->signals = -1;
        r->progress = isatty(STDERR_FILENO);
        if (duration && (str_parse_duration_us(duration, &duration_us) < 0 || duration_us == 0 || duration_us > UINT64_MAX / 2 / NSEC_PER_USEC))
                return cli_usage_error("record", "--duration needs a time above 0 like \"30s\", not \"%s\".", duration);
        code = open_output(r, inv->options[OPTION_OUTPUT], inv->json);
        if (code == CLI_OK)
                code = record(r, inv, duration_us);
        if (r->file > STDERR_FILENO) {
                if (r->bytes == 0)
                        unlink(r->name);
                safe_close(r->file);
        }
        safe_close(r->pipe);
        safe_close(r->signals);
        return code;
}

const struct cli_verb verb_record = {
        .name = "record",
        .operands = "[DEV]...",
        .summary = "Write down what briod sees, for `brioctl replay`",
        .details = "The drives that are named are looked at request by request meanwhile; without one, what briod sees anyway\n"
                   "is recorded, of all drives. Names of processes are in it, but none of files. Ctrl-C ends it well.",
        .max_operands = -1,
        .json = true,
        .options = options,
        .run = run,
};
