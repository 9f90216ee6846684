/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which starts are helped, and where: as the policy of the drives has it that the files lie on. */
#include <errno.h>
#include <limits.h>
#include <systemd/sd-login.h>

#include "bus.h"
#include "log.h"
#include "manager-private.h"
#include "mention.h"
#include "names.h"
#include "statement.h"
#include "str.h"

/* A start is read ahead for no longer. */
#define TIME_NS (20 * NSEC_PER_SEC)
/* A drive that worked for less of the last sample rests. */
#define REST_PERMILLE 50

/* What was read ahead, and what it is worth. */
static void format_result(const struct prefetch_result *r, char *buf, size_t size) {
        char worth[256];

        if (r->files > 0)
                SAY(buf, size, SAY_PREFETCH_READ, r->bytes, r->files, r->read_bytes, r->took / NSEC_PER_USEC);
        if (r->outcome != PREFETCH_PLAYED)
                SAY(buf, size, r->outcome == PREFETCH_SHORT ? SAY_PREFETCH_SHORT : SAY_PREFETCH_STOPPED);
        str_append(buf, size, ". ");
        if (*prefetch_worth_describe(&r->worth, worth, sizeof(worth))) {
                SAY(buf, size, SAY_PREFETCH_WORTH);
                str_append(buf, size, "%s", worth);
        }
}

/* reason: why, to which what was read ahead is added. */
static void record(struct manager *m, const struct subject *s, const char *application, const struct prefetch_result *result, char reason[static PLAN_REASON_MAX]) {
        struct receipt r = { .dev = result->dev, .process = *s, .law = LAW_PREFETCH, .result = RECEIPT_APPLIED, .t = manager_now(), .old = "0" };

        snprintf(r.wanted, sizeof(r.wanted), "%llu", (unsigned long long) result->bytes / 1024);
        str_copy(r.observed, sizeof(r.observed), r.wanted);
        format_result(result, reason, PLAN_REASON_MAX);
        manager_record_start(m, &r, application, reason);
}

static void on_told(void *userdata, const struct prefetch_told *told) {
        char reason[PLAN_REASON_MAX] = "", name[MENTION_MAX];

        SAY(reason, sizeof(reason), SAY_PREFETCH, mention(name, told->application, 0, told->subject.uid));
        record(userdata, &told->subject, told->application, told->result, reason);
}

static void on_login_told(void *userdata, const struct subject *session, const char *application, const struct prefetch_result *result) {
        char reason[PLAN_REASON_MAX] = "", name[MENTION_MAX];

        SAY(reason, sizeof(reason), SAY_PREFETCH_NEXT, mention(name, application, 0, session->uid));
        record(userdata, session, application, result, reason);
}

int manager_open_prefetch(struct manager *m) {
        char buf[PATH_MAX];
        const char *dir = manager_state_dir(m->options, buf, sizeof(buf));
        int r;

        if (*m->options->root || m->source_replay)
                return 0;
        r = mount_table_new_own("", &m->own_mounts);
        if (r < 0)
                return r;
        r = prefetch_new(m->event, (struct event_sink){ manager_take_event, m }, on_told, dir, &m->prefetch);
        return r < 0 ? r : prefetch_login_new(m->event, on_login_told, m, dir, &m->login);
}

struct asked {
        struct manager *manager;
        const struct startup_view *start; /* NULL: what will perhaps be started soon */
        bool at_seat;                     /* the user, whose session it is */
        struct prefetch_places *places;
        struct prefetch_limits *limits;
};

static bool is_session(const struct startup_view *v) {
        return streq(v->application, BRIO_SESSION);
}

/* Without logind it is not known where users are. A user from afar has no desktop here. */
static bool is_at_seat(uint32_t uid) {
        return sd_uid_get_seats(uid, -1, NULL) > 0 || access("/run/systemd/users", F_OK) < 0;
}

static bool is_wanted(const struct asked *a, const struct policy *p) {
        if (!p->prefetch.enabled)
                return false;
        if (!a->start)
                return p->prefetch.next;
        if (is_session(a->start))
                return p->prefetch.session && a->at_seat;
        return a->start->launched || p->prefetch.commands;
}

static void add_place(void *userdata, const struct mount_view *mount) {
        struct asked *a = userdata;
        struct manager *m = a->manager;
        bool inferred;
        const struct manager_drive *d = manager_find_drive_by_dev(m, devices_resolve_leaf(m->devices, mount->dev, &inferred));
        const struct policy *p = d ? policy_match(m->policies.policies, m->policies.n, d->drive.class) : NULL;

        if (!p || !is_wanted(a, p))
                return;
        if (!prefetch_places_add(a->places, &(struct prefetch_place){
                    mount->id, mount->fs_dev, d->drive.dev, d->drive.traits.rotational, mount->point, mount->top }))
                return;
        if (a->limits->bytes == 0)
                *a->limits = (struct prefetch_limits){ .bytes = (uint64_t) p->prefetch.most_mib << 20, .memory_percent = p->prefetch.memory_percent,
                                                        .control_every = p->prefetch.control_every, .time = TIME_NS };
}

static void list_places(void *userdata, const struct startup_view *v, struct prefetch_places *ret, struct prefetch_limits *ret_limits) {
        struct asked a = { userdata, v, v && is_session(v) && is_at_seat(v->uid), ret, ret_limits };

        mount_table_each_disk(a.manager->own_mounts, add_place, &a);
}

static bool may_help(const struct manager *m) {
        return m->mode == MODE_AUTO && holds_strongest(&m->holds) != HOLD_PAUSE;
}

/* The drives that it would be read from. */
static bool do_rest(const struct manager *m, const struct prefetch_places *places) {
        for (size_t i = 0; i < places->n; i++) {
                const struct device_view *v = snapshot_find_device(m->snapshot, places->places[i].dev);
                if (v && v->utilisation_permille >= REST_PERMILLE)
                        return false;
        }
        return places->n > 0;
}

static void read_next(struct manager *m) {
        struct prefetch_limits limits = { 0 };
        struct prefetch_places places = { 0 };

        list_places(m, NULL, &places, &limits);
        limits.account = prefetch_get_account(m->prefetch);
        limits.play = PREFETCH_LOGIN_PLAY;
        if (do_rest(m, &places))
                prefetch_login_play(m->login, &places, &limits);
        else
                prefetch_places_done(&places);
}

/* What any policy wants, of any drive. */
static struct policy_prefetch any_wants(const struct manager *m) {
        struct policy_prefetch any = { 0 };

        for (size_t i = 0; i < m->policies.n; i++) {
                const struct policy_prefetch *p = &m->policies.policies[i].prefetch;
                any.commands |= p->enabled && p->commands;
                any.next |= p->enabled && p->next;
        }
        return any;
}

void manager_prepare_prefetch(struct manager *m, const struct policy *p) {
        if (m->prefetch && may_help(m) && p && p->prefetch.enabled)
                prefetch_prepare(m->prefetch);
}

/* Where it is of use. */
static void follow_session(struct manager *m, nsec_t now, const struct startup_view *v) {
        struct subject session = { .tgid = v->tgid, .start_ticks = v->start_ticks, .uid = v->uid };

        memcpy(session.name, v->name, sizeof(session.name));
        if (is_session(v) && may_help(m) && any_wants(m).next && is_at_seat(v->uid))
                prefetch_login_begin(m->login, now, &session);
}

void manager_follow_prefetch(struct manager *m, nsec_t now) {
        struct startup_view views[STARTUPS_MAX];
        bool commands = any_wants(m).commands, is_time;
        size_t n;

        if (!m->prefetch)
                return;
        if (!may_help(m))
                prefetch_stop(m->prefetch);
        n = may_help(m) ? model_list_startups(m->model, now, views, STARTUPS_MAX) : 0;
        for (size_t i = 0; i < n; i++) {
                if (views[i].launched || commands)
                        prefetch_follow(m->prefetch, now, &views[i], list_places, m);
                follow_session(m, now, &views[i]);
        }
        prefetch_look(m->prefetch, now);
        if (n > 0 || !may_help(m))
                prefetch_login_stop(m->login);
        is_time = prefetch_login_look(m->login, now);
        if (is_time && n == 0 && may_help(m))
                read_next(m);
}

bool manager_end_prefetch(struct manager *m, const struct startup_view *v) {
        const struct subject subject = { .tgid = v->tgid, .start_ticks = v->start_ticks };
        struct decision *d;

        if (!m->prefetch)
                return false;
        if (is_session(v)) /* which may not have been looked at */
                follow_session(m, manager_now(), v);
        else if (v->launched)
                prefetch_login_note(m->login, v->uid, v->application);
        if (!prefetch_outcome_is_help(prefetch_end(m->prefetch, v)))
                return false;
        d = decisions_find_start(&m->decisions, &subject);
        if (!d)
                return true;
        *d->effect = '\0';
        SAY(d->effect, sizeof(d->effect), SAY_PREFETCH_TOOK, v->latency / NSEC_PER_USEC);
        bus_trial_ended(m->bus, d);
        return true;
}

/* The answer to a request that an application gets no more help. */
struct undoing {
        struct manager *manager;
        struct receipt of;
        char application[APPLICATION_MAX];
        errand_done_fn done;
        void *userdata;
};

static void on_undone(void *userdata, int result, const char *said _unused_, size_t size _unused_) {
        struct undoing *u = userdata;
        struct errand ended = { .of = u->of, .result = MIN(result, 0) };
        struct receipt r = u->of;
        char reason[PLAN_REASON_MAX] = "", name[MENTION_MAX];

        if (result >= 0) {
                r.result = RECEIPT_RESTORED;
                str_copy(r.old, sizeof(r.old), u->of.wanted);
                str_copy(r.wanted, sizeof(r.wanted), "0");
                str_copy(r.observed, sizeof(r.observed), "0");
                SAY(reason, sizeof(reason), SAY_PREFETCH_NO_MORE, mention(name, u->application, 0, r.process.uid));
                manager_record_start(u->manager, &r, u->application, reason);
        }
        u->done(u->userdata, u->manager, &ended);
        free(u);
}

int manager_undo_start(struct manager *m, const struct decision *d, errand_done_fn done, void *userdata) {
        struct prefetch_question q = { .wish = PREFETCH_WISH_OFF, .uid = PREFETCH_EVERYBODY };
        struct undoing *u = calloc(1, sizeof(*u));
        int r;

        if (!u)
                return -ENOMEM;
        *u = (struct undoing){ .manager = m, .of = d->receipt, .done = done, .userdata = userdata };
        str_copy(u->application, sizeof(u->application), d->application);
        str_copy(q.application, sizeof(q.application), d->application);
        r = manager_ask_prefetch(m, &q, on_undone, u);
        if (r < 0)
                free(u);
        return r;
}

int manager_ask_prefetch(struct manager *m, const struct prefetch_question *q, prefetch_answer_fn fn, void *userdata) {
        if (m->prefetch) {
                if (q->wish == PREFETCH_WISH_FORGET)
                        prefetch_login_forget(m->login);
                return prefetch_question(m->prefetch, q, fn, userdata);
        }
        fn(userdata, *q->application ? -ENOENT : 0, NULL, 0);
        return 0;
}
