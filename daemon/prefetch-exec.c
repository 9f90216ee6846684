/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "macro.h"
#include "prefetch-exec.h"
#include "prefetch-names.h"
#include "prefetch-resident.h"

#define AUXV_MAX 64 /* the kernel has some twenty */

struct addresses {
        unsigned long program, loader; /* 0: not known, or there is none */
};

static int open_of(int32_t tgid, const char *name) {
        char path[32];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/%s", tgid, name);
        return open(path, O_RDONLY | O_CLOEXEC);
}

void prefetch_exec_open(int32_t tgid, struct prefetch_exec_files *ret) {
        alarm(PREFETCH_PATIENCE_S);
        ret->auxv_fd = open_of(tgid, "auxv");
        ret->maps_fd = open_of(tgid, "maps");
        alarm(0);
}

static struct addresses find_addresses(int auxv_fd) {
        struct addresses found = { 0 };
        unsigned long auxv[AUXV_MAX][2];
        ssize_t n = auxv_fd < 0 ? 0 : read(auxv_fd, auxv, sizeof(auxv));

        for (size_t i = 0; n > 0 && i < (size_t) n / sizeof(auxv[0]); i++) {
                if (auxv[i][0] == AT_PHDR)
                        found.program = auxv[i][1];
                else if (auxv[i][0] == AT_BASE)
                        found.loader = auxv[i][1];
        }
        return found;
}

static bool has(unsigned long first, unsigned long end, unsigned long address) {
        return address > 0 && first <= address && address < end;
}

void prefetch_exec_find(const struct prefetch_exec_files *files, const struct prefetch_places *places, struct prefetch_exec *ret) {
        _cleanup_close_ int auxv_fd = files->auxv_fd;
        _cleanup_fclose_ FILE *maps = files->maps_fd < 0 ? NULL : fdopen(files->maps_fd, "re");
        struct addresses addresses;
        _cleanup_free_ char *line = NULL;
        size_t size = 0;

        ret->n = 0;
        alarm(PREFETCH_PATIENCE_S);
        addresses = find_addresses(auxv_fd);
        while (maps && ret->n < ARRAY_SIZE(ret->files) && getline(&line, &size, maps) > 0) {
                unsigned long first, end;
                const char *path;
                if (sscanf(line, "%lx-%lx", &first, &end) == 2 && (has(first, end, addresses.program) || has(first, end, addresses.loader)) &&
                    prefetch_names_parse(line, &ret->files[ret->n].dev, &ret->files[ret->n].ino, &path) &&
                    prefetch_places_unlocate(places, ret->files[ret->n].dev, path, ret->files[ret->n].path))
                        ret->n++;
        }
        alarm(0);
}

void prefetch_exec_add(const struct prefetch_exec *exec, const struct prefetch_places *places, struct prefetch_list *seen) {
        for (size_t i = 0; i < exec->n; i++) {
                const struct prefetch_file f = { .dev = exec->files[i].dev, .ino = exec->files[i].ino };
                int file = prefetch_list_get_file(seen, &f, exec->files[i].path);
                if (file >= 0)
                        prefetch_resident_add_file(places, seen, (uint32_t) file);
        }
}
