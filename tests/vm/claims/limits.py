# SPDX-License-Identifier: GPL-3.0-or-later
"""What bounds briod, and what a drive that does not answer can do to it, under systemd."""
import re

from machine.attached import HDD, SSD

from .base import GuestTest

ORIGINALS = "/var/lib/brio/originals"
GROUP = "/sys/fs/cgroup/system.slice/briod.service"
# Ends once briod's control group has ended.
HOG = f"echo max >{GROUP}/memory.high; echo $$ >{GROUP}/cgroup.procs; exec perl -e 'push @all, \"x\" x 1e6 while 1'"
# The sources that miss each of the unit's capabilities; priorities miss CAP_SYS_NICE.
MISSED = {"CAP_SYS_PTRACE": "processes", "CAP_DAC_READ_SEARCH": "processes", "CAP_NET_ADMIN": "taskstats", "CAP_SYS_RESOURCE": "psi",
          "CAP_BPF": "bpf", "CAP_PERFMON": "bpf"}
STATES = ("works", "unneeded", "reduced", "unavailable")
# Pressure triggers need it from Linux 5.13 to 6.3; later kernels only have windows of two seconds without.
NEEDED = {"CAP_SYS_RESOURCE": (6, 3)}
FROZEN = "/var/tmp/brio-frozen"
SUSPENDED = "brio-suspended"
OTHERS = (HDD, SSD)


class Limits(GuestTest):
  def sources(self):
    return {source["name"]: source for source in self.brioctl("probe")}

  def test_a_unit_that_takes_too_much_memory_ends_has_its_settings_put_back_and_starts_anew(self):
    before = self.without_brio(HDD)
    self.wait_scheduler(HDD, "bfq")
    self.assertEqual("134217728", self.guest.read(f"{GROUP}/memory.max"))
    pid = self.unit("MainPID")
    self.guest.run("sh", "-c", HOG)
    self.guest.wait(lambda: self.unit("MainPID") not in (pid, "0") and self.unit("ActiveState") == "active", "the new start")
    self.assertIn("oom-kill", self.journal())
    self.wait_scheduler(HDD, "bfq")
    self.brioctl("restore")
    self.assertEqual(before, self.settings(HDD))
    self.guest.shell("systemctl restart briod")

  def test_each_capability_is_missed_where_it_is_taken_away(self):
    kept = re.search(r"^CapabilityBoundingSet=(.*)$", self.guest.shell("systemctl cat briod"), re.M)[1].split()
    self.assertEqual({*MISSED, "CAP_SYS_NICE"}, set(kept))
    kernel = tuple(int(n) for n in self.guest.shell("uname -r").split(".")[:2])
    with_all = self.sources()
    self.addCleanup(self.restore_unit)
    for capability, source in MISSED.items():
      if with_all[source]["state"] == "unavailable":
        continue  # this kernel has none
      self.change_unit(f"CapabilityBoundingSet=~{capability}")
      without = self.sources()[source]
      with self.subTest(capability=capability):
        if kernel <= NEEDED.get(capability, kernel):
          self.assertGreater(STATES.index(without["state"]), STATES.index(with_all[source]["state"]), without)
        self.assertNotEqual(with_all[source]["note"], without["note"])

  def test_another_users_priority_is_set_with_cap_sys_nice_alone(self):
    self.guest.start("runuser -u tester -- sleep 600")
    self.addCleanup(self.guest.run, "pkill", "-KILL", "-u", "tester", "sleep")
    pid = self.guest.wait(lambda: self.guest.run("pgrep", "-u", "tester", "sleep").out.strip(), "the other user's process")
    kept = self.unit("CapabilityBoundingSet")
    for names, works in ((kept, True), (kept.replace("cap_sys_nice", ""), False)):
      done = self.guest.run("systemd-run", "--quiet", "--wait", f"--property=CapabilityBoundingSet={names}", "ionice", "-c", "2", "-n", "7", "-p", pid)
      self.assertEqual(works, done.status == 0, done.text)

  def lay_drive(self, backing):
    """A loop device that briod takes for a disk once it is told to, on what losetup is given; returns its name."""
    path = self.guest.shell(f"losetup --find --show {backing}")
    self.addCleanup(self.guest.shell, f"losetup --detach {path}")
    name = path.rpartition("/")[2]
    self.guest.shell(f"echo mq-deadline >/sys/block/{name}/queue/scheduler")
    return name

  def start_with(self, name):
    """Starts briod, which has bfq on that drive and on the others when this returns."""
    command = re.search(r"^ExecStart=(\S+)", self.guest.shell("systemctl cat briod"), re.M)[1]
    self.addCleanup(self.restore_unit)
    self.change_unit(f"ExecStart=\nExecStart={command} --include={name}=hdd")
    for drive in (name, *map(self.guest.device, OTHERS)):
      self.guest.wait_shell(f"grep -F '[bfq]' /sys/block/{drive}/queue/scheduler", f"bfq on {drive}")

  def silence(self, name, begin, end):
    """One write to that drive is under way when this returns, and stays so until `end`."""
    self.guest.shell(begin)
    self.addCleanup(self.guest.shell, f"{end} 2>/dev/null || true")
    self.guest.start(f"dd if=/dev/zero of=/dev/{name} bs=4k count=1 oflag=direct")
    self.guest.wait_shell(f"! grep -qx ' *0 *0' /sys/block/{name}/inflight", "a write that does not end")

  def assert_costs_no_other(self, backing, begin, end):
    """Of a drive on that, which answers nothing more from `begin` to `end`."""
    self.guest.shell("systemctl stop briod")
    kernels = [self.settings(kind) for kind in OTHERS]
    name = self.lay_drive(backing)
    own = self.settings_of(name)
    self.start_with(name)
    self.silence(name, begin, end)
    self.brioctl("restore", self.guest.device(HDD))
    self.assertEqual(kernels[0], self.settings(HDD))
    self.brioctl("mode", "auto")
    self.wait_scheduler(HDD, "bfq")
    pid = self.unit("MainPID")
    self.guest.shell("systemctl stop briod")
    # briod itself ended in order; what ExecStopPost= had to leave is a failure that systemd shows.
    self.assertIn("status=1", self.guest.shell("systemctl show --property ExecStopPost briod | tr ' ' '\\n'"))
    self.assertEqual(("0", "failed"), (self.unit("ExecMainStatus"), self.unit("ActiveState")))
    self.assertFalse(self.guest.exists(f"/proc/{pid}"))
    self.assertIn(f"{name}: the drive does not answer", self.journal())
    self.assertIn(f"\t{name}\t", self.guest.read(ORIGINALS))
    self.assertEqual(kernels, [self.settings(kind) for kind in OTHERS])
    self.guest.shell(end)
    self.guest.shell("systemctl start briod && brioctl restore")
    self.assertEqual(own, self.settings_of(name))
    self.assertFalse(self.guest.exists(ORIGINALS))

  def test_a_drive_that_is_frozen_costs_no_other(self):
    self.guest.shell(f"mkdir -p {FROZEN} && truncate -s 256M {FROZEN}.img && mkfs.ext4 -q -F {FROZEN}.img && mount -o loop {FROZEN}.img {FROZEN} && "
                     f"truncate -s 64M {FROZEN}/drive")
    self.addCleanup(self.guest.shell, f"umount {FROZEN}; rm -r {FROZEN} {FROZEN}.img")
    self.assert_costs_no_other(f"{FROZEN}/drive", f"fsfreeze --freeze {FROZEN}", f"fsfreeze --unfreeze {FROZEN}")

  def test_a_suspended_dm_device_costs_no_other_drive(self):
    """Not even the one that it lies on."""
    self.guest.shell(f"modprobe dm_mod && dmsetup create {SUSPENDED} --table '0 131072 linear /dev/{self.guest.device(SSD)} 0'")
    self.addCleanup(self.guest.shell, f"dmsetup remove --retry {SUSPENDED}")
    # Past the page cache, where a write would end.
    self.assert_costs_no_other(f"--direct-io=on /dev/mapper/{SUSPENDED}", f"dmsetup suspend {SUSPENDED}", f"dmsetup resume {SUSPENDED}")
