#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the documents name exists: files, commands, verbs; and what exists is documented."""
import glob
import os
import re
import subprocess
import unittest

SOURCE = os.environ["BRIO_SOURCE"]
BUILD = os.environ["BRIO_BUILD"]


def documents():
    for pattern in ("*.md", "docs/*.md", "docs/how-to/*.md", "*/README.md"):
        yield from glob.glob(os.path.join(SOURCE, pattern))


def read(path):
    with open(path if os.path.isabs(path) else os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def code_of(text):
    """The code in a document: fenced blocks and `spans`."""
    fenced = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return "\n".join(fenced + spans)


def verbs():
    """brioctl's verbs, as it lists them itself."""
    result = subprocess.run([BUILD + "/cli/brioctl", "--help"], capture_output=True, text=True, check=True)
    return set(re.findall(r"^  ([a-z]+)\b", result.stdout, re.MULTILINE))


class Documents(unittest.TestCase):
    def test_the_main_ones_are_there(self):
        for name in ("README.md", "CONTRIBUTING.md", "NEWS.md", "LICENSE", "docs/ARCHITECTURE.md"):
            self.assertTrue(os.path.isfile(os.path.join(SOURCE, name)), name)

    def test_links_lead_somewhere(self):
        for document in documents():
            text = re.sub(r"```.*?```", "", read(document), flags=re.DOTALL)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", target) or target.startswith("#"):
                    continue
                path = os.path.join(os.path.dirname(document), target.split("#")[0])
                self.assertTrue(os.path.exists(path), "%s: %s" % (document, target))

    def test_dev_commands_exist(self):
        usage = subprocess.run([SOURCE + "/dev", "--help"], capture_output=True, text=True, check=True).stdout
        commands = set(re.findall(r"^  ([a-z]+) ", usage, re.MULTILINE))
        self.assertIn("test", commands)
        for document in documents():
            for command in re.findall(r"\./dev ([a-z]+)", code_of(read(document))):
                self.assertIn(command, commands, document)

    def test_figures_of_the_readme_stand_in_the_results_beside_the_command(self):
        rows = re.findall(r"^\| (?P<cells>.+) \| \[`\./dev bench (?P<name>\w+(?: --real)?)`\]\((?P<page>docs/results/\S+)\) \|$", read("README.md"), re.MULTILINE)
        self.assertGreater(len(rows), 5)
        for cells, name, page in rows:
            results = read(page)
            self.assertIn("./dev bench " + name, results, page)
            for figure in re.findall(r"\d+(?:\.\d+)?", cells.split(" | ", 1)[1]):
                self.assertRegex(results, r"(?<![\d.])%s(?![\d]|\.\d)" % re.escape(figure), cells)

    def test_the_readme_shows_what_the_demo_prints(self):
        shown = re.search(r"```\n(1\. .*?)```", read("README.md"), re.DOTALL).group(1)
        program = read("tools/demo.py")
        for words in re.findall(r"^  ([A-Za-z][a-z ]*?)(?: \(|  )", shown, re.MULTILINE) + re.findall(r"^\d\. ([^(]*)", shown, re.MULTILINE):
            self.assertIn(words, program)
        self.assertEqual(len(re.findall(r"^  (?:idle drive|kernel default|bfq alone|Brio)\b.* s\b", shown, re.MULTILINE)), 10)

    def test_the_readme_is_short(self):
        self.assertLess(len(read("README.md").split()), 1250)

    def test_each_promise_of_safety_has_tests_that_exist(self):
        known = set()
        for pattern, definition in (("*.c", r"^TEST\((\w+)\)"), ("*.py", r"^ +def test_(\w+)\(")):
            for file in glob.glob(os.path.join(SOURCE, "tests", "**", pattern), recursive=True):
                known.update(re.findall(definition, read(file), re.MULTILINE))
        rows = re.findall(r"^\| (?!promise|---)(.+?) \| (.+) \|$", read("docs/safety.md").split("\n## ")[0], re.MULTILINE)
        self.assertGreater(len(rows), 15)
        for promise, tests in rows:
            named = re.findall(r"`(\w+)`", tests)
            self.assertTrue(named, promise)
            self.assertEqual([], [name for name in named if name not in known], promise)

    def test_brioctl_verbs_exist(self):
        known = verbs()
        self.assertIn("status", known)
        for document in documents():
            for verb in re.findall(r"\bbrioctl ([a-z]+)\b", code_of(read(document))):
                self.assertIn(verb, known, document)

    def test_each_verb_is_in_the_manual_and_in_a_test(self):
        manual = read("docs/brioctl.1.scd")
        tests = "".join(read(path) for path in glob.glob(SOURCE + "/tests/cli/*.py"))
        for verb in verbs() - {"help"}:
            self.assertRegex(manual, r"\*%s\b" % verb)
            self.assertRegex(tests, r"\b%s\b" % verb)

    def test_each_tunable_is_explained(self):
        names = re.findall(r'^\s*\[TUNABLE_\w+\] = \{ \w+, "(\w+)"', read("core/tunable.c"), re.MULTILINE)
        self.assertGreater(len(names), 20)
        explained = read("docs/tunables.md")
        self.assertEqual([name for name in names if not re.search(r"\| `%s` " % name, explained)], [])

    def test_paths_in_the_architecture_exist(self):
        for path in re.findall(r"`((?:common|core|daemon|cli|gui|policies|data|docs|tests|bench|tools|udev-rules)/[\w./-]*)`",
                               read("docs/ARCHITECTURE.md")):
            self.assertTrue(os.path.exists(os.path.join(SOURCE, path)), path)


if __name__ == "__main__":
    unittest.main()
