/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reading end of OpenSampleStream's pipe, on the main loop. */
#pragma once

#include <gio/gio.h>

#include "sample-reader.h"

G_BEGIN_DECLS

typedef struct _BrioStream BrioStream;

typedef struct
{
  /* One record. */
  sample_reader_fn record;
  /* After the records of one wake-up. */
  void (*batch) (gpointer userdata);
  /* The stream has ended; reason is for the log. The callee frees the stream. Nothing is called after it. */
  void (*ended) (gpointer    userdata,
                 const char *reason);
} BrioStreamFuncs;

/* Takes fd over. */
BrioStream *brio_stream_new  (int                    fd,
                              const BrioStreamFuncs *funcs,
                              gpointer               userdata);
/* Takes NULL. Of the functions, only ended may call it. */
void        brio_stream_free (BrioStream *self);

G_END_DECLS
