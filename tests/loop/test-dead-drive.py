#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real briod with two drives, of which one stops answering: it costs no other drive anything."""
import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import uuid
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402
from gi.repository import Gio, GLib  # noqa: E402

END_PATIENCE_S = 60  # it gives a drive up by itself before that
REST_S = 1.5  # a tick and the policy's QuietTime, and somewhat longer


def read_states(manager, states):
  """What it tells systemd: it must not wait for room."""
  try:
    while True:
      states.put(manager.recv(4096))
  except OSError:  # the end of the test
    pass


@unittest.skipIf(brio.why_no_freezer(), brio.why_no_freezer())
class DeadDrive(unittest.TestCase):
  """Both began with mq-deadline, and the policy has them switched to bfq."""
  maxDiff = None

  def setUp(self):
    self.freezer = self.enterContext(brio.Freezer())
    self.dead = self.enterContext(brio.Loop(size_bytes=64 << 20, scheduler="mq-deadline", writable=True, directory=self.freezer.directory))
    self.well = self.enterContext(brio.Loop(scheduler="mq-deadline"))
    self.addCleanup(self.freezer.thaw)  # the drives cannot go before
    self.loops = (self.dead, self.well)
    for loop in self.loops:
      loop.write("nr_requests", 48)
      loop.write("iosched/fifo_batch", 7)
    self.state = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-state-", ignore_cleanup_errors=True))
    self.policies = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-policies-"))
    text = (SOURCE / "policies/10-hdd.conf").read_text().replace("[IdleLimit]", "QuietTime = 100ms\n\n[IdleLimit]").replace("Ahead = yes\n", "")
    Path(self.policies, "10-hdd.conf").write_text(text)
    self.before = [loop.everything() for loop in self.loops]
    self.bus = self.enterContext(brio.Bus())
    self.briod = self.enterContext(self.new_briod())
    self.wait_for_bfq()

  def wait_for_bfq(self):
    brio.wait_for(lambda: all(loop.active() == "bfq" for loop in self.loops), "bfq on both")

  def new_briod(self, *options):
    own = [loop.name for loop in self.loops]
    others = [f"--exclude={name}" for name in os.listdir("/sys/block") if name not in own]
    included = [argument for name in own for argument in ("--include", f"{name}=hdd")]
    return brio.Briod(self.bus, *included, *others, *options, state=self.state, policies=self.policies)

  def restore(self):
    return subprocess.run([brio.BUILD / "daemon/briod", "--restore", "--state-dir", self.state], capture_output=True, text=True, check=False,
                          timeout=END_PATIENCE_S)

  def end(self, number=signal.SIGTERM):
    self.briod.process.send_signal(number)
    return self.briod.process.wait(END_PATIENCE_S)

  def originals(self):
    path = Path(self.state, "originals")
    return path.read_text() if path.exists() else ""

  def assert_only_the_dead_one_is_left(self):
    self.assertEqual(self.before[1], self.well.everything())
    self.assertIn(f"\t{self.dead.name}\t", self.originals())

  def assert_all_is_back(self):
    done = self.restore()
    self.assertEqual(0, done.returncode, done.stderr)
    self.assertEqual(self.before, [loop.everything() for loop in self.loops])
    self.assertEqual("", self.originals())

  def test_the_end_restores_the_others_and_leaves_a_dead_drive_to_the_next_start(self):
    self.freezer.freeze(self.dead)
    self.assertEqual(0, self.end(), self.briod.text())
    self.assertIn(f"{self.dead.name}: the drive does not answer", self.briod.text())
    self.assert_only_the_dead_one_is_left()
    self.freezer.thaw()
    self.assert_all_is_back()

  def test_a_restore_restores_the_others_and_says_that_a_dead_drive_is_left(self):
    self.freezer.freeze(self.dead)
    self.end(signal.SIGKILL)
    done = self.restore()
    self.assertEqual(1, done.returncode)
    self.assertIn(f"{self.dead.name}: the drive does not answer", done.stderr)
    self.assert_only_the_dead_one_is_left()
    self.freezer.thaw()
    self.assert_all_is_back()

  def test_what_a_worker_that_was_given_up_still_writes_is_put_back(self):
    """Each of these leaves one behind that waits for the drive, with a write under way."""
    self.freezer.freeze(self.dead)
    self.assertEqual(0, self.end(), self.briod.text())
    self.assertEqual(1, self.restore().returncode)
    self.assertEqual(1, self.restore().returncode)
    self.assert_only_the_dead_one_is_left()
    self.freezer.thaw()
    self.assert_all_is_back()

  def begin_restore(self, name):
    """The reply is a list with one entry when it has come."""
    replies = []
    self.briod.connection.call(brio.NAME, brio.PATH, brio.MANAGER, "Restore", GLib.Variant("(s)", (name,)), None, Gio.DBusCallFlags.NONE, 60000, None,
                               lambda connection, result: replies.append(connection.call_finish(result).unpack()))
    return replies

  def has_open(self, child):
    """Whether that process has the drive's directory open. It may close a file while it is looked at."""
    for fd in Path("/proc", child, "fd").iterdir():
      with contextlib.suppress(FileNotFoundError):
        if os.readlink(fd).endswith(f"/{self.dead.name}"):
          return True
    return False

  def find_worker_at_rest(self):
    """The process of briod's that writes that drive's settings, for which alone it has the directory open; None where it has been asked for something, or a
    program uses the drive, such as udev's that looks at what is on it."""
    pid = self.briod.process.pid
    stat = Path("/sys/block", self.dead.name, "stat")
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # one of them ends meanwhile
      workers = [child for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split() if self.has_open(child)]
      before = stat.read_text()
      time.sleep(REST_S)
      if len(workers) == 1 and before == stat.read_text() and Path("/proc", workers[0], "stat").read_text().rpartition(") ")[2].startswith("S"):
        return int(workers[0])
    return None

  def begin_restore_as_the_drive_dies(self):
    """The drive is quiet when it is decided that its scheduler is switched back, and answers no more when that is written."""
    worker = brio.wait_for(self.find_worker_at_rest, "a drive at rest")
    os.kill(worker, signal.SIGSTOP)
    replies = self.begin_restore(self.dead.name)
    self.briod.get("Mode")  # comes after it
    self.freezer.freeze(self.dead)
    os.kill(worker, signal.SIGCONT)
    return replies

  def wait_for_reply(self, replies):
    brio.wait_for(lambda: GLib.MainContext.default().iteration(False) or replies, "the reply")
    return replies[0]

  def test_while_a_drive_does_not_answer_calls_and_other_drives_do_and_it_is_put_back_when_it_wakes(self):
    replies = self.begin_restore_as_the_drive_dies()
    self.assertEqual(0, self.briod.call("Restore", "(s)", self.well.name)[1])
    brio.wait_for(lambda: self.before[1] == self.well.everything(), "the other drive's settings")
    times = []
    while not replies:
      begin = time.monotonic()
      self.assertEqual("auto", self.briod.get("Mode"))
      self.briod.get("Tunables", self.dead.name)
      times.append(time.monotonic() - begin)
      GLib.MainContext.default().iteration(False)
    print(f"## two calls while the drive does not answer: {len(times)} times, median {sorted(times)[len(times) // 2] * 1e3:.1f} ms, "
          f"longest {max(times) * 1e3:.1f} ms", flush=True)
    self.assertGreater(self.wait_for_reply(replies)[1], 0)
    self.assertIn("does not answer", self.briod.get("Reason", self.dead.name))
    self.assertGreater(len(times), 10)
    self.freezer.thaw()
    brio.wait_for(lambda: self.before[0] == self.dead.everything(), "the settings of the drive that answers again")
    brio.wait_for(lambda: "does not answer" not in self.briod.get("Reason", self.dead.name), "the drive")
    self.assertEqual(0, self.end(), self.briod.text())
    self.assertEqual("", self.originals())

  def test_the_watchdog_is_fed_while_a_drive_does_not_answer(self):
    self.assertEqual(0, self.end())
    name = f"brio-test-{uuid.uuid4()}"
    manager = self.enterContext(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    manager.bind("\0" + name)
    manager.settimeout(brio.PATIENCE_S)
    with unittest.mock.patch.dict(os.environ, {"NOTIFY_SOCKET": "@" + name, "WATCHDOG_USEC": "500000"}):
      self.briod = self.enterContext(self.new_briod())
    states = queue.SimpleQueue()
    threading.Thread(target=read_states, args=(manager, states), daemon=True).start()
    self.wait_for_bfq()
    replies = self.begin_restore_as_the_drive_dies()
    while not states.empty():
      states.get()
    fed = 0
    while fed < 3:
      fed += b"WATCHDOG=1" in states.get(timeout=brio.PATIENCE_S)
    GLib.MainContext.default().iteration(False)
    self.assertEqual([], replies)
    self.freezer.thaw()

  def test_an_end_while_a_drive_does_not_answer_to_a_plan_leaves_only_that_drive(self):
    self.begin_restore_as_the_drive_dies()
    self.assertEqual(0, self.end(), self.briod.text())
    self.assertIn("as the drive does not answer", self.briod.text())
    self.assert_only_the_dead_one_is_left()
    self.freezer.thaw()
    self.assert_all_is_back()

  def test_a_kill_while_a_drive_does_not_answer_to_a_plan_is_made_good_by_the_next_start(self):
    self.begin_restore_as_the_drive_dies()
    self.end(signal.SIGKILL)
    with self.new_briod("--mode", "off") as again:
      self.assertEqual("off", again.get("Mode"))
      self.assert_only_the_dead_one_is_left()
      self.freezer.thaw()
      brio.wait_for(lambda: self.before == [loop.everything() for loop in self.loops], "all settings")
      brio.wait_for(lambda: self.originals() == "", "the end of the journal")


if __name__ == "__main__":
  unittest.main()
