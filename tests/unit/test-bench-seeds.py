#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The seeds' benchmarks: their descriptions, and what they read from the programs that they run.

usage: test-bench-seeds.py BENCH_DIR [unittest argument]..."""
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import types
import unittest
from unittest import mock
from pathlib import Path
from xml.etree import ElementTree

sys.dont_write_bytecode = True
STATE = tempfile.TemporaryDirectory(prefix="brio-test-")
os.environ["BRIO_BENCH_STATE"] = os.path.join(STATE.name, "state")
sys.path.insert(0, sys.argv.pop(1))
from lib import arms, chart, comparing, drive, experiment, others, runner, seeds, summary  # noqa: E402
from lib.seeds import seed000, seed001, seed002, seed004  # noqa: E402

FS_MARK = """
#  fs_mark  -S0  -D  1000  -n  250  -s  65536  -L  1000000  -d  d0  -d  d1
# Version 3.3, 2 thread(s) starting at Sat Nov 21 08:04:50 2026

FSUse%        Count         Size    Files/sec     App Overhead
     1          500        65536       5277.5            15147
    12         1000        65536      11448.8            12444
"""
DBENCH = """
   6        17    27.51 MB/sec  execute   1 sec  latency 145.321 ms

 Operation      Count    AvgLat    MaxLat
 NTCreateX      12345     0.021    12.345

Throughput 27.8312 MB/sec  6 clients  6 procs  max_latency=225.108 ms
"""


def experiments():
  return [e for seed in seeds.ALL.values() for e in seed.experiments(Path("build"), True)]


class Descriptions(unittest.TestCase):
  def test_each_seed_is_there(self):
    self.assertEqual([e.title.split()[0] for e in experiments()], ["000", "001", "001", "002", "003", "004"])

  def test_the_last_arm_has_brio_and_the_first_has_not(self):
    for e in experiments():
      self.assertIsInstance(e.arms[-1], arms.Brio, e.title)
      self.assertNotIsInstance(e.arms[0], arms.Brio, e.title)
      self.assertEqual(len({arm.name for arm in e.arms}), len(e.arms), e.title)

  def test_aims_are_about_figures_and_arms_that_exist(self):
    for e in experiments():
      for share in e.aims:
        self.assertIn(share.key, [f.key for f in e.figures], e.title)
        self.assertIn(getattr(share, "against", None) or e.arms[0].name, [arm.name for arm in e.arms], e.title)

  def test_models_exist_and_drives_are_whole_blocks(self):
    for e in experiments():
      drive.load_model(e.model)
      self.assertEqual(e.size_bytes % 4096, 0, e.title)

  def test_the_number_of_readers_can_be_chosen(self):
    e, = seed000.experiments(Path("build"), True, processes=20)
    self.assertIn("20", e.title)
    for e in seed001.experiments(Path("build"), True, readers=3):
      self.assertIn("3", e.title)
      self.assertEqual(((), [None] * 3), (e.aims, [figure.before for figure in e.figures]), "the seed says nothing of so many")

  def test_sequential_readers_share_the_drive_whatever_their_number(self):
    for readers in (1, 3, seed001.READERS):
      share_mib = int(seed001.options_of("sequential", readers)["size"].rstrip("m"))
      self.assertLess(seed001.DISK_GIB * 1024 - share_mib, share_mib * readers)
      self.assertLessEqual(share_mib * readers, seed001.DISK_GIB * 1024)


class Programs(unittest.TestCase):
  def test_fs_mark_counts_the_files_of_whole_rounds(self):
    self.assertEqual(seed002.created(FS_MARK), 1000)
    self.assertEqual(seed002.created(""), 0)

  def test_dbench_ends_with_its_throughput(self):
    self.assertEqual(seed004.parse(DBENCH), {"mbps": 27.8312, "max_ms": 225.108})

  def test_without_it_the_last_line_says_why(self):
    self.assertRaisesRegex(experiment.WorkloadError, "no such directory", seed004.parse, "dbench\nno such directory\n")


class GivenUp(unittest.TestCase):
  def test_starts_that_were_given_up_are_told(self):
    ended, cut = {"ended": True}, {"ended": False}
    self.assertEqual(seeds.seed003.given_up({"bfq": [ended], "bfq + Brio": [ended]}), "")
    self.assertRegex(seeds.seed003.given_up({"bfq": [cut, ended, cut], "bfq + Brio": [ended]}), "^bfq: 2 of 3 starts were given up, [^\n]*$")


class Comparison(unittest.TestCase):
  FASTER, MORE = experiment.Figure("ms", "ms", False, 541, 110), experiment.Figure("iops", "IOPS", True, 314, 437)

  def make(self, *aims, **others):
    plain, idle = (arms.Plain(name, None) for name in ("bfq", "idle"))
    return experiment.Experiment("x", "hdd-7200", 5, (plain, idle, arms.Brio("brio", None, "build", "hdd")), (self.FASTER, self.MORE),
                                 aims, **others)

  def results(self, **brio):
    run = {"ms": 10, "iops": 300, "onset_s": 0.4, "restored": True} | brio
    return {"bfq": [{"ms": 100, "iops": 200}], "idle": [{"ms": 5, "iops": 1}], "brio": [run]}

  def aims(self, e, **brio):
    return runner.make_aims([e], [self.results(**brio)], types.SimpleNamespace(runtime=None, real=True))

  def test_better_is_more_or_less_as_the_figure_says(self):
    self.assertEqual([runner.gain(f, f.before, f.after) for f in (self.FASTER, self.MORE)], ["4.92 ×", "1.39 ×"])

  def test_what_the_seed_does_not_say_stays_empty(self):
    self.assertEqual((runner.gain(self.FASTER, None, None), runner.change(None, None)), ("", ""))

  def test_a_share_is_of_the_first_arm_or_of_the_one_it_names(self):
    e = self.make(experiment.Share("ms", "latency", 15, False), experiment.Share("ms", "latency", 110, False, against="idle"))
    self.assertEqual([(a.value, a.met) for a in self.aims(e)[:2]], [(10, True), (200, False)])

  def test_a_share_of_the_best_is_of_whichever_arm_without_brio_moves_most(self):
    aim = self.aims(self.make(experiment.ShareOfBest("iops", "IOPS", 97)))[0]
    self.assertEqual((aim.name, aim.value, aim.met), ("x: IOPS, of bfq's", 150, True))
    self.assertFalse(self.aims(self.make(experiment.ShareOfBest("iops", "IOPS", 97)), iops=193)[0].met)

  def test_where_less_is_better_the_best_is_the_arm_without_brio_that_has_least(self):
    aim = self.aims(self.make(experiment.ShareOfBest("ms", "latency", 105, False)))[0]
    self.assertEqual((aim.name, aim.value, aim.met), ("x: latency, of idle's", 200, False))
    self.assertTrue(self.aims(self.make(experiment.ShareOfBest("ms", "latency", 105, False)), ms=5.2)[0].met)

  def test_a_share_of_nothing_is_an_error_with_a_sentence(self):
    e, results = self.make(experiment.Share("ms", "latency", 15, False)), self.results()
    results["bfq"][0]["ms"] = 0
    self.assertRaisesRegex(experiment.WorkloadError, "--runtime", runner.make_aims, [e], [results], types.SimpleNamespace(runtime=None, real=True))

  def test_a_limit_holds_what_brio_reached_against_it(self):
    aims = self.aims(self.make(experiment.Limit("ms", "longest wait", 10, "ms"), experiment.Limit("ms", "longest wait", 9, "ms")))
    self.assertEqual([a.met for a in aims[:2]], [True, False])

  def test_a_run_in_which_nothing_was_set_counts_as_the_whole_run(self):
    e = self.make(onset_aim_s=1.0)
    self.assertEqual([a.value for a in self.aims(e)], [0.4, 1])
    self.assertEqual([a.value for a in self.aims(e, onset_s=None)], [5, 1])

  def test_where_the_processor_was_busy_no_aim_is_judged_but_that_settings_came_back(self):
    e, results = self.make(experiment.Share("ms", "latency", 15, False), onset_aim_s=1.0), self.results()
    for idle, aims in ((31.0, 3), (29.0, 1)):
      for runs in results.values():
        runs[0]["idle_percent"] = idle
      self.assertEqual(aims, len(runner.make_aims([e], [results], types.SimpleNamespace(runtime=None, real=False))))

  def test_a_setting_that_did_not_come_back_misses_an_aim(self):
    self.assertFalse(self.aims(self.make(), restored=False)[-1].met)

  def test_a_median_of_several_runs_has_its_interval_and_says_how_sure_it_is(self):
    runs = [{"ms": ms} for ms in (10, 40, 20)]
    self.assertEqual(summary.median_text(runner.figures_of(runs, "ms")), "20 (10 – 40)")
    self.assertEqual(summary.median_text(runner.figures_of(runs[:1], "ms")), "10")
    self.assertIn("75 %", runner.confidence_line(3)[0])
    self.assertIn("95 % interval", runner.confidence_line(6)[0])
    self.assertEqual(runner.confidence_line(1), [])

  def test_the_document_has_each_arm_and_each_aim(self):
    e = self.make(experiment.Share("ms", "latency", 15, False), experiment.Share("iops", "IOPS", 200, True))
    text = runner.document([e], [self.results()], self.aims(e), "busy", types.SimpleNamespace(real=True))
    text = re.sub(" +", " ", text)  # columns are aligned
    for part in ("| bfq | 100 | 200 |", "| brio | 10 | 300 |", "| x: latency, of bfq's | 10 % | ≤ 15 | met |", "| 150 % | ≥ 200 | **missed** |"):
      self.assertIn(part, text)

  def test_the_chart_has_a_panel_for_each_figure_that_has_an_aim(self):
    e = self.make(experiment.Share("ms", "latency", 15, False))
    panel, = runner.panels([e], [self.results()], types.SimpleNamespace(real=True))
    self.assertEqual((panel.title, [row.title for row in panel.rows if row.ours]), ("x: ms", ["brio"]))
    self.assertEqual(sum(1 for _ in ElementTree.fromstring(chart.svg("x", [panel], 2, "")).iter("{http://www.w3.org/2000/svg}circle")), 3)


class Failing(unittest.TestCase):
  def test_what_was_measured_before_a_run_failed_is_kept(self):
    e, = seed000.experiments(Path("build"), True)

    def measure(_experiments, _args, results):
      results.append({arm.name: [] for arm in e.arms})
      results[0][e.arms[0].name].append({"seconds": 7})
      raise experiment.WorkloadError("it broke")

    with tempfile.TemporaryDirectory() as directory, mock.patch.object(runner, "measure", measure), mock.patch.object(runner, "missing", return_value=None), \
         mock.patch.object(runner.process, "end_on_signals"), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
      args = types.SimpleNamespace(build_dir=Path(directory), runtime=1, random_seed=1, runs=1, quick=True, real=True)
      self.assertEqual(1, runner.run("seeds", [e], args))
      kept = json.loads(Path(directory, "bench-seeds-unfinished.json").read_text())
    self.assertEqual("seeds: it broke\n", said.getvalue())
    self.assertEqual([{"seconds": 7}], kept["experiments"][0]["arms"][e.arms[0].name])


class Against(unittest.TestCase):
  def test_other_arms_stand_before_brio_run_its_workload_and_none_is_there_twice(self):
    for e in experiments():
      more = others.added(e, others.NAMES, Path("build"))
      self.assertEqual((more.arms[0], more.arms[-1]), (e.arms[0], e.arms[-1]))
      self.assertEqual(len({arm.name for arm in more.arms}), len(more.arms))
      self.assertEqual({arm.workload for arm in more.arms[len(e.arms) - 1:]}, {e.arms[-1].workload})
      self.assertEqual(sum(arm.scheduler == "mq-deadline" and not arm.tuned and not isinstance(arm, others.UnderTuned) for arm in more.arms), 1, e.title)
      self.assertEqual(sum(isinstance(arm, others.UnderTuned) for arm in more.arms), 2)

  def test_quick_has_none_unless_they_are_asked_for(self):
    args = types.SimpleNamespace(against=None, quick=True)
    self.assertEqual(comparing.against(args), [])
    args.against = ["none"]
    self.assertEqual(comparing.against(args), ["none"])
    with mock.patch.object(others.alternatives, "why_not", return_value=None):
      self.assertEqual(comparing.against(types.SimpleNamespace(against=None, quick=False, real=True, build_dir=None)), list(others.NAMES))


class Axes(unittest.TestCase):
  def test_what_lies_far_apart_has_a_logarithmic_axis_and_nothing_is_on_none(self):
    for values, kind in (((1, 100), chart.Logarithmic), ((10, 20), chart.Linear), ((0, 5), chart.Linear), ((0,), chart.Linear)):
      axis = chart.axis_of(values)
      self.assertIsInstance(axis, kind)
      self.assertGreaterEqual(len(axis.ticks()), 3)
      for value in (*values, *axis.ticks()):
        self.assertTrue(chart.LABELS <= axis.x(value) <= chart.LABELS + chart.PLOT, (values, value))


if __name__ == "__main__":
  unittest.main()
