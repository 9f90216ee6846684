#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An emulated drive has its model's timing, and leaves nothing behind however its maker ends.

usage: test-emulate.py EMULATE BUILD_DIR [unittest argument]..."""
import contextlib
import fcntl
import json
import mmap
import os
import random
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
sys.dont_write_bytecode = True
from traces import read  # noqa: E402

EMULATE = Path(sys.argv.pop(1)).resolve()
BUILD_DIR = Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(EMULATE.parent.parent))
from lib import drive, state  # noqa: E402

SEED = int(os.environ.get("BRIO_TEST_SEED", "20261121"))
BLOCK = 4096
SIZE_GIB = 4
GONE_TIMEOUT_S = 30
BLKDISCARD = 0x1277  # linux/fs.h


def why_not():
  if os.geteuid() != 0:
    return "needs root"
  for device in ("/dev/fuse", "/dev/loop-control"):
    if not os.path.exists(device):
      return f"there is no {device}"
  if not (BUILD_DIR / "bench" / "drive" / "brio-drive").exists():
    return "brio-drive is not built"
  return None


def settings(device):
  """A drive's queue directory as text. The name of a loop device belongs to no process while it is unbound, so others may
  change it: what we compare is what emulate touches."""
  queue = Path("/sys/block") / Path(device).name / "queue"
  return {k: (queue / k).read_text() for k in ("scheduler", "nr_requests", "rotational")}


def drives_of(directory):
  """Loop devices, mounts and processes that belong to drives in a state directory."""
  found = [p.parent.parent.name for p in Path("/sys/block").glob("loop*/loop/backing_file") if read(p).startswith(directory)]
  found += [line for line in read("/proc/self/mountinfo").splitlines() if directory in line]
  for process in Path("/proc").glob("[0-9]*"):
    # A zombie has no command line.
    if directory in read(process / "cmdline"):
      found.append(process.name)
  return found


def wait_until(condition):
  end = time.monotonic() + GONE_TIMEOUT_S
  while not condition() and time.monotonic() < end:
    time.sleep(0.05)
  return condition()


@unittest.skipIf(why_not(), why_not() or "")
class Emulate(unittest.TestCase):
  def setUp(self):
    directory = tempfile.TemporaryDirectory(prefix="brio-test-")
    self.addCleanup(directory.cleanup)
    # A directory of our own: --cleanup must not see what other people's killed runs left.
    self.state = os.path.join(directory.name, "state")
    self.environment = os.environ | {"BRIO_BENCH_STATE": self.state}
    self.emulate = None
    self.addCleanup(self.end)

  def end(self):
    if self.emulate:
      self.emulate.kill()
      self.emulate.wait()
      self.emulate.stdout.close()
    subprocess.run([EMULATE, "--cleanup"], env=self.environment, stdout=subprocess.DEVNULL, check=True)

  def make(self, launcher=()):
    argv = [*launcher, EMULATE, "--build-dir", BUILD_DIR, "--size", str(SIZE_GIB), "--scheduler", "bfq"]
    self.emulate = subprocess.Popen(argv, env=self.environment, stdout=subprocess.PIPE)
    self.assertTrue(select.select([self.emulate.stdout], [], [], 30)[0], "no answer within 30 s")
    return json.loads(self.emulate.stdout.readline())["device"]

  def before(self):
    """What the drive remembers of the loop device, as settings() has it."""
    taken, = Path(self.state).glob("drive-*/taken.json")
    return json.loads(taken.read_text())["before"]

  def assert_restored(self, device, before):
    self.assert_equals_before(settings(device), before)

  def assert_equals_before(self, now, before):
    active = now["scheduler"].partition("[")[2].partition("]")[0] or now["scheduler"].strip()
    self.assertEqual({"scheduler": active, "nr_requests": now["nr_requests"].strip(), "rotational": now["rotational"].strip()},
                     {k: before[k] for k in ("scheduler", "nr_requests", "rotational")})

  def assert_gone(self, device, before):
    self.assertTrue(wait_until(lambda: not drives_of(self.state)), f"left: {drives_of(self.state)}")
    self.assertTrue(wait_until(lambda: not os.path.exists(self.state)), "the state directory is left")
    self.assert_restored(device, before)

  def test_it_reads_ahead_as_a_real_drive_does(self):
    device = self.make()
    self.assertEqual(read(f"/sys/block/{Path(device).name}/queue/read_ahead_kb"), "128\n")

  def test_random_reads_take_several_milliseconds(self):
    device = self.make()
    now = settings(device)
    self.assertIn("[bfq]", now["scheduler"])
    self.assertEqual(now["rotational"], "1\n")
    print(f"seed {SEED}", file=sys.stderr)
    rng = random.Random(SEED)
    fd = os.open(device, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    times = []
    with mmap.mmap(-1, BLOCK) as buffer:
      for _ in range(40):
        offset = rng.randrange((SIZE_GIB << 30) // BLOCK) * BLOCK
        begin = time.monotonic()
        self.assertEqual(os.preadv(fd, [buffer], offset), BLOCK)
        times.append(time.monotonic() - begin)
    os.close(fd)
    # The model cannot do better: a mean of 7.8 ms of seek and 4.2 ms of rotation. A slow machine only adds to it.
    self.assertGreater(statistics.mean(times), 0.008)
    self.assertGreater(min(times), 0.0002)

  def test_what_was_written_is_read_back(self):
    device = self.make()
    pattern = random.Random(SEED).randbytes(BLOCK)
    fd = os.open(device, os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC)
    with mmap.mmap(-1, BLOCK) as buffer:
      buffer[:] = pattern
      for offset in (0, 1 << 30, (SIZE_GIB << 30) - BLOCK):
        self.assertEqual(os.pwritev(fd, [buffer], offset), BLOCK)
        buffer[:] = bytes(BLOCK)
        self.assertEqual(os.preadv(fd, [buffer], offset), BLOCK)
        self.assertEqual(buffer[:], pattern)
    os.fsync(fd)
    os.close(fd)

  def test_every_model_keeps_what_is_written_and_flushed(self):
    state.DIRECTORY = Path(self.state)
    for name in drive.model_names():
      with self.subTest(name), drive.EmulatedDrive(name, "none", BUILD_DIR, SIZE_GIB << 30) as emulated:
        model = emulated.model["model"]
        self.assertIn(emulated.drive_class, ("hdd", "ssd", "nvme", "emmc", "sd-card", "usb-stick"))
        self.assertEqual(settings(emulated.device)["rotational"].strip(), str(int(model.getboolean("rotational"))))
        with open(emulated.device, "r+b", buffering=0) as device:
          device.write(name.encode().ljust(BLOCK))
          os.fsync(device)
          os.posix_fadvise(device.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
          device.seek(0)
          self.assertEqual(device.read(BLOCK), name.encode().ljust(BLOCK))

  def test_an_fsync_lasts_until_the_write_cache_is_on_the_platter(self):
    state.DIRECTORY = Path(self.state)
    rng = random.Random(SEED)
    with drive.EmulatedDrive("disk-2tb", "none", BUILD_DIR, SIZE_GIB << 30) as emulated, mmap.mmap(-1, BLOCK) as buffer:
      fd = os.open(emulated.device, os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC)
      begin = time.monotonic()
      for block in rng.sample(range((SIZE_GIB << 30) // BLOCK // 2), 64):
        os.pwritev(fd, [buffer], 2 * block * BLOCK)
      os.fsync(fd)
      took_s = time.monotonic() - begin
      os.close(fd)
    # Each block is on a track of its own: 1 ms to get there and 1 ms to settle. A slow machine only adds to it; into the cache alone they take
    # 0.2 ms each.
    self.assertGreater(took_s, 64 * 0.002)

  def test_at_once_bypasses_the_model_and_what_is_discarded_reads_as_zeros(self):
    # At one turn a minute these reads would take a quarter of an hour.
    model = Path(self.state).parent / "slow.conf"
    model.write_text(re.sub("(?m)^rpm = .*", "rpm = 1", (drive.MODELS / "hdd-7200.conf").read_text()))
    state.DIRECTORY = Path(self.state)
    with drive.EmulatedDrive(str(model), "none", BUILD_DIR, SIZE_GIB << 30) as slow:
      with slow.at_once(), open(slow.device, "r+b", buffering=0) as device:
        self.assertEqual(os.getxattr(slow.file, drive.TIMING), b"off")
        self.assertRaises(OSError, os.setxattr, slow.file, drive.TIMING, b"perhaps")
        for block in range(30):
          device.seek(block << 26)
          self.assertEqual(device.read(BLOCK), bytes(BLOCK))
        device.seek(1 << 30)
        device.write(b"x" * BLOCK)
        os.fsync(device)
        fcntl.ioctl(device, BLKDISCARD, struct.pack("=QQ", 1 << 30, BLOCK))
        device.seek(1 << 30)
        self.assertEqual(device.read(BLOCK), bytes(BLOCK))
      self.assertEqual(os.getxattr(slow.file, drive.TIMING), b"on")

  def test_sigterm_removes_everything(self):
    device = self.make()
    before = self.before()
    self.emulate.terminate()
    self.assertEqual(self.emulate.wait(GONE_TIMEOUT_S), 0)
    self.assert_gone(device, before)

  def test_sigint_removes_everything(self):
    device = self.make()
    before = self.before()
    self.emulate.send_signal(signal.SIGINT)
    self.assertEqual(self.emulate.wait(GONE_TIMEOUT_S), 0)
    self.assert_gone(device, before)

  def test_the_end_of_the_parent_removes_everything(self):
    # The shell stays the parent, as it has a command after this one.
    device = self.make(["sh", "-c", '"$@"; :', "sh"])
    before = self.before()
    self.emulate.kill()
    self.emulate.wait()
    self.assert_gone(device, before)

  def test_after_sigkill_cleanup_removes_what_is_left(self):
    device = self.make()
    before = self.before()
    self.emulate.kill()
    self.emulate.wait()
    self.assertTrue(wait_until(lambda: not drives_of(self.state)), f"left: {drives_of(self.state)}")
    said = subprocess.run([EMULATE, "--cleanup"], env=self.environment, stdout=subprocess.PIPE, check=True).stdout
    self.assertEqual(json.loads(said), {"removed": [device]})
    self.assert_gone(device, before)

  @contextlib.contextmanager
  def unbound_with(self):
    """What the settings of each loop device are when it is given up, and others may have it."""
    seen, unbind = [], drive.unbind

    def look(fd, device):
      seen.append(settings(device))
      unbind(fd, device)
    with mock.patch.object(drive, "unbind", look):
      yield seen

  def test_its_settings_are_put_back_before_another_process_can_have_the_loop_device(self):
    state.DIRECTORY = Path(self.state)
    with self.unbound_with() as seen:
      with drive.EmulatedDrive("hdd-7200", "bfq", BUILD_DIR, SIZE_GIB << 30) as emulated:
        before = emulated.taken["before"]
        self.assertIn("[bfq]", settings(emulated.device)["scheduler"])
    self.assertEqual(1, len(seen))
    self.assert_equals_before(seen[0], before)

  def test_those_that_a_killed_process_left_are_put_back_before_another_can_have_the_loop_device(self):
    device = self.make()
    before = self.before()
    self.emulate.kill()
    self.emulate.wait()
    self.assertTrue(wait_until(lambda: not drives_of(self.state)), f"left: {drives_of(self.state)}")
    state.DIRECTORY = Path(self.state)
    with self.unbound_with() as seen:
      self.assertEqual([device], drive.cleanup(BUILD_DIR))
    self.assertEqual(1, len(seen))
    self.assert_equals_before(seen[0], before)
    self.assert_gone(device, before)

  def test_those_that_a_killed_process_left_are_put_back_where_its_drive_is_not_gone_yet(self):
    device = self.make()
    before = self.before()
    fd = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    self.emulate.kill()
    self.emulate.wait()
    state.DIRECTORY = Path(self.state)
    without_mount = wait_until(lambda: drive.backing_file(device) == drive.WITHOUT_MOUNT)
    closing = threading.Timer(0.5, os.close, (fd,))
    closing.start()
    self.addCleanup(closing.join)
    self.assertTrue(without_mount, f"bound is {drive.backing_file(device)}")
    self.assertEqual([device], drive.cleanup(BUILD_DIR))
    self.assert_gone(device, before)

  def test_what_was_set_in_a_scheduler_comes_back_with_it(self):
    device = self.make()
    tunable = drive.sysfs.queue(device) / "iosched/slice_idle"
    tunable.write_text("3")
    before = drive.settings_of(device)
    drive.put_back(device, before | {"scheduler": "none"})
    self.assertFalse(tunable.exists())
    drive.put_back(device, before)
    self.assertEqual("3\n", tunable.read_text())

  def test_settings_of_a_loop_device_that_another_process_has_bound_meanwhile_stay(self):
    device = self.make()
    theirs = settings(device)
    drive.restore(device, self.before() | {"rotational": "0", "scheduler": "none"})
    self.assertEqual(theirs, settings(device))

  def test_cleanup_leaves_a_running_drive_alone(self):
    device = self.make()
    said = subprocess.run([EMULATE, "--cleanup"], env=self.environment, stdout=subprocess.PIPE, check=True).stdout
    self.assertEqual(json.loads(said), {"removed": []})
    self.assertTrue(drives_of(self.state))
    fd = os.open(device, os.O_RDONLY | os.O_CLOEXEC)
    self.assertEqual(len(os.pread(fd, BLOCK, 0)), BLOCK)
    os.close(fd)

  def test_a_bad_model_is_an_error_that_leaves_nothing(self):
    model = Path(self.state).parent / "bad.conf"
    model.write_text("[model]\nkind = floppy\nclass = hdd\nqueue_depth = 1\ntags = 1\nrotational = yes\n")
    argv = [EMULATE, "--build-dir", BUILD_DIR, "--model", model]
    done = subprocess.run(argv, env=self.environment, capture_output=True, text=True)
    self.assertEqual(done.returncode, 1)
    self.assertIn("bad.conf:2: unknown kind of drive \"floppy\"", done.stderr)
    self.assertEqual(drives_of(self.state), [])

  def test_a_scheduler_that_the_kernel_lacks_is_an_error_that_leaves_nothing(self):
    argv = [EMULATE, "--build-dir", BUILD_DIR, "--scheduler", "elevator"]
    done = subprocess.run(argv, env=self.environment, capture_output=True, text=True)
    self.assertEqual(done.returncode, 1)
    self.assertRegex(done.stderr, "^emulate: .* has no scheduler 'elevator'; this kernel offers none, .*\n$")
    self.assertEqual(drives_of(self.state), [])

  def test_a_wrong_argument_is_a_usage_error(self):
    for option, value in (("--size", "0"), ("--size", "99999999"), ("--seed", "-1"), ("--model", "floppy")):
      done = subprocess.run([EMULATE, "--build-dir", BUILD_DIR, option, value], env=self.environment, capture_output=True, text=True)
      self.assertEqual(done.returncode, 2, (option, value))
      self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
  unittest.main()
