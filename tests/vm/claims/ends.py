# SPDX-License-Identifier: GPL-3.0-or-later
"""However ./dev vm ends, nothing of it is left on this machine. These claims are about the host; they wait for no guest."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import traces

RUN = Path(__file__).resolve().parent.parent / "run"
START_TIMEOUT_S = 120
END_TIMEOUT_S = 60


class Ends(unittest.TestCase):
  build_dir = None  # set by the runner

  def setUp(self):
    directory = tempfile.TemporaryDirectory(prefix="brio-test-")
    self.addCleanup(directory.cleanup)
    self.results = Path(directory.name, "results")
    self.state = Path(directory.name, "state")
    self.state.mkdir()
    self.traces = self.enterContext(traces.Traces(self.state))
    self.traces.begin()
    argv = [sys.executable, RUN, "--build-dir", self.build_dir, "--results", self.results, "test", "--debian", "12", "the installed unit"]
    self.vm = subprocess.Popen(argv, env=os.environ | {"BRIO_BENCH_STATE": str(self.state)}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    self.addCleanup(self.end)
    self.wait_booting()

  def wait_booting(self):
    console = self.results / "debian12" / "console.txt"
    end = time.monotonic() + START_TIMEOUT_S
    while not (console.exists() and console.stat().st_size):
      self.assertTrue(self.vm.poll() is None and time.monotonic() < end, "no guest began to boot")
      time.sleep(traces.POLL_S)

  def end(self):
    self.vm.kill()
    self.vm.wait()

  def test_ctrl_c_leaves_nothing(self):
    self.vm.send_signal(signal.SIGINT)
    self.assertEqual(128 + signal.SIGINT, self.vm.wait(END_TIMEOUT_S))
    self.assertEqual([], self.traces.left())

  def test_a_kill_leaves_nothing(self):
    self.vm.kill()
    self.vm.wait()
    self.assertEqual([], self.traces.left())
