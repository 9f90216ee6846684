# SPDX-License-Identifier: GPL-3.0-or-later
"""A processor that goes and comes back while single requests are looked at."""
from machine.attached import HDD

from .base import GuestTest

CONFIG = "/etc/brio/briod.conf"
READS = 4000
ONLINE = "/sys/devices/system/cpu/cpu1/online"
# The guest's own time: what goes between two commands is long, and the processor is to be away in the midst of the reads.
AWAY = f"sleep 1; echo 0 >{ONLINE}; sleep 1; echo 1 >{ONLINE}"


class Cpus(GuestTest):
  def setUp(self):
    super().setUp()
    if not self.guest.exists(ONLINE):
      self.skipTest("the guest's second processor cannot be taken away")
    self.addCleanup(self.guest.shell, f"echo 1 >{ONLINE}")

  def use(self, source):
    self.addCleanup(self.guest.shell, f"sed -i 's/^Source={source}/#Source=auto/' {CONFIG}; systemctl restart briod")
    self.guest.shell(f"sed -i 's/^#Source=auto/Source={source}/' {CONFIG} && systemctl restart briod")

  def counters(self):
    return self.brioctl("status")["counters"]

  def counted(self, pid):
    """How many of a process's reads briod has seen so far; 0: it does not look at single requests yet."""
    processes = self.brioctl("top", "--count", "1")["processes"]
    return next((p["reads"] for p in processes if p["pid"] == pid and "reads" in p), 0)

  def reads_are_counted(self, source):
    self.use(source)
    name = self.guest.device(HDD)
    self.readers(HDD)
    self.guest.wait(lambda: self.drive(HDD)["attention_reason"], "a look at the single requests")
    away = self.guest.start(f"sh -c '{AWAY}'")  # while fio reads: it takes four seconds
    pid = self.guest.start(f"fio --name=counted --filename=/dev/{name} --readonly --rw=read --bs=4k --direct=1 --thread --rate_iops=1000 "
                           f"--io_size={READS * 4}k --output=/dev/null --exec_postrun='sleep 600'")
    lost = self.counters()["events_lost"]
    self.guest.wait(lambda: self.counted(pid) + self.counters()["events_lost"] - lost >= READS * 0.999, "fio's reads, or the word that they were lost")
    self.assertLessEqual(self.counted(pid), READS * 1.001)
    self.assertIsNotNone(self.guest.agent.poll(away), "the processor is back")
    self.guest.run("pkill", "-KILL", "fio")
    self.assert_no_complaint()
    self.assert_same_process()

  def test_tracefs_loses_no_request_unsaid_while_a_processor_is_away(self):
    self.reads_are_counted("tracefs")

  def test_bpf_loses_no_request_unsaid_while_a_processor_is_away(self):
    self.reads_are_counted("bpf")
