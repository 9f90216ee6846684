/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which sockets lead to the sound server, PipeWire or PulseAudio: that is a process's sound where it has no sound device of its own open. The kernel says which
 * sockets are connected to which (sock_diag of AF_UNIX); each is known by its inode, which is its number in /proc/PID/fd. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

#define SOUND_CLIENTS_MAX 256
#define SOUND_CLIENTS_FRESH_NS (2 * NSEC_PER_SEC) /* the kernel is asked again after that */

struct sound_clients;

/* Asks at once, so that the kernel loads what answers. NULL without memory. */
struct sound_clients *sound_clients_new(void);
struct sound_clients *sound_clients_free(struct sound_clients *c);

/* Whether the socket leads to the sound server. Never where the kernel does not say. */
bool sound_clients_have(struct sound_clients *c, uint64_t inode, nsec_t now);

/* How often there were more than SOUND_CLIENTS_MAX, or more sockets of all than are looked at. */
uint64_t sound_clients_bounds_hit(const struct sound_clients *c);

/* Of an answer of the kernel's to the question of that sequence, without what it says to others, its end and its errors too: the socket at the other end of one
 * that is the sound server's, for each into ret, of which there are n so far. Returns the new number, at most SOUND_CLIENTS_MAX + 1, -EBADMSG, or the kernel's
 * -errno; *ret_more is false with the last answer. */
int sound_clients_parse(const void *answer, size_t size, uint32_t sequence, uint32_t ret[SOUND_CLIENTS_MAX], size_t n, bool *ret_more);
