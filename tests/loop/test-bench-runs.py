#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A comparing benchmark runs through, with briod, and says what it measured.

usage: test-bench-runs.py SOURCE_DIR BUILD_DIR [unittest argument]..."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve()
BUILD_DIR = Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "bench"))
from lib import drive, fio  # noqa: E402


def why_not():
  if drive.missing():
    return drive.missing()
  if fio.missing():
    return "fio is not installed"
  return None if (BUILD_DIR / "bench/drive/brio-drive").exists() else "brio-drive is not built"


@unittest.skipIf(why_not(), why_not() or "")
class Runs(unittest.TestCase):
  def test_seed000_compares_two_arms_and_leaves_every_setting_as_before(self):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      output = Path(directory) / "figures.json"
      argv = [SOURCE / "bench/seed000", "--build-dir", BUILD_DIR, "--runs", "1", "--runtime", "1", "--processes", "20", "--output", output]
      done = subprocess.run(argv, env=os.environ | {"BRIO_BENCH_STATE": f"{directory}/state"}, capture_output=True, text=True)
      self.assertEqual(done.returncode, 0, done.stderr)
      figures = json.loads(output.read_text())
    self.assertRegex(done.stdout.splitlines()[-1], r"^aims: \d of 5 met$")
    experiment, = figures["experiments"]
    self.assertEqual(list(experiment["arms"]), ["bfq", "bfq + Brio"])
    for (run,) in experiment["arms"].values():
      self.assertGreater(run["iops"], 0)
    self.assertTrue(experiment["arms"]["bfq + Brio"][0]["restored"])


if __name__ == "__main__":
  unittest.main()
