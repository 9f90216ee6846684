#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stream benchmark: the player that reads ahead, what a viewer sees of it, and its runs in virtual time.

usage: test-bench-stream.py BENCH_DIR [unittest argument]..."""
import contextlib
import io
import json
import os
import sys
import tempfile
import types
import unittest
import unittest.mock
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(BENCH))
from lib import paced, runner, stream  # noqa: E402
from lib.virtual import arm, experiments  # noqa: E402

RATE = 1_000_000
SECONDS = 4


def load_benchmark():
  loader = SourceFileLoader("stream_program", str(BENCH / "stream"))
  module = module_from_spec(spec_from_loader("stream_program", loader))
  loader.exec_module(module)
  return module


PROGRAM = load_benchmark()


def told(playing, each_s):
  """A player whose calls came so long one after the other."""
  calls = -(-RATE * SECONDS // paced.CALL_BYTES)
  return {"playing": playing, "came": [each_s * (i + 1) for i in range(calls)], "waits": [each_s] * calls}


class Seen(unittest.TestCase):
  def test_a_store_that_is_full_hides_waits(self):
    figures = stream.paced_figures(told(1.0, paced.CALL_BYTES / RATE), RATE, SECONDS)
    self.assertEqual((0, 0), (figures["late_percent"], figures["stalls"]))
    self.assertEqual(1.0, figures["begins_s"])

  def test_a_drive_that_is_too_slow_has_late_frames_once_the_store_is_used_up(self):
    figures = stream.paced_figures(told(1.0, 2 * paced.CALL_BYTES / RATE), RATE, SECONDS)
    self.assertTrue(70 < figures["late_percent"] < 100, figures)
    self.assertAlmostEqual(1000 * (2 * SECONDS - 1 - SECONDS), figures["behind_ms"], delta=300)

  def test_what_never_came_is_as_late_as_the_viewer_waits(self):
    nothing = stream.paced_figures({"playing": None, "came": [], "waits": []}, RATE, SECONDS)
    self.assertEqual(SECONDS + paced.PATIENCE_S, nothing["begins_s"])
    half = told(1.0, 0.001)
    half["came"] = half["came"][:len(half["came"]) // 2]
    self.assertGreater(stream.paced_figures(half, RATE, SECONDS)["behind_ms"], 1000 * paced.PATIENCE_S)

  def test_a_wait_while_the_store_fills_is_none_while_it_plays(self):
    film = told(1.0, 0.01)
    film["came"], film["waits"] = [0.3, 1.0, 1.2], [0.3, 0.7, 0.05]
    figures = stream.paced_figures(film, RATE, SECONDS)
    self.assertEqual((700, 50), (round(figures["max_ms"]), round(figures["playing_max_ms"])))
    self.assertEqual(0, stream.paced_figures(film | {"playing": None}, RATE, SECONDS)["playing_max_ms"])


class Player(unittest.TestCase):
  def test_it_reads_the_film_once_and_tells_of_each_call(self):
    seconds = 0.5
    with tempfile.NamedTemporaryFile() as film:
      os.truncate(film.fileno(), RATE)
      of_process = stream.play_paced(film.name, RATE, 0.2, seconds, lambda _: None)
    self.assertEqual(-(-round(RATE * seconds) // paced.CALL_BYTES), len(of_process["came"]))
    self.assertEqual(len(of_process["came"]), len(of_process["waits"]))
    self.assertEqual(sorted(of_process["came"]), of_process["came"])
    self.assertIsNotNone(of_process["playing"])


class Plan(unittest.TestCase):
  def parse(self, *argv):
    return PROGRAM.parse_arguments(list(argv))

  def test_a_guest_describes_the_same_experiments_as_the_host(self):
    args = self.parse("--quick", "--runs", "2")
    described = stream.experiments(args)
    number, treated, seed = experiments.plan(described, args)[-1]
    asked = json.loads(json.dumps(experiments.request("stream", described[number], treated, seed, 12)))
    there, its_arm = arm.described(asked, Path("/elsewhere"))
    self.assertEqual((described[number].title, treated.name), (there.title, its_arm.name))

  def test_each_seed_has_every_arm_of_every_experiment(self):
    args = self.parse("--quick", "--runs", "2", "--random-seed", "7")
    plan = experiments.plan(stream.experiments(args), args)
    self.assertEqual(2 * 2 * 3, len(plan))
    self.assertEqual([7] * 6 + [8] * 6, [seed for _, _, seed in plan])

  def test_a_priority_of_the_players_own_and_brio_without_a_law_are_further_arms_before_brios(self):
    args = self.parse("--quick", "--drives", "disk-2tb", "--priority", "RT/4", "--off", "stream-guard")
    names = [each.name for each in stream.experiments(args)[0].arms]
    self.assertEqual(["mq-deadline, the player at RT/4", "bfq, the player at RT/4", "bfq + Brio without stream-guard", "bfq + Brio"], names[2:])
    with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
      self.parse("--off", "no-law")

  def test_a_player_at_a_priority_of_its_own_plays_as_any_other(self):
    with tempfile.NamedTemporaryFile() as film:
      os.truncate(film.fileno(), RATE)
      of_process = stream.play_paced(film.name, RATE, 0.2, 0.5, lambda _: None, "BE/6")
    self.assertIsNotNone(of_process["playing"])

  def test_a_player_with_sound_is_connected_to_the_server_while_it_plays(self):
    with tempfile.NamedTemporaryFile() as film, stream.sound_server(tempfile.gettempdir()) as server:
      os.truncate(film.fileno(), RATE)
      self.assertTrue(server.endswith("/pulse/native"))
      self.assertIsNotNone(stream.play_paced(film.name, RATE, 0.2, 0.5, lambda _: None, server=server)["playing"])
      os.unlink(server)
      with self.assertRaises(stream.WorkloadError):
        stream.play_paced(film.name, RATE, 0.2, 0.5, lambda _: None, server=server)
    args = self.parse("--sound", "--drives", "hdd")
    self.assertEqual("bfq + Brio, with sound", stream.experiments(args)[0].arms[-2].name)

  def test_a_run_with_sound_fails_where_briod_does_not_see_that_it_is_open(self):
    found = stream.BrioWithSound("name", lambda place, seconds, seed, during: [during(elapsed) for elapsed in (0, 1, 1.5, 2)], "build", "hdd")
    for holds, asked in (("", 2), ("sound", 1)):
      briod = unittest.mock.Mock(**{"brioctl.return_value": json.dumps([{"holds": holds}])})
      with contextlib.nullcontext() if holds else self.assertRaisesRegex(stream.WorkloadError, "sound open"):
        found.workload_with(briod)(None, 2, 1, lambda _: None)
      self.assertEqual(asked, briod.brioctl.call_count)

  def test_what_only_virtual_time_has_is_refused_with_real(self):
    for argv in (("--real", "--rate", "12"), ("--real", "--loads", "copy"), ("--real", "--priority", "RT/4"), ("--real", "--off", "stream-guard"), ("--real", "--sound"), ("--rate", "0"), ("--rate", "1,x")):
      with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
        self.parse(*argv)


class Differences(unittest.TestCase):
  def setUp(self):
    self.experiment = stream.experiments(PROGRAM.parse_arguments(["--quick"]))[0]

  def runs(self, *values, idle=90.0):
    return [{figure.key: value for figure in self.experiment.figures} | {"seed": seed, arm.IDLE: idle} for seed, value in enumerate(values)]

  def result(self, ours, theirs, idle=90.0):
    names = [each.name for each in self.experiment.arms]
    return {name: self.runs(*(ours if name == names[-1] else theirs), idle=idle) for name in names}

  def test_arms_are_held_against_brio_seed_by_seed(self):
    header, rows = experiments.differences_table(self.experiment, self.result((1, 2, 3), (11, 22, 13)))
    self.assertEqual(["kernel default (mq-deadline)", "bfq"], [row[0] for row in rows])
    self.assertEqual("-10 (-20 – -10)", rows[0][header.index("background MB/s")])
    self.assertEqual("3", rows[0][-1])

  def test_a_seed_that_one_of_them_lacks_does_not_count(self):
    _, rows = experiments.differences_table(self.experiment, self.result((1, 2), (5,)))
    self.assertEqual("-4", rows[0][1])

  def test_the_file_has_the_difference_of_each_seed(self):
    found = experiments.differences(self.experiment, self.result((1, 2, 3), (11, 22, 13)))
    self.assertEqual([-10, -20, -10], found["bfq"]["max_ms"])

  def test_where_the_processor_was_busy_nothing_is_judged(self):
    self.assertTrue(experiments.is_judged(self.result((1,), (1,), idle=31.0)))
    self.assertFalse(experiments.is_judged(self.result((1,), (1,), idle=29.0)))

  def test_one_busy_run_of_several_is_enough(self):
    result = self.result((1, 1, 1), (1, 1, 1))
    result["bfq"][2][arm.IDLE] = 29.0
    self.assertFalse(experiments.is_judged(result))
    self.assertEqual({False}, {row.judged for panel in runner.panels([self.experiment], [result], types.SimpleNamespace(real=False)) for row in panel.rows})


if __name__ == "__main__":
  unittest.main()
