#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ablation benchmark: its variants, its plan, and what its tables say.

usage: test-bench-ablation.py BENCH_DIR [unittest argument]..."""
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
BENCH = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(BENCH))
from lib import ablation, laws  # noqa: E402
from lib.virtual import cells, start, without  # noqa: E402


def load(name):
  loader = SourceFileLoader(f"{name}_program", str(BENCH / name))
  module = module_from_spec(spec_from_loader(f"{name}_program", loader))
  loader.exec_module(module)
  return module


PROGRAM, STARTUP = load("ablation"), load("startup")


def record(seconds, moved=10.0, ended=True):
  return {"seconds": seconds, "ended": ended, "read_mbps": moved, "write_mbps": 0.0, "idle_share": 0.5}


class Variants(unittest.TestCase):
  def test_the_laws_are_those_that_the_policy_of_the_drive_has_on(self):
    self.assertIn("StepBack", laws.of_class("hdd"))
    self.assertFalse({"Trial", "Prefetch"} & set(laws.of_class("hdd")))
    self.assertEqual((), laws.of_class("nvme"))

  def test_each_law_is_off_once_and_alone_once(self):
    every = laws.of_class("hdd")
    found = {variant.title: set(variant.off) for variant in ablation.variants("hdd", None, True)}
    self.assertEqual(2 + 2 * len(every), len(found))
    self.assertEqual((set(), set(every)), (found[ablation.ALL], found[ablation.NONE]))
    self.assertEqual({"StepBack"}, found["without step-back"])
    self.assertEqual(set(every) - {"StepBack"}, found["step-back alone"])

  def test_only_the_laws_that_were_named_are_taken_away(self):
    found = {variant.title: set(variant.off) for variant in ablation.variants("hdd", ["step-back"], False)}
    self.assertEqual({ablation.ALL: set(), "without step-back": {"StepBack"}, ablation.NONE: set(laws.of_class("hdd"))}, found)

  def test_a_law_that_is_off_is_off_in_every_policy(self):
    with tempfile.TemporaryDirectory() as place, mock.patch.object(without, "POLICIES", Path(place)), mock.patch.object(start, "run_on", return_value="measured"):
      for name in ("10-hdd.conf", "10-ssd.conf"):
        (Path(place) / name).touch()
      self.assertEqual("measured", start.run({"drive": "hdd", "off": ["StepBack", "IdleLimit"]}, None, None, None))
      texts = {path.read_text(encoding="ascii") for path in Path(place).glob("*.conf.d/*.conf")}
      self.assertEqual(2, len(list(Path(place).glob("*.conf.d"))))
    self.assertEqual({"[StepBack]\nEnabled = no\n[IdleLimit]\nEnabled = no\n"}, texts)


class Plan(unittest.TestCase):
  def test_it_goes_seed_by_seed(self):
    plan = ablation.plan(PROGRAM.parse_arguments(["--quick"]))
    self.assertEqual(sorted(one.seed for one in plan), [one.seed for one in plan])
    self.assertEqual(2 * 2 * (2 + len(laws.of_class("hdd"))), len(plan))

  def test_the_full_plan_has_every_law_alone_and_ten_seeds(self):
    plan = ablation.plan(PROGRAM.parse_arguments([]))
    self.assertEqual(10 * 4 * (2 + 2 * len(laws.of_class("hdd"))), len(plan))

  def test_a_start_may_come_sooner_after_the_load(self):
    plan = ablation.plan(PROGRAM.parse_arguments(["--quick", "--lead", "1.5"]))
    self.assertEqual({1.5}, {one.request()["lead_s"] for one in plan})
    self.assertEqual({cells.DEFAULTS["lead"]}, {one.request()["lead_s"] for one in ablation.plan(PROGRAM.parse_arguments(["--quick"]))})

  def test_brio_as_it_is_is_the_same_request_as_that_of_the_starts_so_that_it_is_measured_once(self):
    args = STARTUP.parse_arguments(["--quick"])
    starts = [cells.run_of(one, args).request for one in cells.plan(args)]
    as_it_is = [one.request() for one in ablation.plan(PROGRAM.parse_arguments(["--quick"])) if one.variant.title == ablation.ALL]
    self.assertEqual(4, len(as_it_is))
    for asked in as_it_is:
      self.assertIn(asked, starts)


class Tables(unittest.TestCase):
  def ratios(self, ours, base):
    return ablation.ratios(dict(enumerate(ours)), dict(enumerate(base)))

  def text(self, ours, base):
    return ablation.start_text(ablation.NONE, dict(enumerate(ours)), dict(enumerate(base)))

  def test_starts_are_compared_seed_by_seed(self):
    self.assertEqual([1.5, 1.0], [ratio.value for ratio in self.ratios([record(3.0), record(2.0)], [record(2.0), record(2.0)])])

  def test_a_start_that_was_given_up_took_longer(self):
    ratio, = self.ratios([record(30.0, ended=False)], [record(2.0)])
    self.assertEqual("> 15.0", str(ratio))

  def test_a_seed_that_brio_lacks_does_not_count(self):
    self.assertEqual(1, len(self.ratios([record(3.0), record(3.0)], [record(2.0)])))

  def test_a_table_has_a_row_for_each_variant_and_columns_for_each_load(self):
    cells = {("hdd", "python3", "readers"): {ablation.ALL: {1: record(2.0), 2: record(4.0)}, ablation.NONE: {1: record(3.0, 12.0), 2: record(4.0, 12.0)}},
             ("hdd", "python3", "writers"): {ablation.ALL: {1: record(1.0)}}}
    title, _, header, _, *rows = ablation.markdown(cells).splitlines()
    self.assertEqual("### hdd, python3", title)
    self.assertEqual([["", "10 sequential readers: start", "MB/s", "10 writers: start", "MB/s"], [ablation.ALL, "3.00 s", "10", "1.00 s", "10"],
                      [ablation.NONE, "1.25 (1.00 – 1.50)", "12", "–", "–"], ["processor idle, at least", "50 %", "", "50 %", ""], ["seeds, at least", "2", "", "1", ""]],
                     [[text.strip() for text in line.strip("|").split("|")] for line in (header, *rows)])
    pair, = ablation.compared(cells)
    self.assertEqual(("readers", ablation.NONE, 2, 1.25, 0.5), (pair["load"], pair["alternative"], pair["seeds"], pair["median"]["value"], pair["confidence"]))

  def test_a_chart_shows_brio_as_it_is_as_ours(self):
    panel, = ablation.panels({("hdd", "python3", "readers"): {ablation.ALL: {1: record(2.0)}, ablation.NONE: {1: record(3.0)}}})
    self.assertEqual([ablation.ALL], [row.title for row in panel.rows if row.ours])

  def test_a_start_is_bold_where_its_interval_does_not_hold_that_of_brio(self):
    for expected, seconds in (("**1.25** (1.20 – 1.30)", (2.4, 2.6)), ("**0.90** (0.85 – 0.95)", (1.7, 1.9)), ("1.05 (0.90 – 1.20)", (1.8, 2.4)),
                              ("1.00 (1.00 – 1.00)", (2.002, 2.004))):
      self.assertEqual(expected, self.text([*map(record, seconds)] * 3, [record(2.0)] * 6))

  def test_a_start_of_fewer_seeds_than_make_an_interval_of_95_percent_is_not_bold(self):
    self.assertEqual("1.25 (1.20 – 1.30)", self.text([record(2.4), record(2.6)], [record(2.0)] * 2))

  def test_what_is_compared_with_a_start_that_the_processor_held_up_is_not_judged(self):
    busy = record(2.0) | {"idle_share": 0.29}
    for ours, base, judged in ((busy, record(2.0), False), (record(2.0), busy, False), (record(2.0), record(2.0), True)):
      self.assertEqual(judged, "not judged" not in self.text([ours], [base]))
      panel, = ablation.panels({("hdd", "python3", "readers"): {ablation.ALL: {0: base}, ablation.NONE: {0: ours}}})
      self.assertEqual(judged, panel.rows[1].judged)


if __name__ == "__main__":
  unittest.main()
