# SPDX-License-Identifier: GPL-3.0-or-later
"""Small Debian systems as directory trees: one with graphical programs to be started, one with TuneD, one with a kernel to be booted.

Made once with mmdebstrap, from where this machine gets its Debian packages, and kept in the build directory.
"""
import contextlib
import functools
import os
import re
import shutil
import stat
import subprocess
import sys

from . import filesystem, trees

RELEASE = "bookworm"
PROGRAMS = ("libreoffice-writer-nogui", "gnome-text-editor", "adwaita-icon-theme", "fonts-dejavu-core", "shared-mime-info")
# What no start reads, and would only make the file system larger.
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*")
# Started once, so that a measured start is not the first one ever, which sets up a user's profile.
FIRST_STARTS = (
  ("soffice", "--headless", "--norestore", "--writer", "--terminate_after_init"),
  ("fc-cache", "--force"),
)
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "XDG_RUNTIME_DIR": "/run", "TMPDIR": "/tmp"}
# What a program finds on a running system besides its own drive: directory → what mount is told. None of them shows a directory
# of this machine, so that nothing which goes wrong with the tree can reach one.
KERNEL_MOUNTS = {"proc": ("-t", "proc", "proc"), "sys": ("-t", "sysfs", "sysfs"), "dev": ("-t", "tmpfs", "tmpfs"),
                 "tmp": ("-t", "tmpfs", "tmpfs"), "run": ("-t", "tmpfs", "tmpfs")}
NODES = {"null": 3, "zero": 5, "full": 7, "random": 8, "urandom": 9}  # of /dev, and their minor numbers
MEMORY_MAJOR = 1


def missing():
  return None if shutil.which("mmdebstrap") else "there is no mmdebstrap (package mmdebstrap)"


def why_not(make, build_dir):
  """Why a tree cannot be had here, in one line; None where it is there now: make is programs() or tuned()."""
  return missing() or failure(make, build_dir)


@functools.cache
def failure(make, build_dir):
  """Of making it, which takes a while where there is no network: tried once."""
  try:
    make(build_dir)
  except trees.TreeError as e:
    return f"its tree cannot be made: {e}"
  return None


def mirror():
  """Where this machine gets Debian's packages from; nothing where it is no Debian, and then mmdebstrap knows one."""
  with contextlib.suppress(FileNotFoundError):
    done = subprocess.run(["apt-get", "indextargets", "--format", "$(CREATED_BY)|$(REPO_URI)"], capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
      created_by, uri = line.split("|")
      if created_by == "Packages" and re.search(r"/debian/?$", uri):
        return [uri]
  return []


def programs(build_dir):
  """A tree with the graphical programs."""
  return kept(build_dir, "programs", PROGRAMS, FIRST_STARTS)


def has_programs(build_dir):
  return has(build_dir, "programs", PROGRAMS, FIRST_STARTS)


def tuned(build_dir):
  """A tree with TuneD: so it need not be installed here, where its service would then tune this machine."""
  return kept(build_dir, "tuned", ("tuned",), ())


def kept(build_dir, name, packages, first_starts=(), release=RELEASE, dpkg_options=()):
  """dpkg_options: besides what leaves out LEFT_OUT."""
  def make(tree):
    options = [f"--dpkgopt={option}" for option in (*(f"path-exclude={pattern}" for pattern in LEFT_OUT), *dpkg_options)]
    print(f"Making a Debian tree with {packages[0]} from the network, once: a minute or a few.", file=sys.stderr)
    # Beside the tree, and removed as that is where it is not finished: one that is killed leaves the keys there that it checks with.
    temporary = tree.parent / "tmp"
    temporary.mkdir()
    # It shows /dev/shm of this machine in the tree, and one that is killed would leave it there, where the unfinished tree is removed.
    trees.run("unshare", "--mount", "mmdebstrap", "--mode=root", "--variant=minbase", "--format=directory", f"--include={','.join(packages)}",
              "--aptopt=Apt::Install-Recommends false", *options, release, str(tree), *mirror(),
              env=os.environ | {"TMPDIR": str(temporary)})
    with mounted(tree, KERNEL_MOUNTS):
      for argv in first_starts:
        trees.run("chroot", str(tree), "env", "-i", *(f"{k}={v}" for k, v in ENVIRONMENT.items()), *argv)
  return trees.kept(build_dir, name, recipe(release, packages, first_starts, dpkg_options), make, only=True)


def has(build_dir, name, packages, first_starts=(), release=RELEASE, dpkg_options=()):
  """Whether such a tree is there already."""
  return trees.path(build_dir, name, recipe(release, packages, first_starts, dpkg_options)).is_dir()


def recipe(release, packages, first_starts, dpkg_options):
  return repr((release, packages, LEFT_OUT, first_starts, *([dpkg_options] if dpkg_options else [])))


@contextlib.contextmanager
def mounted(root, mounts):
  """Mounts below a root directory, in the mount namespace of the benchmark's own."""
  filesystem.leave_mount_namespace()
  with contextlib.ExitStack() as stack:
    for target, options in mounts.items():
      filesystem.run("mount", *options, str(root / target))
      stack.callback(filesystem.run, "umount", "--lazy", str(root / target))
    for name, minor in NODES.items():
      os.mknod(root / "dev" / name, stat.S_IFCHR | 0o666, os.makedev(MEMORY_MAJOR, minor))
    yield
