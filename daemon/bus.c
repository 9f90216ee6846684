/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "bus-private.h"
#include "names.h"
#include "str.h"

char *bus_device_path(const char *name) {
        char *path = NULL;

        return sd_bus_path_encode(BRIO_OBJECT_PATH "/device", name, &path) < 0 ? NULL : path;
}

static int find_device(sd_bus *connection _unused_, const char *path, const char *interface _unused_, void *userdata, void **ret,
                       sd_bus_error *error _unused_) {
        struct bus *b = userdata;
        _cleanup_free_ char *name = NULL;
        struct manager_drive *d;

        if (sd_bus_path_decode(path, BRIO_OBJECT_PATH "/device", &name) <= 0)
                return 0;
        d = manager_find_drive(b->manager, name);
        if (!d)
                return 0;
        *ret = d;
        return 1;
}

static int list_devices(sd_bus *connection _unused_, const char *prefix _unused_, void *userdata, char ***ret,
                        sd_bus_error *error _unused_) {
        struct bus *b = userdata;
        char **paths = calloc(ARRAY_SIZE(b->manager->drives) + 1, sizeof(*paths));
        size_t n = 0;

        if (!paths)
                return -ENOMEM;
        for (size_t i = 0; i < ARRAY_SIZE(b->manager->drives); i++)
                if (b->manager->drives[i].announced && (paths[n] = bus_device_path(b->manager->drives[i].drive.name)))
                        n++;
        *ret = paths; /* sd-bus frees them */
        return 0;
}

const char *bus_echo(char buf[static BUS_ECHO_MAX], const char *text) {
        str_copy(buf, BUS_ECHO_MAX, text);
        return str_make_text(buf, BUS_ECHO_MAX);
}

int bus_open_pair(sd_bus_message *m, const char *key, const char *type) {
        int r = sd_bus_message_open_container(m, 'e', "sv");

        if (r >= 0)
                r = sd_bus_message_append(m, "s", key);
        return r < 0 ? r : sd_bus_message_open_container(m, 'v', type);
}

int bus_close_pair(sd_bus_message *m, int r) {
        if (r >= 0)
                r = sd_bus_message_close_container(m);
        return r < 0 ? r : sd_bus_message_close_container(m);
}

int bus_append_pair(sd_bus_message *m, const char *key, const char *type, ...) {
        va_list args;
        int r = bus_open_pair(m, key, type);

        if (r < 0)
                return r;
        va_start(args, type);
        r = sd_bus_message_appendv(m, type, args);
        va_end(args);
        return bus_close_pair(m, r);
}

int bus_read_again(sd_bus_message *call, const char *types, ...) {
        va_list args;
        int r = sd_bus_message_rewind(call, true);

        if (r < 0)
                return r;
        va_start(args, types);
        r = sd_bus_message_readv(call, types, args);
        va_end(args);
        return r;
}

int bus_begin_list(sd_bus_message *call, sd_bus_message **ret) {
        int r = sd_bus_message_new_method_return(call, ret);

        return r < 0 ? r : sd_bus_message_open_container(*ret, 'a', "a{sv}");
}

int bus_send_list(sd_bus_message *reply, int r) {
        if (r >= 0)
                r = sd_bus_message_close_container(reply);
        if (r >= 0)
                r = sd_bus_send(NULL, reply, NULL);
        sd_bus_message_unref(reply);
        return r;
}

int bus_append_numbers(sd_bus_message *m, const struct bus_number *numbers, size_t n) {
        int r = 0;

        for (size_t i = 0; r >= 0 && i < n; i++)
                r = bus_append_pair(m, numbers[i].key, "t", numbers[i].value);
        return r;
}

static int connect_bus(const char *address, sd_bus **ret) {
        sd_bus *connection = NULL;
        int r;

        if (streq(address, "system"))
                return sd_bus_open_system(ret);
        if (streq(address, "session"))
                return sd_bus_open_user(ret);
        r = sd_bus_new(&connection);
        if (r >= 0)
                r = sd_bus_set_address(connection, address);
        if (r >= 0)
                r = sd_bus_set_bus_client(connection, true);
        if (r >= 0)
                r = sd_bus_start(connection);
        if (r < 0) {
                sd_bus_unref(connection);
                return r;
        }
        *ret = connection;
        return 0;
}

/* Without its bus the daemon can neither be asked nor told to stop tuning: it ends, and restores. */
static int on_disconnected(sd_bus_message *m _unused_, void *userdata, sd_bus_error *error _unused_) {
        struct bus *b = userdata;

        return sd_event_exit(b->manager->event, -ECONNRESET);
}

static int export(struct bus *b) {
        sd_bus *c = b->connection;
        int r = sd_bus_add_object_manager(c, NULL, BRIO_OBJECT_PATH);

        if (r >= 0)
                r = sd_bus_add_object_vtable(c, NULL, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, bus_manager_vtable, b);
        if (r >= 0)
                r = sd_bus_add_fallback_vtable(c, NULL, BRIO_OBJECT_PATH "/device", BRIO_DEVICE_INTERFACE, bus_device_vtable, find_device, b);
        if (r >= 0)
                r = sd_bus_add_node_enumerator(c, NULL, BRIO_OBJECT_PATH "/device", list_devices, b);
        if (r >= 0)
                r = sd_bus_match_signal_async(c, NULL, "org.freedesktop.DBus.Local", "/org/freedesktop/DBus/Local",
                                              "org.freedesktop.DBus.Local", "Disconnected", on_disconnected, NULL, b);
        if (r >= 0)
                r = sd_bus_request_name(c, BRIO_BUS_NAME, 0);
        if (r >= 0)
                r = sd_bus_attach_event(c, b->manager->event, SD_EVENT_PRIORITY_NORMAL);
        return r < 0 ? r : manager_follow_presence(b->manager, c);
}

int bus_new(struct manager *m, const char *address, struct bus **ret) {
        struct bus *b = calloc(1, sizeof(*b));
        int r;

        if (!b)
                return -ENOMEM;
        b->manager = m;
        r = connect_bus(address, &b->connection);
        if (r >= 0)
                r = callers_new(b->connection, &b->callers);
        if (r >= 0)
                r = (b->audience = audience_new(b->connection, b->callers)) ? 0 : -ENOMEM;
        if (r >= 0)
                r = (b->polkit = polkit_new(b->callers, streq(address, "system"))) ? export(b) : -ENOMEM;
        if (r < 0) {
                bus_free(b);
                return r;
        }
        *ret = b;
        return 0;
}

struct bus *bus_free(struct bus *b) {
        if (!b)
                return NULL;
        for (size_t i = 0; i < ARRAY_SIZE(b->watches); i++)
                peer_unfollow(&b->watches[i].peer);
        polkit_free(b->polkit);
        audience_free(b->audience);
        callers_free(b->callers);
        sd_bus_flush_close_unref(b->connection);
        free(b);
        return NULL;
}

void bus_drive_added(struct bus *b, const struct manager_drive *d) {
        _cleanup_free_ char *path = b ? bus_device_path(d->drive.name) : NULL;

        if (path)
                sd_bus_emit_object_added(b->connection, path);
}

void bus_drive_removed(struct bus *b, const struct manager_drive *d) {
        _cleanup_free_ char *path = b ? bus_device_path(d->drive.name) : NULL;

        if (path)
                sd_bus_emit_object_removed(b->connection, path);
}

void bus_drive_changed(struct bus *b, const struct manager_drive *d) {
        _cleanup_free_ char *path = b ? bus_device_path(d->drive.name) : NULL;

        if (path) {
                b->probed = 0; /* what a source says of the drives that it watches may be another */
                sd_bus_emit_properties_changed(b->connection, path, BRIO_DEVICE_INTERFACE, "Class", "ClassReason", "ClassReasonData", "Scheduler", "Schedulers",
                                               "AwaitedScheduler", "Policy", "Workload", "State", "Tunables", NULL);
                bus_tell_drive(b, path, d);
        }
}

void bus_manager_changed(struct bus *b, const char *property) {
        if (b && streq(property, "AttentionReason"))
                bus_tell_attention(b);
        else if (b)
                sd_bus_emit_properties_changed(b->connection, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, property, NULL);
}

static int fill_decision(sd_bus_message *m, struct bus *b _unused_, const struct reader *reader, const void *what) {
        return bus_append_decision(m, reader, what);
}

void bus_decision_made(struct bus *b, const struct decision *decision) {
        bus_tell(b, "DecisionMade", fill_decision, decision);
}

void bus_trial_ended(struct bus *b, const struct decision *decision) {
        bus_tell(b, "TrialEnded", fill_decision, decision);
}

void bus_hold_released(struct bus *b, const struct hold_entry *hold) {
        sd_bus_message *m = NULL;

        if (!b)
                return;
        bus_unwatch_holder(b, hold->cookie);
        if (sd_bus_message_new_signal(b->connection, &m, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, "HoldReleased") >= 0 &&
            sd_bus_message_append(m, "u", hold->cookie) >= 0)
                sd_bus_send_to(b->connection, m, hold->owner, NULL);
        sd_bus_message_unref(m);
}

static void on_holder_left(void *userdata) {
        struct hold_watch *w = userdata;
        struct manager *m = w->owner->manager;
        struct hold_entry hold;

        holds_remove(&m->holds, NULL, w->cookie, &hold);
        *w = (struct hold_watch){ 0 };
        manager_holds_changed(m, NULL, NULL);
}

int bus_watch_holder(struct bus *b, const char *holder, uint32_t cookie) {
        for (size_t i = 0; i < ARRAY_SIZE(b->watches); i++) {
                struct hold_watch *w = &b->watches[i];
                int r;

                if (w->cookie)
                        continue;
                w->cookie = cookie;
                w->owner = b;
                r = peer_follow(&w->peer, b->connection, holder, on_holder_left, w);
                if (r < 0)
                        *w = (struct hold_watch){ 0 };
                return r;
        }
        return -ENOSPC;
}

void bus_unwatch_holder(struct bus *b, uint32_t cookie) {
        for (size_t i = 0; i < ARRAY_SIZE(b->watches); i++) {
                if (b->watches[i].cookie != cookie)
                        continue;
                peer_unfollow(&b->watches[i].peer);
                b->watches[i] = (struct hold_watch){ 0 };
        }
}
