/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "devices-internal.h"
#include "event.h"
#include "log.h"
#include "netlink-socket.h"
#include "statement.h"
#include "str.h"

/* A rule that runs, a new partition table or a medium that spins up sends several uevents; one look after the last is enough. */
#define SETTLE_USEC (100 * USEC_PER_MSEC)
#define SETTLE_ACCURACY_USEC (50 * USEC_PER_MSEC)
#define MONITOR_BUFFER_BYTES (1 << 20) /* 100 drives at once send about 300 KiB */
#define UDEV_CONTROL "/run/udev/control" /* udevd's socket: there while it runs */
/* Of uevents, counted from 1: what the kernel says, and what udevd says when it has done its part. */
#define GROUP_KERNEL 1
#define GROUP_UDEV 2

char **names_free(char **names) {
        for (char **name = names; name && *name; name++)
                free(*name);
        free(names);
        return NULL;
}

static const char *without_dev(const char *name) {
        const char *node = startswith(name, "/dev/");

        return node ? node : name;
}

static size_t count_names(const char *const *names) {
        size_t n = 0;

        while (names && names[n])
                n++;
        return n;
}

static int parse_include(const char *text, struct drive_include *ret) {
        const char *name = without_dev(text), *equals = strchrnul(name, '=');
        struct drive_include include = { .class = -1 };
        size_t length = (size_t) (equals - name);

        if (length == 0 || length >= sizeof(include.name))
                return -EINVAL;
        memcpy(include.name, name, length);
        if (*equals) {
                include.class = device_class_from_string(equals + 1);
                if (include.class < 0 || include.class == DEVICE_CLASS_SKIP)
                        return -EINVAL;
        }
        *ret = include;
        return 0;
}

static int copy_lists(struct devices *d, const struct devices_config *config) {
        size_t n_includes = count_names(config->include), n_excludes = count_names(config->exclude);
        int r;

        d->includes = calloc(n_includes + 1, sizeof(*d->includes));
        d->excludes = calloc(n_excludes + 1, sizeof(*d->excludes));
        if (!d->includes || !d->excludes)
                return -ENOMEM;
        for (size_t i = 0; i < n_includes; i++, d->n_includes++)
                if ((r = parse_include(config->include[i], &d->includes[i])) < 0)
                        return r;
        for (size_t i = 0; i < n_excludes; i++)
                if (!(d->excludes[i] = strdup(without_dev(config->exclude[i]))))
                        return -ENOMEM;
        return 0;
}

static const struct drive_include *find_include(const struct devices *d, const char *name) {
        for (size_t i = 0; i < d->n_includes; i++)
                if (streq(d->includes[i].name, name))
                        return &d->includes[i];
        return NULL;
}

static bool is_excluded(const struct devices *d, const char *name) {
        for (char **exclude = d->excludes; *exclude; exclude++)
                if (streq(*exclude, name))
                        return true;
        return false;
}

/* Fills class and class_reason. True if it is a drive to watch. */
static bool judge(const struct devices *d, struct drive *drive) {
        const struct drive_include *include = find_include(d, drive->name);

        if (is_excluded(d, drive->name) || drive->traits.size_sectors == 0)
                return false;
        if (!include)
                drive->class = device_classify(&drive->traits, &drive->class_reason);
        else if (include->class < 0)
                drive->class = device_classify_included(&drive->traits, &drive->class_reason);
        else {
                drive->class = (enum device_class) include->class;
                drive->class_reason = statement_plain(SAY_CLASS_GIVEN);
        }
        return drive->class != DEVICE_CLASS_SKIP;
}

static struct drive_entry *find_entry(struct devices *d, const char *name) {
        for (size_t i = 0; i < d->n_entries; i++)
                if (streq(d->entries[i].drive.name, name))
                        return &d->entries[i];
        return NULL;
}

const struct drive *devices_find_number(const struct devices *d, uint32_t dev) {
        for (size_t i = 0; i < d->n_entries; i++)
                if (d->entries[i].drive.dev == dev)
                        return &d->entries[i].drive;
        return NULL;
}

static int add_entry(struct devices *d, const struct drive_reading *reading) {
        struct drive_entry *entries = reallocarray(d->entries, d->n_entries + 1, sizeof(*entries));
        struct drive_entry *entry;

        if (!entries)
                return -ENOMEM;
        d->entries = entries;
        entry = &entries[d->n_entries++];
        *entry = (struct drive_entry){ .drive = reading->drive, .diskseq = reading->diskseq };
        d->fn(d->userdata, DRIVE_ADDED, &entry->drive);
        return 0;
}

/* The entry leaves the list before it is told, so that nothing resolves to it any more. */
static void remove_entry(struct devices *d, struct drive_entry *entry) {
        struct drive gone = entry->drive;
        size_t i = (size_t) (entry - d->entries);

        memmove(entry, entry + 1, (d->n_entries - i - 1) * sizeof(*entry));
        d->n_entries--;
        d->fn(d->userdata, DRIVE_REMOVED, &gone);
}

/* Looks at one name and tells what became of it. Returns 0 or -ENOMEM: whatever else fails, the drive is not there. */
static int update_drive(struct devices *d, const char *name) {
        struct drive_entry *entry = find_entry(d, name);
        struct drive_reading reading;
        int r = d->udev ? devices_udev_read(d->udev, name, &reading) : devices_tree_read(d->root, name, &reading);
        bool wanted = r >= 0 && judge(d, &reading.drive);

        leaf_cache_clear(&d->leaves);
        if (r == -ENOMEM)
                return r;
        /* The same name with another number or disk sequence is another drive, or another medium in it. */
        if (entry && (!wanted || entry->drive.dev != reading.drive.dev || entry->diskseq != reading.diskseq)) {
                remove_entry(d, entry);
                entry = NULL;
        }
        if (r >= 0 && !wanted && reading.drive.traits.size_sectors > 0)
                d->fn(d->userdata, DRIVE_LEFT_OUT, &reading.drive);
        if (!wanted)
                return 0;
        if (!entry)
                return add_entry(d, &reading);
        entry->drive = reading.drive;
        d->fn(d->userdata, DRIVE_CHANGED, &entry->drive);
        return 0;
}

static int list_drives(const struct devices *d, char ***ret) {
        return d->udev ? devices_udev_list(d->udev, ret) : devices_tree_list(d->root, ret);
}

/* Looks at everything: at the start, and when uevents were lost. */
static int update_all(struct devices *d) {
        _cleanup_(names_freep) char **names = NULL;
        int r = list_drives(d, &names);

        if (r < 0)
                return r;
        for (size_t i = d->n_entries; i-- > 0;) {
                char name[sizeof(d->entries[i].drive.name)];
                bool listed = false;

                str_copy(name, sizeof(name), d->entries[i].drive.name);
                for (char **n = names; *n && !listed; n++)
                        listed = streq(*n, name);
                if (!listed)
                        remove_entry(d, &d->entries[i]);
        }
        for (char **name = names; *name; name++)
                if ((r = update_drive(d, *name)) < 0)
                        return r;
        return 0;
}

static int on_settled(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata) {
        struct devices *d = userdata;
        size_t n = d->n_pending;
        int r = 0;

        d->n_pending = 0;
        if (d->pending_all) {
                d->pending_all = false;
                r = update_all(d);
        } else
                for (size_t i = 0; i < n && r >= 0; i++)
                        r = update_drive(d, d->pending[i]);
        if (r < 0)
                log_warning("cannot look at the drives that changed: %s", strerror(-r));
        return 0;
}

static int settle_later(struct devices *d) {
        int enabled, r = sd_event_source_get_enabled(d->settle_timer, &enabled);

        if (r < 0 || enabled != SD_EVENT_OFF) /* already waiting: the wait does not grow with the number of events */
                return r;
        r = sd_event_source_set_time_relative(d->settle_timer, SETTLE_USEC);
        return r < 0 ? r : sd_event_source_set_enabled(d->settle_timer, SD_EVENT_ONESHOT);
}

static void forget_pending(struct devices *d, const char *name) {
        for (size_t i = d->n_pending; i-- > 0;)
                if (streq(d->pending[i], name))
                        memmove(d->pending[i], d->pending[i + 1], (--d->n_pending - i) * sizeof(d->pending[0]));
}

static int remember_pending(struct devices *d, const char *name) {
        forget_pending(d, name);
        if (d->n_pending == PENDING_MAX)
                d->pending_all = true;
        else
                str_copy(d->pending[d->n_pending++], sizeof(d->pending[0]), name);
        return settle_later(d);
}

static int take_uevent(struct devices *d, struct udev_device *device) {
        const char *action = udev_device_get_action(device), *type = udev_device_get_devtype(device);
        const char *name = udev_device_get_sysname(device);
        struct drive_entry *entry;

        leaf_cache_clear(&d->leaves); /* partitions and stacked devices too change what is below a number */
        if (!action || !type || !name || !streq(type, "disk"))
                return 0;
        if (streq(action, "remove")) {
                forget_pending(d, name);
                if ((entry = find_entry(d, name)))
                        remove_entry(d, entry);
                return 0;
        }
        if (!streq(action, "add"))
                return remember_pending(d, name);
        forget_pending(d, name);
        return update_drive(d, name);
}

static int on_uevent(sd_event_source *source _unused_, int fd _unused_, uint32_t events _unused_, void *userdata) {
        struct devices *d = userdata;
        struct udev_device *device;
        int r = 0;

        for (;;) {
                errno = 0;
                device = udev_monitor_receive_device(d->monitor);
                if (!device)
                        break;
                r = take_uevent(d, device);
                udev_device_unref(device);
                if (r < 0)
                        log_warning("cannot follow a change of the drives: %s", strerror(-r));
        }
        if (errno == ENOBUFS) {
                log_notice("changes of the drives were lost; looking at all of them");
                d->pending_all = true;
                r = settle_later(d);
        }
        return r < 0 ? 0 : r; /* an error here would switch the monitor off for good */
}

/* libudev opens its socket where we are. In a network namespace of our own udev is not heard: what systemd opened outside takes its place. */
static int move_monitor(struct devices *d, unsigned group) {
        _cleanup_close_ int fd = netlink_socket_take(NETLINK_KOBJECT_UEVENT);
        int yes = 1;

        if (fd < 0)
                return fd == -ENOENT ? 0 : fd;
        if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) < 0 || dup3(fd, udev_monitor_get_fd(d->monitor), O_CLOEXEC) < 0)
                return -errno;
        return netlink_socket_join(fd, group);
}

static int start_monitor(struct devices *d, sd_event *event, bool udevd) {
        int r;

        d->monitor = udev_monitor_new_from_netlink(d->udev, udevd ? "udev" : "kernel");
        if (!d->monitor)
                return errno > 0 ? -errno : -ENOMEM;
        /* All of block, not only disks: see take_uevent(). */
        if ((r = udev_monitor_enable_receiving(d->monitor)) < 0 || (r = move_monitor(d, udevd ? GROUP_UDEV : GROUP_KERNEL)) < 0 ||
            (r = udev_monitor_filter_add_match_subsystem_devtype(d->monitor, "block", NULL)) < 0 ||
            (r = udev_monitor_filter_update(d->monitor)) < 0)
                return r;
        udev_monitor_set_receive_buffer_size(d->monitor, MONITOR_BUFFER_BYTES); /* else the default; ENOBUFS is handled */
        r = sd_event_add_time_relative(event, &d->settle_timer, CLOCK_MONOTONIC, SETTLE_USEC, SETTLE_ACCURACY_USEC,
                                       on_settled, d);
        if (r < 0 || (r = sd_event_source_set_enabled(d->settle_timer, SD_EVENT_OFF)) < 0)
                return r;
        return sd_event_add_io(event, &d->monitor_source, udev_monitor_get_fd(d->monitor), EPOLLIN, on_uevent, d);
}

static int open_live(struct devices *d, sd_event *event) {
        bool udevd = access(UDEV_CONTROL, F_OK) == 0;
        int r;

        d->udev = udev_new();
        if (!d->udev)
                return errno > 0 ? -errno : -ENOMEM;
        r = start_monitor(d, event, udevd);
        if (r < 0)
                snprintf(d->description, sizeof(d->description), "libudev, no monitor (%s): drives plugged in later are not noticed", strerror(-r));
        else if (udevd)
                str_copy(d->description, sizeof(d->description), "libudev, monitor udev");
        else
                str_copy(d->description, sizeof(d->description), "libudev, monitor kernel: udevd does not run, rotation rates are unknown");
        return 0;
}

int devices_new(const struct devices_config *config, sd_event *event, drive_fn fn, void *userdata, struct devices **ret) {
        _cleanup_(devices_freep) struct devices *d = calloc(1, sizeof(*d));
        const char *root = config->root ? config->root : "";
        int r;

        if (!d)
                return -ENOMEM;
        d->fn = fn;
        d->userdata = userdata;
        d->root = strdup(root);
        if (!d->root || mount_table_new(root, &d->mounts) < 0 || mount_table_new_own(root, &d->own_mounts) < 0)
                return -ENOMEM;
        if ((r = copy_lists(d, config)) < 0)
                return r;
        if (*root)
                snprintf(d->description, sizeof(d->description), "the tree below %s", root);
        else if ((r = open_live(d, event)) < 0) /* before the list is read: what comes in between is not missed */
                return r;
        d->description_length = strlen(d->description);
        if ((r = update_all(d)) < 0)
                return r;
        *ret = TAKE_PTR(d);
        return 0;
}

struct devices *devices_free(struct devices *d) {
        if (!d)
                return NULL;
        sd_event_source_unref(d->monitor_source);
        sd_event_source_unref(d->settle_timer);
        udev_monitor_unref(d->monitor);
        udev_unref(d->udev);
        free(d->entries);
        free(d->includes);
        names_free(d->excludes);
        mount_table_free(d->mounts);
        mount_table_free(d->own_mounts);
        free(d->root);
        free(d);
        return NULL;
}

const char *devices_describe(const struct devices *d) {
        return d->description;
}

void devices_note_cut(struct devices *d) {
        char note[64];

        d->stacks_cut++;
        snprintf(note, sizeof(note), "; stacks of drives too deep or too wide: %" PRIu64, d->stacks_cut);
        d->description[d->description_length] = '\0';
        str_append(d->description, sizeof(d->description), "%s", note);
}
