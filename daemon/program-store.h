/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs that have a rule beside all policies, on disk: STATE/programs.conf, a drop-in that briod alone writes (brio.policy(5), section StepBack). */
#pragma once

#include "policy.h"

#define PROGRAM_STORE_NAME "programs.conf"

/* Returns 0, also where there is no file; or -errno: -EFBIG, -ENOTSUP (no file of our own), ... Lines that are none are reported, and the others hold. */
int program_store_load(const char *dir, policy_report_fn report, void *userdata, struct policy_programs *ret);
/* The file is there as a whole or as it was before; without programs there is none. Returns 0 or -errno. */
int program_store_save(const char *dir, const struct policy_programs *p);
