/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A drive in a recording: what the controller needs to know of it, as the text of a RECORDING_BLOCK_DRIVE. */
#pragma once

#include "controller.h"

/* c's drive with its settings as they would be without Brio: where one of ours stands, its original. Returns ret. */
struct device_facts *recording_drive_facts(const struct controller_device *c, struct device_facts *ret);

/* The text, cut to size. Returns buf. */
char *recording_format_drive(const struct device_facts *facts, char *buf, size_t size);

/* Reads it. A setting that is not known or out of the kernel's range is passed over. Returns 0; -EBADMSG: it is not said which
 * drive it is. */
int recording_parse_drive(const char *text, struct device_facts *ret);
