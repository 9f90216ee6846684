# SPDX-License-Identifier: GPL-3.0-or-later
"""Where benchmarks keep what must not outlive them: a directory whose entries name their owner, so that a later
benchmark can tell what a killed process left."""
import os
import shutil
import tempfile
from pathlib import Path

from . import sysfs

DIRECTORY = Path(os.environ.get("BRIO_BENCH_STATE", "/run/brio-bench"))
TRIES = 16


def start_time(pid):
  """When a process started, in ticks since boot: with the PID it names the process for good. None if it is gone."""
  text = sysfs.read(f"/proc/{pid}/stat")
  return int(text.rpartition(")")[2].split()[19]) if text else None


def make(kind, place=None):
  """A fresh directory of this process, in DIRECTORY unless told otherwise. The last one to leave the place removes it: perhaps between our two steps."""
  place = place or DIRECTORY
  pid = os.getpid()
  for _ in range(TRIES):
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
      return tempfile.mkdtemp(prefix=f"{kind}-{pid}-{start_time(pid)}-", dir=place)
    except FileNotFoundError:
      pass
  raise FileNotFoundError(f"{place} vanishes as often as it is made")


def remove(directory):
  shutil.rmtree(directory, ignore_errors=True)
  try:
    Path(directory).parent.rmdir()
  except OSError:
    pass  # others are in it


def orphans(kind, place=None):
  """The directories of that kind whose owner is gone, in DIRECTORY unless told otherwise."""
  found = []
  for directory in sorted((place or DIRECTORY).glob(f"{kind}-*-*-*")):
    _, pid, start, _ = directory.name.split("-", 3)
    if start_time(pid) != int(start):
      found.append(directory)
  return found
