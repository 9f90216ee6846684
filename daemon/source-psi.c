/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/utsname.h>

#include "macro.h"
#include "release.h"
#include "source-psi.h"

/* Some task waited for 100 ms within a window. The kernel tells at most once a window. */
#define TRIGGER_FINE "some 100000 1000000"
/* Without CAP_SYS_RESOURCE a window must be a multiple of 2 s (kernel/sched/psi.c psi_trigger_create()). */
#define TRIGGER_COARSE "some 100000 2000000"

struct source_psi {
        int fd;
        int error; /* why there is none: -errno; -EOWNERDEAD once the kernel took the trigger away */
        bool coarse, recorded;
        psi_fn fn;
        void *userdata;
        sd_event_source *io;
};

static int write_trigger(int fd, const char *trigger) {
        /* The NUL belongs to it: the kernel cuts the last byte. */
        return write(fd, trigger, strlen(trigger) + 1) < 0 ? -errno : 0;
}

static int open_trigger(struct source_psi *s) {
        _cleanup_close_ int fd = open("/proc/pressure/io", O_RDWR | O_NONBLOCK | O_CLOEXEC);
        int r;

        if (fd < 0)
                return -errno;
        r = write_trigger(fd, TRIGGER_FINE);
        if (r == -EINVAL) {
                s->coarse = true;
                r = write_trigger(fd, TRIGGER_COARSE);
        }
        return r < 0 ? r : TAKE_FD(fd);
}

static int on_pressure(sd_event_source *source, int fd _unused_, uint32_t revents, void *userdata) {
        struct source_psi *s = userdata;

        if (revents & EPOLLERR) { /* the trigger is gone, and would wake us for ever */
                s->error = -EOWNERDEAD;
                return sd_event_source_set_enabled(source, SD_EVENT_OFF);
        }
        if (revents & EPOLLPRI)
                s->fn(s->userdata);
        return 0;
}

int source_psi_new(const char *root, sd_event *event, psi_fn fn, void *userdata, struct source_psi **ret) {
        struct source_psi *s = calloc(1, sizeof(*s));
        int r = 0;

        if (!s)
                return -ENOMEM;
        *s = (struct source_psi) { .fd = -1, .fn = fn, .userdata = userdata, .recorded = *root };
        if (!s->recorded)
                s->fd = open_trigger(s);
        if (s->fd < 0)
                s->error = s->recorded ? -ENODATA : s->fd;
        else
                r = sd_event_add_io(event, &s->io, s->fd, EPOLLPRI, on_pressure, s);
        if (r < 0) {
                source_psi_free(s);
                return r;
        }
        if (s->io)
                (void) sd_event_source_set_description(s->io, "psi");
        *ret = s;
        return 0;
}

struct source_psi *source_psi_free(struct source_psi *s) {
        if (!s)
                return NULL;
        sd_event_source_disable_unref(s->io);
        safe_close(s->fd);
        free(s);
        return NULL;
}

#define NOT_PERMITTED "not permitted; give briod CAP_SYS_RESOURCE"

const char *source_psi_explain(int error, const char *release) {
        switch (error) {
        case -ENODATA:
                return "a recorded machine has no pressure of its own";
        case -ENOENT:
                return release_is_before(release, 4, 20) ? "this kernel has no /proc/pressure; Linux 4.20 is the first that has" :
                                                           "this kernel has no /proc/pressure; it needs CONFIG_PSI, and psi=1 on its command line";
        case -EOPNOTSUPP:
                return "switched off in this kernel; start it with psi=1 on its command line";
        case -EACCES:
                if (release_is_before(release, 5, 13))
                        return "before Linux 5.13 only CAP_DAC_OVERRIDE, which opens each file of the machine, lets a program be woken by it; briod does without";
                return NOT_PERMITTED;
        case -EPERM:
        case -EINVAL: /* before 6.5, and no window that we may ask for */
                return NOT_PERMITTED;
        case -EOWNERDEAD:
                return "the kernel took the trigger away; restart briod";
        default:
                return strerrordesc_np(-error);
        }
}

static size_t probe(void *source, struct source_info *ret) {
        const struct source_psi *s = source;

        *ret = (struct source_info) { .name = "psi", .state = SOURCE_WORKS };
        if (s->error < 0) {
                struct utsname u = { 0 };
                const char *why;

                uname(&u);
                why = source_psi_explain(s->error, u.release);
                ret->state = SOURCE_UNAVAILABLE;
                snprintf(ret->detail, sizeof(ret->detail), "%s; waiting is then noticed at the next sample",
                         why ? why : "unknown error");
                return 1;
        }
        if (s->coarse)
                ret->state = SOURCE_REDUCED;
        snprintf(ret->detail, sizeof(ret->detail), s->coarse ?
                 "wakes when tasks waited 100 ms of 2 s for I/O; with CAP_SYS_RESOURCE the window would be 1 s" :
                 "wakes when tasks waited 100 ms of 1 s for I/O");
        return 1;
}

const struct source_ops source_psi_ops = { .probe = probe };
