#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each capability that the unit leaves to briod is for: it is taken away, and what is missed says so."""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402

ADVISE = ("--mode", "advise")  # nothing is written to this machine's drives
STATES = ("works", "unneeded", "reduced", "unavailable")
# The sources that miss each; on no machine does that of CAP_SYS_NICE.
MISSED = {"CAP_SYS_PTRACE": "processes", "CAP_DAC_READ_SEARCH": "processes", "CAP_NET_ADMIN": "taskstats", "CAP_SYS_RESOURCE": "psi",
          "CAP_BPF": "bpf", "CAP_PERFMON": "bpf"}
# linux/capability.h
NUMBERS = {"CAP_DAC_READ_SEARCH": 2, "CAP_NET_ADMIN": 12, "CAP_SYS_PTRACE": 19, "CAP_SYS_NICE": 23, "CAP_SYS_RESOURCE": 24, "CAP_PERFMON": 38, "CAP_BPF": 39}
STRANGER = 65534


UNIT = (SOURCE / "data/briod.service.in").read_text()


def kept():
  """What the unit leaves."""
  return re.search(r"^CapabilityBoundingSet=(.*)$", UNIT, re.M)[1].split()


def ours():
  """What there is to be taken away: a container may lack some."""
  mask = int(re.search(r"^CapBnd:\s+(\w+)$", Path("/proc/self/status").read_text(), re.M)[1], 16)
  return [name for name in kept() if mask & 1 << NUMBERS[name]]


def prefix(without=None):
  """A command that runs another one as the unit does, but for that capability."""
  names = [name.removeprefix("CAP_").lower() for name in ours() if name != without]
  return ("setpriv", "--bounding-set", ",".join(["-all", *(f"+{name}" for name in names)]), "--inh-caps", "-all", "--no-new-privs")


class Calls(unittest.TestCase):
  def test_the_unit_leaves_openat2_without_which_nothing_is_learnt(self):
    """systemd refuses it as a whole where it restricts modes: they are behind a pointer (seccomp_restrict_suid_sgid())."""
    self.assertNotRegex(UNIT, r"(?m)^RestrictSUIDSGID=")


@unittest.skipIf(os.geteuid() != 0, "needs root")
class Capabilities(unittest.TestCase):
  def sources(self, without=None):
    with brio.Bus() as bus, brio.Briod(bus, *ADVISE, prefix=prefix(without)) as briod:
      return {name: (STATES.index(state), note) for name, state, note in briod.get("Sources")}

  def test_each_capability_of_the_unit_is_missed_by_something(self):
    self.assertEqual(set(kept()), {*MISSED, "CAP_SYS_NICE"})

  def test_a_source_whose_capability_is_taken_away_works_less_well_and_names_it(self):
    with_all = self.sources()
    for capability in set(MISSED) & set(ours()):
      source = MISSED[capability]
      without = self.sources(capability)
      with self.subTest(capability=capability, source=source):
        if with_all[source][0] == STATES.index("unavailable"):
          continue  # this kernel has none
        self.assertGreater(without[source][0], with_all[source][0], without[source])
        self.assertIn(capability, without[source][1])

  def test_another_users_priority_is_set_with_the_right_to_it_alone(self):
    with subprocess.Popen(["setpriv", "--reuid", str(STRANGER), "--clear-groups", "sleep", "600"]) as stranger:
      try:
        brio.wait_for(lambda: os.stat(f"/proc/{stranger.pid}").st_uid == STRANGER, "the other user")
        lower = ("ionice", "-c", "2", "-n", "7", "-p", str(stranger.pid))
        self.assertNotEqual(0, subprocess.run([*prefix("CAP_SYS_NICE"), *lower], stderr=subprocess.DEVNULL, check=False).returncode)
        self.assertEqual(0, subprocess.run([*prefix(), *lower], check=False).returncode)
      finally:
        stranger.kill()


if __name__ == "__main__":
  unittest.main(verbosity=2)
