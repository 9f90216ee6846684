#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a start waited for, from a log.

usage: test-bench-trace.py BENCH_DIR [unittest argument]..."""
import contextlib
import io
import sys
import unittest
import xml.dom.minidom
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
BENCH = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(BENCH))
from lib import ablation, lanes, timeline  # noqa: E402
from lib.virtual import machine  # noqa: E402



def load(name):
  loader = SourceFileLoader(f"{name}_program", str(BENCH / name))
  module = module_from_spec(spec_from_loader(f"{name}_program", loader))
  loader.exec_module(module)
  return module


BENCHMARK, ABLATION = load("trace"), load("ablation")
PROGRAM, READER = 126, 99
# The reader has the drive when the program asks; one of its reads is split in two.
TRACE = f"""
  7,0    0    10.000000000    {READER}  Q  RA 1000 + 16 [fio]
  7,0    0    10.000100000    37  D  RA 1000 + 8 [kworker/0:1H]
  7,0    0    10.010000000   {PROGRAM}  Q  RM 5000 + 8 [python3]
  7,0    0    10.010000000   {PROGRAM}  m   N bfq126S allocated
  7,0    0    10.020000000    96  C  RA 1000 + 8 [0]
  7,0    0    10.020000000    37  D  RA 1008 + 8 [kworker/0:1H]
  7,0    0    10.030000000    96  C  RA 1008 + 8 [0]
  7,0    0    10.030000000    {READER}  m   N bfq99S expire (1, slow 0, num_disp 2, short_ttime 0, weight 40)
  7,0    0    10.050000000    37  D  RM 5000 + 8 [kworker/0:1H]
  7,0    0    10.054000000    96  C  RM 5000 + 8 [0]
  7,0    0    10.060000000    37  D  FN [kworker/0:1H]
"""
SWITCH = "prev_comm={} prev_pid={} prev_prio=120 prev_state={} ==> next_comm={} next_pid={} next_prio=120"
SLEEPS = f"""
         python3-{PROGRAM}     [000] d..2.    10.060000: sched_switch: {SWITCH.format("python3", PROGRAM, "D", "swapper/0", 0)}
         python3-{PROGRAM}     [000] d..2.    10.060001: <stack trace>
 => trace_event_raw_event_sched_switch
 => __schedule
 => __wait_on_buffer
 => ext4_find_entry
          <idle>-0       [000] d..2.    10.090000: sched_switch: {SWITCH.format("swapper/0", 0, "R", "python3", PROGRAM)}
"""


def told(**changed):
  log = {"start": {"begun": 10.005, "seconds": 0.1, "pid": PROGRAM, "ended": True}, "clock_ahead_s": 1000.0, "trace": TRACE, "sleeps": SLEEPS,
         "processes": {str(PROGRAM): [95, "python3"], "130": [PROGRAM, "child"]},
         "decisions": [{"time_usec": 1010.04 * 1e6, "result": "applied", "tunable": "slice_idle", "old": "8", "new": "0", "law": "idle-limit", "reason": "because"}]}
  return {"log": log | changed, "idle_share": 0.5}


class Story(unittest.TestCase):
  def setUp(self):
    self.story = timeline.Story(told())

  def test_a_wait_is_told_apart_into_the_schedulers_queue_the_drives_and_the_drives_work(self):
    wait, = self.story.waits
    for expected, found in ((0.040, wait.issued - wait.begin), (0.0, wait.taken - wait.issued), (0.004, wait.done - wait.taken)):
      self.assertAlmostEqual(expected, found)

  def test_what_the_drive_did_before_is_named_with_its_share(self):
    wait, = self.story.waits
    (name, entry), = wait.behind.items()
    self.assertEqual((f"fio {READER}", "R"), name)
    self.assertAlmostEqual(0.020, entry[0])
    self.assertEqual([16 * 512, 2], entry[1:])

  def test_the_drive_serves_one_after_the_other_of_those_that_it_has(self):
    one, other = timeline.Request(1.0, "R", 0, 8, None, done=1.3), timeline.Request(1.0, "R", 8, 8, None, done=1.2)
    timeline.take_turns([one, other])
    self.assertEqual((1.2, 1.0), (one.taken, other.taken))

  def test_bios_of_one_request_are_one_wait(self):
    merged = TRACE.replace("  7,0    0    10.010000000   126  m", "  7,0    0    10.010000001   126  Q  RM 5008 + 8 [python3]\n  7,0    0    10.010000000   126  m")
    wait, = timeline.Story(told(trace=merged.replace("RM 5000 + 8 [kworker", "RM 5000 + 16 [kworker").replace("C  RM 5000 + 8", "C  RM 5000 + 16"))).waits
    self.assertEqual((2, 8192), (len(wait.bios), wait.bytes))

  def test_a_request_that_was_split_is_done_with_its_last_part(self):
    bio = self.story.log.bios[0]
    self.assertEqual([8, 8], [one.sectors for one in timeline.serving(self.story.log, bio)])

  def test_a_sleep_without_a_request_of_its_own_says_where(self):
    sleep, = self.story.for_others()
    self.assertEqual(["__wait_on_buffer", "ext4_find_entry"], sleep.where)
    self.assertAlmostEqual(0.030, sleep.end - sleep.begin)

  def test_all_is_on_one_line_of_time(self):
    lines = self.story.lines(0.001)
    self.assertEqual([at for at, _ in lines], sorted(at for at, _ in lines))
    kinds = [text.split()[0] for _, text in lines]
    self.assertEqual({"wait", "turn", "bfq", "Brio", "sleep"}, set(kinds))
    self.assertIn("slice_idle 8 → 0 (idle-limit): because", next(text for _, text in lines if text.startswith("Brio")))

  def test_what_took_less_is_left_out(self):
    self.assertEqual({"bfq", "Brio"}, {text.split()[0] for _, text in self.story.lines(0.5)})

  def test_a_start_that_was_given_up_waits_to_its_end(self):
    cut = timeline.Story(told(trace="\n".join(line for line in TRACE.splitlines() if "C  RM" not in line)))
    self.assertAlmostEqual(cut.end, cut.waits[0].done)

  def test_children_count_as_the_program(self):
    self.assertEqual([130], timeline.children(PROGRAM, told()["log"]["processes"]))

  def test_the_picture_is_well_formed_and_has_a_lane_for_each(self):
    picture = lanes.svg("a < b", self.story)
    texts = [node.firstChild.data for node in xml.dom.minidom.parseString(picture).getElementsByTagName("text")]
    self.assertIn("the program", texts)
    self.assertIn(f"fio {READER}", texts)

  def test_the_picture_shows_once_when_bfq_raises_a_process(self):
    raised = TRACE + "".join(f"  7,0    0    10.06{ms:07}    {READER}  m   N bfq{READER}S raising period dur {ms}/300 msec, old coeff 3000, w 120000\n" for ms in (0, 44, 48))
    in_legend, shown = (lanes.svg("a", timeline.Story(told(trace=trace))).count('class="said"') for trace in (TRACE, raised))
    self.assertEqual((1, 2), (in_legend, shown))


class Requests(unittest.TestCase):
  def request(self, *argv):
    return BENCHMARK.request(BENCHMARK.make_parser().parse_args(argv))

  def test_a_start_without_a_law_is_that_of_the_ablation(self):
    one = next(one for one in ablation.plan(ABLATION.parse_arguments(["--quick"])) if one.variant.title == "without step-back")
    self.assertEqual(one.request(), self.request("hdd,python3,readers,brio", "1", "--off", "step-back"))

  def test_a_drive_with_another_file_system_is_a_cell_as_any_other(self):
    self.assertEqual("hdd-btrfs", self.request("hdd-btrfs,python3,readers,brio")["drive"])
    with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
      self.request("no-drive,python3,readers,brio")

  def test_it_says_before_it_begins_how_long_that_takes(self):
    said, args = io.StringIO(), BENCHMARK.make_parser().parse_args([])
    with mock.patch.object(machine, "prepared", side_effect=KeyboardInterrupt), contextlib.redirect_stderr(said), self.assertRaises(KeyboardInterrupt):
      BENCHMARK.measured(args)
    self.assertIn("1 start in virtual time, ", said.getvalue())


if __name__ == "__main__":
  unittest.main()
