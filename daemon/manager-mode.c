/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mode: what was set outlives briod; else the command line or the configuration says it. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "bus.h"
#include "log.h"
#include "manager-private.h"
#include "mode-store.h"
#include "names.h"
#include "statement.h"

static const char *const origin_names[_MODE_ORIGIN_MAX] = {
        [MODE_ORIGIN_DEFAULT] = "default",
        [MODE_ORIGIN_CONFIGURATION] = "configuration",
        [MODE_ORIGIN_COMMAND_LINE] = "command-line",
        [MODE_ORIGIN_KEPT] = "kept",
        [MODE_ORIGIN_SET] = "set",
};

const char *mode_origin_to_string(enum mode_origin o) {
        return origin_names[o];
}

static enum mode_origin configured_origin(const struct options *o) {
        if (o->mode_given)
                return MODE_ORIGIN_COMMAND_LINE;
        return o->mode_configured ? MODE_ORIGIN_CONFIGURATION : MODE_ORIGIN_DEFAULT;
}

/* Whether it is kept. Where it cannot be, one that was kept before may not come back with the next start: it was set to another since. */
static bool keep(struct manager *m, enum mode mode) {
        char dir[PATH_MAX];
        const char *state = manager_state_dir(m->options, dir, sizeof(dir));
        enum mode older = mode;
        int r = m->options->replay ? -EROFS : mode_store_save(state, mode);

        if (r >= 0 || m->options->replay)
                return r >= 0;
        if (mode_store_drop(state) < 0 && mode_store_load(state, &older) > 0 && older == mode)
                return true; /* it says so already */
        log_warning("%s/mode cannot be written: %s; the mode %s lasts until briod ends%s%s%s", state, strerror(-r), mode_to_string(mode),
                    older != mode ? ", and " : "", older != mode ? mode_to_string(older) : "",
                    older != mode ? ", which was kept before, comes back with its next start" : "");
        return false;
}

/* A mode was set, and it may have been off: what changes nothing of its own is safe, until it is set again. */
static void be_careful(struct manager *m, const char *dir, int error) {
        enum mode mode = m->options->mode_given ? m->options->mode : MODE_ADVISE;
        bool kept = keep(m, MODE_ADVISE);

        if (!m->options->mode_given) {
                m->mode = mode;
                m->mode_origin = kept ? MODE_ORIGIN_KEPT : MODE_ORIGIN_SET;
        }
        if (error == -EBADMSG)
                log_warning("%s/mode is damaged, and kept as mode.damaged: the mode that was set is not known, it is %s now", dir, mode_to_string(mode));
        else
                log_warning("%s/mode cannot be read: %s; the mode that was set is not known, it is %s now", dir, strerror(-error), mode_to_string(mode));
}

void manager_load_mode(struct manager *m, const char *dir) {
        enum mode kept = MODE_AUTO;
        int r;

        m->mode = m->options->mode;
        m->mode_origin = configured_origin(m->options);
        if (m->options->replay)
                return;
        r = mode_store_load(dir, &kept);
        if (r < 0 && r != -ENOENT) /* without a directory nothing was set */
                be_careful(m, dir, r);
        if (r <= 0 || m->options->mode_given)
                return;
        m->mode = kept;
        m->mode_origin = MODE_ORIGIN_KEPT;
}

static void change(struct manager *m, enum mode mode, enum mode_origin origin) {
        log_notice("mode %s -> %s (%s)", mode_to_string(m->mode), mode_to_string(mode), mode_origin_to_string(origin));
        m->mode = mode;
        m->mode_origin = origin;
        sd_notifyf(false, "STATUS=mode %s", mode_to_string(mode));
        bus_manager_changed(m->bus, "Mode");
        bus_manager_changed(m->bus, "ModeOrigin");
}

void manager_keep_mode(struct manager *m, enum mode mode) {
        change(m, mode, keep(m, mode) ? MODE_ORIGIN_KEPT : MODE_ORIGIN_SET);
}

static void release_holds(struct manager *m) {
        struct hold_entry hold;

        while (holds_take(&m->holds, &hold))
                bus_hold_released(m->bus, &hold);
}

void manager_start_afresh(struct manager *m) {
        controller_forgive(m->controller, 0);
        release_holds(m);
        bus_manager_changed(m->bus, "ActiveHolds");
        manager_tick(m);
}

/* NULL: ERRANDS_MAX are asked for already. An earlier one ends: its mode is none any more. */
static struct errand *begin(struct manager *m, enum mode mode, errand_done_fn done, void *userdata) {
        struct errand *e;

        manager_end_errands(m, true);
        e = manager_new_errand(m, done, userdata);
        if (!e)
                return NULL;
        e->afresh = true;
        e->puts_back = mode != MODE_AUTO;
        e->reason = statement_plain(mode == MODE_OFF ? SAY_SET_TO_OFF : SAY_SET_TO_ADVISE);
        if (e->puts_back)
                controller_retry(m->controller, 0);
        return e;
}

int manager_set_mode(struct manager *m, enum mode mode, errand_done_fn done, void *userdata) {
        struct errand *e = begin(m, mode, done, userdata);

        if (!e)
                return -EBUSY;
        manager_keep_mode(m, mode);
        manager_await(m, e);
        return 0;
}

int manager_reset_mode(struct manager *m, errand_done_fn done, void *userdata) {
        struct errand *e = begin(m, m->options->mode, done, userdata);
        char dir[PATH_MAX];
        int r = 0;

        if (!e)
                return -EBUSY;
        if (!m->options->replay)
                r = mode_store_drop(manager_state_dir(m->options, dir, sizeof(dir)));
        if (r < 0) {
                *e = (struct errand){ 0 };
                return r;
        }
        change(m, m->options->mode, configured_origin(m->options));
        manager_await(m, e);
        return 0;
}
