#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""briod on the running machine, where it only watches, and a user without rights that has files that never answer."""
import contextlib
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests/lib"))

import brio  # noqa: E402

BIRTHS = 5  # each of a process that is looked at while its exec is under way
READER_DESCRIPTORS = 4  # the standard ones and its socket; a drive's worker has more
CALLS = 100  # 10 ms apart: past the looks, and several samples


@unittest.skipIf(os.geteuid() != 0, "needs root to look at others' processes")
class Held(unittest.TestCase):
  def hold(self, what):
    process = subprocess.Popen([os.environ["BRIO_BUILD_DIR"] + "/tests/lib/hold-file", what], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    self.addCleanup(process.wait)
    self.addCleanup(process.stdout.close)
    self.addCleanup(process.stdin.close)
    if not process.stdout.readline():
      self.skipTest("users have no file systems of their own here")
    return process

  def calls_are_answered_while_it_is_held(self, what):
    briod = self.enterContext(brio.Briod(self.enterContext(brio.Bus()), "--mode", "off"))
    briod.call("GetProcesses", "(u)", 10)  # raises briod's attention
    users = [self.hold(what) for _ in range(BIRTHS)]
    for _ in range(CALLS):
      briod.call("GetProcesses", "(u)", 10)
      time.sleep(0.01)
    for process in users:
      process.stdin.close()
      self.assertEqual("held\n", process.stdout.readline())
    self.assertEqual(0, briod.stop())

  def test_calls_are_answered_while_the_memory_of_an_exec_is_held(self):
    self.calls_are_answered_while_it_is_held("memory")

  def test_calls_are_answered_while_a_descriptor_that_an_exec_closes_is_held(self):
    self.calls_are_answered_while_it_is_held("descriptor")

  def readers_of(self, briod):
    """The processes that read for it."""
    readers = []
    children = Path(f"/proc/{briod.process.pid}/task/{briod.process.pid}/children").read_text().split()
    for pid in children:
      with contextlib.suppress(FileNotFoundError):
        if len(os.listdir(f"/proc/{pid}/fd")) == READER_DESCRIPTORS:
          readers.append(int(pid))
    return readers

  @unittest.skipUnless(os.path.exists("/proc/thread-self/children"), "this kernel does not list children (CONFIG_PROC_CHILDREN)")
  def test_calls_are_answered_while_the_reader_is_stopped(self):
    briod = self.enterContext(brio.Briod(self.enterContext(brio.Bus()), "--mode", "off"))
    briod.call("GetProcesses", "(u)", 10)
    longest, stopped = 0, 0
    for turn in range(CALLS):
      for reader in self.readers_of(briod) if turn % 5 == 0 else []:
        os.kill(reader, signal.SIGSTOP)
        stopped += 1
      begin = time.monotonic()
      briod.call("GetProcesses", "(u)", 10)
      longest = max(longest, time.monotonic() - begin)
      time.sleep(0.02)
    print(f"# {stopped} times stopped, longest call {longest * 1000:.0f} ms", flush=True)
    self.assertGreater(stopped, 0)
    self.assertEqual(0, briod.stop())


if __name__ == "__main__":
  unittest.main()
