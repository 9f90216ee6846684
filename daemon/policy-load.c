/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "config.h"
#include "fdio.h"
#include "policy-load.h"
#include "str.h"

#define SUFFIX ".conf"
#define DROPIN_SUFFIX ".conf.d"
#define DIRECTORIES_MAX 3
#define FILE_MASKED 1 /* outcome of read_file(): there, but empty or a link to /dev/null */

struct loader {
        policy_report_fn report;
        void *userdata;
        int errors;
        size_t n_directories;
        char directories[DIRECTORIES_MAX][PATH_MAX]; /* a later one wins */
};

/* A file of each name: the one that wins. */
struct entry {
        char *name, *path; /* owned */
};

struct entries {
        size_t n;
        struct entry *all;
};

static void entries_done(struct entries *e) {
        for (size_t i = 0; i < e->n; i++) {
                free(e->all[i].name);
                free(e->all[i].path);
        }
        free(e->all);
}

static void on_finding(void *userdata, enum policy_severity severity, const char *file, int line, const char *message) {
        struct loader *l = userdata;

        if (severity == POLICY_ERROR)
                l->errors++;
        l->report(l->userdata, severity, file, line, message);
}

static void report_errno(struct loader *l, const char *file, int error) {
        if (error == -EFBIG)
                on_finding(l, POLICY_ERROR, file, 0, "larger than a policy may be (64 KiB)");
        else if (error == -EINVAL)
                on_finding(l, POLICY_ERROR, file, 0, "not a regular file");
        else
                on_finding(l, POLICY_ERROR, file, 0, strerror(-error));
}

static bool has_suffix(const char *name, const char *suffix) {
        size_t n = strlen(name), m = strlen(suffix);

        return n > m && streq(name + n - m, suffix);
}

static int compare_entries(const void *a, const void *b) {
        return strcmp(((const struct entry *) a)->name, ((const struct entry *) b)->name);
}

static struct entry *entries_find(const struct entries *e, const char *name) {
        for (size_t i = 0; i < e->n; i++)
                if (streq(e->all[i].name, name))
                        return &e->all[i];
        return NULL;
}

/* Adds a file, or lets it win over the one of the same name. */
static int entries_put(struct entries *e, const char *directory, const char *name) {
        struct entry *known = entries_find(e, name);
        _cleanup_free_ char *copy = NULL, *path = NULL;
        struct entry *all;

        if (asprintf(&path, "%s/%s", directory, name) < 0) {
                path = NULL; /* what it holds now is undefined */
                return -ENOMEM;
        }
        if (known) {
                free(known->path);
                known->path = TAKE_PTR(path);
                return 0;
        }
        copy = strdup(name);
        all = reallocarray(e->all, e->n + 1, sizeof(*all));
        if (all)
                e->all = all;
        if (!copy || !all)
                return -ENOMEM;
        all[e->n++] = (struct entry) { .name = TAKE_PTR(copy), .path = TAKE_PTR(path) };
        return 0;
}

/* The names come into logs and onto the bus, and the struct has room for so much. */
static const char *check_name(const char *directory, const char *name) {
        if (strlen(name) - strlen(SUFFIX) >= POLICY_NAME_MAX)
                return "passed over a file: its name is too long";
        if (strlen(directory) + 1 + strlen(name) >= POLICY_FILE_MAX)
                return "passed over a file: its path is too long";
        return str_is_text(name) ? NULL : "passed over a file: its name is not text in UTF-8";
}

/* Adds what a directory has with this suffix. One that is missing has nothing. */
static int collect(struct loader *l, const char *directory, const char *suffix, struct entries *e) {
        _cleanup_closedir_ DIR *d = opendir(directory); /* sets O_CLOEXEC */
        const struct dirent *de;
        int r = 0;

        if (!d) {
                if (errno != ENOENT && !streq(suffix, DROPIN_SUFFIX)) /* files come first, and have reported it */
                        report_errno(l, directory, -errno);
                return 0;
        }
        while (r == 0 && (errno = 0, de = readdir(d))) {
                const char *fault;
                if (*de->d_name == '.' || !has_suffix(de->d_name, suffix))
                        continue;
                fault = check_name(directory, de->d_name);
                if (fault)
                        on_finding(l, POLICY_ERROR, directory, 0, fault);
                else
                        r = entries_put(e, directory, de->d_name);
        }
        if (r == 0 && errno != 0)
                report_errno(l, directory, -errno);
        return r;
}

/* Returns 0, FILE_MASKED, -EISDIR, -EINVAL (no regular file), -EFBIG or -errno. */
static int read_file(const char *path, char **ret_text, size_t *ret_length) {
        /* O_NONBLOCK: a FIFO without a writer would wait forever. */
        _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        _cleanup_free_ char *text = NULL;
        struct stat st;
        ssize_t length;

        if (fd < 0)
                return -errno;
        if (fstat(fd, &st) < 0)
                return -errno;
        if (S_ISDIR(st.st_mode))
                return -EISDIR;
        if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)) /* /dev/null, also below --root */
                return FILE_MASKED;
        if (!S_ISREG(st.st_mode))
                return -EINVAL;
        text = malloc(POLICY_FILE_BYTES_MAX + 1);
        if (!text)
                return -ENOMEM;
        length = fdio_read_all(fd, text, POLICY_FILE_BYTES_MAX + 1);
        if (length < 0)
                return (int) length;
        if (length > POLICY_FILE_BYTES_MAX)
                return -EFBIG;
        if (length == 0)
                return FILE_MASKED;
        *ret_text = TAKE_PTR(text);
        *ret_length = (size_t) length;
        return 0;
}

/* Applies one file to p. Returns 0, FILE_MASKED, or -errno after reporting. */
static int apply_file(struct loader *l, const char *path, struct policy *p) {
        _cleanup_free_ char *text = NULL;
        size_t length;
        int r = read_file(path, &text, &length);

        if (r < 0)
                report_errno(l, path, r);
        else if (r == 0)
                policy_parse_text(p, path, text, length, on_finding, l);
        return r;
}

static void init_from_path(struct policy *p, const char *path) {
        const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
        char name[POLICY_NAME_MAX + sizeof(SUFFIX)];

        str_copy(name, sizeof(name), base);
        if (has_suffix(name, SUFFIX))
                name[strlen(name) - strlen(SUFFIX)] = '\0';
        policy_init(p, name, path);
}

static int apply_dropins(struct loader *l, const char *name, struct policy *p) {
        _cleanup_(entries_done) struct entries dropins = { .n = 0 };
        size_t used = 0;

        for (size_t i = 0; i < l->n_directories; i++) {
                char directory[PATH_MAX + POLICY_FILE_MAX];
                int r;
                snprintf(directory, sizeof(directory), "%s/%s.d", l->directories[i], name);
                r = collect(l, directory, SUFFIX, &dropins);
                if (r < 0)
                        return r;
        }
        if (dropins.n > 1) /* qsort() wants an array */
                qsort(dropins.all, dropins.n, sizeof(dropins.all[0]), compare_entries);
        for (size_t i = 0; i < dropins.n; i++) {
                if (used == POLICY_DROPINS_MAX) {
                        on_finding(l, POLICY_ERROR, dropins.all[i].path, 0, "passed over: a policy has at most 16 drop-ins");
                        continue;
                }
                if (apply_file(l, dropins.all[i].path, p) == 0)
                        used++;
        }
        return 0;
}

/* A drop-in directory for a policy that there is not: most likely a slip in its name. */
static int warn_of_orphans(struct loader *l, const struct entries *files) {
        for (size_t i = 0; i < l->n_directories; i++) {
                _cleanup_(entries_done) struct entries directories = { .n = 0 };
                int r = collect(l, l->directories[i], DROPIN_SUFFIX, &directories);
                if (r < 0)
                        return r;
                for (size_t j = 0; j < directories.n; j++) {
                        char *name = directories.all[j].name;
                        name[strlen(name) - strlen(".d")] = '\0';
                        if (!entries_find(files, name))
                                on_finding(l, POLICY_WARNING, directories.all[j].path, 0, "drop-ins for a policy that does not exist");
                }
        }
        return 0;
}

static int load_directories(struct loader *l, struct policy_set *s) {
        _cleanup_(entries_done) struct entries files = { .n = 0 };
        int r;

        for (size_t i = 0; i < l->n_directories; i++) {
                r = collect(l, l->directories[i], SUFFIX, &files);
                if (r < 0)
                        return r;
        }
        r = warn_of_orphans(l, &files);
        if (r < 0 || files.n == 0)
                return r;
        s->policies = calloc(files.n, sizeof(*s->policies));
        if (!s->policies)
                return -ENOMEM;
        qsort(files.all, files.n, sizeof(files.all[0]), compare_entries);
        for (size_t i = 0; i < files.n; i++) {
                struct policy *p = &s->policies[s->n];
                init_from_path(p, files.all[i].path);
                r = apply_file(l, files.all[i].path, p);
                if (r == -ENOMEM)
                        return r;
                if (r != 0)
                        continue; /* masked, or reported */
                r = apply_dropins(l, files.all[i].name, p);
                if (r < 0)
                        return r;
                policy_validate(p, on_finding, l);
                s->n++;
        }
        return 0;
}

/* Returns 0, or -ENAMETOOLONG after reporting. */
static int set_directories(struct loader *l, const char *root, const char *dir) {
        static const char *const standard[DIRECTORIES_MAX] = { BRIO_POLICIES_DIR, "/run/brio/policies.d", "/etc/brio/policies.d" };

        l->n_directories = dir ? 1 : DIRECTORIES_MAX;
        if (!root || streq(root, "/"))
                root = "";
        for (size_t i = 0; i < l->n_directories; i++) {
                int n = snprintf(l->directories[i], PATH_MAX, "%s%s", dir ? "" : root, dir ? dir : standard[i]);
                if (n < 0 || n >= PATH_MAX) {
                        report_errno(l, dir ? dir : root, -ENAMETOOLONG);
                        return -ENAMETOOLONG;
                }
        }
        return 0;
}

int policy_load_all(const char *root, const char *dir, policy_report_fn report, void *userdata, struct policy_set *ret) {
        _cleanup_(policy_set_done) struct policy_set s = { .n = 0 };
        struct loader l = { .report = report, .userdata = userdata };

        if (set_directories(&l, root, dir) == 0) {
                int r;
                /* The standard directories may be missing, one that is named may not. */
                if (dir && faccessat(AT_FDCWD, dir, F_OK, AT_EACCESS) < 0)
                        report_errno(&l, dir, -errno);
                r = load_directories(&l, &s);
                if (r < 0)
                        return r;
        }
        *ret = s;
        s = (struct policy_set) { .n = 0 };
        return l.errors;
}

static bool is_dropin(const char *path) {
        const char *slash = strrchr(path, '/');
        char parent[PATH_MAX];

        if (!slash || (size_t) (slash - path) >= sizeof(parent))
                return false;
        memcpy(parent, path, (size_t) (slash - path));
        parent[slash - path] = '\0';
        return has_suffix(parent, DROPIN_SUFFIX);
}

int policy_load_file(const char *path, policy_report_fn report, void *userdata, struct policy *ret) {
        struct loader l = { .report = report, .userdata = userdata };
        _cleanup_free_ char *text = NULL;
        size_t length = 0;
        struct policy p;
        int r;

        if (strlen(path) >= POLICY_FILE_MAX)
                return -ENAMETOOLONG;
        r = read_file(path, &text, &length);
        if (r < 0)
                return r;
        init_from_path(&p, path);
        policy_parse_text(&p, path, text ? text : "", length, on_finding, &l);
        if (!is_dropin(path))
                policy_validate(&p, on_finding, &l);
        *ret = p;
        return l.errors;
}

void policy_set_done(struct policy_set *s) {
        free(s->policies);
        *s = (struct policy_set) { .n = 0 };
}
