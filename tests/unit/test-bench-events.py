#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `./dev bench events` makes of what it measures.

usage: test-bench-events.py BENCH_DIR BUILD_DIR [unittest argument]..."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))
BUILD = Path(sys.argv.pop(1))
from lib.events import core  # noqa: E402


def round_of(feed_ns, tick_ns, instructions=None):
  return {"feed_ns": feed_ns, "tick_ns": tick_ns, "feed_instructions": instructions, "tick_instructions": instructions, "a_tick_us": 700.0}


def printed(*rounds, counter="ENOENT"):
  return {"rounds": list(rounds), "counter": counter, "model_bytes": 10 << 20, "touched_bytes": 9 << 20, "event_bytes": 64}


class Core(unittest.TestCase):
  def run_core(self, *arguments):
    return subprocess.run([core.executable(BUILD), *arguments], capture_output=True, text=True, check=False)

  def test_the_sum_of_a_round_is_taken_before_the_median(self):
    figures = core.summary(printed(round_of(50, 40), round_of(60, 10), round_of(70, 20)))
    self.assertEqual((60, 20, 90), (figures["feed_ns"], figures["tick_ns"], figures["ns"]))

  def test_the_aim_is_for_a_desktops_drives_alone(self):
    slow, fast = core.summary(printed(round_of(200, 10))), core.summary(printed(round_of(90, 10)))
    self.assertEqual([True], [aim.met for aim in core.outcome({8: fast, 64: slow}).aims])
    self.assertEqual([False], [aim.met for aim in core.outcome({8: slow, 64: fast}).aims])

  def test_instructions_are_told_or_why_there_are_none(self):
    without = core.outcome({8: core.summary(printed(round_of(50, 10)))})
    self.assertIn("not counted: the kernel has no such counter for us here (ENOENT)", without.lines[-1])
    counted = core.outcome({8: core.summary(printed(round_of(50, 10, 150), counter="instructions"))})
    self.assertEqual(300, counted.figures["8"]["instructions"])
    self.assertFalse(any("not counted" in line for line in counted.lines))

  def test_the_stream_makes_sense_to_the_model_and_repeats_itself(self):
    arguments = ("--events", "200000", "--processes", "3000", "--drives", "5", "--rounds", "2", "--seed", "7")
    first, second = (json.loads(self.run_core(*arguments).stdout) for _ in range(2))
    self.assertEqual((2, 0, 3000), (len(first["rounds"]), first["invalid"], first["processes_known"]))
    self.assertLess(first["requests_unmatched"], 6000)  # of 600 000 events
    self.assertLessEqual(first["touched_bytes"], first["model_bytes"] + 4096)
    counts = ("requests_unmatched", "requests_refused", "requests_aged")
    self.assertEqual([first[c] for c in counts], [second[c] for c in counts])

  def test_wrong_numbers_are_refused_with_the_usage(self):
    for arguments in (("--drives", "65"), ("--processes", "0"), ("--events", "x"), ("--rounds", "101"), ("more",), ("--nothing",)):
      done = self.run_core(*arguments)
      self.assertEqual((2, ""), (done.returncode, done.stdout), arguments)
      self.assertIn("Usage: brio-events-core", done.stderr)


if __name__ == "__main__":
  unittest.main()
