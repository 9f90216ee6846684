/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "words.h"

#include <glib/gi18n.h>

#include "plot-math.h"

#define ICON_FALLBACK "drive-harddisk-symbolic"

static const struct word device_classes[] = {
  { "hdd", N_("Hard disk") },
  { "ssd", N_("Solid-state drive") },
  { "nvme", N_("NVMe drive") },
  { "emmc", N_("eMMC") },
  { "sd-card", N_("SD card") },
  { "usb-stick", N_("USB stick") },
  { "usb-disk", N_("USB disk") },
  { "virtual", N_("Virtual drive") },
  { "raid", N_("RAID array") },
  { "zoned", N_("Zoned drive") },
  { 0 },
};

/* Of the others ICON_FALLBACK. */
static const struct word device_icons[] = {
  { "ssd", "drive-harddisk-solidstate-symbolic" },
  { "nvme", "drive-harddisk-solidstate-symbolic" },
  { "emmc", "media-flash-symbolic" },
  { "sd-card", "media-flash-symbolic" },
  { "usb-stick", "drive-removable-media-symbolic" },
  { "usb-disk", "drive-harddisk-usb-symbolic" },
  { "raid", "drive-multidisk-symbolic" },
  { 0 },
};

static const struct word states[] = {
  { "ignored", N_("Ignored") },
  { "observing", N_("Watching") },
  { "trial", N_("On trial") },
  { "holding", N_("Tuned") },
  { "reverting", N_("Putting settings back") },
  /* Translators: another program changed a setting, so Brio leaves the drive alone */
  { "manual", N_("Left alone") },
  { 0 },
};

static const struct word workloads[] = {
  { "idle", N_("idle") },
  { "busy", N_("busy") },
  { "shared", N_("shared by several readers") },
  { "many-sync", N_("many small readers") },
  { "soft-rt", N_("playing or recording") },
  { "bulk", N_("copying or backing up much") },
  { "writeback", N_("writing much, which holds up reads") },
  { "burst", N_("many programs beginning at once") },
  { "startup", N_("an application starts") },
  { 0 },
};

static const struct word modes[] = {
  { "auto", N_("Automatic") },
  { "advise", N_("Advise") },
  { "off", N_("Off") },
  { 0 },
};

static const struct word mode_origins[] = {
  { "kept", N_("A user set it, and it is kept when the computer starts again") },
  { "set", N_("A user set it; it could not be written down, and lasts until the daemon ends") },
  { "command-line", N_("The daemon’s command line says so") },
  { "configuration", N_("The daemon’s configuration says so") },
  { "default", N_("Brio’s default") },
  { 0 },
};

static const struct word mode_meanings[] = {
  { "auto", N_("Tunes the drives when it helps") },
  { "advise", N_("Says what it would change, changes nothing") },
  { "off", N_("Watches only; all settings are as they were") },
  { 0 },
};

static const struct word holds[] = {
  { "interactive", N_("Asks for the normal behaviour") },
  { "throughput", N_("Asks for throughput: nothing that costs some is done") },
  { "pause", N_("Asks for a pause: every setting stays as it is") },
  { 0 },
};

static const struct word owners[] = {
  { "kernel", N_("As the kernel set it") },
  { "brio", N_("Set by Brio") },
  { "manual", N_("Set by another program") },
  { "given-up", N_("Could not be set") },
  { 0 },
};

static const struct word *
find (const struct word *table,
      const char        *word)
{
  for (const struct word *w = table; w->word; w++)
    if (g_str_equal (w->word, word))
      return w;
  return NULL;
}

const char *
words_label (const struct word *table,
             const char        *word,
             const char        *without)
{
  const struct word *found = find (table, word);

  if (!found)
    return without;
  return *found->label ? _(found->label) : "";
}

const char *
words_device_class (const char *word)
{
  return words_label (device_classes, word, word);
}

const char *
words_device_class_icon (const char *word)
{
  const struct word *found = find (device_icons, word);

  return found ? found->label : ICON_FALLBACK;
}

const char *
words_state (const char *word)
{
  return words_label (states, word, word);
}

const char *
words_workload (const char *word)
{
  return words_label (workloads, word, word);
}

char *
words_mode_held (const char *mode,
                 const char *hold)
{
  static const struct word effects[] = {
    /* Translators: beside the mode, where an application has asked for that: "Automatic · paused" */
    { "pause", N_("paused") },
    { "throughput", N_("for throughput") },
    { 0 },
  };
  char *text = g_strdup (words_label (modes, mode, mode));

  if (g_str_equal (mode, "auto"))
    words_add (&text, words_label (effects, hold, ""));
  return text;
}

const char *
words_mode_meaning (const char *word)
{
  return words_label (mode_meanings, word, "");
}

const char *
words_mode_origin (const char *word)
{
  return words_label (mode_origins, word, "");
}

const char *
words_hold (const char *word)
{
  return words_label (holds, word, word);
}

const char *
words_owner (const char *word)
{
  return words_label (owners, word, word);
}

const char *
words_io_class (const char *word,
                guint       level)
{
  g_autofree char *text = NULL;

  if (g_str_equal (word, "idle"))
    return _("Idle");
  if (g_str_equal (word, "best-effort"))
    /* Translators: the priority of a process's I/O; %u is the level within, 0 (high) to 7 (low) */
    text = g_strdup_printf (_("Normal %u"), level);
  else if (g_str_equal (word, "realtime"))
    /* Translators: the priority of a process's I/O; %u is the level within, 0 (high) to 7 (low) */
    text = g_strdup_printf (_("Real-time %u"), level);
  return text ? g_intern_string (text) : "";
}

const char *
words_priority (const char *told)
{
  if (g_str_equal (told, "idle"))
    return words_io_class (told, 0);
  if (g_str_equal (told, "none"))
    /* Translators: of a process that has no I/O priority of its own */
    return _("Normal");
  if ((g_str_has_prefix (told, "BE/") || g_str_has_prefix (told, "RT/")) && g_ascii_isdigit (told[3]) && !told[4])
    return words_io_class (*told == 'B' ? "best-effort" : "realtime", (guint) g_ascii_digit_value (told[3]));
  return told;
}

char *
words_duration (gint64 us)
{
  char text[32];

  return g_strdup (us < 0 ? "–" : plot_format (PLOT_UNIT_DURATION_US, (double) us, text, sizeof (text)));
}

void
words_add (char      **text,
           const char *part)
{
  char *both;

  if (!*part)
    return;
  /* Translators: things that are said of one thing, "sda · Hard disk"; longer rows of them are put together pair by pair */
  both = **text ? g_strdup_printf (_("%s · %s"), *text, part) : g_strdup (part);
  g_free (*text);
  *text = both;
}
