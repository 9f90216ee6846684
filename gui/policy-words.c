/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy-words.h"

#include <glib/gi18n.h>

/* As policies/ has them, for the catalogues alone; a test compares. */
G_GNUC_UNUSED static const char *const known[] = {
  N_("Disks with heads: bfq, with waits and turns that shrink as readers grow in number"),
  N_("eMMC and SD cards: bfq keeps reads ahead of slow writes"),
  N_("NVMe drives: no scheduler, they are faster without"),
  N_("Hardware RAID: the scheduler stays; turns shorten where very many read at once"),
  N_("SATA and SAS solid-state drives: bfq keeps greedy programs from filling the drive's queue"),
  N_("USB sticks and disks: bfq for fair turns on drives that take one request at a time"),
  N_("Drives of virtual machines: left alone, the host schedules them"),
  N_("Zoned drives: left alone, the order of their writes depends on the scheduler"),
};

const char *
policy_words (const char *description)
{
  return *description ? gettext (description) : "";
}
