#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that step back: a real briod, a real drive (a loop device), readers of our own, and the kernel's I/O priorities."""
import contextlib
import os
import pty
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402
from readers import BE_7, IDLE, NONE, READER, Reader, launch, read_priority, why_not  # noqa: E402

BULK_PATIENCE_S = 90  # the detector takes five seconds of the reader's; a loaded machine gives it few
KILLS = int(os.environ.get("BRIO_TEST_KILLS", "5"))
SEED = int(os.environ.get("BRIO_TEST_SEED", "20261121"))


@contextlib.contextmanager
def unit(name, pid):
  """The process is in a control group of that name meanwhile."""
  root = next(Path(line.split()[1]) for line in Path("/proc/mounts").read_text().splitlines() if line.split()[2] == "cgroup2")
  before = next(line.strip()[3:] for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines() if line.startswith("0::"))
  group = root / name
  group.mkdir()
  try:
    (group / "cgroup.procs").write_text(str(pid))
    yield
  finally:
    (root / before.lstrip("/") / "cgroup.procs").write_text(str(pid))
    group.rmdir()


@unittest.skipIf(why_not(), why_not())
class Case(unittest.TestCase):
  scheduler = "bfq"
  policy = "[StepBack]\nEnabled = yes\nPause = 1s\n"
  maxDiff = None

  def setUp(self):
    self.loop = self.enterContext(brio.Loop(scheduler=self.scheduler))
    self.state = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-state-", ignore_cleanup_errors=True))
    self.policies = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-policies-"))
    Path(self.policies, "10-test.conf").write_text(f"[Policy]\nClass = hdd\n{self.policy}[Timing]\nHold = 500ms\n")
    self.bus = self.enterContext(brio.Bus())
    self.briod = self.enterContext(self.new_briod())

  def new_briod(self, *options, **others_of_briod):
    others = [name for name in os.listdir("/sys/block") if name != self.loop.name]  # the file's drive, above all: a reader reads there, too
    return brio.Briod(self.bus, "--include", f"{self.loop.name}=hdd", *(f"--exclude={name}" for name in others), *options, state=self.state,
                      policies=self.policies, **others_of_briod)

  def start_reader(self, number=0):
    reader = self.enterContext(Reader(f"/dev/{self.loop.name}", number))
    self.assertTrue(reader.all_have(NONE), reader.priorities())
    return reader

  def wait(self, condition, what, patience_s=BULK_PATIENCE_S):
    try:
      return brio.wait_for(condition, what, patience_s)
    except AssertionError as e:
      raise AssertionError(f"{e}; its log:\n{self.briod.text()}") from e

  def step_back(self, priority=BE_7):
    reader = self.start_reader()
    self.wait(lambda: reader.all_have(priority), "the reader's stepping back")
    return reader

  def wait_back(self, reader):
    self.wait(lambda: reader.all_have(NONE), "the reader's priority")

  def decisions(self, reader, **wanted):
    return [d for d in self.briod.decisions() if d.get("pid") == reader.pid and all(d[key] == value for key, value in wanted.items())]

  def counter(self, name):
    return self.briod.get("Counters")[name]

  def assert_nothing_kept(self):
    self.assertFalse(Path(self.state, "originals").exists())


class StepsBack(Case):
  def test_a_bulk_reader_steps_back_and_comes_back_when_it_rests(self):
    reader = self.step_back()
    decision = self.decisions(reader, result="applied")[0]
    self.assertEqual(("ioprio", self.loop.name, "none", "BE/7", "BE/7", "step-back"),
                     tuple(decision[key] for key in ("tunable", "device", "old", "new", "observed", "law")))
    self.assertIn("without a pause; while a user may be at the machine it steps back to BE/7, and bfq serves others first", decision["reason"])
    self.assertIn("step-back: ", self.briod.get("Reason", self.loop.name))
    self.assertEqual("holding", self.briod.get("State", self.loop.name))
    self.assertEqual(1, self.counter("stepped_back"))
    reader.ask("thread")
    self.assertTrue(reader.all_have(BE_7), "a thread born meanwhile inherits")
    child = reader.child()
    self.wait(lambda: read_priority(child) == NONE, "the child's priority")
    self.assertTrue(reader.all_have(BE_7), "the child alone got it back")
    reader.ask("rest")
    self.wait_back(reader)
    self.assertEqual(1, len(self.decisions(reader, result="restored", new="none", observed="none", law="restore")))
    self.wait(lambda: not Path(self.state, "originals").exists(), "an empty journal")

  def test_the_end_gives_it_back_to_all_threads_and_children(self):
    reader = self.step_back()
    reader.ask("thread")
    child = reader.child()
    self.assertEqual(0, self.briod.stop())
    self.assertTrue(reader.all_have(NONE), reader.priorities())
    self.assertEqual(NONE, read_priority(child))
    self.assert_nothing_kept()

  def test_undo_gives_it_back_and_leaves_it_alone(self):
    reader = self.step_back()
    self.briod.call("Undo", "(s)", self.decisions(reader, result="applied")[0]["id"])
    self.assertTrue(reader.all_have(NONE), reader.priorities())
    time.sleep(3)
    self.assertTrue(reader.all_have(NONE), reader.priorities())

  def test_restore_a_mode_and_a_hold_give_it_back_at_once(self):
    reader = self.step_back()
    for call, signature, *arguments in (("Restore", "(s)", ""), ("SetMode", "(s)", "off"), ("Hold", "(sss)", "throughput", "a test", "test")):
      self.briod.call(call, signature, *arguments)
      self.assertTrue(reader.all_have(NONE), (call, reader.priorities()))
      if call != "Hold":
        self.briod.call("SetMode", "(s)", "auto")
        self.wait(lambda: reader.all_have(BE_7), "the reader's stepping back again")


class Rules(Case):
  def rule(self, reader, word):
    self.briod.call("SetProgramRules", "(a(ss))", [(Path(f"/proc/{reader.pid}/comm").read_text().strip(), word)])

  def test_a_rule_gives_a_process_its_priority_back_or_takes_it_and_is_taken_back(self):
    reader = self.step_back()
    self.rule(reader, "never")
    self.wait_back(reader)
    self.assertIn("a rule never to be slowed down", self.decisions(reader, result="restored")[-1]["reason"])
    time.sleep(3) # three pauses, in which it is bulk
    self.assertTrue(reader.all_have(NONE), reader.priorities())
    self.rule(reader, "always")
    self.wait(lambda: reader.all_have(BE_7), "the reader's stepping back")
    self.assertIn("has a rule to wait for others", self.decisions(reader, result="applied")[-1]["reason"])
    reader.ask("rest")
    time.sleep(3) # bulk or not
    self.assertTrue(reader.all_have(BE_7), f"{reader.priorities()}; its log:\n{self.briod.text()}")
    self.rule(reader, "")
    self.wait_back(reader)
    self.wait(lambda: not Path(self.state, "originals").exists(), "an empty journal")


class Told(Case):
  def test_a_process_in_the_unit_of_an_application_is_told_as_its(self):
    def application():
      return next((p.get("application", "") for p in self.briod.call("GetProcesses", "(u)", 0)[0] if p["pid"] == reader.pid), None)

    reader = self.start_reader()
    self.assertEqual("", self.wait(lambda: [application()] if application() is not None else None, "the reader")[0])
    with unit("app-gnome-org.example.Reader-4711.scope", reader.pid):
      self.assertEqual("org.example.Reader", application())
    self.assertEqual("", application())


class Foreign(Case):
  def test_a_priority_that_it_sets_for_itself_stays_and_it_is_left_alone(self):
    number = {"x86_64": 251, "aarch64": 30, "riscv64": 30}[os.uname().machine]
    reader = self.step_back()
    theirs = 2 << 13 | 2
    reader.ask("priority", number, theirs)  # of its first thread
    self.wait(lambda: self.decisions(reader, result="foreign", observed="BE/2"), "the foreign writer")
    priorities = reader.priorities()
    self.assertEqual(theirs, priorities.pop(reader.pid))
    self.assertEqual({NONE}, set(priorities.values()))
    time.sleep(3)
    self.assertEqual(theirs, reader.priorities()[reader.pid])
    self.assertEqual(0, self.briod.stop())
    self.assertEqual(theirs, reader.priorities()[reader.pid])
    self.assert_nothing_kept()

  def test_another_program_gets_it_back(self):
    reader = self.step_back()
    reader.process.stdin.write("exec\n")
    self.wait(lambda: self.decisions(reader, result="restored"), "the return")
    self.assertIn("another program", self.decisions(reader, result="restored")[0]["reason"])
    self.assertEqual(NONE, read_priority(reader.pid))

  def test_a_process_that_ends_is_forgotten(self):
    reader = self.step_back()
    reader.process.kill()
    reader.process.wait()
    self.wait(lambda: self.decisions(reader, result="gone"), "its end")
    self.wait(lambda: not Path(self.state, "originals").exists(), "an empty journal")


class Advises(Case):
  def test_advice_names_the_process_and_apply_carries_it_out(self):
    self.briod.call("SetMode", "(s)", "advise")
    reader = self.start_reader()
    advice = self.wait(lambda: self.briod.call("GetAdvice")[0], "advice")
    self.assertEqual(f"{self.loop.name}.ioprio.{reader.pid}=BE/7", advice[0]["id"])
    self.assertTrue(reader.all_have(NONE))
    self.briod.call("Apply", "(s)", advice[0]["id"])
    self.assertTrue(reader.all_have(BE_7), reader.priorities())


class Deadline(Case):
  scheduler = "mq-deadline"

  def test_under_mq_deadline_it_is_the_idle_class(self):
    reader = self.step_back(IDLE)
    self.assertEqual("idle", self.decisions(reader, result="applied")[0]["new"])
    reader.ask("rest")
    self.wait_back(reader)


class Kyber(Case):
  scheduler = "kyber"

  def test_a_scheduler_that_looks_at_no_priority_is_served_none(self):
    reader = self.start_reader()
    self.wait(lambda: any(v["kind"] == "bulk" for v in self.briod.get("Verdicts", self.loop.name)), "the verdict")
    time.sleep(2)
    self.assertTrue(reader.all_have(NONE), reader.priorities())


STEPPED_BACK = IDLE  # the class of a process that has read little so far
STARTS, START_PATIENCE_S = 5, 20


class Guards(Case):
  policy = "[StartupGuard]\nEnabled = yes\n"

  def launch(self, seconds):
    starter = launch(f"/dev/{self.loop.name}", seconds)
    self.addCleanup(starter.wait)
    self.addCleanup(starter.kill)
    return starter

  def launch_until(self, happened, what):
    """A program that starts until then. Where many start, or briod hardly gets a processor, one may pass it by."""
    for left in reversed(range(STARTS)):
      starter = self.launch(60)
      try:
        self.wait(happened, what, START_PATIENCE_S)
        return starter
      except AssertionError:
        starter.kill()
        if left == 0:
          raise

  def wait_until_seen(self, reader):
    """It moves much, and is far from bulk."""
    self.wait(lambda: any(p["pid"] == reader.pid and p["read_bytes_per_second"] > 2 << 20 for p in self.briod.call("GetProcesses", "(u)", 0)[0]), "the reader")

  def test_a_process_that_reads_much_makes_room_for_a_start_and_comes_back_after_it(self):
    reader = self.start_reader()
    self.wait_until_seen(reader)
    starter = self.launch_until(lambda: reader.all_have(STEPPED_BACK), "the reader's stepping back")
    self.assertEqual(NONE, read_priority(starter.pid))
    reader.ask("thread")
    self.assertTrue(reader.all_have(STEPPED_BACK), "a thread born meanwhile inherits")
    decision = self.decisions(reader, result="applied")[0]
    self.assertEqual(("ioprio", "none", "idle", "startup-guard"), tuple(decision[key] for key in ("tunable", "old", "new", "law")))
    self.assertRegex(decision["reason"], rf"\({starter.pid}\) starts, and python3 moves .*/s there; it steps back to idle until that runs")
    starter.kill()
    self.wait_back(reader)
    self.assertEqual(0, self.counter("stepped_back"))
    self.wait(lambda: not Path(self.state, "originals").exists(), "an empty journal")

  @contextlib.contextmanager
  def killed_while_stepped_back(self, reader, directories):
    """A briod with these directories, killed at the block's end; the reader has stepped back by then."""
    self.briod.stop()
    with self.new_briod(environment=directories) as self.briod:
      self.wait_until_seen(reader)
      starter = self.launch_until(lambda: reader.all_have(STEPPED_BACK), "the reader's stepping back")
      yield
      self.briod.stop(signal.SIGKILL)
    starter.kill()

  def test_under_systemd_priorities_are_noted_in_the_runtime_directory_and_restored_from_there(self):
    runtime = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-runtime-"))
    directories = {"STATE_DIRECTORY": self.state, "RUNTIME_DIRECTORY": runtime}
    reader = self.start_reader()
    with self.killed_while_stepped_back(reader, directories):
      self.assertIn(f"\t{reader.pid}\t", Path(runtime, "originals").read_text())
      kept = Path(self.state, "originals")  # of the drive's settings, where one is changed already
      self.assertNotIn(f"\t{reader.pid}\t", kept.read_text() if kept.exists() else "")
    self.assertTrue(reader.all_have(STEPPED_BACK), "SIGKILL restores nothing")
    subprocess.run([brio.BUILD / "daemon/briod", "--restore"], env=os.environ | directories, check=True, capture_output=True)
    self.assertTrue(reader.all_have(NONE), reader.priorities())
    self.assertFalse(Path(runtime, "originals").exists())
    self.assert_nothing_kept()

  def test_bfq_waits_twice_as_long_while_an_application_starts(self):
    file = Path("/sys/block", self.loop.name, "queue/iosched/slice_idle_us")
    before = file.read_text()
    reader = self.start_reader()
    self.wait_until_seen(reader)
    starter = self.launch_until(lambda: int(file.read_text()) == 2 * int(before), "the longer wait")
    starter.kill()
    self.wait(lambda: file.read_text() == before, "the wait as it was")

  def test_with_a_state_directory_that_cannot_be_used_priorities_are_restored_all_the_same(self):
    runtime = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-runtime-"))
    directories = {"STATE_DIRECTORY": self.state, "RUNTIME_DIRECTORY": runtime}
    reader = self.start_reader()
    with self.killed_while_stepped_back(reader, directories):
      pass
    file = Path(runtime, "no-directory")
    file.touch()
    result = subprocess.run([brio.BUILD / "daemon/briod", "--restore"], env=os.environ | directories | {"STATE_DIRECTORY": str(file)}, check=False,
                            capture_output=True, text=True)
    self.assertNotEqual(0, result.returncode)
    self.assertIn("cannot keep originals", result.stderr)
    self.assertTrue(reader.all_have(NONE), reader.priorities())
    self.assertFalse(Path(runtime, "originals").exists())

  def test_sigkill_at_random_points_of_starts_and_a_restore_leave_what_was_there(self):
    print(f"# seed {SEED}, {KILLS} kills", flush=True)
    chance = random.Random(SEED)
    readers = [self.start_reader(i) for i in range(3)]
    self.briod.stop()
    stepped_back = 0
    for i in range(KILLS):
      with self.new_briod() as briod:
        self.briod = briod
        self.wait_until_seen(readers[0])
        lasts_s = chance.uniform(0.3, 2)
        if i % 2:
          starter = self.launch_until(lambda: any(r.all_have(IDLE) or r.all_have(BE_7) for r in readers), "stepping back")
          time.sleep(chance.uniform(0, 0.3))
        else:
          starter = self.launch(lasts_s)
          time.sleep(chance.uniform(0, 3))
        children = [r.child() for r in readers]
        readers[i % 3].ask("thread")
        briod.stop(signal.SIGKILL)
      starter.kill()
      starter.wait()
      stepped_back += any({IDLE, BE_7} & set(r.priorities().values()) for r in readers)
      restored = subprocess.run([brio.BUILD / "daemon/briod", "--restore", "--state-dir", self.state], capture_output=True, text=True, check=False)
      self.assertEqual(0, restored.returncode, restored.stderr)
      for reader in readers:
        self.assertTrue(reader.all_have(NONE), (i, reader.priorities()))
      self.assertEqual({NONE}, {read_priority(child) for child in children}, i)
      self.assert_nothing_kept()
    print(f"## {KILLS} kills, seed {SEED}: after {stepped_back} some had stepped back, and each time all priorities came back", flush=True)
    self.assertGreater(stepped_back, 0, "none of the kills hit a run that had changed anything")


class ShortensTurns(Guards):
  policy = "[StartupGuard]\nEnabled = yes\nSlice = 20ms\n"
  test_sigkill_at_random_points_of_starts_and_a_restore_leave_what_was_there = None
  test_under_systemd_priorities_are_noted_in_the_runtime_directory_and_restored_from_there = None
  test_a_process_that_reads_much_makes_room_for_a_start_and_comes_back_after_it = None
  test_bfq_waits_twice_as_long_while_an_application_starts = None

  def test_turns_are_short_while_an_application_starts(self):
    file = Path("/sys/block", self.loop.name, "queue/iosched/timeout_sync")
    before = file.read_text()
    reader = self.start_reader()
    self.wait_until_seen(reader)
    starter = self.launch_until(lambda: file.read_text() == "20\n", "short turns")
    starter.kill()
    self.wait(lambda: file.read_text() == before, "turns as they were")


# The first process of a terminal: begins a reader in a process group of its own, and puts it in the foreground when told.
SHELL = r"""
import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
pid = os.fork()
if pid == 0:
  os.setpgid(0, 0)
  commands, end = os.pipe()  # it would be stopped if it read from the terminal in the background
  os.dup2(commands, 0)
  os.set_inheritable(end, True)
  os.execv(sys.executable, [sys.executable, "-c", sys.argv[1], sys.argv[2], "0"])
print("pid", pid, flush=True)
sys.stdin.readline()
os.tcsetpgrp(0, pid)
signal.pause()  # its end would end all in the terminal
"""


class Asked(Case):
  """One process, as a user asks. The policy lets no process be bulk for long enough to step back by itself."""
  policy = "[StepBack]\nEnabled = yes\nAfter = 60s\n"

  def lower(self, pid):
    """The decision's id, or why not, with its data."""
    outcome = self.briod.call("LowerPriority", "(u)", pid)[0]
    return outcome["id"], outcome["refusal"], outcome["refusal_data"]

  def start_seen(self):
    reader = self.start_reader()
    self.wait(lambda: any(p.get("pid") == reader.pid for p in self.briod.call("GetProcesses", "(u)", 0)[0]), "the reader to be seen")
    return reader

  def test_it_steps_back_with_all_threads_rests_so_and_undo_gives_it_back(self):
    reader = self.start_seen()
    reader.ask("thread")
    decision, refusal, data = self.lower(reader.pid)
    self.assertEqual(("", []), (refusal, data))
    self.assertTrue(reader.all_have(BE_7), reader.priorities())
    self.assertEqual(1, self.counter("priorities_lowered"))
    made = self.decisions(reader, result="applied")[0]
    self.assertEqual((decision, "ioprio", self.loop.name, "none", "BE/7", "step-back"), tuple(made[key] for key in ("id", "tunable", "device", "old", "new", "law")))
    self.assertIn("a user asked that", made["reason"])
    self.assertEqual("asked-steps-back", made["reason_data"][0]["id"])
    reader.ask("rest")
    ticks = self.counter("ticks")
    self.wait(lambda: self.counter("ticks") > ticks + 6, "some looks")
    self.assertTrue(reader.all_have(BE_7), "it stays so while it rests")
    self.briod.call("Undo", "(s)", decision)
    self.assertTrue(reader.all_have(NONE), reader.priorities())

  def test_the_end_of_briod_gives_it_back_and_so_does_a_start_after_a_kill(self):
    reader = self.start_seen()
    self.assertTrue(self.lower(reader.pid)[0])
    self.assertEqual(0, self.briod.stop())
    self.assertTrue(reader.all_have(NONE), reader.priorities())
    with self.new_briod() as self.briod:
      self.wait(lambda: any(p.get("pid") == reader.pid for p in self.briod.call("GetProcesses", "(u)", 0)[0]), "the reader to be seen")
      self.assertTrue(self.lower(reader.pid)[0])
      self.assertTrue(reader.all_have(BE_7), reader.priorities())
      self.briod.stop(signal.SIGKILL)
    self.assertTrue(reader.all_have(BE_7), reader.priorities())
    with self.new_briod():
      self.assertTrue(reader.all_have(NONE), reader.priorities())
    self.assert_nothing_kept()

  def test_what_never_steps_back_is_refused_with_the_reason(self):
    reader = self.start_seen()
    os.setpriority(os.PRIO_PROCESS, reader.pid, 19)
    decision, refusal, data = self.lower(reader.pid)
    self.assertEqual(("", "its niceness has put it there already", "nice-already"), (decision, refusal, data[0]["id"]))
    self.assertTrue(reader.all_have(NONE), reader.priorities())
    self.assertEqual([], self.decisions(reader))
    self.briod.call("SetMode", "(s)", "off")
    self.assertEqual("The mode is off", self.lower(reader.pid)[1])
    self.assertEqual("org.brio.Brio1.Error.NotFound", brio.error_name(lambda: self.lower(1)))


class Terminal(Case):
  def test_the_foreground_of_a_terminal_is_waited_for(self):
    pid, terminal = pty.fork()
    if pid == 0:
      brio.die_with_parent()
      os.setpriority(os.PRIO_PROCESS, 0, 0)
      os.execv(sys.executable, [sys.executable, "-c", SHELL, READER, f"/dev/{self.loop.name}"])
    self.addCleanup(os.waitpid, pid, 0)
    self.addCleanup(os.kill, pid, signal.SIGKILL)
    text = ""
    while "ready" not in text or "pid" not in text:
      text += os.read(terminal, 1000).decode()
    reader = int(text.split("pid ")[1].split()[0])
    self.addCleanup(os.close, terminal)
    self.addCleanup(os.kill, reader, signal.SIGKILL)
    self.wait(lambda: read_priority(reader) == BE_7, "stepping back in the background")
    os.write(terminal, b"foreground\n")
    self.wait(lambda: read_priority(reader) == NONE, "the return in the foreground")
    self.wait(lambda: self.counter("priorities_refused") > 0, "a refusal")
    self.assertEqual(NONE, read_priority(reader))
    self.assertIn("in the foreground of a terminal", [d for d in self.briod.decisions() if d["result"] == "restored"][0]["reason"])


class Kills(Case):
  def test_sigkill_at_random_points_and_a_restore_leave_what_was_there(self):
    print(f"# seed {SEED}, {KILLS} kills", flush=True)
    chance = random.Random(SEED)
    readers = [self.start_reader(i) for i in range(3)]
    self.briod.stop()
    stepped_back = 0
    for i in range(KILLS):
      with self.new_briod() as briod:
        self.briod = briod
        if chance.random() < 0.5:
          time.sleep(chance.uniform(4, 9))
        else:
          self.wait(lambda: any(r.all_have(BE_7) for r in readers), "stepping back")
          time.sleep(chance.uniform(0, 0.3))
        children = [r.child() for r in readers]
        readers[i % 3].ask("thread")
        briod.stop(signal.SIGKILL)
      stepped_back += any(BE_7 in r.priorities().values() for r in readers)
      if i % 2:
        restored = subprocess.run([brio.BUILD / "daemon/briod", "--restore", "--state-dir", self.state], capture_output=True, text=True, check=False)
        self.assertEqual(0, restored.returncode, restored.stderr)
      else:
        with self.new_briod():  # the next start does the same
          pass
      for reader in readers:
        self.assertTrue(reader.all_have(NONE), (i, reader.priorities()))
      self.assertEqual({NONE}, {read_priority(child) for child in children}, i)
      self.assert_nothing_kept()
    print(f"## {KILLS} kills, seed {SEED}: after {stepped_back} some had stepped back, and each time all priorities came back", flush=True)
    self.assertGreater(stepped_back, 0, "none of the kills hit a run that had changed anything")


if __name__ == "__main__":
  unittest.main()
