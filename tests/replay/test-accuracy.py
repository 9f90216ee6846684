#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of the labelled corpus (docs/accuracy.md): what is found in each recording is what is true of it.

usage: test-accuracy.py [unittest argument]...

The recordings are those of `./dev bench accuracy --record`, and the labels that it writes; both are copied here as they are."""
import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "bench"))

from lib.accuracy import labels, replay, score  # noqa: E402

BUILD = Path(os.environ.get("BRIO_BUILD_DIR", SOURCE / "build"))
RECORDINGS = sorted((HERE / "accuracy").glob("*.recording"))
SEED003 = "writer-mixed-slow-ssd"
BYTES_MAX = 2 << 20  # of all of them: they are in the tree for good


class Corpus(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    cls.truth = {path.stem: labels.read(path.with_suffix(".json")) for path in RECORDINGS}
    cls.found = {path.stem: replay.run(BUILD, path) for path in RECORDINGS}
    cls.scores = {name: score.judge(cls.truth[name], cls.found[name]) for name in cls.truth}

  def assert_all(self, of):
    """of(score): proportions of which all must be right."""
    for name, one in self.scores.items():
      for proportion in of(one):
        with self.subTest(name):
          self.assertEqual(proportion.n, proportion.right, "\n".join(one.mistakes))

  def test_there_is_one_of_each_role_and_they_are_of_a_size_to_keep(self):
    self.assertEqual(set(labels.ROLES), {p.role for truth in self.truth.values() for p in truth.programs})
    self.assertLessEqual(sum(path.stat().st_size for path in RECORDINGS), BYTES_MAX)

  def test_every_recording_is_whole(self):
    for name, found in self.found.items():
      with self.subTest(name):
        self.assertTrue(found.summary["complete"])
        self.assertEqual(0, found.summary["events_lost"])

  def test_every_stream_is_found(self):
    self.assert_all(lambda one: [one.streams])

  def test_nothing_else_is_taken_for_a_stream(self):
    self.assert_all(lambda one: [one.confirmed])

  def test_what_is_named_bulk_is_bulk(self):
    self.assert_all(lambda one: [one.bulk_named])

  def test_kinds_of_verdicts_stand_where_they_should_and_nowhere_else(self):
    self.assert_all(lambda one: one.verdicts.values())

  def test_every_start_is_told_with_its_end_and_its_culprit(self):
    self.assertGreaterEqual(sum(one.starts.n for one in self.scores.values()), 4)
    self.assert_all(lambda one: [one.starts, one.start_ends, one.start_culprits])

  def test_on_seed_003s_workload_the_memory_takes_fewer_for_streams_and_brio_none(self):
    """Greedy readers and writers beside a program that starts, as in Valente 2017. Without policies: bfq's rule is that of its settings,
    and here those that it comes with."""
    false = []
    with tempfile.TemporaryDirectory() as none:
      for way in ((), ("--kernel-rule",), ("--no-memory",)):
        one = score.judge(self.truth[SEED003], replay.run(BUILD, HERE / "accuracy" / f"{SEED003}.recording", ("--policy-dir", none, *way)))
        false.append(one.confirmed.n - one.confirmed.right)
    brio, memory, forgetful = false
    self.assertEqual(0, brio)
    self.assertTrue(0 < memory < forgetful, false)

  def test_the_verdict_about_a_stream_names_its_rate(self):
    for name, truth in self.truth.items():
      rates = {v.pid: v.evidence["rate"] for v in self.found[name].of(score.SOFT_RT)}
      for program in truth.programs:
        known = [rates[each.pid] for each in program.processes if each.pid in rates]
        if program.role == labels.STREAM and program.rate and known:
          with self.subTest(f"{name}, {program.name}"):
            self.assertAlmostEqual(1, known[0] / program.rate, delta=0.35)


if __name__ == "__main__":
  unittest.main()
