#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""briod with the policies that it comes with, killed at random moments of all that it does, mostly while it holds priorities down: every
setting of the drive and every I/O priority is as it was, after a new start as after `briod --restore`.

BRIO_TEST_SAFETY_KILLS says how often (default: 20, `./dev test safety` takes 300), BRIO_TEST_SEED repeats the moments of an earlier run."""
import os
import random
import shutil
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
import readers  # noqa: E402

KILLS = int(os.environ.get("BRIO_TEST_SAFETY_KILLS", "20"))
SEED = int(os.environ.get("BRIO_TEST_SEED", "20261121"))
CROWD = 60
LIFE_S = 6         # most of what it does is done for the first time by then
JUST_AFTER_S = 0.05
PATIENCE_S = 60
WHY_NOT = readers.why_not() or brio.why_no_readers()


# Three of five while priorities are lowered, one when anything is changed, one at any time.
AIMS = (lambda test: test.lowered, lambda test: test.lowered, lambda test: test.changed, lambda test: test.lowered, lambda test: None)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Kills(unittest.TestCase):
  """Under many readers, greedy ones and programs that start: what limits idling, shares turns, steps back, guards a start and tries
  what it set is at work."""

  def setUp(self):
    self.loop = self.enterContext(brio.Loop(scheduler="bfq"))
    self.state = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-state-", ignore_cleanup_errors=True))
    self.policies = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-policies-"))
    for policy in (SOURCE / "policies").glob("*.conf"):
      shutil.copy(policy, self.policies)
    # Trials begin at once, and what has stepped back may do so again soon.
    dropin = Path(self.policies, "10-hdd.conf.d")
    dropin.mkdir()
    (dropin / "test.conf").write_text("[Scheduler]\nQuietTime = 100ms\n[StepBack]\nPause = 100ms\n[Timing]\nHold = 200ms\nDwell = 200ms\n")
    self.bus = self.enterContext(brio.Bus())

  def new_briod(self, *options):
    others = [name for name in os.listdir("/sys/block") if name != self.loop.name]
    return brio.Briod(self.bus, "--include", f"{self.loop.name}=hdd", *(f"--exclude={name}" for name in others), *options, state=self.state,
                      policies=self.policies)

  def begin_load(self):
    self.crowd = self.enterContext(brio.Readers(f"/dev/{self.loop.name}", CROWD, pause_s=0.3))
    self.greedy = [self.enterContext(readers.Reader(f"/dev/{self.loop.name}", i)) for i in range(3)]

  def things(self):
    """All that it may have changed: by file, and by thread."""
    return self.loop.everything() | {tid: priority for reader in self.greedy for tid, priority in reader.priorities().items()}

  def changed(self):
    now = self.things()
    return {key: now.get(key) for key, value in self.before.items() if now.get(key) != value}

  def put_back(self, by_a_new_start):
    if by_a_new_start:
      with self.new_briod("--mode", "off") as again:
        self.assertEqual(0, again.stop(), again.text())
      return
    done = subprocess.run([brio.BUILD / "daemon/briod", "--restore", "--state-dir", self.state], capture_output=True, text=True, check=False)
    self.assertEqual(0, done.returncode, done.stderr)

  def lowered(self):
    """The threads whose priority is not what it was."""
    return [key for key in self.changed() if isinstance(key, int)]

  def live_and_die(self, chance, aim):
    """From its very start. aim: what is waited for, before it is killed within a moment; None: any time of its life."""
    doomed = self.new_briod()
    process = doomed.spawn()
    starter = readers.launch(f"/dev/{self.loop.name}", chance.uniform(0.2, 2))
    end = time.monotonic() + (PATIENCE_S if aim else chance.uniform(0, LIFE_S))
    while time.monotonic() < end and not (aim and aim()):
      time.sleep(0.01)
    time.sleep(chance.uniform(0, JUST_AFTER_S))
    self.assertIsNone(process.poll(), doomed.text())
    process.send_signal(signal.SIGKILL)
    process.wait()
    doomed.log.close()
    starter.kill()
    starter.wait()

  def test_whenever_it_is_killed_every_setting_and_priority_comes_back(self):
    print(f"# seed {SEED}, {KILLS} kills", flush=True)
    begin = time.monotonic()
    chance = random.Random(SEED)
    self.begin_load()
    self.before = self.things()
    kinds, harmed, lowered = set(), 0, 0
    for i in range(KILLS):
      self.live_and_die(chance, AIMS[i % len(AIMS)](self))
      left = self.changed()
      harmed += bool(left)
      lowered += bool(self.lowered())
      kinds |= {"ioprio" if isinstance(key, int) else key for key in left}
      self.put_back(by_a_new_start=i % 2)
      self.assertEqual({}, self.changed(), f"after kill {i}")
      self.assertFalse(Path(self.state, "originals").exists(), f"after kill {i}")
      self.assertTrue(self.crowd.running(), f"the load ended before kill {i}")
    print(f"## {KILLS} kills in {time.monotonic() - begin:.0f} s, seed {SEED}: after {harmed} something was left behind, of {', '.join(sorted(kinds))}; "
          f"{lowered} while priorities were lowered; each time all of {len(self.before)} settings and priorities came back", flush=True)
    self.assertGreaterEqual(lowered, KILLS // 2)


if __name__ == "__main__":
  unittest.main()
