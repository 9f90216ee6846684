/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What bfq itself takes processes for, beside what Brio found: `brioctl streams --kernel`. */
#pragma once

#include "client.h"
#include "show.h"

/* Has bfq tell for a few seconds, and says on stderr, where that is a terminal, that this takes so long. Adds to each of the streams
 * (GetStreams()) but those that have ended "kernel_heard": "soft-rt", "interactive", "none", "other", or "nothing" where bfq did not
 * speak of it; and "kernel_heard_usec": since when. Returns 0 or what client_call() returns. */
int kernel_verdicts_hear(struct client *c, struct json_object *streams);

/* A line for each. */
void kernel_verdicts_print(const struct output *o, struct json_object *streams);
