# SPDX-License-Identifier: GPL-3.0-or-later
"""What the claims share: the guest, and short ways to ask it."""
import json
import unittest

# Readers beside which law slice-share shortens the turns, few enough for an emulated processor. Each reads four times what would make it a small one
# (128 KiB a second), so that a slow guest changes nothing, and without a rhythm, which would be a player's.
READERS = 8
READ_KIB = 512
READS_PER_S = 2

DELAYS = "/proc/sys/kernel/task_delayacct" # since Linux 5.14, 0 by default; before it delays are always accounted
DROP_IN = "/run/systemd/system/briod.service.d/brio-test.conf"
WITHOUT_LOAD = {"scheduler", "idle-limit", "readahead"}  # laws that set what stands while a drive is quiet


class GuestTest(unittest.TestCase):
  """guest and before (the state of the machine without Brio's packages) are set by the runner."""
  guest = None
  before = None
  maxDiff = None

  def setUp(self):
    """Each claim begins with a running briod in mode auto, whatever the one before it did."""
    told = self.guest.shell(
      "systemctl reset-failed briod; systemctl start briod && brioctl mode auto >/dev/null && "
      "systemctl show --property NRestarts --value briod && "
      # At the moment of a message journalctl may find no end, and tells no cursor.
      "until journalctl --lines=1 --show-cursor --quiet | grep '^-- cursor: '; do sleep 0.1; done")
    self.restarts, _, cursor = told.partition("\n")
    self.cursor = cursor.rpartition("cursor: ")[2]

  def is_before(self, major, minor):
    """Of the guest's kernel."""
    numbers = self.guest.shell("uname -r").split(".")
    return (int(numbers[0]), int(numbers[1])) < (major, minor)

  def account_delays(self):
    """On any kernel."""
    if self.guest.exists(DELAYS):
      self.guest.shell(f"echo 1 >{DELAYS}")
      self.addCleanup(self.guest.shell, f"echo 0 >{DELAYS}")

  def unit(self, name):
    return self.guest.shell(f"systemctl show --property {name} --value briod")

  def change_unit(self, lines):
    """Until the end of the claim."""
    self.guest.run("sh", "-c", f"mkdir -p $(dirname {DROP_IN}) && cat >{DROP_IN}", text_in="[Service]\n" + lines + "\n")
    self.guest.shell("systemctl daemon-reload; systemctl reset-failed briod; systemctl restart briod")

  def restore_unit(self):
    self.guest.shell(f"rm -f {DROP_IN}; systemctl daemon-reload; systemctl reset-failed briod; systemctl restart briod")

  def brioctl(self, *arguments):
    return json.loads(self.guest.shell("brioctl --json " + " ".join(arguments)))

  def drive(self, kind):
    return self.brioctl("devices", self.guest.device(kind))

  def held(self, kind):
    """What laws have set for the load of the moment."""
    return [name for law in self.drive(kind)["laws"] if law["law"] not in WITHOUT_LOAD for name in law["tunables"]]

  def queue(self, kind):
    return f"/sys/block/{self.guest.device(kind)}/queue"

  def settings(self, kind):
    return self.settings_of(self.guest.device(kind))

  def settings_of(self, name):
    """Every setting of a drive, as `grep` shows it."""
    return self.guest.shell(f"cd /sys/block/{name}/queue && grep -r . . 2>/dev/null | sort")

  def scheduler(self, kind):
    words = self.guest.read(f"{self.queue(kind)}/scheduler").split()
    return next(w for w in words if w.startswith("[")).strip("[]")

  def wait_scheduler(self, kind, name):
    """Looks from inside the guest, where that costs least."""
    self.guest.wait_shell(f"grep -F '[{name}]' {self.queue(kind)}/scheduler", f"{name} on {kind.serial}")

  def without_brio(self, kind):
    """The settings of a drive while no briod runs."""
    self.guest.shell("systemctl stop briod")
    settings = self.settings(kind)
    self.guest.shell("systemctl start briod")
    return settings

  def readers(self, kind):
    """Starts processes that read here and there; returns what guest.stop() ends them by."""
    number = self.guest.start(
      f"fio --name=readers --filename=/dev/{self.guest.device(kind)} --rw=randread --bs={READ_KIB}k --numjobs={READERS} --readonly "
      f"--rate_iops={READS_PER_S} --rate_process=poisson --time_based --runtime=600 --output=/dev/null")
    self.addCleanup(self.guest.run, "pkill", "-KILL", "fio")
    return number

  def journal(self, *options):
    """briod's messages since the claim began."""
    return self.guest.shell(f"journalctl --after-cursor='{self.cursor}' -u briod --no-pager --output=cat {' '.join(options)}")

  def assert_no_complaint(self):
    self.assertEqual("", self.journal("--priority=warning"))

  def assert_same_process(self):
    self.assertEqual(("active", self.restarts), (self.unit("ActiveState"), self.unit("NRestarts")))
