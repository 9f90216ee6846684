/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target over every file of the directories named, so that what a fuzzer once found stays tested without one. */
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "macro.h"

static int run_file(const char *path, unsigned number) {
        _cleanup_fclose_ FILE *f = fopen(path, "re");
        _cleanup_free_ uint8_t *data = NULL;
        struct stat st;
        size_t size;

        if (!f || fstat(fileno(f), &st) < 0) {
                perror(path);
                return -1;
        }
        size = (size_t) st.st_size;
        data = malloc(MAX(size, 1u)); /* exactly as long as the file, so that a sanitizer sees a read beyond */
        if (!data || fread(data, 1, size, f) != size) {
                perror(path);
                return -1;
        }
        printf("# %s\n", path);
        fflush(stdout); /* names the file that aborts */
        LLVMFuzzerTestOneInput(data, size);
        printf("ok %u - %s\n", number, strrchr(path, '/') + 1);
        return 0;
}

static int run_directory(const char *directory, unsigned *number) {
        DIR *d = opendir(directory);
        const struct dirent *de;
        int r = 0;

        if (!d) {
                perror(directory);
                return -1;
        }
        while (r == 0 && (de = readdir(d))) {
                char path[PATH_MAX];
                if (*de->d_name == '.')
                        continue;
                snprintf(path, sizeof(path), "%s/%s", directory, de->d_name);
                r = run_file(path, ++*number);
        }
        closedir(d);
        return r;
}

int main(int argc, char *argv[]) {
        unsigned number = 0;

        for (int i = 1; i < argc; i++)
                if (run_directory(argv[i], &number) < 0)
                        return EXIT_FAILURE;
        printf("1..%u\n", number);
        return number > 0 ? EXIT_SUCCESS : EXIT_FAILURE; /* an empty corpus tests nothing */
}
