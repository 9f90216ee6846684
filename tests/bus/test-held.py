#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""briod on the running machine, where it only watches, and a user without rights that has files that never answer."""
import os
import subprocess
import sys
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests/lib"))

import brio  # noqa: E402

BIRTHS = 5  # each of a process that is looked at while its exec is under way
CALLS = 100  # 10 ms apart: past the looks, and several samples


@unittest.skipIf(os.geteuid() != 0, "needs root to look at others' processes")
class Held(unittest.TestCase):
  def enter(self, context):
    value = context.__enter__()
    self.addCleanup(context.__exit__, None, None, None)
    return value

  def hold(self, what):
    process = subprocess.Popen([os.environ["BRIO_BUILD_DIR"] + "/tests/lib/hold-file", what], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    self.addCleanup(process.wait)
    self.addCleanup(process.stdout.close)
    self.addCleanup(process.stdin.close)
    if not process.stdout.readline():
      self.skipTest("users have no file systems of their own here")
    return process

  def calls_are_answered_while_it_is_held(self, what):
    briod = self.enter(brio.Briod(self.enter(brio.Bus()), "--mode", "off"))
    briod.call("GetProcesses", "(u)", 10)  # raises briod's attention
    users = [self.hold(what) for _ in range(BIRTHS)]
    for _ in range(CALLS):
      briod.call("GetProcesses", "(u)", 10)
      brio.time.sleep(0.01)
    for process in users:
      process.stdin.close()
      self.assertEqual("held\n", process.stdout.readline())
    self.assertEqual(0, briod.stop())

  def test_calls_are_answered_while_the_memory_of_an_exec_is_held(self):
    self.calls_are_answered_while_it_is_held("memory")

  def test_calls_are_answered_while_a_descriptor_that_an_exec_closes_is_held(self):
    self.calls_are_answered_while_it_is_held("descriptor")


if __name__ == "__main__":
  unittest.main()
