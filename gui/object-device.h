/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A drive, as the bus and the sample stream tell it. Its properties notify only when they change; its samples do not
 * notify at all (BrioClient::sampled does, once for many). */
#pragma once

#include <gio/gio.h>

#include "history.h"
#include "response.h"
#include "sample.h"

G_BEGIN_DECLS

/* The channels of a drive's history. Durations are NAN where nothing was completed. */
enum brio_channel
{
  /* Of single requests of the last two to four seconds, while the daemon looks at them: half and 99 of 100 took no longer. */
  BRIO_CHANNEL_READ_MEDIAN_US,
  BRIO_CHANNEL_READ_P99_US,
  BRIO_CHANNEL_READ_MEAN_US, /* only where the two above are not known */
  BRIO_CHANNEL_WRITE_MEDIAN_US,
  BRIO_CHANNEL_WRITE_P99_US,
  BRIO_CHANNEL_WRITE_MEAN_US,
  BRIO_CHANNEL_READ_BYTES_PER_S,
  BRIO_CHANNEL_WRITE_BYTES_PER_S,
  BRIO_CHANNEL_DEPTH,
  _BRIO_CHANNEL_MAX,
};

/* Six minutes as they come, once a second; half an hour and a bit in buckets. */
#define BRIO_DEVICE_SAMPLES_MAX 360
#define BRIO_DEVICE_BUCKET_US (5 * G_USEC_PER_SEC)
#define BRIO_DEVICE_BUCKETS_MAX 363

#define BRIO_TYPE_DEVICE (brio_device_get_type ())
G_DECLARE_FINAL_TYPE (BrioDevice, brio_device, BRIO, DEVICE, GObject)

BrioDevice *brio_device_new (const char *object_path);

/* Takes properties of org.brio.Brio1.Device, a{sv}: all or some. Unknown names and values of another type than the
 * interface's are passed over. */
void brio_device_update (BrioDevice *self,
                         GVariant   *properties);

/* Takes a record. False where it is older than the newest, or its time is not within what the clock allows. */
gboolean brio_device_add_sample (BrioDevice               *self,
                                 const struct brio_sample *sample,
                                 gint64                    now_us);

/* Forgets the newest record's latencies, not the history: the stream has ended. */
void brio_device_end_samples (BrioDevice *self);

const char *brio_device_get_object_path (BrioDevice *self);
const char *brio_device_get_name (BrioDevice *self);
/* The model, or the name where that is not known. */
const char *brio_device_get_title (BrioDevice *self);
const char *brio_device_get_class (BrioDevice *self);
const char *brio_device_get_scheduler (BrioDevice *self);
/* That comes once the drive is quiet; "": none. */
const char *brio_device_get_awaited_scheduler (BrioDevice *self);
const char *brio_device_get_workload (BrioDevice *self);
const char *brio_device_get_state (BrioDevice *self);
const char *brio_device_get_reason (BrioDevice *self);
/* The names of the laws that the reason is of; "" for fewer than two. */
const char *brio_device_get_laws (BrioDevice *self);
/* How what Brio set was computed; "" where it was not. The reason does not say it. */
const char *brio_device_get_formula (BrioDevice *self);
/* The sentence of its strongest verdict; "" where nothing is found. Follows brio_client_refresh_findings(), as the next two. */
const char *brio_device_get_finding (BrioDevice *self);
/* Whether the reason has the statement that the finding begins with. */
gboolean brio_device_is_finding_in_reason (BrioDevice *self);
/* Which program waits for it, and for which: "Firefox waits, mostly for rsync"; "": none. */
const char *brio_device_get_waiting (BrioDevice *self);
/* Of BrioTunable, by name; the same list for the drive's life. */
GListModel *brio_device_get_tunables (BrioDevice *self);
const struct history *brio_device_get_history (BrioDevice *self);
/* Marks a moment of its history, in the clock of its samples. */
void brio_device_mark (BrioDevice *self,
                       gint64      t_us);

/* Of the last two seconds: means weighted by requests, the newest percentiles, and whether a process was found to wait. */
void brio_device_get_recent (BrioDevice            *self,
                             struct response_facts *ret);

G_END_DECLS
