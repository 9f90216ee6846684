/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The drives of a recording as files, in a directory of our own: they take every setting, and nothing is written to those of this
 * machine. What is below is what a root prefix names: a recorded machine. */
#pragma once

#include "controller.h"

struct replay_tree;

/* Makes it. Returns 0, -ENOMEM or -errno. */
int replay_tree_new(struct replay_tree **ret);
/* Removes it, with all that is in it. */
struct replay_tree *replay_tree_free(struct replay_tree *t);

/* The directory; lives as long as the tree. */
const char *replay_tree_root(const struct replay_tree *t);

/* The drive's settings as files; those that are there are written over. Returns 0; -EINVAL: no name for a file; or -errno. */
int replay_tree_put(struct replay_tree *t, const struct device_facts *facts);
