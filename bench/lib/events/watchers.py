# SPDX-License-Identifier: GPL-3.0-or-later
"""What watches the load: nothing, briod, its sources alone, and other programs. Each is a context manager with pids()."""
import contextlib
import json
import os
import shutil
import subprocess
import time

from .. import daemon, process, usage

START_S = 5
SETTLE_S = 1.0         # until a peer has attached to the kernel
BRIOD_SETTLE_S = 3.0   # until briod has looked at everything, and after its start looks no more often than else
LAST_S = 0.5           # after the load's end: the last requests are told 50 ms later


class WatchError(Exception):
  """A watcher ended by itself; the text says why."""


class Watcher:
  """title: for the table, key: for the JSON."""
  title = "none"
  key = "none"

  def missing(self):
    return None

  @contextlib.contextmanager
  def watching(self, _device):
    yield self

  def pids(self):
    return []

  def check(self):
    """Raises WatchError where it has ended by itself."""

  def seen(self):
    """After the end: what it says that it saw."""
    return None


class Briod(Watcher):
  """As it comes: it never looks at a drive that is so fast request by request. Without a drive it stays at level 0."""

  def __init__(self, build_dir, has_drive):
    self.build_dir = build_dir
    self.has_drive = has_drive
    self.key = "briod" if has_drive else "level-0"
    self.title = "briod, as it comes" if has_drive else "briod at level 0"
    self.briod = None

  def missing(self):
    return daemon.missing(self.build_dir)

  @contextlib.contextmanager
  def watching(self, device):
    drives = {f"{device}=ssd": "--include"} if self.has_drive else {device: "--exclude"}
    drives |= {name: "--exclude" for name in os.listdir("/sys/block") if name != device}  # what others do there is not this load
    options = ["--mode", "advise", *(word for name, option in drives.items() for word in (option, name))]
    with daemon.Daemon(self.build_dir, options) as self.briod:
      time.sleep(BRIOD_SETTLE_S)
      yield self

  def pids(self):
    return [self.briod.pid]

  def check(self):
    self.briod.check()


class Program(Watcher):
  """Runs until it is ended."""

  def __init__(self, key, title, argv, tool=None, package=None):
    self.key, self.title, self.argv, self.tool, self.package = key, title, argv, tool, package
    self.process = None

  def missing(self):
    return None if not self.tool or shutil.which(self.tool) else f"there is no {self.tool} (package {self.package})"

  @contextlib.contextmanager
  def watching(self, device):
    with process.Process(self.argv(device), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as self.process:
      self._settle()
      yield self

  def _settle(self):
    """A watcher that cannot watch says so or ends soon."""
    end = time.monotonic() + SETTLE_S
    while time.monotonic() < end:
      time.sleep(process.POLL_S)
      self.check()

  def pids(self):
    return usage.descendants(self.process.pid)

  def check(self):
    if self.process.popen.poll() is not None:
      raise WatchError(process.last_line(self.process.text("stderr")))


class Source(Watcher):
  """One of briod's sources of single requests, with model and detectors. sums: as briod has it of a drive that is so fast."""

  def __init__(self, build_dir, name, sums=False):
    self.program = executable(build_dir)
    self.options = ["--source", name, *(["--sums"] if sums else [])]
    self.key = f"{name}-sums" if sums else name
    self.title = f"Brio's {name} source, in sums" if sums else f"Brio's {name} source"
    self.process = None
    self.printed = None

  @contextlib.contextmanager
  def watching(self, device):
    argv = [self.program, *self.options, device]
    with process.Process(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as self.process:
      self._wait_until_ready()
      yield self
      time.sleep(LAST_S)
      self.check()
      self.process.stop()
      self.printed = json.loads(self.process.text("stdout").partition("\n")[2])

  def _wait_until_ready(self):
    end = time.monotonic() + START_S
    while not self.process.text("stdout"):
      self.check()
      if time.monotonic() > end:
        raise WatchError("it did not get ready")
      time.sleep(process.POLL_S)

  def pids(self):
    return [self.process.pid]

  def check(self):
    if self.process.popen.poll() is not None:
      raise WatchError(process.last_line(self.process.text("stderr")))

  def seen(self):
    return self.printed


# Debugfs is mounted where no other process sees it, if it is not mounted at all.
BLKTRACE = """mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug || exit
{ blktrace -d /dev/$1 -o - || kill $$; } | blkparse -i -"""


class Blktrace(Program):
  """It stays where it may not read what the kernel traces."""

  def check(self):
    super().check()
    said = self.process.text("stderr")
    if "FAILED" in said:
      hint = ": the kernel is locked down" if "not permitted" in said else ""
      raise WatchError(process.last_line(said) + hint)


def executable(build_dir):
  return build_dir / "bench/events/brio-events-watch"


def sources(build_dir):
  """The names of those that work here, the best first."""
  return process.output([executable(build_dir), "--list"], WatchError).split()


def peers():
  """Other programs that show requests, latencies or the processes that do I/O, as their documentation starts them."""
  return [
    Program("biolatency", "biolatency", lambda device: ["biolatency", "-d", device, "1"], "biolatency", "libbpf-tools"),
    Program("biosnoop", "biosnoop", lambda device: ["biosnoop", "-d", device], "biosnoop", "libbpf-tools"),
    Blktrace("blktrace", "blktrace | blkparse", lambda device: ["unshare", "--mount", "sh", "-c", BLKTRACE, "sh", device], "blktrace", "blktrace"),
    Program("iotop", "iotop-c", lambda _: ["iotop-c", "-b", "-d", "1"], "iotop-c", "iotop-c"),
  ]
