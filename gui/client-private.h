/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by client.c (what is known), client-bus.c (the connection), client-call.c (calls), client-objects.c (the drives), client-recording.c and
 * client-stream.c (their samples). */
#pragma once

#include "client.h"
#include "stream.h"

G_BEGIN_DECLS

struct _BrioClient
{
  GObject parent_instance;

  GBusType bus_type;
  char *address; /* where bus_type is G_BUS_TYPE_NONE */
  GDBusConnection *connection;
  gulong closed_handler;
  guint name_watch;
  guint retry_source;
  GCancellable *connecting;

  /* While the name has an owner: */
  char *owner;
  GCancellable *session; /* cancelled when the owner goes */
  guint subscriptions[4];
  gboolean observes; /* the daemon tells it of other users' processes, too */
  gboolean listed; /* the drives are known, so that signals about them mean something */
  gboolean sampling; /* samples are wanted */
  BrioStream *stream;
  guint stream_retry_source;
  GTask *recording; /* under way; NULL: none. It is not held */

  BrioClientState state;
  char *mode, *mode_origin;
  char *version;
  char *detail;
  char *requests_missing;
  gboolean memory_untold;
  gint64 daemon_start_us; /* 0: not told */
  guint n_calls; /* that are not answered yet */
  GVariant *holds, *policies, *program_rules, *prefetch; /* as the bus has them; NULL: not told */
  GListStore *devices;
};

/* Sets the state and what is wrong (NULL: nothing to say), and notifies what changed. */
void brio_client_set_state (BrioClient     *self,
                            BrioClientState state,
                            const char     *detail);
/* Takes properties of the Manager, a{sv}. */
void brio_client_update_manager (BrioClient *self,
                                 GVariant   *properties);
/* Lets go of the bus. */
void brio_client_bus_stop (BrioClient *self);
/* Tries the bus or the daemon again after a while. */
void brio_client_retry_later (BrioClient *self);

void brio_client_objects_start (BrioClient *self);
void brio_client_objects_stop (BrioClient *self);
BrioDevice *brio_client_find_device (BrioClient *self,
                                     const char *name);

void brio_client_set_prefetch (BrioClient *self,
                               GVariant   *prefetch);

void brio_client_stream_start (BrioClient *self);
void brio_client_stream_stop (BrioClient *self);
void brio_client_emit_sampled (BrioClient *self);
void brio_client_emit_told (BrioClient *self,
                            const char *signal_name,
                            GVariant   *entry);

G_END_DECLS
