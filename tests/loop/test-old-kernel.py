#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""briod and brioctl with what Linux 4.19 has and no more (tests/lib/old-kernel.py), on a loop device: no newer call is needed to start, to act, and to put
everything back."""
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402
import readers  # noqa: E402

OLD_KERNEL = (sys.executable, str(SOURCE / "tests/lib/old-kernel.py"))
CROWD = 60
PATIENCE_S = 60
WHY_NOT = readers.why_not() or brio.why_no_readers()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class OldKernel(unittest.TestCase):
  def setUp(self):
    self.loop = self.enterContext(brio.Loop(scheduler="bfq"))
    self.state = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-state-", ignore_cleanup_errors=True))
    self.before = self.loop.everything()
    self.bus = self.enterContext(brio.Bus())
    self.briod = self.enterContext(self.new_briod())

  def new_briod(self):
    others = [f"--exclude={name}" for name in os.listdir("/sys/block") if name != self.loop.name]
    return brio.Briod(self.bus, "--include", f"{self.loop.name}=hdd", *others, state=self.state, prefix=OLD_KERNEL)

  def brioctl(self, *arguments):
    return subprocess.run([*OLD_KERNEL, brio.BUILD / "cli/brioctl", "--bus", self.bus.address, *arguments], capture_output=True, text=True, check=False)

  def wait(self, condition, what):
    try:
      return brio.wait_for(condition, what, PATIENCE_S)
    except AssertionError as e:
      raise AssertionError(f"{e}; its log:\n{self.briod.text()}") from e

  def assert_untouched(self):
    self.assertEqual(self.before, self.loop.everything())
    self.assertFalse(Path(self.state, "originals").exists())

  def limit_idling(self):
    self.enterContext(brio.Readers(f"/dev/{self.loop.name}", CROWD))
    self.wait(lambda: self.loop.read("iosched/slice_idle_us") != "8000", "a shorter wait")

  def test_it_says_what_the_kernel_lacks(self):
    sources = {name: (state, note) for name, state, *_, note in self.briod.get("Sources")}
    self.assertNotEqual("works", sources["bpf"][0], sources)
    self.assertNotEqual("works", sources["psi"][0], sources)
    self.assertEqual("works", sources["proc-connector"][0], sources)

  def test_a_law_acts_and_the_end_brings_everything_back(self):
    self.limit_idling()
    self.assertEqual(0, self.briod.stop(), self.briod.text())
    self.assert_untouched()

  def test_a_kill_is_made_good(self):
    self.limit_idling()
    self.briod.stop(signal.SIGKILL)
    self.assertNotEqual(self.before, self.loop.everything())
    done = subprocess.run([*OLD_KERNEL, brio.BUILD / "daemon/briod", "--restore", "--state-dir", self.state], capture_output=True, text=True, check=False)
    self.assertEqual(0, done.returncode, done.stderr)
    self.assert_untouched()

  def test_a_bulk_process_steps_back_and_gets_everything_back(self):
    reader = self.enterContext(readers.Reader(f"/dev/{self.loop.name}"))
    self.wait(lambda: reader.all_have(readers.BE_7), "stepping back")
    self.assertEqual(0, self.briod.stop(), self.briod.text())
    self.assertTrue(reader.all_have(readers.NONE), reader.priorities())

  def test_a_hold_lasts_as_long_as_its_command_and_has_its_status(self):
    done = self.brioctl("hold", "throughput", "--", "sh", "-c", f"{brio.BUILD}/cli/brioctl --bus '{self.bus.address}' holds; exit 7")
    self.assertEqual(7, done.returncode, done.stderr)
    self.assertIn("throughput", done.stdout)
    self.assertEqual([], self.briod.get("ActiveHolds"))


if __name__ == "__main__":
  unittest.main()
