#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/test-summary.py: what it counts, and what it fails on."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["BRIO_SOURCE"]


class Summary(unittest.TestCase):
    def setUp(self):
        self.dir = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-summary-"))

    def run_on(self, *tests, expected="loop no loop devices *\n", seconds=None, label=""):
        """tests: (suite, stdout, stderr, result)"""
        for part in ("meson-logs", "meson-info"):
            os.makedirs(os.path.join(self.dir, part), exist_ok=True)
        with open(self.dir + "/meson-logs/testlog.json", "w", encoding="utf-8") as log:
            for i, (suite, stdout, stderr, result) in enumerate(tests):
                log.write(json.dumps({"name": "brio:%s / t%d" % (suite, i), "stdout": stdout, "stderr": stderr, "result": result,
                                      "duration": seconds[i] if seconds else 0.1}) + "\n")
        with open(self.dir + "/meson-info/intro-tests.json", "w", encoding="utf-8") as plan:
            json.dump([{"name": "t%d" % i, "suite": ["brio:" + t[0]]} for i, t in enumerate(tests)], plan)
        with open(self.dir + "/expected", "w", encoding="utf-8") as file:
            file.write(expected)
        run = subprocess.run([sys.executable, SOURCE + "/tools/test-summary.py", "--expected", self.dir + "/expected",
                              label + self.dir + "/meson-logs/testlog.json"], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def assert_closes(self, answer, status, line):
        self.assertEqual(answer[0], status, answer[1])
        self.assertEqual(answer[1].strip().splitlines()[-1], line)

    def test_cases_are_counted(self):
        tap = "ok 1 - a\nok 2 - b\n1..2\n"
        unit = "test_a (x.X) ... ok\n\n------\nRan 3 tests in 0.1s\n\nOK\n"
        self.assert_closes(self.run_on(("unit", tap, "", "OK"), ("cli", "", unit, "OK"), ("style", "fine\n", "", "OK")), 0,
                           "6 passed, 0 skipped (0 not expected), 0 failed")

    def test_failures_fail(self):
        self.assert_closes(self.run_on(("unit", "ok 1 - a\nnot ok 2 - b\n1..2\n", "", "FAIL")), 1,
                           "1 passed, 0 skipped (0 not expected), 1 failed")
        self.assert_closes(self.run_on(("cli", "", "FAIL: test_a (x)\nRan 3 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n", "FAIL")), 1,
                           "1 passed, 0 skipped (0 not expected), 2 failed")

    def test_a_failed_check_is_shown(self):
        text = self.run_on(("unit", "# seed 7\nok 1 - a\n# t.c:3: n == 1\nnot ok 2 - b\n1..2\n", "", "FAIL"))[1]
        self.assertRegex(text, r"FAILED: .*: unit / t0: b: t.c:3: n == 1\n")

    def test_what_a_failed_case_raised_is_shown(self):
        text = """test_a (x.X.test_a) ... FAIL
======================================================================
FAIL: test_a (x.X.test_a) [kill]
What it claims.
----------------------------------------------------------------------
Traceback (most recent call last):
  File "x.py", line 3, in test_a
    self.assertEqual([], left)
AssertionError: Lists differ: [] != ['loop7']

----------------------------------------------------------------------
Ran 1 test in 0.5s

FAILED (failures=1)
"""
        self.assertRegex(self.run_on(("loop", "", text, "FAIL"))[1], r"FAILED: .*: loop / t0: test_a: AssertionError: Lists differ: \[\] != \['loop7'\]\n")

    def test_what_a_test_has_found_out_is_shown(self):
        said = "# seed 7\n## 300 kills, seed 7\nRan 1 test in 0.1s\n\nOK\n"
        status, text = self.run_on(("loop", said, "", "OK"))
        self.assertEqual(status, 0, text)
        self.assertIn("  loop/t0: 300 kills, seed 7\n", text)
        self.assertNotIn("# seed", text)

    def test_what_fails_before_the_first_case_makes_no_number_below_zero(self):
        text = "ERROR: setUpClass (x.X)\n\nRan 0 tests in 0.1s\n\nFAILED (errors=1)\n"
        self.assert_closes(self.run_on(("package", "", text, "FAIL")), 1, "0 passed, 0 skipped (0 not expected), 1 failed")

    def test_the_seconds_of_each_suite_and_the_slowest_tests_are_told(self):
        tests = [("unit", "ok 1 - a\n1..1\n", "", "OK")] * 12
        status, text = self.run_on(*tests, seconds=range(12))
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"unit +12 +0 +0 +66\n")
        self.assertEqual(re.findall(r"slowest: +(\S+) s  (.*)", text)[::9], [("11.0", "%s: unit / t11" % os.path.basename(self.dir)),
                                                                             ("2.0", "%s: unit / t2" % os.path.basename(self.dir))])

    def test_a_build_is_called_by_its_label(self):
        status, text = self.run_on(("unit", "ok 1 - a\n1..1\n", "", "OK"), label="Debian-13=")
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"  Debian-13 +unit +1 ")

    def test_a_crash_after_the_last_case_fails(self):
        self.assert_closes(self.run_on(("unit", "ok 1 - a\n", "", "ERROR")), 1, "0 passed, 0 skipped (0 not expected), 1 failed")

    def test_a_crash_is_told_with_what_the_program_wrote_last(self):
        _, text = self.run_on(("gui", "ok 1 - a\nok 2 - b\n", "dbus-daemon: no limit\nGtk-WARNING: no allocation\nTrace/breakpoint trap\n", "ERROR"))
        self.assertIn("gui / t0: (the program: error): ok 1 - a: ok 2 - b: Gtk-WARNING: no allocation: Trace/breakpoint trap", text)
        self.assertNotIn("no limit", text)

    def test_a_timeout_fails(self):
        self.assert_closes(self.run_on(("unit", "", "", "TIMEOUT")), 1, "0 passed, 0 skipped (0 not expected), 1 failed")

    def test_an_expected_skip_is_shown_and_passes(self):
        status, text = self.run_on(("loop", "ok 1 - a\nok 2 - b # SKIP no loop devices here\n1..2\n", "", "OK"))
        self.assertEqual(status, 0, text)
        self.assertIn("1 in loop/t0: no loop devices here", text)

    def test_a_skip_keeps_its_reason_behind_other_output(self):
        stderr = "test_a (x.X) ... dbus-daemon[7]: no\nskipped 'no loop devices here'\n\nRan 2 tests in 0.1s\n\nOK (skipped=1)\n"
        self.assert_closes(self.run_on(("loop", "", stderr, "OK")), 0, "1 passed, 1 skipped (0 not expected), 0 failed")

    def test_an_unexpected_skip_fails(self):
        for stdout, stderr, result in (("ok 1 - a\nok 2 - b # SKIP too tired\n1..2\n", "", "OK"),
                                       ("", "test_a (x.X) ... skipped 'too tired'\n\nRan 2 tests in 0.1s\n\nOK (skipped=1)\n", "OK"),
                                       ("", "s.\nRan 2 tests in 0.1s\n\nOK (skipped=1)\n", "OK"),
                                       ("too tired\n", "", "SKIP")):
            tests = [("unit", "ok 1 - x\n", "", "OK"), ("loop", stdout, stderr, result)]
            status, text = self.run_on(*tests)
            self.assertEqual(status, 1, text)
            self.assertIn("(1 not expected), 0 failed", text)

    def test_an_expected_reason_counts_in_its_suite_only(self):
        skip = "ok 1 - a\nok 2 - b # SKIP no loop devices here\n1..2\n"
        self.assertEqual(self.run_on(("unit", skip, "", "OK"))[0], 1)
        self.assertEqual(self.run_on(("unit", skip, "", "OK"), expected="* no loop*\n")[0], 0)

    def test_a_test_of_several_suites_counts_in_its_directorys(self):
        skip = "ok 1 - a\nok 2 - b # SKIP no loop devices here\n1..2\n"
        status, text = self.run_on(("loop+events", skip, "", "OK"))
        self.assertEqual(status, 0, text)
        self.assertNotIn("events", text)

    def test_nothing_run_fails(self):
        self.assertEqual(self.run_on()[0], 1)


if __name__ == "__main__":
    unittest.main()
