/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dictionaries of the bus as text. */
#pragma once

#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the test where the text is not of that type. Free with g_variant_unref(). */
static inline GVariant *variant_parse(const char *type, const char *text) {
        GError *error = NULL;
        GVariant *v = g_variant_parse(G_VARIANT_TYPE(type), text, NULL, NULL, &error);

        if (!v) {
                fprintf(stderr, "%s: %s\n", text, error->message);
                abort();
        }
        return g_variant_ref_sink(v);
}
