# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree's own packages, built by ./dev deb in a root of the release that they are for."""
import re
import subprocess

from . import releases

MAKE_TIMEOUT_S = 1800
# What ./dev deb itself needs before it installs the rest.
TOOLS = "apt ca-certificates git build-essential"
# What the packages are not made of: a change there builds nothing anew.
APART = ("bench/", "tests/", "tools/", "docs/images/", ".ci/", "dev", "README.md", "CONTRIBUTING.md", "NEWS.md")


def sources():
  """Every file that git knows; `git ls-files` gives no others, and that is what ./dev deb packs."""
  git = ["git", "-c", f"safe.directory={releases.SOURCE}", "-C", releases.SOURCE, "ls-files", "-z"]
  names = subprocess.run(git, capture_output=True, text=True, check=True).stdout.split("\0")
  return [name for name in names if name and (releases.SOURCE / name).is_file()]


def git_directory():
  git = ["git", "-c", f"safe.directory={releases.SOURCE}", "-C", releases.SOURCE, "rev-parse", "--git-common-dir"]
  return (releases.SOURCE / subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()).resolve()


def needed(directory):
  """The packages that those in a directory depend on; of alternatives the first."""
  found = set()
  for deb in directory.glob("*.deb"):
    depends = subprocess.run(["dpkg-deb", "--field", deb, "Depends"], capture_output=True, text=True, check=True).stdout
    found |= {re.match(r"[^\s|(:]+", each.strip())[0] for each in depends.split(",")}
  return found - {deb.name.partition("_")[0] for deb in directory.glob("*.deb")}


class PackageMaker:
  """Makes a directory with the .deb files for a release; the build root is kept beside it."""

  def __init__(self, release, directory):
    self.release = release
    self.parent = directory
    self.log = directory / f"{release.name}.log"
    self.root = directory / f"{release.name}root-{releases.key_of(release.codename, TOOLS)}"
    self.directory = directory / f"{release.name}-{self.key()}"

  def key(self):
    parts = [part for name in sources() if not name.startswith(APART) for part in (name, releases.SOURCE / name)]
    return releases.key_of(self.root.name, *parts)

  def exists(self):
    return self.directory.exists()

  def make(self):
    with releases.locked(self.parent, self.release):
      if self.exists():
        return
      self.log.unlink(missing_ok=True)
      if not self.root.exists():
        self._make_root()
      new = self.parent / (releases.TRASH + self.release.name)
      new.mkdir()
      self._build(new)
      for extra in set(new.iterdir()) - set(new.glob("*.deb")) | set(new.glob("*dbgsym*")):
        extra.unlink()
      releases.replace(new, self.directory)

  def _make_root(self):
    new = self.parent / (releases.TRASH + self.root.name)
    argv = ["mmdebstrap", "--mode=root", "--variant=apt", "--format=directory", f"--include={TOOLS.replace(' ', ',')}",
            self.release.codename, new, *releases.mirror()]
    releases.run(argv, f"making a build root of Debian {self.release.number}", MAKE_TIMEOUT_S, self.log)
    releases.replace(new, self.root)

  def _build(self, output):
    """In namespaces that end with the build: nothing can stay mounted, and no process be left."""
    bound = [option for path in (releases.SOURCE, git_directory()) for option in ("--ro-bind", path, path)]
    argv = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-add", "ALL",
            "--bind", self.root, "/", "--dev", "/dev", "--proc", "/proc", "--perms", "1777", "--tmpfs", "/tmp", "--tmpfs", "/run",
            "--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf", *bound, "--bind", output, output,
            "--setenv", "DEBIAN_FRONTEND", "noninteractive", "--setenv", "HOME", "/root", "--setenv", "LC_ALL", "C.UTF-8",
            "--setenv", "GIT_CONFIG_COUNT", "1", "--setenv", "GIT_CONFIG_KEY_0", "safe.directory", "--setenv", "GIT_CONFIG_VALUE_0", "*",
            "--unsetenv", "SUDO_UID", "--unsetenv", "SUDO_GID",
            "--chdir", releases.SOURCE, "./dev", "deb", "--no-tests", "--no-lintian", "--output", output]
    releases.run(argv, f"building the packages for Debian {self.release.number}", MAKE_TIMEOUT_S, self.log)
