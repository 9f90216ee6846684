#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What drives guests, without one: the channels, and the counting of results.

usage: test-vm-lib.py SOURCE_DIR [unittest argument]..."""
import json
import socket
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

sys.dont_write_bytecode = True
SOURCE = Path(sys.argv.pop(1)).resolve()
sys.path[:0] = [str(SOURCE / "tests/vm"), str(SOURCE / "tests/lib"), str(SOURCE / "bench")]
import tally  # noqa: E402
from lib import channel  # noqa: E402
from machine import accel, follow, image, packages, releases, tap  # noqa: E402

PATIENCE_S = 20
BRIEFLY_S = 0.2


class Server:
  """A context manager: the other side of a channel, with a function that answers each request with objects to send."""

  def __init__(self, answer, greeting=()):
    self.answer = answer
    self.greeting = greeting

  def __enter__(self):
    self.directory = tempfile.TemporaryDirectory(prefix="brio-test-")
    self.path = f"{self.directory.name}/socket"
    self.listener = socket.socket(socket.AF_UNIX)
    self.listener.bind(self.path)
    self.listener.listen()
    self.thread = threading.Thread(target=self.serve, daemon=True)
    self.thread.start()
    return self

  def __exit__(self, *_):
    self.thread.join(PATIENCE_S)
    self.peer.close()
    self.listener.close()
    self.directory.cleanup()

  def serve(self):
    self.peer, _ = self.listener.accept()
    self.say(*self.greeting)
    with self.peer.makefile() as requests:
      for line in requests:
        self.say(*self.answer(json.loads(line)))

  def say(self, *objects):
    self.peer.sendall(b"".join(json.dumps(each).encode() + b"\n" for each in objects))


def monitor_answer(request):
  if request["execute"] == "system_reset":
    return {"return": {}}, {"event": "RESET"}
  if request["execute"] == "device_del":
    return {"event": "DEVICE_DELETED", "data": {"device": "other"}}, {"return": {}}, {"event": "DEVICE_DELETED", "data": request["arguments"]}
  if request["execute"] == "nonsense":
    return {"error": {"desc": "no such command"}},
  return {"return": {}},


class Monitors(unittest.TestCase):
  def setUp(self):
    server = Server(monitor_answer, [{"QMP": {}}])
    self.addCleanup(server.__exit__)
    self.monitor = channel.Monitor(server.__enter__().path, PATIENCE_S)
    self.addCleanup(self.monitor.close)

  def test_an_event_is_found_by_its_data(self):
    self.monitor.command("device_del", device="stick")
    self.assertEqual("stick", self.monitor.wait_event("DEVICE_DELETED", PATIENCE_S, device="stick")["data"]["device"])

  def test_an_event_that_was_not_read_is_forgotten_too(self):
    self.monitor.command("system_reset")
    time.sleep(BRIEFLY_S)
    self.monitor.forget_events()
    with self.assertRaisesRegex(channel.ChannelError, "in vain for RESET"):
      self.monitor.wait_event("RESET", BRIEFLY_S)

  def test_a_refusal_says_why(self):
    with self.assertRaisesRegex(channel.ChannelError, "nonsense: no such command"):
      self.monitor.command("nonsense")


class Agents(unittest.TestCase):
  def agent(self, answer):
    server = Server(answer)
    self.addCleanup(server.__exit__)
    agent = channel.Agent(server.__enter__().path, PATIENCE_S)
    self.addCleanup(agent.close)
    return agent

  def test_sync_passes_over_what_was_left_on_the_line(self):
    self.agent(lambda request: ({"return": 1}, {"error": {"desc": "old"}}, {"return": request["arguments"]["id"]})).sync(PATIENCE_S)

  def test_a_command_returns_what_it_printed_and_its_status(self):
    status = {"exited": True, "exitcode": 3, "out-data": "aGVsbG8K"}
    agent = self.agent(lambda request: ({"return": {"pid": 7} if request["execute"] == "guest-exec" else status},))
    done = agent.run(["/bin/true"], PATIENCE_S)
    self.assertEqual((3, "hello\n", ""), (done.status, done.out, done.err))

  def test_silence_is_an_error(self):
    with self.assertRaisesRegex(channel.ChannelError, "does not answer"):
      self.agent(lambda request: ()).sync(BRIEFLY_S)


class Counts(unittest.TestCase):
  def part(self, script):
    with tempfile.TemporaryDirectory(prefix="brio-test-") as results:
      heard = []
      part = follow.Part("part", ["sh", "-c", script], Path(results), heard.append)
      return follow.side_by_side([part]), heard

  def test_each_result_counts(self):
    counts, heard = self.part("printf '1..3\\nok 1 - a: b (0.1 s)\\nnot ok 2 - a: c (0.1 s)\\n#   why\\nok 3 - a: d (0.0 s) # SKIP no e\\n'")
    self.assertEqual({"passed": 1, "failed": 1, "skipped": 1}, dict(counts))
    self.assertIn("part    why", heard)

  def test_what_was_not_reached_has_failed(self):
    self.assertEqual({"passed": 1, "failed": 4}, dict(self.part("printf '1..5\\nok 1 - a: b (0.1 s)\\n'; kill -KILL $$")[0]))

  def test_an_end_before_the_plan_has_failed(self):
    self.assertEqual({"failed": 1}, dict(self.part("echo 'dev: no drive' >&2; exit 1")[0]))


class Results(unittest.TestCase):
  def test_every_outcome_is_a_line(self):
    class Sample(unittest.TestCase):
      def test_1_this_holds(self):
        pass

      def test_2_this_does_not(self):
        self.assertEqual(1, 2)

      def test_3_this_cannot(self):
        self.skipTest("no place")

    lines = []
    failed = tap.run([Sample(name) for name in ("test_1_this_holds", "test_2_this_does_not", "test_3_this_cannot")], lines.append)
    self.assertEqual((1, "1..3"), (failed, lines[0]))
    results = [m for m in map(tap.LINE.fullmatch, lines) if m]
    self.assertEqual([None, "not ", None], [m["not"] for m in results])
    self.assertEqual([None, None, "no place"], [m["reason"] for m in results])
    self.assertTrue(results[0]["name"].startswith("__main__: this holds"))


class Accelerators(unittest.TestCase):
  def setUp(self):
    directory = tempfile.TemporaryDirectory(prefix="brio-test-")
    self.addCleanup(directory.cleanup)
    self.note = Path(directory.name, "accelerator")
    self.trials = []

  def find(self, works):
    with unittest.mock.patch.object(accel, "works", lambda kernel: self.trials.append(kernel) or works):
      return accel.remembered("a kernel", self.note)

  def test_one_trial_does_until_the_machine_boots_anew(self):
    self.assertEqual([False, False], [self.find(False), self.find(True)])
    self.note.write_text("another-boot hangs\n")
    self.assertEqual([True, True], [self.find(True), self.find(False)])
    self.assertEqual(2, len(self.trials))

  def test_a_damaged_note_is_none(self):
    self.note.write_text("works")
    self.assertFalse(self.find(False))


DEV = 8 << 20
STRETCHES = {"first": (0, 1000), "second": (1000, 2000)}


def item(kind, tgid, sector, sectors=8, operation=0, dev=DEV):
  return {"kind": kind, "dev": dev, "tgid": tgid, "fields": [sector, sectors, operation]}


def report(**jobs):
  """fio's: job → (reads, bytes read, writes, bytes written)."""
  keys = ("total_ios", "io_bytes")
  return {"jobs": [{"jobname": name, "read": dict(zip(keys, n[:2])), "write": dict(zip(keys, n[2:]))} for name, n in jobs.items()]}


class Releases(unittest.TestCase):
  def test_of_debian_11_a_guest_has_the_kernel_and_of_debian_12_all_else(self):
    eleven = releases.Release("11")
    with unittest.mock.patch.object(releases, "mirror", lambda: ["http://mirror/debian"]):
      self.assertEqual(["deb http://mirror/debian bookworm main", "deb http://mirror/debian bullseye main"], eleven.sources())
      self.assertEqual(["http://mirror/debian"], releases.Release("12").sources())
    with unittest.mock.patch.object(releases, "mirror", list):
      self.assertEqual([f"deb {releases.DEFAULT_MIRROR} bullseye main"], eleven.sources()[1:])
      self.assertEqual([], releases.Release("13").sources())
    made = image.ImageMaker(eleven, Path("images"), {"libbpf1"})
    self.assertEqual("linux-image-amd64/bullseye", made.packages[0])
    self.assertIn("libbpf1", made.packages)
    with unittest.mock.patch.object(packages, "sources", list):  # a package's source, in which this runs too, is no clone
      self.assertEqual(packages.PackageMaker(releases.Release("12"), Path("p")).directory, packages.PackageMaker(eleven.userland, Path("p")).directory)


class Tallies(unittest.TestCase):
  SEEN = [item("queue", 7, 0), item("queue", 7, 8, 16, 1), item("complete", 0, 0, 16), item("complete", 0, 16), item("queue", 9, 1000)]
  RIGHT = {"first": (1, 4096, 1, 8192), "second": (1, 4096, 0, 0)}

  def count(self, *more):
    return tally.of_recording([*self.SEEN, *more], DEV, STRETCHES)

  def test_a_request_is_that_of_the_job_whose_stretch_it_is_in(self):
    tallies = self.count()
    self.assertEqual({"reads": 1, "read_bytes": 4096, "writes": 1, "write_bytes": 8192, "bytes_done": 24 * 512}, tallies["first"].counts)
    self.assertEqual([{7: 2}, {9: 1}], [t.processes for t in tallies.values()])

  def test_what_is_elsewhere_or_moves_no_data_is_no_jobs(self):
    more = (item("queue", 3, 5000), item("queue", 3, 0, dev=DEV + 1), item("queue", 3, 0, 0, 3), item("issue", 3, 0))
    self.assertEqual(self.count(), self.count(*more))

  def test_every_two_are_compared_for_each_job_and_the_drive(self):
    fio = tally.of_fio(report(**self.RIGHT))
    found = tally.differences({"a": self.count(), "b": self.count(item("queue", 9, 1008)), "fio": fio})
    differing = {(one, other, job, what): part for part, one, other, job, what, *_ in found if part}
    self.assertEqual(0.5, differing.pop(("a", "b", "second", "reads")))
    self.assertEqual(1 / 3, differing.pop(("a", "b", "drive", "reads")))
    self.assertIn(("b", "fio", "second", "read_bytes"), differing)
    self.assertNotIn(("a", "fio", "second", "reads"), differing)
    self.assertEqual(1, differing[("a", "fio", "second", "bytes_done")])


if __name__ == "__main__":
  unittest.main()
