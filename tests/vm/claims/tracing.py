# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's block events, which a locked-down kernel does not give."""
from machine.attached import HDD

from .base import GuestTest

TRACE = "blktrace -d /dev/{0} -w 20 -o - | blkparse -q -i - -f '%a %S %n %C\\n' >/tmp/brio-events"


class Tracing(GuestTest):
  def test_blktrace_reads_who_read_what(self):
    name = self.guest.device(HDD)
    trace = self.guest.start(f"timeout --signal=INT 60 sh -c \"{TRACE.format(name)}\"")
    sector = 204800
    read = f"dd if=/dev/{name} of=/dev/null bs=4k count=1 skip={sector // 8} iflag=direct status=none"
    while self.guest.agent.poll(trace) is None:
      self.guest.shell(read)
    events = self.guest.read("/tmp/brio-events").splitlines()
    for action in "QDC":
      self.assertTrue(any(e.startswith(f"{action} {sector} 8") for e in events), f"no {action} event of sector {sector}")
    self.assertIn(f"Q {sector} 8 dd", events)

  def test_every_source_works(self):
    self.assertIn("sysctl kernel.task_delayacct=1", {s["name"]: s["note"] for s in self.brioctl("probe")}["taskstats"])
    self.guest.shell("echo 1 >/proc/sys/kernel/task_delayacct")
    self.addCleanup(self.guest.shell, "echo 0 >/proc/sys/kernel/task_delayacct")
    states = {source["name"]: (source["state"], source["note"]) for source in self.brioctl("probe")}
    self.assertEqual({}, {name: state for name, state in states.items() if state[0] != "works"})
