#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording of a real briod at work: its replay decides as briod did."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402
import recordings  # noqa: E402

BRIOCTL = brio.BUILD / "cli/brioctl"
READERS = 100
REQUESTS = 3000
SECTORS = 8  # of 4 KiB
TOLERANCE = 0.001
QUIET = "nr_requests"  # stays as it is set while the drive is quiet
PATIENCE_S = 60  # the load has to start, and be noticed
WHY_NOT = brio.why_no_readers()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Recording(unittest.TestCase):
  def setUp(self):
    self.loop = self.enterContext(brio.Loop(scheduler="bfq", writable=True))
    self.bus = self.enterContext(brio.Bus())
    others = [block for block in os.listdir("/sys/block") if not block.startswith("loop")]  # those are drives where they are named
    self.policies = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-policies-"))
    text = (SOURCE / "policies/10-hdd.conf").read_text()
    self.assertIn("Ahead = yes\n", text)
    Path(self.policies, "10-hdd.conf").write_text(text.replace("Ahead = yes\n", ""))  # so that the load brings a decision, and its end
    self.briod = self.enterContext(brio.Briod(self.bus, "--include", f"{self.loop.name}=hdd", *(f"--exclude={name}" for name in others),
                                       policies=self.policies))
    self.path = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="brio-recording-"))) / "a.recording"

  def wait(self, condition, what):
    try:
      return brio.wait_for(condition, what, PATIENCE_S)
    except AssertionError as e:
      raise AssertionError(f"{e}; its log:\n{self.briod.text()}") from e

  def record(self):
    process = subprocess.Popen([BRIOCTL, "record", "--json", "-o", self.path, self.loop.name], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "BRIO_BUS": self.bus.address}, preexec_fn=brio.die_with_parent)

    def stop():
      if process.poll() is None:
        process.send_signal(signal.SIGINT)
      out = process.communicate(timeout=PATIENCE_S)[0]
      self.assertEqual(0, process.returncode)
      return json.loads(out)
    self.addCleanup(process.communicate)
    self.addCleanup(process.kill)
    self.wait(lambda: self.path.exists() and self.path.stat().st_size > 0, "the recording's beginning")
    return stop

  def replay(self):
    result = subprocess.run([BRIOCTL, "replay", "--json", "--policy-dir", self.policies, self.path], capture_output=True, text=True,
                            check=False)
    self.assertEqual(0, result.returncode, result.stderr)
    return [json.loads(line) for line in result.stdout.splitlines()]

  def test_a_replay_decides_as_briod_did(self):
    stop = self.record()
    with brio.Readers(f"/dev/{self.loop.name}", READERS, pause_s=0.2):
      self.wait(lambda: self.briod.tunable(self.loop.name, "slice_idle_us")[3] == "brio", "a setting")
    self.wait(lambda: all(owner == "kernel" for name, (*_, owner) in self.briod.get("Tunables", self.loop.name).items() if name != QUIET),
              "the originals")
    summary = stop()
    did = [(d["tunable"], d["new"], d["law"], d["reason"]) for d in self.briod.decisions()]
    lines = self.replay()
    self.assertEqual(did, [(c["tunable"], c["new"], c["law"], c["reason"]) for c in lines if c["type"] == "change"])
    self.assertGreaterEqual(len(did), 2)
    self.assertEqual((summary["events"], summary["events_lost"]), (lines[-1]["events"], lines[-1]["events_lost"]))

  def test_a_drive_is_looked_at_request_by_request_while_it_is_recorded(self):
    stop = self.record()
    self.wait(lambda: self.briod.get("AttentionReason", self.loop.name) == "recording", "attention")
    self.assertEqual(2, self.briod.get("AttentionLevel"))
    stop()
    self.wait(lambda: not self.briod.get("AttentionReason", self.loop.name), "the end of it")

  def test_why_it_is_looked_at_so_closely_is_a_reason_that_still_holds(self):
    stop = self.record()
    self.wait(lambda: self.briod.get("AttentionReason", self.loop.name) == "recording", "attention")
    with brio.Readers(f"/dev/{self.loop.name}", READERS, pause_s=0.2):
      self.wait(lambda: self.briod.tunable(self.loop.name, "slice_idle_us")[3] == "brio", "a setting")
      self.assertEqual("recording", self.briod.get("AttentionReason", self.loop.name))
      self.assertEqual([{"id": "recording"}], self.briod.get("AttentionReasonData", self.loop.name))
      stop()
      self.wait(lambda: self.briod.get("AttentionReason", self.loop.name).startswith("many-sync: "), "the reason that is left")

  def test_every_request_of_a_process_is_in_it(self):
    stop = self.record()
    self.wait(lambda: self.briod.get("AttentionReason", self.loop.name) == "recording", "attention")
    subprocess.run(["fio", "--name=counted", f"--filename=/dev/{self.loop.name}", "--rw=randread", "--bs=4k", "--direct=1", "--thread",
                    "--size=256m", f"--number_ios={REQUESTS}", "--rate_iops=2000", "--randseed=7"], check=True, stdout=subprocess.DEVNULL)
    self.assertEqual(0, stop()["events_lost"])
    _, drives, items = recordings.read(self.path.read_bytes())
    major, minor = (int(n) for n in drives[0]["device"].split(":"))
    fio = {item["tgid"] for item in items if item["kind"] == "name" and item["fields"][1] == "fio"}
    queued = [item for item in items if item["kind"] == "queue" and item["tgid"] in fio and item["fields"][1:] == [SECTORS, 0]]
    self.assertEqual(REQUESTS, len(queued))
    self.assertEqual({major << 20 | minor}, {item["dev"] for item in queued})
    asked = {item["fields"][0] for item in queued}
    done = [item for item in items if item["kind"] == "complete" and item["fields"][0] in asked]
    # A kernel that runs no BPF program in an interrupt of process 1 keeps a completion to itself now and then (docs/sources.md).
    self.assertGreaterEqual(sum(item["fields"][1] for item in done), (1 - TOLERANCE) * REQUESTS * SECTORS)


if __name__ == "__main__":
  unittest.main()
