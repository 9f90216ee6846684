/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "kernel-verdicts.h"
#include "str.h"

/* bfq speaks of a process whenever it serves it: players pause for a second or two at most. */
#define HEAR_S 5

static bool is_over(struct json_object *stream) {
        return streq(value_text(stream, "state"), "ended");
}

/* Of the queues of its threads the one that is raised most; NULL: bfq did not speak of it. */
static struct json_object *find(struct json_object *verdicts, struct json_object *stream) {
        struct json_object *best = NULL;

        for (size_t i = 0; i < value_length(verdicts); i++) {
                struct json_object *v = value_at(verdicts, i);
                if (value_u64(v, "pid") == value_u64(stream, "pid") && streq(value_text(v, "device"), value_text(stream, "device")) &&
                    (!best || value_u64(v, "coefficient") > value_u64(best, "coefficient")))
                        best = v;
        }
        return best;
}

static void add(struct json_object *stream, struct json_object *verdict) {
        json_object_object_add(stream, "kernel_heard", json_object_new_string(verdict ? value_text(verdict, "verdict") : "nothing"));
        if (verdict)
                json_object_object_add(stream, "kernel_heard_usec", json_object_new_uint64(value_u64(verdict, "since_usec")));
}

int kernel_verdicts_hear(struct client *c, struct json_object *streams) {
        _cleanup_value_ struct json_object *verdicts = NULL;
        const struct timespec while_it_speaks = { .tv_sec = HEAR_S };
        /* The first call begins, and knows nothing yet; the last one lets it end soon. */
        int r = client_call(c, NULL, "GetKernelVerdicts", "u", (uint32_t) (2 * HEAR_S));

        if (r < 0)
                return r;
        if (isatty(STDERR_FILENO))
                fprintf(stderr, "Listening to bfq for %d s ...\n", HEAR_S);
        nanosleep(&while_it_speaks, NULL);
        r = client_call(c, &verdicts, "GetKernelVerdicts", "u", (uint32_t) 1);
        for (size_t i = 0; r >= 0 && i < value_length(streams); i++)
                if (!is_over(value_at(streams, i)))
                        add(value_at(streams, i), find(verdicts, value_at(streams, i)));
        return r;
}

static void print_one(const struct output *o, struct json_object *s) {
        const char *heard = value_text(s, "kernel_heard"), *name = value_text(s, "name");
        bool is_stream = !streq(value_text(s, "state"), "near-miss");
        uint64_t pid = value_u64(s, "pid");
        char since[32];

        str_format_duration_us(since, sizeof(since), value_u64(s, "kernel_heard_usec"));
        if (streq(heard, "soft-rt"))
                output_paragraph(o, 2, is_stream ? "%s (%" PRIu64 "): the kernel agrees since %s" : "%s (%" PRIu64 "): the kernel takes it for soft real-time since %s, and Brio does not",
                                 name, pid, since);
        else if (streq(heard, "none"))
                output_paragraph(o, 2, is_stream ? "%s (%" PRIu64 "): the kernel does not agree since %s" : "%s (%" PRIu64 "): the kernel agrees since %s", name, pid, since);
        else if (streq(heard, "interactive"))
                output_paragraph(o, 2, "%s (%" PRIu64 "): the kernel takes it for an application that starts since %s", name, pid, since);
        else if (streq(heard, "other"))
                output_paragraph(o, 2, "%s (%" PRIu64 "): the kernel prefers it in a way that Brio does not know since %s", name, pid, since);
        else
                output_paragraph(o, 2, "%s (%" PRIu64 "): the kernel said nothing of it in %d s", name, pid, HEAR_S);
}

void kernel_verdicts_print(const struct output *o, struct json_object *streams) {
        bool any = false;

        for (size_t i = 0; i < value_length(streams); i++) {
                if (is_over(value_at(streams, i)))
                        continue;
                if (!any) {
                        putchar('\n');
                        output_heading(o, "The kernel");
                }
                any = true;
                print_one(o, value_at(streams, i));
        }
}
