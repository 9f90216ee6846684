/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>

#include "log.h"
#include "mention.h"
#include "str.h"

/* journalctl MESSAGE_ID=… finds every decision */
#define MESSAGE_DECISION "MESSAGE_ID=8f2b6a1b0c8e4a0ea6b6f7d2f2c4b71d"

static int max_level = LOG_INFO;
static bool use_journal;

/* systemd sets $JOURNAL_STREAM to the device and inode of the stream that it connected to stderr. */
static bool stderr_is_journal(void) {
        const char *stream = getenv("JOURNAL_STREAM");
        uintmax_t dev, ino;
        struct stat st;

        return stream && sscanf(stream, "%ju:%ju", &dev, &ino) == 2 && fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev &&
               st.st_ino == ino;
}

void log_open(int level) {
        max_level = level;
        use_journal = stderr_is_journal();
}

void log_message(int priority, const char *format, ...) {
        va_list args;
        char text[1024], told[MENTION_TOLD_MAX];

        if (priority > max_level)
                return;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        str_make_text(mention_tell_all(text, told, sizeof(told)), sizeof(told)); /* a part of it may be a user's */
        if (use_journal && sd_journal_send("MESSAGE=%s", told, "PRIORITY=%i", priority, NULL) >= 0)
                return;
        fprintf(stderr, "briod: %s%s\n", priority <= LOG_ERR ? "error: " : priority == LOG_WARNING ? "warning: " : "", told);
}

static int decision_priority(const struct receipt *r) {
        return r->result == RECEIPT_FAILED ? LOG_WARNING : LOG_NOTICE;
}

void log_decision(const char *device, const struct receipt *r, const char *reason) {
        const char *tunable = receipt_setting(r), *result = receipt_result_to_string(r->result);
        const char *name = r->error ? strerrorname_np(-r->error) : "", *error = name ? name : "an error without a name"; /* of a driver */
        const char *new = *r->wanted ? r->wanted : r->observed; /* nothing wanted: another program wrote what is there now */
        int priority = decision_priority(r);
        char what[64], text[MENTION_TOLD_MAX];

        if (priority > max_level)
                return;
        reason = mention_tell_all(reason, text, sizeof(text));
        str_copy(what, sizeof(what), tunable);
        if (r->process.tgid > 0)
                str_append(what, sizeof(what), " of %s (%" PRId32 ")", r->process.name, r->process.tgid);
        if (!*device) /* of a process that an earlier run has left */
                device = "-";
        if (use_journal &&
            sd_journal_send(MESSAGE_DECISION, "PRIORITY=%i", priority, "MESSAGE=%s: %s %s -> %s (%s%s%s): %s", device, what, r->old,
                            new, result, *error ? " " : "", error, reason, "BRIO_DEVICE=%s", device, "BRIO_TUNABLE=%s", tunable,
                            "BRIO_OLD=%s", r->old, "BRIO_NEW=%s", r->wanted, "BRIO_OBSERVED=%s", r->observed, "BRIO_LAW=%s",
                            law_to_string(r->law), "BRIO_REASON=%s", reason, "BRIO_RESULT=%s", result, "ERRNO=%i", -r->error, "BRIO_PID=%" PRId32, r->process.tgid,
                            NULL) >= 0)
                return;
        fprintf(stderr, "briod: %s: %s %s -> %s (%s%s%s): %s\n", device, what, r->old, new, result, *error ? " " : "", error, reason);
}
