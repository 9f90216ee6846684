#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that a user starts on the running machine, and what briod says of their starts."""
import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402

from gi.repository import Gio, GLib  # noqa: E402

BRIOCTL = str(brio.BUILD / "cli/brioctl")
FILE_BYTES = 64 << 20
PIECE = 1 << 18
TRIES = 5
# Reads a file that is not in memory, piece by piece, for a second or two: where programs come and go without end, and no drive is
# busy, briod may see it half a second late. Then it goes on at rest or ends.
READER = """
import os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
for i in range(%d):
  os.pread(fd, %d, (i * 37 %% 256) * %d)
  sum(range(200000))
print("ready", flush=True)
time.sleep(float(sys.argv[2]))
""" % (FILE_BYTES // PIECE, PIECE, PIECE)


def on_terminal(*arguments):
  """Runs a command as if it were typed. Returns its process id and the terminal."""
  pid, terminal = pty.fork()
  if pid == 0:
    os.execv(arguments[0], arguments)
  return pid, terminal


class Startup(unittest.TestCase):
  def setUp(self):
    if os.geteuid() != 0:
      self.skipTest("needs root")
    self.directory = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-startup-", dir="/var/tmp"))
    self.file = os.path.join(self.directory, "data")
    with open(self.file, "wb") as file:
      file.write(os.urandom(FILE_BYTES))
      file.flush()
      os.fsync(file.fileno())
    # A name that no other program of this machine has.
    self.name = f"start{os.getpid()}"
    self.program = os.path.join(self.directory, self.name)
    shutil.copy(os.path.realpath("/usr/bin/python3"), self.program)
    bus = brio.Bus()
    bus.__enter__()
    self.addCleanup(bus.__exit__)
    self.bus = bus
    self.state = os.path.join(self.directory, "state")
    os.mkdir(self.state)
    self.briod = brio.Briod(bus, "--mode", "advise", state=self.state)
    self.briod.__enter__()
    self.addCleanup(self.briod.__exit__)
    source = next(s for s in self.briod.get("Sources") if s[0] == "proc-connector")
    if source[1] != "works":
      self.skipTest("the kernel does not let us listen to the process connector")

  def drop(self):
    with open(self.file, "rb") as file:
      os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

  def start(self, seconds_after):
    self.drop()
    return on_terminal(self.program, "-S", "-c", READER, self.file, str(seconds_after))

  def starts(self):
    return [s for s in self.briod.call("GetStartups", "(s)", "")[0] if s["application"] == self.name]

  def end(self, pid, terminal):
    try:
      while os.read(terminal, 4096):
        pass
    except OSError:
      pass
    os.close(terminal)
    os.waitpid(pid, 0)

  def test_a_command_that_reads_is_a_cold_start_until_it_exits(self):
    finished = []
    self.briod.call("Observe")
    self.briod.connection.signal_subscribe(brio.NAME, brio.MANAGER, "StartupFinished", brio.PATH, None, Gio.DBusSignalFlags.NONE,
                                           lambda *arguments: finished.append(arguments[5].unpack()[0]))
    begin = time.monotonic()
    self.end(*self.start(0))
    span = time.monotonic() - begin
    start = brio.wait_for(self.starts, "the start")[0]
    self.assertEqual(("exit", True, False), (start["end"], start["cold"], start["launched"]))
    self.assertGreaterEqual(start["read_bytes"], FILE_BYTES // 2)
    self.assertLess(0, start["noticed_usec"])
    self.assertLessEqual(start["noticed_usec"], start["latency_usec"])
    self.assertLessEqual(start["latency_usec"], span * 1e6)
    self.assertIn(f"{self.name} started in ", start["sentence"])
    context = GLib.MainContext.default()
    brio.wait_for(lambda: context.iteration(False) or any(f["application"] == self.name for f in finished), "the signal")

  def test_each_cold_start_is_counted_under_the_bounds_that_it_keeps(self):
    finished = []
    self.briod.call("Observe")
    self.briod.connection.signal_subscribe(brio.NAME, brio.MANAGER, "StartupFinished", brio.PATH, None, Gio.DBusSignalFlags.NONE,
                                           lambda *arguments: finished.append(arguments[5].unpack()[0]))

    def expected():  # other programs of the machine may start meanwhile
      cold = [f["latency_usec"] for f in finished if f["cold"]]
      within = {f"cold_starts_within_{ms}ms": sum(usec <= ms * 1000 for usec in cold) for ms in (500, 1000, 2000, 5000, 10000, 20000, 60000)}
      return {"cold_starts": len(cold), "cold_starts_usec": sum(cold), **within}

    def counted():
      while GLib.MainContext.default().iteration(False):
        pass
      counters = {name: value for name, value in self.briod.get("Counters").items() if name.startswith("cold_starts")}
      return any(f["application"] == self.name for f in finished) and counters == expected()
    self.end(*self.start(0))
    brio.wait_for(counted, "the counters")
    self.assertGreater(expected()["cold_starts"], 0)

  def test_what_a_child_read_is_not_read_once_more_by_the_process_that_waited_for_it(self):
    """Where the machine is so busy that briod looks at neither in time, it knows less of it: then once more."""
    told = {}
    for tries in range(1, TRIES + 1):
      self.drop()
      self.end(*on_terminal("/bin/sh", "-c", f'"{self.program}" -S -c "$0" "{self.file}" 0; sleep 1; :', READER))

      def is_told():
        told.update({start["time_usec"]: start["read_bytes"] for start in self.starts()})
        return len(told) == tries
      brio.wait_for(is_told, "the start")
      self.assertLess(max(told.values()), FILE_BYTES * 3 // 2)
      if max(told.values()) >= FILE_BYTES // 2:
        return
    self.fail(f"of {FILE_BYTES} bytes that were read, these were told: {told}")

  def test_its_timeline_has_all_that_it_read_and_computed(self):
    self.end(*self.start(0))
    start = brio.wait_for(self.starts, "the start")[0]
    timeline = self.briod.call("GetStartupTimeline", "(st)", self.name, 0)[0]
    self.assertEqual([start[key] for key in ("time_usec", "latency_usec")], [timeline[key] for key in ("time_usec", "latency_usec")])
    self.assertLessEqual(len(timeline["slices"]), 64)
    self.assertGreaterEqual(len(timeline["slices"]) * timeline["slice_usec"], 0.5 * start["latency_usec"])
    self.assertEqual(start["read_bytes"], sum(s[3] for s in timeline["slices"]))
    self.assertAlmostEqual(start["waited_usec"], sum(s[1] + s[2] for s in timeline["slices"]), delta=len(timeline["slices"]) + 1)
    self.assertGreater(sum(s[0] for s in timeline["slices"]), 0)
    self.assertEqual(len(timeline["slices"]), len(timeline["stalls"]))
    parts = [sum(slice[:3]) + sum(stall) for slice, stall in zip(timeline["slices"], timeline["stalls"])]
    self.assertLessEqual(max(parts), timeline["slice_usec"])
    self.assertLessEqual(sum(parts), start["latency_usec"])
    self.assertEqual("org.brio.Brio1.Error.NotFound",
                     brio.error_name(lambda: self.briod.call("GetStartupTimeline", "(st)", self.name, start["time_usec"] + 1)))

  def test_it_ends_where_it_comes_to_rest_though_it_runs_on(self):
    pid, terminal = self.start(30)
    start = brio.wait_for(self.starts, "the start")[0]
    self.assertEqual("quiet", start["end"])
    os.kill(pid, 9)
    self.end(pid, terminal)

  def test_what_is_known_outlives_the_daemon(self):
    self.end(*self.start(0))
    before = brio.wait_for(self.starts, "the start")
    self.briod.stop()
    self.briod.__exit__()
    self.briod = brio.Briod(self.bus, "--mode", "advise", state=self.state)
    self.briod.__enter__()
    self.assertEqual(before, self.starts())
    with open(os.path.join(self.state, "startups"), encoding="utf-8") as file:
      self.assertTrue(all(line.startswith("brio1\tstart\t") for line in file))

  def test_the_session_may_say_that_it_is_ready(self):
    pid, terminal = self.start(30)

    def ready():
      return brio.error_name(lambda: self.briod.call("StartupReady", "(u)", pid)) is None
    brio.wait_for(ready, "the start")
    start = brio.wait_for(self.starts, "the start", 5)[0]
    self.assertEqual("ready", start["end"])
    os.kill(pid, 9)
    self.end(pid, terminal)

  def test_a_recording_tells_the_same_start(self):
    recording = os.path.join(self.directory, "recording")

    def grow(times):
      """What briod knows by now is written then."""
      for _ in range(times):
        size = os.path.getsize(recording) if os.path.exists(recording) else 0
        brio.wait_for(lambda: os.path.exists(recording) and os.path.getsize(recording) > size, "more of the recording")

    with subprocess.Popen([BRIOCTL, "--bus", self.bus.address, "record", "-o", recording],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=brio.die_with_parent) as process:
      self.addCleanup(process.kill)
      grow(1)
      self.end(*self.start(0))
      live = brio.wait_for(self.starts, "the start")[0]
      grow(2)
      process.send_signal(2)
      process.wait()
    text = subprocess.run([BRIOCTL, "replay", "--json", "--policy-dir", str(SOURCE / "policies"), recording], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    replayed = [s for s in map(json.loads, text.splitlines()) if s["type"] == "startup" and s["application"] == self.name]
    self.assertEqual(1, len(replayed))
    for key in ("latency_usec", "waited_usec", "read_bytes", "faults", "cold", "end", "processes"):
      self.assertEqual(live[key], replayed[0][key], key)


if __name__ == "__main__":
  unittest.main()
