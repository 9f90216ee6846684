/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-script.h"
#include "str.h"
#include "test.h"

#define FIND(name, arguments) find(name, arguments, sizeof(arguments))

static const char *find(const char *name, const char *arguments, size_t size) {
        const char *script = process_script_find(name, arguments, size);

        return script ? script : "(none)";
}

TEST(interpreters_are_known_whatever_their_version) {
        static const char *const are[] = { "python3", "python3.11", "python", "pypy3", "bash", "sh", "perl5.36.0", "node", "gjs-console", "lua5.4" };
        static const char *const are_not[] = { "", "cat", "python3-config", "pythonic", "shell", "shuf", "nodejsx", "3.11", "bashful" };

        for (size_t i = 0; i < ARRAY_SIZE(are); i++)
                CHECK(process_script_is_interpreter(are[i]));
        for (size_t i = 0; i < ARRAY_SIZE(are_not); i++)
                CHECK(!process_script_is_interpreter(are_not[i]));
}

TEST(a_script_is_what_comes_behind_the_options_and_their_values) {
        CHECK_STR(FIND("python3", "python3\0/usr/bin/meld\0--diff"), "/usr/bin/meld");
        CHECK_STR(FIND("python3.11", "python3.11\0-I\0-W\0ignore\0-X\0dev\0a.py\0-c"), "a.py");
        CHECK_STR(FIND("python3", "python3\0-m\0http.server\0" "8000"), "http.server");
        CHECK_STR(FIND("python3", "python3\0--check-hash-based-pycs\0never\0x"), "x");
        CHECK_STR(FIND("bash", "/bin/bash\0-eu\0+O\0extglob\0/usr/bin/soffice"), "/usr/bin/soffice");
        CHECK_STR(FIND("bash", "bash\0--\0-odd"), "-odd");
        CHECK_STR(FIND("node", "node\0--require\0./hook.js\0server.js"), "server.js");
        CHECK_STR(FIND("perl", "perl\0-w\0tool.pl"), "tool.pl");
}

TEST(a_command_that_is_given_as_text_or_read_from_the_input_is_no_script) {
        CHECK_STR(FIND("python3", "python3"), "(none)");
        CHECK_STR(FIND("python3", "python3\0-c\0import os"), "(none)");
        CHECK_STR(FIND("python3", "python3\0-Sc\0import os"), "(none)");
        CHECK_STR(FIND("python3", "python3\0-\0x"), "(none)");
        CHECK_STR(FIND("python3", "python3\0-m"), "(none)");
        CHECK_STR(FIND("bash", "bash\0-lc\0exec x"), "(none)");
        CHECK_STR(FIND("sh", "sh\0-s\0x"), "(none)");
        CHECK_STR(FIND("perl", "perl\0-ne\0print"), "(none)");
        CHECK_STR(FIND("node", "node\0--eval\0" "1"), "(none)");
        CHECK_STR(FIND("cat", "cat\0/etc/passwd"), "(none)");
}

TEST(what_has_no_end_is_no_script) {
        CHECK(!process_script_find("sh", "", 0));
        CHECK(!process_script_find("sh", "sh", 2));
        CHECK(!process_script_find("sh", "sh\0script", 9));
        CHECK_STR(find("sh", "sh\0script\0mo", 12), "script");
}
