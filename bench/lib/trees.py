# SPDX-License-Identifier: GPL-3.0-or-later
"""Directory trees that programs are started in with chroot, so that all they read comes from the drive they lie on.

Each is made once and kept in the build directory, under a name that changes with what goes into it.
"""
import compileall
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

from . import process, state

KIND = "unfinished"

# The system's own, whose libraries are where the system's loader finds them; one of a version manager may come first in PATH.
PYTHON = "/usr/bin/python3"
DESCRIBE_PYTHON = """
import json, sys, sysconfig
print(json.dumps({"executable": sys.executable, "version": sys.version, "library": sysconfig.get_path("stdlib")}))
"""
# What no start reads: other people's packages, and what programs that embed the interpreter are linked with.
LEFT_OUT = ("dist-packages", "site-packages", "config-*", "test", "*.a")
# Where Debian's and its users' scripts look for them, with or without a merged /usr.
SHELL_PERL = "/usr/bin/perl"
SHELL_PROGRAMS = ("/bin/bash", SHELL_PERL, "/bin/cat", "/bin/grep", "/bin/sed", "/usr/bin/sort")
PERL_OWN = "/usr/(share|lib/[^/]+)/perl(-base)?/?[^/]*$"  # and not what other packages add
PERL_LEFT_OUT = ("*.a", "*.h", "*.pod", "unicore", "CORE", "Collate", "perl5db.pl")

PACKAGES = 6
EPOCH = "0"  # when the packages are made, as they say: reproducible-builds.org's SOURCE_DATE_EPOCH
SMALL_FILE_BYTES = 128 << 10
CONTROL = """Package: {name}
Version: 1
Architecture: all
Maintainer: nobody <nobody@localhost>
Description: files for a benchmark
"""


class TreeError(Exception):
  """A tree could not be made; the text says why in one line."""


def run(*argv, env=None):
  return process.output(argv, TreeError, env)


def path(build_dir, name, recipe):
  return place(build_dir) / f"{name}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def kept(build_dir, name, recipe, make, only=False):
  """The tree that make(directory) makes, from the build directory where it is already there. The recipe is a text that
  changes with what the tree holds. only: those of other recipes go."""
  kept_at = path(build_dir, name, recipe)
  if kept_at.is_dir():
    return kept_at
  with one_at_a_time(build_dir), temporary(build_dir) as directory:
    if kept_at.is_dir():  # made while this one waited
      return kept_at
    whole = directory / "tree"
    whole.mkdir()
    make(whole)
    # The building user may remove it, also where root has made it.
    run("chown", "-R", f"--reference={build_dir}", str(whole))
    run("chown", f"--reference={build_dir}", str(place(build_dir)))
    whole.rename(kept_at)
  if only:
    remove_others(kept_at)
  return kept_at


@contextlib.contextmanager
def one_at_a_time(build_dir):
  """Of the processes that make trees there: two would make the same."""
  place(build_dir).mkdir(exist_ok=True)
  descriptor = os.open(place(build_dir), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
  try:
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield
  finally:
    os.close(descriptor)


def remove_others(kept_at):
  """The trees of the same name, and of recipes of which the hash is as long."""
  name, _, recipe = kept_at.name.rpartition("-")
  for other in kept_at.parent.glob(f"{name}-{'?' * len(recipe)}"):
    if other != kept_at:
      shutil.rmtree(other)


def place(build_dir):
  return Path(build_dir) / "bench-trees"


def cleanup(build_dir):
  """Removes what killed runs left beside the trees."""
  for directory in state.orphans(KIND, place(build_dir)):
    state.remove(directory)


@contextlib.contextmanager
def temporary(build_dir):
  """A directory beside the trees, where they can be linked to."""
  directory = None
  try:
    with process.uninterrupted():
      directory = Path(state.make(KIND, place(build_dir)))
    yield directory
  finally:
    if directory:
      state.remove(directory)


def python(build_dir):
  """This machine's Python with its libraries and its standard library."""
  about = json.loads(run(PYTHON, "-I", "-c", DESCRIBE_PYTHON))
  return kept(build_dir, "python", json.dumps([about, LEFT_OUT]), lambda tree: copy_python(tree, about))


def copy_python(tree, about):
  library = Path(about["library"])
  shutil.copytree(library, below(tree, library), ignore=shutil.ignore_patterns(*LEFT_OUT), ignore_dangling_symlinks=True)
  copy_with_libraries(tree, (PYTHON,), sorted(below(tree, library).rglob("*.so")))
  # As a package manager leaves it: nothing is compiled at a start.
  compileall.compile_dir(below(tree, library), quiet=2, stripdir=tree)
  run("chroot", str(tree), PYTHON, "-I", "-c", "")


def missing(*programs):
  """Which of these programs this machine lacks, in one line; None where it has all."""
  return next((f"there is no {path}" for path in programs if not Path(path).exists()), None)


def shell(build_dir):
  """bash, perl with its modules, and small programs, with their libraries."""
  modules = [path for path in run(SHELL_PERL, "-e", "print join(\"\\n\", @INC)").splitlines() if re.match(PERL_OWN, path) and Path(path).is_dir()]
  recipe = json.dumps([SHELL_PROGRAMS, PERL_LEFT_OUT, modules, run(SHELL_PERL, "-v")])
  return kept(build_dir, "shell", recipe, lambda tree: copy_shell(tree, modules))


def copy_shell(tree, modules):
  for library in modules:
    shutil.copytree(library, below(tree, library), ignore=shutil.ignore_patterns(*PERL_LEFT_OUT), ignore_dangling_symlinks=True, dirs_exist_ok=True)
  copy_with_libraries(tree, SHELL_PROGRAMS, sorted(path for library in modules for path in below(tree, library).rglob("*.so")))
  (tree / "dev").mkdir(exist_ok=True)
  (tree / "dev" / "null").touch()
  run("chroot", str(tree), "/bin/bash", "-c", "perl -MPOSIX -e 1")


def copy_with_libraries(tree, programs, extensions):
  for file in {*programs, *shared_objects(*programs, *extensions)}:
    target = below(tree, file)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(file, target)


def below(tree, path):
  return tree / str(path).lstrip("/")


def shared_objects(*files):
  """The paths by which the loader opens what these programs and libraries need."""
  found = set()
  for line in run("ldd", *map(str, files)).splitlines():
    words = line.split()
    path = words[2] if "=>" in words and len(words) > 2 else words[0]
    if path.startswith("/") and not path.endswith(":"):
      found.add(path)
  return found


def packages(build_dir):
  """Debian packages whose files are those of Python's library: a thousand small ones and their compiled forms."""
  source = python(build_dir)
  recipe = f"{source.name} {PACKAGES} {EPOCH}"
  return kept(build_dir, "packages", recipe, lambda tree: make_packages(tree, source))


def make_packages(tree, source):
  """The same bytes for the same files, whenever they are made. gzip: xz would make the load one of the processor."""
  files = sorted(f for f in source.rglob("*") if f.is_file() and not f.is_symlink() and f.stat().st_size <= SMALL_FILE_BYTES)
  for number in range(PACKAGES):
    name = f"brio-bench-{number}"
    with tempfile.TemporaryDirectory(dir=tree.parent) as directory:
      control = Path(directory) / "DEBIAN" / "control"
      control.parent.mkdir(mode=0o755)
      control.write_text(CONTROL.format(name=name))
      for file in files[number::PACKAGES]:
        target = Path(directory) / "usr" / "share" / name / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.hardlink_to(file)
      os.chmod(directory, 0o755)
      run("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", directory, str(tree / f"{name}.deb"), env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH})


@contextlib.contextmanager
def joined(build_dir, trees):
  """A directory for the time being with each tree (name → path) under its name, as hard links: what a file system is
  filled from."""
  with temporary(build_dir) as directory:
    for name, path in trees.items():
      run("cp", "-al", str(path), str(directory / name))
    yield directory
