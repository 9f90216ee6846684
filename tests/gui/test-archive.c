/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <string.h>
#include <sys/stat.h>

#include "archive.h"

static const gsize sizes[] = { 0, 1, 511, 512, 513, 100000 };

static GBytes *random_bytes(uint64_t *seed, gsize size) {
        guint8 *data = g_malloc(size + 1);

        for (gsize i = 0; i < size; i++)
                data[i] = (guint8) test_random(seed);
        return g_bytes_new_take(data, size);
}

static bool unpacks(GBytes *archive) {
        g_autofree char *path = g_strdup_printf("%s/a.tar.gz", test_tmpdir());
        const char *argv[] = { "tar", "-xzf", path, "-C", test_tmpdir(), NULL };
        int status;

        return g_file_set_contents(path, g_bytes_get_data(archive, NULL), (gssize) g_bytes_get_size(archive), NULL)
                && g_spawn_sync(NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, NULL)
                && g_spawn_check_wait_status(status, NULL);
}

TEST(what_was_put_into_an_archive_comes_out_of_it_as_it_was_for_its_owner_alone) {
        g_autoptr(GBytes) archive = NULL;
        GBytes *contents[ARRAY_SIZE(sizes)];
        struct archive a = { 0 };
        uint64_t seed = test_seed();

        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
                g_autofree char *name = g_strdup_printf("report/%zu", sizes[i]);

                contents[i] = random_bytes(&seed, sizes[i]);
                archive_add(&a, name, contents[i], 1795000000);
        }
        archive = archive_end(&a);
        CHECK(unpacks(archive));
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
                g_autofree char *path = g_strdup_printf("%s/report/%zu", test_tmpdir(), sizes[i]), *text = NULL;
                gsize size;
                struct stat st;

                CHECK(g_file_get_contents(path, &text, &size, NULL));
                CHECK_INT(size, sizes[i]);
                CHECK(memcmp(text, g_bytes_get_data(contents[i], NULL), size) == 0);
                CHECK(stat(path, &st) == 0);
                CHECK_INT(st.st_mode & 0777, 0600);
                CHECK_INT(st.st_mtime, 1795000000);
                g_bytes_unref(contents[i]);
        }
}

TEST(an_archive_of_nothing_is_one) {
        g_autoptr(GBytes) archive = NULL;
        struct archive a = { 0 };

        archive = archive_end(&a);
        CHECK(unpacks(archive));
        archive_clear(&a);
}
