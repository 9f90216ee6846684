/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a policy file, one row each: section, key, how its text is read, what it may be, its default. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "policy.h"

#define POLICY_MESSAGE_MAX 512

/* Why a value was refused, for people. */
struct policy_complaint {
        char text[POLICY_MESSAGE_MAX];
};

struct policy_key;

/* How a field becomes text and text a field. */
struct policy_type {
        /* Reads value into p. Returns 0, or -EINVAL with the reason in ret_why and p unchanged. */
        int (*set)(struct policy *p, const struct policy_key *key, const char *value, struct policy_complaint *ret_why);
        /* See policy_key_format(); ret_text is empty before. */
        bool (*format)(const struct policy *p, const struct policy_key *key, char *ret_text);
};

struct policy_key {
        const char *section, *name;
        const struct policy_type *type; /* NULL: see policy_limit_set(), policy_programs_read() */
        size_t offset;          /* of the field, for plain types */
        uint32_t min, max;      /* for numbers; in the field's unit */
        uint32_t fallback;      /* what holds where no file says anything */
        size_t source_offset;   /* of a struct policy_source to fill in; 0: none is kept */
};

#define POLICY_LIMITS_SECTION "Limits"
#define POLICY_LIMITS_ANY "TUNABLE" /* the row of [Limits]: its keys are the names in the tunable table */

/* All rows; the end is where section is NULL. That of [Limits] stands for the file name of every numeric tunable, alone or after "SCHEDULER."
 * ("queue." for those that every scheduler has). */
const struct policy_key *policy_key_table(void);

/* The row, or NULL. */
const struct policy_key *policy_key_find(const char *section, const char *name);

/* Whether the law that has that section may act, and where that was last said. */
bool policy_is_enabled(const struct policy *p, const char *section, struct policy_source *ret_source);

/* The value as a file would have it, durations in the largest of us, ms and s that loses nothing. False, and no text, where a file
 * would leave the key out: no description, no preferred scheduler; and for the rows of [Limits] and of programs. */
bool policy_key_format(const struct policy *p, const struct policy_key *key, char ret_text[static POLICY_TEXT_MAX]);

/* Reads "A..B" into the limits of every tunable that name stands for. Returns 0, -EINVAL (bad value) or -ENOENT (no such
 * tunable); the last two with the reason in ret_why and p unchanged. */
int policy_limit_set(struct policy *p, const char *name, const char *value, struct policy_source source,
                     struct policy_complaint *ret_why);

/* Reads a list of programs, and gives each that rule. Returns 0, or -EINVAL with the reason in ret_why and p unchanged. */
int policy_programs_read(struct policy *p, enum program_rule rule, const char *value, struct policy_source source, struct policy_complaint *ret_why);

/* Looks for the known name nearest to word. */
struct policy_hint {
        const char *word;
        char nearest[POLICY_NAME_MAX]; /* "": none considered */
        size_t distance;
};
void policy_hint_consider(struct policy_hint *h, const char *candidate);
/* Appends ", did you mean X?" where one is near. */
void policy_hint_append(const struct policy_hint *h, struct policy_complaint *why);
