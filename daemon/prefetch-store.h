/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists on disk: a file for each application and user, in a directory that is root's alone. A process that reads or writes here may have to wait for a drive. */
#pragma once

#include "prefetch-list.h"
#include "prefetch-next.h"

#define PREFETCH_LISTS_MAX 256    /* of the user who has most the oldest makes room: no user's starts push out another's few */
#define PREFETCH_OFF_MAX 256      /* applications that are switched off */
#define PREFETCH_NAME_MAX 40      /* of a file: a user of ten digits, sixteen of the application, and what is between and behind */

/* The name of the file for an application and user; ret is returned. */
char *prefetch_store_name(const char *application, uint32_t uid, char ret[static PREFETCH_NAME_MAX]);

/* Opens the directory below that of briod's state, made where it is not there. Returns a descriptor or -errno. */
int prefetch_store_open(const char *state_dir);

/* For a process that changes what it has read there: waits until no other does. Until the descriptor is closed. Returns 0 or -errno. */
int prefetch_store_lock(int dir_fd);

/* Also off where its application is switched off. -ENOENT: there is none. -EBADMSG: it is damaged, or another application's. */
int prefetch_store_load(int dir_fd, const char *application, uint32_t uid, struct prefetch_list **ret);

/* In the place of the one before, once it is on disk as a whole. Returns 0 or -errno. */
int prefetch_store_save(int dir_fd, const struct prefetch_list *l);

#define PREFETCH_EVERYBODY UINT32_MAX

/* Hands on every list of that user (PREFETCH_EVERYBODY: of all) that is whole. Returns 0 or -errno. */
typedef void (*prefetch_store_fn)(void *userdata, const struct prefetch_list *l);
int prefetch_store_each(int dir_fd, uint32_t uid, prefetch_store_fn fn, void *userdata);

/* What is switched off, whether there is a list of it or not. */
struct prefetch_off {
        size_t n;
        char applications[PREFETCH_OFF_MAX][APPLICATION_MAX];
};

/* Whether starts of that application are helped, of whatever user; "": whether any are. Returns 1 where that is new, 0 where it was so or of all, -E2BIG with
 * PREFETCH_OFF_MAX, -EINVAL for what is no name, or -errno. */
int prefetch_store_switch(int dir_fd, const char *application, bool on);
bool prefetch_store_is_on(int dir_fd);
/* None where it is damaged. */
void prefetch_store_load_off(int dir_fd, struct prefetch_off *ret);

/* Which applications that user starts after a login. Returns 0, -ENOENT, -EBADMSG or -errno. */
int prefetch_store_load_next(int dir_fd, uint32_t uid, struct prefetch_next *ret);
int prefetch_store_save_next(int dir_fd, uint32_t uid, const struct prefetch_next *next);

/* All of that application ("": all), and of each user which are started after logins where it is one of them. What is switched off stays so. Returns how many lists,
 * or -errno. */
int prefetch_store_forget(int dir_fd, const char *application);
