#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark of the learned start: its plan, and what its tables and aims say.

usage: test-bench-prefetch.py BENCH_DIR [unittest argument]..."""
import argparse
import json
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(BENCH))
from lib import prefetch, programs  # noqa: E402
from lib.virtual import prefetch as inside  # noqa: E402


def load_benchmark():
  loader = SourceFileLoader("prefetch_program", str(BENCH / "prefetch"))
  module = module_from_spec(spec_from_loader("prefetch_program", loader))
  loader.exec_module(module)
  return module


PROGRAM = load_benchmark()


def starts(seconds, moved=10.0, ended=True, idle_share=0.5):
  """Of the seeds 1, 2, ... one each."""
  return [{"seconds": each, "ended": ended, "moved_mbps": moved, "idle_share": idle_share, "seed": seed, "number": 0} for seed, each in enumerate(seconds, 1)]


def cells(helped, **idle):
  return {("hdd", "python3", "idle"): {prefetch.UNHELPED: starts([2.0, 2.0])}, ("hdd", "python3", "readers"): {prefetch.HELPED: helped, **idle}}


class Plan(unittest.TestCase):
  def test_each_arm_meets_each_load_with_each_seed(self):
    args = PROGRAM.parse_arguments(["--quick", "--runs", "2"])
    runs = prefetch.plan(args)
    self.assertEqual(2 * 2 * len(prefetch.ARMS), len(set(runs)))
    self.assertEqual([args.random_seed] * 6, [one.seed for one in runs[:6]])
    asked = next(one for one in runs if one.arm == prefetch.UNHELPED).request()
    self.assertEqual(("prefetch", True, False), (asked["module"], asked["brio"], asked["helped"]))

  def test_arms_loads_and_scheduler_are_chosen(self):
    runs = prefetch.plan(PROGRAM.parse_arguments(["--runs", "2", "--loads", "readers", "--arms", "helped,unhelped", "--scheduler", "mq-deadline"]))
    self.assertEqual([prefetch.HELPED, prefetch.UNHELPED] * 2, [one.arm for one in runs])
    self.assertEqual({"mq-deadline"}, {one.request()["scheduler"] for one in runs})

  def test_a_warm_start_has_no_load_and_is_repeated(self):
    runs = prefetch.plan(PROGRAM.parse_arguments(["--runs", "1", "--loads", "warm", "--arms", "helped"]))
    self.assertEqual([("idle", True, prefetch.WARM_STARTS)], [(r["load"], r["warm"], r["starts"]) for r in (one.request() for one in runs)])


class Session(unittest.TestCase):
  def test_a_session_has_more_time_than_a_program_whose_limit_stays(self):
    runs = prefetch.plan(PROGRAM.parse_arguments(["--runs", "1", "--loads", "idle", "--arms", "helped", "--programs", "python3,session"]))
    self.assertEqual([("python3", 30.0), ("session", 60.0)], [(r["program"], r["limit_s"]) for r in (one.request() for one in runs)])

  def test_the_policy_has_sessions_read_ahead_where_one_is_started_alone(self):
    self.assertEqual([name for name, program in programs.ALL.items() if "Session = yes" in program.policy], ["session"])

  def test_a_session_is_started_from_a_group_as_systemd_does_since_a_process_in_none_begins_no_unit(self):
    session = programs.Session()
    with tempfile.TemporaryDirectory() as place:
      session.systemd, session.group = Path(place, "init.scope"), Path(place, "user.slice")
      Path(place, session.name).mkdir()  # prepared already
      session.prepare(argparse.Namespace(path=Path(place)))
      self.assertEqual("0", (session.systemd / "cgroup.procs").read_text(encoding="ascii"))

  def test_a_session_starts_ten_programs_some_of_them_at_once(self):
    at_once = [len(step[0]) for step in programs.Session().steps()]
    self.assertEqual(10, sum(at_once))
    self.assertLess(1, max(at_once))

  def test_its_manager_says_that_it_is_ready_once_all_have_ended_and_stays(self):
    steps = [([["/bin/sh", "-c", "echo first"], ["/bin/true"]], 0, 0), ([["/bin/sh", "-c", "echo second"]], 0, 0)]
    with subprocess.Popen([sys.executable, "-c", programs.MANAGER, json.dumps(steps)], stdout=subprocess.PIPE, text=True) as manager:
      self.assertEqual(["first", "second", "ready"], [manager.stdout.readline().strip() for _ in range(3)])
      self.assertIsNone(manager.poll())
      manager.terminate()

  def test_one_of_whose_programs_fails_is_not_ready(self):
    done = subprocess.run([sys.executable, "-c", programs.MANAGER, json.dumps([([["/bin/false"]], 0, 0)])], capture_output=True, text=True, check=False)
    self.assertEqual(("", "/bin/false failed\n", 1), (done.stdout, done.stderr, done.returncode))


class Figures(unittest.TestCase):
  def test_a_start_is_held_against_the_one_on_the_idle_drive_that_is_not_helped(self):
    found = cells(starts([0.8, 0.8]))
    self.assertAlmostEqual(0.4, prefetch.ratio(found, ("hdd", "python3", "readers"), prefetch.HELPED).value)
    self.assertEqual([True, True], [aim.met for aim in prefetch.aims(found)])
    self.assertIn("0.40", prefetch.markdown(found))

  def test_where_it_was_measured_that_is_the_one_without_brio_whose_laws_help_any_start(self):
    found = cells(starts([0.8])) | {("hdd", "python3", "idle"): {prefetch.UNHELPED: starts([2.0]), prefetch.PLAIN: starts([3.2])}}
    self.assertAlmostEqual(0.25, prefetch.ratio(found, ("hdd", "python3", "readers"), prefetch.HELPED).value)

  def test_each_arm_is_held_against_brio_seed_by_seed(self):
    told = {i: {"starts": [{"seconds": seconds, "ended": True, "moved_mbps": 1.0, "idle_share": 0.5}] * 2} for i, seconds in enumerate((1.0, 1.8, 3.0, 2.0, 2.4))}
    arms_and_seeds = [(prefetch.HELPED, 1), (prefetch.UNHELPED, 1), (prefetch.PLAIN, 1), (prefetch.HELPED, 2), (prefetch.UNHELPED, 2)]
    found = prefetch.by_cell([prefetch.Run("hdd", "python3", "readers", arm, seed) for arm, seed in arms_and_seeds], told)
    self.assertEqual([("Brio, not read ahead", "1.500", "2"), ("without Brio", "3.000", "1")],
                     [(what.rpartition(": ")[2], median, seeds) for what, median, _, seeds, _ in prefetch.paired(found)])
    self.assertIn("seed by seed", prefetch.markdown(found))

  def test_a_start_that_was_given_up_meets_no_aim(self):
    self.assertEqual([False, False], [aim.met for aim in prefetch.aims(cells(starts([0.8, 0.8], ended=False)))])

  def test_what_the_load_moves_is_held_against_that_beside_a_start_that_is_not_helped(self):
    for moved, met in ((50.0, True), (30.0, False)):
      aims = prefetch.aims(cells(starts([0.8], moved), **{prefetch.UNHELPED: starts([2.0])}))
      self.assertEqual(met, aims[-1].met)

  def test_a_cell_in_which_the_processor_was_busy_is_not_judged(self):
    busy = cells(starts([0.8], idle_share=0.2))
    self.assertEqual([], prefetch.aims(busy))
    self.assertIn(" 20 %: not judged ", prefetch.markdown(busy))
    self.assertEqual([True, False], [row.judged for panel in prefetch.panels(busy) for row in panel.rows])

  def test_under_another_scheduler_another_aim_holds(self):
    found = cells(starts([1.3]))
    self.assertEqual([[False, True], [True, True]], [[aim.met for aim in prefetch.aims(found, scheduler)] for scheduler in ("bfq", "mq-deadline")])

  def test_a_large_program_has_aims_of_its_own(self):
    for seconds, met in ((1.0, True), (1.1, False)):
      found = {("hdd", "libreoffice", "idle"): {prefetch.HELPED: starts([seconds]), prefetch.PLAIN: starts([2.0])}}
      self.assertEqual([met, True], [aim.met for aim in prefetch.aims(found)])

  def test_a_warm_start_is_held_against_a_warm_one_that_is_not_helped(self):
    for seconds, cpu_ms, met in ((0.502, 4.9, [True, True]), (0.506, 5.1, [False, False])):
      helped = [each | {"helper_cpu_ms": cpu_ms} for each in starts([seconds], idle_share=0.0)]
      found = cells(starts([0.8])) | {("hdd", "python3", prefetch.WARM): {prefetch.HELPED: helped, prefetch.UNHELPED: starts([0.5])}}
      self.assertEqual(met, [aim.met for aim in prefetch.aims(found)][-2:])

  def test_what_the_helper_took_is_found_among_the_decisions_that_briod_logs(self):
    log = ["python3: read ahead: read, 194 files (0 not as they were), 216 ranges, 20064 of 20064 KiB from drives, 338 ms, 24.5 ms of the processor",
           "loop0: read-ahead 0 → 20064 KiB: what python3 read at its last starts is read ahead: 21 MB of 194 files"]
    self.assertEqual([24.5], inside.helpers_cpu_ms(log))

  def test_a_start_that_is_learnt_from_is_held_against_one_that_is_not(self):
    runs = [prefetch.Run("hdd", "python3", load, arm, 1) for load in ("idle", "readers") for arm in (prefetch.HELPED, prefetch.UNHELPED, prefetch.PLAIN)]
    for seconds, met in ((2.01, True), (2.03, False)):
      told = {i: {"first": starts([seconds if one.arm == prefetch.HELPED else 2.0])[0]} for i, one in enumerate(runs)}
      self.assertEqual([met], [aim.met for aim in prefetch.learning_aims(runs, told)])
    self.assertEqual([], prefetch.learning_aims(runs, {0: told[0]}))

  def test_the_longest_starts_count(self):
    aims = prefetch.aims(cells(starts([0.8, 0.8, 0.8, 1.9])))
    self.assertEqual([True, False], [aim.met for aim in aims])


if __name__ == "__main__":
  unittest.main()
