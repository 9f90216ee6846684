#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripts are clean by shellcheck, and the texts by codespell."""
import ast
import glob
import os
import re
import subprocess
import sys
import unittest

SOURCE = os.environ["BRIO_SOURCE"]
PROSE = ("*.md", "*/*.md", "docs/*.scd", "data/*.xml", "data/*.in", "data/*.conf", "policies/*.conf", "*/*.[ch]", "tests/*/*.[ch]",
         "tests/*/*.py", "tools/*")


def run(*command):
    return subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)


def shell_scripts():
    scripts = ["dev", ".ci/run", "packaging/arch/PKGBUILD", "packaging/arch/briod.install", "debian/tests/purge", "debian/tests/tune"]
    for pattern in ("tools/*.sh", "tests/*/*.sh", "debian/tests/*.sh"):
        scripts += glob.glob(pattern, root_dir=SOURCE)
    for path in filter(os.path.isfile, glob.glob(SOURCE + "/bench/*")):
        with open(path, "rb") as file:
            if file.readline().rstrip().endswith((b"/sh", b"/bash", b"env bash")):
                scripts.append(path)
    return scripts


def python_sources():
    sources = [path for pattern in ("bench/**/*.py", "tests/**/*.py", "tools/*.py") for path in glob.glob(pattern, root_dir=SOURCE, recursive=True)]
    for path in filter(os.path.isfile, glob.glob(SOURCE + "/bench/*")):
        with open(path, "rb") as file:
            if b"python" in file.readline():
                sources.append(path)
    return sources


def test_classes(path):
    """Those with tests, their own or inherited, that no other class of the file is made of."""
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        classes = {node.name: node for node in ast.parse(file.read()).body if isinstance(node, ast.ClassDef)}
    bases = {name: [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in classes] for name, node in classes.items()}

    def has_tests(name):
        own = [node.name for node in classes[name].body if isinstance(node, ast.FunctionDef)]
        return any(method.startswith("test_") for method in own) or any(map(has_tests, bases[name]))
    return {name for name in classes if has_tests(name)} - set(sum(bases.values(), []))


class Scripts(unittest.TestCase):
    def test_shellcheck_finds_nothing(self):
        result = run("shellcheck", "-x", *shell_scripts())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_no_pipe_ends_in_a_grep_that_stops_reading(self):
        """grep -q leaves at the first match; under pipefail the writer's SIGPIPE then makes a match a failure, now and then."""
        for path in shell_scripts():
            with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
                self.assertIsNone(re.search(r"\|\s*grep\s+-\w*q", file.read()), path)

    def test_codespell_finds_nothing(self):
        files = [path for pattern in PROSE for path in glob.glob(pattern, root_dir=SOURCE)]
        files = [path for path in files if os.path.isfile(os.path.join(SOURCE, path)) and "/build" not in "/" + path]
        result = run("codespell", *files)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_each_class_of_tests_is_run_where_those_to_run_are_named(self):
        for path in glob.glob("tests/*/test-*.py", root_dir=SOURCE):
            with open(os.path.join(SOURCE, os.path.dirname(path), "meson.build"), encoding="utf-8") as file:
                build = file.read()
            classes = test_classes(path)
            named = {name for name in classes if f"'{name}'" in build}
            self.assertIn(named, (set(), classes), path)

    def test_each_class_of_tests_that_is_named_is_there(self):
        for path in glob.glob("tests/*/meson.build", root_dir=SOURCE):
            with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
                named = re.findall(r"^foreach class : \[(.*?)\]", file.read(), re.MULTILINE | re.DOTALL)
            there = set()
            for script in glob.glob(os.path.dirname(path) + "/test-*.py", root_dir=SOURCE):
                with open(os.path.join(SOURCE, script), encoding="utf-8") as file:
                    there.update(re.findall(r"^class (\w+)", file.read(), re.MULTILINE))
            self.assertLessEqual(set(re.findall(r"'(\w+)'", " ".join(named))), there, path)

    def test_pyflakes_finds_nothing(self):
        """Neither a name that hides a module, nor an import without use."""
        result = run(sys.executable, "-m", "pyflakes", *python_sources())
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)


if __name__ == "__main__":
    unittest.main()
