#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""briod --replay: a recording on the bus, as if it happened now."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests/lib"))

import brio  # noqa: E402
import recordings  # noqa: E402
from gi.repository import Gio, GLib  # noqa: E402

RECORDINGS = os.path.join(SOURCE, "tests/replay")
SECONDS = 6
RECORDED_READERS = 150
PATIENCE_S = 60  # it plays as long as it was made
PLAYER_SECONDS, PERIODS_KEPT = 12, 16
FILM_SECONDS = 15


def read(path):
  with open(path, "rb") as f:
    return f.read()


def cut(data, seconds):
  """The blocks of the first seconds of a recording."""
  at, first = len(recordings.MARK), None
  while at < len(data):
    _mark, length, kind, _n, _sum, t = recordings.HEAD.unpack_from(data, at)
    if kind == recordings.EVENTS:
      first = first or t
      if t > first + seconds * 10**9:
        break
    at += recordings.HEAD.size + length
  return data[:at]


class Replayed(unittest.TestCase):
  def setUp(self):
    self.directory = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-replay-test-"))
    self.tmp = os.path.join(self.directory, "tmp")
    os.mkdir(self.tmp)
    os.environ["TMPDIR"] = self.tmp
    self.addCleanup(os.environ.pop, "TMPDIR")
    self.path = os.path.join(self.directory, "a.recording")

  def write(self, data):
    with open(self.path, "wb") as f:
      f.write(data)

  def serve(self, *options):
    self.bus = self.enterContext(brio.Bus())
    self.briod = self.enterContext(brio.Briod(self.bus, "--replay", self.path, *options))
    self.drive = brio.wait_for(lambda: self.briod.get("Devices"), "the recorded drive")[0].rsplit("/", 1)[1]

  def ctl(self, *arguments):
    return subprocess.run([str(brio.BUILD / "cli/brioctl"), *arguments], capture_output=True, text=True, check=False)

  def decisions(self):
    return [(d["device"], d["tunable"], d["old"], d["new"], d["reason"], d["reason_data"]) for d in self.briod.call("GetDecisions", "(t)", 0)[0]]

  def is_over(self):
    return "which is over" in self.briod.get("Sources")[0][2]


class Replays(Replayed):
  def check_statements(self):
    """A reason is told as data, too, with the same numbers: here of how long the drive waits for each of many readers."""
    laws = {part["law"]: part["reason"] for part in self.briod.get("ReasonData", self.drive) if part["id"] == "law-says"}
    self.assertEqual("many-sync", laws["idle-limit"][0]["id"]) # one in another
    limit = next(part for part in laws["idle-limit"] if part["id"] == "idle-limit")
    self.assertEqual({"id", "tunable", "base_usec", "slice_usec", "readers", "limit_usec"}, set(limit))
    self.assertIn(f"{limit['tunable']} = min(base {limit['base_usec']} µs, group slice {limit['slice_usec']} µs / {limit['readers']} readers) = "
                  f"{limit['limit_usec']} µs", self.briod.get("Reason", self.drive))

  def test_what_was_recorded_is_served_and_decided_as_brioctl_replay_does(self):
    self.write(cut(read(os.path.join(RECORDINGS, "many-readers.recording")), SECONDS))
    replayed = self.ctl("replay", "--json", "--policy-dir", os.path.join(SOURCE, "policies"), self.path)
    self.assertEqual(1, replayed.returncode)  # it was cut
    changes = [v for v in map(json.loads, replayed.stdout.splitlines()) if "tunable" in v]
    self.assertTrue(changes)
    began = time.monotonic()
    self.serve()
    stream = self.briod.open_stream(100)
    self.addCleanup(os.close, stream)
    names = set()

    def follow():
      names.update(p["name"] for p in self.briod.call("GetProcesses", "(u)", 50)[0])
      return self.is_over()

    brio.wait_for(follow, "the end of the recording", PATIENCE_S)
    self.assertGreater(time.monotonic() - began, SECONDS * 0.9)  # not faster than it was made
    self.assertEqual([(c["device"], c["tunable"], c["old"], c["new"], c["reason"], c["reason_data"]) for c in changes], self.decisions())
    self.check_statements()
    self.assertEqual(("hdd", "as it was recorded"), (self.briod.get("Class", self.drive), self.briod.get("ClassReason", self.drive)))
    self.assertEqual([{"id": "as-recorded"}], self.briod.get("ClassReasonData", self.drive))
    self.assertEqual("many-sync", self.briod.get("Workload", self.drive))
    self.assertEqual("brio", self.briod.tunable(self.drive, "slice_idle_us")[3])
    self.assertEqual("0", self.briod.tunable(self.drive, "slice_idle_us")[2])
    self.assertGreater(self.briod.get("AttentionLevel"), 0)
    self.assertTrue(brio.read_sample(stream))
    _environment, _drives, items = recordings.read(read(os.path.join(RECORDINGS, "many-readers.recording")))
    self.assertTrue(names and names <= {i["fields"][1] for i in items if i["kind"] == "name"})
    (source,) = self.briod.get("Sources")
    self.assertEqual("replay", source[0])
    self.assertIn("it ends too early", source[2])
    self.assertIn("it ends too early", self.briod.text())

  def test_the_end_stays_to_be_seen_and_nothing_is_left(self):
    self.write(cut(read(os.path.join(RECORDINGS, "many-readers.recording")), 1))
    self.serve()
    self.assertEqual(1, len(os.listdir(self.tmp)))
    brio.wait_for(self.is_over, "the end of the recording", PATIENCE_S)
    time.sleep(1)
    self.assertIn(self.drive, self.ctl("devices", "--bus", self.bus.address).stdout)
    self.briod.call("SetMode", "(s)", "off")
    self.assertEqual("kernel", self.briod.tunable(self.drive, "slice_idle_us")[3])
    self.assertEqual(0, self.briod.stop())
    self.assertEqual([], os.listdir(self.tmp))

  def test_a_stream_is_told_with_its_last_periods_one_by_one(self):
    self.write(cut(read(os.path.join(RECORDINGS, "player-beside-writers.recording")), PLAYER_SECONDS))
    self.serve()
    stream = brio.wait_for(lambda: next((s for s in self.briod.call("GetStreams")[0] if s["state"] == "stream"), None), "the player", PATIENCE_S)
    arrivals = stream["arrivals"]
    counted = [a for a in arrivals if a[5]]
    self.assertEqual(stream["periods"], len(counted))
    self.assertLessEqual(len(arrivals), PERIODS_KEPT)
    periods = sorted(a[0] for a in counted)
    self.assertEqual(stream["period_usec"], periods[len(periods) // 2])
    self.assertEqual(stream["pause_permille"], sum(a[1] for a in counted) * 1000 // sum(periods))
    self.assertEqual(stream["bytes_per_second"], sum(a[2] for a in counted) * 10**6 // sum(periods))
    self.assertEqual((stream["margin_usec"], stream["kernel"]), arrivals[-1][3:5])
    for period, pause, _bytes, margin, answer, _counted in arrivals:
      self.assertLess(pause, period)
      self.assertEqual("yes" if margin > 0 else "too-early", answer)
    text = self.ctl("streams", "--json", "--bus", self.bus.address).stdout
    named = next(s for s in json.loads(text) if s["pid"] == stream["pid"])["arrivals"]
    self.assertEqual({"period_usec", "pause_usec", "bytes", "margin_usec", "kernel", "counted"}, set(named[0]))

  def test_a_film_in_4k_is_explained_as_what_plays_and_not_as_bulk(self):
    self.write(cut(read(os.path.join(RECORDINGS, "film-beside-a-reader.recording")), FILM_SECONDS))
    self.serve()
    brio.wait_for(self.is_over, "the end of the recording", PATIENCE_S)
    text = self.ctl("explain", self.drive, "--bus", self.bus.address).stdout
    told = json.loads(self.ctl("explain", "--json", self.drive, "--bus", self.bus.address).stdout)
    (film,) = (s for s in told["streams"] if s["state"] == "stream")
    self.assertRegex(text, rf"fio \({film['pid']}\) reads 1[23] MB/s in a rhythm of 8\d(\.\d)? ms")
    verdicts = {v["kind"]: v.get("pid") for v in told["drive"]["verdicts"]}
    self.assertEqual(film["pid"], verdicts["soft-rt"])
    self.assertNotIn(verdicts.get("bulk", 0), (film["pid"], 0))  # the copy beside it is


class Bounds(Replayed):
  PROCESSES, LISTED, NAME = 400, 256, "fifteen letters"
  ROW_MAX, SECOND = 1024, 10**9

  def test_the_longest_list_of_processes_is_a_small_part_of_what_a_bus_takes(self):
    dev = 8 << 20
    items = []
    for pid in range(1, self.PROCESSES + 1):
      items += [{"kind": "name", "t": self.SECOND, "dev": 0, "tgid": pid, "fields": [pid, self.NAME]},
                {"kind": "io", "t": self.SECOND, "dev": dev, "tgid": pid, "fields": [pid, 250000, 2**32 - 1, 2**32 - 1]},
                {"kind": "wait", "t": self.SECOND, "dev": 0, "tgid": pid, "fields": [pid, 250000, 250000]}]
    items.append({"kind": "tick", "t": self.SECOND, "dev": 0, "tgid": 0, "fields": [0]})
    self.write(recordings.write([{"name": "sda", "device": "8:0", "class": "hdd"}], items))
    self.serve()
    brio.wait_for(self.is_over, "the end of the recording", PATIENCE_S)
    message = Gio.DBusMessage.new_method_call(brio.NAME, brio.PATH, brio.MANAGER, "GetProcesses")
    message.set_body(GLib.Variant("(u)", (0,)))
    reply, _serial = self.briod.connection.send_message_with_reply_sync(message, Gio.DBusSendMessageFlags.NONE, 10000)
    rows = reply.get_body().unpack()[0]
    self.assertEqual(self.LISTED, len(rows))
    self.assertEqual({self.NAME}, {row["name"] for row in rows})
    self.assertEqual({"sda"}, {row["device"] for row in rows})
    self.assertLess(len(reply.to_blob(Gio.DBusCapabilityFlags.NONE)), self.LISTED * self.ROW_MAX)


class Refuses(Replayed):
  def fails(self, *options):
    with brio.Bus() as bus:
      return brio.Briod(bus, *options).fails_to_start()

  def test_what_is_no_recording_is_said_to_be_none(self):
    good = read(os.path.join(RECORDINGS, "one-reader.recording"))
    for data, words in ((b"", "is empty"), (b"[Daemon]\n" * 9, "is no recording"), (good[:8] + b"\x09" + good[9:], "another version")):
      self.write(data)
      status, text = self.fails("--replay", self.path)
      self.assertEqual(1, status)
      self.assertRegex(text, re.escape(self.path) + f".* {words}|{words}")
    status, text = self.fails("--replay", self.path + "/no")
    self.assertEqual(1, status)
    self.assertIn("cannot read", text)
    self.assertEqual([], os.listdir(self.tmp))

  def test_one_machine_at_a_time(self):
    for options in (("--root", self.tmp), ("--restore",)):
      status, text = self.fails("--replay", self.path, *options)
      self.assertEqual(2, status)
      self.assertIn("--replay goes with neither", text)


if __name__ == "__main__":
  unittest.main(verbosity=2)
