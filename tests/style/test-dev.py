#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""./dev: help for each command, wrong input, and the packages of four distributions. Nothing of Brio is built or installed here."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["BRIO_SOURCE"]
COMMANDS = ("deps", "build", "run", "demo", "test", "bench", "vm", "deb", "screenshots", "lint")


def dev(*arguments, **options):
    return subprocess.run([SOURCE + "/dev", *arguments], capture_output=True, text=True, check=False, timeout=60,
                          stdin=subprocess.DEVNULL, **options)


class Dev(unittest.TestCase):
    def assert_usage_error(self, *arguments, words):
        result = dev(*arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(words, result.stderr)
        self.assertRegex(result.stderr, r"Try \./dev .*--help")
        self.assertEqual(result.stdout, "")

    def test_help_names_every_command(self):
        result = dev("--help")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(re.findall(r"^  ([a-z]+) ", result.stdout, re.MULTILINE), list(COMMANDS))

    def test_every_command_has_help(self):
        for command in COMMANDS:
            result = dev(command, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""), command)
            self.assertTrue(result.stdout.startswith("usage: ./dev " + command), command)

    def test_no_command_is_a_usage_error(self):
        result = dev()
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("usage:", result.stderr)

    def test_wrong_input_is_named(self):
        self.assert_usage_error("tset", words="'tset'")
        self.assert_usage_error("deps", "nonsense", words="'nonsense'")
        self.assert_usage_error("deps", "--nonsense", words="'--nonsense'")
        self.assert_usage_error("build", "x", words="'x'")
        self.assert_usage_error("run", "--mode", "turbo", words="'turbo'")
        self.assert_usage_error("run", "--mode", words="--mode needs a value")
        self.assert_usage_error("run", "sda", words="'sda'")
        self.assert_usage_error("run", "--policy-dir", "/nonexistent", words="/nonexistent")
        self.assert_usage_error("test", "nonsense", words="'nonsense'")
        self.assert_usage_error("test", "--nonsense", words="'--nonsense'")
        self.assert_usage_error("test", "lib", words="'lib'")
        self.assert_usage_error("test", "--release", words="--release takes 12 or 13, not ''")
        self.assert_usage_error("test", "--release=11", words="--release takes 12 or 13, not '11'")
        self.assert_usage_error("bench", "nonsense", words="'nonsense'")
        self.assert_usage_error("bench", "../dev", words="'../dev'")
        self.assert_usage_error("deb", "x", words="'x'")
        self.assert_usage_error("vm", words="test shell clean")
        self.assert_usage_error("vm", "boot", words="'boot'")
        self.assert_usage_error("vm", "test", "--debian", "10", words="'10'")
        self.assert_usage_error("vm", "test", "--debian", words="--debian needs a release")
        self.assert_usage_error("vm", "test", "--nonsense", words="'--nonsense'")
        self.assert_usage_error("vm", "test", "", words="empty name")
        self.assert_usage_error("vm", "test", "service", "nonsense", words="no test has 'nonsense' in its name")
        self.assert_usage_error("vm", "shell", "sid", words="'sid'")
        self.assert_usage_error("vm", "clean", "x", words="'x'")
        self.assert_usage_error("deb", "--output", words="--output needs a directory")
        self.assert_usage_error("lint", "x", words="'x'")
        self.assert_usage_error("screenshots", "--nonsense", words="'--nonsense'")
        self.assert_usage_error("screenshots", "--page", words="--page needs a value")
        self.assert_usage_error("screenshots", "--page", "cellar", words="'cellar'")
        self.assert_usage_error("screenshots", "--width", "17", words="'17'")
        self.assert_usage_error("screenshots", "--walk", "0", words="'0' is no number of minutes")
        self.assert_usage_error("screenshots", "--walk", "long", words="'long' is no number of minutes")
        self.assert_usage_error("screenshots", "a", "b", words="'b'")
        self.assert_usage_error("screenshots", "--load", words="--load goes with --docs")
        self.assert_usage_error("screenshots", "--docs", "--load", "--bus", "session", words="--load has a bus of its own")
        self.assert_usage_error("demo", "x", words="'x'")
        self.assert_usage_error("demo", "--drive", words="--drive needs a value")
        self.assert_usage_error("demo", "--drive", "floppy", words="'floppy'; drives: ")
        self.assert_usage_error("demo", "--readers", "11", words="1 to 10, not '11'")
        self.assert_usage_error("demo", "--case", "copy,reader", words="no case 'copy,reader'; cases: readers, copy")
        self.assert_usage_error("demo", "--output", "/nosuchdirectory/x", words="no directory for '/nosuchdirectory/x'")
        self.assert_usage_error("demo", "--runs=0", words="'0'")
        self.assert_usage_error("demo", "--patience", "soon", words="'soon'")

    def test_a_drive_that_is_not_there_is_named(self):
        result = dev("run", "--include", "nosuchdrive")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no drive 'nosuchdrive'", result.stderr)

    def test_it_can_be_called_from_anywhere_and_through_a_link(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            os.symlink(SOURCE + "/dev", elsewhere + "/d")
            result = subprocess.run([elsewhere + "/d", "deps", "--help"], capture_output=True, text=True, check=False, cwd=elsewhere)
            self.assertEqual(result.returncode, 0, result.stderr)


class Nothing(unittest.TestCase):
    """Help, and what is wrong with the arguments, are said before anything is installed or built: whatever would is replaced, and tells that it was called."""

    def setUp(self):
        self.dir = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-dev-"))
        for tool in ("dpkg-query", "apt-get", "apt-cache", "sudo", "meson"):
            with open(self.dir + "/" + tool, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho %s >>%s/called\nexit 9\n" % (tool, self.dir))
            os.chmod(self.dir + "/" + tool, 0o755)
        with open(self.dir + "/os-release", "w", encoding="utf-8") as file:
            file.write("ID=debian\n")

    def dev(self, *arguments):
        environment = dict(os.environ, PATH=self.dir + ":" + os.environ["PATH"], BRIO_DEV_OS_RELEASE=self.dir + "/os-release")
        result = dev(*arguments, env=environment, cwd=self.dir)
        self.assertFalse(os.path.exists(self.dir + "/called"), arguments)
        return result

    def test_is_installed_for_a_benchmarks_help_or_wrong_input(self):
        names = re.findall(r"^  ([a-z0-9]+) ", dev("bench").stdout, re.MULTILINE)
        self.assertIn("startup", names)
        for name in names:
            result = self.dev("bench", name, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""), name)
            self.assertIn("--output", result.stdout, name)
            result = self.dev("bench", name, "--nonsense")
            self.assertEqual(result.returncode, 2, name)
            self.assertIn("--nonsense", result.stderr, name)

    def test_is_installed_for_what_one_benchmark_alone_refuses(self):
        for arguments, words in ((("idle", "--output", "/nonexistent/figures.json"), "/nonexistent"),
                                 (("startup", "--programs", "emacs"), "'emacs' is none of"), (("seeds", "--seed", "9"), "'009'"),
                                 (("drive", "floppy"), "floppy"), (("events", "--soak", "5", "--part", "core"), "not allowed")):
            result = self.dev("bench", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(words, result.stderr)

    def test_is_installed_for_a_list(self):
        result = self.dev("bench", "accuracy", "--list")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("video-hdd", result.stdout)

    def test_is_installed_where_the_packages_cannot_be_put(self):
        result = self.dev("deb", "--output", "/proc/nowhere")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot be put into '/proc/nowhere'", result.stderr)

    def test_but_what_is_right_is_installed_for(self):
        environment = dict(os.environ, PATH=self.dir + ":" + os.environ["PATH"], BRIO_DEV_OS_RELEASE=self.dir + "/os-release")
        result = dev("bench", "idle", "--seconds", "1", env=environment)
        self.assertEqual(result.returncode, 1 if os.geteuid() == 0 else 9, result.stderr)
        self.assertTrue(os.path.exists(self.dir + "/called"))


class Root(unittest.TestCase):
    """Called by an ordinary user: which tool of a replaced set is called first."""

    def setUp(self):
        self.dir = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-root-"))
        for tool in ("dpkg-query", "apt-get", "apt-cache", "sudo", "meson"):
            self.replace(tool, "echo %s >>%s/called; exit 9" % (tool, self.dir))
        self.replace("id", "echo 1000")

    def replace(self, tool, script):
        with open(self.dir + "/" + tool, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n%s\n" % script)
        os.chmod(self.dir + "/" + tool, 0o755)

    def first(self, *arguments):
        with open(self.dir + "/os-release", "w", encoding="utf-8") as file:
            file.write("ID=debian\n")
        dev(*arguments, env=dict(os.environ, PATH=self.dir + ":" + os.environ["PATH"], BRIO_DEV_OS_RELEASE=self.dir + "/os-release"))
        with open(self.dir + "/called", encoding="utf-8") as file:
            called = file.read().split()
        os.unlink(self.dir + "/called")
        return called[0]

    def test_is_asked_for_before_anything_is_installed_or_built(self):
        for command in (["demo"], ["run"], ["test"], ["test", "unit", "loop"], ["test", "--release", "13"], ["vm", "clean"]):
            self.assertEqual(self.first(*command), "sudo", command)

    def test_is_not_asked_for_where_it_is_not_needed(self):
        for command in (["build"], ["deb"], ["lint"], ["test", "unit"], ["test", "style"]):
            self.assertEqual(self.first(*command), "dpkg-query", command)


class Targets(unittest.TestCase):
    """What is built for the tests of a suite."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        self.write("meson.build", "project('p', 'c')\n")
        subprocess.run(["meson", "setup", self.place + "/build", self.place], stdout=subprocess.DEVNULL, check=True)
        self.write("t.c", "int main(void) { return 0; }\n")

    def write(self, name, text):
        with open(os.path.join(self.place, name), "a", encoding="utf-8") as file:
            file.write(text)

    def targets(self, suite):
        return subprocess.run([sys.executable, SOURCE + "/tools/test-targets.py", self.place + "/build", suite], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.split()

    def test_a_test_that_is_new_since_the_last_build_is_built(self):
        self.write("meson.build", "test('t', executable('t', 't.c'), suite: 'unit')\n")
        self.assertEqual(["t"], self.targets("unit"))

    def test_what_is_installed_is_built_where_it_is_looked_at(self):
        self.write("meson.build", "executable('t', 't.c', install: true)\n")
        self.assertEqual([["t"], ["t"], []], [self.targets(suite) for suite in ("package", "style", "unit")])


class Deps(unittest.TestCase):
    """The tool that lists installed packages is replaced, and the file that names the distribution."""

    def setUp(self):
        self.dir = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-deps-"))

    def deps(self, os_release, tool, output, *arguments):
        with open(self.dir + "/" + tool, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ncat <<'END'\n%sEND\n" % output)
        os.chmod(self.dir + "/" + tool, 0o755)
        with open(self.dir + "/os-release", "w", encoding="utf-8") as file:
            file.write(os_release)
        environment = dict(os.environ, PATH=self.dir + ":" + os.environ["PATH"], BRIO_DEV_OS_RELEASE=self.dir + "/os-release")
        return dev("deps", *arguments, env=environment)

    def test_debian_lists_what_is_missing_and_why(self):
        result = self.deps("ID=debian\n", "dpkg-query", "installed gcc\nconfig-files meson\n", "--dry-run", "build")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"(?m)^  meson +the build system$")
        self.assertRegex(result.stdout, r"(?m)^  libsystemd-dev +\S")
        self.assertNotRegex(result.stdout, r"(?m)^  gcc ")
        self.assertNotIn("gtk", result.stdout)

    def test_what_is_fetched_is_said_before_it_is(self):
        for tool, script in (("apt-get", "case $* in *--assume-no*) printf '1 upgraded, 2 newly installed\\nNeed to get 96.1 MB of archives.\\n"
                                         "After this operation, 336 MB of additional disk space will be used.\\nDo you want to continue? [Y/n] N\\n';; "
                                         "*) echo Unpacking; exit 1;; esac"), ("id", "echo 0"), ("find", "echo there")):
            with open(self.dir + "/" + tool, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n%s\n" % script)
            os.chmod(self.dir + "/" + tool, 0o755)
        result = self.deps("ID=debian\n", "dpkg-query", "installed gcc\n", "build")
        self.assertRegex(result.stdout, r"Installing\n  1 upgraded, 2 newly installed\n  Need to get 96.1 MB of archives.\n  After this operation, 336 MB")
        self.assertRegex(result.stderr, r"Unpacking\ndev: all that it said is in (\S+)\n")
        self.assertEqual(result.returncode, 1)
        for log in re.findall(r"said is in (\S+)\n", result.stderr):
            os.unlink(log)

    def test_the_other_compilers_sanitizers_are_installed_only_when_asked_for(self):
        result = self.deps("ID=debian\n", "dpkg-query", "installed gcc\n", "--dry-run")
        self.assertNotIn("libclang-rt-dev", result.stdout)
        result = self.deps("ID=debian\n", "dpkg-query", "installed gcc\n", "--dry-run", "clang")
        self.assertEqual(re.findall(r"(?m)^  (\S+)  ", result.stdout), ["clang", "libclang-rt-dev"])

    def test_packaging_tools_are_installed_only_when_asked_for(self):
        result = self.deps("ID=debian\n", "dpkg-query", "installed gcc\n", "--dry-run")
        self.assertNotIn("lintian", result.stdout)
        result = self.deps("ID=debian\n", "dpkg-query", "installed gcc\n", "--dry-run", "deb")
        self.assertIn("lintian", result.stdout)

    def test_a_build_installs_what_the_packages_are_built_with(self):
        with open(SOURCE + "/debian/control", encoding="utf-8") as file:
            wanted = file.read().split("Build-Depends:\n")[1].split("\n\n")[0]
        wanted = [line for line in wanted.split("\n") if line.startswith(" ") and "<!nocheck>" not in line]
        # debhelper makes the package; where units go has a default.
        wanted = {re.match(r" ([^ ,]+)", line).group(1) for line in wanted} - {"debhelper-compat", "systemd-dev"}
        self.assertGreater(len(wanted), 10)
        result = self.deps("ID=debian\n", "dpkg-query", "installed gcc\n", "--dry-run", "build", "bpf", "gui")
        self.assertEqual(wanted - set(re.findall(r"(?m)^  (\S+) ", result.stdout)), set())

    def test_a_build_installs_what_the_other_packages_are_built_with(self):
        """What only a part of it is for is with that part; each Arch builder has base-devel."""
        for os_release, tool, file, wanted in (
                ("ID=opensuse\nID_LIKE=suse\n", "rpm", "packaging/rpm/brio.spec", r"pkgconfig\(\S+\)|bpftool|clang|meson|scdoc"),
                ("ID=arch\n", "pacman", "packaging/arch/PKGBUILD", r"(?!(?:adwaita-icon-theme|gcc|gettext|glibc|ninja|pkgconf|systemd-libs)$).+")):
            with self.subTest(file), open(os.path.join(SOURCE, file), encoding="utf-8") as package:
                named = set(re.findall(r"[^\s=']+\([^)]+\)|[\w-]+", package.read()))
                result = self.deps(os_release, tool, "", "--dry-run", "build", "bpf", "gui")
                names = [name for name in re.findall(r"(?m)^  (\S+) ", result.stdout) if re.fullmatch(wanted, name)]
                self.assertGreater(len(names), 10)
                self.assertEqual([name for name in names if name not in named], [])

    def test_nothing_missing_needs_no_network(self):
        every = re.findall(r"^\w+\|([^|]+)\|", open(SOURCE + "/tools/dev-deps.sh", encoding="utf-8").read(), re.MULTILINE)
        with open(self.dir + "/apt-get", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho called >&2\nexit 9\n")
        os.chmod(self.dir + "/apt-get", 0o755)
        result = self.deps("ID=ubuntu\nID_LIKE=debian\n", "dpkg-query", "".join("installed %s\n" % p for p in every))
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "Nothing is missing.\n", ""))

    def test_the_administrators_programs_are_found_with_an_ordinary_path(self):
        with open(self.dir + "/rpm", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho \"$PATH\" >&2\n")
        os.chmod(self.dir + "/rpm", 0o755)
        with open(self.dir + "/os-release", "w", encoding="utf-8") as file:
            file.write("ID=fedora\n")
        environment = dict(os.environ, PATH=self.dir + ":/usr/bin:/bin", BRIO_DEV_OS_RELEASE=self.dir + "/os-release")
        result = dev("deps", "build", env=environment)
        self.assertEqual(result.stderr, self.dir + ":/usr/bin:/bin:/usr/sbin:/sbin\n")

    def test_fedora_prints_the_command(self):
        result = self.deps("ID=fedora\n", "rpm", "gcc\nmeson\n", "build")
        self.assertEqual(result.returncode, 1)
        command = re.search(r"^Install them with: sudo dnf install (.*)$", result.stdout, re.MULTILINE).group(1).split()
        self.assertIn("systemd-devel", command)
        self.assertNotIn("gcc", command)
        self.assertEqual(len(command), len(set(command)))

    def test_arch_prints_the_command(self):
        result = self.deps('ID="endeavouros"\nID_LIKE="arch"\n', "pacman", "gcc\n", "build", "gui")
        self.assertEqual(result.returncode, 1)
        command = re.search(r"^Install them with: sudo pacman -S --needed (.*)$", result.stdout, re.MULTILINE).group(1).split()
        self.assertIn("libadwaita", command)
        self.assertIn("systemd-libs", command)

    def test_opensuse_prints_the_command(self):
        result = self.deps('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', "rpm", "gcc\npkgconfig(json-c)\n", "build", "gui")
        self.assertEqual(result.returncode, 1)
        command = re.search(r"^Install them with: sudo zypper install (.*)$", result.stdout, re.MULTILINE).group(1).split()
        self.assertIn("'pkgconfig(libadwaita-1)'", command)
        self.assertNotIn("gcc", command)
        self.assertNotIn("'pkgconfig(json-c)'", command)

    def test_what_a_distribution_does_not_have_is_not_asked_for(self):
        result = self.deps('ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', "rpm", "gcc\n", "--dry-run", "deb", "vm")
        self.assertIn("debhelper", result.stdout)
        self.assertNotRegex(result.stdout, r"(?m)^  (-|lintian|mmdebstrap) ")

    def test_each_package_has_a_name_in_each_distribution(self):
        with open(SOURCE + "/tools/dev-deps.sh", encoding="utf-8") as file:
            rows = [line.split("|") for line in re.search(r"(?s)cat <<'END'\n(.*?)\nEND", file.read()).group(1).split("\n")]
        self.assertGreater(len(rows), 50)
        self.assertEqual([row for row in rows if len(row) != 6 or not all(re.fullmatch(r"[\w.+()-]+", name) for name in row[:5])], [])

    def test_an_unknown_distribution_gets_names(self):
        result = self.deps("ID=plan9\n", "true", "", "--dry-run", "build")
        self.assertEqual(result.returncode, 1)
        self.assertIn("libinih-dev", result.stdout)


if __name__ == "__main__":
    unittest.main()
