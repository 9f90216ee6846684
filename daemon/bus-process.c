/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GetProcesses() and LowerPriority() of the Manager: marshals, and nothing else. data/org.brio.Brio1.xml says what each key means. */
#include <errno.h>
#include <inttypes.h>

#include "bus-private.h"
#include "names.h"

/* What is known from its single requests. */
static int append_requests(sd_bus_message *m, const struct process_view *p) {
        const struct latency_view *read = &p->requests.latencies.wait[REQUEST_READ], *write = &p->requests.latencies.wait[REQUEST_WRITE];
        const struct bus_number numbers[] = {
                { "reads", p->requests.count[REQUEST_READ] },
                { "writes", p->requests.count[REQUEST_WRITE] },
                { "reads_per_second", p->requests.per_s[REQUEST_READ] },
                { "writes_per_second", p->requests.per_s[REQUEST_WRITE] },
                { "read_latency_usec", read->median_us },
                { "read_latency_p99_usec", read->p99_us },
                { "write_latency_usec", write->median_us },
                { "write_latency_p99_usec", write->p99_us },
                { "think_time_usec", p->requests.think_time_us },
                { "sequential_permille", p->requests.sequential_permille },
                { "idle_permille", p->requests.idle_permille },
                { "hole_permille", p->requests.hole_permille },
                { "injection_permille", p->requests.injection_permille },
        };
        int r;

        if (!p->requests.told)
                return 0;
        r = bus_append_numbers(m, numbers, ARRAY_SIZE(numbers));
        return r < 0 ? r : bus_append_pair(m, "seeks", "b", p->requests.seeky);
}

static int append_facts(sd_bus_message *m, const struct process_facts *f) {
        int r = f->uid == PROCESS_UID_UNKNOWN ? 0 : bus_append_pair(m, "uid", "u", f->uid);

        if (r >= 0)
                r = bus_append_pair(m, "io_class", "s", io_class_to_string(f->io_class));
        return r < 0 ? r : bus_append_pair(m, "io_level", "u", f->io_level);
}

static int append_application(sd_bus_message *m, const struct manager *manager, const struct process_view *p) {
        char application[APPLICATION_MAX];

        return manager_get_process_application(manager, p, application) ? bus_append_pair(m, "application", "s", application) : 0;
}

static int append_process(sd_bus_message *m, struct manager *manager, const struct process_view *p, const struct process_facts *facts) {
        const struct manager_drive *d = manager_find_drive_by_dev(manager, p->dev);
        const struct bus_number numbers[] = {
                { "read_bytes_per_second", p->read_bytes_per_s },
                { "write_bytes_per_second", p->write_bytes_per_s },
                { "read_bytes", p->read_bytes },
                { "write_bytes", p->write_bytes },
                { "idle_usec", nsec_sub(manager->snapshot->now, p->last_io) / NSEC_PER_USEC },
        };
        int r = sd_bus_message_open_container(m, 'a', "{sv}");

        if (r >= 0)
                r = sd_bus_message_append(m, "{sv}{sv}{sv}{sv}{sv}", "pid", "u", (uint32_t) p->tgid, "name", "s", p->name, "device", "s", d ? d->drive.name : "",
                                          "inferred", "b", (p->flags & EVENT_INFERRED) != 0, "source", "s", p->requests.told ? "requests" : "proc");
        if (r >= 0)
                r = bus_append_numbers(m, numbers, ARRAY_SIZE(numbers));
        if (r >= 0 && p->wait_known)
                r = bus_append_pair(m, "wait_permille", "t", (uint64_t) p->wait_permille);
        if (r >= 0)
                r = append_facts(m, facts);
        if (r >= 0)
                r = append_application(m, manager, p);
        if (r >= 0)
                r = append_requests(m, p);
        return r < 0 ? r : sd_bus_message_close_container(m);
}

/* The processes that the reader may not see, of one drive. */
struct others {
        uint32_t dev;
        uint64_t processes, read_bytes_per_s, write_bytes_per_s;
};

/* One for each drive, and one for those whose drive is not known. */
#define OTHERS_MAX (SNAPSHOT_DEVICES_MAX + 1)

static void add_other(struct others others[static OTHERS_MAX], const struct process_view *p) {
        size_t i = 0;

        while (i < OTHERS_MAX - 1 && others[i].processes > 0 && others[i].dev != p->dev)
                i++;
        others[i].dev = p->dev;
        others[i].processes++;
        others[i].read_bytes_per_s += p->read_bytes_per_s;
        others[i].write_bytes_per_s += p->write_bytes_per_s;
}

static int append_others(sd_bus_message *m, struct manager *manager, const struct others *o) {
        const struct manager_drive *d = manager_find_drive_by_dev(manager, o->dev);
        const struct bus_number numbers[] = {
                { "others", o->processes },
                { "read_bytes_per_second", o->read_bytes_per_s },
                { "write_bytes_per_second", o->write_bytes_per_s },
        };
        int r = sd_bus_message_open_container(m, 'a', "{sv}");

        if (r >= 0)
                r = bus_append_pair(m, "device", "s", d ? d->drive.name : "");
        if (r >= 0)
                r = bus_append_numbers(m, numbers, ARRAY_SIZE(numbers));
        return r < 0 ? r : sd_bus_message_close_container(m);
}

static int append_all(sd_bus_message *m, struct manager *manager, const struct reader *reader, uint32_t limit) {
        const struct snapshot *s = manager->snapshot;
        struct others others[OTHERS_MAX] = { 0 };
        uint32_t n = 0;
        int r = 0;

        for (size_t i = 0; r >= 0 && i < s->n_processes; i++) {
                const struct process_view *p = &s->processes[i];
                struct process_facts facts;
                manager_get_process_facts(manager, p, &facts);
                if (!reader_sees(reader, facts.uid))
                        add_other(others, p);
                else if (limit == 0 || n++ < limit)
                        r = append_process(m, manager, p, &facts);
        }
        for (size_t i = 0; r >= 0 && i < OTHERS_MAX && others[i].processes > 0; i++)
                r = append_others(m, manager, &others[i]);
        return r;
}

int bus_get_processes(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        sd_bus_message *reply = NULL;
        struct reader reader;
        uint32_t limit;
        int r = audience_get_reader(b->audience, call, bus_get_processes, userdata, &reader, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = bus_read_again(call, "u", &limit);
        if (r < 0)
                return r;
        manager_want_processes(b->manager);
        r = bus_begin_list(call, &reply);
        if (r >= 0)
                r = append_all(reply, b->manager, &reader, limit);
        return bus_send_list(reply, r);
}

/* d: NULL where it was refused. */
static int answer_lowered(sd_bus_message *call, const struct decision *d, const char *refusal) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
        char id[DECISION_ID_MAX] = "";
        int r = sd_bus_message_new_method_return(call, &reply);

        if (d)
                decision_format_id(d, id, sizeof(id));
        if (r >= 0)
                r = sd_bus_message_open_container(reply, 'a', "{sv}");
        if (r >= 0)
                r = bus_append_pair(reply, "id", "s", id);
        if (r >= 0)
                r = bus_append_sentence(reply, &(struct reader){}, "refusal", refusal);
        if (r >= 0)
                r = sd_bus_message_close_container(reply);
        return r < 0 ? r : sd_bus_message_send(reply);
}

int bus_lower_priority(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        const struct decision *d = NULL;
        const char *why = "";
        uint32_t pid;
        int r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_MANAGE, bus_lower_priority, userdata, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = bus_read_again(call, "u", &pid);
        if (r < 0)
                return r;
        r = pid > INT32_MAX ? -ENOENT : manager_lower(b->manager, (int32_t) pid, &d, &why);
        switch (r) {
        case 0:
                return answer_lowered(call, d, "");
        case -EPERM:
                return answer_lowered(call, NULL, why);
        case -ENOENT:
                return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND, "no process %" PRIu32 " is seen to read or write", pid);
        case -ENOSPC:
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "%d processes have stepped back already", PRIORITIES_MAX);
        }
        return sd_bus_error_setf(error, BRIO_ERROR_FAILED, "its I/O priority cannot be written: %s", strerror(-r));
}
