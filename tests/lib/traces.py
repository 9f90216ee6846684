# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program may leave behind on the machine: looked at before and after, and compared."""
import ctypes
import glob
import os
import stat
import threading
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
PATIENCE_S = 120  # the kernel unbinds and unmounts a moment after the last user is gone: 64 loop devices on a busy machine take long
POLL_S = 0.02
STRANGERS_END_S = 5

BLOCK = Path("/sys/block")
# Whatever can be written below these is a setting.
SETTINGS = ("/proc/sys/vm", "/proc/sys/kernel", "/sys/kernel/mm/transparent_hugepage")
SETTINGS_OF_A_CPU = "/sys/devices/system/cpu/cpu*/cpufreq"
SETTINGS_OF_A_DRIVE = ("queue", "bdi")
# Not settings: counts, and limits that follow from the free memory.
VOLATILE = {"ns_last_pid", "hung_task_warnings", "max_bytes", "min_bytes"}
# The kernel sets these whenever a loop device is bound, by the file below it, and leaves them so.
OF_THE_FILE = {"write_cache", "discard_max_bytes"}
# And this one by a file in memory; emulated drives write it themselves.
OF_A_MEMORY_FILE = {"rotational"}


class Traces:
  """A context manager. `directory` is where the program keeps its files: what lies there afterwards was left, and a loop
  device on a file elsewhere is another program's, whose settings are no concern of ours. `patterns` are of files elsewhere
  that the program may leave."""

  def __init__(self, directory, *patterns):
    self.directory = str(directory)
    self.memory = None  # with which the name of a memory file of the program begins
    self.patterns = patterns
    self.strangers = {}  # loop device → when it was last seen to be another program's
    self.ended = threading.Event()
    self.watch = threading.Thread(target=self._watch_strangers, daemon=True)

  def __enter__(self):
    adopt_orphans()
    self.watch.start()
    return self

  def __exit__(self, *_):
    self.ended.set()
    self.watch.join()

  def _watch_strangers(self):
    while not self.ended.wait(POLL_S):
      self._note_strangers()

  def _note_strangers(self):
    for name, file in bound_loops():
      if not self._is_ours(file):
        self.strangers[name] = time.monotonic()

  def _is_ours(self, file):
    """A file whose mount is gone is shown without its path, and so is a leftover of another program."""
    return file.startswith(self.directory) or file == "/" or (self.memory is not None and file.startswith(self.memory))

  def begin(self):
    """From here on left() counts."""
    self._note_strangers()
    self.began = time.monotonic()
    self.drives = set(os.listdir(BLOCK))
    self.before = self.look()

  def left(self):
    """What differs from before, a line each. Empty as soon as nothing does; else what still does after a while."""
    end = time.monotonic() + PATIENCE_S
    while True:
      found = self.differences()
      if not found or time.monotonic() > end:
        return found
      time.sleep(POLL_S)

  def differences(self):
    now = self.look()
    self._note_strangers()
    return [f"{key}: {self.before.get(key, 'nothing')} became {value}" for key, value in sorted(now.items())
            if value != self.before.get(key) and not self._is_strange(key)]

  def _is_strange(self, key):
    """A program that has just unbound a device may still put its settings back."""
    theirs = (name for name, seen in self.strangers.items() if seen > self.began - STRANGERS_END_S)
    return any(key.startswith(f"{BLOCK / name / directory}/") for name in theirs for directory in SETTINGS_OF_A_DRIVE)

  def look(self):
    """What there is, by name. A loop device that the kernel made meanwhile is none of it, as long as nothing is bound to it."""
    found = {f"process {pid}": name for pid, name in descendants()}
    found |= {f"mount {line}": "mounted" for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    found |= {f"{BLOCK / name}/loop": file for name, file in bound_loops() if self._is_ours(file)}
    found |= {str(path): "there" for path in Path(self.directory).rglob("*")}
    found |= {path: "there" for pattern in self.patterns for path in glob.glob(pattern)}
    found |= {str(lock): "its owner is gone" for lock in dead_displays()}
    for directory in (*SETTINGS, *Path("/").glob(SETTINGS_OF_A_CPU[1:])):
      found |= settings(Path(directory))
    for name in self.drives:
      for directory in SETTINGS_OF_A_DRIVE:
        found |= settings(BLOCK / name / directory, self._of_the_file(name))
    return found

  def _of_the_file(self, name):
    if not name.startswith("loop"):
      return set()
    return OF_THE_FILE | OF_A_MEMORY_FILE if self.memory else OF_THE_FILE


def adopt_orphans():
  """From now on a descendant whose parent ends becomes our child, whatever session it is in: none gets out of sight."""
  ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants():
  """(PID, name) of each; those that have ended and wait for us alone are let go."""
  found = []
  parents = [os.getpid()]
  while parents:
    for pid in children(parents.pop()):
      if not reap(pid):
        found.append((pid, read(f"/proc/{pid}/cmdline").replace("\0", " ").strip() or read(f"/proc/{pid}/comm").strip()))
        parents.append(pid)
  return found


def children(pid):
  return [int(child) for task in Path(f"/proc/{pid}/task").glob("*") for child in read(task / "children").split()]


def reap(pid):
  try:
    return os.waitpid(pid, os.WNOHANG) != (0, 0)
  except ChildProcessError:  # another process's child
    return False


def bound_loops():
  """(name, file) of each loop device that has one."""
  for path in BLOCK.glob("loop*/loop/backing_file"):
    file = read(path).rstrip("\n")
    if file:
      yield path.parts[3], file


def dead_displays():
  """Locks of X servers that did not remove them."""
  return [lock for lock in Path("/tmp").glob(".X*-lock") if not os.path.exists(f"/proc/{read(lock).strip() or 'gone'}")]


def below(directory):
  """Every file. A directory may go while it is walked: that of a scheduler whose drive is given another."""
  for place, _, names in os.walk(directory):
    for name in names:
      yield Path(place, name)


def settings(directory, leave_out=()):
  """The files below it that can be written, byte for byte."""
  found = {}
  for path in below(directory):
    if path.name in VOLATILE or path.name in leave_out:
      continue
    try:
      mode = path.stat().st_mode
      if stat.S_ISREG(mode) and mode & 0o200:
        found[str(path)] = path.read_bytes()
    except OSError:  # one that can only be written, or one that just went with its scheduler
      pass
  return found


def read(path):
  try:
    return Path(path).read_text(errors="replace")
  except OSError:
    return ""
