/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams in words, translated. Free what is returned as char * with g_free(). */
#pragma once

#include "object-stream.h"

G_BEGIN_DECLS

/* "Needs 5 periods, has 3"; "" where nothing fails. */
char *stream_words_failed (BrioPlayer *player);
/* What bfq's rule says, from the same requests: "bfq’s rule: yes, asked 120 ms after it may"; "" where that is not known. */
char *stream_words_kernel (BrioPlayer *player);
/* How it asks, in a sentence: what a chart of that is called for a user that cannot see it. */
char *stream_words_rhythm (BrioPlayer *player);
/* What bfq was heard to say; "" while not asked. */
char *stream_words_heard (BrioPlayer *player);
/* A figure with its unit; "–" where it is not known. */
char *stream_words_figure (BrioPlayer      *player,
                           BrioPlayerFigure figure);

G_END_DECLS
