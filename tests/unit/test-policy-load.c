/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "config.h"
#include "policy-load.h"
#include "test.h"

#define GOOD "[Policy]\nClass = hdd\n"

/* All findings, one "file:line: message" a line, with the paths below the test's directory. */
static char findings[65536];
static const char *base;

static void keep_finding(void *userdata _unused_, enum policy_severity severity, const char *file, int line,
                         const char *message) {
        const char *kind = severity == POLICY_WARNING ? "(warning) " : "";
        size_t used = strlen(findings), n = base ? strlen(base) : 0;

        if (n > 0 && strncmp(file, base, n) == 0)
                file += n;
        snprintf(findings + used, sizeof(findings) - used, "%s%s:%d: %s\n", kind, file, line, message);
}

/* A fresh directory below the test's own. The text stays valid until the next call. */
static const char *fresh_root(void) {
        static char root[256];
        static unsigned n;

        snprintf(root, sizeof(root), "%s/%u", test_tmpdir(), n++);
        mkdir(root, 0755);
        base = root;
        findings[0] = '\0';
        return root;
}

static int parse(struct policy *p, const char *text, size_t length) {
        findings[0] = '\0';
        base = NULL;
        policy_init(p, "x", "x.conf");
        return policy_parse_text(p, "x.conf", text, length, keep_finding, NULL);
}

static int parse_string(struct policy *p, const char *text) {
        return parse(p, text, strlen(text));
}

static const struct policy *find_policy(const struct policy_set *s, const char *name) {
        for (size_t i = 0; i < s->n; i++)
                if (strcmp(s->policies[i].name, name) == 0)
                        return &s->policies[i];
        return NULL;
}

TEST(blanks_comments_crlf_and_a_bom_do_not_matter) {
        struct policy p;

        CHECK_INT(parse_string(&p, "\xef\xbb\xbf[Policy]\r\n  Class=\thdd  \r\n\r\n# x\r\n; y\r\n\t[IdleLimit] ; z\r\nEnabled : yes ; w\r\n  MinReaders = 9"), 0);
        CHECK_STR(findings, "");
        CHECK_INT(p.classes, 1 << DEVICE_CLASS_HDD);
        CHECK(p.idle_limit.enabled);
        CHECK_INT(p.idle_limit.source.line, 7);
        CHECK_INT(p.idle_limit.min_readers, 9);
        CHECK_INT(parse_string(&p, ""), 0);
        CHECK_INT(parse_string(&p, "\n\n\n"), 0);
}

TEST(every_faulty_line_is_reported_with_its_number_and_the_good_ones_hold) {
        struct policy p;

        CHECK_INT(parse_string(&p,
                               "Enabled = yes\n"           /* 1 */
                               "[IdleLimit]\n"
                               "GroupSlize = 1s\n"         /* 3 */
                               "what is this\n"            /* 4 */
                               "Enabled = yes\n"
                               "= 5\n"                     /* 6 */
                               "MinReaders = many\n"       /* 7 */
                               "[Weather]\n"
                               "Rain = yes\n"              /* 9 */
                               "[Limits]\n"
                               "slice_idle_us = 0..99999999999\n" /* 11 */
                               "fifo_batch = 1..16\n"
                               "and this"),                /* 13, the last line and without its end */
                  8);
        CHECK_STR(findings, "x.conf:1: Enabled stands before the first [Section]\n"
                            "x.conf:3: unknown key GroupSlize, did you mean GroupSlice?\n"
                            "x.conf:4: neither [Section] nor Key = value\n"
                            "x.conf:6: the key before = is missing\n"
                            "x.conf:7: MinReaders is a whole number, not \"many\"\n"
                            "x.conf:9: unknown section [Weather]\n"
                            "x.conf:11: slice_idle_us = 0..99999999999 leaves the kernel's range for bfq.slice_idle_us, 0..4294967 us\n"
                            "x.conf:13: neither [Section] nor Key = value\n");
        CHECK(p.idle_limit.enabled);
        CHECK_INT(p.limits[TUNABLE_MQ_DEADLINE_FIFO_BATCH].max, 16);
}

TEST(keys_below_a_faulty_header_do_not_fall_to_the_section_before) {
        struct policy p;

        CHECK_INT(parse_string(&p, "[IdleLimit]\n[SliceShare\nEnabled = yes\n[Timing] Dwell = 1s\nEnabled = yes\n[Timing]\nHold = 1s\n"), 2);
        CHECK_STR(findings, "x.conf:2: the ] of the section's name is missing; its keys are passed over\n"
                            "x.conf:4: nothing may follow the ] of a section's name; its keys are passed over\n");
        CHECK(!p.idle_limit.enabled && !p.slice_share.enabled);
        CHECK_INT(p.dwell_us, 2000000);
        CHECK_INT(p.hold_us, 1000000);
}

TEST(what_is_too_long_is_never_cut_within_a_character) {
        struct policy p;

        CHECK_INT(parse_string(&p, "[ééééééééééééééééééééééééé]\nEnabled = yes\n[Scheduler]\nPrefer = xééééééééééééééééééé\n"), 2);
        CHECK_STR(findings, "x.conf:1: no section has so long a name; its keys are passed over\n"
                            "x.conf:4: unknown scheduler \"xééééééééééééééé\"\n");
        CHECK_INT(parse_string(&p, "[Scheduler]\nPrefer = ééééééééééééééééééé\n"), 1);
        CHECK_STR(findings, "x.conf:2: unknown scheduler \"ééééééééééééééé\"\n");
}

TEST(a_line_of_198_bytes_is_read_and_a_longer_one_reported_whole) {
        char text[1024], filler[512];
        struct policy p;

        memset(filler, 'x', sizeof(filler));
        snprintf(text, sizeof(text), "[Policy]\nDescription = %.*s\nClass = ssd\n", 198 - 14, filler);
        CHECK_INT(parse_string(&p, text), 0);
        CHECK_INT(strlen(p.description), 198 - 14);
        snprintf(text, sizeof(text), "[Policy]\nDescription = %.*s\nClass = ssd\n", 199 - 14, filler);
        CHECK_INT(parse_string(&p, text), 1);
        CHECK_STR(findings, "x.conf:2: the line is too long\n");
        CHECK_STR(p.description, "");
        CHECK_INT(p.classes, 1 << DEVICE_CLASS_SSD);
        /* inih reads 199 bytes at once: the rest must not become a line of its own. */
        snprintf(text, sizeof(text), "[IdleLimit]\n#%.*sEnabled = yes\nMinReaders = 9\n", 198, filler);
        CHECK_INT(parse_string(&p, text), 1);
        CHECK(!p.idle_limit.enabled);
        CHECK_INT(p.idle_limit.min_readers, 9);
}

TEST(what_is_not_text_is_reported_line_by_line) {
        static const char text[] = "[Policy]\nDescription = a\0b\nDescription = \x1b[31mred\nDescription = \xff\xfe\n[Tim\0ing]\nHold = 1s\n[Policy]\nClass = hdd\n";
        struct policy p;

        CHECK_INT(parse(&p, text, sizeof(text) - 1), 4);
        CHECK_STR(findings, "x.conf:2: not text in UTF-8\n"
                            "x.conf:3: not text in UTF-8\n"
                            "x.conf:4: not text in UTF-8\n"
                            "x.conf:5: not text in UTF-8\n");
        CHECK_STR(p.description, "");
        CHECK_INT(p.hold_us, 5000000);
        CHECK_INT(p.classes, 1 << DEVICE_CLASS_HDD);
}

TEST(random_bytes_are_never_taken_for_more_than_the_rules_allow) {
        static const char *const pieces[] = { "[Limits]\n", "[IdleLimit]", "\n", "slice_idle_us", " = ", "..", "-", "99", "yes", "\r", "\0", ";", "]",
                                              "Enabled", "MinReaders", "\xef\xbb\xbf", "\xff", " ", "bfq.", "[Policy]\n", "Class", "hdd" };
        uint64_t state = test_seed();

        for (unsigned i = 0; i < 3000; i++) {
                char text[512];
                size_t n = 0;
                struct policy p;
                for (size_t words = test_random(&state) % 60; words > 0; words--) {
                        const char *piece = pieces[test_random(&state) % ARRAY_SIZE(pieces)];
                        size_t length = MAX(strlen(piece), 1);
                        if (n + length > sizeof(text))
                                break;
                        memcpy(text + n, piece, length);
                        n += length;
                }
                CHECK(parse(&p, text, n) >= 0);
                CHECK(p.idle_limit.min_readers >= 2 && p.idle_limit.min_readers <= 1000000);
                for (int id = 0; id < _TUNABLE_MAX; id++) {
                        const struct tunable *t = tunable_get((enum tunable_id) id);
                        const struct policy_limit *l = &p.limits[id];
                        CHECK(!l->set || (l->min >= t->min && l->min <= l->max && l->max <= t->max));
                }
        }
}

TEST(a_later_directory_wins_and_files_come_in_the_order_of_their_names) {
        const char *root = fresh_root();
        struct policy_set s;

        test_write_file(root, BRIO_POLICIES_DIR "/20-b.conf", "[Policy]\nClass = hdd\nDescription = vendor b\n");
        test_write_file(root, BRIO_POLICIES_DIR "/30-c.conf", "[Policy]\nClass = hdd\nDescription = vendor c\n");
        test_write_file(root, "run/brio/policies.d/20-b.conf", "[Policy]\nClass = hdd\nDescription = run b\n");
        test_write_file(root, "run/brio/policies.d/30-c.conf", "[Policy]\nClass = hdd\nDescription = run c\n");
        test_write_file(root, "etc/brio/policies.d/30-c.conf", "[Policy]\nClass = hdd\nDescription = etc c\n");
        test_write_file(root, "etc/brio/policies.d/10-a.conf", "[Policy]\nClass = hdd\nDescription = etc a\n");
        test_write_file(root, "etc/brio/policies.d/README", "not a policy");
        test_write_file(root, "etc/brio/policies.d/.10-a.conf.swp", "not a policy");
        test_write_file(root, "etc/brio/policies.d/.hidden.conf", "not a policy");
        CHECK_INT(policy_load_all(root, NULL, keep_finding, NULL, &s), 0);
        CHECK_STR(findings, "");
        CHECK_INT(s.n, 3);
        CHECK_STR(s.policies[0].description, "etc a");
        CHECK_STR(s.policies[1].description, "run b");
        CHECK_STR(s.policies[2].description, "etc c");
        CHECK_STR(s.policies[2].name, "30-c");
        CHECK_STR(s.policies[2].file + strlen(root), "/etc/brio/policies.d/30-c.conf");
        CHECK(policy_match(s.policies, s.n, DEVICE_CLASS_HDD) == &s.policies[2]);
        policy_set_done(&s);
        CHECK(s.n == 0 && !s.policies);
}

TEST(an_empty_file_or_a_link_to_dev_null_masks) {
        const char *root = fresh_root();
        struct policy_set s;
        char path[512];

        test_write_file(root, BRIO_POLICIES_DIR "/a.conf", GOOD);
        test_write_file(root, BRIO_POLICIES_DIR "/b.conf", GOOD);
        test_write_file(root, BRIO_POLICIES_DIR "/c.conf", GOOD);
        test_write_file(root, "etc/brio/policies.d/a.conf", "");
        snprintf(path, sizeof(path), "%s/etc/brio/policies.d/b.conf", root);
        CHECK_INT(symlink("/dev/null", path), 0);
        test_write_file(root, BRIO_POLICIES_DIR "/a.conf.d/x.conf", "nonsense of a masked policy\n");
        CHECK_INT(policy_load_all(root, NULL, keep_finding, NULL, &s), 0);
        CHECK_STR(findings, "");
        CHECK_INT(s.n, 1);
        CHECK_STR(s.policies[0].name, "c");
        policy_set_done(&s);
}

TEST(dropins_of_all_directories_change_single_keys_in_the_order_of_their_names) {
        const char *root = fresh_root();
        struct policy_set s;
        const struct policy *p;

        test_write_file(root, BRIO_POLICIES_DIR "/hdd.conf", "[Policy]\nClass = hdd\n[IdleLimit]\nEnabled = yes\nMinReaders = 10\nGroupSlice = 100ms\n");
        test_write_file(root, BRIO_POLICIES_DIR "/hdd.conf.d/20.conf", "[IdleLimit]\nMinReaders = 20\n[Timing]\nHold = 1s\n");
        test_write_file(root, "etc/brio/policies.d/hdd.conf.d/10.conf", "[IdleLimit]\nMinReaders = 30\nGroupSlice = 200ms\n");
        test_write_file(root, BRIO_POLICIES_DIR "/hdd.conf.d/30.conf", "[Timing]\nHold = 9s\n");
        test_write_file(root, "run/brio/policies.d/hdd.conf.d/30.conf", "");                      /* masks the one above */
        test_write_file(root, "run/brio/policies.d/hdd.conf.d/40.conf", "[Timing]\nDwell = 8s\n");
        test_write_file(root, "etc/brio/policies.d/hdd.conf.d/40.conf", "\n[Timing]\nDwell = 4s\nHold = never\n[IdleLimit]\nEnabled = no\n");
        CHECK_INT(policy_load_all(root, NULL, keep_finding, NULL, &s), 1);
        CHECK_STR(findings, "/etc/brio/policies.d/hdd.conf.d/40.conf:4: Hold is a time such as 300ms (a whole number with us, ms, s or min), not \"never\"\n");
        p = find_policy(&s, "hdd");
        CHECK(p);
        CHECK_INT(p->idle_limit.min_readers, 20);
        CHECK_INT(p->idle_limit.group_slice_us, 200000);
        CHECK_INT(p->hold_us, 1000000);
        CHECK_INT(p->dwell_us, 4000000);
        CHECK(!p->idle_limit.enabled);
        CHECK_INT(p->idle_limit.source.line, 6);
        CHECK_STR(policy_source_file(p, p->idle_limit.source) + strlen(root), "/etc/brio/policies.d/hdd.conf.d/40.conf");
        CHECK_INT(p->n_dropins, 3);
        policy_set_done(&s);
}

TEST(dropins_for_no_policy_are_warned_of) {
        const char *root = fresh_root();
        struct policy_set s;

        test_write_file(root, "etc/brio/policies.d/hdd.conf", GOOD);
        test_write_file(root, "etc/brio/policies.d/hhd.conf.d/x.conf", "[Timing]\nHold = 1s\n");
        CHECK_INT(policy_load_all(root, NULL, keep_finding, NULL, &s), 0);
        CHECK_STR(findings, "(warning) /etc/brio/policies.d/hhd.conf.d:0: drop-ins for a policy that does not exist\n");
        CHECK_INT(s.n, 1);
        policy_set_done(&s);
}

TEST(the_seventeenth_dropin_is_passed_over_with_a_report) {
        const char *root = fresh_root();
        struct policy_set s;
        char path[128];

        test_write_file(root, "etc/brio/policies.d/hdd.conf", GOOD);
        for (int i = 0; i < 17; i++) {
                snprintf(path, sizeof(path), "etc/brio/policies.d/hdd.conf.d/%02d.conf", i);
                test_write_file(root, path, i == 16 ? "[Timing]\nHold = 1s\n" : "[Timing]\nHold = 2s\n");
        }
        CHECK_INT(policy_load_all(root, NULL, keep_finding, NULL, &s), 1);
        CHECK_STR(findings, "/etc/brio/policies.d/hdd.conf.d/16.conf:0: passed over: a policy has at most 16 drop-ins\n");
        CHECK_INT(s.policies[0].hold_us, 2000000);
        policy_set_done(&s);
}

TEST(files_that_cannot_be_read_are_named_and_the_others_still_work) {
        const char *root = fresh_root();
        char path[512], huge[POLICY_FILE_BYTES_MAX + 2];
        struct policy_set s;

        memset(huge, '\n', sizeof(huge) - 1);
        huge[sizeof(huge) - 1] = '\0';
        test_write_file(root, "etc/brio/policies.d/good.conf", GOOD);
        test_write_file(root, "etc/brio/policies.d/huge.conf", huge);
        huge[POLICY_FILE_BYTES_MAX] = '\0';
        memcpy(huge, GOOD, strlen(GOOD));
        test_write_file(root, "etc/brio/policies.d/large.conf", huge);
        test_write_file(root, "etc/brio/policies.d/directory.conf/x", "");
        snprintf(path, sizeof(path), "%s/etc/brio/policies.d/fifo.conf", root);
        CHECK_INT(mkfifo(path, 0644), 0);
        snprintf(path, sizeof(path), "%s/etc/brio/policies.d/dangling.conf", root);
        CHECK_INT(symlink("nowhere", path), 0);
        snprintf(path, sizeof(path), "%s/etc/brio/policies.d/loop.conf", root);
        CHECK_INT(symlink("loop.conf", path), 0);
        test_write_file(root, "etc/brio/policies.d/good.conf.d", "a file where a directory should be");
        CHECK_INT(policy_load_all(root, NULL, keep_finding, NULL, &s), 6);
        CHECK_STR(findings, "/etc/brio/policies.d/dangling.conf:0: No such file or directory\n"
                            "/etc/brio/policies.d/directory.conf:0: Is a directory\n"
                            "/etc/brio/policies.d/fifo.conf:0: not a regular file\n"
                            "/etc/brio/policies.d/good.conf.d:0: Not a directory\n"
                            "/etc/brio/policies.d/huge.conf:0: larger than a policy may be (64 KiB)\n"
                            "/etc/brio/policies.d/loop.conf:0: Too many levels of symbolic links\n");
        CHECK_INT(s.n, 2);
        CHECK_INT(find_policy(&s, "large")->classes, 1 << DEVICE_CLASS_HDD);
        policy_set_done(&s);
}

TEST(files_that_may_not_be_read_are_named_and_the_others_still_work) {
        enum { NOBODY = 65534 };
        const char *root = fresh_root();
        _cleanup_close_ int before = -1;
        uid_t self = geteuid();
        struct policy_set s;
        char path[512];
        int r;

        test_write_file(root, "etc/brio/policies.d/good.conf", GOOD);
        test_write_file(root, "etc/brio/policies.d/secret.conf", GOOD);
        snprintf(path, sizeof(path), "%s/etc/brio/policies.d/secret.conf", root);
        CHECK_INT(chmod(path, 0), 0);
        before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
        CHECK(before >= 0);
        CHECK_INT(chdir(root), 0);
        if (self == 0) /* root may read everything */
                CHECK_INT(seteuid(NOBODY), 0);
        /* A user that may not enter the directory of temporary files is in there already. */
        base = "/proc/self/cwd";
        r = policy_load_all(base, NULL, keep_finding, NULL, &s);
        CHECK_INT(seteuid(self), 0);
        CHECK_INT(fchdir(before), 0);
        CHECK_INT(r, 1);
        CHECK_STR(findings, "/etc/brio/policies.d/secret.conf:0: Permission denied\n");
        CHECK_INT(s.n, 1);
        policy_set_done(&s);
}

TEST(a_broken_override_does_not_bring_the_vendors_file_back) {
        const char *root = fresh_root();
        struct policy_set s;

        test_write_file(root, BRIO_POLICIES_DIR "/hdd.conf", GOOD);
        test_write_file(root, "etc/brio/policies.d/hdd.conf/x", "");
        CHECK_INT(policy_load_all(root, NULL, keep_finding, NULL, &s), 1);
        CHECK_INT(s.n, 0);
        policy_set_done(&s);
}

TEST(names_that_fit_nowhere_are_reported) {
        const char *root = fresh_root();
        char path[512];
        struct policy_set s;

        snprintf(path, sizeof(path), "etc/brio/policies.d/%0*d.conf", POLICY_NAME_MAX, 0);
        test_write_file(root, path, GOOD);
        test_write_file(root, "etc/brio/policies.d/\x1b[31m.conf", GOOD);
        snprintf(path, sizeof(path), "etc/brio/policies.d/%0*d.conf", POLICY_NAME_MAX - 1, 0);
        test_write_file(root, path, GOOD);
        CHECK_INT(policy_load_all(root, NULL, keep_finding, NULL, &s), 2);
        CHECK(strstr(findings, "/etc/brio/policies.d:0: passed over a file: its name is too long\n"));
        CHECK(strstr(findings, "/etc/brio/policies.d:0: passed over a file: its name is not text in UTF-8\n"));
        CHECK_INT(s.n, 1);
        CHECK_INT(strlen(s.policies[0].name), POLICY_NAME_MAX - 1);
        policy_set_done(&s);
}

TEST(each_name_that_fits_is_that_of_the_file) {
        for (int length = POLICY_NAME_MAX - 6; length < POLICY_NAME_MAX; length++) {
                const char *root = fresh_root();
                char path[512], name[POLICY_NAME_MAX];
                struct policy_set s;
                snprintf(name, sizeof(name), "%0*d", length, 0);
                snprintf(path, sizeof(path), "etc/brio/policies.d/%s.conf", name);
                test_write_file(root, path, GOOD);
                CHECK_INT(policy_load_all(root, NULL, keep_finding, NULL, &s), 0);
                CHECK_STR(s.policies[0].name, name);
                policy_set_done(&s);
        }
}

TEST(missing_standard_directories_are_fine_and_a_missing_named_one_is_not) {
        const char *root = fresh_root();
        char path[512];
        struct policy_set s;

        CHECK_INT(policy_load_all(root, NULL, keep_finding, NULL, &s), 0);
        CHECK_INT(s.n, 0);
        policy_set_done(&s);
        snprintf(path, sizeof(path), "%s/nowhere", root);
        CHECK_INT(policy_load_all(NULL, path, keep_finding, NULL, &s), 1);
        CHECK_STR(findings, "/nowhere:0: No such file or directory\n");
        CHECK_INT(s.n, 0);
        policy_set_done(&s);
}

TEST(a_named_directory_is_read_alone) {
        const char *root = fresh_root();
        char path[512];
        struct policy_set s;

        test_write_file(root, "etc/brio/policies.d/a.conf", GOOD);
        test_write_file(root, "mine/b.conf", GOOD);
        test_write_file(root, "mine/b.conf.d/c.conf", "[Policy]\nClass = ssd\n");
        snprintf(path, sizeof(path), "%s/mine", root);
        CHECK_INT(policy_load_all(root, path, keep_finding, NULL, &s), 0);
        CHECK_INT(s.n, 1);
        CHECK_STR(s.policies[0].name, "b");
        CHECK_INT(s.policies[0].classes, 1 << DEVICE_CLASS_SSD);
        policy_set_done(&s);
}

TEST(one_file_can_be_checked_alone) {
        const char *root = fresh_root();
        char path[512];
        struct policy p = { .name = "untouched" };

        test_write_file(root, "a.conf", GOOD "[Limits]\nfifo_batch = 1..16\n");
        snprintf(path, sizeof(path), "%s/a.conf", root);
        CHECK_INT(policy_load_file(path, keep_finding, NULL, &p), 0);
        CHECK_STR(p.name, "a");
        CHECK_INT(p.limits[TUNABLE_MQ_DEADLINE_FIFO_BATCH].source.line, 4);
        test_write_file(root, "b.conf", "[Timing]\nHold = 1s\nDwell = 0s\n");
        snprintf(path, sizeof(path), "%s/b.conf", root);
        CHECK_INT(policy_load_file(path, keep_finding, NULL, &p), 2);
        CHECK_STR(findings, "/b.conf:3: Dwell must lie between 100 ms and 60 min, not \"0s\"\n"
                            "/b.conf:0: no Class in [Policy]: it applies to no drive\n");
        test_write_file(root, "a.conf.d/b.conf", "[Timing]\nHold = 1s\n");
        snprintf(path, sizeof(path), "%s/a.conf.d/b.conf", root);
        CHECK_INT(policy_load_file(path, keep_finding, NULL, &p), 0); /* a drop-in needs no class */
        snprintf(path, sizeof(path), "%s/none.conf", root);
        CHECK_INT(policy_load_file(path, keep_finding, NULL, &p), -ENOENT);
        CHECK_INT(policy_load_file(root, keep_finding, NULL, &p), -EISDIR);
        CHECK_STR(p.name, "b");
}
