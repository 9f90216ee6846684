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
# What runs in a guest, see inside.measured() and arm.described(), and what of it prepares the guest. That is in memory when its state is saved.
RUN, BENCHMARKS, PREPARES = ("start", "prefetch", "arm"), ("day", "seeds", "stream", "throughput"), "virtual/inside"
BRIO_ITSELF = "brio"  # the alternative that a request names, see alternatives.py


def modules(request):
  """Ours that a run imports, and no others: what a guest is handed takes it instructions, so that an edit of it changes each figure a little."""
  asked = [f"virtual/{request['module']}", *([request["benchmark"]] if "benchmark" in request else [])]
  return tuple(sorted(imported(*asked) - imported(PREPARES)))


def imported(*names):
  """Modules below LIB, by their paths without the suffix: these (or packages), and what they import."""
  found, left = set(), [module_at(LIB / name) for name in names]
  while left:
    name = left.pop()
    if name not in found:
      found.add(name)
      left += of_source(name)[0]
  return found


@functools.cache
def of_source(name):
  """Which of our modules that one imports itself, with the packages that they are in, and which of Python's own library."""
  ours, own = set(), set()
  for node in ast.walk(ast.parse(path_of(name).read_text(encoding="utf-8"))):
    if isinstance(node, ast.Import):
      own.update(each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
      own.add(node.module)
    elif isinstance(node, ast.ImportFrom):
      package = path_of(name).parents[node.level - 1].joinpath(*(node.module or "").split("."))
      ours |= {each for path in (package, *(package / each.name for each in node.names)) if (each := module_at(path))}
  packages = {str(parent / "__init__") for each in (*ours, name) for parent in Path(each).parents}
  return frozenset(ours | packages), frozenset(each for each in own if each.partition(".")[0] in sys.stdlib_module_names)


def path_of(name):
  return LIB / f"{name}.py"


def module_at(path):
  """Its name, of a file or of a package's directory; None where there is none."""
  file = path / "__init__.py" if path.is_dir() else path.with_name(f"{path.name}.py")
  return str(file.relative_to(LIB).with_suffix("")) if file.exists() else None


def standard_library():
  """Names of Python's own modules that ours import: a guest that has them in its saved state does not read them anew in each run."""
  every = imported(PREPARES, *(f"virtual/{name}" for name in RUN), *BENCHMARKS)
  return sorted(frozenset().union(*(of_source(name)[1] for name in every)))


def placed(names):
  """Where modules are in the archive."""
  return {BRIO / "bench" / "lib" / f"{name}.py": path_of(name) for name in names}


def preparation(build_dir, model, content, base, seed):
  """For a guest that is to be prepared, with a drive of that model. content: name → tree that its file system is filled with, in an order of the seed's.
  base: the directory of its system."""
  its_file = drive.MODELS / f"{model}.conf"
  files = placed(imported(PREPARES)) | {BRIO / its_file.relative_to(drive.ROOT): its_file}
  for name, tree in content.items():
    files |= below(CONTENT / name, tree)
  with stripped({"bench/drive/brio-drive": drive.program(build_dir)}) as built:
    return archive(files | programs(base, built), seed)


def has_brio(request):
  """Whether Brio runs in that guest."""
  return request.get("brio", request.get("alternative", BRIO_ITSELF) == BRIO_ITSELF)


def run(build_dir, base, names, brio):
  """For runs from a saved state: the modules that measure, see modules(), and with brio what is under test. Without, the same is handed whatever is
  built, and what was measured with it stays true."""
  if not brio:
    return archive(placed(names))
  files = placed(names) | below(BRIO / "policies", drive.ROOT / "policies")
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
