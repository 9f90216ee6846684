/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What trials found, in a recording: without it a replay would try anew what the daemon knew. As the text of a RECORDING_BLOCK_OUTCOME, with the drive's number
 * in the place of its model. */
#pragma once

#include "controller.h"

/* An outcome that is about a drive like d, as KEY=VALUE lines. now: that it is told at. Returns buf (RECORDING_TEXT_MAX + 1 bytes), or NULL where it is about
 * others. */
char *recording_format_outcome(const struct outcome *o, const struct controller_device *d, nsec_t now, char *buf, size_t size);

/* Adds it to what the controller remembers, of the drive that it names. now: that it was told at, by the clock of the ticks. Returns 0, -ENOENT where the
 * drive is not there, or -EBADMSG: it is none. */
int recording_take_outcome(struct controller *c, const char *text, nsec_t now);
