#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the demonstration says of what it has measured.

usage: test-demo.py BENCH_DIR [unittest argument]..."""
import contextlib
import io
import os
import sys
import unittest
import unittest.mock
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(sys.argv.pop(1)).resolve().parent / "tools"))
import demo  # noqa: E402
from lib import programs  # noqa: E402


def row(*starts):
  """None: given up after 20 s."""
  return demo.Row("", "bfq", [programs.Start(s or 20.0, s is not None, 0, 0.0, 1) for s in starts], [])


def arguments(*argv):
  with unittest.mock.patch.object(sys, "argv", ["demo.py", *argv]):
    return demo.parse_arguments()


class Verdict(unittest.TestCase):
  def assert_says(self, kernel, bfq, brio, words):
    self.assertRegex(demo.verdict(row(*kernel), row(*bfq), row(*brio)), words)

  def test_it_says_where_bfq_alone_is_as_good(self):
    self.assert_says([None], [2.5], [2.6], "^Here bfq alone does as well as Brio; the kernel's default does not.$")
    self.assert_says([None], [2.9], [2.6], "^Here bfq alone does as well as Brio")

  def test_it_says_where_bfq_alone_is_better(self):
    self.assert_says([None], [2.0], [4.0], "^bfq alone is better here: with Brio the start takes 2.0 times as long.$")
    self.assert_says([None], [2.0], [None], "^bfq alone is better here: with Brio the start was given up.$")

  def test_it_says_what_brio_is_worth(self):
    self.assert_says([None], [12.0], [4.0], "^Here Brio is worth most: with bfq alone the start takes 3.0 times as long.$")
    self.assert_says([None], [None], [4.0], "^Here Brio is worth most: with bfq alone the start takes more than 5.0 times as long.$")
    self.assert_says([None], [None], [19.0], "^Here Brio is worth most: with bfq alone the start was given up.$")

  def test_it_says_where_no_program_gains(self):
    self.assert_says([2.5], [2.5], [2.5], "^Here all three are alike.$")
    self.assert_says([None], [None], [None], "^With Brio the start was given up, too.$")

  def test_of_several_runs_the_middle_one_counts(self):
    self.assert_says([None], [2.5, 2.5, None], [2.5, 2.5, 2.5], "^Here bfq alone does as well as Brio")
    self.assert_says([None], [2.5, None, None], [2.5, 2.5, 2.5], "^Here Brio is worth most")


class SecondTime(unittest.TestCase):
  def test_it_is_held_against_the_start_on_the_idle_drive(self):
    self.assertRegex(demo.second_time(row(2.5), row(1.0)), "read ahead: 0.4 times the start on the idle drive.$")
    self.assertRegex(demo.second_time(row(2.5), row(None)), "given up")


class Beforehand(unittest.TestCase):
  def test_how_long_it_takes_follows_from_what_it_does(self):
    self.assertEqual(demo.minutes(demo.expected_s(arguments())), "3 minutes")
    self.assertEqual(demo.minutes(demo.expected_s(arguments("--case", "copy"))), "2 minutes")
    self.assertEqual(demo.minutes(demo.expected_s(arguments("--runs", "10"))), "22 minutes")

  def test_a_case_names_its_load(self):
    titles = [demo.CASES[name].title(arguments("--readers", "1")) for name in ("readers", "copy")]
    self.assertRegex(titles[0], "starts while one other reads a big file$")
    self.assertRegex(titles[1], "starts beside a large copy$")


class Changes(unittest.TestCase):
  @staticmethod
  def decision(tunable, old, observed, result="applied", law="a"):
    return {"tunable": tunable, "law": law, "old": old, "observed": observed, "result": result}

  def test_several_changes_of_one_setting_are_told_as_one(self):
    found = demo.in_all([self.decision("t", "1", "2"), self.decision("t", "2", "4"), self.decision("u", "1", "2", "failed")])
    self.assertEqual(found, [self.decision("t", "1", "4")])

  def test_what_is_as_before_is_not_told(self):
    self.assertEqual(demo.in_all([self.decision("t", "1", "2"), self.decision("t", "2", "1")]), [])


class Ending(unittest.TestCase):
  def test_nothing_is_drawn_after_it_was_said_that_it_ends(self):
    read, write = os.pipe()
    with contextlib.redirect_stdout(io.StringIO()) as drawn, open(write, "w", encoding="utf-8") as stderr, contextlib.redirect_stderr(stderr):
      screen = demo.Screen()
      screen.live = True
      screen.status("", "making the drive")
      before = drawn.getvalue()
      screen.ending()
      screen.status("", "making the drive")
      screen.close()
    with open(read, encoding="utf-8") as said:
      self.assertEqual(said.read(), "\ndemo: ending: putting the drive's settings back\n")
    self.assertEqual(drawn.getvalue(), before)


if __name__ == "__main__":
  unittest.main()
