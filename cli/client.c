/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

#include "client.h"
#include "names.h"
#include "str.h"
#include "units.h"

/* A person may be typing a password. */
#define PASSWORD_TIMEOUT_US (5 * 60 * USEC_PER_SEC)

/* Fields of the tuples that the interface uses, by property in snake case. */
static const struct {
        const char *key;
        const char *fields[5];
} tuples[] = {
        { "sources", { "name", "state", "note" } },
        { "program_rules", { "program", "rule", "file" } },
        { "active_holds", { "cookie", "mode", "reason", "application_id" } },
        { "policies", { "name", "file", "description" } },
        { "policy", { "name", "file" } },
        { "tunables", { "initial", "wanted", "current", "owner" } },
        { "evidence", { "name", "value", "limit", "unit" } },
};

int client_open(struct client *c, const char *spec) {
        int r;

        *c = (struct client){ .spec = spec };
        if (streq(spec, "system"))
                return sd_bus_open_system(&c->bus);
        if (streq(spec, "session"))
                return sd_bus_open_user(&c->bus);
        if (!strchr(spec, ':'))
                return -EINVAL; /* the library would look for a socket and call it refused */
        r = sd_bus_new(&c->bus);
        if (r < 0)
                return r;
        r = sd_bus_set_address(c->bus, spec);
        if (r < 0)
                return r;
        r = sd_bus_set_bus_client(c->bus, true);
        if (r < 0)
                return r;
        return sd_bus_start(c->bus);
}

void client_close(struct client *c) {
        sd_bus_error_free(&c->error);
        c->bus = sd_bus_flush_close_unref(c->bus);
}

int client_believe_briod(struct client *c) {
        return name_owner_guard(&c->owner, c->bus, BRIO_BUS_NAME);
}

static int new_call(struct client *c, sd_bus_message **ret, const char *path, const char *interface, const char *method) {
        sd_bus_message *m = NULL;
        int r = sd_bus_message_new_method_call(c->bus, &m, BRIO_BUS_NAME, path, interface, method);

        if (r < 0)
                return r;
        sd_bus_message_set_auto_start(m, false);
        sd_bus_message_set_allow_interactive_authorization(m, true); /* polkit may ask for a password */
        *ret = m;
        return 0;
}

int client_new_call(struct client *c, sd_bus_message **ret, const char *method) {
        return new_call(c, ret, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, method);
}

int client_new_devices_call(struct client *c, sd_bus_message **ret) {
        return new_call(c, ret, BRIO_OBJECT_PATH, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
}

int client_new_mode_call(struct client *c, sd_bus_message **ret) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
        int r = new_call(c, &m, BRIO_OBJECT_PATH, "org.freedesktop.DBus.Properties", "Get");

        if (r < 0)
                return r;
        r = sd_bus_message_append(m, "ss", BRIO_MANAGER_INTERFACE, "Mode");
        if (r < 0)
                return r;
        *ret = TAKE_PTR(m);
        return 0;
}

static int send_call(struct client *c, sd_bus_message *m, uint64_t timeout_us, sd_bus_message **ret) {
        sd_bus_error_free(&c->error);
        return sd_bus_call(c->bus, m, timeout_us, &c->error, ret);
}

void client_observe(struct client *c) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL, *reply = NULL;
        int told = 0;

        if (client_new_call(c, &m, "Observe") < 0)
                return;
        sd_bus_message_set_allow_interactive_authorization(m, c->all);
        if (send_call(c, m, c->all ? PASSWORD_TIMEOUT_US : 0, &reply) < 0 || sd_bus_message_read(reply, "b", &told) < 0)
                return; /* it does not matter here: the calls that follow tell */
        if (c->all && !told)
                fputs("brioctl: other users' processes are not told: not authorized.\n", stderr);
}

int client_open_observing(struct client *c, const struct cli_invocation *inv) {
        int r = client_open(c, inv->bus);

        if (r < 0)
                return r;
        c->all = inv->all;
        client_observe(c);
        return 0;
}

static int decode_results(sd_bus_message *reply, struct json_object **ret) {
        _cleanup_value_ struct json_object *all = json_object_new_array();
        struct json_object *one;
        int r;

        while ((r = value_decode(reply, &one)) >= 0)
                json_object_array_add(all, one);
        if (r != -ENODATA)
                return r;
        *ret = value_length(all) > 1 ? TAKE_PTR(all) : json_object_get(value_at(all, 0));
        return 0;
}

int client_call(struct client *c, struct json_object **ret, const char *method, const char *types, ...) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL, *reply = NULL;
        va_list args;
        int r = client_new_call(c, &m, method);

        if (r < 0)
                return r;
        va_start(args, types);
        r = sd_bus_message_appendv(m, types, args);
        va_end(args);
        if (r < 0)
                return r;
        r = send_call(c, m, 0, &reply);
        if (r < 0)
                return r;
        return ret ? decode_results(reply, ret) : 0;
}

static void name_tuples(struct json_object *properties) {
        for (size_t i = 0; i < ARRAY_SIZE(tuples); i++) {
                struct json_object *v = value_get(properties, tuples[i].key);
                if (!v)
                        continue;
                v = value_name_fields(json_object_get(v), tuples[i].fields);
                json_object_object_add(properties, tuples[i].key, v);
        }
}

/* From the bus's words to ours: keys in snake case, tuples with named fields. */
static struct json_object *rename_properties(struct json_object *properties) {
        struct json_object *renamed = json_object_new_object();

        if (json_object_is_type(properties, json_type_object)) {
                json_object_object_foreach(properties, name, value) {
                        char key[64];
                        json_object_object_add(renamed, value_snake_case(name, key, sizeof(key)), json_object_get(value));
                }
        }
        name_tuples(renamed);
        for (size_t i = 0; i < value_length(value_get(renamed, "verdicts")); i++)
                name_tuples(value_at(value_get(renamed, "verdicts"), i));
        return renamed;
}

static int get_properties(struct client *c, const char *path, const char *interface, struct json_object **ret) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL, *reply = NULL;
        _cleanup_value_ struct json_object *properties = NULL;
        int r = new_call(c, &m, path, "org.freedesktop.DBus.Properties", "GetAll");

        if (r < 0)
                return r;
        r = sd_bus_message_append(m, "s", interface);
        if (r < 0)
                return r;
        r = send_call(c, m, 0, &reply);
        if (r < 0)
                return r;
        r = value_decode(reply, &properties);
        if (r < 0)
                return r;
        *ret = rename_properties(properties);
        return 0;
}

int client_manager(struct client *c, struct json_object **ret) {
        return get_properties(c, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, ret);
}

static int compare_names(const void *a, const void *b) {
        return strcmp(value_text(*(struct json_object **) a, "name"), value_text(*(struct json_object **) b, "name"));
}

int client_decode_devices(sd_bus_message *m, struct json_object **ret) {
        _cleanup_value_ struct json_object *objects = NULL, *devices = json_object_new_array();
        int r = value_decode(m, &objects);

        if (r < 0)
                return r;
        if (!json_object_is_type(objects, json_type_object))
                return -EBADMSG;
        json_object_object_foreach(objects, path, interfaces) {
                struct json_object *properties = value_get(interfaces, BRIO_DEVICE_INTERFACE);
                if (properties && strncmp(path, BRIO_DEVICE_PATH_PREFIX, strlen(BRIO_DEVICE_PATH_PREFIX)) == 0)
                        json_object_array_add(devices, rename_properties(properties));
        }
        json_object_array_sort(devices, compare_names);
        *ret = TAKE_PTR(devices);
        return 0;
}

int client_devices(struct client *c, struct json_object **ret) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL, *reply = NULL;
        int r = client_new_devices_call(c, &m);

        if (r < 0)
                return r;
        r = send_call(c, m, 0, &reply);
        return r < 0 ? r : client_decode_devices(reply, ret);
}

int client_device(struct client *c, const char *name, struct json_object **ret) {
        _cleanup_free_ char *path = NULL;
        int r = sd_bus_path_encode(BRIO_OBJECT_PATH "/device", name, &path);

        if (r < 0)
                return r;
        r = get_properties(c, path, BRIO_DEVICE_INTERFACE, ret);
        if (r >= 0 && value_text(*ret, "name")[0] == '\0') {
                /* A bus library that answers for objects that are not there does so with no properties. */
                *ret = value_free(*ret);
                r = -ENOENT;
        }
        if (r < 0 && (sd_bus_error_has_name(&c->error, SD_BUS_ERROR_UNKNOWN_OBJECT) ||
                      sd_bus_error_has_name(&c->error, SD_BUS_ERROR_UNKNOWN_METHOD) ||
                      sd_bus_error_has_name(&c->error, SD_BUS_ERROR_UNKNOWN_INTERFACE)))
                r = -ENOENT;
        if (r == -ENOENT && !client_no_daemon(c, r)) {
                sd_bus_error_free(&c->error);
                sd_bus_error_setf(&c->error, BRIO_ERROR_NOT_FOUND, "there is no drive \"%s\"; `brioctl devices` lists those that briod looks after",
                                  name);
        }
        return r;
}

int client_check_drive(struct client *c, const char *name) {
        _cleanup_value_ struct json_object *found = NULL;

        return name ? client_device(c, name, &found) : 0;
}

int client_decisions(struct client *c, uint64_t after, const char *device, size_t limit, struct json_object **ret) {
        _cleanup_value_ struct json_object *all = NULL, *chosen = json_object_new_array();
        int r = client_call(c, &all, "GetDecisions", "t", after);
        size_t n = 0;

        if (r < 0)
                return r;
        for (size_t i = 0; i < value_length(all); i++)
                if (!device || streq(value_text(value_at(all, i), "device"), device))
                        json_object_array_add(chosen, json_object_get(value_at(all, i)));
        n = value_length(chosen);
        if (n > limit)
                json_object_array_del_idx(chosen, 0, n - limit);
        if (n == 0) /* a drive that is gone may have some */
                r = client_check_drive(c, device);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(chosen);
        return 0;
}

void client_name_arrivals(struct json_object *stream) {
        static const char *const fields[] = { "period_usec", "pause_usec", "bytes", "margin_usec", "kernel", "counted", NULL };
        struct json_object *arrivals = json_object_get(value_get(stream, "arrivals"));

        if (arrivals)
                json_object_object_add(stream, "arrivals", value_name_fields(arrivals, fields));
}

int client_streams(struct client *c, const char *device, struct json_object **ret) {
        _cleanup_value_ struct json_object *all = NULL, *chosen = json_object_new_array();
        int r = client_call(c, &all, "GetStreams", "");

        if (r < 0)
                return r;
        for (size_t i = 0; i < value_length(all); i++) {
                struct json_object *stream = value_at(all, i);
                if (device && !streq(value_text(stream, "device"), device))
                        continue;
                client_name_arrivals(stream);
                json_object_array_add(chosen, json_object_get(stream));
        }
        if (value_length(chosen) == 0) /* a drive that is gone may have some that ended */
                r = client_check_drive(c, device);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(chosen);
        return 0;
}

/* Sends a call whose answer is a descriptor. */
static int call_for_fd(struct client *c, sd_bus_message *m, uint64_t timeout_us, int *ret_fd) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
        int fd, r = send_call(c, m, timeout_us, &reply);

        if (r < 0)
                return r;
        r = sd_bus_message_read(reply, "h", &fd); /* the message keeps its own */
        if (r < 0)
                return r;
        fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        if (fd < 0)
                return -errno;
        *ret_fd = fd;
        return 0;
}

int client_open_stream(struct client *c, uint32_t interval_ms, uint64_t timeout_us, int *ret_fd) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
        int r = client_new_call(c, &m, "OpenSampleStream");

        if (r >= 0)
                r = sd_bus_message_append(m, "u", interval_ms);
        return r < 0 ? r : call_for_fd(c, m, timeout_us, ret_fd);
}

int client_open_recording(struct client *c, char **devices, size_t n, int *ret_fd) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
        int r = client_new_call(c, &m, "OpenRecording");

        if (r >= 0)
                r = sd_bus_message_open_container(m, 'a', "s");
        for (size_t i = 0; r >= 0 && i < n; i++)
                r = sd_bus_message_append(m, "s", cli_drive_name(devices[i]));
        if (r >= 0)
                r = sd_bus_message_close_container(m);
        return r < 0 ? r : call_for_fd(c, m, 0, ret_fd);
}

bool client_no_daemon(const struct client *c, int r) {
        if (!c->bus || !sd_bus_is_open(c->bus))
                return r < 0 && r != -EINVAL;
        return sd_bus_error_has_name(&c->error, SD_BUS_ERROR_SERVICE_UNKNOWN) ||
               sd_bus_error_has_name(&c->error, SD_BUS_ERROR_NAME_HAS_NO_OWNER);
}

/* What to do about an error, by its name. */
static const struct {
        const char *name, *advice;
} advices[] = {
        { BRIO_ERROR_NOT_AUTHORIZED, "Try again with sudo." },
        { SD_BUS_ERROR_ACCESS_DENIED, "Try again with sudo." },
        { SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED, "Try again with sudo." },
        { SD_BUS_ERROR_NO_REPLY, "briod ended or hangs: `systemctl status briod` tells more." },
        { SD_BUS_ERROR_TIMEOUT, "briod hangs: `systemctl status briod` tells more." },
        { SD_BUS_ERROR_UNKNOWN_METHOD, "briod and brioctl are of different versions: `brioctl version` shows both." },
        { SD_BUS_ERROR_UNKNOWN_INTERFACE, "briod and brioctl are of different versions: `brioctl version` shows both." },
        { SD_BUS_ERROR_INVALID_ARGS, "briod and brioctl are of different versions: `brioctl version` shows both." },
        { BRIO_ERROR_LIMIT_REACHED, "End one that is open and try again." },
};

static const char *advice_for(const struct client *c) {
        for (size_t i = 0; i < ARRAY_SIZE(advices); i++)
                if (sd_bus_error_has_name(&c->error, advices[i].name))
                        return advices[i].advice;
        return NULL;
}

static int failed_to_connect(const struct client *c, int r) {
        if (r == -EINVAL)
                return cli_usage_error(NULL, "\"%s\" is neither system, session nor the address of a bus.", c->spec);
        fprintf(stderr, "brioctl: " CLIENT_NOT_RUNNING "\n(Cannot connect to the bus \"%s\": %s.)\n", c->spec, strerror(-r));
        return CLI_NO_DAEMON;
}

int client_failed(const struct client *c, int r) {
        const char *message = c->error.message, *advice = advice_for(c);

        if (!c->bus || !sd_bus_is_open(c->bus))
                return failed_to_connect(c, r);
        if (client_no_daemon(c, r)) {
                fputs("brioctl: " CLIENT_NOT_RUNNING "\n", stderr);
                return CLI_NO_DAEMON;
        }
        if (sd_bus_error_is_set(&c->error))
                fprintf(stderr, "brioctl: %s%s\n", message && message[0] ? message : c->error.name,
                        message && message[0] && strchr(".!?", message[strlen(message) - 1]) ? "" : ".");
        else
                fprintf(stderr, "brioctl: cannot understand briod's answer: %s.\n", strerror(-r));
        if (advice)
                fprintf(stderr, "%s\n", advice);
        return CLI_FAILED;
}
