/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What bfq itself takes a queue for, while an administrator wants to know: for comparison with what Brio found, and no part of any
 * decision. bfq says ten to twenty things about each request, so this is for seconds, and not for always. */
#pragma once

#include <systemd/sd-event.h>

#include "bfq-log.h"
#include "bfq-session.h"
#include "source.h"

/* It is needed for no longer in one go. */
#define SOURCE_BFQ_MAX_NS (60 * NSEC_PER_SEC)

struct source_bfq;

extern const struct source_ops source_bfq_ops; /* probe, drops and cost */

/* root: as for the other sources; a recorded machine has none. What a killed briod has left is put back first. Returns 0, -ENOMEM,
 * or -errno of the event loop. */
int source_bfq_new(const char *root, const char *state_dir, sd_event *event, struct source_bfq **ret);

/* Puts everything back. */
struct source_bfq *source_bfq_free(struct source_bfq *s);

/* The same for briod --restore. Returns how many (0 or 1) were put back. */
size_t source_bfq_clean_up(const char *root, const char *state_dir);

/* Goes on for that long from now, at most SOURCE_BFQ_MAX_NS; begins with these drives where it is not on yet, and with nothing known.
 * Returns 0; -ENODEV: none of them has bfq; -EBUSY: another program traces; -EPERM: not allowed or not there, as probe says; or -errno. */
int source_bfq_want(struct source_bfq *s, const char *const *names, size_t n, nsec_t now, nsec_t duration);

/* What is known. The verdicts lie in the source until it is called again; the first *ret_n of them. */
const struct bfq_verdict *source_bfq_get(struct source_bfq *s, nsec_t now, size_t *ret_n);
