/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "clock.h"
#include "held-file.h"
#include "macro.h"

#define DIRECTORY "/mnt"
#define NAME "file" /* with DIRECTORY in HELD_FILE_SOURCE, too */
#define NOBODY 65534
#define FILE_NODE 2
#define FILE_BYTES 65536
#define LIFE_NS (30 * NSEC_PER_SEC)
#define REQUEST_BYTES 65536

static bool write_text(const char *path, const char *text) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t) strlen(text);

        safe_close(fd);
        return done;
}

static int mount_file(void) {
        char options[64];
        int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

        if (fd < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0 ||
            unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
                return -1;
        safe_close(fd);
        fd = open("/dev/fuse", O_RDWR | O_CLOEXEC); /* of this namespace */
        if (fd < 0 || !write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/uid_map", "0 65534 1") ||
            !write_text("/proc/self/gid_map", "0 65534 1"))
                return -1;
        snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
        return mount(HELD_FILE_SOURCE, DIRECTORY, "fuse", MS_NODEV | MS_NOSUID, options) < 0 ? -1 : fd;
}

static void answer(int fd, uint64_t unique, int error, const void *data, size_t size) {
        struct {
                struct fuse_out_header header;
                char data[256];
        } out = { .header = { .len = (uint32_t) (sizeof(out.header) + size), .error = error, .unique = unique } };

        if (size > 0)
                memcpy(out.data, data, size);
        if (write(fd, &out, out.header.len) < 0 && errno != ENOENT)
                _exit(1);
}

static struct fuse_attr attributes(uint64_t node) {
        return node == FUSE_ROOT_ID ? (struct fuse_attr){ .ino = node, .mode = S_IFDIR | 0755, .nlink = 2, .blksize = 4096 } :
                                      (struct fuse_attr){ .ino = node, .mode = S_IFREG | 0755, .nlink = 1, .size = FILE_BYTES, .blksize = 4096 };
}

static void serve(int fd, const struct fuse_in_header *in) {
        struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096 };
        struct fuse_attr_out attr = { .attr = attributes(in->nodeid) };
        struct fuse_entry_out entry = { .nodeid = FILE_NODE, .entry_valid = 1000, .attr = attributes(FILE_NODE) };
        struct fuse_open_out opened = { 0 };

        switch (in->opcode) {
        case FUSE_INIT:
                answer(fd, in->unique, 0, &init, sizeof(init));
                return;
        case FUSE_GETATTR:
                answer(fd, in->unique, 0, &attr, sizeof(attr));
                return;
        case FUSE_LOOKUP:
                answer(fd, in->unique, 0, &entry, sizeof(entry));
                return;
        case FUSE_OPEN:
                answer(fd, in->unique, 0, &opened, sizeof(opened));
                return;
        case FUSE_FLUSH:
        case FUSE_RELEASE:
                answer(fd, in->unique, 0, NULL, 0);
                return;
        case FUSE_FORGET:
        case FUSE_BATCH_FORGET:
        case FUSE_INTERRUPT:
                return;
        default:
                answer(fd, in->unique, -ENOSYS, NULL, 0);
        }
}

static void take_request(struct held_file *f, int fd) {
        static union {
                struct fuse_in_header header;
                char bytes[REQUEST_BYTES];
        } in;

        if (read(fd, &in, sizeof(in)) < (ssize_t) sizeof(in.header))
                return;
        if (in.header.opcode != f->opcode)
                serve(fd, &in.header);
        else if (f->answered > 0) {
                f->answered--;
                answer(fd, in.header.unique, -EIO, NULL, 0);
        } else {
                f->held++;
        }
}

static _Noreturn void run_user(struct held_file *f, int fuse, void (*use)(int fd)) {
        int fd;

        close(fuse); /* whose last descriptor ends all requests */
        fd = open(DIRECTORY "/" NAME, O_RDONLY | O_CLOEXEC);
        f->user = getpid();
        if (fd >= 0)
                use(fd);
        _exit(1);
}

static _Noreturn void run_server(struct held_file *f, void (*use)(int fd)) {
        nsec_t end = clock_now(CLOCK_MONOTONIC) + LIFE_NS;
        int fd = mount_file();
        struct pollfd p = { .fd = fd, .events = POLLIN };
        pid_t user = fd < 0 ? -1 : fork();

        if (user == 0)
                run_user(f, fd, use);
        while (user > 0 && !f->release && clock_now(CLOCK_MONOTONIC) < end)
                if (poll(&p, 1, 10) > 0)
                        take_request(f, fd);
        f->released = true;
        if (user > 0)
                (void) kill(user, SIGKILL);
        close(fd);
        if (user > 0)
                (void) waitpid(user, NULL, 0);
        _exit(0);
}

struct held_file *held_file_start(uint32_t opcode, uint32_t answered, void (*use)(int fd)) {
        struct held_file *f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        pid_t server;

        if (f == MAP_FAILED)
                return NULL;
        f->opcode = opcode;
        f->answered = answered;
        server = fork();
        if (server == 0)
                run_server(f, use);
        f->server = server;
        while (f->server > 0 && f->user == 0 && !f->released)
                usleep(1000);
        return f->user > 0 ? f : held_file_end(f);
}

bool held_file_await(const struct held_file *f) {
        while (f->held == 0 && !f->released)
                usleep(1000);
        return f->held > 0 && !f->released;
}

struct held_file *held_file_end(struct held_file *f) {
        if (!f)
                return NULL;
        f->release = true;
        if (f->server > 0)
                (void) waitpid(f->server, NULL, 0);
        munmap(f, sizeof(*f));
        return NULL;
}
