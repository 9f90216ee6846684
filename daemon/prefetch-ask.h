/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of starts, for a caller, and what it wants of it: in a process of its own, since it is on disk. */
#pragma once

#include "child-task.h"
#include "prefetch-store.h"

enum prefetch_wish {
        PREFETCH_WISH_LIST,   /* says struct prefetch_summary, one behind the other */
        PREFETCH_WISH_FILES,  /* says struct prefetch_shown, with its path behind each */
        PREFETCH_WISH_FORGET,
        PREFETCH_WISH_ON,
        PREFETCH_WISH_OFF,    /* no help for it, also where there is no list of it yet; for all if none is named */
};

struct prefetch_question {
        enum prefetch_wish wish;
        char application[APPLICATION_MAX]; /* "": all */
        uint32_t uid;                      /* whose lists are told; PREFETCH_EVERYBODY */
};

struct prefetch_summary {
        char application[APPLICATION_MAX];
        uint32_t uid, files; /* uid: PREFETCH_EVERYBODY where it is off and there is no list */
        struct prefetch_worth worth;
        bool off, worthless;
        uint64_t bytes;
};

struct prefetch_shown {
        uint32_t uid, path_size; /* with its end */
        uint64_t bytes;
        uint32_t ranges;
};

/* result: how many lists it was about, 0 where all are switched, or -errno; -ENOENT: nothing is known of that
 * application. -E2BIG: too many are off. -EMSGSIZE: it is more than a child may say.
 * said is aligned. */
typedef void (*prefetch_answer_fn)(void *userdata, int result, const char *said, size_t size);

#define PREFETCH_QUESTIONS_MAX 4 /* at a time: starts have the rest of the children. One is for those about everybody's lists alone */
#define PREFETCH_QUESTIONS_PER_USER 2

/* Those that are not answered yet. */
struct prefetch_asked {
        struct {
                bool is_open;
                uint32_t uid;
        } questions[PREFETCH_QUESTIONS_MAX];
};

/* fn is called once, later. Returns 0, -EBUSY where there is no room among those in asked, or -errno, without a call. state_dir and asked must outlive it. */
int prefetch_ask(struct child_tasks *tasks, const char *state_dir, const struct prefetch_question *q, struct prefetch_asked *asked, prefetch_answer_fn fn,
                 void *userdata);
