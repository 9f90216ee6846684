/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One frame of `top`: what the link knows as text or as JSON. */
#pragma once

#include "format.h"
#include "top-link.h"
#include "top-sort.h"

struct top_frame {
        const struct top_link *link;
        enum top_sort sort;
        const char *device; /* only what is about this drive; NULL: all */
        bool paused, keys; /* keys: say which there are */
        unsigned lines;    /* of the screen; 0: no limit */
        nsec_t now;
};

void top_frame_print(const struct top_frame *f, const struct output *o);
/* The caller frees it. */
struct json_object *top_frame_json(const struct top_frame *f);
