#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What detectors find on a real drive with real processes: processes that move much, that come in a burst, and whose priority is not heeded."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402

PATIENCE_S = 60
BURST_PATIENCE_S = 20
WHY_NOT = brio.why_no_loop() or (None if shutil.which("fio") else "fio is not installed")


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Verdicts(unittest.TestCase):
  """A loop device as briod's only drive, which briod leaves as it is."""

  scheduler = "mq-deadline"

  def setUp(self):
    self.loop = self.enterContext(brio.Loop(scheduler=self.scheduler))
    self.bus = self.enterContext(brio.Bus())
    others = [block for block in os.listdir("/sys/block") if block != self.loop.name]
    self.briod = self.enterContext(brio.Briod(self.bus, "--mode=off", "--include", f"{self.loop.name}=hdd", *(f"--exclude={name}" for name in others)))

  def fio(self, name, *arguments, prefix=()):
    """One process that reads for as long as the test runs; by its own number, since what it makes it ends with itself."""
    process = subprocess.Popen([*prefix, "fio", f"--name={name}", f"--filename=/dev/{self.loop.name}", "--thread", "--time_based", "--runtime=600",
                                "--size=4g", *arguments],
                               cwd=self.briod.state, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=brio.die_with_parent)
    self.addCleanup(process.wait)
    self.addCleanup(process.send_signal, signal.SIGKILL)
    return process

  def verdicts(self, kind, pid=None):
    return [v for v in self.briod.get("Verdicts", self.loop.name) if v["kind"] == kind and v.get("pid") == pid]

  def bytes_read(self, process):
    return int(Path(f"/proc/{process.pid}/io").read_text().split("\nread_bytes: ")[1].split()[0])

  def wait(self, condition, what, patience_s=PATIENCE_S):
    try:
      return brio.wait_for(condition, what, patience_s)
    except AssertionError as e:
      raise AssertionError(f"{e}; found: {self.briod.get('Verdicts', self.loop.name)}; its log:\n{self.briod.text()}") from e

  def evidence(self, verdict):
    return {name: value for name, value, _, _ in verdict["evidence"]}


class Bulk(Verdicts):
  def test_a_process_that_moves_much_is_bulk_until_it_ends_and_one_that_reads_little_is_not(self):
    copy = self.fio("copy", "--rw=read", "--bs=256k", "--direct=1", "--rate=80m")
    found = self.wait(lambda: self.verdicts("bulk", copy.pid), "a finding")[0]
    self.assertGreaterEqual(self.evidence(found)["moved"], 32 << 20)
    self.assertTrue(found["sentence"].startswith("fio has moved "), found["sentence"])
    self.assertEqual("bulk", self.briod.get("Workload", self.loop.name), self.briod.get("Verdicts", self.loop.name))
    # Afterwards: a steady player is a stream before long, and a drive's workload is the stream then.
    player = self.fio("player", "--rw=read", "--bs=64k", "--direct=1", "--rate=500k", "--offset=2g")
    self.wait(lambda: self.bytes_read(player) > 4 << 20, "what it plays")
    self.assertEqual([], self.verdicts("bulk", player.pid))
    copy.kill()
    self.wait(lambda: not self.verdicts("bulk", copy.pid), "its end")


class LeftAlone(Verdicts):
  def test_a_reader_of_a_disk_that_is_none_of_ours_joins_no_burst_on_the_only_busy_one(self):
    other = self.enterContext(brio.Loop(scheduler=self.scheduler))
    copy = self.fio("copy", "--rw=read", "--bs=256k", "--direct=1", "--rate=80m")
    self.wait(lambda: self.verdicts("bulk", copy.pid), "a finding")
    for _ in range(20):
      with brio.Readers(f"/dev/{other.name}", 12, pause_s=0.01):
        time.sleep(0.3)
      self.assertEqual([], self.verdicts("burst"))


class Burst(Verdicts):
  def test_processes_that_begin_to_read_at_once_are_a_burst(self):
    for last in (False, False, True):  # on a busy machine they may not begin at once
      readers = self.enterContext(brio.Readers(f"/dev/{self.loop.name}", 24, pause_s=0.1))
      try:
        found = self.wait(lambda: self.verdicts("burst"), "a finding", BURST_PATIENCE_S)[0]
        break
      except AssertionError:
        readers.stop()
        if last:
          raise
    self.assertGreaterEqual(self.evidence(found)["processes"], 8)
    self.wait(lambda: not self.verdicts("burst"), "its end, though they read on")


class Priority(Verdicts):
  def test_a_priority_is_told_where_the_scheduler_takes_no_notice_of_it(self):
    low = self.fio("low", "--rw=randread", "--bs=4k", "--direct=1", "--rate_iops=50", prefix=("ionice", "-c2", "-n7"))
    usual = self.fio("usual", "--rw=randread", "--bs=4k", "--direct=1", "--rate_iops=50")
    found = self.wait(lambda: self.verdicts("ineffective-priority", low.pid), "a finding")[0]
    self.assertEqual("fio has I/O priority best-effort 7, of which mq-deadline takes no notice; bfq does", found["sentence"])
    self.assertEqual({"io-class": 2, "io-level": 7}, {key: self.evidence(found)[key] for key in ("io-class", "io-level")})
    self.assertEqual([], self.verdicts("ineffective-priority", usual.pid))
    self.loop.write("scheduler", "bfq")
    self.wait(lambda: not self.verdicts("ineffective-priority", low.pid), "its end with a scheduler that does")


# Reads 64 KiB at a time, 3 MB/s at most, with pauses of any length; it is connected to the socket until a line comes.
PLAYER = r"""
import mmap, os, random, select, socket, sys, time
pauses, offset, buffer = random.Random(7), 0, mmap.mmap(-1, 1 << 16)
sound = socket.socket(socket.AF_UNIX)
sound.connect(sys.argv[2])
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
while True:
  offset = (offset + os.preadv(fd, [buffer], offset)) % (1 << 30)
  time.sleep(0.02 + pauses.expovariate(20))
  if select.select([sys.stdin], [], [], 0)[0] and sys.stdin.readline():
    sound.close()
"""


class Sound(Verdicts):
  """A sound server and its client, which reads without a rhythm."""

  def setUp(self):
    super().setUp()
    directory = Path(f"/run/user/{4_000_000_000 + os.getpid()}")  # of no user
    directory.mkdir(parents=True)
    self.addCleanup(shutil.rmtree, directory)
    self.server = self.enterContext(socket.socket(socket.AF_UNIX))
    self.server.bind(str(directory / "pipewire-0"))
    self.server.listen()
    self.player = subprocess.Popen([sys.executable, "-c", PLAYER, f"/dev/{self.loop.name}", str(directory / "pipewire-0")], stdin=subprocess.PIPE, text=True,
                                   preexec_fn=brio.die_with_parent)
    self.addCleanup(self.player.wait)
    self.addCleanup(self.player.kill)
    self.addCleanup(self.player.stdin.close)
    self.enterContext(self.server.accept()[0])

  def streams(self):
    return [s for s in self.briod.call("GetStreams")[0] if s["pid"] == self.player.pid and s["state"] == "stream"]

  def test_a_client_of_the_sound_server_is_a_stream_without_a_rhythm_until_it_disconnects(self):
    found = self.wait(self.streams, "a stream")[0]
    self.assertEqual("sound", found["holds"])
    self.assertIn(" while it has sound open", found["sentence"])
    self.assertEqual(["rate"], list(self.evidence(self.wait(lambda: self.verdicts("soft-rt", self.player.pid), "a finding")[0])))
    self.player.stdin.write("\n")
    self.player.stdin.flush()
    self.wait(lambda: not self.streams(), "its end")


if __name__ == "__main__":
  unittest.main()
