/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "macro.h"
#include "prefetch-resident.h"

uint32_t prefetch_pages_in_kernels(void) {
        long bytes = sysconf(_SC_PAGESIZE);

        return (uint32_t) MAX(bytes / (long) PREFETCH_PAGE_BYTES, 1L);
}

int prefetch_resident_open(const struct prefetch_places *places, const char *path, struct prefetch_file *ret) {
        const struct prefetch_place *place;
        struct stat st;
        /* Mapping counts as an access otherwise; of others' files it is refused. */
        _cleanup_close_ int fd = prefetch_places_open(places, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOATIME, &place);

        if (fd < 0)
                return fd;
        if (fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISREG(st.st_mode))
                return -EBADF;
        *ret = prefetch_file_of(&st, place->fs_dev);
        return TAKE_FD(fd);
}

/* resident: of count pages of the kernel's, each so large. */
static void add_runs(const unsigned char *resident, uint32_t first, uint32_t count, uint32_t large, struct prefetch_list *l,
                     uint32_t file) {
        for (uint32_t begin = 0, end; begin < count; begin = end + 1) {
                for (end = begin; end < count && resident[end] & 1; end++)
                        ;
                if (end > begin)
                        (void) prefetch_list_add_pages(l, file, first + begin * large, (end - begin) * large, 1);
        }
}

void prefetch_resident_add(int fd, uint32_t first, uint32_t count, struct prefetch_list *l, uint32_t file) {
        uint32_t large = prefetch_pages_in_kernels(), before = first % large;
        uint32_t n = (MIN(count, PREFETCH_PAGES_MAX) + before + large - 1) / large;
        size_t size = (size_t) n * large * PREFETCH_PAGE_BYTES;
        _cleanup_free_ unsigned char *resident = calloc(n, 1);
        void *at = MAP_FAILED;

        first -= before;
        if (resident) /* the kernel alone looks at it */
                at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, (off_t) first * PREFETCH_PAGE_BYTES);
        if (at == MAP_FAILED)
                return;
        if (mincore(at, size, resident) == 0)
                add_runs(resident, first, n, large, l, file);
        munmap(at, size);
}

void prefetch_resident_add_file(const struct prefetch_places *places, struct prefetch_list *l, uint32_t file) {
        const struct prefetch_file *f = &l->files[file];
        struct prefetch_file now;
        char path[PREFETCH_PATH_MAX];
        _cleanup_close_ int fd = prefetch_places_locate(places, f->dev, prefetch_list_path(l, f), path) ? prefetch_resident_open(places, path, &now) : -1;

        if (fd >= 0 && now.ino == f->ino)
                prefetch_resident_add(fd, 0, (uint32_t) MIN(now.size / PREFETCH_PAGE_BYTES + 1, (uint64_t) PREFETCH_PAGES_MAX), l, file);
}
