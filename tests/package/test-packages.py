#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian packages have what they should, where it should be, and leave nothing when they go."""
import collections
import gzip
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from common import NAMES, SKIPPED, SOURCE, below_prefix, files, installed, run, version

BUILD_TIMEOUT_S = 1200
# Debian's zsh looks into a directory of its own.
MOVED = {"share/zsh/site-functions/_brioctl": "share/zsh/vendor-completions/_brioctl"}
ADDED = re.compile(r"share/(doc/[^/]+|lintian/overrides)/")
ALIAS = "etc/systemd/system/dbus-org.brio.Brio1.service"


def what_is_missing():
  for tool in ("dpkg-buildpackage", "dh", "lintian"):
    if not shutil.which(tool):
      return f"{tool} is not installed"
  if run("dpkg-checkbuilddeps", "-Pnocheck", cwd=SOURCE, check=False).returncode:
    return "the packages' build dependencies are not installed"
  return None


def setUpModule():
  """One build for all: the tests that belong to it have their own suites."""
  Built.directory = tempfile.mkdtemp(prefix="brio-packages-")
  unittest.addModuleCleanup(shutil.rmtree, Built.directory)
  # Under sudo the tree's owner builds.
  os.chown(Built.directory, SOURCE.stat().st_uid, SOURCE.stat().st_gid)
  Built.output = run("./dev", "deb", "--no-tests", "--output", Built.directory, cwd=SOURCE, timeout=BUILD_TIMEOUT_S).stdout
  Built.trees = {name: Path(Built.directory, "tree-" + name) for name in NAMES}
  for name, tree in Built.trees.items():
    run("dpkg-deb", "--raw-extract", package(name), tree)


class Built:
  """What setUpModule() made."""
  directory = output = trees = None


def package(name):
  found = list(Path(Built.directory).glob(name + "_*.deb"))
  assert len(found) == 1, found
  return str(found[0])


def contents(name):
  """A package's files, as `meson install` would name them."""
  return {below_prefix(path) for path in files(Built.trees[name]) if not path.startswith("DEBIAN/")}


def text_of(path):
  """A manual page has \\& before a dot that begins no request."""
  return (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).replace(rb"\&", b"")


def field(name, key):
  return run("dpkg-deb", "--field", package(name), key).stdout.strip()


def relations(name, key):
  """The packages that a field names, without versions."""
  return set(re.findall(r"(?:^|[,|] *)([a-z0-9][a-z0-9.+-]+)", field(name, key)))


def heed_interrupts():
  """In a child. A shell that runs these tests in the background has us ignore them."""
  signal.signal(signal.SIGINT, signal.SIG_DFL)


def group_lives(group):
  try:
    os.killpg(group, 0)
  except ProcessLookupError:
    return False
  return True


class Build(unittest.TestCase):
  def test_the_version_is_the_trees(self):
    for name in NAMES:
      self.assertEqual(field(name, "Version"), version())

  def test_lintian_says_nothing(self):
    self.assertIn("Checking them\nBuilt and checked:\n", Built.output)

  def test_plain_lintian_says_nothing(self):
    changes = list(Path(Built.directory).glob("*.changes"))
    self.assertEqual(len(changes), 1)
    result = run("lintian", "--allow-root", changes[0], check=False)
    self.assertEqual((result.returncode, result.stdout), (0, ""))

  def test_the_command_that_installs_them_names_them(self):
    command = re.search(r"^Install them with: sudo apt install (.*)$", Built.output, re.MULTILINE).group(1)
    self.assertEqual(set(command.split()), {package(name) for name in NAMES})

  def test_each_has_its_debugging_symbols(self):
    for name in NAMES:
      self.assertTrue(package(name + "-dbgsym"))

  def test_what_git_does_not_know_is_not_in_the_source(self):
    listed = run("tar", "--list", "--file", next(Path(Built.directory).glob("brio_*.tar.xz"))).stdout.splitlines()
    known = set(run("git", "ls-files", cwd=SOURCE).stdout.splitlines())
    packed = {re.sub(r"^[^/]+/", "", path) for path in listed if not path.endswith("/")}
    self.assertLessEqual(packed, known)


class Interrupted(unittest.TestCase):
  def test_an_interrupted_build_leaves_nothing(self):
    with tempfile.TemporaryDirectory(prefix="brio-interrupted-") as directory:
      os.chown(directory, SOURCE.stat().st_uid, SOURCE.stat().st_gid)
      log = Path(directory, "output/build.log")
      command = ["./dev", "deb", "--no-tests", "--output", log.parent]
      with subprocess.Popen(command, cwd=SOURCE, env=dict(os.environ, TMPDIR=directory), stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=heed_interrupts) as build:
        while build.poll() is None and not (log.exists() and "dh_auto_build" in log.read_text()):
          time.sleep(0.1)
        os.killpg(build.pid, signal.SIGINT)
        self.assertEqual((build.stderr.read(), build.wait()), ("", 130))
      while group_lives(build.pid):  # compilers remove what they have begun; or the suite's time runs out
        time.sleep(0.1)
      self.assertEqual(files(directory), {"output/build.log"})


class Contents(unittest.TestCase):
  def test_every_installed_file_is_in_exactly_one(self):
    wanted = {MOVED.get(path, path) for path in installed(Path(Built.directory, "meson"))}
    owners = collections.Counter(path for name in NAMES for path in contents(name) if not ADDED.match(path))
    self.assertEqual(wanted - set(owners), set(), "in no package")
    self.assertEqual([path for path, number in owners.items() if number > 1], [])

  def test_no_file_is_in_two(self):
    paths = collections.Counter(path for name in NAMES for path in contents(name))
    self.assertEqual([path for path, number in paths.items() if number > 1], [])

  def test_each_has_what_it_is_named_after(self):
    for name, path in (("briod", "libexec/briod"), ("brioctl", "bin/brioctl"), ("brio-dashboard", "bin/brio")):
      self.assertIn(path, contents(name))

  def test_each_document_that_a_file_names_is_there(self):
    named = {name for package in NAMES for path in Built.trees[package].rglob("*") if path.is_file() and "share/doc" not in str(path)
             for name in re.findall(rb"\bdocs/([a-z-]+\.md)\b", text_of(path))}
    self.assertIn(b"laws.md", named)
    documents = {path.name.removesuffix(".gz").encode() for path in (Built.trees["briod"] / "usr/share/doc/briod").iterdir()}
    self.assertEqual(named - documents, set())

  def test_everything_belongs_to_root_and_only_root_writes(self):
    for name in NAMES:
      for line in run("dpkg-deb", "--contents", package(name)).stdout.splitlines():
        self.assertRegex(line, r"^[-d]rw[-x]r-[-x]r-[-x] root/root ", name)

  def test_the_sums_are_right(self):
    for name in NAMES:
      tree = Built.trees[name]
      summed = {line.split(maxsplit=1)[1] for line in (tree / "DEBIAN/md5sums").read_text().splitlines()}
      self.assertEqual(summed, {path for path in files(tree) if not path.startswith(("DEBIAN/", "etc/"))})
      run("md5sum", "--check", "--quiet", "DEBIAN/md5sums", cwd=tree)

  def test_only_the_settings_are_kept_as_the_administrator_has_them(self):
    conffiles = {name: (Built.trees[name] / "DEBIAN/conffiles") for name in NAMES}
    self.assertEqual(conffiles["briod"].read_text(), "/etc/brio/briod.conf\n")
    self.assertFalse(conffiles["brioctl"].exists() or conffiles["brio-dashboard"].exists())

  def test_only_the_daemon_has_scripts(self):
    scripts = {name: {p.name for p in (Built.trees[name] / "DEBIAN").iterdir()} & {"preinst", "postinst", "prerm", "postrm"} for name in NAMES}
    self.assertEqual(scripts, {"briod": {"postinst", "prerm", "postrm"}, "brioctl": set(), "brio-dashboard": set()})

  def test_the_scripts_start_the_service_and_nothing_that_would_start_it(self):
    """It wants its slice and its sockets. These are bound to it, and would start one that is disabled."""
    for script in ("postinst", "prerm"):
      text = (Built.trees["briod"] / "DEBIAN" / script).read_text()
      self.assertIn("briod.service", text)
      self.assertNotRegex(text, r"\.(socket|slice)\b")


class Relations(unittest.TestCase):
  def test_the_daemon_needs_a_bus_and_no_display(self):
    self.assertIn("dbus-system-bus", relations("briod", "Depends"))
    self.assertIn("polkitd", relations("briod", "Recommends"))
    self.assertEqual([p for p in relations("briod", "Depends") if re.match("libgtk|libadwaita|libjson", p)], [])

  def test_command_and_dashboard_speak_to_the_same_daemon(self):
    for name in ("brioctl", "brio-dashboard"):
      self.assertIn(f"briod (= {field('briod', 'Version')})", field(name, "Depends"))

  def test_the_dashboard_has_its_toolkit(self):
    self.assertLessEqual({"libgtk-4-1", "libadwaita-1-0"}, relations("brio-dashboard", "Depends"))

  def test_the_libraries_were_found_by_the_linker(self):
    for name in NAMES:
      self.assertTrue({"libc6"} & relations(name, "Depends"), name)

  def test_each_says_what_it_is(self):
    for name in NAMES:
      summary, *text = field(name, "Description").splitlines()
      self.assertLessEqual(len(summary), 80)
      self.assertGreater(len(text), 3, name)


class Installed(unittest.TestCase):
  """Below a directory, with a database of its own, scripts and all. Where systemd runs, the scripts must not see it: they would
  start this machine's briod."""
  private = ("unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--",
             "sh", "-c", "mount -t tmpfs tmpfs /run && exec \"$@\"", "sh")

  def setUp(self):
    if run(*self.private, "true", check=False).returncode:
      self.skipTest("the kernel does not let us make a mount namespace")
    self.root = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="brio-root-")))
    for directory in ("var/lib/dpkg/info", "var/lib/dpkg/updates"):
      (self.root / directory).mkdir(parents=True)
    (self.root / "var/lib/dpkg/status").touch()

  def dpkg(self, *arguments):
    return run(*self.private, "dpkg", "--root", self.root, "--log", self.root / "var/lib/dpkg/log", "--force-depends",
               "--force-script-chrootless", *arguments).stdout

  def install(self):
    return self.dpkg("--install", *(package(name) for name in NAMES))

  def left(self):
    """Neither the database nor what systemd's helper remembers of all services is ours."""
    return {path for path in files(self.root) if not path.startswith("var/lib/dpkg/")}

  def states(self):
    return run("dpkg-query", "--admindir", self.root / "var/lib/dpkg", "--show", "--showformat", "${Package} ${db:Status-Status}\n").stdout

  def leave_originals(self, boot):
    """As a briod leaves them that was killed during that boot."""
    state = self.root / "var/lib/brio"
    state.mkdir()
    (state / "originals").write_text(f"brio1\t{boot}\toriginal\tsda\t7\tqueue:nr_requests\tbfq\t64\t64\t128\t00000000\n")
    return state

  def test_installing_enables_the_service(self):
    self.install()
    self.assertEqual(sorted(self.states().splitlines()), sorted(name + " installed" for name in NAMES))
    self.assertEqual(os.path.basename(os.readlink(self.root / ALIAS)), "briod.service")

  def test_purging_leaves_nothing(self):
    self.install()
    self.dpkg("--purge", *NAMES)
    self.assertEqual((self.left(), self.states()), (set(), ""))

  def test_removing_keeps_the_settings_alone(self):
    self.install()
    self.dpkg("--remove", *NAMES)
    self.assertEqual({path for path in self.left() if not path.startswith("var/lib/systemd/")}, {"etc/brio/briod.conf", ALIAS})

  def test_an_upgrade_keeps_originals_and_what_the_administrator_has_set(self):
    self.install()
    state = self.leave_originals("earlier")
    (self.root / "etc/brio/briod.conf").write_text("[Daemon]\nMode=advise\n")
    (self.root / ALIAS).unlink()
    self.install()
    self.assertTrue((state / "originals").exists())
    self.assertIn("advise", (self.root / "etc/brio/briod.conf").read_text())
    self.assertFalse((self.root / ALIAS).is_symlink(), "a service that was disabled is enabled again")

  def test_purging_names_the_settings_that_were_not_put_back(self):
    self.install()
    state = self.leave_originals(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    said = self.dpkg("--purge", *NAMES)
    self.assertIn("come back with the next boot:\n  sda: queue:nr_requests was 64\n", said)
    self.assertFalse(state.exists())

  def test_purging_says_nothing_of_an_earlier_boot(self):
    self.install()
    self.leave_originals("earlier")
    self.assertNotIn("next boot", self.dpkg("--purge", *NAMES))


if __name__ == "__main__":
  missing = what_is_missing()
  if missing:
    print(missing)
    sys.exit(SKIPPED)
  unittest.main()
