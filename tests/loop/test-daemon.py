#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real briod on a real drive (a loop device) of the real kernel: what it sets, and that it leaves nothing behind."""
import contextlib
import errno
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402
import recordings  # noqa: E402
from gi.repository import Gio, GLib  # noqa: E402

READERS = 150
COUNTED_READERS = range(140, 161)  # some may just not have read, and a few other processes may look at the drive
LOAD_PATIENCE_S = 60  # 150 processes have to start first
TRIALS_MAX = 6  # on a machine on which programs start meanwhile
JUST_AFTER_S = 0.3
# What the law names: base, readers, the share, and where that is too short to pay, the result.
FORMULA = re.compile(r"slice_idle_us = min\(base (\d+) µs, group slice 300000 µs / (\d+) readers\) = (\d+) µs"
                     r"(?:, (?:shorter than 8000 µs|and of \d+ % of them it catches no request that the drive has near), so (0) µs)?")
SEED = int(os.environ.get("BRIO_TEST_SEED", "20261121"))


@unittest.skipIf(brio.why_no_readers(), brio.why_no_readers())
class Live(unittest.TestCase):
  """A loop device and briod with it as its drive."""
  scheduler = "bfq"
  former = {"read_ahead_kb": 4096}  # settings made before briod came: this one leaves nothing to the law readahead, which waits for no load
  options = ()
  ahead = "no"
  policy_edits = ()  # (text in 10-hdd.conf, its replacement)
  maxDiff = None

  def setUp(self):
    self.loop = self.enterContext(brio.Loop(scheduler=self.scheduler))
    for name, value in self.former.items():
      self.loop.write(name, value)
    self.state = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-state-", ignore_cleanup_errors=True))
    self.policies = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-policies-"))
    # A probe gives a value back for a moment: Tries is about that.
    text = (SOURCE / "policies/10-hdd.conf").read_text().replace("Probe = yes", "Probe = no")
    # Its wait ends: Ahead is about that.
    self.assertIn("Ahead = yes\n", text)
    text = text.replace("Ahead = yes\n", f"Ahead = {self.ahead}\n")
    for old, new in self.policy_edits:
      self.assertIn(old, text)
      text = text.replace(old, new)
    Path(self.policies, "10-hdd.conf").write_text(text)
    self.before = self.loop.everything()
    self.bus = self.enterContext(brio.Bus())
    self.prepare()
    self.briod = self.enterContext(self.new_briod())

  def prepare(self):
    """For what a class wants to happen before the start."""

  def new_briod(self, *options):
    # The others, too: what starts from the machine's own drive is no concern of these tests, and would void a trial.
    others = [f"--exclude={name}" for name in os.listdir("/sys/block") if name != self.loop.name]
    return brio.Briod(self.bus, "--include", f"{self.loop.name}=hdd", *others, *(options or self.options), state=self.state, policies=self.policies)

  def get(self, name, briod=None):
    return (briod or self.briod).get(name, self.loop.name)

  def tunable(self, name):
    return self.briod.tunable(self.loop.name, name)

  def idle_us(self):
    return int(self.loop.read("iosched/slice_idle_us"))

  def wait(self, condition, what, patience_s=LOAD_PATIENCE_S):
    try:
      return brio.wait_for(condition, what, patience_s)
    except AssertionError as e:
      raise AssertionError(f"{e}; its log:\n{self.briod.text()}") from e

  def start_readers(self):
    return self.enterContext(brio.Readers(f"/dev/{self.loop.name}", READERS))

  def formula(self, text):
    """(base, readers, share, result) where the text has the law's formula with most of the readers; else None."""
    match = FORMULA.search(text)
    if not match:
      return None
    base, readers, share, result = (int(group or match[3]) for group in match.groups())
    return (base, readers, share, result) if readers in COUNTED_READERS else None

  def hold_under_load(self):
    """Returns base, readers, share and result once the law has counted most of them."""
    self.start_readers()
    return self.wait(lambda: self.formula(self.get("Reason")), "most readers counted")

  def hold_something(self):
    """The load, and any value of Brio's."""
    self.start_readers()
    self.wait(lambda: self.idle_us() < 8000, "a value of Brio's")

  def decisions(self, **wanted):
    return [d for d in self.briod.decisions() if all(d[key] == value for key, value in wanted.items())]

  def assert_untouched(self):
    self.assertEqual(self.before, self.loop.everything())

  def assert_nothing_kept(self):
    self.assertFalse(Path(self.state, "originals").exists())

  def end_and_compare(self, briod=None):
    self.assertEqual(0, (briod or self.briod).stop())
    self.assert_untouched()
    self.assert_nothing_kept()

  def kill_and_compare(self):
    """The next start puts back what the killed one left."""
    self.briod.stop(signal.SIGKILL)
    with self.new_briod("--mode", "off") as again:
      self.end_and_compare(again)


def without_trial(decision):
  """What may still change of a decision is what its trial finds."""
  return {key: value for key, value in decision.items() if key not in ("outcome", "effect")}


class Tunes(Live):
  def test_150_readers_get_the_slice_idle_that_the_law_names(self):
    heard = []
    self.briod.call("Observe")
    self.briod.connection.signal_subscribe(brio.NAME, brio.MANAGER, "DecisionMade", None, None, Gio.DBusSignalFlags.NONE,
                                           lambda *a: heard.append(a[5].unpack()[0]))
    base, readers, share, result = self.hold_under_load()
    self.assertEqual((8000, 300000 // readers, 0), (base, share, result))
    self.assertIn("idle-limit: ", self.get("Reason"))
    self.assertEqual(result, self.idle_us())
    self.assertEqual(("8000", str(result), str(result), "brio"), self.tunable("slice_idle_us"))
    self.assertEqual("holding", self.get("State"))
    self.assertEqual("many-sync", self.get("Workload"))

    def heard_it():
      while GLib.MainContext.default().iteration(False):
        pass
      return [d for d in heard if d["tunable"] == "slice_idle_us" and d["observed"] == str(result)]
    self.wait(heard_it, "DecisionMade")
    known = [without_trial(decision) for decision in self.briod.decisions()]
    for decision in heard:
      self.assertIn(without_trial(decision), known)
    self.end_and_compare()

  def test_the_originals_come_back_by_themselves_after_the_load(self):
    readers = self.start_readers()
    self.wait(lambda: self.idle_us() < 8000, "a value of Brio's")
    readers.stop()
    self.wait(lambda: self.loop.everything() == self.before, "the originals")
    self.wait(lambda: self.get("State") == "observing", "the state")
    self.assert_nothing_kept()


class Restores(Live):
  def test_restore_puts_everything_back_and_stays_away(self):
    self.hold_something()
    held = len([t for t in self.get("Tunables").values() if t[3] == "brio"])
    restored, left = self.briod.call("Restore", "(s)", "")
    self.assertTrue(0 < held <= restored, (held, restored))  # a tick in between may have set another one
    self.assertEqual(0, left)
    self.assert_untouched()
    self.assert_nothing_kept()
    time.sleep(2)  # some ticks under load
    self.assert_untouched()
    self.end_and_compare()

  def test_restore_of_one_drive_keeps_the_mode_and_leaves_it_alone(self):
    self.hold_something()
    self.assertEqual(0, self.briod.call("Restore", "(s)", self.loop.name)[1])
    self.assert_untouched()
    self.assertEqual(("auto", "manual"), (self.briod.get("Mode"), self.get("State")))
    time.sleep(2)
    self.assert_untouched()
    self.end_and_compare()

  def test_a_new_start_makes_a_kill_good(self):
    self.hold_something()
    self.briod.stop(signal.SIGKILL)
    self.assertNotEqual(self.before, self.loop.everything())
    with self.new_briod("--mode", "off") as again:
      self.assert_untouched()
      self.assert_nothing_kept()
      self.assertIn("left by an earlier run", again.text())
      self.end_and_compare(again)


class Recovers(Live):
  """briod --restore, as the service runs it after its end."""

  def restore(self):
    return self.new_briod("--restore").fails_to_start()

  def test_restore_makes_a_kill_good_without_a_start(self):
    self.hold_something()
    self.briod.stop(signal.SIGKILL)
    self.assertNotEqual(self.before, self.loop.everything())
    status, text = self.restore()
    self.assertEqual(0, status, text)
    self.assertIn("left by an earlier run", text)
    self.assert_untouched()
    self.assert_nothing_kept()

  def test_restore_after_an_orderly_end_does_nothing(self):
    self.briod.stop()
    status, text = self.restore()
    # What a briod has left that another test killed is removed all the same.
    said = [line for line in text.splitlines() if "tracing instances of killed daemons removed" not in line]
    self.assertEqual((0, []), (status, said))
    self.assert_untouched()

  def test_restore_leaves_a_running_briod_alone(self):
    self.hold_something()
    status, text = self.restore()
    self.assertEqual(1, status)
    self.assertIn("another briod runs", text)
    self.assertLess(self.idle_us(), 8000)
    self.end_and_compare()


class OddOriginals(Live):
  """Values that no default has come back exactly, too."""
  former = {"iosched/slice_idle_us": 7777, "iosched/timeout_sync": 60, "nr_requests": 47, "read_ahead_kb": 64}

  def test_odd_originals_come_back_after_the_end(self):
    base, readers, share, result = self.hold_under_load()
    self.assertEqual((7777, 300000 // readers, 0), (base, share, result))
    self.end_and_compare()

  def test_odd_originals_come_back_after_a_kill(self):
    self.hold_something()
    self.kill_and_compare()


class Ahead(Live):
  """A drive that is quiet from the beginning, and has no load."""
  ahead = "yes"
  policy_edits = (("[IdleLimit]", "QuietTime = 500ms\n\n[IdleLimit]"),)

  def wait_for_no_wait(self):
    self.wait(lambda: self.tunable("slice_idle_us") == ("8000", "0", "0", "brio"), "an end of the wait")
    self.assertIn("idle-limit: the drive is quiet", self.get("Reason"))

  def test_on_a_quiet_drive_there_is_no_wait_and_after_the_end_there_is(self):
    self.wait_for_no_wait()
    self.end_and_compare()

  def test_after_a_kill_the_wait_is_back(self):
    self.wait_for_no_wait()
    self.kill_and_compare()


class Switches(Live):
  """mq-deadline as set up by hand; the policy prefers bfq."""
  scheduler = "mq-deadline"
  former = {"nr_requests": 48, "iosched/fifo_batch": 7, "iosched/read_expire": 321, "iosched/writes_starved": 5}
  policy_edits = (("[IdleLimit]", "QuietTime = 500ms\n\n[IdleLimit]"),)

  def wait_for_bfq(self, briod=None):
    self.wait(lambda: self.loop.active() == "bfq", "bfq")
    self.wait(lambda: self.get("Scheduler", briod) == "bfq" and self.get("State", briod) == "holding", "bfq in the report")

  def test_a_quiet_drive_is_switched_and_switched_back(self):
    self.wait_for_bfq()
    self.assertEqual(("mq-deadline", "bfq", "bfq", "brio"), self.tunable("scheduler"))
    self.end_and_compare()

  def test_what_the_switch_resets_is_brios_and_began_as_it_was_before_brio(self):
    self.wait_for_bfq()
    initial, wanted, current, owner = self.tunable("nr_requests")
    self.assertEqual(("48", "", "brio"), (initial, wanted, owner))
    self.assertNotEqual("48", current)

  def test_what_was_tuned_below_the_other_scheduler_goes_with_it(self):
    self.wait_for_bfq()
    self.hold_something()
    self.end_and_compare()

  def test_a_switch_is_undone_after_a_kill(self):
    self.wait_for_bfq()
    self.briod.stop(signal.SIGKILL)
    with self.new_briod("--mode", "off") as again:
      self.assert_untouched()
      self.end_and_compare(again)

  def test_a_switch_and_a_law_are_undone_after_a_kill(self):
    self.wait_for_bfq()
    self.hold_something()
    self.kill_and_compare()

  def test_another_programs_scheduler_stays(self):
    self.wait_for_bfq()
    self.loop.write("scheduler", "kyber")
    self.wait(lambda: self.decisions(tunable="scheduler", result="foreign"), "the foreign write")
    self.wait(lambda: self.get("State") == "manual", "manual")
    theirs = self.loop.everything()
    time.sleep(2)  # longer than the quiet time
    self.assertEqual(theirs, self.loop.everything())
    self.assertEqual(0, self.briod.stop())
    self.assertEqual(theirs, self.loop.everything())
    self.assert_nothing_kept()


class SwitchesNot(Live):
  scheduler = "mq-deadline"
  options = ("--mode", "off")

  def test_a_busy_drive_is_not_switched_before_it_is_quiet(self):
    readers = self.start_readers()
    self.wait(lambda: self.get("Workload") == "many-sync", "the load")
    self.briod.call("SetMode", "(s)", "auto")
    time.sleep(3)  # longer than the quiet time
    self.assertEqual("mq-deadline", self.loop.active())
    readers.stop()
    self.wait(lambda: self.loop.active() == "bfq", "bfq")
    self.end_and_compare()


class Foreign(Live):
  def test_another_programs_value_stays_and_is_never_written_again(self):
    self.hold_under_load()
    self.loop.write("iosched/slice_idle_us", 4321)
    self.wait(lambda: self.decisions(tunable="slice_idle_us", result="foreign"), "the foreign write")
    self.assertEqual(("4321", "manual"), self.tunable("slice_idle_us")[2:])
    made = len(self.decisions(tunable="slice_idle_us"))
    time.sleep(4)  # longer than the dwell time, under load
    self.assertEqual(4321, self.idle_us())
    self.assertEqual(made, len(self.decisions(tunable="slice_idle_us")))
    self.assertEqual(0, self.briod.stop())
    after = self.loop.everything()
    self.assertEqual(b"4321\n", after.pop("iosched/slice_idle_us"))
    # the kernel's other view of the same value
    differing = {name for name in after if after[name] != self.before[name]}
    self.assertLessEqual(differing, {"iosched/slice_idle"})
    self.assert_nothing_kept()

  def test_a_drive_of_which_all_is_another_programs_is_manual(self):
    self.hold_something()
    self.wait(lambda: self.tunable("slice_idle_us")[3] == "brio", "slice_idle_us is Brio's")
    self.loop.write("iosched/slice_idle_us", 4321)
    self.wait(lambda: self.get("State") == "manual", "manual")
    self.assertIn("Another program set", self.get("Reason"))

  def test_setting_the_mode_is_a_fresh_start(self):
    self.hold_something()
    self.loop.write("iosched/slice_idle_us", 7000)
    self.wait(lambda: self.tunable("slice_idle_us")[3] == "manual", "manual")
    self.briod.call("SetMode", "(s)", "auto")
    self.wait(lambda: self.idle_us() < 7000, "a value of Brio's")
    self.assertEqual(0, self.briod.stop())
    self.assertEqual(7000, self.idle_us())


class ForeignPrograms(Live):
  """What udev's rules and TuneD do to a drive that Brio has set something on."""

  def tell_a_change(self):
    Path("/sys/block", self.loop.name, "uevent").write_text("change")

  def counter(self, name):
    return self.briod.get("Counters")[name]

  @contextlib.contextmanager
  def looked_into(self):
    """briod has taken the change that is told within, and has decided anew after it."""
    before = self.counter("drive_changes")
    yield
    self.wait(lambda: self.counter("drive_changes") >= before + 1, "the change")
    ticks = self.counter("ticks")
    self.wait(lambda: self.counter("ticks") >= ticks + 2, "decisions after it")

  def test_a_udev_rule_that_sets_the_same_scheduler_once_more_changes_nothing(self):
    self.hold_something()
    for _ in range(3):
      with self.looked_into():  # each by itself: what comes at once is one change for briod
        self.tell_a_change()
        self.loop.write("scheduler", self.scheduler)
    self.assertEqual("brio", self.tunable("slice_idle_us")[3])
    self.assertEqual([], self.decisions(result="foreign"))
    self.end_and_compare()

  def test_a_udev_rule_that_sets_another_scheduler_wins(self):
    self.hold_something()
    with self.looked_into():
      self.tell_a_change()
      self.loop.write("scheduler", "mq-deadline")
      self.wait(lambda: self.decisions(tunable="scheduler", result="foreign"), "the scheduler to be noticed as theirs")
    self.assertEqual("mq-deadline", self.get("Scheduler"))
    self.assertEqual("mq-deadline", self.loop.active())
    self.assertEqual(0, self.briod.stop())
    self.assertEqual("mq-deadline", self.loop.active())
    self.assert_nothing_kept()
    self.loop.write("scheduler", self.scheduler)
    self.assert_untouched()

  def test_what_tuned_sets_beside_is_tuneds(self):
    self.hold_something()
    self.loop.write("read_ahead_kb", 2048)
    self.loop.write("nr_requests", 128)
    with self.looked_into():
      self.tell_a_change()
    self.assertEqual(0, self.briod.stop())
    after = self.loop.everything()
    self.assertEqual((b"2048\n", b"128\n"), (after["read_ahead_kb"], after["nr_requests"]))
    self.assertLessEqual({name for name in after if after[name] != self.before[name]}, {"read_ahead_kb", "nr_requests", "bdi/read_ahead_kb"})
    self.assert_nothing_kept()


class SetByHand(Live):
  """Settings made by hand while briod runs and they are not Brio's. The kernel tells no program."""

  def test_a_value_set_by_hand_is_what_the_law_starts_from(self):
    self.loop.write("iosched/slice_idle_us", 1500)
    self.before = self.loop.everything()
    self.start_readers()
    self.wait(lambda: self.get("Workload") == "many-sync", "the readers are seen")
    time.sleep(3)  # until all readers are counted: 2000 for 150 of them would be more than 1500
    self.assertEqual(("1500", "", "1500", "kernel"), self.tunable("slice_idle_us"))
    self.end_and_compare()

  def test_a_scheduler_set_by_hand_stays(self):
    self.wait(lambda: self.get("State") == "observing", "the first look")
    self.loop.write("scheduler", "mq-deadline")
    theirs = self.loop.everything()
    self.wait(lambda: self.get("State") == "manual", "manual")
    self.assertEqual("Another program set scheduler to mq-deadline, which stays", self.get("Reason"))
    self.assertEqual([("bfq", "mq-deadline")], [(d["old"], d["observed"]) for d in self.decisions(tunable="scheduler", result="foreign")])
    self.assertIn("fifo_batch", self.get("Tunables"))
    time.sleep(4)  # longer than the quiet time, after which the policy would have bfq
    self.assertEqual(theirs, self.loop.everything())
    self.before = theirs
    self.end_and_compare()


class Tries(Live):
  """What a law has set is compared with what was there before, and what comes of it is known at the next start."""
  policy_edits = (("Probe = no", "Probe = yes\nProbeAfter = 10s\nSettle = 500ms"),)

  def law(self):
    return next(law for law in self.get("Laws") if law["law"] == "idle-limit")

  def know(self, result, holds_s=3600, p95=()):
    """An outcome of an earlier trial on this drive, as briod keeps it; without p95 as it once did."""
    version = re.search(r"version: '([^']+)'", (SOURCE / "meson.build").read_text())[1]
    model = self.briod.get("Model", self.loop.name) or self.loop.name
    line = "\t".join(["brio1", "outcome", version, str(int((time.time() + holds_s) * 1e6)), model, "hdd", "bfq", "idle-limit", "many-sync", result,
                      "mean read", "310000", "84000", "24", "6", "995", "1", "slice_idle_us 8000 → 0 µs", *p95])
    self.assertEqual(0, self.briod.stop())
    Path(self.state, "outcomes").write_text(f"{line}\t{recordings.crc32c(line.encode()):08x}\n")
    self.briod = self.enterContext(self.new_briod())

  def end_of_a_trial(self):
    """Its decision; None where it is void, since a program of the machine started meanwhile."""
    heard = []
    self.briod.call("Observe")
    self.briod.connection.signal_subscribe(brio.NAME, brio.MANAGER, "TrialEnded", None, None, Gio.DBusSignalFlags.NONE,
                                           lambda *a: heard.append(a[5].unpack()[0]))
    self.wait(lambda: self.formula(self.get("Reason")), "most readers counted")

    def found():
      while GLib.MainContext.default().iteration(False):
        pass
      return [d for d in heard if d["outcome"] in ("kept", "reverted", "inconclusive")]
    self.wait(lambda: found() or "unproven: a program started" in self.briod.text(), "the end of a trial")
    return (found() or [None])[-1]

  def test_what_is_known_to_be_better_is_taken_without_a_trial(self):
    self.know("better", p95=("470000", "120000"))
    self.start_readers()
    self.wait(lambda: self.law()["trial"] == "known", "the law")
    law = self.law()
    figures = {"measure": "mean read", "before": 310000, "after": 84000, "samples_before": 24, "samples_after": 6, "confidence_permille": 995,
               "p95_before_usec": 470000, "p95_after_usec": 120000}
    self.assertEqual(figures, {key: law[key] for key in figures})
    self.assertEqual((["slice_idle_us"], True), (law["tunables"], law["enabled"]))
    self.assertIn("[IdleLimit]", Path(law["file"]).read_text().split("\n")[law["line"] - 2])
    self.assertIn("p95 read 470 ms → 120 ms; decided on mean read 310 ms → 84 ms", law["effect"])
    self.assertIn("known to be better", self.get("Reason"))
    applied = self.decisions(tunable="slice_idle_us", result="applied")[-1]
    self.assertEqual("known", applied["outcome"])
    self.assertEqual(figures, {key: applied[key] for key in figures})
    self.assertIn("310 ms → 84 ms", applied["expected"])
    self.end_and_compare()

  def test_what_is_known_to_be_worse_stays_away(self):
    self.know("worse")
    self.start_readers()
    self.wait(lambda: self.get("Workload") == "many-sync" and self.law()["trial"] == "barred", "the law to stay away")
    time.sleep(2)
    self.assertEqual("8000", self.loop.read("iosched/slice_idle_us"))
    self.assertGreater(self.law()["retry_usec"], 0)
    self.end_and_compare()

  def test_a_damaged_line_costs_no_other_outcome(self):
    self.know("worse")
    self.assertEqual(0, self.briod.stop())
    path = Path(self.state, "outcomes")
    whole = path.read_text()
    path.write_text(whole + "garbage\n")
    for _ in range(2):  # what the first one read is in no other file
      with self.new_briod() as briod:
        self.assertEqual(0, briod.stop())
    self.assertEqual(whole.split("\t")[4:10], path.read_text().split("\t")[4:10])

  def test_what_was_forgotten_is_tried_anew(self):
    self.know("worse", holds_s=-1)
    self.hold_something()
    self.end_and_compare()

  def test_a_probe_gives_the_value_back_and_what_it_finds_is_told_and_kept_and_used_at_the_next_start(self):
    self.start_readers()
    decision = self.end_of_a_trial()
    for _ in range(TRIALS_MAX - 1):
      if decision:
        break
      self.assertEqual(0, self.briod.stop())
      self.briod = self.enterContext(self.new_briod())
      decision = self.end_of_a_trial()
    self.assertTrue(decision, "programs started during each of the trials")
    self.assertIn("mean read", decision["effect"])
    self.assertIn(f"{decision['samples_before']} samples against {decision['samples_after']}", decision["effect"])
    self.assertEqual("p95 read" in decision["effect"], decision.get("p95_before_usec", 0) > 0)
    self.assertEqual("p95 read" in decision["effect"], decision.get("p95_after_usec", 0) > 0)
    self.assertIn(decision["effect"], [d["effect"] for d in self.decisions(tunable="slice_idle_us", result="applied")])
    given_back = [d for d in self.decisions(tunable="slice_idle_us", result="restored") if "for a moment" in d["reason"]]
    self.assertTrue(given_back)
    self.wait(lambda: (self.idle_us() == 8000) == (decision["outcome"] == "reverted"), "what follows from it")
    self.end_and_compare()
    line = Path(self.state, "outcomes").read_text().split("\t")
    self.assertEqual({"kept": "better", "reverted": "worse", "inconclusive": "neither"}[decision["outcome"]], line[9])
    self.briod = self.enterContext(self.new_briod())
    remembered = {"kept": "known", "reverted": "barred", "inconclusive": "inconclusive"}[decision["outcome"]]
    self.wait(lambda: self.law()["trial"] == remembered, f"what is remembered ({remembered})")
    self.assertEqual(decision["effect"], self.law()["effect"])
    self.assertFalse([d for d in self.decisions(tunable="slice_idle_us", result="restored") if "for a moment" in d["reason"]])
    self.end_and_compare()


class Modes(Live):
  def test_the_modes_off_and_advise_give_everything_back(self):
    self.hold_something()
    for mode in ("off", "advise"):
      with self.subTest(mode):
        self.briod.call("SetMode", "(s)", mode)
        self.assert_untouched()
        time.sleep(1)
        self.assert_untouched()
        self.briod.call("SetMode", "(s)", "auto")
        self.wait(lambda: self.idle_us() < 8000, "a value of Brio's")
    self.end_and_compare()


class Advises(Live):
  options = ("--mode", "advise")

  def advice(self):
    return next((a for a in self.briod.call("GetAdvice")[0] if a["tunable"] == "slice_idle_us"), None)

  def wait_for_advice(self):
    self.start_readers()
    self.wait(lambda: (self.advice() or {}).get("new") == "0", "the advice not to wait for so many")
    return self.advice()

  def test_advice_stands_under_one_id_and_nothing_is_written(self):
    advice = self.wait_for_advice()
    self.assertEqual(f"{self.loop.name}.slice_idle_us={advice['new']}", advice["id"])
    self.assertEqual(("advised", "idle-limit", "8000"), (advice["result"], advice["law"], advice["old"]))
    time.sleep(2)
    self.assertEqual(advice, self.advice())
    self.end_and_compare()

  def test_advice_is_applied_and_undone(self):
    advice = self.wait_for_advice()
    self.briod.call("Apply", "(s)", advice["id"])
    self.assertEqual(advice["new"], str(self.idle_us()))
    self.assertIsNone(self.advice())
    self.assertIn(self.get("State"), ("holding", "reverting"))  # reverting: on a busy machine the crowd may read less for a moment
    applied = self.decisions(tunable="slice_idle_us", result="applied")
    self.assertEqual(1, len(applied))
    self.assertEqual(brio.NAME + ".Error.NotFound", brio.error_name(lambda: self.briod.call("Apply", "(s)", advice["id"])))
    time.sleep(2)
    self.assertEqual(advice["new"], str(self.idle_us()))
    self.briod.call("Undo", "(s)", applied[0]["id"])
    self.assert_untouched()
    self.assertEqual(brio.NAME + ".Error.NotFound", brio.error_name(lambda: self.briod.call("Undo", "(s)", applied[0]["id"])))
    time.sleep(2)
    self.assertIsNone(self.advice())
    self.end_and_compare()


class Pauses(Live):
  policy_edits = (("[Limits]", "[Timing]\nHold = 1s\n\n[Limits]"),)

  def test_a_pause_keeps_things_as_they_are_until_it_ends(self):
    cookie = self.briod.call("Hold", "(sss)", "pause", "a benchmark", "")[0]
    readers = self.start_readers()
    self.wait(lambda: self.get("Workload") == "many-sync", "the load")
    time.sleep(1)
    self.assert_untouched()
    self.assertEqual("A hold asks for a pause", self.get("Reason"))
    self.briod.call("ReleaseHold", "(u)", cookie)
    self.wait(lambda: self.idle_us() < 8000, "a value of Brio's")
    self.briod.call("Hold", "(sss)", "pause", "a benchmark", "")
    frozen = self.loop.everything()
    readers.stop()
    self.wait(lambda: self.get("Workload") == "idle", "the end of the load")
    time.sleep(2)  # longer than the policy would hold them
    self.assertEqual(frozen, self.loop.everything())
    self.end_and_compare()


class Vanishes(Live):
  """A loop device keeps its queue without a file behind it, as a card reader does without a card."""
  policy_edits = (("[Limits]", "[Timing]\nHold = 60min\n\n[Limits]"),)

  def setUp(self):
    super().setUp()
    self.before = self.tuned()

  def tuned(self):
    """What Brio could have set: the rest depends on the medium."""
    return {name: value for name, value in self.loop.everything().items() if name.startswith(("iosched/", "scheduler", "nr_requests"))}

  def assert_untouched(self):
    self.assertEqual(self.before, self.tuned())

  def served(self):
    return any(path.endswith("/" + self.loop.name) for path in self.briod.get("Devices"))

  def attach_again(self):
    try:
      self.loop.attach()
    except OSError as e:
      if e.errno != errno.EBUSY:
        raise
      self.skipTest("another process took the loop device meanwhile")
    self.loop.write("rotational", 1)

  def hold_without_load(self):
    readers = self.start_readers()
    self.wait(lambda: self.idle_us() < 8000, "a value of Brio's")
    readers.stop()

  def test_a_drive_without_its_medium_has_its_originals_back(self):
    self.hold_without_load()
    self.loop.detach()
    self.wait(lambda: not self.served(), "the end of the drive")
    self.wait(lambda: self.tuned() == self.before, "the originals")  # by its worker, for which the end of the drive does not wait
    self.wait(lambda: not Path(self.state, "originals").exists(), "the end of the journal")
    self.attach_again()
    self.wait(self.served, "the drive again")
    self.start_readers()
    self.wait(lambda: self.tunable("slice_idle_us")[3] == "brio", "a value of Brio's again")
    self.assertEqual("8000", self.tunable("slice_idle_us")[0])
    self.end_and_compare()

  def test_another_medium_at_once_does_not_lose_the_originals(self):
    self.hold_without_load()
    self.loop.detach()
    self.attach_again()
    self.wait(lambda: self.tuned() == self.before, "the originals")
    self.wait(self.served, "the drive again")
    self.end_and_compare()


class Kills(Live):
  rounds = 15

  def test_kills_at_any_moment_are_made_good(self):
    rng = random.Random(SEED)
    print("# seed", SEED, flush=True)
    self.hold_something()
    self.end_and_compare()
    harmed = 0
    for i in range(self.rounds):
      delay_s = rng.uniform(0.5, 3)  # it looks at the drive once a second, and at the processes twice, before it acts
      just_after_s = rng.uniform(0, JUST_AFTER_S) if i % 3 == 0 else None
      with self.subTest(round=i, delay_s=delay_s, just_after_s=just_after_s):
        with self.new_briod() as briod:
          if just_after_s is None:
            time.sleep(delay_s)
          else:
            self.wait(lambda: self.loop.everything() != self.before, "a value of Brio's")
            time.sleep(just_after_s)
          briod.stop(signal.SIGKILL)
        harmed += self.loop.everything() != self.before
        with self.new_briod() as again:
          self.end_and_compare(again)
    print(f"## {self.rounds} kills, seed {SEED}: after {harmed} settings were left behind, which came back", flush=True)
    self.assertGreater(harmed, 0)


class KillsOfSwitches(Live):
  """The same, where most moments lie around a switch of the scheduler."""
  scheduler = Switches.scheduler
  former = Switches.former
  policy_edits = (("[IdleLimit]", "QuietTime = 100ms\n\n[IdleLimit]"),)
  rounds = 12

  def test_kills_around_a_switch_are_made_good(self):
    rng = random.Random(SEED)
    print("# seed", SEED, flush=True)
    self.end_and_compare()
    harmed = 0
    for i in range(self.rounds):
      delay_s = rng.uniform(0, 1.5)
      just_after_s = rng.uniform(0, JUST_AFTER_S) if i % 3 == 0 else None
      with self.subTest(round=i, delay_s=delay_s, just_after_s=just_after_s):
        doomed = self.new_briod()
        process = doomed.spawn()
        if just_after_s is None:
          time.sleep(delay_s)  # from its very start
        else:
          brio.wait_for(lambda: self.loop.active() != self.scheduler, "a switch", LOAD_PATIENCE_S)
          time.sleep(just_after_s)
        process.kill()
        process.wait()
        doomed.log.close()
        harmed += self.loop.everything() != self.before
        with self.new_briod("--mode", "off") as again:
          self.end_and_compare(again)
    print(f"## {self.rounds} kills around a switch, seed {SEED}: after {harmed} it was left behind, which came back", flush=True)
    self.assertGreater(harmed, 0)


class BadState(Live):
  """What may be found in the state directory."""

  def test_garbage_is_reported_and_does_no_harm(self):
    self.briod.stop()
    rng = random.Random(SEED)
    Path(self.state, "originals").write_bytes(b"brio-originals\n" + rng.randbytes(2000) + b"\nloop0 slice_idle_us\n")
    with self.new_briod() as self.briod:
      self.assertRegex(self.briod.text(), r"originals: \d+ damaged lines? skipped")
      self.hold_something()
      self.end_and_compare()

  def test_a_record_that_is_cut_short_does_no_harm(self):
    self.hold_something()
    self.briod.stop(signal.SIGKILL)
    path = Path(self.state, "originals")
    whole = path.read_bytes()
    self.assertGreater(len(whole), 40)
    for cut in (1, 2, 20, len(whole) // 2, len(whole) - 1, len(whole)):
      with self.subTest(cut=cut):
        path.write_bytes(whole[:len(whole) - cut])
        with self.new_briod("--mode", "off") as again:
          self.assertEqual(0, again.stop())
    path.write_bytes(whole)
    # What was lost with the cut is lost; with the whole record everything comes back that is still Brio's.
    for name, value in self.before.items():
      if name.startswith("iosched/slice_idle") or name == "iosched/timeout_sync":
        self.loop.write(name, value.decode())
    with self.new_briod("--mode", "off") as again:
      self.end_and_compare(again)

  def test_without_a_place_for_originals_it_does_not_start(self):
    self.briod.stop()
    shutil.rmtree(self.state)
    Path(self.state).write_text("")
    self.addCleanup(os.unlink, self.state)
    status, text = self.new_briod().fails_to_start()
    self.assertEqual(1, status)
    self.assertIn(f"cannot keep originals in {self.state}", text)
    self.assert_untouched()


if __name__ == "__main__":
  unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
