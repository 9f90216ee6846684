#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests in virtual time.

usage: test-virtual.py SOURCE_DIR BUILD_DIR [unittest argument]..."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE = Path(sys.argv.pop(1)).resolve()
BUILD_DIR = Path(sys.argv.pop(1)).resolve()
sys.path[:0] = [str(SOURCE / "bench"), str(SOURCE / "tests/lib")]
from lib import process, sysfs, trees  # noqa: E402
from lib.virtual import bounds, machine, processor, system  # noqa: E402
import guests  # noqa: E402

PATIENCE_S = 120
START = {"module": "start", "drive": "hdd", "program": "python3", "load": "readers-writers", "alternative": "brio", "seed": 1, "lead_s": 1.0, "limit_s": 30.0,
         "detail": False}


def setUpModule():
  guests.need(system, BUILD_DIR)


def eventually(condition):
  end = time.monotonic() + PATIENCE_S
  while not condition() and time.monotonic() < end:
    time.sleep(0.05)
  return condition()


@contextlib.contextmanager
def busy_machine():
  """A program for each processor, which sleeps and computes by turns."""
  with contextlib.ExitStack() as stack:
    for _ in range(len(os.sched_getaffinity(0))):
      stack.enter_context(process.Process([sys.executable, "-c", "import time\nwhile True: sum(range(100000)); time.sleep(0.001)"]))
    yield


def running_guests(place):
  """The processes of guests whose state is below a directory."""
  found = []
  for each in Path("/proc").glob("[0-9]*/cmdline"):
    words = (sysfs.read(each) or "").split("\0")
    if words[0] == "qemu-system-x86_64" and any(place in word for word in words):
      found.append(each.parent.name)
  return found


class Processor(unittest.TestCase):
  def test_what_goes_first_on_the_processor_does_not_on_the_drive(self):
    with process.Process(["sleep", "60"]) as worker:
      processor.go_first(worker.pid)
      self.assertEqual(os.SCHED_FIFO, os.sched_getscheduler(worker.pid))
      self.assertEqual("best-effort: prio 4", process.output(["ionice", "-p", str(worker.pid)], AssertionError).strip())


class VirtualTime(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    try:
      cls.place, cls.base = machine.prepared("hdd-7200", BUILD_DIR, place=machine.place_of(1))
    except trees.TreeError as e:
      raise unittest.SkipTest(f"no guest in virtual time: its system cannot be made: {e}") from e

  def measured(self, *requests):
    """What guests told."""
    found = {}
    jobs = [(self.place, self.base, request) for request in requests]
    machine.run_all(jobs, machine.under_test(jobs, BUILD_DIR), lambda _: None, found.__setitem__, lambda: None, log=True)
    return [found[i] for i in range(len(requests))]

  def assert_same_bytes(self, first, again):
    self.assertTrue(json.dumps(first, sort_keys=True) == json.dumps(again, sort_keys=True), "the same seed gave other bytes")

  def test_the_same_seed_gives_the_same_bytes_beside_a_busy_machine_and_another_seed_others(self):
    """Figures, decisions and the drive's requests."""
    first, other = self.measured(START, START | {"seed": 2})
    with busy_machine():
      again, = self.measured(START)
    self.assertTrue(first["log"]["decisions"] and first["log"]["trace"])
    self.assert_same_bytes(first, again)
    self.assertNotEqual(first, other)

  def test_a_film_and_starts_that_are_read_ahead_are_the_same_bytes_too(self):
    requests = [bounds.CELLS[name].request(1) for name in ("hdd, longest wait of a film beside 10 readers", "hdd, python3 beside 10 readers, read ahead")]
    found = self.measured(*requests, *requests)
    for first, again in zip(found[:2], found[2:]):
      self.assert_same_bytes(first, again)

  def test_what_fails_in_the_guest_is_told_with_its_reason(self):
    with self.assertRaisesRegex(machine.MachineError, "KeyError: 'no-such-load'"):
      self.measured(START | {"load": "no-such-load"})

  def test_ctrl_c_leaves_no_guest_and_no_file(self):
    for name in ("startup", "ablation", "prefetch", "stream"):
      with self.subTest(name), tempfile.TemporaryDirectory(prefix="brio-test-") as place:
        argv = [sys.executable, "-B", SOURCE / "bench" / name, "--drives", "hdd", "--loads", "readers", "--again", "--build-dir", BUILD_DIR, "--output", f"{place}/figures"]
        environment = os.environ | {"BRIO_BENCH_STATE": f"{place}/state"}
        with process.Process(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as benchmark:
          self.assertTrue(eventually(lambda: running_guests(place)), "no guest was started")
          benchmark.popen.send_signal(signal.SIGINT)
          self.assertEqual(130, benchmark.popen.wait(PATIENCE_S))
        self.assertEqual([], running_guests(place))
        self.assertEqual([], list(Path(place).rglob("virtual-*")))


if __name__ == "__main__":
  process.end_on_signals()
  unittest.main()
