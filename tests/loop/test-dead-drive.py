#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real briod with two drives, of which one stops answering: it costs nobody but itself."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402

END_PATIENCE_S = 60  # it gives a drive up by itself before that


@unittest.skipIf(brio.why_no_freezer(), brio.why_no_freezer())
class DeadDrive(unittest.TestCase):
  """Both began with mq-deadline, and the policy has them switched to bfq."""
  maxDiff = None

  def setUp(self):
    self.freezer = self.enter(brio.Freezer())
    self.dead = self.enter(brio.Loop(size_bytes=64 << 20, scheduler="mq-deadline", writable=True, directory=self.freezer.directory))
    self.well = self.enter(brio.Loop(scheduler="mq-deadline"))
    self.addCleanup(self.freezer.thaw)  # the drives cannot go before
    self.loops = (self.dead, self.well)
    for loop in self.loops:
      loop.write("nr_requests", 48)
      loop.write("iosched/fifo_batch", 7)
    self.state = self.directory("brio-state-")
    self.policies = self.directory("brio-policies-")
    text = (SOURCE / "policies/10-hdd.conf").read_text().replace("[IdleLimit]", "QuietTime = 100ms\n\n[IdleLimit]")
    Path(self.policies, "10-hdd.conf").write_text(text)
    self.before = [loop.everything() for loop in self.loops]
    self.bus = self.enter(brio.Bus())
    self.briod = self.enter(self.new_briod())
    brio.wait_for(lambda: all(loop.active() == "bfq" for loop in self.loops), "bfq on both")

  def enter(self, context):
    value = context.__enter__()
    self.addCleanup(context.__exit__, None, None, None)
    return value

  def directory(self, prefix):
    path = tempfile.mkdtemp(prefix=prefix)
    self.addCleanup(shutil.rmtree, path, ignore_errors=True)
    return path

  def new_briod(self, *options):
    own = [loop.name for loop in self.loops]
    others = [f"--exclude={name}" for name in os.listdir("/sys/block") if name not in own]
    included = [argument for name in own for argument in ("--include", f"{name}=hdd")]
    return brio.Briod(self.bus, *included, *others, *options, state=self.state, policies=self.policies)

  def restore(self):
    return subprocess.run([brio.BUILD / "daemon/briod", "--restore", "--state-dir", self.state], capture_output=True, text=True, check=False,
                          timeout=END_PATIENCE_S)

  def end(self, number=signal.SIGTERM):
    self.briod.process.send_signal(number)
    return self.briod.process.wait(END_PATIENCE_S)

  def originals(self):
    path = Path(self.state, "originals")
    return path.read_text() if path.exists() else ""

  def assert_only_the_dead_one_is_left(self):
    self.assertEqual(self.before[1], self.well.everything())
    self.assertIn(f"\t{self.dead.name}\t", self.originals())

  def assert_all_is_back(self):
    done = self.restore()
    self.assertEqual(0, done.returncode, done.stderr)
    self.assertEqual(self.before, [loop.everything() for loop in self.loops])
    self.assertEqual("", self.originals())

  def test_the_end_restores_the_others_and_leaves_a_dead_drive_to_the_next_start(self):
    self.freezer.freeze(self.dead)
    self.assertEqual(0, self.end(), self.briod.text())
    self.assertIn(f"{self.dead.name}: the drive does not answer", self.briod.text())
    self.assert_only_the_dead_one_is_left()
    self.freezer.thaw()
    self.assert_all_is_back()

  def test_a_restore_restores_the_others_and_says_that_a_dead_drive_is_left(self):
    self.freezer.freeze(self.dead)
    self.end(signal.SIGKILL)
    done = self.restore()
    self.assertEqual(1, done.returncode)
    self.assertIn(f"{self.dead.name}: the drive does not answer", done.stderr)
    self.assert_only_the_dead_one_is_left()
    self.freezer.thaw()
    self.assert_all_is_back()

  def test_what_a_worker_that_was_given_up_still_writes_is_put_back(self):
    """Each of these leaves one behind that waits for the drive, with a write under way."""
    self.freezer.freeze(self.dead)
    self.assertEqual(0, self.end(), self.briod.text())
    self.assertEqual(1, self.restore().returncode)
    self.assertEqual(1, self.restore().returncode)
    self.assert_only_the_dead_one_is_left()
    self.freezer.thaw()
    self.assert_all_is_back()


if __name__ == "__main__":
  unittest.main()
