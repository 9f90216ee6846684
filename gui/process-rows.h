/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the table of processes: those of an application, or of a program, are one that unfolds to them. No GTK. */
#pragma once

#include "object-process.h"

G_BEGIN_DECLS

#define BRIO_TYPE_PROCESS_ROWS (brio_process_rows_get_type ())
G_DECLARE_FINAL_TYPE (BrioProcessRows, brio_process_rows, BRIO, PROCESS_ROWS, GObject)

/* Signal "found-others": a search is about to change the list. */

/* compare: which of two BrioProcess comes first, of which either may be a group. free_userdata: NULL: nothing to free. */
BrioProcessRows *brio_process_rows_new (GCompareDataFunc compare,
                                        gpointer         userdata,
                                        GDestroyNotify   free_userdata);
/* Of BrioProcess: groups, the processes of those that are unfolded, below them, and those of no group; in order. The rows own it. */
GListModel *brio_process_rows_get_list (BrioProcessRows *self);

/* Takes what brio_processes_read() made of an answer. A process that stays is the same object, a group as long as it has any. */
void brio_process_rows_take (BrioProcessRows *self,
                             GPtrArray       *told);
/* Shows only what has these words (of search_words()), which are copied, below its group; none: all. */
void brio_process_rows_search (BrioProcessRows   *self,
                               const char *const *words);
/* What compares them does so otherwise from here on. */
void brio_process_rows_sort (BrioProcessRows *self);
/* Nothing where it is no group, or while a search unfolds all. */
void brio_process_rows_toggle (BrioProcessRows *self,
                               BrioProcess     *row);
/* Time passes in which nothing is told: what was noted before is not what comes before the next. */
void brio_process_rows_pause (BrioProcessRows *self);

/* How many processes there are in all, whose requests are observed, that are in the sums of other users. */
guint brio_process_rows_get_n (BrioProcessRows *self);
guint brio_process_rows_get_observed (BrioProcessRows *self);
guint brio_process_rows_get_others (BrioProcessRows *self);
/* Those of a group, or the process itself. Free with g_ptr_array_unref(). */
GPtrArray *brio_process_rows_get_processes (BrioProcessRows *self,
                                            BrioProcess     *row);

G_END_DECLS
