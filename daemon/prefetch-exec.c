/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "macro.h"
#include "prefetch-exec.h"
#include "prefetch-names.h"

#define AUXV_MAX 64 /* the kernel has some twenty */

struct addresses {
        unsigned long program, loader; /* 0: not known, or there is none */
};

static struct addresses find_addresses(int32_t tgid) {
        struct addresses found = { 0 };
        unsigned long auxv[AUXV_MAX][2];
        _cleanup_close_ int fd = -1;
        char path[32];
        ssize_t n;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/auxv", tgid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        n = fd < 0 ? 0 : read(fd, auxv, sizeof(auxv));
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

void prefetch_exec_find(const struct prefetch_places *places, int32_t tgid, struct prefetch_exec *ret) {
        struct addresses addresses;
        _cleanup_fclose_ FILE *maps = NULL;
        _cleanup_free_ char *line = NULL;
        size_t size = 0;
        char name[32];

        ret->n = 0;
        alarm(PREFETCH_PATIENCE_S);
        addresses = find_addresses(tgid);
        snprintf(name, sizeof(name), "/proc/%" PRId32 "/maps", tgid);
        maps = fopen(name, "re");
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

/* Its place in the list; < 0: there is no room. */
static int find_file(struct prefetch_list *l, uint32_t dev, uint64_t ino, const char *path) {
        for (size_t i = 0; i < l->n_files; i++)
                if (l->files[i].dev == dev && l->files[i].ino == ino)
                        return (int) i;
        return prefetch_list_add_file(l, &(struct prefetch_file){ .dev = dev, .ino = ino }, path);
}

static void add_runs(struct prefetch_list *l, uint32_t file, const unsigned char *resident, size_t n) {
        for (size_t first = 0, end; first < n; first = end + 1) {
                for (end = first; end < n && resident[end] & 1; end++)
                        ;
                if (end > first)
                        (void) prefetch_list_add_pages(l, file, (uint32_t) first, (uint32_t) (end - first), 1); /* refusals are counted */
        }
}

static void add_resident(struct prefetch_list *l, const struct prefetch_places *places, uint32_t file) {
        const struct prefetch_file *f = &l->files[file];
        const struct prefetch_place *place;
        _cleanup_free_ unsigned char *resident = NULL;
        _cleanup_close_ int fd = -1;
        char path[PREFETCH_PATH_MAX];
        struct stat st;
        size_t n;
        void *at;

        if (!prefetch_places_locate(places, f->dev, prefetch_list_path(l, f), path))
                return;
        fd = prefetch_places_open(places, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, &place);
        if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_ino != f->ino || st.st_uid != geteuid())
                return;
        n = MIN((size_t) st.st_size / PREFETCH_PAGE_BYTES + 1, (size_t) PREFETCH_PAGES_MAX);
        resident = calloc(n, 1);
        at = mmap(NULL, n * PREFETCH_PAGE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0); /* looked at by the kernel alone */
        if (at == MAP_FAILED)
                return;
        if (resident && mincore(at, n * PREFETCH_PAGE_BYTES, resident) == 0)
                add_runs(l, file, resident, n);
        munmap(at, n * PREFETCH_PAGE_BYTES);
}

void prefetch_exec_add(const struct prefetch_exec *exec, const struct prefetch_places *places, struct prefetch_list *seen) {
        for (size_t i = 0; i < exec->n; i++) {
                int file = find_file(seen, exec->files[i].dev, exec->files[i].ino, exec->files[i].path);
                if (file >= 0)
                        add_resident(seen, places, (uint32_t) file);
        }
}
