#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The day's chapters, and what its starts are held against.

usage: test-bench-day.py BENCH_DIR [unittest argument]..."""
import contextlib
import os
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
STATE = tempfile.TemporaryDirectory(prefix="brio-test-")
os.environ["BRIO_BENCH_STATE"] = os.path.join(STATE.name, "state")
BENCH = sys.argv.pop(1)
sys.path.insert(0, BENCH)
from lib import day, loads  # noqa: E402
from lib.virtual import experiments  # noqa: E402


def load_benchmark():
  loader = SourceFileLoader("day_program", os.path.join(BENCH, "day"))
  module = module_from_spec(spec_from_loader("day_program", loader))
  loader.exec_module(module)
  return module


BENCHMARK = load_benchmark()


def started(chapter, program, seconds, ended=True):
  return day.Started(chapter, program, seconds, ended)


class Chapters(unittest.TestCase):
  def test_they_fill_the_day_and_no_more(self):
    self.assertAlmostEqual(1.0, sum(chapter.share for chapter in day.CHAPTERS))

  def test_the_day_begins_with_starts_on_the_idle_drive_one_of_each_program(self):
    first = day.CHAPTERS[0]
    self.assertEqual((day.IDLE, loads.Idle, 3), (first.name, first.load, first.starts))

  def test_there_is_one_call_one_game_and_one_night(self):
    self.assertEqual([1, 1, 1], [sum(map(bool, each)) for each in zip(*((c.call, c.game, c.load is day.Night) for c in day.CHAPTERS))])


class Length(unittest.TestCase):
  def test_starts_that_are_given_up_make_no_chapter_of_the_full_day_longer(self):
    for chapter in day.CHAPTERS:
      length_s = chapter.share * 600
      end_s = 0
      for number in range(chapter.starts):
        begin_s = max(length_s * (number + 1) / (chapter.starts + 1), end_s, day.LEAD_S)
        end_s = begin_s + day.slot_s(chapter, 600)
      self.assertLessEqual(end_s, length_s + day.START_TIMEOUT_S, chapter.name)

  def test_in_a_short_day_a_start_has_its_time_all_the_same(self):
    self.assertEqual({day.START_TIMEOUT_S}, {day.slot_s(chapter, 60) for chapter in day.CHAPTERS if chapter.starts})


class Starts(unittest.TestCase):
  def test_each_is_held_against_the_same_program_on_the_idle_drive(self):
    starts = [started(day.IDLE, "a", 1), started(day.IDLE, "b", 10), started("mail", "a", 2), started("mail", "b", 10), started("call", "b", 40)]
    found = day.start_figures(starts)
    self.assertEqual((2, 4, 40, 100), (found["start_median"], found["start_p95"], found["start_longest_s"], found["starts_ended"]))

  def test_one_that_was_given_up_counts_as_what_it_was_waited_for(self):
    starts = [started(day.IDLE, "a", 1), started("mail", "a", 1), started("call", "a", 60, ended=False)]
    found = day.start_figures(starts)
    self.assertEqual((60, 50), (found["start_p95"], found["starts_ended"]))


class Programs(unittest.TestCase):
  def asked(self, *argv):
    args = BENCHMARK.parse_arguments(["--drives", "hdd", *argv])
    each, = day.experiments(args)
    return [experiments.run_of("day", each, treated, 1, args) for treated in each.arms]

  def test_in_virtual_time_programs_of_the_debian_tree_have_a_graphical_guest_and_python_needs_none(self):
    self.assertEqual({False}, {one.graphical for one in self.asked()})
    for one in self.asked("--programs", "libreoffice,gtk4"):
      self.assertEqual((True, ["libreoffice", "gtk4"]), (one.graphical, one.request["arguments"]["programs"]))


class Night(unittest.TestCase):
  def night(self, directory, make):
    os.mkdir(directory + "/big")
    make(directory + "/big")
    return day.Night(SimpleNamespace(path=Path(directory), emulated=SimpleNamespace(at_once=contextlib.nullcontext)))

  def end(self, load):
    for child in load.children:
      child.popen.wait()

  def test_it_is_over_when_all_is_read_and_that_is_no_error(self):
    with tempfile.TemporaryDirectory() as directory, self.night(directory, lambda big: Path(big, "file").write_bytes(bytes(9999))) as load:
      self.end(load)
      self.assertTrue(load.is_over())
      load.check()

  def test_what_could_not_be_read_is_one(self):
    with tempfile.TemporaryDirectory() as directory, self.night(directory, os.rmdir) as load:
      self.end(load)
      self.assertFalse(load.is_over())
      with self.assertRaisesRegex(loads.LoadError, "'backup' ended by itself"):
        load.check()


class Threads(unittest.TestCase):
  def test_what_runs_beside_the_day_gives_its_result_or_its_error(self):
    self.assertEqual(7, day.Beside(lambda: 7).result(lambda: None))
    with self.assertRaises(ZeroDivisionError):
      day.Beside(lambda: 1 // 0).result(lambda: None)


if __name__ == "__main__":
  unittest.main()
