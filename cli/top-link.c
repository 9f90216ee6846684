/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <sys/epoll.h>

#include "clock.h"
#include "names.h"
#include "str.h"
#include "top-link.h"

/* A daemon that does not answer within this is as good as gone: the screen must go on. */
#define CALL_TIMEOUT_US (2 * USEC_PER_SEC)

nsec_t top_now(void) {
        return clock_now(CLOCK_MONOTONIC);
}

void top_link_init(struct top_link *l, sd_event *event, const struct cli_invocation *inv, uint32_t interval_ms) {
        *l = (struct top_link){ .event = event, .invocation = inv, .interval_ms = interval_ms, .processes_limit = TOP_PROCESSES,
                                .stream.fd = -1 };
}

void top_link_disconnect(struct top_link *l) {
        l->connected = false;
        l->stream_source = sd_event_source_disable_unref(l->stream_source);
        stream_close(&l->stream);
        l->devices_call = sd_bus_slot_unref(l->devices_call);
        l->processes_call = sd_bus_slot_unref(l->processes_call);
        l->manager_call = sd_bus_slot_unref(l->manager_call);
        if (l->client.bus)
                sd_bus_detach_event(l->client.bus);
        client_close(&l->client);
        l->n_drives = 0;
}

void top_link_done(struct top_link *l) {
        top_link_disconnect(l);
        l->devices = value_free(l->devices);
        l->processes = value_free(l->processes);
}

static void lose(struct top_link *l, int error) {
        top_link_disconnect(l);
        l->error = error;
        l->on_change(l->userdata);
}

static void on_sample(void *userdata, const struct brio_sample *sample) {
        struct top_link *l = userdata;
        size_t i = 0;

        l->dropped += sample->dropped;
        while (i < l->n_drives && !streq(l->drives[i].sample.device, sample->device))
                i++;
        if (i == TOP_DRIVES_MAX)
                return;
        l->n_drives = MAX(l->n_drives, i + 1);
        l->drives[i] = (struct top_drive){ .sample = *sample, .seen = top_now() };
}

static int on_stream(_unused_ sd_event_source *source, _unused_ int fd, _unused_ uint32_t events, void *userdata) {
        struct top_link *l = userdata;
        int r = stream_read(&l->stream, on_sample, l);

        if (r < 0)
                lose(l, r);
        else if (r > 0)
                l->on_change(l->userdata);
        return 0;
}

static int open_stream(struct top_link *l) {
        int fd, r;

        l->stream_source = sd_event_source_disable_unref(l->stream_source);
        stream_close(&l->stream);
        r = client_open_stream(&l->client, l->interval_ms, CALL_TIMEOUT_US, &fd);
        if (r < 0)
                return r;
        r = stream_open(&l->stream, fd);
        if (r < 0)
                return r;
        return sd_event_add_io(l->event, &l->stream_source, l->stream.fd, EPOLLIN, on_stream, l);
}

/* Takes a new answer over the old one. */
static void replace(struct json_object **where, struct json_object *answer) {
        json_object_put(*where);
        *where = answer;
}

static int fetch(struct top_link *l) {
        struct json_object *devices = NULL, *processes = NULL;
        _cleanup_value_ struct json_object *manager = NULL;
        int r = client_devices(&l->client, &devices);

        if (r < 0)
                return r;
        replace(&l->devices, devices);
        r = client_call(&l->client, &processes, "GetProcesses", "u", l->processes_limit);
        if (r < 0)
                return r;
        replace(&l->processes, processes);
        r = client_manager(&l->client, &manager);
        if (r >= 0)
                str_copy(l->mode, sizeof(l->mode), value_text(manager, "mode"));
        return r;
}

int top_link_connect(struct top_link *l) {
        int r;

        top_link_disconnect(l);
        r = client_open(&l->client, l->invocation->bus);
        if (r < 0)
                return r;
        r = sd_bus_set_method_call_timeout(l->client.bus, CALL_TIMEOUT_US);
        if (r < 0)
                return r;
        l->client.all = l->invocation->all;
        client_observe(&l->client);
        r = fetch(l);
        if (r < 0)
                return r;
        r = open_stream(l);
        if (r < 0)
                return r;
        r = sd_bus_attach_event(l->client.bus, l->event, SD_EVENT_PRIORITY_NORMAL);
        if (r < 0)
                return r;
        l->connected = true;
        return 0;
}

int top_link_set_interval(struct top_link *l, uint32_t interval_ms) {
        l->interval_ms = interval_ms;
        return l->connected ? open_stream(l) : 0;
}

static int on_devices(sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        struct json_object *devices;
        struct top_link *l = userdata;

        l->devices_call = sd_bus_slot_unref(l->devices_call);
        if (!sd_bus_message_is_method_error(m, NULL) && client_decode_devices(m, &devices) >= 0)
                replace(&l->devices, devices);
        return 0;
}

static int on_processes(sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        struct json_object *processes;
        struct top_link *l = userdata;

        l->processes_call = sd_bus_slot_unref(l->processes_call);
        if (!sd_bus_message_is_method_error(m, NULL) && value_decode(m, &processes) >= 0)
                replace(&l->processes, processes);
        return 0;
}

static int on_mode(sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        _cleanup_value_ struct json_object *mode = NULL;
        struct top_link *l = userdata;

        l->manager_call = sd_bus_slot_unref(l->manager_call);
        if (sd_bus_message_is_method_error(m, NULL) || value_decode(m, &mode) < 0)
                return 0;
        if (json_object_is_type(mode, json_type_string))
                str_copy(l->mode, sizeof(l->mode), json_object_get_string(mode));
        return 0;
}

/* One call of each kind at a time: a slow daemon is not asked again before it answered. */
static int poll_devices(struct top_link *l) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
        int r = l->devices_call ? 0 : client_new_devices_call(&l->client, &m);

        return m ? sd_bus_call_async(l->client.bus, &l->devices_call, m, on_devices, l, CALL_TIMEOUT_US) : r;
}

static int poll_processes(struct top_link *l) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
        int r = l->processes_call ? 0 : client_new_call(&l->client, &m, "GetProcesses");

        if (m)
                r = sd_bus_message_append(m, "u", l->processes_limit);
        return m && r >= 0 ? sd_bus_call_async(l->client.bus, &l->processes_call, m, on_processes, l, CALL_TIMEOUT_US) : r;
}

static int poll_mode(struct top_link *l) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
        int r = l->manager_call ? 0 : client_new_mode_call(&l->client, &m);

        return m ? sd_bus_call_async(l->client.bus, &l->manager_call, m, on_mode, l, CALL_TIMEOUT_US) : r;
}

void top_link_poll(struct top_link *l) {
        if (l->connected && (poll_devices(l) < 0 || poll_processes(l) < 0 || poll_mode(l) < 0))
                lose(l, -ECONNRESET); /* the bus itself is gone */
}

const struct brio_sample *top_link_sample(const struct top_link *l, const char *device, nsec_t now) {
        for (size_t i = 0; i < l->n_drives; i++) {
                const struct top_drive *d = &l->drives[i];
                if (streq(d->sample.device, device))
                        return nsec_sub(now, d->seen) > 3 * l->interval_ms * NSEC_PER_MSEC ? NULL : &d->sample;
        }
        return NULL;
}
