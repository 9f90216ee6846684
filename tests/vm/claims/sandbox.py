# SPDX-License-Identifier: GPL-3.0-or-later
"""What the unit lets briod write."""
import re

from machine.attached import HDD

from .base import GuestTest


class Sandbox(GuestTest):
  def test_nothing_in_proc_and_sys_can_be_written_but_what_briod_writes(self):
    inside = f"nsenter --mount --target {self.unit('MainPID')} "
    queue = f"$(readlink -f /sys/block/{self.guest.device(HDD)}/queue)"
    for path in ("/proc/sys/vm/swappiness", "/proc/self/mem", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/sys/kernel/mm/ksm/run",
                 "/sys/module/printk/parameters/time", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/system.slice/cgroup.procs",
                 "/sys/fs/cgroup/system.slice/briod.service/memory.max", "/etc/passwd", "/usr/bin/brioctl"):
      done = self.guest.run("sh", "-c", f"{inside} sh -c ': >>{path}'")
      self.assertNotEqual(0, done.status, path)
      self.assertRegex(done.text, "Read-only|Permission|No such", path)
    for path in ("/proc/pressure/io", f"{queue}/nr_requests", f"{queue}/scheduler", "/sys/fs/cgroup/brio.slice/cgroup.procs", "/var/lib/brio/lock"):
      self.assertEqual("", self.guest.shell(f"{inside} sh -c ': >>{path}'"), path)

  def test_it_has_no_network_and_hears_of_drives_and_processes_all_the_same(self):
    """That drives are heard of is what a stick shows that comes and goes (hotplug.py)."""
    interfaces = re.findall(r"^\s*([^\s:]+):", self.guest.read(f"/proc/{self.unit('MainPID')}/net/dev"), re.M)
    self.assertEqual(["lo"], interfaces)
    self.account_delays()
    sources = {source["name"]: source for source in self.brioctl("probe")}
    for name in ("proc-connector", "taskstats"):
      self.assertEqual("works", sources[name]["state"], sources[name])
