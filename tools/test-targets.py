#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints what ninja has to build for the tests of these suites, a target a line.

usage: test-targets.py BUILD SUITE...
"""
import json
import os
import subprocess
import sys


LOOK_AT_WHAT_IS_INSTALLED = {"package", "style"}


def read(build, name):
    with open(os.path.join(build, "meson-info", "intro-%s.json" % name), encoding="utf-8") as file:
        return json.load(file)


def main():
    build, suites = sys.argv[1], set(sys.argv[2:])
    # What meson.build has gained since the last build has its targets only after this.
    result = subprocess.run(["ninja", "-C", build, "build.ninja"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode != 0:
        sys.exit(result.stdout)
    outputs = {target["id"]: target["filename"] for target in read(build, "targets")}
    wanted = set()
    if suites & LOOK_AT_WHAT_IS_INSTALLED:
        wanted.update(path for target in read(build, "targets") if target["installed"] for path in target["filename"])
    for test in read(build, "tests"):
        if suites & {suite.rpartition(":")[2] for suite in test["suite"]}:
            wanted.update(path for target in test["depends"] for path in outputs[target])
    for path in sorted(wanted):
        print(os.path.relpath(path, os.path.abspath(build)))


if __name__ == "__main__":
    sys.exit(main())
