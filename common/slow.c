/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slow.h"

#include <libintl.h>

#include "config.h"
#include "str.h"

#define _(text) dgettext(GETTEXT_PACKAGE, text)

bool slow_is_worth_telling(const struct slow_start *s) {
        int64_t excess_us = s->latency_us - s->median_us;

        if (!s->launched || s->known < SLOW_KNOWN_MIN || s->median_us <= 0 || s->p95_us <= 0 || !s->culprit)
                return false;
        return s->latency_us >= SLOW_FACTOR * s->median_us && excess_us >= SLOW_EXCESS_US && s->latency_us >= s->p95_us && 2 * s->waited_us >= excess_us;
}

bool slow_limit_take(struct slow_limit *l, const char *application, int64_t now_us) {
        size_t at = 0;

        if (l->n > 0 && now_us - l->last_us < SLOW_PAUSE_US)
                return false;
        while (at < l->n && !streq(l->known[at].application, application))
                at++;
        if (at < l->n && now_us - l->known[at].told_us < SLOW_APPLICATION_PAUSE_US)
                return false;
        if (at == l->n) {
                at = l->next;
                l->next = (l->next + 1) % SLOW_APPLICATIONS_MAX;
                l->n = MIN(l->n + 1, (size_t) SLOW_APPLICATIONS_MAX);
        }
        str_copy(l->known[at].application, sizeof(l->known[at].application), application);
        l->known[at].told_us = l->last_us = now_us;
        return true;
}

static char *duration(char *buf, size_t size, int64_t us) {
        return str_format_duration_us(buf, size, (uint64_t) MAX(us, (int64_t) 0));
}

char *slow_format_title(const struct slow_start *s, const char *name, char *buf, size_t size) {
        char took[32];

        /* Translators: a notification: an application, and how long its start took: "Firefox took 4.7 s to start" */
        snprintf(buf, size, _("%s took %s to start"), name, duration(took, sizeof(took), s->latency_us));
        return buf;
}

char *slow_format_body(const struct slow_start *s, char *buf, size_t size) {
        char usually[32], waited[32];

        duration(usually, sizeof(usually), s->median_us);
        duration(waited, sizeof(waited), s->waited_us);
        if (!s->culprit)
                /* Translators: what the start of an application usually takes */
                snprintf(buf, size, _("Usually %s."), usually);
        else if (!*s->drive)
                /* Translators: what a start usually takes, what it waited for the drive this time, a program, and its share of the drive */
                snprintf(buf, size, _("Usually %s. It waited %s for the drive, while %s had %d %% of it."), usually, waited, s->culprit,
                         (int) (s->culprit_permille / 10));
        else
                /* Translators: what a start usually takes, what it waited this time for which drive, a program, and its share of the drive */
                snprintf(buf, size, _("Usually %s. It waited %s for %s, while %s had %d %% of that drive."), usually, waited, s->drive, s->culprit,
                         (int) (s->culprit_permille / 10));
        return buf;
}
