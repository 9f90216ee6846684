/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "prefetch-list.h"
#include "str.h"
#include "test.h"

#define SIZE (1000 * PREFETCH_PAGE_BYTES)

static struct prefetch_list *new_list(void) {
        struct prefetch_list *l;

        return prefetch_list_new("org.example.Editor", 1000, &l) < 0 ? NULL : l;
}

static int add_file(struct prefetch_list *l, const char *path, uint64_t ino) {
        return prefetch_list_add_file(l, &(struct prefetch_file){ .ino = ino, .size = SIZE, .mtime_ns = 5 }, path);
}

/* One file with one range. */
static struct prefetch_list *list_of(const char *path, uint64_t ino, uint32_t first, uint32_t count) {
        struct prefetch_list *l = new_list();

        if (l && (add_file(l, path, ino) != 0 || prefetch_list_add_pages(l, 0, first, count, 1) < 0))
                l = prefetch_list_free(l);
        return l;
}

/* Whether a page of the file would be read ahead. */
static bool wants(const struct prefetch_list *l, const char *path, uint32_t page) {
        for (size_t i = 0; i < l->n_ranges; i++) {
                const struct prefetch_range *r = &l->ranges[i];
                if (streq(prefetch_list_path(l, &l->files[r->file]), path) && r->first <= page && page < r->first + r->count)
                        return prefetch_range_is_wanted(l, r);
        }
        return false;
}

/* Takes one more start into *l. */
static bool take_start(struct prefetch_list **l, struct prefetch_list *seen, bool helped) {
        struct prefetch_list *merged;

        if (!*l || !seen || prefetch_list_merge(*l, seen, helped, &merged) < 0)
                return false;
        prefetch_list_free(*l);
        prefetch_list_free(seen);
        *l = merged;
        return true;
}

static struct prefetch_list *read_again(const struct prefetch_list *l) {
        struct prefetch_list *again = NULL;
        size_t size;
        char *text;

        if (prefetch_list_format(l, &text, &size) < 0)
                return NULL;
        if (prefetch_list_parse(text, size, &again) < 0)
                again = NULL;
        free(text);
        return again;
}

TEST(pages_that_follow_on_each_other_are_one_range) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = list_of("/a", 1, 4, 2);

        CHECK(l && prefetch_list_add_pages(l, 0, 6, 1, 1) == 0 && prefetch_list_add_pages(l, 0, 9, 1, 1) == 0);
        CHECK_INT(l->n_ranges, 2);
        CHECK_INT(l->ranges[0].count, 3);
}

TEST(what_the_first_start_read_is_wanted_by_the_second) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();

        CHECK(take_start(&l, list_of("/usr/bin/editor", 7, 10, 5), false));
        CHECK(wants(l, "/usr/bin/editor", 10) && wants(l, "/usr/bin/editor", 14) && !wants(l, "/usr/bin/editor", 15));
        CHECK_INT(prefetch_list_wanted_pages(l), 5);
}

TEST(what_one_start_of_four_read_is_not_wanted_and_is_forgotten_after_four_more) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();

        for (unsigned i = 0; i < 4; i++)
                CHECK(take_start(&l, list_of("/usr/bin/editor", 7, 0, i == 1 ? 20 : 10), false));
        CHECK(wants(l, "/usr/bin/editor", 9) && !wants(l, "/usr/bin/editor", 10));
        CHECK_INT(l->n_ranges, 2);
        for (unsigned i = 0; i < 4; i++)
                CHECK(take_start(&l, list_of("/usr/bin/editor", 7, 0, 10), false));
        CHECK_INT(l->n_ranges, 1);
        CHECK_INT(l->starts, PREFETCH_STARTS);
}

TEST(a_start_that_needed_less_than_half_of_the_list_replaces_it) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();

        for (unsigned i = 0; i < 3; i++)
                CHECK(take_start(&l, list_of("/usr/bin/editor", 7, 0, 20), false));
        CHECK(take_start(&l, list_of("/usr/bin/editor", 7, 11, 10), false)); /* nine of twenty */
        CHECK(!wants(l, "/usr/bin/editor", 10) && wants(l, "/usr/bin/editor", 11) && wants(l, "/usr/bin/editor", 20));
        CHECK_INT(l->starts, 1);
        CHECK(take_start(&l, list_of("/usr/bin/editor", 7, 0, 16), false)); /* five of ten */
        CHECK(wants(l, "/usr/bin/editor", 20) && wants(l, "/usr/bin/editor", 0));
        CHECK(take_start(&l, list_of("/usr/lib/other", 9, 0, 16), true)); /* with help, that says nothing */
        CHECK(wants(l, "/usr/bin/editor", 20));
}

TEST(times_of_another_build_go_where_a_tenth_of_the_list_was_replaced) {
        for (unsigned pages = 1; pages <= 2; pages++) {
                _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();
                struct prefetch_list *first = list_of("/usr/bin/editor", 7, 0, 20 - pages), *second = list_of("/var/lib/editor/cache", 8, 0, pages);
                CHECK(first && add_file(first, "/var/lib/editor/cache", 8) == 1 && prefetch_list_add_pages(first, 1, 0, pages, 1) == 0);
                CHECK(take_start(&l, first, false));
                prefetch_times_add(&l->unhelped, 1000);
                second->files[0].ino = 80;
                CHECK(take_start(&l, second, true));
                CHECK_INT(l->unhelped.n, pages == 1);
        }
}

TEST(the_first_starts_to_compare_come_sooner) {
        static const unsigned expected[] = { 4, 12, 28, 44 };
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();
        unsigned controls = 0;

        prefetch_times_add(&l->unhelped, 1000); /* the first of all */
        for (unsigned start = 1; controls < ARRAY_SIZE(expected); start++) {
                if (!prefetch_list_is_control_due(l, 16)) {
                        l->since_control++;
                        continue;
                }
                CHECK_INT(start, expected[controls++]);
                l->since_control = 0;
                prefetch_times_add(&l->unhelped, 1000);
        }
        CHECK(!prefetch_list_is_control_due(l, 0));
}

TEST(a_start_with_help_forgets_nothing_and_adds_what_it_lacked) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();

        CHECK(take_start(&l, list_of("/usr/bin/editor", 7, 0, 10), false));
        for (unsigned i = 0; i < 6; i++)
                CHECK(take_start(&l, list_of("/usr/lib/plugin.so", 8, 3, 2), true));
        CHECK(wants(l, "/usr/bin/editor", 9) && wants(l, "/usr/lib/plugin.so", 4));
        CHECK_INT(l->starts, 1);
}

TEST(a_file_that_was_replaced_is_wanted_as_it_is_now) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();

        for (unsigned i = 0; i < 4; i++)
                CHECK(take_start(&l, list_of("/usr/bin/editor", 7, 0, 10), false));
        CHECK(take_start(&l, list_of("/usr/bin/editor", 70, 40, 4), true));
        CHECK_INT(l->n_files, 1);
        CHECK_INT(l->files[0].ino, 70);
        CHECK(wants(l, "/usr/bin/editor", 40) && !wants(l, "/usr/bin/editor", 0));
}

TEST(the_order_of_first_use_stays) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();
        struct prefetch_list *seen = new_list();

        CHECK(l && seen && add_file(seen, "/z", 1) == 0 && add_file(seen, "/a", 2) == 1);
        CHECK(prefetch_list_add_pages(seen, 0, 0, 4, 1) == 0 && prefetch_list_add_pages(seen, 1, 0, 4, 1) == 0 && prefetch_list_add_pages(seen, 0, 50, 4, 1) == 0);
        CHECK(take_start(&l, seen, false));
        CHECK_INT(l->n_ranges, 3);
        for (size_t i = 0; i < 3; i++) {
                bool first = streq(prefetch_list_path(l, &l->files[l->ranges[i].file]), "/z") && l->ranges[i].first == 0;
                CHECK((l->ranges[i].order == 0) == first);
        }
}

TEST(a_list_that_is_written_and_read_again_is_the_same) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list(), *again = NULL;

        CHECK(take_start(&l, list_of("/usr/lib/x86_64-linux-gnu/libgtk-4.so.1", 7, 0, 10), false));
        CHECK(take_start(&l, list_of("/usr/lib/x86_64-linux-gnu/libgdk.so", 8, 90, 10), true));
        l->starts = 2;
        l->off = true;
        l->since_control = 3;
        for (uint32_t i = 0; i < PREFETCH_TIMES + 2; i++)
                prefetch_times_add(&l->helped, 1000 + i);
        prefetch_times_add(&l->unhelped, 2900);
        again = read_again(l);
        CHECK(again);
        CHECK_STR(again->application, "org.example.Editor");
        CHECK(again->uid == 1000 && again->off && again->starts == 2 && again->since_control == 3);
        CHECK(again->helped.n == PREFETCH_TIMES + 2 && memcmp(&again->helped, &l->helped, sizeof(l->helped)) == 0);
        CHECK_INT(prefetch_times_median(&again->unhelped), 2900);
        CHECK(again->n_files == 2 && again->n_ranges == 2);
        for (size_t i = 0; i < 2; i++) {
                CHECK_STR(prefetch_list_path(again, &again->files[i]), prefetch_list_path(l, &l->files[i]));
                CHECK(again->files[i].ino == l->files[i].ino && again->ranges[i].first == l->ranges[i].first && again->ranges[i].hits == l->ranges[i].hits);
        }
}

TEST(a_flipped_bit_anywhere_is_noticed) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list(), *again = NULL;
        _cleanup_free_ char *text = NULL;
        size_t size;

        CHECK(take_start(&l, list_of("/usr/bin/editor", 7, 0, 10), false) && prefetch_list_format(l, &text, &size) == 0);
        for (size_t i = 0; i < size; i++) {
                char *copy = malloc(size + 1);
                memcpy(copy, text, size);
                copy[i] ^= 4;
                CHECK_INT(prefetch_list_parse(copy, size, &again), -EBADMSG);
                free(copy);
        }
}

TEST(a_text_cut_anywhere_is_noticed) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list(), *again = NULL;
        _cleanup_free_ char *text = NULL;
        size_t size;

        CHECK(take_start(&l, list_of("/usr/bin/editor", 7, 0, 10), false) && prefetch_list_format(l, &text, &size) == 0);
        for (size_t length = 0; length < size; length++) {
                char *copy = malloc(length + 1);
                memcpy(copy, text, length);
                CHECK_INT(prefetch_list_parse(copy, length, &again), -EBADMSG);
                free(copy);
        }
}

TEST(paths_that_are_not_absolute_or_no_text_are_refused) {
        static const char *const paths[] = { "usr/bin/editor", "", "/usr/bin/\tx", "/usr/\nbin", "/usr/\xff" };
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();

        for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
                CHECK_INT(add_file(l, paths[i], 1), -EINVAL);
}

TEST(files_and_ranges_beyond_the_bounds_are_refused_and_counted) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();
        char path[32];

        for (unsigned i = 0; i < PREFETCH_FILES_MAX; i++) {
                snprintf(path, sizeof(path), "/%u", i);
                CHECK_INT(add_file(l, path, i), i);
        }
        CHECK_INT(add_file(l, "/more", 1), -ENOSPC);
        for (uint32_t i = 0; i < PREFETCH_RANGES_MAX; i++)
                CHECK(prefetch_list_add_pages(l, 0, 2 * i, 1, 1) == 0);
        CHECK_INT(prefetch_list_add_pages(l, 1, 0, 1, 1), -ENOSPC);
        CHECK_INT(l->refused, 2);
}

TEST(help_that_gains_nothing_over_three_starts_of_each_kind_is_worthless) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();

        for (unsigned i = 0; i < PREFETCH_JUDGED; i++) {
                CHECK(!prefetch_list_is_worthless(l));
                prefetch_times_add(&l->helped, 980);
                prefetch_times_add(&l->unhelped, 1000);
        }
        CHECK(prefetch_list_is_worthless(l));
        for (unsigned i = 0; i < PREFETCH_TIMES; i++)
                prefetch_times_add(&l->helped, 400);
        CHECK(!prefetch_list_is_worthless(l));
}

/* The same by hand, page by page. */
#define PAGES 64

TEST(random_starts_are_merged_page_by_page) {
        uint64_t state = test_seed();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();
        uint8_t expected[PAGES] = { 0 };

        for (unsigned start = 0; start < 50; start++) {
                bool read[PAGES] = { false }, helped = start > 0 && test_random(&state) % 2, wrong;
                unsigned n_wanted = 0, needed = 0;
                struct prefetch_list *seen = new_list();
                CHECK_INT(add_file(seen, "/f", 1), 0);
                for (unsigned i = 0; i < 12; i++) {
                        uint32_t first = (uint32_t) (test_random(&state) % PAGES), count = 1 + (uint32_t) (test_random(&state) % 5);
                        count = MIN(count, PAGES - first);
                        CHECK(prefetch_list_add_pages(seen, 0, first, count, 1) == 0);
                        for (uint32_t k = 0; k < count; k++)
                                read[first + k] = true;
                }
                for (unsigned i = 0; i < PAGES; i++) {
                        bool wanted = prefetch_range_is_wanted(l, &(struct prefetch_range){ .hits = expected[i] });
                        n_wanted += wanted;
                        needed += wanted && read[i];
                }
                wrong = !helped && needed * 2 < n_wanted;
                for (unsigned i = 0; i < PAGES; i++)
                        if (wrong && !read[i])
                                expected[i] = 0;
                        else if (!helped || read[i])
                                expected[i] = (uint8_t) ((expected[i] << 1 | read[i]) & 15);
                CHECK(take_start(&l, seen, helped));
                for (unsigned i = 0; i < PAGES; i++) {
                        uint8_t hits = 0;
                        for (size_t k = 0; k < l->n_ranges; k++)
                                if (l->ranges[k].first <= i && i < l->ranges[k].first + l->ranges[k].count)
                                        hits = l->ranges[k].hits;
                        CHECK_INT(hits, expected[i]);
                }
        }
}
