/* SPDX-License-Identifier: GPL-3.0-or-later */
/* list-drives ROOT [INCLUDE...]: what devices.h makes of a machine, one line a drive and one a device number. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "devices.h"
#include "event.h"
#include "fdio.h"
#include "mention.h"

static const char *root;

static void print_scheduler(const struct drive *drive) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX], *open, *close;

        snprintf(path, sizeof(path), "%s/sys/block/%s/queue/scheduler", root, drive->name);
        if (fdio_read_at(AT_FDCWD, path, text, sizeof(text)) >= 0 && (open = strchr(text, '[')) && (close = strchr(open, ']')))
                printf(" %.*s", (int) (close - open - 1), open + 1);
        else
                printf(" -");
}

static void print_drive(void *userdata, enum drive_action action, const struct drive *drive) {
        unsigned *n = userdata;
        char reason[MENTION_TOLD_MAX];

        if (action == DRIVE_LEFT_OUT)
                return;
        (*n)++;
        printf("drive %u:%u %s %s", DEV_MAJOR(drive->dev), DEV_MINOR(drive->dev), drive->name, device_class_to_string(drive->class));
        print_scheduler(drive);
        printf(" \"%s\" (%s)%s\n", drive->model, mention_tell_all(drive->class_reason, reason, sizeof(reason)), action == DRIVE_ADDED ? "" : " not an addition");
}

static void print_name(uint32_t dev) {
        char path[PATH_MAX], target[PATH_MAX];
        ssize_t n;

        snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", root, DEV_MAJOR(dev), DEV_MINOR(dev));
        n = readlink(path, target, sizeof(target) - 1);
        target[MAX(n, 0)] = '\0';
        printf("%s", strrchr(target, '/') ? strrchr(target, '/') + 1 : "?");
}

static int print_leaves(struct devices *d) {
        struct dirent **entries = NULL;
        char path[PATH_MAX];
        int n;

        snprintf(path, sizeof(path), "%s/sys/dev/block", root);
        n = scandir(path, &entries, NULL, versionsort);
        for (int i = 0; i < n; i++) {
                unsigned major, minor;
                bool inferred = false;
                uint32_t leaf;

                if (sscanf(entries[i]->d_name, "%u:%u", &major, &minor) == 2) {
                        leaf = devices_resolve_leaf(d, DEV_NUMBER(major, minor), &inferred);
                        printf("leaf ");
                        print_name(DEV_NUMBER(major, minor));
                        printf(" -> ");
                        if (leaf)
                                print_name(leaf);
                        else
                                printf("none");
                        printf("%s\n", inferred ? " (inferred)" : "");
                }
                free(entries[i]);
        }
        free(entries);
        return n < 0 ? -errno : 0;
}

int main(int argc, char **argv) {
        _cleanup_(devices_freep) struct devices *d = NULL;
        struct devices_config config = { 0 };
        unsigned n = 0;
        int r;

        if (argc < 2) {
                fprintf(stderr, "usage: list-drives ROOT [INCLUDE...]\n");
                return 2;
        }
        root = config.root = argv[1];
        config.include = (const char *const *) argv + 2;
        r = devices_new(&config, NULL, print_drive, &n, &d);
        if (r >= 0)
                r = print_leaves(d);
        if (r < 0)
                fprintf(stderr, "%s: %s\n", root, strerror(-r));
        return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
