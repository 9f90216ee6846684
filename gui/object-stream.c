/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object-stream.h"

#include "statement-words.h"
#include "variant.h"

struct _BrioPlayer
{
  GObject parent_instance;

  GVariant *entry; /* the newest; what is told of it is read from there */
  BrioPlayerState state;
  char *sentence; /* in the language of the window */
  char *heard;
};

enum
{
  CHANGED,
  N_SIGNALS
};

G_DEFINE_FINAL_TYPE (BrioPlayer, brio_player, G_TYPE_OBJECT)

static guint signals[N_SIGNALS];

static const char *const states[BRIO_PLAYER_N_STATES] = {
  [BRIO_PLAYER_STREAM] = "stream",
  [BRIO_PLAYER_NEAR_MISS] = "near-miss",
  [BRIO_PLAYER_CANDIDATE] = "candidate",
  [BRIO_PLAYER_ENDED] = "ended",
};

static void
brio_player_finalize (GObject *object)
{
  BrioPlayer *self = BRIO_PLAYER (object);

  g_variant_unref (self->entry);
  g_free (self->heard);
  g_free (self->sentence);

  G_OBJECT_CLASS (brio_player_parent_class)->finalize (object);
}

static void
brio_player_class_init (BrioPlayerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = brio_player_finalize;

  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
brio_player_init (BrioPlayer *self)
{
  self->heard = g_strdup ("");
}

/* BRIO_PLAYER_N_STATES: another one. */
static BrioPlayerState
read_state (GVariant *entry)
{
  BrioPlayerState state = 0;

  while (state < BRIO_PLAYER_N_STATES && !g_str_equal (states[state], variant_text (entry, "state")))
    state++;
  return state;
}

BrioPlayer *
brio_player_new (GVariant *entry)
{
  BrioPlayerState state = read_state (entry);
  BrioPlayer *self;

  if (state == BRIO_PLAYER_N_STATES || variant_number (entry, "pid") <= 0)
    return NULL;
  self = g_object_new (BRIO_TYPE_PLAYER, NULL);
  self->entry = g_variant_ref_sink (entry);
  self->sentence = statement_words (entry, "sentence");
  self->state = state;
  return self;
}

/* Takes a newer entry; emits "changed" where that says something else. */
static void
update_player (BrioPlayer *self,
               GVariant   *entry)
{
  if (g_variant_equal (self->entry, entry))
    return;
  g_variant_ref_sink (entry);
  g_variant_unref (self->entry);
  self->entry = entry;
  g_free (self->sentence);
  self->sentence = statement_words (entry, "sentence");
  self->state = read_state (entry);
  g_signal_emit (self, signals[CHANGED], 0);
}

BrioPlayerState
brio_player_get_state (BrioPlayer *self)
{
  g_return_val_if_fail (BRIO_IS_PLAYER (self), BRIO_PLAYER_ENDED);

  return self->state;
}

guint32
brio_player_get_pid (BrioPlayer *self)
{
  g_return_val_if_fail (BRIO_IS_PLAYER (self), 0);

  return (guint32) variant_number (self->entry, "pid");
}

const char *
brio_player_get_name (BrioPlayer *self)
{
  g_return_val_if_fail (BRIO_IS_PLAYER (self), NULL);

  return variant_text (self->entry, "name");
}

const char *
brio_player_get_drive (BrioPlayer *self)
{
  g_return_val_if_fail (BRIO_IS_PLAYER (self), NULL);

  return variant_text (self->entry, "device");
}

gboolean
brio_player_records (BrioPlayer *self)
{
  g_return_val_if_fail (BRIO_IS_PLAYER (self), FALSE);

  return variant_flag (self->entry, "records");
}

const char *
brio_player_get_sentence (BrioPlayer *self)
{
  g_return_val_if_fail (BRIO_IS_PLAYER (self), NULL);

  return self->sentence;
}

gint64
brio_player_get_figure (BrioPlayer      *self,
                        BrioPlayerFigure figure)
{
  static const char *const keys[BRIO_PLAYER_N_FIGURES] = {
    [BRIO_PLAYER_RATE] = "bytes_per_second",
    [BRIO_PLAYER_PERIOD] = "period_usec",
    [BRIO_PLAYER_REGULARITY] = "regularity_permille",
    [BRIO_PLAYER_PAUSE] = "pause_permille",
    [BRIO_PLAYER_DRIFT] = "drift_permille",
    [BRIO_PLAYER_PERIODS] = "periods",
    [BRIO_PLAYER_BATCHES] = "batches",
    [BRIO_PLAYER_SINCE] = "since_usec",
    [BRIO_PLAYER_ENDED_AGO] = "ended_usec",
    [BRIO_PLAYER_KERNEL_YES] = "kernel_yes",
    [BRIO_PLAYER_KERNEL_NO] = "kernel_no",
    [BRIO_PLAYER_KERNEL_WITHOUT_MEMORY] = "kernel_yes_without_memory",
  };

  g_return_val_if_fail (BRIO_IS_PLAYER (self), -1);

  return variant_number (self->entry, keys[figure]);
}

const char *
brio_player_get_kernel (BrioPlayer *self)
{
  g_return_val_if_fail (BRIO_IS_PLAYER (self), NULL);

  return variant_text (self->entry, "kernel");
}

gboolean
brio_player_get_margin (BrioPlayer *self,
                        gint64     *ret_us)
{
  const char *kernel;

  g_return_val_if_fail (BRIO_IS_PLAYER (self), FALSE);

  /* Of the other answers it says nothing. */
  kernel = variant_text (self->entry, "kernel");
  if (!g_str_equal (kernel, "yes") && !g_str_equal (kernel, "too-early"))
    return FALSE;
  return g_variant_lookup (self->entry, "margin_usec", "x", ret_us);
}

gboolean
brio_player_get_pattern (BrioPlayer     *self,
                         struct pattern *ret)
{
  g_return_val_if_fail (BRIO_IS_PLAYER (self), FALSE);

  return pattern_read (self->entry, ret);
}

const char *
brio_player_get_failed (BrioPlayer  *self,
                        gint64      *ret_value,
                        gint64      *ret_limit,
                        const char **ret_unit)
{
  g_return_val_if_fail (BRIO_IS_PLAYER (self), NULL);

  *ret_value = variant_signed (self->entry, "failed_value");
  *ret_limit = variant_signed (self->entry, "failed_limit");
  *ret_unit = variant_text (self->entry, "failed_unit");
  return variant_text (self->entry, "failed_condition");
}

const char *
brio_player_get_heard (BrioPlayer *self)
{
  g_return_val_if_fail (BRIO_IS_PLAYER (self), NULL);

  return self->heard;
}

static const char *
find_heard (BrioPlayer *self,
            GVariant   *verdicts)
{
  const char *heard = "nothing";
  gint64 most = -1;

  for (gsize i = 0; i < g_variant_n_children (verdicts); i++)
    {
      g_autoptr (GVariant) verdict = g_variant_get_child_value (verdicts, i);
      gint64 coefficient = variant_number (verdict, "coefficient");

      if (variant_number (verdict, "pid") != brio_player_get_pid (self) || coefficient <= most
          || !g_str_equal (variant_text (verdict, "device"), brio_player_get_drive (self)))
        continue;
      most = coefficient;
      heard = variant_text (verdict, "verdict"); /* verdicts keeps it */
    }
  return heard;
}

void
brio_player_hear (BrioPlayer *self,
                  GVariant   *verdicts)
{
  g_return_if_fail (BRIO_IS_PLAYER (self));

  g_free (self->heard);
  self->heard = g_strdup (verdicts ? find_heard (self, verdicts) : "");
  g_signal_emit (self, signals[CHANGED], 0);
}

/* One that has ended stays beside another that the same process begins. */
static char *
get_key (GVariant *entry)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT " %d %s", variant_number (entry, "pid"), read_state (entry) == BRIO_PLAYER_ENDED,
                          variant_text (entry, "device"));
}

/* Touches only what comes, goes or moves: a row that is unfolded stays so. */
static void
show_wanted (GListStore *list,
             GPtrArray  *wanted)
{
  GListModel *model = G_LIST_MODEL (list);
  guint position;

  for (guint i = g_list_model_get_n_items (model); i > 0; i--)
    {
      g_autoptr (BrioPlayer) player = g_list_model_get_item (model, i - 1);

      if (!g_ptr_array_find (wanted, player, NULL))
        g_list_store_remove (list, i - 1);
    }
  for (guint i = 0; i < wanted->len; i++)
    {
      g_autoptr (BrioPlayer) player = g_list_model_get_item (model, i);

      if (player == wanted->pdata[i])
        continue;
      if (g_list_store_find (list, wanted->pdata[i], &position))
        g_list_store_remove (list, position);
      g_list_store_insert (list, i, wanted->pdata[i]);
    }
}

void
brio_players_merge (GListStore *list,
                    GVariant   *entries)
{
  GListModel *model = G_LIST_MODEL (list);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  g_autoptr (GPtrArray) wanted = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      BrioPlayer *player = g_list_model_get_item (model, i);

      g_hash_table_insert (known, get_key (player->entry), player);
    }
  for (gsize i = 0; i < g_variant_n_children (entries); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (entries, i);
      g_autofree char *key = get_key (entry), *known_key = NULL;
      BrioPlayer *player;

      if (!g_hash_table_steal_extended (known, key, (gpointer *) &known_key, (gpointer *) &player))
        player = brio_player_new (entry);
      else if (read_state (entry) != player->state) /* it belongs to another group now, which has to see it come */
        {
          BrioPlayer *fresh = brio_player_new (entry);

          if (fresh)
            {
              g_free (fresh->heard);
              fresh->heard = g_strdup (player->heard);
            }
          g_object_unref (player);
          player = fresh;
        }
      else
        update_player (player, entry);
      if (player)
        g_ptr_array_add (wanted, player);
    }
  show_wanted (list, wanted);
}
