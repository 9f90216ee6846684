/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "policy-keys.h"
#include "str.h"
#include "units.h"

static int complain(struct policy_complaint *why, const char *format, ...) _printf_(2, 3);

static int complain(struct policy_complaint *why, const char *format, ...) {
        va_list args;

        va_start(args, format);
        vsnprintf(why->text, sizeof(why->text), format, args);
        va_end(args);
        return -EINVAL;
}

static void *field(struct policy *p, const struct policy_key *key) {
        return (char *) p + key->offset;
}

static const void *field_const(const struct policy *p, const struct policy_key *key) {
        return (const char *) p + key->offset;
}

static int set_bool(struct policy *p, const struct policy_key *key, const char *value, struct policy_complaint *why) {
        if (str_parse_bool(value, field(p, key)) < 0)
                return complain(why, "%s is yes or no, not \"%s\"", key->name, value);
        return 0;
}

static bool format_bool(const struct policy *p, const struct policy_key *key, char *ret_text) {
        str_copy(ret_text, POLICY_TEXT_MAX, *(const bool *) field_const(p, key) ? "yes" : "no");
        return true;
}

static const struct policy_type type_bool = { set_bool, format_bool };

static int set_duration(struct policy *p, const struct policy_key *key, const char *value, struct policy_complaint *why) {
        char low[32], high[32];
        uint64_t us;
        int r = str_parse_duration_us(value, &us);

        if (r == -EINVAL)
                return complain(why, "%s is a time such as 300ms (a whole number with us, ms, s or min), not \"%s\"", key->name, value);
        if (r < 0 || us < key->min || us > key->max)
                return complain(why, "%s must lie between %s and %s, not \"%s\"", key->name,
                                str_format_duration_us(low, sizeof(low), key->min),
                                str_format_duration_us(high, sizeof(high), key->max), value);
        *(uint32_t *) field(p, key) = (uint32_t) us;
        return 0;
}

static bool format_duration(const struct policy *p, const struct policy_key *key, char *ret_text) {
        uint32_t us = *(const uint32_t *) field_const(p, key);

        if (us % USEC_PER_SEC == 0 && us > 0)
                snprintf(ret_text, POLICY_TEXT_MAX, "%" PRIu32 "s", us / (uint32_t) USEC_PER_SEC);
        else if (us % USEC_PER_MSEC == 0)
                snprintf(ret_text, POLICY_TEXT_MAX, "%" PRIu32 "ms", us / (uint32_t) USEC_PER_MSEC);
        else
                snprintf(ret_text, POLICY_TEXT_MAX, "%" PRIu32 "us", us);
        return true;
}

static const struct policy_type type_duration = { set_duration, format_duration };

/* Takes digits only; kind and example are for the message. */
static int set_number(struct policy *p, const struct policy_key *key, const char *digits, const char *value, const char *kind,
                      struct policy_complaint *why) {
        uint64_t n;
        int r = str_parse_u64(digits, &n);

        if (r == -EINVAL)
                return complain(why, "%s is %s, not \"%s\"", key->name, kind, value);
        if (r < 0 || n < key->min || n > key->max)
                return complain(why, "%s must lie between %" PRIu32 " and %" PRIu32 ", not \"%s\"", key->name, key->min, key->max, value);
        *(uint32_t *) field(p, key) = (uint32_t) n;
        return 0;
}

static int set_count(struct policy *p, const struct policy_key *key, const char *value, struct policy_complaint *why) {
        return set_number(p, key, value, value, "a whole number", why);
}

static bool format_count(const struct policy *p, const struct policy_key *key, char *ret_text) {
        snprintf(ret_text, POLICY_TEXT_MAX, "%" PRIu32, *(const uint32_t *) field_const(p, key));
        return true;
}

static const struct policy_type type_count = { set_count, format_count };

static int set_percent(struct policy *p, const struct policy_key *key, const char *value, struct policy_complaint *why) {
        size_t n = strspn(value, "0123456789");
        const char *sign = value + n + strspn(value + n, " ");
        char digits[24] = "";

        if (n < sizeof(digits) && streq(sign, "%"))
                memcpy(digits, value, n);
        return set_number(p, key, digits, value, "a percentage such as 25%", why);
}

static bool format_percent(const struct policy *p, const struct policy_key *key, char *ret_text) {
        snprintf(ret_text, POLICY_TEXT_MAX, "%" PRIu32 "%%", *(const uint32_t *) field_const(p, key));
        return true;
}

static const struct policy_type type_percent = { set_percent, format_percent };

static int set_description(struct policy *p, const struct policy_key *key, const char *value, struct policy_complaint *why) {
        if (strlen(value) >= sizeof(p->description))
                return complain(why, "%s is longer than %zu bytes", key->name, sizeof(p->description) - 1);
        str_copy(p->description, sizeof(p->description), value);
        return 0;
}

static bool format_description(const struct policy *p, _unused_ const struct policy_key *key, char *ret_text) {
        str_copy(ret_text, POLICY_TEXT_MAX, p->description);
        return p->description[0] != '\0';
}

static const struct policy_type type_description = { set_description, format_description };

/* The next word of a list parted by blanks and commas. False at its end; a word that does not fit is cut between characters. */
static bool next_word(const char **list, char *ret, size_t size) {
        size_t n, kept;

        *list += strspn(*list, " ,\t");
        n = strcspn(*list, " ,\t");
        if (n == 0)
                return false;
        kept = MIN(n, size - 1);
        while (kept > 0 && kept < n && ((*list)[kept] & 0xc0) == 0x80)
                kept--;
        memcpy(ret, *list, kept);
        ret[kept] = '\0';
        *list += n;
        return true;
}

static int set_classes(struct policy *p, const struct policy_key *key, const char *value, struct policy_complaint *why) {
        uint32_t classes = 0;
        char word[64];
        struct policy_hint hint = { .word = word };

        while (next_word(&value, word, sizeof(word))) {
                int c = device_class_from_string(word);
                if (c > DEVICE_CLASS_SKIP) {
                        classes |= UINT32_C(1) << c;
                        continue;
                }
                if (c == DEVICE_CLASS_SKIP)
                        return complain(why, "drives of the class \"%s\" are never tuned", word);
                for (int i = DEVICE_CLASS_SKIP + 1; i < _DEVICE_CLASS_MAX; i++)
                        policy_hint_consider(&hint, device_class_to_string((enum device_class) i));
                complain(why, "unknown class \"%s\"", word);
                policy_hint_append(&hint, why);
                return -EINVAL;
        }
        if (classes == 0)
                return complain(why, "%s needs at least one class of drives", key->name);
        p->classes = classes;
        return 0;
}

static void append_word(char *list, const char *word) {
        str_append(list, POLICY_TEXT_MAX, "%s%s", list[0] ? " " : "", word);
}

static bool format_classes(const struct policy *p, _unused_ const struct policy_key *key, char *ret_text) {
        for (int c = 0; c < _DEVICE_CLASS_MAX; c++)
                if (p->classes & UINT32_C(1) << c)
                        append_word(ret_text, device_class_to_string((enum device_class) c));
        return true;
}

static const struct policy_type type_classes = { set_classes, format_classes };

static int unknown_scheduler(const char *word, struct policy_complaint *why) {
        struct policy_hint hint = { .word = word };

        for (int i = 0; i < _SCHEDULER_MAX; i++)
                if (scheduler_to_string((enum scheduler) i))
                        policy_hint_consider(&hint, scheduler_to_string((enum scheduler) i));
        policy_hint_consider(&hint, "keep");
        complain(why, "unknown scheduler \"%s\"", word);
        policy_hint_append(&hint, why);
        return -EINVAL;
}

static int set_schedulers(struct policy *p, const struct policy_key *key, const char *value, struct policy_complaint *why) {
        enum scheduler list[POLICY_SCHEDULERS_MAX];
        size_t n = 0;
        char word[32];

        if (streq(value, "keep")) {
                p->n_schedulers = 0;
                return 0;
        }
        while (next_word(&value, word, sizeof(word))) {
                enum scheduler s = scheduler_from_string(word);
                if (streq(word, "keep"))
                        return complain(why, "\"keep\" stands alone: it leaves the scheduler that is there");
                if (!scheduler_to_string(s))
                        return unknown_scheduler(word, why);
                for (size_t i = 0; i < n; i++)
                        if (list[i] == s)
                                return complain(why, "%s names \"%s\" twice", key->name, word);
                if (n == POLICY_SCHEDULERS_MAX)
                        return complain(why, "%s takes at most %d schedulers", key->name, POLICY_SCHEDULERS_MAX);
                list[n++] = s;
        }
        if (n == 0)
                return complain(why, "%s needs schedulers, best first, or \"keep\"", key->name);
        memcpy(p->schedulers, list, n * sizeof(list[0]));
        p->n_schedulers = n;
        return 0;
}

static bool format_schedulers(const struct policy *p, _unused_ const struct policy_key *key, char *ret_text) {
        for (size_t i = 0; i < p->n_schedulers; i++)
                append_word(ret_text, scheduler_to_string(p->schedulers[i]));
        return p->n_schedulers > 0;
}

static const struct policy_type type_schedulers = { set_schedulers, format_schedulers };

#define SECONDS(n) ((n) * 1000000u)
#define MILLISECONDS(n) ((n) * 1000u)
#define READERS_MAX 1000000u /* above any pid_max that a desktop has; a bound so that a slip of the hand shows */
#define MILLION 1000000u
#define HOUR SECONDS(3600u)  /* a law that is to wait longer is better switched off */

#define AT(member) offsetof(struct policy, member)

/* section, key, type, field, min, max, default, source */
static const struct policy_key table[] = {
        { "Policy", "Description", &type_description, 0, 0, 0, 0, 0 },
        { "Policy", "Class", &type_classes, 0, 0, 0, 0, 0 },
        { "Scheduler", "Prefer", &type_schedulers, 0, 0, 0, 0, 0 },
        /* A switch drains the queue: 0.1 s is far above any drive's own service time, so nothing is on its way then. */
        { "Scheduler", "QuietTime", &type_duration, AT(switch_quiet_us), MILLISECONDS(100), HOUR, POLICY_SWITCH_QUIET_US, 0 },
        /* Above what drives behind SATA reach (some 100 000), below what bfq itself does on a desktop's processor (400 000). */
        { "Scheduler", "BfqMaxIops", &type_count, AT(bfq_max_iops), 1000, 100000000, 150000, 0 },
        { "IdleLimit", "Enabled", &type_bool, AT(idle_limit.enabled), 0, 0, 0, AT(idle_limit.source) },
        /* 300 ms is what a person notices; below 10 ms a single seek takes the whole of it. */
        { "IdleLimit", "GroupSlice", &type_duration, AT(idle_limit.group_slice_us), MILLISECONDS(10), SECONDS(10), MILLISECONDS(300), 0 },
        { "IdleLimit", "MinReaders", &type_count, AT(idle_limit.min_readers), 2, READERS_MAX, 8, 0 },
        /* The seed computed in jiffies: at 250 Hz a share below 4 ms was none. */
        { "IdleLimit", "ShortestWait", &type_duration, AT(idle_limit.shortest_wait_us), 0, SECONDS(1), MILLISECONDS(4), 0 },
        { "IdleLimit", "Ahead", &type_bool, AT(idle_limit.ahead), 0, 0, 0, 0 },
        { "SliceShare", "Enabled", &type_bool, AT(slice_share.enabled), 0, 0, 0, AT(slice_share.source) },
        /* Up to 3 full slices of 100 ms end within 300 ms, so the fourth reader is the first that matters. */
        { "SliceShare", "MinReaders", &type_count, AT(slice_share.min_readers), 4, READERS_MAX, 4, 0 },
        { "SliceShare", "Floor", &type_duration, AT(slice_share.floor_us), 0, SECONDS(1), 0, 0 },
        { "StartupGuard", "Enabled", &type_bool, AT(startup_guard.enabled), 0, 0, 0, AT(startup_guard.source) },
        /* A quarter of bulk: of ten readers that share a disk with heads each moves twice as much. */
        { "StartupGuard", "MinRate", &type_count, AT(startup_guard.min_rate_kib), 1, MILLION, 1024, 0 },
        { "StartupGuard", "MinShare", &type_percent, AT(startup_guard.min_share_percent), 1, 100, 2, 0 },
        /* One that was handed over to another process begins anew within that. */
        { "StartupGuard", "Hold", &type_duration, AT(startup_guard.hold_us), 0, HOUR, MILLISECONDS(500), 0 },
        { "StartupGuard", "Slice", &type_duration, AT(startup_guard.slice_us), 0, SECONDS(1), 0, 0 },
        /* Of 1, 2 and 4 writes at a time the fewest gave the shortest starts on a solid-state drive, and no fewer MB/s written. */
        { "StartupGuard", "WriteDepth", &type_count, AT(startup_guard.write_depth), 0, 1024, 1, 0 },
        /* A third: a user that starts one program after the other leaves the others' processes two thirds of the time. */
        { "StartupGuard", "OthersTime", &type_duration, AT(startup_guard.others_time_us), 0, SECONDS(60), SECONDS(20), 0 },
        { "StreamGuard", "Enabled", &type_bool, AT(stream_guard.enabled), 0, 0, 0, AT(stream_guard.source) },
        /* 60 ms is one and a half frames of a film: what comes within it is not seen to be late. */
        { "StreamGuard", "LongestWait", &type_duration, AT(stream_guard.longest_wait_us), MILLISECONDS(1), SECONDS(10), MILLISECONDS(60), 0 },
        /* Less than a stream itself may move fills no queue. */
        { "StreamGuard", "MinWritten", &type_count, AT(stream_guard.min_written_mib), 0, 1u << 20, 4, 0 },
        /* A copy writes for as long as memory lets it, and then not for ten seconds and more. */
        { "StreamGuard", "Hold", &type_duration, AT(stream_guard.hold_us), 0, HOUR, SECONDS(30), 0 },
        { "WritebackGuard", "Enabled", &type_bool, AT(writeback_guard.enabled), 0, 0, 0, AT(writeback_guard.source) },
        /* 300 ms is what a person notices. */
        { "WritebackGuard", "MinRead", &type_duration, AT(writeback_guard.min_read_us), 0, SECONDS(60), MILLISECONDS(300), 0 },
        { "WritebackGuard", "LongestWait", &type_duration, AT(writeback_guard.longest_wait_us), MILLISECONDS(1), SECONDS(10), MILLISECONDS(60), 0 },
        { "Readahead", "Enabled", &type_bool, AT(readahead.enabled), 0, 0, 0, AT(readahead.source) },
        /* As long as the way to it on a disk with heads, which reads 1 MiB in 7 ms; below 4 KiB the kernel reads nothing ahead. */
        { "Readahead", "Size", &type_count, AT(readahead.size_kib), 4, 16384, 1024, 0 },
        { "HoleFiller", "Enabled", &type_bool, AT(hole_filler.enabled), 0, 0, 0, AT(hole_filler.source) },
        { "Throughput", "Enabled", &type_bool, AT(throughput.enabled), 0, 0, 0, AT(throughput.source) },
        { "StepBack", "Enabled", &type_bool, AT(step_back.enabled), 0, 0, 0, AT(step_back.source) },
        /* A process that is bulk has been so for five seconds already: the detector takes that long. */
        { "StepBack", "After", &type_duration, AT(step_back.after_us), 0, HOUR, 0, 0 },
        { "StepBack", "Pause", &type_duration, AT(step_back.pause_us), MILLISECONDS(100), HOUR, SECONDS(10), 0 },
        { "StepBack", "Never", NULL, 0, PROGRAM_NEVER, PROGRAM_NEVER, 0, 0 },
        { "StepBack", "Always", NULL, 0, PROGRAM_ALWAYS, PROGRAM_ALWAYS, 0, 0 },
        { "Trial", "Enabled", &type_bool, AT(trial.enabled), 0, 0, 0, 0 },
        { "Trial", "Probe", &type_bool, AT(trial.probe), 0, 0, 0, 0 },
        { "Trial", "ProbeAfter", &type_duration, AT(trial.probe_after_us), SECONDS(10), HOUR, SECONDS(30), 0 },
        /* What was queued under the old value comes out within two rounds of a hundred requests on a disk with heads. */
        { "Trial", "Settle", &type_duration, AT(trial.settle_us), MILLISECONDS(100), SECONDS(60), SECONDS(2), 0 },
        { "Trial", "Backoff", &type_duration, AT(trial.backoff_us), SECONDS(60), HOUR, HOUR, 0 },
        { "Trial", "RememberDays", &type_count, AT(trial.remember_days), 1, 3650, 30, 0 },
        { "Prefetch", "Enabled", &type_bool, AT(prefetch.enabled), 0, 0, 0, 0 },
        { "Prefetch", "Commands", &type_bool, AT(prefetch.commands), 0, 0, 0, 0 },
        { "Prefetch", "Session", &type_bool, AT(prefetch.session), 0, 0, 0, 0 },
        { "Prefetch", "Next", &type_bool, AT(prefetch.next), 0, 0, 0, 0 },
        /* What is available is mostly what was read and may be used again: a quarter leaves most of it. */
        { "Prefetch", "Memory", &type_percent, AT(prefetch.memory_percent), 1, 100, 25, 0 },
        /* Twice what the largest desktop programs read. */
        { "Prefetch", "Most", &type_count, AT(prefetch.most_mib), 1, 1024, 512, 0 },
        { "Prefetch", "ControlEvery", &type_count, AT(prefetch.control_every), 2, 1000, 16, 0 },
        /* One each quarter of a minute: far more than any load asks for, far fewer than a wear that shows. */
        { "Timing", "ChangesPerHour", &type_count, AT(changes_per_hour), 1, 3600, 240, 0 },
        { "Timing", "Dwell", &type_duration, AT(dwell_us), MILLISECONDS(100), HOUR, SECONDS(2), 0 },
        { "Timing", "Hold", &type_duration, AT(hold_us), 0, HOUR, SECONDS(5), 0 },
        { "Timing", "Hysteresis", &type_percent, AT(hysteresis_percent), 0, 100, 25, 0 },
        { POLICY_LIMITS_SECTION, POLICY_LIMITS_ANY, NULL, 0, 0, 0, 0, 0 },
        { .section = NULL },
};

const struct policy_key *policy_key_table(void) {
        return table;
}

const struct policy_key *policy_key_find(const char *section, const char *name) {
        for (const struct policy_key *k = table; k->section; k++)
                if (streq(k->section, section) && streq(k->name, name))
                        return k;
        return NULL;
}

bool policy_is_enabled(const struct policy *p, const char *section, struct policy_source *ret_source) {
        const struct policy_key *key = policy_key_find(section, "Enabled");

        *ret_source = *(const struct policy_source *) (const void *) ((const char *) p + key->source_offset);
        return *(const bool *) field_const(p, key);
}

bool policy_key_format(const struct policy *p, const struct policy_key *key, char ret_text[static POLICY_TEXT_MAX]) {
        ret_text[0] = '\0';
        return key->type && key->type->format(p, key, ret_text);
}

/* Beyond a third of the word it is another word rather than a slip. */
static size_t slips(const char *word) {
        return MAX(strlen(word) / 3, 1u);
}

void policy_hint_consider(struct policy_hint *h, const char *candidate) {
        size_t n = strlen(h->word), m = strlen(candidate), distance;

        if (MAX(n, m) - MIN(n, m) > slips(candidate)) /* no nearer than that */
                return;
        distance = str_distance(h->word, candidate);
        if (*h->nearest == '\0' || distance < h->distance) {
                str_copy(h->nearest, sizeof(h->nearest), candidate);
                h->distance = distance;
        }
}

void policy_hint_append(const struct policy_hint *h, struct policy_complaint *why) {
        if (*h->nearest && h->distance <= slips(h->nearest))
                str_append(why->text, sizeof(why->text), ", did you mean %s?", h->nearest);
}
