#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts and a film beside loads, in virtual time, wait no longer than tests/virtual/bounds.json says: a law that makes one longer does not pass unseen.

usage: test-cells.py SOURCE_DIR BUILD_DIR [unittest argument]...

After a change that is meant to make one longer or shorter: BRIO_UPDATE_BOUNDS='why' measures, prints what differs, and keeps the figures
and the reason in the file."""
import json
import os
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE = Path(sys.argv.pop(1)).resolve()
BUILD_DIR = Path(sys.argv.pop(1)).resolve()
sys.path[:0] = [str(SOURCE / "bench"), str(SOURCE / "tests/lib")]
from lib import matrix, process, summary, trees  # noqa: E402
from lib.virtual import bounds, machine, system  # noqa: E402
import guests  # noqa: E402

FILE = SOURCE / "tests/virtual/bounds.json"
REASON = os.environ.get("BRIO_UPDATE_BOUNDS")


def setUpModule():
  guests.need(system, BUILD_DIR)


class Cells(unittest.TestCase):
  maxDiff = None

  def setUp(self):
    bounds.check_reason(REASON)
    self.kept = json.loads(FILE.read_text(encoding="utf-8"))
    self.release = system.own()
    if REASON is None and self.release not in self.kept["releases"]:
      self.skipTest(f"no bounds for Debian {self.release}")

  def measured(self):
    """Cell → seconds; and what they were measured with."""
    told, seeds = {}, bounds.SEEDS if REASON is None else bounds.MORE_SEEDS
    asked = [(name, seed) for name in bounds.CELLS for seed in seeds]
    places = [(bounds.CELLS[name].drive, machine.place_of(seed)) for name, seed in asked]
    try:
      states = {(drive, place): machine.prepared(matrix.model(drive), BUILD_DIR, place=place) for drive, place in dict.fromkeys(places)}
    except trees.TreeError as e:
      self.skipTest(f"no guest in virtual time: its system cannot be made: {e}")
    jobs = [(*states[place], bounds.CELLS[name].request(seed)) for place, (name, seed) in zip(places, asked)]
    machine.run_all(jobs, machine.under_test(jobs, BUILD_DIR), lambda _: None, lambda i, figures: told.__setitem__(asked[i], figures), lambda: None)
    for (name, seed), figures in told.items():
      self.assertTrue(summary.is_judged([bounds.idle_share(figures)]), f"{name}, seed {seed}: the guest's processor is what was measured")
    return ({name: bounds.typical_s([told[name, seed] for seed in seeds], cell.figure) for name, cell in bounds.CELLS.items()}, bounds.measured_with(jobs[0][1]))

  def test_nothing_waits_longer_than_its_bound(self):
    figures, here = self.measured()
    if REASON is not None:
      changed, words = bounds.updated(self.kept, self.release, figures, here, REASON)
      print("\n".join(f"## {each}" for each in words)) # shown with the counts
      FILE.write_text(json.dumps(changed, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
      return
    kept = self.kept["releases"][self.release]
    for words in bounds.difference(kept["seconds"], figures):
      print(f"## {words}") # a small difference says something here, too
    found, another = bounds.exceeded(kept, figures, here), bounds.elsewhere(kept, here)
    if another:
      print(f"## the bounds are those of another system, so that {bounds.ELSEWHERE_TIMES} times as much more is allowed: {another}")
    if another and found: # which of both made it longer cannot be told
      self.skipTest(f"the bounds are those of another system: {'; '.join(found)}; {another}")
    self.assertEqual([], found)


if __name__ == "__main__":
  process.end_on_signals()
  unittest.main()
