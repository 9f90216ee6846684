# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the whole machine that a benchmark lets others change: noted on disk before, put back after, whatever
those others do at their end; also by the next run, where this one is killed."""
import json
import os
from pathlib import Path

from . import process, state, sysfs

KIND = "settings"
FILE = "settings.json"
# Each of these is one limit in two units: writing one clears the other, whose 0 then is not to be written.
WRITEBACK_LIMITS = ("dirty_ratio", "dirty_bytes", "dirty_background_ratio", "dirty_background_bytes")


class Kept:
  """A context manager: at its end every file of `paths` that can be read has its text of the beginning."""

  def __init__(self, paths):
    self.paths = paths
    self.directory = None

  @process.uninterrupted()
  def __enter__(self):
    self.directory = Path(state.make(KIND))
    save(self.directory, {str(p): sysfs.read(p) for p in self.paths})
    return self

  @process.uninterrupted()
  def __exit__(self, *_):
    restore(self.directory)


def save(directory, values):
  """Whole or not at all."""
  temporary = directory / "settings.tmp"
  with open(temporary, "w") as f:
    json.dump({p: v for p, v in values.items() if v is not None}, f)
    f.flush()
    os.fsync(f.fileno())
  temporary.rename(directory / FILE)


def restore(directory):
  values = json.loads(sysfs.read(directory / FILE) or "{}")
  for path, value in values.items():
    cleared = value == "0" and Path(path).name in WRITEBACK_LIMITS
    if not cleared and sysfs.read(path) != value:
      Path(path).write_text(value)
  state.remove(directory)


def restore_orphans():
  """Returns the directories whose owner is gone, after what they held was put back."""
  directories = state.orphans(KIND)
  for directory in directories:
    restore(directory)
  return directories
