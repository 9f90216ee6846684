/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording in the place of this machine: its drives are files of ours, its events and looks come when their time has come. */
#include <errno.h>

#include "log.h"
#include "manager-private.h"
#include "recording-drive.h"
#include "recording-outcome.h"
#include "replay.h"
#include "statement.h"
#include "str.h"

/* The bus is not to wait for a recording that has very much at once. */
#define ITEMS_AT_ONCE_MAX 20000

static void say_why_not(const char *file, int error) {
        if (error == -ENODATA)
                log_error("%s is empty", file);
        else if (error == -EBADMSG)
                log_error("%s is no recording; \"brioctl record\" makes one", file);
        else if (error == -EPROTONOSUPPORT)
                log_error("%s is a recording of another version; this briod reads version %d", file, RECORDING_VERSION);
        else
                log_error("cannot read %s: %s", file, strerror(-error));
}

int manager_begin_replay(struct manager *m) {
        int r = source_replay_new(m->options->replay, &m->source_replay);

        if (r < 0) {
                say_why_not(m->options->replay, r);
                return r;
        }
        r = replay_tree_new(&m->replay_tree);
        if (r < 0) {
                log_error("cannot make a directory for the drives of %s: %s", m->options->replay, strerror(-r));
                return r;
        }
        m->replay_options = *m->options;
        m->replay_options.root = replay_tree_root(m->replay_tree);
        m->replay_options.state_dir = NULL; /* below the root */
        m->options = &m->replay_options;
        return 0;
}

static void set_drive(struct manager *m, const char *text) {
        struct drive drive = { .class_reason = statement_plain(SAY_AS_RECORDED) };
        const struct controller_device *known;
        struct manager_drive *d;
        struct device_facts facts;
        int r = recording_parse_drive(text, &facts);

        known = r < 0 ? NULL : controller_find_device(m->controller, facts.dev);
        if (known)
                replay_keep_ours(known, &facts);
        if (r == 0) {
                replay_complete_settings(&facts);
                r = replay_tree_put(m->replay_tree, &facts);
        }
        if (r < 0) {
                log_warning("a drive of the recording cannot be shown: %s", strerror(-r));
                return;
        }
        d = manager_find_drive(m, facts.name);
        if (d && d->drive.dev == facts.dev) {
                manager_refresh_drive(m, d);
                return;
        }
        str_copy(drive.name, sizeof(drive.name), facts.name);
        drive.dev = facts.dev;
        drive.class = facts.class;
        drive.traits.rotational = facts.rotational;
        manager_on_drive(m, DRIVE_ADDED, &drive);
}

static void remove_drive(struct manager *m, uint32_t dev) {
        const struct manager_drive *d = manager_find_drive_by_dev(m, dev);

        if (d) {
                struct drive drive = d->drive;
                manager_on_drive(m, DRIVE_REMOVED, &drive);
        }
}

/* What tells single requests is not here to be begun: that it was is shown. */
static void show_watch(struct manager *m, const struct event *e) {
        struct manager_drive *d = manager_find_drive_by_dev(m, e->dev);

        if (!d || d->watch.on == e->watch.on)
                return;
        d->watch = (struct drive_watch){ .on = e->watch.on, .summed = e->watch.on && (e->flags & EVENT_SUMMED) };
        if (d->watch.on)
                str_copy(d->watch.reason, sizeof(d->watch.reason), "as it was recorded");
}

static void take_event(struct manager *m, const struct event *e) {
        if (e->kind == EVENT_DEVICE_GONE) {
                remove_drive(m, e->dev);
                return;
        }
        if (e->kind == EVENT_WATCH)
                show_watch(m, e);
        manager_take_event(m, e);
        if (e->kind == EVENT_PRESENCE)
                manager_on_presence(m);
}

static void look(struct manager *m, nsec_t t, uint8_t hold) {
        m->replay_hold = hold < _HOLD_MAX ? (enum hold) hold : HOLD_NONE;
        model_view_devices(m->model, t, m->snapshot);
        manager_choose_attention(m, t);
        manager_look(m, t, m->replay_hold);
}

static void take_item(struct manager *m, const struct recording_item *item) {
        switch (item->kind) {
        case RECORDING_ENVIRONMENT:
        case RECORDING_LATER:
                return;
        case RECORDING_DRIVE:
                set_drive(m, item->text);
                return;
        case RECORDING_OUTCOME:
                recording_take_outcome(m->controller, item->text, item->t);
                return;
        case RECORDING_EVENT:
                take_event(m, &item->event);
                return;
        case RECORDING_TICK:
                look(m, item->t, item->hold);
                return;
        }
}

void manager_replay(struct manager *m, nsec_t now) {
        struct recording_item item;
        const char *complaint;

        for (unsigned n = 0; n < ITEMS_AT_ONCE_MAX && source_replay_take(m->source_replay, now, &item) > 0; n++)
                take_item(m, &item);
        if (m->replay_over || source_replay_due(m->source_replay) < UINT64_MAX)
                return;
        m->replay_over = true;
        complaint = source_replay_complaint(m->source_replay);
        log_notice("%s is over: what was known at its end stays to be seen", m->options->replay);
        if (*complaint)
                log_warning("%s: %s", m->options->replay, complaint);
}
