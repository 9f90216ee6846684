#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-daemon.py MACHINE: a real briod serves the recorded machine as MACHINE.expect says, and leaves it as it was, byte for byte."""
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lib"))
sys.path.insert(0, str(HERE))

import brio  # noqa: E402
import unpack  # noqa: E402

MACHINE = sys.argv[1]
DRIVE = re.compile(r'^drive (?P<number>\S+) (?P<name>\S+) (?P<class>\S+) (?P<scheduler>\S+) "(?P<model>.*)" \((?P<why>.*)\)$')
# Renaming over a file makes many a filesystem write to the disk at once: hundreds of readers would take seconds to read once.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# Of each of many readers: 40 kB/s. Without it, a fast machine would make them read too much to count as small readers.
READ_PERIOD_S = 0.1
LOAD_PATIENCE_S = 60  # each time so many files are written
# The shipped policy of each class of drive.
POLICIES = {
  "hdd": "10-hdd", "ssd": "10-ssd", "nvme": "10-nvme", "emmc": "10-mmc", "sd-card": "10-mmc", "usb-stick": "10-usb",
  "usb-disk": "10-usb", "virtual": "10-virtual", "raid": "10-raid", "zoned": "10-zoned",
}


def expected_drives(machine):
  """The drives of MACHINE.expect, and the names to include."""
  text = (HERE / f"{machine}.expect").read_text()
  drives = [match.groupdict() for line in text.splitlines() if (match := DRIVE.match(line))]
  include = re.search(r"^# include: (.*)$", text, re.M)
  return drives, include[1].split() if include else []


class Served(unittest.TestCase):
  """A machine, unpacked, with briod on it."""
  machine = MACHINE
  prefix = ()
  maxDiff = None
  policies = None  # the shipped ones

  def setUp(self):
    self.root = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-machine-", dir=MEMORY))
    unpack.unpack(self.machine, self.root)
    self.prepare()
    self.diskstats = brio.Diskstats(self.root)
    self.before = self.settings()
    self.drives, include = expected_drives(self.machine)
    options = [option for name in include for option in ("--include", name)]
    self.bus = self.enterContext(brio.Bus())
    self.briod = self.enterContext(brio.Briod(self.bus, "--root", self.root, *options, policies=self.policies, prefix=self.prefix))

  def prepare(self):
    """For what a class wants to be different on its machine."""

  def settings(self):
    """Every file below sys with its bytes and mode, every link with its target."""
    found = {}
    for path in sorted(Path(self.root, "sys").rglob("*")):
      name = str(path.relative_to(self.root))
      if path.is_symlink():
        found[name] = os.readlink(path)
      elif path.is_file():
        found[name] = (path.stat().st_mode, path.read_bytes())
      else:
        found[name] = "directory"
    return found

  def attribute(self, drive, name):
    return Path(self.root, "sys/block", drive, "queue", name)

  def end_and_compare(self):
    self.assertEqual(0, self.briod.stop())
    self.assertEqual(self.before, self.settings())
    self.assertFalse(Path(self.briod.state, "originals").exists())


class Drives(Served):
  def test_the_drives_are_served_as_expected(self):
    served = {path.rsplit("/", 1)[1] for path in self.briod.get("Devices")}
    self.assertEqual({drive["name"] for drive in self.drives}, served)
    for drive in self.drives:
      with self.subTest(drive["name"]):
        get = lambda name: self.briod.get(name, drive["name"])  # noqa: E731
        policy = POLICIES[drive["class"]]
        self.assertEqual(drive["class"], get("Class"))
        self.assertEqual(drive["why"], get("ClassReason"))
        self.assertRegex(" ".join(part["id"] for part in get("ClassReasonData")), "^class-[a-z-]+$")
        self.assertEqual(drive["model"], get("Model"))
        self.assertEqual((policy, str(brio.SOURCE / f"policies/{policy}.conf")), get("Policy"))

  def test_schedulers_are_the_recorded_ones_and_come_back(self):
    """The machine rests, so that policies may have switched by now; what was there before is the initial value."""
    for drive in self.drives:
      with self.subTest(drive["name"]):
        tunables = self.briod.get("Tunables", drive["name"])
        self.assertEqual(drive["scheduler"], tunables["scheduler"][0] if "scheduler" in tunables else "-")
    self.end_and_compare()

  def test_a_quiet_drive_gets_the_scheduler_of_its_policy_and_gives_it_back(self):
    wanted = {}
    for drive in self.drives:
      offered = self.briod.get("Schedulers", drive["name"])
      prefers_bfq = POLICIES[drive["class"]] in ("10-hdd", "10-ssd", "10-mmc", "10-usb")
      if prefers_bfq and "bfq" in offered and drive["scheduler"] != "bfq":
        wanted[drive["name"]] = "bfq"
      elif drive["scheduler"] != "-":
        wanted[drive["name"]] = drive["scheduler"]
    brio.wait_for(lambda: all(self.briod.get("Scheduler", name) == scheduler for name, scheduler in wanted.items()),
                  f"the schedulers {wanted}; log:\n{self.briod.text()}")
    self.end_and_compare()

  def test_nothing_is_written_with_the_mode_off(self):
    self.briod.call("SetMode", "(s)", "off")
    self.assertEqual(self.before, self.settings())
    self.end_and_compare()


class Crowd:
  """Processes in ROOT/proc that have a drive open, and what they and the drive have read so far."""

  def __init__(self, root, diskstats, drive, count, first=1000):
    self.proc, self.diskstats, self.drive, self.first = Path(root, "proc"), diskstats, drive, first
    self.read_bytes = [0] * count
    for i in range(count):
      directory = self.proc / str(first + i)
      (directory / "fd").mkdir(parents=True)
      (directory / "fd/3").symlink_to(f"/dev/{drive}")
      fields = ["S", "1"] + ["0"] * 17 + [str(100 + i)] + ["0"] * 30  # from the third on: state, parent, ..., start time
      (directory / "stat").write_text(f"{first + i} (reader {i}) {' '.join(fields)}\n")
      self.write(i)

  def write(self, i):
    path = self.proc / str(self.first + i) / "io"
    new = path.with_suffix(".new")
    new.write_text(f"rchar: 0\nwchar: 0\nread_bytes: {self.read_bytes[i]}\nwrite_bytes: 0\ncancelled_write_bytes: 0\n")
    new.rename(path)

  def read(self, size=4096):
    """Every one of them reads a little."""
    for i in range(len(self.read_bytes)):
      self.read_bytes[i] += size
      self.write(i)
    n = len(self.read_bytes)
    self.diskstats.add_reads(self.drive, n, n * size // 512, 1000)

  def leave(self):
    for i in range(len(self.read_bytes)):
      shutil.rmtree(self.proc / str(self.first + i))


class CfqMachine(Served):
  """cfq on Linux 4.19, which seed 000 comes from. edits: of the shipped policy, besides that nothing is set while the drive is quiet: what a load brings is
  all that changes."""
  machine = "cfq-4.19"
  edits = ()

  def prepare(self):
    self.policies = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-policies-"))
    text = Path(brio.SOURCE, "policies/10-hdd.conf").read_text()
    for old, new in (("Ahead = yes\n", ""), ("queue.read_ahead_kb = 128..1024", "queue.read_ahead_kb = 0..128"), *self.edits):
      self.assertIn(old, text)
      text = text.replace(old, new)
    Path(self.policies, "50-edited.conf").write_text(text)

  def press(self, count, reached, what, size=4096):
    """count readers read so much at a time until it is reached."""
    crowd = Crowd(self.root, self.diskstats, "sdb", count)
    due_s = 0.0

    def look():
      nonlocal due_s
      if time.monotonic() >= due_s:
        crowd.read(size)
        due_s = time.monotonic() + READ_PERIOD_S
      return reached()
    try:
      brio.wait_for(look, what, LOAD_PATIENCE_S)
    except AssertionError as e:
      raise AssertionError(f"{e}: {self.briod.get('Reason', 'sdb')!r}\n{self.briod.text()}") from e
    return crowd

  def stands_at(self, name, value):
    return self.attribute("sdb", f"iosched/{name}").read_text() == f"{value}\n"

  def bring(self, count, idle_us):
    return self.press(count, lambda: self.stands_at("slice_idle_us", idle_us), f"slice_idle_us = {idle_us}")

  def changed(self):
    now = self.settings()
    return {name.rsplit("queue/", 1)[1] for name, value in self.before.items() if now[name] != value}


class CfqIdles(CfqMachine):
  """A policy of the user's own, that takes shorter waits for worth it than Brio's."""
  edits = (("ShortestWait = 8ms\n", "ShortestWait = 4ms\n"),)

  def check_readers(self, count, idle_us):
    self.press(count, lambda: self.stands_at("slice_idle_us", idle_us) and f"/ {count} readers" in self.briod.get("Reason", "sdb"),
               f"slice_idle_us = {idle_us}")
    brio.wait_for(lambda: self.briod.get("State", "sdb") == "holding", "the state")
    self.assertRegex(self.briod.get("Reason", "sdb"),
                     rf"idle-limit: .*min\(base 8000 µs, group slice 300000 µs / {count} readers\) = {300000 // count} µs"
                     + ("" if idle_us else ", shorter than 4000 µs, so 0 µs"))
    self.assertEqual("many-sync", self.briod.get("Workload", "sdb"))
    self.assertEqual(("8000", str(idle_us), str(idle_us), "brio"), self.briod.tunable("sdb", "slice_idle_us"))
    self.assertEqual({"iosched/slice_idle_us"}, self.changed())  # cfq shares its slices by itself with low_latency 1
    self.end_and_compare()

  def test_60_readers_get_a_slice_idle_of_5000(self):
    self.check_readers(60, 5000)

  def test_500_readers_are_not_waited_for(self):
    self.check_readers(500, 0)

  def test_the_original_comes_back_some_time_after_they_left(self):
    crowd = self.bring(150, 0)
    crowd.leave()
    brio.wait_for(lambda: self.settings() == self.before, "the original", 60)
    brio.wait_for(lambda: self.briod.get("State", "sdb") == "observing", "the state")
    self.assertFalse(Path(self.briod.state, "originals").exists())


class CfqIsQuiet(CfqMachine):
  """The shipped policy."""
  edits = (("ShortestWait = 8ms\n", "ShortestWait = 8ms\nAhead = yes\n"),)

  def test_on_a_quiet_drive_there_is_no_wait_under_cfq_either(self):
    brio.wait_for(lambda: self.stands_at("slice_idle_us", 0), "an end of the wait")
    self.assertIn("idle-limit: the drive is quiet", self.briod.get("Reason", "sdb"))
    self.assertEqual({"iosched/slice_idle_us"}, self.changed())
    self.end_and_compare()


class CfqRestores(CfqMachine):
  def test_restore_brings_everything_back(self):
    self.bring(150, 0)
    self.assertEqual((1, 0), self.briod.call("Restore", "(s)", ""))
    self.assertEqual(self.before, self.settings())
    self.assertEqual("off", self.briod.get("Mode"))
    self.assertFalse(Path(self.briod.state, "originals").exists())

  def test_a_killed_run_is_made_good_by_the_next(self):
    self.bring(150, 0)
    self.briod.stop(signal.SIGKILL)
    self.assertEqual({"iosched/slice_idle_us"}, self.changed())
    with brio.Briod(self.bus, "--root", self.root, "--mode", "off", state=self.briod.state, prefix=self.prefix) as again:
      self.assertEqual(self.before, self.settings())
      self.assertIn("slice_idle_us", again.text())


@unittest.skipIf(os.geteuid() != 0, "needs root")
class CfqOnItsKernel(CfqRestores):
  """With no call that came after 4.19."""
  prefix = (sys.executable, str(HERE.parent / "lib/old-kernel.py"))


class CfqSharesSlices(CfqMachine):
  """With low_latency 0 cfq no longer shares its slices by itself, and seed 001's law does."""

  def prepare(self):
    super().prepare()
    self.attribute("sdb", "iosched/low_latency").write_text("0\n")

  def check_slice(self, slice_us, formula):
    self.press(150, lambda: self.stands_at("slice_sync_us", slice_us), f"slice_sync_us = {slice_us}", size=1 << 20)  # small ones end their turns themselves
    brio.wait_for(lambda: formula in self.briod.get("Reason", "sdb"), formula)
    self.assertEqual({"iosched/slice_sync_us"}, self.changed())
    self.end_and_compare()

  def test_the_slice_goes_down_to_the_floor_of_the_policy(self):
    self.check_slice(60000, "max(base 100000 µs * 3 / 150 processes, 2 * idle 8000 µs, floor 60000 µs) = 60000 µs")


class CfqSharesSlicesAsTheSeed(CfqSharesSlices):
  """A policy of the user's own, with the floor that the seed has."""
  edits = (("Floor = 60ms\n", ""),)

  def test_the_slice_goes_down_to_the_floor_of_the_policy(self):
    self.check_slice(16000, "max(base 100000 µs * 3 / 150 processes, 2 * idle 8000 µs, floor 0 µs) = 16000 µs")


if __name__ == "__main__":
  unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
