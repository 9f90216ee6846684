/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Users' names by their numbers, each looked up once: a directory server may be slow. */
#pragma once

#include <stdint.h>

#define USERS_MAX 64

/* The name, or the number as text where it has none; good until USERS_MAX more were asked for. */
const char *user_name(uint32_t uid);
