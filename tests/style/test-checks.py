#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks find what they are for: each case breaks one rule in a small tree."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["BRIO_SOURCE"]
# REUSE-IgnoreStart
SPDX = "/* SPDX-License-Identifier: GPL-3.0-or-later */\n"
GOOD = SPDX + "int one(void) {\n        return 1;\n}\n"
# REUSE-IgnoreEnd


class Tree(unittest.TestCase):
    def setUp(self):
        self.tree = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-style-"))

    def write(self, path, text):
        full = os.path.join(self.tree, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        return full


class CheckSource(Tree):
    def check(self, path, text, *options):
        self.write("core/good.c", GOOD)
        self.write(path, text)
        return subprocess.run([sys.executable, SOURCE + "/tools/check-source.py", *options, self.tree],
                              capture_output=True, text=True, check=False)

    def assert_offence(self, path, text, words):
        result = self.check(path, text)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(words, result.stdout)

    def test_a_good_tree_passes(self):
        result = self.check("core/also.c", GOOD)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_an_empty_tree_is_no_success(self):
        os.makedirs(self.tree + "/empty")
        result = subprocess.run([sys.executable, SOURCE + "/tools/check-source.py", self.tree + "/empty"],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)

    def test_the_licence_comes_first(self):
        self.assert_offence("core/a.c", "\n" + GOOD, "core/a.c:1: licence")
        self.assert_offence("tools/a.py", "import os\n", "tools/a.py:1: licence")

    def test_what_runs_in_the_kernel_has_a_licence_that_goes_with_its(self):
        self.assert_offence("daemon/bpf/a.c", GOOD, "daemon/bpf/a.c:1: licence")
        result = self.check("daemon/bpf/a.c", GOOD.replace("GPL-3.0", "GPL-2.0"))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assert_offence("daemon/a.c", GOOD.replace("GPL-3.0", "GPL-2.0"), "daemon/a.c:1: licence")

    def test_what_catalogues_copy_is_free_of_conditions(self):
        text = "<!-- %s -->\n" % SPDX.strip("/* \n")
        self.assert_offence("data/a.metainfo.xml.in", text, "data/a.metainfo.xml.in:1: licence")
        result = self.check("data/a.metainfo.xml.in", text.replace("GPL-3.0-or-later", "CC0-1.0"))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_forbidden_functions(self):
        for call in ("atoi(s)", "strtol(s, 0, 10)", "sprintf(b, s)", "strcat(b, s)", "system(s)"):
            self.assert_offence("core/a.c", SPDX + "int f(const char *s) {\n        return %s;\n}\n" % call, "core/a.c:3: R11")

    def test_names_in_comments_and_strings_are_no_calls(self):
        result = self.check("core/a.c", SPDX + "/* atoi(x) */\nconst char *f(void) {\n        return \"atoi(x)\";\n}\n")
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_descriptors_close_on_exec(self):
        self.assert_offence("daemon/a.c", SPDX + 'int f(void) {\n        return open("x", O_RDONLY);\n}\n', "a.c:3: R11: open()")
        self.assert_offence("daemon/a.c", SPDX + 'FILE *f(void) {\n        return fopen("x", "r");\n}\n', "a.c:3: R11: fopen()")
        for call in ('open("x",\n                    O_RDONLY | O_CLOEXEC)', 'fopen("x", "re")'):
            result = self.check("daemon/a.c", SPDX + "int f(void) {\n        return %s;\n}\n" % call)
            self.assertEqual(result.returncode, 0, result.stdout)

    def test_nothing_is_changed_within_what_evaluates_twice(self):
        for call in ("MIN(budget_take(b), 3)", "MAX(3,\n                   budget_take(b))", "CLAMP(i++, 0, 3)"):
            self.assert_offence("core/a.c", SPDX + "int f(int *b, int i) {\n        return %s;\n}\n" % call, "core/a.c:3: R11")
        result = self.check("core/a.c", SPDX + "int f(int *b) {\n        int t = budget_take(b);\n        return MIN(t, 3);\n}\n")
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_layers(self):
        self.write("daemon/sysfs.h", SPDX + "#pragma once\n")
        self.assert_offence("core/a.c", SPDX + '#include "sysfs.h"\n', "a.c:2: R2: core/ must not include daemon/sysfs.h")
        self.assert_offence("gui/a.c", SPDX + '#include "sysfs.h"\n', "a.c:2: R2")
        self.assert_offence("core/a.c", SPDX + "#include <time.h>\n", "a.c:2: R2: core/ must not include <time.h>")

    def test_no_default_over_our_own_enum(self):
        switch = ("enum law { LAW_A, LAW_B };\nint f(enum law l) {\n        switch (l) {\n        case LAW_A:\n"
                  "                return 1;\n        default:\n                return 0;\n        }\n}\n")
        self.assert_offence("core/a.c", SPDX + switch, "core/a.c:7: R7")
        foreign = switch.replace("enum law { LAW_A, LAW_B };\n", "")
        result = self.check("core/a.c", SPDX + foreign)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_layout(self):
        self.assert_offence("core/a.c", GOOD.replace("1;", "1; "), "a.c:3: layout: blanks")
        self.assert_offence("core/a.c", GOOD.replace("        ", "\t"), "a.c:3: layout: a tab")
        self.assert_offence("core/a.c", GOOD + "/* " + "long " * 40 + "*/\n", "a.c:5: layout: 205 columns")
        self.assert_offence("core/a.c", GOOD.rstrip("\n"), "a.c:4: layout: no newline")
        self.assert_offence("core/a.h", SPDX + "int one(void);\n", "pragma once")
        self.assertNotIn("precompiled", self.check("gui/precompiled/a.h", SPDX + "#include <gtk/gtk.h>\n").stdout)

    def test_long_functions_are_advice(self):
        body = "        one();\n" * 61
        result = self.check("core/a.c", SPDX + "void f(void) {\n" + body + "}\n", "--advice")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("core/a.c:2: advice (R1): f() has 63 lines", result.stdout)

    def test_deep_nesting_is_advice(self):
        lines = ["        " * i + "if (x)" for i in range(1, 5)]
        result = self.check("core/a.c", SPDX + "void f(int x) {\n" + "\n".join(lines) + "\n" + " " * 40 + "one();\n}\n", "--advice")
        self.assertIn("f() nests 4 deep", result.stdout)


class CheckCorePure(Tree):
    def build(self, core):
        def archive(name, text):
            self.write(name + ".c", text)
            subprocess.run(["cc", "-fPIC", "-O0", "-c", name + ".c", "-o", name + ".c.o"], cwd=self.tree, check=True)
            subprocess.run(["ar", "rcs", "lib%s.a" % name, name + ".c.o"], cwd=self.tree, check=True)

        archive("common", "#include <string.h>\nint helper(const char *s) { return (int) strlen(s); }\n")
        archive("core", core)
        return subprocess.run([SOURCE + "/tools/check-core-pure.sh", "libcommon.a", "libcore.a"], cwd=self.tree,
                              capture_output=True, text=True, check=False)

    def test_text_memory_and_common_are_pure(self):
        result = self.build("#include <stdlib.h>\n#include <string.h>\nint helper(const char *s);\n"
                            "static const char *const table[] = { \"a\", \"b\" };\n"
                            "int f(int i) { char *s = strdup(table[i]); int n = helper(s); free(s); return n; }\n")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_clock_file_and_log_are_not(self):
        for call, name in (("#include <time.h>\nlong f(void) { return (long) time(0); }", "time"),
                           ("#include <stdio.h>\nvoid f(void) { puts(\"x\"); }", "puts"),
                           ("#include <fcntl.h>\nint f(void) { return open(\"x\", 0); }", "open"),
                           ("#include <stdlib.h>\nint f(void) { return rand(); }", "rand")):
            result = self.build(call + "\n")
            self.assertEqual(result.returncode, 1, call)
            self.assertIn("  %s\n" % name, result.stderr)

    def test_variables_outlive_a_call(self):
        for variable in ("static int n;", "static int n = 5;"):
            result = self.build("#include <stdlib.h>\n%s\nint f(void) { return abs(n++); }\nvoid *g(void) { return malloc(1); }\n" % variable)
            self.assertEqual(result.returncode, 1, variable)
            self.assertIn("outlive", result.stderr)

    def test_an_empty_core_is_no_success(self):
        self.assertEqual(self.build("typedef int nothing;\n").returncode, 1)


if __name__ == "__main__":
    unittest.main()
