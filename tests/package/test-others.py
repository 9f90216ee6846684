#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The RPM and Arch packages: built from a release's tarball of the tree as it is, and looked into."""
import collections
import os
import re
import shutil
import tarfile
import tempfile
import unittest
from pathlib import Path

from common import NAMES, SOURCE, below_prefix, files, installed, run, version

BUILD_TIMEOUT_S = 1200
ADDED = re.compile(r"share/(doc|licenses)/|lib/\.build-id/|lib/systemd/system-preset/|\.(BUILDINFO|INSTALL|MTREE|PKGINFO)$")
NOBODY = 65534
# As on a system whose /lib is /usr/lib, which Debian 12 builds no packages for.
PKGCONFIG = {"systemd": "systemdsystemunitdir=/usr/lib/systemd/system\nsystemduserunitdir=/usr/lib/systemd/user", "udev": "udevdir=/usr/lib/udev"}


def make_tarball(directory):
  """What `git archive` would make of every file that git knows, as it is now. Under sudo the tree is another user's."""
  git = ("git", "-c", f"safe.directory={SOURCE}", "ls-files", "-z")
  gone = run(*git, "--deleted", cwd=SOURCE).stdout.split("\0")
  name = f"brio-{version()}"
  tarball = directory / f"{name}.tar.gz"
  with tarfile.open(tarball, "w:gz", compresslevel=1) as tar:
    for path in run(*git, cwd=SOURCE).stdout.split("\0"):
      if path and path not in gone:
        tar.add(SOURCE / path, f"{name}/{path}", recursive=False)
  return tarball


def make_environment(directory):
  for name, line in PKGCONFIG.items():
    (directory / f"{name}.pc").write_text(f"{line}\nName: {name}\nDescription: where its files go\nVersion: 252\n")
  return dict(os.environ, HOME=str(directory), PKG_CONFIG_PATH=str(directory))


class Packages:
  """For both kinds: contents() has the files of each package, as paths from the root; moved, where they go instead."""
  tools = ()
  moved = {}

  @classmethod
  def setUpClass(cls):
    for tool in cls.tools:
      if not shutil.which(tool):
        raise unittest.SkipTest(f"{tool} is not installed")
    cls.directory = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="brio-packages-")))
    cls.build(make_tarball(cls.directory), make_environment(cls.directory))

  def owned(self):
    return {name: [path for path in map(below_prefix, self.contents(name)) if not ADDED.search(path)] for name in NAMES}

  def test_every_installed_file_is_in_exactly_one(self):
    owners = collections.Counter(path for paths in self.owned().values() for path in paths)
    self.assertEqual(set(owners), {self.moved.get(path, path) for path in installed(self.directory / "meson")})
    self.assertEqual([path for path, number in owners.items() if number > 1], [])

  def test_each_has_what_it_is_named_after(self):
    for name, path in (("briod", "libexec/briod"), ("brioctl", "bin/brioctl"), ("brio-dashboard", "bin/brio")):
      self.assertIn(self.moved.get(path, path), self.owned()[name])

  def test_each_has_what_the_debian_package_of_its_name_has(self):
    for name in NAMES:
      patterns = [line.split()[0] for line in (SOURCE / f"debian/{name}.install").read_text().splitlines()]
      patterns = [below_prefix(re.sub(r"^\$\{env:deb_(\w+)\}", lambda match: {"systemdsystemunitdir": "lib/systemd/system",
                                                                              "udevdir": "lib/udev"}[match.group(1)], p)) for p in patterns]
      strange = [path for path in self.owned()[name]
                 if not any(path == self.moved.get(p, p) or path.startswith(p + "/") for p in patterns)]
      self.assertEqual(strange, [], name)


class Rpm(Packages, unittest.TestCase):
  tools = ("rpmbuild", "rpmlint")


  @classmethod
  def build(cls, tarball, environment):
    cls.spec = SOURCE / "packaging/rpm/brio.spec"
    macros = SOURCE / "tests/package/rpm-macros"
    run("rpmbuild", "-bb", "--nodeps", "--nocheck", f"--load={macros}", "--define", f"_topdir {cls.directory}/rpm", "--define",
        f"_sourcedir {tarball.parent}", "--define", "debug_package %{nil}", cls.spec, env=environment, timeout=BUILD_TIMEOUT_S)
    cls.packages = list((cls.directory / "rpm/RPMS").rglob("*.rpm"))

  def package(self, name):
    found = [path for path in self.packages if path.name.startswith(f"{name}-{version()}-")]
    self.assertEqual(len(found), 1, self.packages)
    return found[0]

  def contents(self, name):
    listed = run("rpm", "-qp", "--qf", "[%{FILEMODES:perms} %{FILENAMES}\n]", self.package(name)).stdout.splitlines()
    return [line.split(" /", 1)[1] for line in listed if not line.startswith("d")]

  def test_these_are_all(self):
    self.assertEqual(len(self.packages), len(NAMES))

  def test_rpmlint_finds_no_error(self):
    result = run("rpmlint", "--config", self.spec.parent / "rpmlint.toml", self.spec, *self.packages, check=False)
    self.assertEqual(re.findall(r"(?m)^\S+: E: .*$", result.stdout), [], result.stderr)
    self.assertIn(" 0 errors", result.stdout)

  def test_installing_enables_the_service_and_removing_stops_it(self):
    scripts = run("rpm", "-qp", "--scripts", self.package("briod")).stdout
    self.assertIn("preset briod.service", scripts)
    self.assertIn("disable --now briod.service", scripts)
    self.assertIn("\nenable briod.service\n", (SOURCE / "packaging/rpm/90-brio.preset").read_text())
    self.assertIn("usr/lib/systemd/system-preset/90-brio.preset", self.contents("briod"))

  def test_only_the_settings_are_kept_as_the_administrator_has_them(self):
    kept = [run("rpm", "-qp", "--configfiles", self.package(name)).stdout for name in NAMES]
    self.assertEqual(kept, ["/etc/brio/briod.conf\n", "", ""])


class Arch(Packages, unittest.TestCase):
  tools = ("makepkg", "bsdtar")
  moved = {"libexec/" + name: "lib/brio/" + name for name in ("briod", "brio-session")}  # there is no /usr/libexec

  @classmethod
  def build(cls, tarball, environment):
    for path in (SOURCE / "packaging/arch").iterdir():
      shutil.copy(path, cls.directory)
    command = ["makepkg", "--nodeps", "--nocheck"]
    if os.geteuid() == 0:  # makepkg refuses to run as root
      run("chown", "--recursive", f"{NOBODY}:{NOBODY}", cls.directory)
      command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
    run(*command, cwd=cls.directory, env=environment, timeout=BUILD_TIMEOUT_S)

  def package(self, name):
    found = list(self.directory.glob(f"{name}-{version()}-*.pkg.tar*"))
    self.assertEqual(len(found), 1, files(self.directory))
    return tarfile.open(found[0])

  def contents(self, name):
    with self.package(name) as package:
      return [member.name for member in package.getmembers() if not member.isdir()]

  def information(self, name):
    with self.package(name) as package:
      return package.extractfile(".PKGINFO").read().decode()

  def test_removing_stops_the_service(self):
    with self.package("briod") as package:
      self.assertRegex(package.extractfile(".INSTALL").read().decode(), r"(?s)pre_remove\(\) \{[^}]*disable --now briod\.service")

  def test_only_the_settings_are_kept_as_the_administrator_has_them(self):
    kept = [re.findall(r"^backup = (.*)$", self.information(name), re.MULTILINE) for name in NAMES]
    self.assertEqual(kept, [["etc/brio/briod.conf"], [], []])

  def test_command_and_dashboard_speak_to_the_same_daemon(self):
    for name in ("brioctl", "brio-dashboard"):
      self.assertIn(f"\ndepend = briod={version()}-1\n", self.information(name))


if __name__ == "__main__":
  unittest.main()
