/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "words.h"

#include <glib/gi18n.h>

#include "plot-math.h"

#define ICON_FALLBACK "drive-harddisk-symbolic"

struct word
{
  const char *word;
  const char *label;
  const char *icon;
};

static const struct word device_classes[] = {
  { "hdd", N_("Hard disk"), "drive-harddisk-symbolic" },
  { "ssd", N_("Solid-state drive"), "drive-harddisk-solidstate-symbolic" },
  { "nvme", N_("NVMe drive"), "drive-harddisk-solidstate-symbolic" },
  { "emmc", N_("eMMC"), "media-flash-symbolic" },
  { "sd-card", N_("SD card"), "media-flash-symbolic" },
  { "usb-stick", N_("USB stick"), "drive-removable-media-symbolic" },
  { "usb-disk", N_("USB disk"), "drive-harddisk-usb-symbolic" },
  { "virtual", N_("Virtual drive"), "drive-harddisk-symbolic" },
  { "raid", N_("RAID array"), "drive-multidisk-symbolic" },
  { "zoned", N_("Zoned drive"), "drive-harddisk-symbolic" },
  { 0 },
};

static const struct word states[] = {
  { "ignored", N_("Ignored"), NULL },
  { "observing", N_("Watching"), NULL },
  { "trial", N_("On trial"), NULL },
  { "holding", N_("Tuned"), NULL },
  { "reverting", N_("Putting settings back"), NULL },
  /* Translators: another program changed a setting, so Brio leaves the drive alone */
  { "manual", N_("Left alone"), NULL },
  { 0 },
};

static const struct word workloads[] = {
  { "idle", N_("idle"), NULL },
  { "busy", N_("busy"), NULL },
  { "shared", N_("shared by several readers"), NULL },
  { "many-sync", N_("many small readers"), NULL },
  { "soft-rt", N_("playing or recording"), NULL },
  { 0 },
};

static const struct word modes[] = {
  { "auto", N_("Automatic"), NULL },
  { "advise", N_("Advise"), NULL },
  { "off", N_("Off"), NULL },
  { 0 },
};

static const struct word mode_origins[] = {
  { "kept", N_("A user set it, and it is kept when the computer starts again"), NULL },
  { "set", N_("A user set it; it could not be written down, and lasts until the daemon ends"), NULL },
  { "command-line", N_("The daemon’s command line says so"), NULL },
  { "configuration", N_("The daemon’s configuration says so"), NULL },
  { "default", N_("Brio’s default"), NULL },
  { 0 },
};

static const struct word mode_meanings[] = {
  { "auto", N_("Tunes the drives when it helps"), NULL },
  { "advise", N_("Says what it would change, changes nothing"), NULL },
  { "off", N_("Watches only; all settings are as they were"), NULL },
  { 0 },
};

static const struct word holds[] = {
  { "interactive", N_("Asks for the normal behaviour"), NULL },
  { "throughput", N_("Asks for throughput: nothing that costs some is done"), NULL },
  { "pause", N_("Asks for a pause: every setting stays as it is"), NULL },
  { 0 },
};

static const struct word owners[] = {
  { "kernel", N_("As the kernel set it"), NULL },
  { "brio", N_("Set by Brio"), NULL },
  { "manual", N_("Set by another program"), NULL },
  { "given-up", N_("Could not be set"), NULL },
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

static const char *
label (const struct word *table,
       const char        *word)
{
  const struct word *found = find (table, word);

  return found ? _(found->label) : word;
}

const char *
words_device_class (const char *word)
{
  return label (device_classes, word);
}

const char *
words_device_class_icon (const char *word)
{
  const struct word *found = find (device_classes, word);

  return found ? found->icon : ICON_FALLBACK;
}

const char *
words_state (const char *word)
{
  return label (states, word);
}

const char *
words_workload (const char *word)
{
  return label (workloads, word);
}

char *
words_mode_held (const char *mode,
                 const char *hold)
{
  static const struct word effects[] = {
    /* Translators: beside the mode, where an application has asked for that: "Automatic · paused" */
    { "pause", N_("paused"), NULL },
    { "throughput", N_("for throughput"), NULL },
    { 0 },
  };
  char *text = g_strdup (label (modes, mode));

  if (g_str_equal (mode, "auto") && find (effects, hold))
    words_add (&text, label (effects, hold));
  return text;
}

const char *
words_mode_meaning (const char *word)
{
  return find (mode_meanings, word) ? label (mode_meanings, word) : "";
}

const char *
words_mode_origin (const char *word)
{
  return find (mode_origins, word) ? label (mode_origins, word) : "";
}

const char *
words_hold (const char *word)
{
  return label (holds, word);
}

const char *
words_owner (const char *word)
{
  return label (owners, word);
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
