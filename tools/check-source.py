#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the rules of CONTRIBUTING.md that a program can check.

usage: check-source.py [--advice] [TREE]

Prints FILE:LINE: RULE: sentence for each offence and exits 1 if there is one. --advice lists long functions, long files
and deep nesting, too; those are advice and no offence.
"""
import argparse
import os
import re
import subprocess
import sys

WIDTH = 130        # aimed for
WIDTH_MAX = 170    # refused: there is no reading it
FUNCTION_LINES = 60
FILE_LINES = 450
NESTING = 3

TEXT = (".c", ".h", ".py", ".sh", ".md", ".scd", ".build", ".options", ".xml", ".ui", ".in", ".conf", ".rules", ".policy",
        ".desktop", ".css", ".fish", ".bash", ".service")
LICENSED = tuple(ending for ending in TEXT if ending != ".md")
# REUSE-IgnoreStart
SPDX = "SPDX-License-Identifier: GPL-3.0-or-later"
# Files with a licence of their own, as debian/copyright has them.
SPDX_OF = (
    # What runs in the kernel has to go with the kernel's licence, which is version 2 alone.
    (re.compile(r"^daemon/bpf/.*\.[ch]$"), "SPDX-License-Identifier: GPL-2.0-or-later"),
    # Software centres copy it into their catalogues.
    (re.compile(r"\.metainfo\.xml\.in$"), "SPDX-License-Identifier: CC0-1.0"),
)
# REUSE-IgnoreEnd
# Recorded machines and golden outputs are what they are.
DATA = re.compile(r"^tests/[^/]+/.*/|^docs/images/")

# directory: whose headers it may include ("quotes")
LAYERS = {
    "common": {"common"},
    "core": {"common", "core"},
    "daemon": {"common", "core", "daemon"},
    "cli": {"common", "core", "cli"},
    "gui": {"common", "gui"},
    "session": {"common", "session"},
}
# The command checks and lists policies with the daemon's own reader, or its answers would differ.
EXTRA_INCLUDES = {"cli": {"policy-load.h", "log.h"}}
IMPURE_HEADERS = re.compile(r"<(time|unistd|fcntl|signal|syslog|pthread|poll|dirent|locale|libudev|ini)\.h>"
                            r"|<(systemd|linux|sys|json-c)/(?!types\.h)")

FORBIDDEN = {
    "strtol": "common/str.h", "strtoul": "common/str.h", "strtoll": "common/str.h", "strtoull": "common/str.h",
    "strtod": "common/str.h", "atoi": "common/str.h", "atol": "common/str.h", "atoll": "common/str.h", "atof": "common/str.h",
    "sprintf": "snprintf", "vsprintf": "vsnprintf", "strcpy": "str_copy", "strcat": "snprintf",
    "strncpy": "str_copy", "strncat": "snprintf", "gets": "fgets", "alloca": "malloc", "strtok": "strsep",
    "system": "posix_spawn",
    "popen": "posix_spawn", "tmpnam": "mkstemp", "mktemp": "mkostemp", "pipe": "pipe2", "dup": "fcntl(F_DUPFD_CLOEXEC)",
    "dup2": "dup3", "accept": "accept4", "epoll_create": "epoll_create1", "inotify_init": "inotify_init1", "mkstemp": "mkostemp",
}
# Macros, and what must not be done twice.
EVALUATE_TWICE = ("MIN", "MAX", "CLAMP")
CHANGES = re.compile(r"\+\+|--|\b\w+_take(?=\()")
# function: what its call must contain, so that no child inherits the descriptor
CLOEXEC = {
    "open": "O_CLOEXEC", "openat": "O_CLOEXEC", "pipe2": "O_CLOEXEC", "dup3": "O_CLOEXEC", "mkostemp": "O_CLOEXEC",
    "socket": "SOCK_CLOEXEC", "socketpair": "SOCK_CLOEXEC", "accept4": "SOCK_CLOEXEC", "epoll_create1": "EPOLL_CLOEXEC",
    "eventfd": "EFD_CLOEXEC", "timerfd_create": "TFD_CLOEXEC", "signalfd": "SFD_CLOEXEC", "memfd_create": "MFD_CLOEXEC",
    "inotify_init1": "IN_CLOEXEC",
}


def blank(match):
    """Comments and string contents, as spaces: positions and lines stay."""
    text = match.group(0)
    if text.startswith(('"', "'")):
        return text[0] + re.sub(r"[^\n]", " ", text[1:-1]) + text[-1]
    return re.sub(r"[^\n]", " ", text)


C_LITERAL = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


def code_only(text):
    return C_LITERAL.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def closing(text, position, opens="(", closes=")"):
    """The position behind the bracket that closes the one at position."""
    depth = 0
    for i in range(position, len(text)):
        depth += (text[i] == opens) - (text[i] == closes)
        if depth == 0:
            return i + 1
    return len(text)


class Checker:
    def __init__(self, tree):
        self.tree = tree
        self.offences = []
        self.advice = []
        self.files = sorted(self.list_files())
        self.own_headers = {}  # name: the directories that have it
        for f in self.files:
            if f.endswith(".h"):
                self.own_headers.setdefault(os.path.basename(f), set()).add(f.split("/")[0])
        self.texts = {f: self.read(f) for f in self.files}
        self.enumerators = self.find_enumerators()

    def list_files(self):
        git = subprocess.run(["git", "-C", self.tree, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, text=True, check=False)
        if git.returncode == 0:
            files = git.stdout.split("\0")
        else:
            files = [os.path.relpath(os.path.join(d, f), self.tree) for d, _, names in os.walk(self.tree) for f in names]
            files = [f for f in files if not re.match(r"(build[^/]*|\.git)/", f)]
        for file in files:
            path = os.path.join(self.tree, file)
            if file and os.path.isfile(path) and not os.path.islink(path) and not DATA.match(file) and self.is_text(file):
                yield file

    def is_text(self, file):
        if file.endswith(TEXT) or file in ("dev", ".ci/run"):
            return True
        with open(os.path.join(self.tree, file), "rb") as f:
            return f.read(2) == b"#!"

    def read(self, file):
        with open(os.path.join(self.tree, file), encoding="utf-8", errors="surrogateescape") as f:
            return f.read()

    def offend(self, file, line, rule, sentence):
        self.offences.append((file, line, rule, sentence))

    def find_enumerators(self):
        names = set()
        for file, text in self.texts.items():
            if file.endswith((".c", ".h")):
                for body in re.findall(r"\benum\s+\w+\s*\{(.*?)\}", code_only(text), re.DOTALL):
                    names.update(re.findall(r"(?:^|,)\s*([A-Z][A-Z0-9_]+)\b", body))
        return names

    def run(self):
        for file in self.files:
            self.check_text(file)
            if file.endswith((".c", ".h")):
                self.check_c(file)

    def check_text(self, file):
        text = self.texts[file]
        head = "\n".join(text.splitlines()[:6 if file.endswith((".xml", ".policy", ".conf", ".ui")) else 3])
        licence = next((of for pattern, of in SPDX_OF if pattern.search(file)), SPDX)
        if (file.endswith(LICENSED) or not os.path.splitext(file)[1]) and text and licence not in head:
            self.offend(file, 1, "licence", "the file does not begin with " + licence)
        if file.endswith((".c", ".h")) and text and not text.startswith("/* " + licence):
            self.offend(file, 1, "licence", "the first line is not the licence")
        if text and not text.endswith("\n"):
            self.offend(file, text.count("\n") + 1, "layout", "no newline at the end")
        if text.endswith("\n\n"):
            self.offend(file, text.count("\n"), "layout", "empty lines at the end")
        for number, line in enumerate(text.split("\n"), 1):
            self.check_line(file, number, line)

    def check_line(self, file, number, line):
        # A text for people may run over: one searches for it as a whole.
        columns = len(re.sub(r'"(?:\\.|[^"\\])*"', '""', line))
        if line != line.rstrip():
            self.offend(file, number, "layout", "blanks at the end of the line")
        if "\t" in line and file.endswith((".c", ".h", ".py", ".sh", ".build")):
            self.offend(file, number, "layout", "a tab")
        if columns > WIDTH and not file.endswith((".rules", ".md", ".xml", ".fish")) and "://" not in line:
            note = "%d columns, more than %d" % (columns, WIDTH)
            if columns > WIDTH_MAX:
                self.offend(file, number, "layout", note)
            else:
                self.advice.append((file, number, "layout", note))
        if re.search(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b", line):
            self.offend(file, number, "promise", "a note to do something later")

    def check_c(self, file):
        text = self.texts[file]
        code = code_only(text)
        self.check_includes(file, text)
        self.check_calls(file, text, code)
        self.check_switches(file, code)
        self.measure(file, code)
        # One that is precompiled is no header of another file.
        if file.endswith(".h") and "/precompiled/" not in file and "#pragma once" not in code:
            self.offend(file, 1, "layout", "a header without #pragma once")

    def check_includes(self, file, text):
        layer = file.split("/")[0]
        if layer not in LAYERS:
            return
        for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|(<[^>]+>))', text, re.MULTILINE):
            line = line_of(text, match.start())
            name = os.path.basename(match.group(1)) if match.group(1) else None
            owners = self.own_headers.get(name, set())
            if owners and not owners & LAYERS[layer] and name not in EXTRA_INCLUDES.get(layer, ()):
                self.offend(file, line, "R2", "%s/ must not include %s/%s" % (layer, sorted(owners)[0], name))
            if layer == "core" and match.group(2) and IMPURE_HEADERS.match(match.group(2)):
                self.offend(file, line, "R2", "core/ must not include " + match.group(2))

    def check_calls(self, file, text, code):
        for match in re.finditer(r"(?<![\w.>])(\w+)\s*\(", code):
            name = match.group(1)
            line = line_of(code, match.start())
            if name in FORBIDDEN and not (file == "common/str.c" and name.startswith("strto")):
                self.offend(file, line, "R11", "%s(): use %s" % (name, FORBIDDEN[name]))
            if name in CLOEXEC and CLOEXEC[name] not in code[match.end() - 1:closing(code, match.end() - 1)]:
                self.offend(file, line, "R11", "%s() without %s" % (name, CLOEXEC[name]))
            if name in EVALUATE_TWICE and (change := CHANGES.search(code[match.end():closing(code, match.end() - 1)])):
                self.offend(file, line, "R11", "%s() evaluates an argument twice, and %s changes something" % (name, change.group()))
            if name in ("fopen", "freopen", "fdopen"):
                call = text[match.start():closing(code, match.end() - 1)]
                if name != "fdopen" and not re.search(r'"[^"]*e[^"]*"\s*(,\s*\w+\s*)?\)$', call):
                    self.offend(file, line, "R11", name + '() without "e" in its mode')

    def check_switches(self, file, code):
        for match in re.finditer(r"\bswitch\s*\(", code):
            start = code.find("{", closing(code, match.end() - 1))
            body = code[start:closing(code, start, "{", "}")]
            inner = re.search(r"\bdefault\s*:", body)
            if not inner:
                continue
            ours = [c for c in re.findall(r"\bcase\s+(\w+)", body) if c in self.enumerators]
            if ours:
                self.offend(file, line_of(code, start + inner.start()), "R7",
                            "default: in a switch over our own enum (%s)" % ours[0])

    def measure(self, file, code):
        lines = code.count("\n")
        if lines > FILE_LINES:
            self.advice.append((file, 1, "R1", "%d lines" % lines))
        for match in re.finditer(r"^[^\s#{}][^;{}]*\)\s*\{$", code, re.MULTILINE):
            start = code.find("{", match.start())
            end = closing(code, start, "{", "}")
            length = code.count("\n", start, end) + 1
            name = re.search(r"(\w+)\s*\(", match.group(0))
            name = name.group(1) if name else "?"
            line = line_of(code, match.start())
            if length > FUNCTION_LINES:
                self.advice.append((file, line, "R1", "%s() has %d lines" % (name, length)))
            depth = self.nesting(code[start:end])
            if depth > NESTING:
                self.advice.append((file, line, "R1", "%s() nests %d deep" % (name, depth)))

    @staticmethod
    def nesting(body):
        """Levels of control flow: from the deepest indentation of a statement that opens a block."""
        indents = [len(m.group(1)) for m in re.finditer(r"^( +)(?:\} )?(?:if|for|while|switch|do|else)\b", body, re.MULTILINE)]
        unit = 8 if re.search(r"^ {8}\S", body, re.MULTILINE) and not re.search(r"^ {2}\S", body, re.MULTILINE) else 2
        return max(indents, default=0) // unit


def main():
    parser = argparse.ArgumentParser(usage="check-source.py [--advice] [TREE]")
    parser.add_argument("--advice", action="store_true")
    parser.add_argument("tree", nargs="?", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    args = parser.parse_args()
    checker = Checker(args.tree)
    checker.run()
    if not checker.files:
        sys.exit("no source file below " + args.tree)
    if args.advice:
        for offence in checker.advice:
            print("%s:%d: advice (%s): %s" % offence)
    for offence in checker.offences:
        print("%s:%d: %s: %s" % offence)
    print("%d files, %d offences, %d pieces of advice%s" % (len(checker.files), len(checker.offences), len(checker.advice),
                                                           "" if args.advice else " (--advice shows them)"))
    return 1 if checker.offences else 0


if __name__ == "__main__":
    sys.exit(main())
