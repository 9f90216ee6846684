#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A false candidate for a stream, live: a process that reads as much as it can whenever it gets to run, and that is stopped for random times, as a guest is
whose host does other things. It moves as little as a player, and bfq's rule takes it for one again and again; Brio says which condition it fails and by how
much. Prints what `brioctl explain` and `brioctl streams` say of it (docs/accuracy.md shows that)."""
import json
import os
import random
import signal
import subprocess
import sys
import threading
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402

BRIOCTL = str(brio.BUILD / "cli/brioctl")
PATIENCE_S = 150  # twelve seconds to become a candidate, some more to be looked at; a loaded machine takes its time
GAPS_S, SHORTEST_S = 0.4, 0.05
SEED = 3
WHY_NOT = brio.why_no_loop()

# Reads 256 KiB, or what it gets through before it is stopped: here it does that itself, so that it is the same on any machine.
GREEDY = r"""
import mmap, os, signal, sys
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
buffer = mmap.mmap(-1, 1 << 16)
offset = 0
while True:
  for _ in range(4):
    offset += os.preadv(fd, [buffer], offset)
  os.kill(os.getpid(), signal.SIGSTOP)
"""


@unittest.skipIf(WHY_NOT, WHY_NOT)
class NearMiss(unittest.TestCase):
  def setUp(self):
    self.loop = self.enterContext(brio.Loop(scheduler="bfq"))
    self.bus = self.enterContext(brio.Bus())
    others = [block for block in os.listdir("/sys/block") if block != self.loop.name]
    self.briod = self.enterContext(brio.Briod(self.bus, "--mode=off", "--include", f"{self.loop.name}=hdd", *(f"--exclude={name}" for name in others)))
    self.reader = subprocess.Popen([sys.executable, "-c", GREEDY, f"/dev/{self.loop.name}"], preexec_fn=brio.die_with_parent)
    self.over = threading.Event()
    self.host = threading.Thread(target=self.let_run, daemon=True)
    self.host.start()
    self.addCleanup(self.end)

  def end(self):
    self.over.set()
    self.host.join()
    self.reader.kill()
    self.reader.wait()

  def let_run(self):
    gaps = random.Random(SEED)
    while not self.over.wait(SHORTEST_S + gaps.expovariate(1 / GAPS_S)):
      self.reader.send_signal(signal.SIGCONT)

  def brioctl(self, *arguments):
    done = subprocess.run([BRIOCTL, "--bus", self.bus.address, *arguments], capture_output=True, text=True, timeout=30, check=False)
    self.assertEqual(0, done.returncode, done.stderr)
    return done.stdout

  def near_miss(self):
    """Its entry, once bfq's rule has taken it for a stream and Brio says why it is none."""
    for each in json.loads(self.brioctl("streams", "--json")):
      if each["pid"] == self.reader.pid:
        self.assertNotEqual("stream", each["state"], each)
        if each["state"] == "near-miss" and each["kernel_yes"] > 0 and each.get("failed_condition") == "regularity":
          return each
    return None

  def test_a_greedy_reader_that_is_stopped_at_random_fails_a_condition_that_explain_names_with_both_numbers(self):
    entry = brio.wait_for(self.near_miss, f"a near miss; its log:\n{self.briod.text()}", PATIENCE_S)
    text = self.brioctl("explain", self.loop.name)
    print(text, self.brioctl("streams"), sep="\n")
    self.assertEqual("permille", entry["failed_unit"])
    self.assertEqual(700, entry["failed_limit"])
    self.assertLess(entry["failed_value"], entry["failed_limit"])
    self.assertIn("Almost streams", text)
    self.assertRegex(" ".join(text.split()), r"is no stream: \d+ % of its periods are about as long as the others, and of one 70 % at least")


if __name__ == "__main__":
  unittest.main()
