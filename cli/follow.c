/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <systemd/sd-event.h>

#include "follow.h"
#include "name-owner.h"
#include "names.h"

struct following {
        struct client *client;
        const struct follow_config *config;
};

static int on_owner(sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        const struct following *f = userdata;
        int owned = name_owner_read(m);

        if (owned < 0)
                return 0;
        if (!owned) {
                fputs("brioctl: briod went away; waiting for it.\n", stderr);
                return 0;
        }
        fputs("brioctl: briod is back.\n", stderr);
        client_observe(f->client);
        f->config->show_past(f->config->userdata, true);
        return 0;
}

static int on_disconnected(_unused_ sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        return sd_event_exit(userdata, -ECONNRESET);
}

/* After each event. */
static int on_event(sd_event_source *source, _unused_ void *userdata) {
        return ferror(stdout) ? sd_event_exit(sd_event_source_get_event(source), CLI_FAILED) : 0;
}

static int subscribe(struct following *f, sd_event *event) {
        const struct follow_config *config = f->config;
        struct client *c = f->client;
        int r = client_believe_briod(c);

        for (size_t i = 0; r >= 0 && config->signals[i]; i++)
                r = sd_bus_match_signal(c->bus, NULL, BRIO_BUS_NAME, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, config->signals[i],
                                        config->on_signal, config->userdata);
        if (r < 0)
                return r;
        r = sd_bus_add_match(c->bus, NULL, NAME_OWNER_MATCH(BRIO_BUS_NAME), on_owner, f);
        if (r < 0)
                return r;
        r = sd_bus_match_signal(c->bus, NULL, "org.freedesktop.DBus.Local", "/org/freedesktop/DBus/Local",
                                "org.freedesktop.DBus.Local", "Disconnected", on_disconnected, event);
        return r < 0 ? r : sd_bus_attach_event(c->bus, event, SD_EVENT_PRIORITY_NORMAL);
}

int follow(struct client *c, const struct follow_config *config) {
        struct following f = { c, config };
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        int r = sd_event_new(&event);

        if (r >= 0)
                r = sd_event_add_post(event, NULL, on_event, NULL);
        if (r >= 0)
                r = subscribe(&f, event);
        if (r >= 0)
                r = config->show_past(config->userdata, false);
        if (r < 0)
                return client_failed(c, r);
        r = ferror(stdout) ? 0 : sd_event_loop(event);
        if (r < 0) /* else what was written to has, which finish() says */
                fprintf(stderr, "brioctl: the bus went away: %s.\n", strerror(-r));
        return CLI_FAILED;
}
