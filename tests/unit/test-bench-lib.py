#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmarks' arithmetic and what they say.

usage: test-bench-lib.py BENCH_DIR [unittest argument]..."""
import argparse
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
STATE = tempfile.TemporaryDirectory(prefix="brio-test-")
os.environ["BRIO_BENCH_STATE"] = os.path.join(STATE.name, "state")
sys.path.insert(0, sys.argv.pop(1))
from lib import alternatives, arguments, arms, comparing, daemon, drive, fio, iostat, others, player, process, progress, report, state, usage  # noqa: E402

NO_SUCH_PID = 4194305  # above the kernel's limit of PIDs


def fio_output(error=0, total=2):
  read = {"total_ios": total, "iops": 12.5, "bw_bytes": 51200,
          "clat_ns": {"mean": 2e6, "max": 9000000, "percentile": {"50.000000": 1, "99.000000": 8000000}}}
  return "note: something\n" + json.dumps({"jobs": [{"error": error, "read": read, "usr_cpu": 10.0, "sys_cpu": 30.0, "job_runtime": 2000}]})


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

  def test_a_markdown_table_is_aligned_and_has_a_line_below_its_header(self):
    self.assertEqual(report.markdown(["", "a"], [["x", 1.5]]), "|     |    a |\n| --- | ---: |\n| x   | 1.50 |")

  def test_the_median_ignores_one_outlier(self):
    self.assertEqual(report.summarise([{"x": 1}, {"x": 2}, {"x": 99}], ["x"]), {"x": 2})


class Arguments(unittest.TestCase):
  def test_a_whole_number_has_bounds(self):
    parse = arguments.whole_number(1, 16)
    self.assertEqual([parse("1"), parse("16")], [1, 16])
    for text in ("", "0", "17", "-1", "1.0", "1e1", "x", "²", "9" * 9999):
      self.assertRaisesRegex(argparse.ArgumentTypeError, "no whole number from 1 to 16$", parse, text)

  def test_figures_that_could_not_be_written_are_not_measured(self):
    with tempfile.TemporaryDirectory() as directory:
      for text in (directory, f"{directory}/missing/figures.json", ""):
        self.assertRaises(argparse.ArgumentTypeError, arguments.output_file, text)
      self.assertEqual(arguments.output_file(f"{directory}/figures.json"), Path(directory, "figures.json"))
    self.assertEqual(arguments.output_file("/dev/null"), Path("/dev/null"))


class LeftOut(unittest.TestCase):
  def chosen(self, against, quick=False):
    said = io.StringIO()
    with mock.patch("shutil.which", return_value=None), contextlib.redirect_stderr(said):
      return comparing.against(argparse.Namespace(against=against, quick=quick, real=True, build_dir="/nowhere")), said.getvalue()

  def test_without_mmdebstrap_the_arms_that_need_none_run_and_the_others_are_named(self):
    names, said = self.chosen(None)
    self.assertEqual(["mq-deadline", "none", "kyber"], names)
    self.assertEqual("Left out, since there is no mmdebstrap (package mmdebstrap): tuned-desktop, tuned-throughput.\n", said)
    self.assertIsNone(others.missing(names, "/nowhere"))

  def test_tuned_that_was_asked_for_by_name_says_why_it_cannot_be(self):
    names, said = self.chosen(["tuned-desktop"])
    self.assertEqual((["tuned-desktop"], ""), (names, said))
    with mock.patch("shutil.which", return_value=None):
      self.assertIn("mmdebstrap", others.missing(names, "/nowhere"))

  def test_the_alternatives_of_starts_are_all_but_tuned(self):
    with mock.patch("shutil.which", return_value=None), contextlib.redirect_stderr(io.StringIO()):
      self.assertEqual(["tuned-desktop", "tuned-throughput"], [name for name in alternatives.ALL if name not in comparing.unasked()])
    with mock.patch("shutil.which", return_value="/usr/bin/mmdebstrap"):
      self.assertEqual(list(alternatives.ALL), comparing.unasked())

  def test_where_nothing_can_run_nothing_is_left_out(self):
    self.assertEqual(["a", "b"], arguments.present(["a", "b"], lambda name: f"no {name}"))


class WithBrio(unittest.TestCase):
  def test_a_briod_that_ended_meanwhile_is_an_error(self):
    """Its figures would be those of no Brio at all."""
    arm = arms.Brio("bfq + Brio", lambda *_: {"iops": 1}, "build", "hdd")
    briod = mock.MagicMock()
    briod.__enter__.return_value.check.side_effect = daemon.DaemonError("briod ended by itself")
    briod.__exit__.return_value = False
    place = mock.Mock()
    place.emulated.name = place.emulated.device = "no-such-drive"
    idle = dict.fromkeys(iostat.FIELDS, 0)
    with mock.patch.object(daemon, "Daemon", return_value=briod), mock.patch.object(arms, "SETTLE_S", 0), \
         mock.patch.object(iostat, "counters", return_value=idle):
      self.assertRaises(daemon.DaemonError, arm.run, place, 1, 1, lambda: None)


class Order(unittest.TestCase):
  def test_each_arm_runs_equally_often_and_a_seed_repeats_the_order(self):
    order = arms.shuffled("abc", 4, 7)
    self.assertEqual(sorted(order), [(i, arm) for i in range(4) for arm in "abc"])
    self.assertEqual(order, arms.shuffled("abc", 4, 7))
    self.assertNotEqual(order, arms.shuffled("abc", 4, 8))


class TimeLeft(unittest.TestCase):
  def after(self, line, seconds):
    line.begin = line.step_begin = time.monotonic() - seconds
    with contextlib.redirect_stderr(io.StringIO()):
      line.finish_step()
    line.step_begin = time.monotonic()
    return line.left_s()

  def test_steps_of_different_length_count_by_their_length(self):
    self.assertAlmostEqual(self.after(progress.Progress(3, [10, 20, 30]), 10), 50, delta=1)

  def test_a_pace_that_was_seen_holds_for_the_rest(self):
    self.assertAlmostEqual(self.after(progress.Progress(3, 10), 20), 40, delta=1)

  def test_what_turns_out_to_be_needed_takes_the_place_of_what_was_expected(self):
    line = progress.Progress(0, [])
    line.plan_left([10, 20, 30])
    self.assertAlmostEqual(self.after(line, 20), 100, delta=1)
    line.plan_left([5])
    self.assertAlmostEqual(line.left_s(), 10, delta=1)
    self.assertEqual(2, line.steps)

  def test_where_more_may_follow_it_says_so_and_how_long_that_can_take(self):
    line = progress.Progress(0, [])
    line.plan_left([10], time.monotonic() + 300)
    self.assertAlmostEqual(line.left_s(), 300, delta=1)
    with contextlib.redirect_stderr(io.StringIO()) as said:
      line.step("hdd")
    self.assertRegex(said.getvalue(), r"\[1/1\+\] hdd, at most (5:00|4:59) left")

  def test_after_the_last_step_nothing_is_left(self):
    self.assertEqual(self.after(progress.Progress(1, 10), 20), 0)


class Iostat(unittest.TestCase):
  """Two readings of a drive's counters, 5 s apart, that give the first row of the thread's table (seed 002)."""
  BEFORE = "100 0 1000 50 200 10 3000 70 0 400 900"
  # 31 reads of 512 sectors in 15084 ms, 2183 writes with 102215 merges, busy for 3620 ms.
  AFTER = "131 0 1512 15134 2383 102225 2766667 308461 3 4020 370050"

  def test_the_columns_are_those_of_old_iostat(self):
    row = iostat.columns(iostat.parse(self.BEFORE), iostat.parse(self.AFTER), 5)
    expected = {"rrqm/s": 0, "wrqm/s": 20443, "r/s": 6.2, "w/s": 436.6, "rMB/s": 0.05, "wMB/s": 269.89, "avgrq-sz": 1248.5,
                "avgqu-sz": 73.83, "await": 146.11, "r_await": 486.58, "w_await": 141.27, "svctm": 1.64, "%util": 72.4}
    self.assertEqual(set(row), set(expected))
    for column, value in expected.items():
      self.assertAlmostEqual(row[column], value, delta=0.001 * value + 0.005, msg=column)

  def test_a_drive_that_did_nothing_has_zeros(self):
    same = iostat.parse(self.BEFORE)
    self.assertEqual(set(iostat.columns(same, same, 5).values()), {0})

  def test_newer_kernels_further_fields_change_nothing(self):
    self.assertEqual(iostat.parse(self.AFTER), iostat.parse(self.AFTER + " 1 2 3 4 5 6"))


class Usage(unittest.TestCase):
  def test_workers_that_come_and_go_do_not_take_the_others_time_with_them(self):
    self.assertAlmostEqual(1.5, usage.kworkers_cpu_s({"7": 10**9, "8": 9 * 10**9}, {"7": 2 * 10**9, "9": 5 * 10**8}))


class Fio(unittest.TestCase):
  def test_the_time_on_a_cpu_is_that_of_all_jobs(self):
    self.assertAlmostEqual(0.8, fio.parse(fio_output()).cpu_s)

  def test_latencies_are_in_milliseconds(self):
    self.assertEqual(fio.parse(fio_output()), fio.Result(iops=12.5, mbps=0.0512, mean_ms=2, p99_ms=8, max_ms=9, cpu_s=0.8))

  def test_a_failed_or_empty_run_is_an_error(self):
    self.assertRaises(fio.FioError, fio.parse, fio_output(error=5))
    self.assertRaises(fio.FioError, fio.parse, fio_output(total=0))

  def test_an_option_that_is_true_stands_alone(self):
    argv = fio.command("x", {"readonly": True, "bs": "4k"})
    self.assertIn("--readonly", argv)
    self.assertIn("--bs=4k", argv)


class Video(unittest.TestCase):
  """Frames as (when it came, when it is due), 25 a second, after a start offset of 3 s."""

  def frames(self, seconds, late_s=lambda due: 0.0):
    dues = [i / player.FPS for i in range(round(seconds * player.FPS))]
    return [(3 + due + late_s(due), due) for due in dues]

  def test_lines_become_frames_in_seconds(self):
    lines = [(0.1, "#software: x"), (0.1, "#tb 0: 1/90000"), (0.2, "0,      -3600,          0,     3600,    49877, 0x12cb6387, S=1"),
             (0.3, "0,      90000,     180000,     3600,    61796, 0x2c1d7b89")]
    self.assertEqual(player.frames_due(lines), [(0.2, -0.04), (0.3, 1.0)])

  def test_a_constant_offset_is_no_lateness(self):
    figures = player.figures(self.frames(4), 4)
    self.assertEqual((figures["late_percent"], figures["stalls"]), (0, 0))
    self.assertLess(figures["behind_ms"], 0.001)

  def test_a_late_beginning_is_none_either(self):
    self.assertEqual(player.figures(self.frames(4, lambda due: 0.1 if due < 0.2 else 0), 4)["stalls"], 0)

  def test_one_pause_is_one_stall_and_the_frames_behind_it_are_late(self):
    # The reader stands still at 2 s for 1 s and then catches up at once.
    figures = player.figures(self.frames(5, lambda due: max(3 - due, 0) if due >= 2 else 0), 5)
    self.assertEqual(figures["stalls"], 1)
    self.assertAlmostEqual(figures["longest_stall_ms"], 1000, delta=1)
    self.assertAlmostEqual(figures["behind_ms"], 1000, delta=1)
    self.assertAlmostEqual(figures["late_percent"], 100 * 24 / 112, delta=1)

  def test_a_viewer_that_is_behind_already_sees_only_longer_pauses(self):
    self.assertEqual([round(s, 3) for s in player.stalls([0, 0.5, 0.2, 0.4, 0.7, 0])], [0.5, 0.2])

  def test_frames_that_never_come_are_as_late_as_the_viewer_is_patient(self):
    figures = player.figures(self.frames(2), 4)
    self.assertAlmostEqual(figures["longest_stall_ms"], 1000 * (4 + player.PATIENCE_S - 3 - 2), delta=1)

  def test_a_stream_of_which_nothing_came_is_late_as_a_whole(self):
    figures = player.figures([], 4)
    self.assertEqual(figures["late_percent"], 100)
    self.assertGreater(figures["behind_ms"], 1000 * player.PATIENCE_S)

  def test_lines_come_with_their_time(self):
    ours, theirs = os.pipe()
    os.write(theirs, b"one\ntwo\nhalf")
    os.close(theirs)
    lines = player.timed_lines(ours, 10, lambda elapsed: None)
    os.close(ours)
    self.assertEqual([line for _, line in lines], ["one", "two"])


class Processes(unittest.TestCase):
  def test_a_child_ends_with_its_context(self):
    with process.Process(["sleep", "1000"]) as child:
      self.assertIsNone(child.popen.poll())
    self.assertEqual(child.returncode, -15)

  def test_its_forks_end_with_it_whatever_session_they_are_in(self):
    fork = "import os, time\nif os.fork() == 0: os.setsid(); print(os.getpid(), flush=True)\ntime.sleep(1000)"
    with process.Process([sys.executable, "-c", fork], stdout=subprocess.PIPE) as child, process.Process([sys.executable, "-c", fork]) as other:
      while not (pid := child.text("stdout")):
        time.sleep(process.POLL_S)
      child.stop()
      self.assertIsNone(other.popen.poll(), "another that was begun in the same way goes on")
    self.assertFalse(os.path.exists(f"/proc/{int(pid)}"))

  def test_one_that_takes_too_long_is_ended(self):
    with process.Process(["sleep", "1000"]) as child:
      self.assertRaises(TimeoutError, child.finish, 0.1)
    self.assertIsNotNone(child.returncode)

  @unittest.skipUnless(os.geteuid() == 0, "needs root: another root directory")
  def test_start_does_not_wait_for_the_exec_of_one_with_a_root_directory(self):
    with process.Process(["/no-such-program"], root="/") as child:
      self.assertEqual(child.popen.wait(), 255)

  def test_output_that_is_not_wanted_goes_nowhere(self):
    with process.Process(["sh", "-c", "exec 3>&1; readlink /proc/self/fd/3 >&2"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
      child.popen.wait()
      self.assertEqual(child.text("stderr"), "/dev/null\n")


class Programs(unittest.TestCase):
  def test_what_a_program_prints_is_returned(self):
    self.assertEqual(process.output(["echo", "yes"], ValueError), "yes\n")

  def test_why_apt_failed_is_its_first_error(self):
    said = "Reading package lists...\nE: Failed to fetch http://a  Temporary failure resolving 'a'\nE: Some index files failed\nE: mmdebstrap failed to run\n"
    with self.assertRaisesRegex(ValueError, "sh: E: Failed to fetch http://a  Temporary failure resolving 'a'$"):
      process.output(["sh", "-c", 'printf "%s" "$0" >&2; exit 25', said], ValueError)

  def test_why_it_failed_is_its_last_line_or_its_status(self):
    self.assertRaisesRegex(ValueError, "^sh: second$", process.output, ["sh", "-c", "echo first >&2; echo second >&2; exit 1"], ValueError)
    self.assertRaisesRegex(ValueError, "^false: status 1$", process.output, ["false"], ValueError)

  def test_where_to_read_more_is_not_why_mount_failed(self):
    said = "mount: /: not mount point or bad option.\n       dmesg(1) may have more information after failed mount system call.\n"
    with tempfile.TemporaryDirectory() as directory:
      program = Path(directory) / "mount"
      program.write_text(f"#!/bin/sh\nprintf '%s' '{said}' >&2\nexit 32\n")
      program.chmod(0o755)
      with mock.patch.dict(os.environ, {"PATH": f"{directory}:{os.environ['PATH']}"}):
        self.assertRaisesRegex(ValueError, "^mount: /: not mount point or bad option.$", process.output, ["mount", "--make-rslave", "/"], ValueError)
    self.assertEqual(process.last_line(said), "mount: /: not mount point or bad option.")

  def test_one_that_is_not_there_is_said(self):
    self.assertRaisesRegex(ValueError, "^there is no program no-such-program$", process.output, ["no-such-program"], ValueError)

  def test_what_fio_said_last_is_its_error(self):
    with mock.patch.object(fio, "command", return_value=["sh", "-c", "echo first >&2; echo why >&2; exit 1"]):
      self.assertRaisesRegex(fio.FioError, "^fio ended with status 1: why$", fio.run, "bad", {"runtime": 1})


class Resources(unittest.TestCase):
  class Steps(process.Resource):
    def __init__(self, error=None):
      self.error, self.done = error, []

    def open(self):
      self.done.append("opened")
      if self.error:
        raise self.error

    def close(self):
      self.done.append("closed")

  def test_it_is_closed_at_the_end(self):
    with self.Steps() as steps:
      self.assertEqual(steps.done, ["opened"])
    self.assertEqual(steps.done, ["opened", "closed"])

  def test_what_cannot_be_made_whole_is_removed(self):
    steps = self.Steps(OSError("no room"))
    self.assertRaises(OSError, steps.__enter__)
    self.assertEqual(steps.done, ["opened", "closed"])


class Followers(unittest.TestCase):
  def test_a_process_that_comes_too_late_for_its_parents_end_ends_all_the_same(self):
    program = f"import sys; sys.path.insert(0, sys.argv[1]); from lib import process; process.follow({NO_SUCH_PID}); print('goes on')"
    done = subprocess.run([sys.executable, "-c", program, sys.path[0]], capture_output=True, text=True, check=False)
    self.assertEqual((done.returncode, done.stdout), (-signal.SIGTERM, ""))


class Signals(unittest.TestCase):
  PROGRAM = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from lib import process
process.end_on_signals()
try:
  with process.uninterrupted():
    with process.uninterrupted():
      os.kill(os.getpid(), signal.SIGTERM)
    print("whole")
  print("never")
finally:
  print("removed")
"""

  def test_what_is_begun_is_ended_before_a_signal_ends_us(self):
    done = subprocess.run([sys.executable, "-c", self.PROGRAM, sys.path[0]], capture_output=True, text=True, check=False)
    self.assertEqual((done.returncode, done.stdout, done.stderr), (143, "whole\nremoved\n", ""))


  def test_it_is_said_at_once_that_what_was_made_is_removed_now(self):
    program = self.PROGRAM.replace("end_on_signals()", "end_on_signals(lambda: print('ending'))")
    done = subprocess.run([sys.executable, "-c", program, sys.path[0]], capture_output=True, text=True, check=False)
    self.assertEqual((done.returncode, done.stdout), (143, "ending\nwhole\nremoved\n"))


class Timing(unittest.TestCase):
  def test_a_signal_does_not_keep_it_from_being_set(self):
    with mock.patch("os.setxattr", side_effect=[InterruptedError, None]) as setxattr:
      drive.set_timing("file", b"off")
    self.assertEqual(setxattr.call_count, 2)


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
