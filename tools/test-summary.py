#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the cases in meson's test logs, adds up how long each suite's tests took one by one, and judges the skips.

usage: test-summary.py --expected FILE [LABEL=]LOG...

LABEL: what the log's build is called; default: its directory's name.
Exit status: 0 where nothing failed and every skip is expected; 1 otherwise.
"""
import argparse
import collections
import fnmatch
import json
import os
import re
import sys

TAP_LINE = re.compile(r"^(not )?ok\b\s*\d*\s*-?\s*(.*)$")
TAP_DIRECTIVE = re.compile(r"^(.*?)\s*#\s*(skip|todo)\S*\s*(.*)$", re.IGNORECASE)
TAP_PLAN_SKIP = re.compile(r"^1\.\.0\s*#\s*skip\S*\s*(.*)$", re.IGNORECASE)
UNITTEST_TOTAL = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
UNITTEST_END = re.compile(r"^(OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)
# A failed case, and what was raised there last: a traceback's only line that is neither indented nor its first.
UNITTEST_FAILURE = re.compile(r"^(?:FAIL|ERROR): (\S+).*\n(?:.*\n){0,3}?-{70}\n(?:(?:Traceback| ).*\n|\n)*(.*)", re.MULTILINE)
# What a test has found out, and not only whether: shown with the counts.
SAID = re.compile(r"^## (.*)$", re.MULTILINE)
# On a line of its own where something else has written to the test's.
UNITTEST_SKIP = re.compile(r"^(?:(.*?)\s*\.\.\. )?skipped ['\"](.*)['\"]$", re.MULTILINE)

SLOWEST = 10
RAISED_CHARS = 400
LAST_LINES = 2
Counts = collections.namedtuple("Counts", "passed failed skips")  # skips: [(case, reason)]


def count_tap(test):
    passed, failed, skips, comment = 0, [], [], ""
    for line in test["stdout"].splitlines():
        if line.startswith("# "):
            comment = line[1:] # of what failed, the test says where and what
        plan = TAP_PLAN_SKIP.match(line)
        if plan:
            skips.append(("all", plan.group(1)))
        case = TAP_LINE.match(line)
        if not case:
            continue
        directive = TAP_DIRECTIVE.match(case.group(2))
        if directive and directive.group(2).lower() == "skip":
            skips.append((directive.group(1), directive.group(3)))
        elif case.group(1):
            failed.append(case.group(2) + (":" + comment if comment else ""))
        else:
            passed += 1
        comment = ""
    return Counts(passed, failed, skips)


def count_unittest(test):
    output = test["stdout"] + "\n" + test.get("stderr", "")
    total = sum(int(n) for n in UNITTEST_TOTAL.findall(output))
    skips = UNITTEST_SKIP.findall(output)
    failed, skipped = 0, 0
    for _, details in UNITTEST_END.findall(output):
        numbers = dict(part.split("=") for part in details.split(", ") if "=" in part)
        failed += int(numbers.get("failures", 0)) + int(numbers.get("errors", 0))
        skipped += int(numbers.get("skipped", 0))
    # Without -v the reasons are not printed: such skips are never expected.
    skips += [("?", "(no reason printed)")] * (skipped - len(skips))
    names = [(name + ": " + raised)[:RAISED_CHARS] for name, raised in UNITTEST_FAILURE.findall(output)]
    # What fails before a class's first case is no case.
    return Counts(max(total - failed - skipped, 0), names + ["?"] * (failed - len(names)), skips)


def count_whole(test):
    if test["result"] == "SKIP":
        lines = (test["stdout"] + "\n" + test.get("stderr", "")).strip().splitlines()
        return Counts(0, [], [("all", lines[-1] if lines else "(no reason printed)")])
    return Counts(1, [], [])


def quote_last_lines(test):
    """What a program that died wrote last: a library's warning, the case before it, what its shell says of the signal."""
    lines = [line.strip() for part in (test["stdout"], test.get("stderr", "")) for line in part.strip().splitlines()[-LAST_LINES:]]
    return "".join(": " + line for line in lines)[:RAISED_CHARS]


def count(test):
    output = test["stdout"] + "\n" + test.get("stderr", "")
    if UNITTEST_TOTAL.search(output):
        counts = count_unittest(test)
    elif any(TAP_LINE.match(line) or TAP_PLAN_SKIP.match(line) for line in test["stdout"].splitlines()):
        counts = count_tap(test)
    else:
        counts = count_whole(test)
    # A crash after its last case, a timeout, a wrong plan: failures that no case reports.
    if test["result"] not in ("OK", "SKIP", "EXPECTEDFAIL") and not counts.failed:
        counts = counts._replace(failed=["(the program: %s)%s" % (test["result"].lower(), quote_last_lines(test))],
                                 passed=0 if counts.passed == 1 and not counts.skips else counts.passed)
    return counts


def read_expected(path):
    """Lines `SUITE REASON`, with * for any text; # starts a comment."""
    patterns = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            suite, _, reason = line.partition(" ")
            if not reason.strip():
                sys.exit("%s:%d: a suite and a reason are needed" % (path, number))
            patterns.append((suite, reason.strip()))
    return patterns


def read_log(path):
    """Yields suite, name, test. meson's log names the suite only where several ran; its plan knows it always."""
    plan = os.path.join(os.path.dirname(path), "..", "meson-info", "intro-tests.json")
    with open(plan, encoding="utf-8") as file:
        suites = {test["name"]: test["suite"][0].split(":")[-1] for test in json.load(file) if test["suite"]}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            test = json.loads(line)
            test["stdout"] = test.get("stdout") or ""
            test["stderr"] = test.get("stderr") or ""
            suite, _, name = test["name"].rpartition(" / ")
            # A test of several suites counts in the first, its directory's.
            yield suite.split(":")[-1].split("+")[0] or suites.get(name, "other"), name, test


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2][len("usage: "):])
    parser.add_argument("--expected", required=True)
    parser.add_argument("logs", nargs="+")
    args = parser.parse_args()
    patterns = read_expected(args.expected)

    rows, failures, skipped, said, seconds = collections.OrderedDict(), [], collections.Counter(), [], {}
    for path in args.logs:
        build, _, path = path.rpartition("=")
        build = build or os.path.basename(os.path.dirname(os.path.dirname(os.path.abspath(path))))
        for suite, name, test in read_log(path):
            counts = count(test)
            row = rows.setdefault((build, suite), [0, 0, 0, 0])
            row[0] += counts.passed
            row[1] += len(counts.skips)
            row[2] += len(counts.failed)
            row[3] += test.get("duration", 0)
            seconds["%s: %s / %s" % (build, suite, name)] = test.get("duration", 0)
            said += ["%s/%s: %s" % (suite, name, text) for text in SAID.findall(test["stdout"])]
            failures += ["%s: %s / %s: %s" % (build, suite, name, case) for case in counts.failed]
            for _, reason in counts.skips:
                expected = any(s in ("*", suite) and fnmatch.fnmatchcase(reason, p) for s, p in patterns)
                skipped[(expected, suite + "/" + name, reason)] += 1
    slowest = sorted(seconds.items(), key=lambda item: -item[1])[:SLOWEST]
    return report(rows, slowest, failures, skipped, said)


def report(rows, slowest, failures, skipped, said):
    print("  %-18s %-10s %8s %8s %8s %8s" % ("build", "suite", "passed", "skipped", "failed", "seconds"))
    for (build, suite), row in rows.items():
        print("  %-18s %-10s %8d %8d %8d %8.0f" % (build, suite, *row))
    for name, duration in slowest:
        print("  slowest: %6.1f s  %s" % (duration, name))
    for text in said:
        print("  " + text)
    for (expected, where, reason), number in sorted(skipped.items(), reverse=True):
        print("  skipped%s: %d in %s: %s" % ("" if expected else ", NOT EXPECTED", number, where, reason))
    for failure in failures:
        print("  FAILED: " + failure)
    unexpected = sum(number for (expected, _, _), number in skipped.items() if not expected)
    passed, skips, failed = (sum(row[i] for row in rows.values()) for i in range(3))
    if passed == 0:
        print("  No case ran.")
    print("%d passed, %d skipped (%d not expected), %d failed" % (passed, skips, unexpected, failed))
    return 1 if failed or unexpected or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
