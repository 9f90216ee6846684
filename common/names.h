/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names by which Brio is known outside its own processes; data/org.brio.Brio1.xml documents each. */
#pragma once

#define BRIO_BUS_NAME "org.brio.Brio1"
#define BRIO_OBJECT_PATH "/org/brio/Brio1"
#define BRIO_DEVICE_PATH_PREFIX BRIO_OBJECT_PATH "/device/"
#define BRIO_MANAGER_INTERFACE BRIO_BUS_NAME ".Manager"
#define BRIO_DEVICE_INTERFACE BRIO_BUS_NAME ".Device"

/* The application of a start that begins with a user's manager and ends with a quiet desktop. */
#define BRIO_SESSION "user-session"

/* Counters of the cold starts that took no longer than each of these bounds, which ascend. */
#define BRIO_COLD_STARTS_WITHIN "cold_starts_within_%ums"
#define BRIO_COLD_START_BOUNDS_MS 500, 1000, 2000, 5000, 10000, 20000, 60000
#define BRIO_COLD_START_BOUNDS (sizeof((const unsigned[]) { BRIO_COLD_START_BOUNDS_MS }) / sizeof(unsigned))

#define BRIO_ERROR_NOT_FOUND BRIO_BUS_NAME ".Error.NotFound"
#define BRIO_ERROR_INVALID_ARGUMENT BRIO_BUS_NAME ".Error.InvalidArgument"
#define BRIO_ERROR_NOT_AUTHORIZED BRIO_BUS_NAME ".Error.NotAuthorized"
#define BRIO_ERROR_LIMIT_REACHED BRIO_BUS_NAME ".Error.LimitReached"
#define BRIO_ERROR_FAILED BRIO_BUS_NAME ".Error.Failed"

#define BRIO_POLKIT_ACTION_HOLD "org.brio.Brio1.hold"
#define BRIO_POLKIT_ACTION_MANAGE "org.brio.Brio1.manage"
#define BRIO_POLKIT_ACTION_OBSERVE "org.brio.Brio1.observe"
#define BRIO_POLKIT_ACTION_RECORD "org.brio.Brio1.record"
