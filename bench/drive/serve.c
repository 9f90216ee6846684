/* SPDX-License-Identifier: GPL-3.0-or-later */
#define FUSE_USE_VERSION 34

#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "macro.h"
#include "str.h"

/* The kernel's default of 12 background requests would cap the queue depth: room for the queues of every model, and for
 * large requests that FUSE splits. */
#define FUSE_BACKGROUND_MAX 512
/* An answer leaves this much before it is due: about what a request takes through loop driver and FUSE, there and back. */
#define WAY_NS (50 * NSEC_PER_USEC)
/* And earlier by what the last timers came late, which differs between machines: at most this much, as a lateness beyond it
 * is a machine at its limit. */
#define LATENESS_MAX_NS (50 * NSEC_PER_USEC)
#define LATENESS_WEIGHT 32
/* Of a read's answer: a block each, of the most that FUSE asks for (FUSE_MAX_MAX_PAGES), which need not begin with a block. */
#define PIECES_MAX 257

struct served {
        struct drive_engine engine;
        struct drive_data *data;
        bool at_once; /* answer without the drive */
        nsec_t lateness; /* of timers, on average */
        struct timespec started;
};

/* One request under way; the write's data already is in place, its answer is not sent yet. */
struct transfer {
        struct drive_request request; /* first: the engine's handle */
        fuse_req_t fuse;
};

static nsec_t now_ns(void) {
        struct timespec ts;

        clock_gettime(CLOCK_MONOTONIC, &ts);
        return (nsec_t) ts.tv_sec * NSEC_PER_SEC + (nsec_t) ts.tv_nsec;
}

static void answer(struct served *s, struct transfer *t) {
        struct iovec pieces[PIECES_MAX];

        if (t->request.flush)
                fuse_reply_err(t->fuse, 0);
        else if (t->request.write)
                fuse_reply_write(t->fuse, t->request.length);
        else
                fuse_reply_iov(t->fuse, pieces, (int) drive_data_read(s->data, t->request.offset, t->request.length, pieces, PIECES_MAX));
        free(t);
}

static nsec_t lead(const struct served *s) {
        return WAY_NS + s->lateness;
}

static void answer_all_due(struct served *s) {
        struct drive_request *r;

        while ((r = drive_engine_complete(&s->engine, now_ns() + lead(s))))
                answer(s, r->owner);
}

static void learn_lateness(struct served *s, nsec_t late) {
        s->lateness = (s->lateness * (LATENESS_WEIGHT - 1) + MIN(late, LATENESS_MAX_NS)) / LATENESS_WEIGHT;
}

static void submit(struct served *s, fuse_req_t req, struct drive_request request) {
        struct transfer *t = calloc(1, sizeof(*t));

        if (!t) {
                fuse_reply_err(req, ENOMEM);
                return;
        }
        t->fuse = req;
        t->request = request;
        t->request.owner = t;
        if (s->at_once) {
                answer(s, t);
                return;
        }
        t->request.arrival = now_ns();
        drive_engine_submit(&s->engine, &t->request);
}

/* ---- FUSE: the root of the mount is the file itself ---- */

static void on_init(void *user, struct fuse_conn_info *conn) {
        (void) user;
        conn->max_background = FUSE_BACKGROUND_MAX;
        conn->congestion_threshold = FUSE_BACKGROUND_MAX;
        /* Without it the loop driver's requests are served one at a time. */
        conn->want |= conn->capable & FUSE_CAP_ASYNC_DIO;
        printf("ready\n");
        fflush(stdout);
}

static void on_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi) {
        const struct served *s = fuse_req_userdata(req);
        struct stat st = {
                .st_ino = ino,
                .st_mode = S_IFREG | 0600,
                .st_nlink = 1,
                .st_size = (off_t) s->data->capacity_bytes,
                .st_blksize = DRIVE_BLOCK_BYTES,
                .st_blocks = (blkcnt_t) (s->data->capacity_bytes / SECTOR_BYTES),
                .st_atim = s->started,
                .st_mtim = s->started,
                .st_ctim = s->started,
        };

        (void) fi;
        fuse_reply_attr(req, &st, 3600.0);
}

static void on_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi) {
        (void) ino;
        fi->direct_io = 1;
        fuse_reply_open(req, fi);
}

static void on_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi) {
        struct served *s = fuse_req_userdata(req);

        (void) ino;
        (void) fi;
        if (offset < 0 || (uint64_t) offset >= s->data->capacity_bytes)
                fuse_reply_buf(req, NULL, 0);
        else
                submit(s, req, (struct drive_request) { .offset = (uint64_t) offset,
                                                        .length = MIN(size, s->data->capacity_bytes - (uint64_t) offset) });
}

static void on_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t offset, struct fuse_file_info *fi) {
        struct served *s = fuse_req_userdata(req);

        (void) ino;
        (void) fi;
        if (offset < 0 || (uint64_t) offset >= s->data->capacity_bytes || size > s->data->capacity_bytes - (uint64_t) offset) {
                fuse_reply_err(req, ENOSPC);
                return;
        }
        drive_data_write(s->data, buf, (uint64_t) offset, size);
        submit(s, req, (struct drive_request) { .offset = (uint64_t) offset, .length = size, .write = true });
}

/* Where there is no write cache, a write that was answered is where it belongs. */
static void on_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi) {
        struct served *s = fuse_req_userdata(req);

        (void) ino;
        (void) datasync;
        (void) fi;
        if (s->engine.model->write_cache)
                submit(s, req, (struct drive_request) { .flush = true });
        else
                fuse_reply_err(req, 0);
}

/* The loop driver's discard and "write zeroes". They take no time: what a drive does with them is not modelled. */
static void on_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t length, struct fuse_file_info *fi) {
        struct served *s = fuse_req_userdata(req);

        (void) ino;
        (void) fi;
        if (!(mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))) {
                fuse_reply_err(req, EOPNOTSUPP);
                return;
        }
        if (offset < 0 || length < 0 || (uint64_t) offset > s->data->capacity_bytes ||
            (uint64_t) length > s->data->capacity_bytes - (uint64_t) offset) {
                fuse_reply_err(req, EINVAL);
                return;
        }
        drive_data_zero(s->data, (uint64_t) offset, (uint64_t) length);
        fuse_reply_err(req, 0);
}

static void on_setxattr(fuse_req_t req, fuse_ino_t ino, const char *name, const char *value, size_t size, int flags) {
        struct served *s = fuse_req_userdata(req);
        bool on = size == strlen(DRIVE_TIMING_ON) && memcmp(value, DRIVE_TIMING_ON, size) == 0;
        bool off = size == strlen(DRIVE_TIMING_OFF) && memcmp(value, DRIVE_TIMING_OFF, size) == 0;

        (void) ino;
        (void) flags;
        if (!streq(name, DRIVE_TIMING_NAME)) {
                fuse_reply_err(req, ENOTSUP);
                return;
        }
        if (on || off)
                s->at_once = off;
        fuse_reply_err(req, on || off ? 0 : EINVAL);
}

static void on_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size) {
        const struct served *s = fuse_req_userdata(req);
        const char *value = s->at_once ? DRIVE_TIMING_OFF : DRIVE_TIMING_ON;

        (void) ino;
        if (!streq(name, DRIVE_TIMING_NAME))
                fuse_reply_err(req, ENODATA);
        else if (size == 0)
                fuse_reply_xattr(req, strlen(value));
        else if (size < strlen(value))
                fuse_reply_err(req, ERANGE);
        else
                fuse_reply_buf(req, value, strlen(value));
}

static const struct fuse_lowlevel_ops operations = {
        .init = on_init,
        .getattr = on_getattr,
        .open = on_open,
        .read = on_read,
        .write = on_write,
        .fsync = on_fsync,
        .fallocate = on_fallocate,
        .setxattr = on_setxattr,
        .getxattr = on_getxattr,
};

/* ---- The loop ---- */

/* A signal between the look at the session and the sleep must end the sleep: it comes through in ppoll() alone. */
static void wait_for_event(struct served *s, struct fuse_session *session) {
        struct pollfd fd = { .fd = fuse_session_fd(session), .events = POLLIN };
        nsec_t next = drive_engine_next(&s->engine), left = nsec_sub(next, now_ns() + lead(s));
        struct timespec ts = { .tv_sec = (time_t) (left / NSEC_PER_SEC), .tv_nsec = (long) (left % NSEC_PER_SEC) };
        sigset_t all, usual;
        int r = -1;

        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &usual);
        if (!fuse_session_exited(session))
                r = ppoll(&fd, 1, next == DRIVE_NEVER ? NULL : &ts, &usual);
        if (r == 0 && left > 0)
                learn_lateness(s, nsec_sub(now_ns() + lead(s), next));
        sigprocmask(SIG_SETMASK, &usual, NULL);
}

static int loop(struct served *s, struct fuse_session *session) {
        struct fuse_buf buf = { 0 };
        int r = 0;

        while (r >= 0 && !fuse_session_exited(session)) {
                answer_all_due(s);
                r = fuse_session_receive_buf(session, &buf);
                if (r > 0)
                        fuse_session_process_buf(session, &buf);
                if (r == -EAGAIN)
                        wait_for_event(s, session);
                if (r == -EAGAIN || r == -EINTR || r == -ENOENT) /* the last: a request was withdrawn */
                        r = 0;
        }
        free(buf.mem);
        return r;
}

/* Other programs must not delay an answer: beside two busy loops one in a hundred was 4 ms late, and is 0.1 ms so. Not every
 * place permits it. */
static void take_precedence(void) {
        struct sched_param param = { .sched_priority = sched_get_priority_min(SCHED_RR) + 1 };

        (void) sched_setscheduler(0, SCHED_RR, &param);
        /* The default slack of 50 us would be added to every service time. */
        (void) prctl(PR_SET_TIMERSLACK, 1UL);
}

static int serve_mounted(struct served *s, struct fuse_session *session) {
        int fd = fuse_session_fd(session), flags = fcntl(fd, F_GETFL);

        /* A request that ppoll() saw may be withdrawn before it is read. */
        if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
                return -errno;
        take_precedence();
        return loop(s, session);
}

/* Our parent may have signals blocked while it works; those that end us must come through. */
static void unblock_signals(void) {
        sigset_t none;

        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
}

int drive_serve(struct drive_model *model, struct drive_data *data, const char *mountpoint) {
        char *argv[] = { (char *) "brio-drive", (char *) "-ofsname=brio-drive", NULL };
        struct fuse_args args = FUSE_ARGS_INIT(2, argv);
        struct served s = { .data = data };
        struct fuse_session *session = fuse_session_new(&args, &operations, sizeof(operations), &s);
        int r = -EIO;

        if (!session)
                return r;
        clock_gettime(CLOCK_REALTIME, &s.started);
        drive_engine_init(&s.engine, model);
        if (fuse_set_signal_handlers(session) == 0) {
                unblock_signals();
                if (fuse_session_mount(session, mountpoint) == 0) {
                        r = serve_mounted(&s, session);
                        fuse_session_unmount(session);
                }
                fuse_remove_signal_handlers(session);
        }
        fuse_session_destroy(session);
        fuse_opt_free_args(&args);
        return r;
}
