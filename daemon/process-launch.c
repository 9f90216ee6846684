/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "fdio.h"
#include "macro.h"
#include "names.h"
#include "priority-process.h"
#include "process-facts.h"
#include "process-launch.h"
#include "process-script.h"
#include "process-stat.h"
#include "str.h"

/* A manager that executes its program after so long is the one before, with a new systemd. */
#define MANAGER_NEW_S 60
#define ENVIRONMENT_BYTES EXEC_ENVIRONMENT_BYTES /* looked at; a desktop's has some 4000 */

/* Undoes systemd's escapes (\x2d for -), up to the end of the text. */
static void unescape(const char *text, size_t length, char ret[static APPLICATION_MAX]) {
        size_t n = 0;

        for (size_t i = 0; i < length && n < APPLICATION_MAX - 1; i++) {
                unsigned byte;
                if (i + 3 < length && text[i] == '\\' && text[i + 1] == 'x' && sscanf(text + i + 2, "%2x", &byte) == 1 && byte > ' ') {
                        ret[n++] = (char) byte;
                        i += 3;
                } else {
                        ret[n++] = text[i];
                }
        }
        ret[n] = '\0';
        str_make_text(ret, APPLICATION_MAX);
}

static bool ends_with(const char *text, size_t length, const char *suffix) {
        size_t n = strlen(suffix);

        return length > n && strncmp(text + length - n, suffix, n) == 0;
}

/* The last of the parts between dashes, of which there may be one. */
static void take_last_part(const char *text, size_t length, char ret[static APPLICATION_MAX]) {
        size_t start = length;

        while (start > 0 && text[start - 1] != '-')
                start--;
        unescape(text + start, length - start, ret);
}

static size_t cut_behind(const char *text, size_t length, char mark) {
        while (length > 0 && text[length - 1] != mark)
                length--;
        return length > 0 ? length - 1 : 0;
}

#define UUID_CHARS 36

/* How much of an application's name and the number behind it is the name, which may have dashes. */
static size_t snap_name_length(const char *text, size_t length) {
        const char *dot = memrchr(text, '.', length);

        if (dot)
                return (size_t) (dot - text);
        if (length > UUID_CHARS + 1 && text[length - UUID_CHARS - 1] == '-')
                return length - UUID_CHARS - 1;
        return strcspn(text, ".-");
}

/* snap.PACKAGE.APPLICATION-UUID.scope, or with a dot before the number; its desktop file is PACKAGE_APPLICATION.desktop. */
static bool parse_snap(const char *unit, size_t length, char ret[static APPLICATION_MAX]) {
        const char *package = unit + strlen("snap."), *end, *dot;
        size_t n;

        if (length < strlen("snap.") + strlen(".scope")) /* "snap.scope" has one dot for both */
                return false;
        end = unit + length - strlen(".scope");
        dot = memchr(package, '.', (size_t) (end - package));
        if (!dot)
                return false;
        n = snap_name_length(dot + 1, (size_t) (end - dot) - 1);
        if (n == 0 || dot + 1 + n >= end)
                return false;
        snprintf(ret, APPLICATION_MAX, "%.*s_%.*s", (int) (dot - package), package, (int) n, dot + 1);
        str_make_text(ret, APPLICATION_MAX);
        return true;
}

static bool is_there(const char *path, bool may_wait) {
        _cleanup_close_ int fd = -1;

        if (may_wait)
                return access(path, F_OK) == 0;
        fd = fdio_open_known(AT_FDCWD, path, 0);
        return fd >= 0;
}

/* Many services are started by way of D-Bus: applications are those with a desktop file. */
static bool parse_activated(const char *unit, size_t length, bool may_wait, char ret[static APPLICATION_MAX]) {
        static const char *const directories[] = {
                "/usr/share/applications", "/usr/local/share/applications", "/var/lib/flatpak/exports/share/applications",
        };
        size_t at = cut_behind(unit, length - strlen(".service"), '@');
        char path[PATH_MAX];

        take_last_part(unit, at, ret);
        for (size_t i = 0; *ret && !strchr(ret, '/') && i < ARRAY_SIZE(directories); i++) {
                snprintf(path, sizeof(path), "%s/%s.desktop", directories[i], ret);
                if (is_there(path, may_wait))
                        return true;
        }
        return false;
}

/* The user's manager has all units of the session below its own: so the path ends there, or with what it has for itself. A user or a container may make
 * a unit of that name in a subtree: the system's is at one place. Returns the length of the path up to the unit's end, or 0. */
static size_t manager_length(const char *path) {
        char unit[sizeof("/user.slice/user-4294967295.slice/user@4294967295.service")];
        const char *number = startswith(path, "/user.slice/user-"), *rest;
        int digits = number ? (int) strspn(number, "0123456789") : 0;

        if (digits == 0 || digits > 10)
                return 0;
        snprintf(unit, sizeof(unit), "/user.slice/user-%.*s.slice/user@%.*s.service", digits, number, digits, number);
        rest = startswith(path, unit);
        if (rest && startswith(rest, "/init.scope"))
                rest += strlen("/init.scope");
        return rest && (*rest == '\0' || *rest == '\n') ? strlen(unit) : 0;
}

static bool parse_unit(const char *unit, size_t length, bool may_wait, char ret[static APPLICATION_MAX]) {
        bool scope = ends_with(unit, length, ".scope"), service = ends_with(unit, length, ".service");
        const char *text = startswith(unit, "app-");
        size_t rest;

        *ret = '\0';
        if (startswith(unit, "snap.") && scope)
                return parse_snap(unit, length, ret);
        if (startswith(unit, "dbus-") && service)
                return parse_activated(unit, length, may_wait, ret);
        if (!text || !(scope || service))
                return false;
        rest = length - strlen("app-") - strlen(scope ? ".scope" : ".service");
        if (scope)
                rest = cut_behind(text, rest, '-');
        else if (memchr(text, '@', rest))
                rest = (size_t) ((const char *) memchr(text, '@', rest) - text);
        take_last_part(text, rest, ret);
        return *ret != '\0';
}

size_t process_launch_parse_unit(const char *path, bool may_wait, char ret[static APPLICATION_MAX]) {
        size_t manager = manager_length(path);

        if (manager > 0) {
                str_copy(ret, APPLICATION_MAX, BRIO_SESSION);
                return manager;
        }
        for (const char *part = path; *part;) {
                size_t length;
                part += *part == '/';
                length = strcspn(part, "/\n");
                if (length > 0 && parse_unit(part, length, may_wait, ret))
                        return (size_t) (part + length - path);
                part += length;
                if (*part == '\n')
                        break;
        }
        *ret = '\0';
        return 0;
}

static const char *read_cgroup(const char *root, int32_t tgid, char buf[static ATTRIBUTE_MAX]) {
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/cgroup", root, tgid);
        return process_cgroup_read(AT_FDCWD, path, buf);
}

bool process_launch_application(const char *root, int32_t tgid, char ret[static APPLICATION_MAX]) {
        char buf[ATTRIBUTE_MAX];

        return process_launch_parse_unit(read_cgroup(root, tgid, buf), false, ret) > 0;
}

static bool is_again(const struct process_stat *stat, const char *application) {
        return streq(application, BRIO_SESSION) && stat->start_ticks + MANAGER_NEW_S * priority_ticks_per_s() < priority_now_ticks();
}

/* The first process of a unit is one whose parent is not in it. */
static bool is_first_of_unit(const char *root, int32_t tgid, int32_t parent, bool may_wait, char ret[static APPLICATION_MAX]) {
        char own[ATTRIBUTE_MAX], other[ATTRIBUTE_MAX];
        const char *path = read_cgroup(root, tgid, own), *parents;
        size_t length = process_launch_parse_unit(path, may_wait, ret);

        if (length == 0)
                return false;
        parents = read_cgroup(root, parent, other);
        return *parents && (strncmp(path, parents, length) != 0 || (parents[length] != '\0' && parents[length] != '/'));
}

static const char *find_variable(const char *environment, size_t size, const char *name) {
        size_t length = strlen(name);

        for (size_t i = 0; i < size;) {
                size_t n = strnlen(environment + i, size - i);
                if (n > length && i + n < size && environment[i + length] == '=' && strncmp(environment + i, name, length) == 0)
                        return environment + i + length + 1;
                i += n + 1;
        }
        return NULL;
}

/* "/usr/share/applications/org.gnome.TextEditor.desktop" is org.gnome.TextEditor. */
static void take_desktop_file(const char *file, char ret[static APPLICATION_MAX]) {
        const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
        size_t length = strlen(name);

        if (ends_with(name, length, ".desktop"))
                length -= strlen(".desktop");
        snprintf(ret, APPLICATION_MAX, "%.*s", (int) MIN(length, (size_t) APPLICATION_MAX - 1), name);
        str_make_text(ret, APPLICATION_MAX);
}

bool process_launch_parse_environment(const char *environment, size_t size, int32_t tgid, char ret[static APPLICATION_MAX],
                                      const char **ret_token) {
        const char *file = find_variable(environment, size, "GIO_LAUNCHED_DESKTOP_FILE");
        const char *pid = find_variable(environment, size, "GIO_LAUNCHED_DESKTOP_FILE_PID");
        const char *token = find_variable(environment, size, "XDG_ACTIVATION_TOKEN");
        uint64_t launched;

        *ret = '\0';
        *ret_token = "";
        if (file && pid) { /* GLib says which process it meant; children have the same */
                if (str_parse_u64(pid, &launched) < 0 || launched != (uint64_t) tgid)
                        return false;
                take_desktop_file(file, ret);
                return true;
        }
        if (!token)
                token = find_variable(environment, size, "DESKTOP_STARTUP_ID");
        if (!token || !*token)
                return false;
        *ret_token = token;
        return true;
}

/* What a process has in its memory, size bytes of it at most. */
static size_t read_memory(const char *root, int32_t tgid, const char *name, _Atomic int32_t *at, char *buf, size_t size) {
        char path[PATH_MAX];
        _cleanup_close_ int fd = -1;
        ssize_t n;

        if (!at)
                return 0;
        *at = tgid;
        snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/%s", root, tgid, name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        n = fd < 0 ? -1 : fdio_read_all(fd, buf, size);
        return n < 0 ? 0 : (size_t) n;
}

/* parent_at: NULL where its memory is not read. */
static bool is_launched(const char *root, int32_t tgid, int32_t parent, const struct exec_entry *entry, _Atomic int32_t *at,
                        _Atomic int32_t *parent_at, char ret[static APPLICATION_MAX]) {
        char own[ENVIRONMENT_BYTES], others[ENVIRONMENT_BYTES], application[APPLICATION_MAX];
        const char *token, *other;
        size_t n = entry ? entry->environment_size : read_memory(root, tgid, "environ", at, own, sizeof(own));

        if (!process_launch_parse_environment(entry ? entry->environment : own, n, tgid, ret, &token))
                return false;
        if (!*token)
                return true;
        n = read_memory(root, parent, "environ", parent_at, others, sizeof(others));
        return !process_launch_parse_environment(others, n, parent, application, &other) || !streq(token, other);
}

/* As the kernel will name it. */
static void take_program(const char *program, char ret[static EVENT_NAME_MAX]) {
        const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

        if (*name) {
                memset(ret, 0, EVENT_NAME_MAX);
                snprintf(ret, EVENT_NAME_MAX, "%.*s", EVENT_NAME_MAX - 1, name);
                str_make_text(ret, EVENT_NAME_MAX);
        }
}

/* A script is what was started, whatever runs it. */
static void take_script(const char *root, int32_t tgid, const struct exec_entry *entry, _Atomic int32_t *at, char ret[static EVENT_NAME_MAX]) {
        char buf[EXEC_ARGUMENTS_BYTES];
        const char *script;

        if (!process_script_is_interpreter(ret))
                return;
        if (entry)
                script = process_script_find(ret, entry->arguments, entry->arguments_size);
        else
                script = process_script_find(ret, buf, read_memory(root, tgid, "cmdline", at, buf, sizeof(buf)));
        if (script)
                take_program(script, ret);
}

int process_launch_look(const char *root, int32_t tgid, int32_t parent, const struct exec_entry *entry, _Atomic int32_t *at,
                        struct process_launch *ret) {
        struct process_stat stat, parents;
        int r = process_stat_read(root, tgid, &stat);

        if (r < 0)
                return r;
        *ret = (struct process_launch){ .start_ticks = stat.start_ticks, .parent = parent != 0 ? abs(parent) : stat.parent,
                                        .session = stat.session, .job = stat.job };
        memcpy(ret->name, stat.name, sizeof(ret->name));
        if (entry)
                take_program(entry->program, ret->name);
        take_script(root, tgid, entry, at, ret->name);
        if (stat.terminal && (stat.job == tgid || (process_stat_read(root, ret->parent, &parents) == 0 && parents.job != stat.job)))
                ret->flags |= EVENT_TERMINAL;
        if ((is_first_of_unit(root, tgid, ret->parent, at != NULL, ret->application) && !is_again(&stat, ret->application)) ||
            (!(ret->flags & EVENT_TERMINAL) && is_launched(root, tgid, ret->parent, entry, at, parent < 0 ? NULL : at, ret->application)))
                ret->flags |= EVENT_LAUNCHED;
        else
                *ret->application = '\0';
        ret->more = !at && !entry && (ret->flags == 0 || process_script_is_interpreter(ret->name));
        return 0;
}
