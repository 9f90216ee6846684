/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dashboard's view of briod: connects, reconnects by itself, keeps the drives and their samples. It never blocks:
 * every call is asynchronous, and GDBusObjectManagerClient is not used because it calls the daemon synchronously when
 * the name gets a new owner. */
#pragma once

#include <gio/gio.h>

#include "object-device.h"

G_BEGIN_DECLS

typedef enum
{
  BRIO_CLIENT_CONNECTING, /* nothing is known yet */
  BRIO_CLIENT_CONNECTED,
  BRIO_CLIENT_ABSENT,     /* no daemon, or no bus: see detail */
  BRIO_CLIENT_MISMATCH,   /* something answers that does not speak this interface: see detail */
} BrioClientState;

#define BRIO_TYPE_CLIENT_STATE (brio_client_state_get_type ())
GType brio_client_state_get_type (void);

#define BRIO_TYPE_CLIENT (brio_client_get_type ())
G_DECLARE_FINAL_TYPE (BrioClient, brio_client, BRIO, CLIENT, GObject)

/* Signal "sampled": samples were added to the drives, once for all records that came together.
 * Signal "told" (GVariant *entry), detailed: a signal of the Manager with one dictionary, a{sv}; "told::StartupFinished".
 * Properties: state, mode, mode-origin, version, detail. Signals "holds-changed", "program-rules-changed", "prefetch-changed". */

/* bus: "system", "session" or a bus address; NULL or "": the system bus. */
BrioClient *brio_client_new (const char *bus);
/* Begins; call once. */
void        brio_client_start (BrioClient *self);

/* Whether samples are asked for; TRUE at first. Without a window they are not looked at. */
void            brio_client_set_sampling (BrioClient *self,
                                          gboolean    sampling);
BrioClientState brio_client_get_state (BrioClient *self);
/* "auto", "advise", "off"; "" while not connected. */
const char     *brio_client_get_mode (BrioClient *self);
/* Where it is from: "kept", "set", "command-line", "configuration", "default"; "" while not connected, and of a daemon that does not tell. */
const char     *brio_client_get_mode_origin (BrioClient *self);
/* The daemon's, "" while not connected. */
const char     *brio_client_get_version (BrioClient *self);
/* What is wrong, for people; "" where nothing is or where it is simply not running. */
const char     *brio_client_get_detail (BrioClient *self);
/* Of BrioDevice, by name; the same list for the client's life. */
GListModel     *brio_client_get_devices (BrioClient *self);

/* Holds in force, a(usss): cookie, mode, reason, application. NULL: not told. */
GVariant       *brio_client_get_holds (BrioClient *self);
/* What the strongest of them asks for: "pause", "throughput", "interactive"; "" where there is none. */
const char     *brio_client_get_hold (BrioClient *self);
/* The strongest itself, whose texts live as long as the holds do not change. FALSE: there is none. */
struct brio_hold
{
  guint32 cookie;
  const char *mode, *reason, *application; /* the last two may be "" */
};
gboolean        brio_client_find_hold (BrioClient       *self,
                                       struct brio_hold *ret);
/* When the daemon was started, CLOCK_REALTIME; 0: not told. */
gint64          brio_client_get_daemon_start_us (BrioClient *self);
/* Policies in force, weakest first, a(sss): name, file, description. NULL: not told. */
GVariant       *brio_client_get_policies (BrioClient *self);

/* Programs with a rule, a(sss): name, "never" or "always", the file of the policy that says so ("": it was set). NULL: not told. */
GVariant       *brio_client_get_program_rules (BrioClient *self);

/* What GetPrefetch() answers, aa{sv}: what it is worth that starts are helped. Asked for at the beginning and at the end of each start. NULL: not
 * told. */
GVariant       *brio_client_get_prefetch (BrioClient *self);

/* Asks for a mode, or (NULL) for the one that holds where none was set; the daemon may ask the user for a password. The mode property
 * follows the daemon, not the call. */
void     brio_client_set_mode_async (BrioClient         *self,
                                     const char         *mode,
                                     GCancellable       *cancellable,
                                     GAsyncReadyCallback callback,
                                     gpointer            userdata);
gboolean brio_client_set_mode_finish (BrioClient   *self,
                                      GAsyncResult *result,
                                      GError      **error);

/* Asks systemd on the same bus to start the daemon (restart: anew); the user may be asked for a password. That it runs, the state tells. */
void     brio_client_start_daemon_async (BrioClient         *self,
                                         gboolean            restart,
                                         GCancellable       *cancellable,
                                         GAsyncReadyCallback callback,
                                         gpointer            userdata);
/* FALSE: error says why, in one translated sentence. */
gboolean brio_client_start_daemon_finish (BrioClient   *self,
                                          GAsyncResult *result,
                                          GError      **error);

/* A call of the Manager that returns one value, of reply_type in parentheses ("(aa{sv})"): that value. Only what reads; parameters may be
 * floating, or NULL. */
void      brio_client_call_async (BrioClient         *self,
                                  const char         *method,
                                  GVariant           *parameters,
                                  const char         *reply_type,
                                  GCancellable       *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer            userdata);
/* What an answer says, made of it in a thread of its own: where one is so long that the window would stand still meanwhile. */
typedef gpointer (*BrioClientRead) (GVariant *answer);
void      brio_client_call_read_async (BrioClient         *self,
                                       const char         *method,
                                       GVariant           *parameters,
                                       const char         *reply_type,
                                       BrioClientRead      read,
                                       GDestroyNotify      free,
                                       GCancellable       *cancellable,
                                       GAsyncReadyCallback callback,
                                       gpointer            userdata);
/* What was read; the caller frees it. */
gpointer  brio_client_call_read_finish (BrioClient   *self,
                                        GAsyncResult *result,
                                        GError      **error);
/* The same as brio_client_call_async() for what an administrator may: the user may be asked for a password. A method that returns nothing
 * (reply_type "()") answers with an empty tuple. */
void      brio_client_call_authorized_async (BrioClient         *self,
                                             const char         *method,
                                             GVariant           *parameters,
                                             const char         *reply_type,
                                             GCancellable       *cancellable,
                                             GAsyncReadyCallback callback,
                                             gpointer            userdata);
/* The daemon has let this connection see other users' processes (Observe()): all is read anew. */
void      brio_client_observe_all (BrioClient *self);
/* Whether one of these calls is not answered yet. */
gboolean  brio_client_is_waiting (BrioClient *self);
/* All properties of a drive, a{sv}, for those that no signal tells. */
void      brio_client_read_device_async (BrioClient         *self,
                                         BrioDevice         *device,
                                         GCancellable       *cancellable,
                                         GAsyncReadyCallback callback,
                                         gpointer            userdata);
/* The same of the Manager. */
void      brio_client_read_manager_async (BrioClient         *self,
                                          GCancellable       *cancellable,
                                          GAsyncReadyCallback callback,
                                          gpointer            userdata);
GVariant *brio_client_call_finish (BrioClient   *self,
                                   GAsyncResult *result,
                                   GError      **error);

/* What the daemon sees from now on, of all drives, as a file (brio.recording(5)): after so many seconds, once it has BRIO_RECORDING_BYTES_MAX, when the daemon
 * goes, or when it is told to end it is what there is. One at a time. The user may be asked for a password. progress is called when it has
 * begun and then once a second. */
#define BRIO_RECORDING_BYTES_MAX (32u << 20)
typedef void (*BrioClientProgress) (guint    seconds,
                                    gpointer userdata);
void    brio_client_record_async (BrioClient         *self,
                                  guint               seconds,
                                  BrioClientProgress  progress,
                                  GCancellable       *cancellable,
                                  GAsyncReadyCallback callback,
                                  gpointer            userdata);
/* The one that is under way, if there is one, ends now. */
void    brio_client_record_end (BrioClient *self);
/* Free with g_bytes_unref(). */
GBytes *brio_client_record_finish (BrioClient   *self,
                                   GAsyncResult *result,
                                   GError      **error);

/* Asks for the verdicts about the drives that are not idle, which no signal tells; "finding" of the drives follows. */
void brio_client_refresh_findings (BrioClient *self);

/* Why the daemon cannot see single requests, in English; "" where it can, or while not connected. */
const char *brio_client_get_requests_missing (BrioClient *self);
/* The kernel does not account how long starts wait for memory, now. */
gboolean    brio_client_is_memory_untold (BrioClient *self);

/* What went wrong in a call, and what to do next, in one translated sentence. Free with g_free(). */
char *brio_client_explain_error (const GError *error);
/* The user may not do that: asking again would ask for a password again. */
gboolean brio_client_is_refusal (const GError *error);

G_END_DECLS
