#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A desktop on which programs begin all the time, and no drive is busy: briod on the running machine has its rest."""
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402

SECONDS = 10
# A wake-up each tick, and twice a second each: of the connector, of bursts, of pressure; and what was spared in quiet, of the connector and of bursts.
PER_SECOND = 1 + 3 * 2
SPARE = 16 + 40
# Twelve processes, each a burst with a gap before it: without a budget ten looks a second, and as many wake-ups for births.
BURSTS = "while :; do i=0; while [ $i -lt 12 ]; do (:) & i=$((i+1)); done; wait; sleep 0.3; done"


def voluntary_switches(pid):
  with open(f"/proc/{pid}/status", encoding="ascii") as file:
    return next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))


class Wakeups(unittest.TestCase):
  def setUp(self):
    if os.geteuid() != 0:
      self.skipTest("needs root")
    bus = brio.Bus()
    bus.__enter__()
    self.addCleanup(bus.__exit__)
    exclude = [option for name in os.listdir("/sys/block") if not name.startswith(("loop", "ram", "zram"))
               for option in ("--exclude", name)]
    self.briod = brio.Briod(bus, "--mode", "advise", *exclude)
    self.briod.__enter__()
    self.addCleanup(self.briod.__exit__)

  def test_bursts_of_processes_without_end_let_it_rest(self):
    source = next(s for s in self.briod.get("Sources") if s[0] == "proc-connector")
    if source[1] != "works":
      self.skipTest("the kernel does not let us listen to the process connector")
    churner = subprocess.Popen(["sh", "-c", BURSTS], preexec_fn=brio.die_with_parent)
    self.addCleanup(churner.wait)
    self.addCleanup(churner.kill)
    time.sleep(1)
    for _ in range(3):  # drives that other programs make meanwhile wake it, too
      before, begin = voluntary_switches(self.briod.process.pid), time.monotonic()
      time.sleep(SECONDS)
      wakeups, seconds = voluntary_switches(self.briod.process.pid) - before, time.monotonic() - begin
      self.assertIsNone(churner.poll())
      self.assertEqual(0, self.briod.get("AttentionLevel"))
      print(f"# {wakeups} wake-ups in {seconds:.1f} s")
      if wakeups <= PER_SECOND * seconds + SPARE:
        return
    self.fail("too many wake-ups, three times")


if __name__ == "__main__":
  unittest.main()
