# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are started cold from a file system on a drive, and how long their start takes.

As in the S suite a start lasts from exec to the exit of a program that ends by itself when it is ready; what does not end
in time is killed and counts as longer than that.
"""
import os
import select
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from . import process, sysfs, trees

# rusage counts blocks of this size, whatever the file system's are.
RUSAGE_BLOCK = 512
MODULES = ("argparse asyncio bz2 concurrent.futures.process ctypes.util curses dbm decimal difflib doctest email.mime.multipart encodings.big5 "
           "encodings.gb18030 fractions ftplib http.server imaplib json logging.config logging.handlers lzma mailbox multiprocessing.managers pdb "
           "plistlib pydoc pydoc_data.topics sqlite3 ssl statistics tarfile unicodedata unittest.mock urllib.request uuid venv "
           "wsgiref.simple_server xml.dom.minidom xml.sax xmlrpc.server zipapp zoneinfo").split()


class ProgramError(Exception):
  """A program failed rather than being slow; the text says why in one line."""


@dataclass
class Start:
  """seconds: until it was ready, or until it was killed where ended is False. read_bytes: what it made the drive read."""
  seconds: float
  ended: bool
  read_bytes: int


class Python:
  """An interpreter that imports forty modules of its standard library: about 350 reads, 17 MB."""
  name = "python3"
  argv = (trees.PYTHON, "-I", "-B", "-c", f"import {', '.join(MODULES)}")
  environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}

  @staticmethod
  def missing():
    return None if Path(trees.PYTHON).exists() else f"there is no {trees.PYTHON} (package python3)"

  @staticmethod
  def trees(build_dir):
    return {"python": trees.python(build_dir)}

  def start(self, root, timeout_s):
    """Starts it from the file system that has its trees at `root`."""
    return until_exit(root / "python", self.argv, self.environment, timeout_s)


ALL = {p.name: p for p in (Python,)}


def content(users, build_dir):
  """A context manager: a directory that holds the trees of these programs (and loads, which may have some too)."""
  wanted = {}
  for user in users:
    wanted |= user.trees(build_dir)
  return trees.joined(build_dir, wanted)


def until_exit(root, argv, environment, timeout_s):
  """Runs argv with that root directory, from exec to exit."""
  begin = time.monotonic()
  with process.Process(argv, root=root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
    if not ends_by(child, begin + timeout_s):
      return Start(timeout_s, False, read_so_far(child.pid))
    seconds = time.monotonic() - begin
    _, status, usage = os.wait4(child.pid, 0)
    child.popen.returncode = os.waitstatus_to_exitcode(status)
    if status != 0:
      words = child.text("stderr").strip().splitlines() or [f"status {child.returncode}"]
      raise ProgramError(f"{argv[0]} failed: {words[-1]}")
    return Start(seconds, True, usage.ru_inblock * RUSAGE_BLOCK)


def ends_by(child, end):
  """Whether it ends by that time. Waits for the end itself: a poll's step would count, a start may take 0.2 s."""
  descriptor = os.pidfd_open(child.pid)
  try:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(max(end - time.monotonic(), 0) * 1000))
  finally:
    os.close(descriptor)


def read_so_far(pid):
  """What a process made the drive read, without its children."""
  lines = (sysfs.read(f"/proc/{pid}/io") or "").splitlines()
  return sum(int(line.split()[1]) for line in lines if line.startswith("read_bytes:"))
