#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of what is measured in virtual time, without a guest.

usage: test-bench-bounds.py BENCH_DIR [unittest argument]..."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(sys.argv.pop(1)).resolve()))
from lib.virtual import bounds, system  # noqa: E402

FILE = Path(__file__).resolve().parent.parent / "virtual/bounds.json"
# The head of a kernel's file whose version begins at 0x200 + 0x100.
IMAGE = bytes(0x20e) + (0x100).to_bytes(2, "little") + bytes(0xf0) + b"6.1.0-50-amd64 (who) #1 SMP\0more"


class Bounds(unittest.TestCase):
  def setUp(self):
    self.kept = {"measured_with": {"kernel": "6.1"}, "seconds": {"a": 2.0}}
    self.cells = {"a": bounds.Cell("hdd", dict, 0.25)}

  def exceeded(self, figures, kernel="6.1"):
    return bounds.exceeded(self.kept, figures, {"kernel": kernel}, self.cells)

  def test_what_takes_longer_than_its_bound_allows_is_named_with_both(self):
    self.assertEqual([], self.exceeded({"a": 2.499}))
    self.assertEqual(["a: 2.501 s, where its bound is 2.000 s and no more than 2.500 s pass"], self.exceeded({"a": 2.501}))

  def test_what_is_lost_with_a_law_does_not_pass(self):
    kept = json.loads(FILE.read_text(encoding="utf-8"))["releases"]["12"]
    # As docs/results has them: starts without law readahead, one that is not read ahead, and a film with bfq alone.
    lost = {"hdd, python3 beside 10 readers": 1.27, "hdd, python3 beside 5 readers + 5 writers": 1.19, "hdd, python3 beside 10 writers": 1.37,
            "hdd, longest wait of a film beside 10 readers": 4}
    figures = {cell: kept["seconds"][cell] * times for cell, times in lost.items()} | {"hdd, python3 beside 10 readers, read ahead": 1.82}
    self.assertEqual(set(figures), {words.partition(": ")[0] for words in bounds.exceeded(kept, figures, kept["measured_with"])})

  def test_what_builds_differ_by_passes(self):
    kept = json.loads(FILE.read_text(encoding="utf-8"))["releases"]["12"]
    self.assertEqual([], bounds.exceeded(kept, {cell: 1.12 * bound for cell, bound in kept["seconds"].items()}, kept["measured_with"]))

  def test_a_cell_without_a_bound_is_no_success(self):
    self.assertEqual(["b: has no bound"], self.exceeded({"b": 1.0}))

  def test_with_another_kernel_it_may_take_longer_and_that_is_named(self):
    self.assertEqual(([], ["a: 3.100 s, where its bound is 2.000 s and no more than 3.000 s pass"]), (self.exceeded({"a": 2.9}, "6.12"), self.exceeded({"a": 3.1}, "6.12")))
    self.assertEqual(("", "kernel is 6.12, was 6.1"), tuple(bounds.elsewhere(self.kept, {"kernel": name}) for name in ("6.1", "6.12")))

  def test_a_kernel_says_its_version_without_being_run(self):
    with tempfile.TemporaryDirectory() as directory:
      Path(directory, system.KERNEL).write_bytes(IMAGE)
      self.assertEqual("6.1.0-50-amd64 (who) #1 SMP", system.kernel(Path(directory)))

  def test_each_cell_has_a_bound_and_each_bound_a_cell_and_a_reason(self):
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    self.assertTrue(kept["releases"])
    for release, its in kept["releases"].items():
      self.assertEqual(set(bounds.CELLS), set(its["seconds"]))
      self.assertTrue([reason for reason in kept["reasons"] if reason.startswith(f"Debian {release}: ")])

  def test_what_a_guest_tells_is_a_start_or_that_of_the_one_that_was_helped_or_what_a_cell_asks_of_a_film(self):
    film = {"max_ms": 250.0, "behind_ms": 500.0, "idle_percent": 60.0}
    told = ({"seconds": 2.0, "idle_share": 0.7}, {"starts": [{"seconds": 1.0, "idle_share": 0.5}]})
    self.assertEqual(([2.0, 1.0], [0.7, 0.5, 0.6]), ([*map(bounds.seconds, told)], [*map(bounds.idle_share, (*told, film))]))
    cells = ("hdd, longest wait of a film beside 10 readers", "sd-card, 12 s of a film beside 10 writers")
    self.assertEqual([0.25, 12.5], [bounds.CELLS[name].figure(film) for name in cells])

  def test_of_the_seeds_of_a_cell_the_mean_without_the_shortest_and_the_longest_counts(self):
    self.assertEqual(2.0, bounds.typical_s([{"seconds": s} for s in (9.0, 1.0, 2.5, 1.5, 2.0)]))
    self.assertEqual(list(bounds.SEEDS), [bounds.CELLS["hdd, python3 beside 10 readers"].request(seed)["seed"] for seed in bounds.SEEDS])

  def test_bounds_are_changed_for_a_reason_that_stays_in_the_file(self):
    before = {"releases": {"12": self.kept}, "reasons": ["Debian 12: first"]}
    after, words = bounds.updated(before, "12", {"a": 3.0}, {"kernel": "6.1"}, " a law ")
    self.assertEqual((["Debian 12: first", "Debian 12: a law"], {"a": 3.0}), (after["reasons"], after["releases"]["12"]["seconds"]))
    self.assertEqual(["a: 3.0000 s, was 2.0000 s (+50.0 %)"], words)
    with self.assertRaises(bounds.NoReason):
      bounds.updated(before, "12", {"a": 3.0}, {"kernel": "6.1"}, " ")


if __name__ == "__main__":
  unittest.main()
