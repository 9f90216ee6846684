#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""However a command ends, it leaves nothing behind: no loop device, mount, process, file or changed setting.

usage: test-interrupts.py SOURCE_DIR BUILD_DIR [unittest argument]...

Each command is ended before its time at random moments. BRIO_TEST_KILLS says how often (default: 2), BRIO_TEST_SEED repeats
the moments of an earlier run."""
import contextlib
import fcntl
import itertools
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve()
BUILD_DIR = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "tests/lib"))
sys.path.insert(0, str(SOURCE / "bench"))

import traces  # noqa: E402
from lib import memory  # noqa: E402

SEED = int(os.environ.get("BRIO_TEST_SEED", "20261121"))
KILLS = int(os.environ.get("BRIO_TEST_KILLS", "2"))
EMULATE = SOURCE / "bench/drive/emulate"
END_TIMEOUT_S = 120
SETUP_S = 1.5  # in which most of what can be left is made
CTRL_C = b"\x03"
UNFINISHED = f"{BUILD_DIR}/bench-trees/unfinished-*"


@dataclass
class Command:
  """span_s: about how long it takes if one lets it. programs: without which it would end at once."""
  name: str
  arguments: str
  span_s: float
  programs: tuple = ("fio", "mkfs.ext4", "dbus-daemon")
  in_memory: bool = False  # its drives

  def test_name(self):
    """events has several parts, and seeds has several seeds."""
    return " ".join([self.name, *re.findall(r"--(?:(?:part|seed) \w+|soak)", self.arguments)])

  def lacks(self):
    return next((name for name in self.programs if not shutil.which(name)), None)


COMMANDS = (
  Command("tools/demo.py", "--readers 2 --patience 2", 60),
  Command("bench/drive/emulate", "--size 4", 1.5, ()),
  Command("bench/seeds", "--real --quick --seed 000 --runs 1 --runtime 1 --processes 20 --output /dev/null", 7),
  Command("bench/startup", "--real --drives ssd --programs python3 --loads writers --alternatives brio --runs 1 --lead 1 --start-timeout 3 --output /dev/null", 15),
  Command("bench/seeds", "--real --seed 002 --against none --runs 1 --runtime 1 --output /dev/null", 12, ("fio", "mkfs.xfs", "fs_mark", "dbus-daemon")),
  Command("bench/stream", "--real --against none --runs 1 --runtime 2 --output /dev/null", 25, ("fio", "mkfs.ext4", "dbus-daemon", "ffmpeg")),
  Command("bench/throughput", "--real --drives ssd --loads writers --runs 1 --runtime 1 --output /dev/null", 20, ("fio", "mkfs.ext4", "dbus-daemon")),
  Command("bench/day", "--real --quick --runtime 10 --output /dev/null", 40, ("fio", "mkfs.ext4", "dbus-daemon", "ffmpeg", "dpkg")),
  Command("bench/accuracy/check", "--quick --scenarios direct-hdd --output /dev/null", 17),
  Command("bench/events/check", "--part load --quick --no-peers --output /dev/null", 40, ("fio", "dbus-daemon"), in_memory=True),
  Command("bench/events/check", "--part quiet --quick --output /dev/null", 30, ("dbus-daemon",), in_memory=True),
  Command("bench/events/check", "--soak 5 --output /dev/null", 8, ("fio",), in_memory=True),
  Command("bench/abuse/check", "--seconds 2 --floods calls,streams --output /dev/null", 11, ("dbus-daemon",)),
  Command("bench/idle", "--seconds 1 --output /dev/null", 17, ("dbus-daemon",)),
)


def why_not():
  if os.geteuid() != 0:
    return "needs root"
  for device in ("/dev/fuse", "/dev/loop-control"):
    if not os.path.exists(device):
      return f"there is no {device}"
  if not (BUILD_DIR / "bench/drive/brio-drive").exists():
    return "brio-drive is not built"
  return None


def own_terminal():
  """In a child. What nohup, or a shell without job control, has us ignore, a command on a terminal does not."""
  for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)
  fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
  """A context manager: a command on a terminal of its own, as its foreground."""

  def __init__(self, argv, environment):
    self.argv = argv
    self.environment = environment
    self.text = b""

  def __enter__(self):
    self.fd, self.inner = pty.openpty()
    self.modes = termios.tcgetattr(self.inner)
    self.popen = subprocess.Popen(self.argv, env=self.environment, stdin=self.inner, stdout=self.inner, stderr=self.inner,
                                  start_new_session=True, preexec_fn=own_terminal)
    return self

  def __exit__(self, *_):
    if self.popen.poll() is None:
      self.popen.kill()
      self.popen.wait()
    self.hang_up()

  def wait(self, seconds):
    """Until the command has ended, at most that long; reads what it prints meanwhile. Returns its status."""
    end = time.monotonic() + seconds
    while self.popen.poll() is None and time.monotonic() < end:
      if self.fd < 0:
        time.sleep(traces.POLL_S)
      elif select.select([self.fd], [], [], traces.POLL_S)[0]:
        self.text += os.read(self.fd, 4096)
    return self.popen.returncode

  def type(self, keys):
    os.write(self.fd, keys)

  def modes_are_as_before(self):
    return self.fd < 0 or termios.tcgetattr(self.inner) == self.modes

  def hang_up(self):
    if self.fd >= 0:
      os.close(self.inner)
      os.close(self.fd)
      self.fd = -1


def press_ctrl_c(terminal, _rng):
  terminal.type(CTRL_C)


def press_ctrl_c_twice(terminal, rng):
  terminal.type(CTRL_C)
  terminal.wait(rng.uniform(0, 0.5))
  if terminal.popen.poll() is None:
    terminal.type(CTRL_C)


def terminate(terminal, _rng):
  terminal.popen.terminate()


def close_the_terminal(terminal, _rng):
  terminal.hang_up()


def kill(terminal, _rng):
  terminal.popen.kill()


ENDS = (press_ctrl_c, kill, terminate, press_ctrl_c_twice, close_the_terminal)


@unittest.skipIf(why_not(), why_not() or "")
class Traceless(unittest.TestCase):
  """What the others share: a directory of our own for all files, so that other people's runs are none of our business."""

  @classmethod
  def setUpClass(cls):
    cls.directory = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="brio-traces-"))
    cls.traces = cls.enterClassContext(traces.Traces(cls.directory, UNFINISHED))
    cls.environment = os.environ | {"BRIO_BENCH_STATE": f"{cls.directory}/state", "TMPDIR": cls.directory}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
      cls.environment.pop(name, None)

  def setUp(self):
    self.traces.begin()

  def clean_up(self):
    subprocess.run([EMULATE, "--cleanup", "--build-dir", BUILD_DIR], env=self.environment, stdout=subprocess.DEVNULL, check=True)

  def make_another_drive(self):
    """The next run removes what a killed one left, before it makes anything."""
    with self.drive():
      pass

  @contextlib.contextmanager
  def drive(self):
    with subprocess.Popen([EMULATE, "--build-dir", BUILD_DIR, "--size", "4"], env=self.environment, stdout=subprocess.PIPE) as emulate:
      try:
        yield Path(json.loads(emulate.stdout.readline())["device"]).name
      finally:
        emulate.terminate()


class Notices(Traceless):
  """The comparison itself finds what it should."""

  def assert_found(self, name):
    found = self.traces.differences()
    self.assertTrue([line for line in found if line.startswith(name)], f"{name} is not among {found}")

  def tearDown(self):
    self.assertEqual([], self.traces.left())

  def test_a_process_that_left_its_session_is_found(self):
    subprocess.run(["setsid", "--fork", "sleep", "1000"], check=True)
    self.assert_found("process ")
    for pid, _ in traces.descendants():
      os.kill(pid, signal.SIGKILL)

  def test_a_mount_is_found(self):
    subprocess.run(["mount", "-t", "tmpfs", "nothing", self.directory], check=True)
    self.assert_found("mount ")
    subprocess.run(["umount", self.directory], check=True)

  def test_a_file_is_found(self):
    file = Path(self.directory, "file")
    file.touch()
    self.assert_found(str(file))
    file.unlink()

  def test_a_loop_device_and_its_settings_are_found(self):
    with self.drive() as device:
      self.traces.strangers.pop(device, None)  # another process may just have given it back
      Path("/sys/block", device, "queue/read_ahead_kb").write_text("12")
      self.assert_found(f"/sys/block/{device}/loop")
      self.assert_found(f"/sys/block/{device}/queue/read_ahead_kb")

  def test_a_drive_in_memory_is_found(self):
    with memory.MemoryDrive() as drive:
      self.traces.memory = f"/memfd:brio-memory-drive-{os.getpid()} "
      self.assert_found(f"/sys/block/{drive.name}/loop")

  def test_a_sysctl_is_found(self):
    sysctl = Path("/proc/sys/vm/stat_interval")
    former = sysctl.read_text()
    try:
      sysctl.write_text(str(int(former) + 1))
      self.assert_found(str(sysctl))
    finally:
      sysctl.write_text(former)


class Interrupts(Traceless):
  def end_before_its_time(self, command, end, rng):
    argv = [SOURCE / command.name, "--build-dir", BUILD_DIR, *command.arguments.split()]
    moment_s = rng.uniform(0, rng.choice((SETUP_S, command.span_s)))
    self.traces.memory = "-" if command.in_memory else None
    self.traces.begin()
    with Terminal(argv, self.environment) as terminal:
      if command.in_memory:
        self.traces.memory = f"/memfd:brio-memory-drive-{terminal.popen.pid} "
      if terminal.wait(moment_s) is None:
        end(terminal, rng)
      status = terminal.wait(END_TIMEOUT_S)
      what = f"{command.name}, {end.__name__.replace('_', ' ')} after {moment_s:.3f} s: {terminal.text.decode()}"
      self.assertIsNotNone(status, f"still runs: {what}")
      # Ctrl-C while Python itself still begins: nothing of the command has run, and the status is Python's.
      if b"Python runtime state: initialized" not in terminal.text:
        self.assertNotEqual(1, status, f"failed by itself: {what}")
      if end is kill:
        rng.choice((self.clean_up, self.make_another_drive))()
      else:
        self.assertTrue(terminal.modes_are_as_before(), f"another mode of the terminal after {what}")
      self.assertEqual([], self.traces.left(), what)


def interrupt(command, first):
  def test(self):
    if command.lacks():
      self.skipTest(f"{command.lacks()} is not installed")
    rng = random.Random(f"{SEED} {command.name}")
    print("seed", SEED, file=sys.stderr)
    ends = itertools.islice(itertools.cycle(ENDS), first, first + KILLS)
    for end in ends:
      with self.subTest(end.__name__):
        self.end_before_its_time(command, end, rng)
  return test


for position, each in enumerate(COMMANDS):
  setattr(Interrupts, f"test_{re.sub(r'[^a-z0-9]', '_', each.test_name())}_leaves_nothing", interrupt(each, position * KILLS % len(ENDS)))


def leave_mount_namespace():
  """Other people's mounts come and go; ours alone are to be compared."""
  if os.geteuid() == 0 and "BRIO_TEST_OWN_MOUNTS" not in os.environ:
    os.environ["BRIO_TEST_OWN_MOUNTS"] = "yes"
    os.execvp("unshare", ["unshare", "--mount", sys.executable, sys.argv[0], str(SOURCE), str(BUILD_DIR), *sys.argv[1:]])


if __name__ == "__main__":
  leave_mount_namespace()
  unittest.main(catchbreak=True)
