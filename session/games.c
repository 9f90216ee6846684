/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "games.h"

#include <inttypes.h>
#include <libintl.h>

#include "config.h"
#include "macro.h"
#include "name-owner.h"
#include "names.h"

#define _(text) dgettext(GETTEXT_PACKAGE, text)

#define GAMEMODE_NAME "com.feralinteractive.GameMode"
#define GAMEMODE_PATH "/com/feralinteractive/GameMode"

static void update(struct games *g);

static int on_held(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct games *g = userdata;

        g->asked = false;
        if (sd_bus_message_is_method_error(m, NULL)) {
                fprintf(stderr, "brio-session: no hold while a game runs: %s\n", sd_bus_message_get_error(m)->message);
                g->ended = true;
                return 0;
        }
        if (sd_bus_message_read(m, "u", &g->cookie) >= 0)
                update(g); /* the game may have ended meanwhile */
        return 0;
}

static int on_given_back(sd_bus_message *m _unused_, void *userdata _unused_, sd_bus_error *error _unused_) {
        return 0;
}

static void update(struct games *g) {
        if (g->n == 0)
                g->ended = false;
        if (g->n > 0 && g->cookie == 0 && !g->asked && !g->ended)
                g->asked = link_call_manager(g->link, on_held, g, "Hold", "sss", "interactive", _("A game runs"), GAMEMODE_NAME) == 0;
        else if (g->n == 0 && g->cookie != 0) {
                (void) link_call_manager(g->link, on_given_back, g, "ReleaseHold", "u", g->cookie);
                g->cookie = 0;
        }
}

static size_t find(const struct games *g, int32_t pid) {
        size_t at = 0;

        while (at < g->n && g->pids[at] != pid)
                at++;
        return at;
}

static void add(struct games *g, int32_t pid) {
        if (find(g, pid) == g->n && g->n < GAMES_MAX)
                g->pids[g->n++] = pid;
}

static int on_game(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct games *g = userdata;
        size_t at;
        int32_t pid;

        if (sd_bus_message_read(m, "i", &pid) < 0)
                return 0;
        if (streq(sd_bus_message_get_member(m), "GameRegistered"))
                add(g, pid);
        else if ((at = find(g, pid)) < g->n)
                g->pids[at] = g->pids[--g->n];
        update(g);
        return 0;
}

static int on_list(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct games *g = userdata;
        const char *path;
        int32_t pid;

        if (sd_bus_message_is_method_error(m, NULL) || sd_bus_message_enter_container(m, 'a', "(io)") < 0)
                return 0; /* it does not run */
        while (sd_bus_message_read(m, "(io)", &pid, &path) > 0)
                add(g, pid);
        update(g);
        return 0;
}

static int on_gamemode_owner(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct games *g = userdata;

        if (name_owner_read(m) != 0)
                return 0;
        g->n = 0;
        update(g);
        return 0;
}

/* A daemon that starts anew knows of no holds. */
static int on_daemon_owner(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct games *g = userdata;
        int owned = name_owner_read(m);

        if (owned < 0)
                return 0;
        g->cookie = 0;
        g->ended = false;
        if (owned)
                update(g);
        return 0;
}

static int on_released(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct games *g = userdata;
        uint32_t cookie;

        if (sd_bus_message_read(m, "u", &cookie) >= 0 && cookie == g->cookie) {
                g->cookie = 0;
                g->ended = true;
        }
        return 0;
}

static int list(struct games *g) {
        sd_bus_message *m = NULL;
        int r = sd_bus_message_new_method_call(g->link->session, &m, GAMEMODE_NAME, GAMEMODE_PATH, GAMEMODE_NAME, "ListGames");

        if (r >= 0)
                r = sd_bus_message_set_auto_start(m, false);
        if (r >= 0)
                r = sd_bus_call_async(g->link->session, NULL, m, on_list, g, 0);
        sd_bus_message_unref(m);
        return r;
}

int games_watch(struct games *g, struct link *l) {
        int r;

        *g = (struct games){ .link = l };
        r = sd_bus_match_signal_async(l->session, NULL, GAMEMODE_NAME, GAMEMODE_PATH, GAMEMODE_NAME, "GameRegistered", on_game, NULL, g);
        if (r >= 0)
                r = sd_bus_match_signal_async(l->session, NULL, GAMEMODE_NAME, GAMEMODE_PATH, GAMEMODE_NAME, "GameUnregistered", on_game, NULL, g);
        if (r >= 0)
                r = sd_bus_add_match_async(l->session, NULL, NAME_OWNER_MATCH(GAMEMODE_NAME), on_gamemode_owner, NULL, g);
        if (r >= 0)
                r = sd_bus_add_match_async(l->system, NULL, NAME_OWNER_MATCH(BRIO_BUS_NAME), on_daemon_owner, NULL, g);
        if (r >= 0)
                r = sd_bus_match_signal_async(l->system, NULL, BRIO_BUS_NAME, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, "HoldReleased", on_released, NULL, g);
        if (r >= 0)
                r = list(g);
        return r < 0 ? r : 0;
}
