#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `./dev bench events` makes of what it measures.

usage: test-bench-events.py BENCH_DIR BUILD_DIR [unittest argument]..."""
import json
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))
BUILD = Path(sys.argv.pop(1))
from lib.events import core, load, soak, watchers  # noqa: E402

PATIENCE_S = 20  # one that says why it ends is heard as soon as it does


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


def turn(iops, seen=None, lost=0.0):
  return {"iops": iops, "lost_percent": lost, "reads": iops * 2, "cpu_percent": 2.0, "cpu_us": 10.0, "added_per_100k": 3.5, "seen": seen}


class Load(unittest.TestCase):
  TITLES = {"none": "none", "level-0": "briod at level 0", "bpf": "Brio's bpf source", "bpf-sums": "Brio's bpf source, in sums"}

  def outcome(self, **by_key):
    return load.outcome({load.FULL: {key.replace("_", "-"): turns for key, turns in by_key.items()}}, self.TITLES, {"blktrace": "no"})

  def test_what_is_lost_is_counted_against_the_free_time_around_it(self):
    before, after = {"iops": 800, "cpu_us": 9}, {"iops": 1200, "cpu_us": 11}
    found = load.against({"iops": 900, "cpu_us": 10.5}, before, after)
    self.assertAlmostEqual(10.0, found["lost_percent"])
    self.assertAlmostEqual(5.0, found["added_per_100k"])  # 0.5 µs of 10 µs

  def test_the_median_counts_and_where_half_of_the_turns_lie_is_told(self):
    found = self.outcome(none=[turn(1000)] * 5, level_0=[turn(1000, lost=lost) for lost in (9, 0.5, -2, 1, 0)])
    self.assertAlmostEqual(0.5, found.figures["full"]["level-0"]["lost_percent"])
    self.assertEqual([0, 1], found.figures["full"]["level-0"]["lost_percent_quartiles"])
    self.assertEqual([True], [aim.met for aim in found.aims])
    self.assertTrue(any("+0.0 … +1.0" in line for line in found.lines))
    self.assertIn("blktrace is not measured: no", found.lines)

  def test_one_turn_has_no_spread(self):
    self.assertEqual([3.0, 3.0], load.quartiles([turn(1, lost=3.0)], "lost_percent"))

  def test_the_bpf_source_has_aims_for_requests_and_for_cpu_in_sums_and_one_by_one(self):
    seen = {"completed_sectors": 190 * 8, "lost": 3}
    found = self.outcome(none=[turn(100)], bpf=[turn(95, seen, 5.0)], bpf_sums=[turn(99.1, seen, 0.9) | {"added_per_100k": 2.9}])
    self.assertEqual([("bpf-sums, requests lost", True), ("bpf-sums, CPU", True), ("bpf, requests lost", False), ("bpf, CPU", False)],
                     [(aim.name, aim.met) for aim in found.aims])
    self.assertEqual(["100.0", 3], load.told(found.figures["full"]["bpf"]["turns"]))

  def test_a_rate_is_that_of_all_jobs(self):
    self.assertNotIn("rate_iops", load.options("/dev/null", load.FULL, 1))
    capped = load.options("/dev/null", load.CAPPED_IOPS, 1)
    self.assertEqual(load.CAPPED_IOPS, capped["rate_iops"] * capped["numjobs"])

  def test_a_program_that_ends_at_once_says_why(self):
    with mock.patch.object(watchers, "SETTLE_S", PATIENCE_S), self.assertRaisesRegex(watchers.WatchError, "^no luck$"):
      with watchers.Program("x", "x", lambda _: ["sh", "-c", "echo no luck >&2"]).watching("loop0"):
        pass
    self.assertIn("package nowhere", watchers.Program("x", "x", None, "no-such-program", "nowhere").missing())

  def test_a_blktrace_that_may_not_read_is_told_apart_from_one_that_works(self):
    with mock.patch.object(watchers, "SETTLE_S", PATIENCE_S), \
         self.assertRaisesRegex(watchers.WatchError, "not permitted: the kernel is locked down"):
      with watchers.Blktrace("x", "x", lambda _: ["sh", "-c", "echo FAILED: Operation not permitted >&2; sleep 99"]).watching("loop0"):
        pass
    with watchers.Blktrace("x", "x", lambda _: ["sleep", "99"]).watching("loop0") as working:
      self.assertEqual([working.process.pid], working.pids())

  def test_the_watcher_refuses_what_it_cannot_watch(self):
    program = watchers.executable(BUILD)
    for arguments, status, words in (([], 2, "Usage"), (["--source", "nothing", "loop0"], 2, "Usage"), (["--list", "loop0"], 2, "Usage"),
                                     (["--source", "tracefs", "no-such"], 1, "no-such: No such file"),
                                     (["--source", "tracefs", "null"], 1, "null: Block device required")):
      done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
      self.assertEqual((status, ""), (done.returncode, done.stdout), arguments)
      self.assertIn(words, done.stderr)


class Soak(unittest.TestCase):
  def outcome(self, completed, lost, samples):
    return soak.outcome("tracefs", 1000, 100.0, 10.0, samples, {"completed_sectors": completed * 8, "lost": lost})

  def met(self, *arguments):
    return [aim.met for aim in self.outcome(*arguments).aims]

  def test_what_is_missing_must_have_been_told_as_lost(self):
    self.assertEqual([True, True], self.met(1000, 0, [5000] * 20))
    self.assertEqual([True, True], self.met(990, 30, [5000] * 20))
    self.assertEqual([False, True], self.met(990, 9, [5000] * 20))

  def test_completions_that_were_found_out_later_are_said(self):
    seen = {"completed_sectors": 8000, "lost": 0, "completed": 1000, "unseen": 2}
    self.assertIn("2 of 1000 completions (0.200 %)", soak.outcome("bpf", 1000, 100.0, 10.0, [5000], seen).lines[-1])
    self.assertNotIn("completions", " ".join(self.outcome(1000, 0, [5000]).lines))

  def test_memory_counts_once_it_is_warm(self):
    self.assertEqual([True, True], self.met(1000, 0, [1000, 3000] + [5000] * 18))
    self.assertEqual([True, False], self.met(1000, 0, [5000] * 19 + [5065]))


if __name__ == "__main__":
  unittest.main()
