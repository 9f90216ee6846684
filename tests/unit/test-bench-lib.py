#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmarks' arithmetic and what they say.

usage: test-bench-lib.py BENCH_DIR [unittest argument]..."""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
STATE = tempfile.TemporaryDirectory(prefix="brio-test-")
os.environ["BRIO_BENCH_STATE"] = os.path.join(STATE.name, "state")
sys.path.insert(0, sys.argv.pop(1))
from lib import arms, drive, fio, process, report, state  # noqa: E402

NO_SUCH_PID = 4194305  # above the kernel's limit of PIDs


def fio_output(error=0, total=2):
  read = {"total_ios": total, "iops": 12.5, "bw_bytes": 51200,
          "clat_ns": {"mean": 2e6, "max": 9000000, "percentile": {"50.000000": 1, "99.000000": 8000000}}}
  return "note: something\n" + json.dumps({"jobs": [{"error": error, "read": read}]})


class Aims(unittest.TestCase):
  def close(self, aims, strict):
    with contextlib.redirect_stdout(io.StringIO()) as out:
      return report.close(aims, strict), out.getvalue()

  def test_an_aim_lies_on_one_side(self):
    self.assertTrue(report.Aim("a", 1.8, 1.8, "", True).met)
    self.assertFalse(report.Aim("a", 1.79, 1.8, "", True).met)
    self.assertTrue(report.Aim("a", 1.0, 1.0, "", False).met)
    self.assertFalse(report.Aim("a", 1.01, 1.0, "", False).met)

  def test_around_takes_both_sides(self):
    for value, met in ((84, False), (86, True), (114, True), (116, False)):
      self.assertEqual(report.Around("a", value, 100, "", True, 0.15).met, met, value)

  def test_only_strict_fails_on_a_missed_aim(self):
    aims = [report.Aim("good", 2, 1, " s", True), report.Aim("bad", 0.5, 1, " s", True)]
    self.assertEqual(self.close(aims, strict=False)[0], 0)
    status, text = self.close(aims, strict=True)
    self.assertEqual(status, 1)
    self.assertIn("MISS  bad: 0.50 s (aim ≥ 1)\n", text)
    self.assertTrue(text.endswith("aims: 1 of 2 met\n"))
    self.assertEqual(self.close(aims[:1], strict=True)[0], 0)


class Figures(unittest.TestCase):
  def test_numbers_have_no_exponent(self):
    for value, text in ((0.00001, "0.0000"), (0.05, "0.0500"), (1.5, "1.50"), (12.34, "12.3"), (123456789.5, "123456790"), (3, "3")):
      self.assertEqual(report.number(value), text)

  def test_gain_says_how_many_times_better(self):
    self.assertEqual(arms.gain(200, 100, more_is_better=False), 2)
    self.assertEqual(arms.gain(100, 200, more_is_better=True), 2)

  def test_columns_are_aligned(self):
    lines = report.table(["", "a"], [["long name", 1.0], ["x", 100.0]]).splitlines()
    self.assertEqual({len(line) for line in lines}, {len(lines[0])})

  def test_the_median_ignores_one_outlier(self):
    self.assertEqual(report.summarise([{"x": 1}, {"x": 2}, {"x": 99}], ["x"]), {"x": 2})


class Fio(unittest.TestCase):
  def test_latencies_are_in_milliseconds(self):
    self.assertEqual(fio.parse(fio_output()), fio.Result(iops=12.5, mbps=0.0512, mean_ms=2, p99_ms=8, max_ms=9))

  def test_a_failed_or_empty_run_is_an_error(self):
    self.assertRaises(fio.FioError, fio.parse, fio_output(error=5))
    self.assertRaises(fio.FioError, fio.parse, fio_output(total=0))

  def test_an_option_that_is_true_stands_alone(self):
    argv = fio.command("x", {"readonly": True, "bs": "4k"})
    self.assertIn("--readonly", argv)
    self.assertIn("--bs=4k", argv)


class Processes(unittest.TestCase):
  def test_a_child_ends_with_its_context(self):
    with process.Process(["sleep", "1000"]) as child:
      self.assertIsNone(child.popen.poll())
    self.assertEqual(child.returncode, -15)

  def test_one_that_takes_too_long_is_ended(self):
    with process.Process(["sleep", "1000"]) as child:
      self.assertRaises(TimeoutError, child.finish, 0.1)
    self.assertIsNotNone(child.returncode)

  def test_output_that_nobody_wants_goes_nowhere(self):
    with process.Process(["sh", "-c", "exec 3>&1; readlink /proc/self/fd/3 >&2"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
      child.popen.wait()
      self.assertEqual(child.text("stderr"), "/dev/null\n")


class State(unittest.TestCase):
  def test_only_the_dead_leave_orphans(self):
    own = state.make("drive")
    os.mkdir(state.DIRECTORY / f"drive-{NO_SUCH_PID}-1-abc")
    # The PID lives, but another process had it.
    os.mkdir(state.DIRECTORY / f"drive-{os.getpid()}-1-abc")
    self.assertEqual([d.name.split("-")[1:3] for d in state.orphans("drive")],
                     sorted([[str(NO_SUCH_PID), "1"], [str(os.getpid()), "1"]]))
    self.assertEqual(len(drive.cleanup()), 2)
    self.assertTrue(os.path.isdir(own))
    state.remove(own)
    self.assertFalse(state.DIRECTORY.exists())

  def test_a_truncated_record_does_not_stop_the_cleanup(self):
    directory = state.DIRECTORY / f"drive-{NO_SUCH_PID}-1-abc"
    directory.mkdir(parents=True)
    (directory / "taken.json").write_text('{"device": "/dev/lo')
    self.assertEqual(drive.cleanup(), [directory.name])
    self.assertFalse(state.DIRECTORY.exists())


class Models(unittest.TestCase):
  def test_each_says_what_emulate_and_check_need(self):
    models = sorted(p.stem for p in drive.MODELS.glob("*.conf"))
    self.assertTrue(models)
    for name in models:
      _, parsed = drive.load_model(name)
      self.assertGreater(int(parsed["model"]["queue_depth"]), 0)
      self.assertIsInstance(parsed["model"].getboolean("rotational"), bool)
      self.assertTrue(parsed["intended"])

  def test_an_unknown_one_is_named(self):
    self.assertRaisesRegex(drive.DriveError, "floppy", drive.load_model, "floppy")


if __name__ == "__main__":
  unittest.main()
