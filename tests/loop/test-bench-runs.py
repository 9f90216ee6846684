#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A comparing benchmark runs through, with briod, and says what it measured.

usage: test-bench-runs.py SOURCE_DIR BUILD_DIR [unittest argument]..."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve()
BUILD_DIR = Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "bench"))
from lib import drive, fio  # noqa: E402


def why_not():
  if drive.missing():
    return drive.missing()
  if fio.missing():
    return "fio is not installed"
  return None if (BUILD_DIR / "bench/drive/brio-drive").exists() else "brio-drive is not built"


@unittest.skipIf(why_not(), why_not() or "")
class Runs(unittest.TestCase):
  def test_seed000_compares_brio_with_bfq_and_the_kernels_default_and_leaves_every_setting_as_before(self):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      output = Path(directory) / "figures.json"
      argv = [SOURCE / "bench/seeds", "--real", "--quick", "--seed", "000", "--processes", "20", "--build-dir", BUILD_DIR, "--runs", "1", "--runtime", "1", "--output", output]
      done = subprocess.run(argv, env=os.environ | {"BRIO_BENCH_STATE": f"{directory}/state"}, capture_output=True, text=True)
      self.assertEqual(done.returncode, 0, done.stderr)
      figures = json.loads(output.read_text())
    self.assertRegex(done.stdout.splitlines()[-1], r"^aims: \d of 7 met$")
    experiment, = figures["experiments"]
    self.assertEqual(list(experiment["arms"]), ["bfq", "mq-deadline", "bfq + Brio"])
    for (run,) in experiment["arms"].values():
      self.assertGreater(run["iops"], 0)
    self.assertTrue(experiment["arms"]["bfq + Brio"][0]["restored"])

  def test_startup_compares_the_kernels_default_with_brio_and_leaves_no_setting_behind(self):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      output = Path(directory) / "figures.json"
      argv = [SOURCE / "bench/startup", "--real", "--build-dir", BUILD_DIR, "--drives", "ssd", "--programs", "python3", "--loads", "copy",
              "--alternatives", "kernel,brio", "--runs", "1", "--lead", "0.5", "--start-timeout", "5", "--output", output]
      done = subprocess.run(argv, env=os.environ | {"BRIO_BENCH_STATE": f"{directory}/state"}, capture_output=True, text=True)
      self.assertEqual(done.returncode, 0, done.stderr)
      figures = json.loads(output.read_text())
      self.assertIn("| Brio ", output.with_suffix(".md").read_text())
      self.assertTrue(output.with_suffix(".svg").read_text().endswith("</svg>\n"))
      self.assertFalse((Path(directory) / "state").exists())
    self.assertTrue(figures["complete"])
    by_cell = {(c["load"], c["alternative"]): c for c in figures["cells"]}
    self.assertTrue(by_cell["idle", "kernel"]["median"]["exact"])
    self.assertGreater(by_cell["copy", "kernel"]["read_mbps"] + by_cell["copy", "kernel"]["write_mbps"], 0)
    self.assertEqual(by_cell["copy", "brio"]["scheduler"], "bfq")

  def test_accuracy_records_what_it_labels_and_judges_it(self):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      output, corpus = Path(directory) / "figures.json", Path(directory) / "corpus"
      argv = [SOURCE / "bench/accuracy/check", "--build-dir", BUILD_DIR, "--quick", "--scenarios", "direct-hdd", "--corpus", corpus, "--output", output]
      done = subprocess.run(argv, env=os.environ | {"BRIO_BENCH_STATE": f"{directory}/state"}, capture_output=True, text=True)
      self.assertEqual(done.returncode, 0, done.stderr)
      figures = json.loads(output.read_text())
      truth = json.loads((corpus / "direct-hdd.json").read_text())
      self.assertTrue((corpus / "direct-hdd.recording").exists())
      self.assertFalse((Path(directory) / "state").exists())
    self.assertRegex(done.stdout.splitlines()[-1], r"^aims: \d of \d met$")
    self.assertEqual([1 << 20, 1 << 18, 3 << 20], [program["rate"] for program in truth["programs"]])
    self.assertTrue(all(len(program["processes"]) == 2 for program in truth["programs"]))  # fio and its job
    judged = figures["figures"]["detectors"]["brio, training"]
    self.assertEqual(3, judged["streams"]["n"])
    self.assertEqual(judged["confirmed"]["n"], judged["confirmed"]["right"])


class Simulated(unittest.TestCase):
  def check(self, *arguments):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      output = Path(directory) / "figures.json"
      argv = [SOURCE / "bench/drive/check", "--build-dir", BUILD_DIR, "--strict", "--output", output, *arguments]
      done = subprocess.run(argv, capture_output=True, text=True, check=False)
      return done, output.read_text() if output.exists() else None

  def test_a_model_is_held_to_its_figures_which_are_the_same_each_time(self):
    done, figures = self.check("disk-500gb", "usb-stick-3")
    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
    self.assertRegex(done.stdout.splitlines()[-1], r"^aims: 2\d of 2\d met$")
    self.assertEqual(figures, self.check("disk-500gb", "usb-stick-3")[1])

  def test_a_model_that_misses_its_figures_fails(self):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      slow = Path(directory) / "slow.conf"
      slow.write_text((drive.MODELS / "disk-2tb.conf").read_text().replace("rpm = 7200", "rpm = 5400"))
      done, _ = self.check(slow)
    self.assertEqual(done.returncode, 1)
    self.assertRegex(done.stdout, "slow: random 4 KiB reads, depth 1 .*MISS\n")

  def test_a_figure_that_nothing_measures_is_the_files_error(self):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as directory:
      odd = Path(directory) / "odd.conf"
      odd.write_text((drive.MODELS / "sd-card.conf").read_text() + "weight_g = 2\n")
      done, _ = self.check(odd)
    self.assertEqual(done.returncode, 1)
    self.assertRegex(done.stderr, r'odd\.conf:\d+: nothing measures "weight_g = 2" in \[intended\]')


if __name__ == "__main__":
  unittest.main()
