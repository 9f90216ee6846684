/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An emulated drive as a file, over FUSE. One loop takes requests from the kernel, stamps their arrival and queues them,
 * lives through the engine's events and answers each request at its completion time. The model's clock runs on its
 * own, so lateness never adds up. */
#pragma once

#include "data.h"
#include "engine.h"

/* The switch: an extended attribute of the served file. While it is "off" the drive answers at once. */
#define DRIVE_TIMING_NAME "user.brio.timing"
#define DRIVE_TIMING_ON "on"
#define DRIVE_TIMING_OFF "off"

/* Mounts over a file and serves it until SIGHUP, SIGINT or SIGTERM. Returns 0 or a negative errno. */
int drive_serve(struct drive_model *model, struct drive_data *data, const char *mountpoint);
