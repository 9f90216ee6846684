# SPDX-License-Identifier: GPL-3.0-or-later
"""What a guest in virtual time gets from outside, as a tar archive: always the same bytes for the same files."""
import ast
import contextlib
import functools
import io
import json
import random
import sys
import tarfile
import tempfile
from pathlib import Path

from .. import drive, process, trees
from . import system

LIB = drive.ROOT / "bench" / "lib"
# In the guest, whose root is the archive's.
BRIO = Path("brio")
BUILD = BRIO / "build"
REQUEST = BRIO / "request.json"
CONTENT = BRIO / "content"
LIBRARIES = BRIO / "lib"  # where init has the loader look, too
# What prepares the guest is in memory when its state is saved. All other modules are handed in with each run.
PREPARING = ("__init__", "drive", "filesystem", "process", "settings", "state", "sysfs", "trees", "virtual/__init__", "virtual/inside", "virtual/window")


@functools.cache
def standard_library():
  """Names of Python's own modules that ours import: a guest that has them in its saved state does not read them anew in each run."""
  names = set()
  for path in LIB.rglob("*.py"):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
      if isinstance(node, ast.Import):
        names.update(each.name for each in node.names)
      elif isinstance(node, ast.ImportFrom) and not node.level:
        names.add(node.module)
  return sorted(name for name in names if name.partition(".")[0] in sys.stdlib_module_names)


def preparation(build_dir, content, base, seed):
  """For a guest that is to be prepared. content: name → tree that its file system is filled with, in an order of the seed's. base: the directory
  of its system."""
  files = {BRIO / "bench" / "lib" / f"{name}.py": LIB / f"{name}.py" for name in PREPARING}
  files |= below(BRIO / "bench" / "drive" / "models", drive.MODELS)
  for name, tree in content.items():
    files |= below(CONTENT / name, tree)
  with stripped({"bench/drive/brio-drive": drive.program(build_dir)}) as built:
    return archive(files | programs(base, built), seed)


def run(build_dir, base):
  """For runs from a saved state: what is under test, and what measures it."""
  files = {BRIO / "bench" / "lib" / path.relative_to(LIB): path for path in LIB.rglob("*.py")}
  files |= below(BRIO / "policies", drive.ROOT / "policies")
  with stripped({name: Path(build_dir) / name for name in ("daemon/briod", "cli/brioctl")}) as built:
    return archive(files | programs(base, built))


@contextlib.contextmanager
def stripped(built):
  """Copies of programs, without what debuggers read: it names the directory that they were built in."""
  with tempfile.TemporaryDirectory() as place:
    copies = {name: Path(place) / Path(name).name for name in built}
    for name, copy in copies.items():
      process.output(["objcopy", "--strip-all", "--remove-section=.note.gnu.build-id", str(built[name]), str(copy)], trees.TreeError)
    yield copies


def programs(base, built):
  """Programs from the build tree, with the libraries of this machine that the guest lacks: its Debian may be another."""
  there = (base / system.SONAMES).read_text(encoding="utf-8").split()
  lacking = {LIBRARIES / Path(library).name: Path(library).resolve() for library in trees.shared_objects(*built.values())
             if Path(library).name not in there and not Path(library).name.startswith("ld-")}
  return {BUILD / name: path for name, path in built.items()} | lacking


def below(target, directory):
  return {target / path.relative_to(directory): path for path in Path(directory).rglob("*")}


def archive(files, seed=0):
  """files: name in the archive → path. Nothing in it tells when or by which user it was made. seed: of their order, in which they are made there."""
  whole, order = io.BytesIO(), sorted(files.items())
  random.Random(seed).shuffle(order)
  with tarfile.open(fileobj=whole, mode="w", format=tarfile.GNU_FORMAT) as tar:
    for name, path in order:
      add(tar, str(name), path)
  return whole.getvalue()


def add(tar, name, path):
  member = anonymous(tar.gettarinfo(path, name))
  if not member.isreg():
    tar.addfile(member)
    return
  with open(path, "rb") as f:
    tar.addfile(member, f)


def with_request(request, whole):
  """An archive that begins with what the guest is asked for."""
  data = json.dumps(request, sort_keys=True).encode()
  member = tarfile.TarInfo(str(REQUEST))
  member.size = len(data)
  return member.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % tarfile.BLOCKSIZE) + whole


def is_source(name):
  """Of Python, for a program that is started: where its time is another, its compiled form is not believed."""
  return Path(name).is_relative_to(CONTENT) and name.endswith(".py")


def anonymous(member):
  """A hard link would depend on which of its names comes first, and a mode on the umask of the file's maker."""
  if member.islnk():
    member.type = tarfile.REGTYPE
  if not is_source(member.name):
    member.mtime = 0
  member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
  member.uid = member.gid = 0
  member.uname = member.gname = ""
  return member
