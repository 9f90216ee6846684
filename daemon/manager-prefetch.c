/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which starts are helped, and where: as the policy of the drives has it that the files lie on. */
#include <errno.h>
#include <limits.h>

#include "log.h"
#include "manager-private.h"

/* A start is read ahead for no longer. */
#define TIME_NS (20 * NSEC_PER_SEC)

int manager_open_prefetch(struct manager *m) {
        char dir[PATH_MAX];
        int r;

        if (*m->options->root || m->source_replay)
                return 0;
        r = mount_table_new_own("", &m->own_mounts);
        return r < 0 ? r : prefetch_new(m->event, (struct event_sink){ manager_take_event, m }, manager_state_dir(m->options, dir, sizeof(dir)), &m->prefetch);
}

struct asked {
        struct manager *manager;
        struct prefetch_places *places;
        struct prefetch_limits *limits;
};

static void add_place(void *userdata, const struct mount_view *mount) {
        struct asked *a = userdata;
        struct manager *m = a->manager;
        bool inferred;
        const struct manager_drive *d = manager_find_drive_by_dev(m, devices_resolve_leaf(m->devices, mount->dev, &inferred));
        const struct policy *p = d ? policy_match(m->policies.policies, m->policies.n, d->drive.class) : NULL;

        if (!p || !p->prefetch.enabled || !prefetch_places_add(a->places, mount->fs_dev, d->drive.traits.rotational, mount->point, mount->top))
                return;
        if (a->limits->bytes == 0)
                *a->limits = (struct prefetch_limits){ (uint64_t) p->prefetch.most_mib << 20, p->prefetch.memory_percent, p->prefetch.control_every, TIME_NS };
}

static void list_places(void *userdata, struct prefetch_places *ret, struct prefetch_limits *ret_limits) {
        struct asked a = { userdata, ret, ret_limits };

        mount_table_each_disk(a.manager->own_mounts, add_place, &a);
}

static bool may_help(const struct manager *m) {
        return m->mode == MODE_AUTO && holds_strongest(&m->holds) != HOLD_PAUSE;
}

void manager_follow_prefetch(struct manager *m, nsec_t now) {
        struct startup_view views[STARTUPS_MAX];
        size_t n;

        if (!m->prefetch)
                return;
        if (!may_help(m))
                prefetch_stop(m->prefetch);
        n = may_help(m) ? model_list_startups(m->model, now, views, STARTUPS_MAX) : 0;
        for (size_t i = 0; i < n; i++)
                if (views[i].launched)
                        prefetch_follow(m->prefetch, now, &views[i], list_places, m);
        prefetch_look(m->prefetch, now);
}

void manager_end_prefetch(struct manager *m, const struct startup_view *v) {
        if (m->prefetch)
                (void) prefetch_end(m->prefetch, v);
}

int manager_ask_prefetch(struct manager *m, const struct prefetch_question *q, prefetch_answer_fn fn, void *userdata) {
        if (m->prefetch)
                return prefetch_question(m->prefetch, q, fn, userdata);
        fn(userdata, *q->application ? -ENOENT : 0, NULL, 0);
        return 0;
}
