/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that are shown as one, what a process is called among them, and what it did lately. */
#include <glib/gi18n.h>
#include <string.h>

#include "object-process-private.h"

BrioProcess *
brio_process_new_group (const char *name)
{
  BrioProcess *self = g_object_new (BRIO_TYPE_PROCESS, NULL);

  self->told.name = g_ref_string_new_intern (name);
  self->told.application = g_ref_string_new_intern ("");
  self->told.drive = g_ref_string_new_intern ("");
  self->told.io_class = g_ref_string_new_intern ("");
  self->told.user = "";
  return self;
}

static void
replace_text (GRefString **text,
              GRefString  *other)
{
  g_ref_string_release (*text);
  *text = g_ref_string_acquire (other);
}

static void
keep_common (GRefString **text,
             GRefString  *other)
{
  if (*text == other)
    return;
  g_ref_string_release (*text);
  *text = g_ref_string_new_intern ("");
}

/* What is not known counts as nothing where something is. */
static void
add_figures (gint64       sum[BRIO_PROCESS_N_FIGURES],
             const gint64 more[BRIO_PROCESS_N_FIGURES])
{
  static const gboolean adds_up[BRIO_PROCESS_N_FIGURES] = {
    [BRIO_PROCESS_TOTAL] = TRUE, [BRIO_PROCESS_READ] = TRUE, [BRIO_PROCESS_WRITE] = TRUE, [BRIO_PROCESS_REQUESTS] = TRUE,
  };

  for (guint i = 0; i < BRIO_PROCESS_N_FIGURES; i++)
    if (sum[i] < 0 || more[i] < 0 || !adds_up[i])
      sum[i] = MAX (sum[i], more[i]);
    else
      sum[i] = sum[i] > G_MAXINT64 - more[i] ? G_MAXINT64 : sum[i] + more[i];
}

static void
add_told (struct told       *sum,
          const struct told *more)
{
  keep_common (&sum->drive, more->drive);
  keep_common (&sum->io_class, more->io_class);
  if (!g_str_equal (sum->user, more->user))
    sum->user = "";
  sum->io_level = sum->io_level == more->io_level ? sum->io_level : 0;
  sum->inferred |= more->inferred;
  sum->observed &= more->observed;
  add_figures (sum->figures, more->figures);
}

static void
copy_told (struct told       *to,
           const struct told *from)
{
  *to = *from;
  g_ref_string_acquire (to->name);
  g_ref_string_acquire (to->application);
  g_ref_string_acquire (to->drive);
  g_ref_string_acquire (to->io_class);
}

BrioProcessChange
brio_process_sum (BrioProcess *self,
                  GPtrArray   *members)
{
  g_autoptr (BrioProcess) sum = g_object_new (BRIO_TYPE_PROCESS, NULL);
  gboolean more = self->n_members != members->len;
  BrioProcessChange change;

  g_return_val_if_fail (members->len > 0, BRIO_PROCESS_SAME);

  copy_told (&sum->told, &BRIO_PROCESS (members->pdata[0])->told);
  for (guint i = 1; i < members->len; i++)
    add_told (&sum->told, &BRIO_PROCESS (members->pdata[i])->told);
  if (members->len > 1) /* there is no median of medians */
    sum->told.figures[BRIO_PROCESS_LATENCY] = -1;
  replace_text (&sum->told.name, self->told.name);
  replace_text (&sum->told.application, self->told.application);
  self->n_members = members->len;
  change = brio_process_update (self, sum);
  if (!more)
    return change;
  brio_process_forget_made (self);
  brio_process_changed (self);
  return BRIO_PROCESS_OTHER_WORDS;
}

gboolean
brio_process_is_group (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  return self->pid == 0;
}

BrioProcess *
brio_process_get_group (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->group;
}

void
brio_process_set_group (BrioProcess *self,
                        BrioProcess *group)
{
  g_return_if_fail (BRIO_IS_PROCESS (self));

  if (!g_set_object (&self->group, group))
    return;
  brio_process_forget_made (self); /* it is called otherwise in a group */
  brio_process_changed (self);
}

gboolean
brio_process_is_unfolded (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  return self->unfolded;
}

void
brio_process_set_unfolded (BrioProcess *self,
                           gboolean     unfolded)
{
  g_return_if_fail (BRIO_IS_PROCESS (self));

  if (self->unfolded == unfolded)
    return;
  self->unfolded = unfolded;
  brio_process_changed (self);
}

gboolean
brio_process_is_looked_for (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  return self->looked_for;
}

/* Of the same user and application, or else program. */
static GRefString *
make_key (BrioProcess *self,
          const char  *application)
{
  g_autofree char *key = g_strjoin ("\n", application ? "application" : "program", application ? application : self->told.name, self->told.user, NULL);

  return g_ref_string_new_intern (key);
}

void
brio_process_set_application (BrioProcess *self,
                              const char  *application,
                              const char  *title)
{
  g_return_if_fail (BRIO_IS_PROCESS (self));

  brio_process_forget_application (self);
  brio_process_forget_made (self);
  self->looked_for = TRUE;
  self->application = application ? g_ref_string_new_intern (application) : NULL;
  self->title = title ? g_ref_string_new_intern (title) : NULL;
  self->key = self->told.others == 0 ? make_key (self, application) : NULL;
  brio_process_changed (self);
}

GRefString *
brio_process_get_group_key (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->key;
}

const char *
brio_process_get_application (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->application;
}

const char *
brio_process_get_unit (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->told.application;
}

char *
brio_process_dup_label (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  if (self->n_members > 0)
    /* Translators: an application, and how many processes it has */
    return g_strdup_printf (_("%s (%u)"), self->told.name, self->n_members);
  return g_strdup (self->title && !self->group ? self->title : self->told.name);
}

void
brio_process_note (BrioProcess *self)
{
  gint64 before = self->highest;

  g_return_if_fail (BRIO_IS_PROCESS (self));

  memmove (self->history, self->history + 1, sizeof (self->history) - sizeof (self->history[0]));
  self->history[BRIO_PROCESS_SECONDS - 1] = MAX (self->told.figures[BRIO_PROCESS_TOTAL], 0);
  self->highest = 0;
  for (guint i = 0; i < BRIO_PROCESS_SECONDS; i++)
    self->highest = MAX (self->highest, self->history[i]);
  if (before > 0 || self->highest > 0)
    brio_process_moved (self);
}

void
brio_process_forget_history (BrioProcess *self)
{
  g_return_if_fail (BRIO_IS_PROCESS (self));

  memset (self->history, 0, sizeof (self->history));
  self->highest = 0;
}

const gint64 *
brio_process_get_history (BrioProcess *self,
                          gint64      *ret_highest)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  *ret_highest = self->highest;
  return self->history;
}
