#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bfq's own verdicts, from the kernel's tracer: heard on request, and the tracer put back whatever happens."""
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402

TRACING = Path("/sys/kernel/tracing")
# All that the tracer needs, and what a user would find changed.
TAKEN = ("current_tracer", "trace_clock", "tracing_on", "set_event")
PATIENCE_S = 60
E = brio.NAME + ".Error."


def why_not():
  if not (TRACING / "available_tracers").exists() or "blk" not in (TRACING / "available_tracers").read_text().split():
    return brio.why_no_readers() or "the kernel has no blk tracer"
  return brio.why_no_readers()


WHY_NOT = why_not()


def tracing():
  return {name: (TRACING / name).read_text() for name in TAKEN}


@unittest.skipIf(WHY_NOT, WHY_NOT)
class KernelVerdicts(unittest.TestCase):
  def setUp(self):
    if (TRACING / "current_tracer").read_text() != "nop\n":
      self.skipTest("another program uses the kernel's tracer")
    self.before = tracing()
    self.addCleanup(lambda: self.assertEqual(self.before, tracing()))
    self.loop = self.enterContext(brio.Loop(scheduler="bfq", writable=True))
    self.bus = self.enterContext(brio.Bus())
    self.briod = self.enterContext(self.new_briod())

  def new_briod(self, *arguments, state=None):
    others = [block for block in os.listdir("/sys/block") if block != self.loop.name]
    return brio.Briod(self.bus, "--include", f"{self.loop.name}=hdd", *(f"--exclude={name}" for name in others), *arguments, state=state)

  def verdicts(self, seconds=30):
    return self.briod.call("GetKernelVerdicts", "(u)", seconds)[0]

  def wait(self, condition, what):
    return brio.wait_for(condition, what, PATIENCE_S)

  def player(self):
    """Reads 128 KiB four times a second, with the priority that bfq wants to see for its rule (BE/4): it is inherited."""
    player = subprocess.Popen(
      ["ionice", "-c2", "-n4", "fio", "--name=player", f"--filename=/dev/{self.loop.name}", "--readonly", "--rw=read", "--bs=128k", "--direct=1", "--thread",
       "--rate=512k", "--time_based", "--runtime=600"], stdout=subprocess.DEVNULL, preexec_fn=brio.die_with_parent)
    self.addCleanup(player.wait)
    self.addCleanup(player.kill)
    return player

  def is_traced(self):
    return (Path("/sys/block") / self.loop.name / "trace/enable").read_text() == "1\n"

  def test_a_steady_reader_is_soft_real_time_and_then_the_tracer_rests(self):
    self.assertEqual([], self.verdicts())
    self.assertEqual("blk\n", (TRACING / "current_tracer").read_text())
    player = self.player()
    found = self.wait(lambda: [v for v in self.verdicts() if v["pid"] == player.pid and v["verdict"] == "soft-rt"], "bfq's verdict")
    self.assertEqual((self.loop.name, True, 3000), (found[0]["device"], found[0]["sync"], found[0]["coefficient"]))
    self.wait(lambda: any(v["pid"] == player.pid and v["since_usec"] > 500000 for v in self.verdicts(1)), "a verdict that lasts")
    self.wait(lambda: tracing() == self.before, "the end of the second")
    self.assertFalse(self.is_traced())

  def test_an_orderly_end_puts_the_tracer_back(self):
    self.verdicts()
    self.assertTrue(self.is_traced())
    self.assertEqual(0, self.briod.stop())
    self.assertEqual(self.before, tracing())
    self.assertFalse(self.is_traced())

  def test_what_a_killed_briod_left_is_put_back_by_restore(self):
    self.verdicts()
    self.briod.stop(signal.SIGKILL)
    self.assertEqual("blk\n", (TRACING / "current_tracer").read_text())
    status, text = self.new_briod("--restore", state=self.briod.state).fails_to_start()
    self.assertEqual(0, status, text)
    self.assertEqual(self.before, tracing())
    self.assertFalse(self.is_traced())

  def test_another_tracer_is_left_alone(self):
    (TRACING / "current_tracer").write_text("blk")
    try:
      with self.assertRaisesRegex(Exception, "another program uses the kernel's tracing"):
        self.verdicts()
      self.assertEqual("blk\n", (TRACING / "current_tracer").read_text())
    finally:
      (TRACING / "current_tracer").write_text("nop")
    enable = Path("/sys/block") / self.loop.name / "trace/enable"
    enable.write_text("1")
    try:
      with self.assertRaisesRegex(Exception, "another program uses the kernel's tracing"):
        self.verdicts()
      self.assertTrue(self.is_traced())
    finally:
      enable.write_text("0")

  def test_without_bfq_there_is_nothing_to_hear(self):
    self.loop.write("scheduler", "none")
    self.assertEqual(E + "NotFound", brio.error_name(self.verdicts))
    for seconds in (0, 61):
      self.assertEqual(E + "InvalidArgument", brio.error_name(lambda: self.verdicts(seconds)))


if __name__ == "__main__":
  unittest.main()
