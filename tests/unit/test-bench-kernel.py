#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the part kernel of `./dev bench accuracy` makes of bfq's log and of core's rule.

usage: test-bench-kernel.py BENCH_DIR PROGRAM RECORDING [unittest argument]..."""
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(sys.argv.pop(1))
PROGRAM, RECORDING = sys.argv.pop(1), sys.argv.pop(1)
sys.path[:0] = [str(BENCH), str(BENCH / "accuracy")]
import kernel  # noqa: E402


class Compare(unittest.TestCase):
  def test_the_lines_are_sorted_by_process(self):
    changes, lost = kernel.parse("ready\n10 7 30\n20 8 3000\n30 7 3000\nlost 2\n")
    self.assertEqual(({7: [(10, 30), (30, 3000)], 8: [(20, 3000)]}, 2), (changes, lost))

  def test_the_time_in_which_both_say_the_same_is_counted(self):
    one = kernel.compare("a", [(100, 30), (200, 3000), (400, 1)], [(100, 30), (300, 3000)], 0, 500)
    self.assertEqual((400, 200, 200, 200), (one.span, one.same, one.kernels, one.ours))
    self.assertEqual((True, True), one.verdicts)

  def test_no_process_raised_is_agreement(self):
    one = kernel.compare("a", [], [], 100, 500)
    self.assertEqual((400, 400, (False, False)), (one.span, one.same, one.verdicts))

  def test_a_disagreement_misses_the_aim(self):
    good, bad = kernel.Compared("a", 100, 100, 50, 50), kernel.Compared("b", 100, 80, 20, 0)
    for each, met in ((good, True), (bad, False)):
      outcome = kernel.outcome({"run": [each]}, 0)
      self.assertEqual(met, outcome.aims[0].met)
    self.assertEqual((1, 0), (outcome.figures["queues"], outcome.figures["queues_alike"]))


class Program(unittest.TestCase):
  def run_program(self, *arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)

  def test_the_rule_is_applied_to_a_recording(self):
    done = self.run_program("rule", RECORDING)
    self.assertEqual((0, ""), (done.returncode, done.stderr))
    changes, _ = kernel.parse(done.stdout)
    self.assertTrue(changes)
    for each in changes.values():
      self.assertEqual(sorted(each, key=lambda change: change[0]), each)
      self.assertLessEqual({factor for _, factor in each}, {1, 30, 3000})

  def test_what_is_no_recording_is_refused(self):
    self.assertEqual(1, self.run_program("rule", "/dev/null").returncode)
    self.assertEqual(2, self.run_program("rule").returncode)


if __name__ == "__main__":
  unittest.main()
