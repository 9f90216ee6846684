/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "law-words.h"

#include <glib/gi18n.h>

struct words
{
  const char *word;
  const char *name;
  const char *meaning;
  const char *unit; /* of a setting's value; "" where it is a number of something, or a word */
};

static const struct words laws[] = {
  { "idle-limit", N_("Waits for readers"), N_("Where many programs read, the drive waits less for the next read of each."), "" },
  { "slice-share", N_("Shorter turns"), N_("Where several programs read much, each comes sooner by shorter turns."), "" },
  { "startup-guard", N_("Starts first"), N_("While a program starts, others make room on its drive."), "" },
  { "stream-guard", N_("Playing without gaps"), N_("Beside much that is read or written, what plays or records keeps its rhythm."), "" },
  { "writeback-guard", N_("Reads before writes"), N_("Less is written at once, so that reads do not wait behind it."), "" },
  { "hole-filler", N_("Used pauses"), N_("While the drive would wait for one program, it serves others."), "" },
  { "readahead", N_("Larger pieces"), N_("Of each file more is read at a time, so that the disk’s heads move less often."), "" },
  { "throughput", N_("Full speed"), N_("While no user waits, the drive moves as much as it can."), "" },
  { "step-back", N_("Letting others go first"), N_("Programs that read or write much without a pause let others go first."), "" },
  { "scheduler", N_("Choice of scheduler"), N_("The kernel’s way of sharing the drive that suits it best."), "" },
  { "prefetch", N_("Reading ahead"), N_("What a program reads when it starts is read before it asks."), "" },
  { "restore", N_("Put back"), N_("What stood there before Brio stands there again."), "" },
};

static const struct words tunables[] = {
  { "add_random", N_("Use for randomness"), N_("Whether the times of its requests make random numbers."), "" },
  { "async_depth", N_("Writes at a time"), N_("How many writes the drive may have queued at once."), "" },
  { "back_seek_max", N_("Way back"), N_("How far back the next request may lie and still count as near."), "KiB" },
  { "back_seek_penalty", N_("Cost of the way back"), N_("How much more a way back counts than one forward."), "" },
  { "fifo_batch", N_("Requests in a row"), N_("How many requests of one kind are served in a row."), "" },
  { "fifo_expire_async", N_("Longest wait of writes"), N_("After so long a write goes first."), "ms" },
  { "fifo_expire_sync", N_("Longest wait of reads"), N_("After so long a read goes first."), "ms" },
  { "front_merges", N_("Joining in front"), N_("Whether a request may be joined with one that lies just behind it."), "" },
  { "group_idle", N_("Wait for a group"), N_("For how long the drive waits for the next request of the same group."), "ms" },
  { "group_idle_us", N_("Wait for a group"), N_("For how long the drive waits for the next request of the same group."), "µs" },
  { "ioprio", N_("Priority"), N_("Which program goes first where several use a drive."), "" },
  { "low_latency", N_("Favour starts and players"), N_("Whether programs that start or play are served first."), "" },
  { "max_budget", N_("Longest turn"), N_("How much one program may move before another has its turn."), "" },
  { "max_sectors_kb", N_("Largest request"), N_("How much one request may move."), "KiB" },
  { "nomerges", N_("No joining"), N_("Whether requests that lie side by side stay apart."), "" },
  { "nr_requests", N_("Places in the queue"), N_("How many requests may wait for the drive at once."), "" },
  { "prio_aging_expire", N_("Longest wait of low priority"), N_("After so long a request of low priority goes first."), "ms" },
  { "quantum", N_("Requests in a turn"), N_("How many requests of one program the drive gets at once."), "" },
  { "read-ahead", N_("Read ahead"), N_("How much was read before a program asked for it."), "" },
  { "read_ahead_kb", N_("Read in advance"), N_("How much is read beyond what a program asks for."), "KiB" },
  { "read_expire", N_("Longest wait of reads"), N_("After so long a read goes first."), "ms" },
  { "read_lat_nsec", N_("Aim for reads"), N_("How long a read should take at most."), "ns" },
  { "rq_affinity", N_("Processor of answers"), N_("Whether a request ends on the processor where it began."), "" },
  { "scheduler", N_("Scheduler"), N_("How the kernel shares the drive among programs."), "" },
  { "slice_async", N_("Turn of writes"), N_("For how long writes have the drive."), "ms" },
  { "slice_async_rq", N_("Writes in a turn"), N_("How many writes a turn has."), "" },
  { "slice_async_us", N_("Turn of writes"), N_("For how long writes have the drive."), "µs" },
  { "slice_idle", N_("Wait for the next read"), N_("For how long the drive waits for the next read of the same program."), "ms" },
  { "slice_idle_us", N_("Wait for the next read"), N_("For how long the drive waits for the next read of the same program."), "µs" },
  { "slice_sync", N_("Turn of a program"), N_("For how long one program has the drive."), "ms" },
  { "slice_sync_us", N_("Turn of a program"), N_("For how long one program has the drive."), "µs" },
  { "strict_guarantees", N_("One request at a time"), N_("Whether the drive gets its next request only when it has done the last."), "" },
  { "target_latency", N_("Longest round"), N_("Within this time each program should have a turn."), "ms" },
  { "target_latency_us", N_("Longest round"), N_("Within this time each program should have a turn."), "µs" },
  { "timeout_sync", N_("Turn of a program"), N_("For how long one program has the drive."), "ms" },
  { "wbt_lat_usec", N_("Brake for writes"), N_("Where reads take longer than this, less is written at once; 0: no brake."), "µs" },
  { "write_expire", N_("Longest wait of writes"), N_("After so long a write goes first."), "ms" },
  { "write_lat_nsec", N_("Aim for writes"), N_("How long a write should take at most."), "ns" },
  { "writes_starved", N_("Reads before a write"), N_("How many rounds of reads may pass before a write has its turn."), "" },
};

static const struct words *
find (const struct words *table,
      gsize               n,
      const char         *word)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (table[i].word, word))
      return &table[i];
  return NULL;
}

const char *
law_words_name (const char *law)
{
  const struct words *w = find (laws, G_N_ELEMENTS (laws), law);

  return w ? _(w->name) : law;
}

const char *
law_words_meaning (const char *law)
{
  const struct words *w = find (laws, G_N_ELEMENTS (laws), law);

  return w ? _(w->meaning) : "";
}

const char *
tunable_words_name (const char *tunable)
{
  const struct words *w = find (tunables, G_N_ELEMENTS (tunables), tunable);

  return w ? _(w->name) : tunable;
}

const char *
tunable_words_meaning (const char *tunable)
{
  const struct words *w = find (tunables, G_N_ELEMENTS (tunables), tunable);

  return w ? _(w->meaning) : "";
}

char *
tunable_words_explain (const char *tunable)
{
  const char *meaning = tunable_words_meaning (tunable);

  /* Translators: a setting and what it does */
  return *meaning ? g_strdup_printf (_("%s: %s"), tunable, meaning) : g_strdup (tunable);
}

const char *
tunable_words_unit (const char *tunable)
{
  const struct words *w = find (tunables, G_N_ELEMENTS (tunables), tunable);

  return w ? w->unit : "";
}

const char *
law_words_nth (guint i)
{
  return i < G_N_ELEMENTS (laws) ? laws[i].word : NULL;
}

const char *
tunable_words_nth (guint i)
{
  return i < G_N_ELEMENTS (tunables) ? tunables[i].word : NULL;
}
