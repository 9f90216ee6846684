/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the dictionaries of the bus: what is missing or of another type is as if it were not there. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* "" where it is missing; the dictionary owns it. */
const char *variant_text (GVariant   *entry,
                          const char *key);
gboolean    variant_flag (GVariant   *entry,
                          const char *key);
/* Of type t or u, at most G_MAXINT64; -1 where it is missing. */
gint64      variant_number (GVariant   *entry,
                            const char *key);
/* The same of a value. */
gint64      variant_to_number (GVariant *value);
/* Of type x; 0 where it is missing. */
gint64      variant_signed (GVariant   *entry,
                            const char *key);

/* A member of a struct that has the value of a key. */
struct variant_field
{
  const char *key;
  char type;    /* 's': const char *, as variant_text(); 'b': gboolean, as variant_flag(); 'n': gint64, as variant_number() */
  gsize offset;
};

/* All of them in one pass, for where there are many dictionaries. */
void        variant_read (GVariant                   *entry,
                          const struct variant_field *fields,
                          gsize                       n,
                          gpointer                    target);

G_END_DECLS
