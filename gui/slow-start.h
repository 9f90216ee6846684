/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A start as common/slow.h judges it. */
#pragma once

#include "slow.h"

#include "object-startup.h"

G_BEGIN_DECLS

/* Its texts are the startup's. */
struct slow_start slow_start_of (BrioStartup *startup);

G_END_DECLS
