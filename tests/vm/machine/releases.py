# SPDX-License-Identifier: GPL-3.0-or-later
"""The releases of Debian that guests are made of, and where they and the trees made of them are kept."""
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lib import process

SOURCE = Path(__file__).resolve().parents[3]
CODENAMES = {"11": "bullseye", "12": "bookworm", "13": "trixie"}
# Of Debian 11 a guest has the kernel, Linux 5.10, alone: its libraries are older than what Brio needs, so all else is Debian 12's.
BELOW = {"11": "12"}
WHOLE = [number for number in CODENAMES if number not in BELOW]
DEFAULT_MIRROR = "http://deb.debian.org/debian"
TRASH = "new-"  # what is being made, or was when its maker was killed


class MakeError(Exception):
  """An image or the packages could not be made; the text says why."""


@dataclass
class Release:
  """A guest's: its kernel is of this release, and all else in it is that of `userland`."""
  number: str

  @property
  def userland(self):
    return Release(BELOW.get(self.number, self.number))

  @property
  def codename(self):
    return CODENAMES[self.number]

  @property
  def name(self):
    return f"debian{self.number}"

  def sources(self):
    """For mmdebstrap: where the packages of the userland and of the kernel come from; nothing where its own choice does."""
    if self.userland == self:
      return mirror()
    uri, = mirror() or [DEFAULT_MIRROR]
    return [f"deb {uri} {each.codename} main" for each in (self.userland, self)]


def mirror():
  """Where this host gets Debian's packages from; nothing where it is no Debian, and mmdebstrap's own choice then."""
  fields = "$(CREATED_BY)|$(SITE)|$(REPO_URI)"
  done = subprocess.run(["apt-get", "indextargets", "--format", fields], capture_output=True, text=True, check=False)
  for line in done.stdout.splitlines():
    created_by, _, uri = line.split("|")
    if created_by == "Packages" and re.search(r"/debian/?$", uri):
      return [uri]
  return []


def key_of(*parts):
  """A name that changes with the content of the files (paths) and the texts."""
  digest = hashlib.sha256()
  for part in parts:
    digest.update(part.read_bytes() if isinstance(part, Path) else part.encode())
    digest.update(b"\0")
  return digest.hexdigest()[:12]


@contextmanager
def locked(directory, release):
  """One at a time makes something for that release there; what a killed one left half made goes first."""
  directory.mkdir(parents=True, exist_ok=True)
  with open(directory / f"{release.name}.lock", "w", encoding="utf-8") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    for left in directory.glob(f"{TRASH}{release.name}*"):
      shutil.rmtree(left)
    yield


def replace(new, final):
  """Puts what is finished in its place, and takes away what the place had for earlier contents."""
  stem = final.name.rpartition("-")[0]
  os.rename(new, final)
  for old in final.parent.glob(f"{stem}-*"):
    if old != final:
      shutil.rmtree(old)


def run(argv, what, timeout_s, log):
  """Runs a long command, whose output goes to a log that an error names."""
  with open(log, "ab") as output, process.Process([str(a) for a in argv], stdout=output, stderr=output) as child:
    try:
      child.popen.wait(timeout_s)
    except subprocess.TimeoutExpired as e:
      raise MakeError(f"{what} did not end within {timeout_s} s; see {log}") from e
  if child.returncode != 0:
    raise MakeError(f"{what} failed; see {log}, which ends with: {last_line(log)}")


def last_line(path):
  lines = path.read_text(errors="replace").strip().splitlines()
  return lines[-1] if lines else "nothing"
