# SPDX-License-Identifier: GPL-3.0-or-later
"""Small reads and writes of a drive's settings."""
import os
import re
from pathlib import Path


def read(path):
  """A file's text without the final newline; None where it cannot be read."""
  try:
    return Path(path).read_text().rstrip("\n")
  except OSError:
    return None


def queue(name):
  """The queue directory of a drive, given as loop3 or /dev/loop3."""
  return Path("/sys/block") / Path(name).name / "queue"


def scheduler(name):
  """The active scheduler. Where a drive has no choice the file holds one name without brackets."""
  text = read(queue(name) / "scheduler")
  if text is None:
    return None
  active = re.search(r"\[(\S+)\]", text)
  return active.group(1) if active else text.strip()


def drop_caches():
  """Writes back and drops the page cache of the whole machine."""
  os.sync()
  drop_clean_caches()


def drop_clean_caches():
  """Drops what is in the page cache of the whole machine and need not be written."""
  Path("/proc/sys/vm/drop_caches").write_text("3")
