# SPDX-License-Identifier: GPL-3.0-or-later
"""The unit, its sandbox, and its ends."""
from machine.attached import HDD

from .base import GuestTest

EXPOSURE_MAX = 1.9
SOCKETS = "briod-drives.socket briod-processes.socket"
ORIGINALS = "/var/lib/brio/originals"


class Service(GuestTest):
  def test_the_installed_unit_is_enabled_active_and_never_failed(self):
    self.assertEqual(("enabled", "active", "0"), (self.unit("UnitFileState"), self.unit("ActiveState"), self.unit("NRestarts")))

  def test_systemd_rates_its_exposure_low(self):
    done = self.guest.run("systemd-analyze", "security", f"--threshold={EXPOSURE_MAX * 10:.0f}", "--no-pager", "briod")
    self.assertEqual(0, done.status, done.text.strip().splitlines()[-1])

  def test_a_whole_cycle_works_inside_the_sandbox(self):
    before = self.without_brio(HDD)
    self.wait_scheduler(HDD, "bfq")
    readers = self.readers(HDD)
    self.guest.wait(lambda: self.held(HDD), "a setting to change under load")
    self.guest.stop(readers)
    self.guest.wait(lambda: not self.held(HDD), "the setting to return after the load")
    self.brioctl("restore")
    self.assertEqual(before, self.settings(HDD))
    self.assertFalse(self.guest.exists(ORIGINALS))
    self.assert_no_complaint()
    self.assert_same_process()

  def test_a_stop_puts_everything_back(self):
    before = self.without_brio(HDD)
    self.wait_scheduler(HDD, "bfq")
    self.readers(HDD)
    self.guest.wait(lambda: self.held(HDD), "a setting to change under load")
    self.guest.shell("systemctl stop briod")
    self.assertEqual(before, self.settings(HDD))
    self.assertFalse(self.guest.exists(ORIGINALS))
    self.assertEqual("success", self.unit("Result"))

  def test_after_a_kill_systemd_starts_it_anew_and_the_originals_are_kept(self):
    before = self.without_brio(HDD)
    self.wait_scheduler(HDD, "bfq")
    pid = self.unit("MainPID")
    self.guest.shell(f"kill -KILL {pid}")
    self.guest.wait(lambda: self.unit("MainPID") not in (pid, "0") and self.unit("ActiveState") == "active", "the new start")
    self.assertIn("left by an earlier run", self.journal())
    self.wait_scheduler(HDD, "bfq")
    self.brioctl("restore")
    self.assertEqual(before, self.settings(HDD))

  def test_what_it_hears_through_ends_with_it_and_starts_nothing(self):
    """Also where it ends by itself, so that systemd could start it again with the next uevent or birth of a process."""
    for end in ("systemctl stop briod", "kill -TERM $(systemctl show --property MainPID --value briod)"):
      self.guest.shell("systemctl start briod")
      self.assertEqual("active\nactive", self.guest.shell(f"systemctl is-active {SOCKETS}"))
      self.guest.shell(end)
      self.guest.wait_shell(f"[ \"$(systemctl is-active briod {SOCKETS} | sort -u)\" = inactive ]", "the end of briod and its sockets")
      self.guest.shell(f"udevadm trigger --settle --action=change --name-match=/dev/{self.guest.device(HDD)}")
      self.assertEqual("inactive", self.unit("ActiveState"))

  def test_a_call_on_the_bus_starts_it_only_while_it_is_enabled(self):
    call = ("busctl", "--timeout=30", "get-property", "org.brio.Brio1", "/org/brio/Brio1", "org.brio.Brio1.Manager", "Mode")
    self.guest.shell("systemctl disable --now briod")
    self.addCleanup(self.guest.shell, "systemctl enable briod")
    self.assertNotEqual(0, self.guest.run(*call).status)
    self.assertEqual("inactive", self.unit("ActiveState"))
    self.guest.shell("systemctl enable briod")
    done = self.guest.run(*call)
    self.assertEqual(0, done.status, done.text)
    self.assertEqual("active", self.unit("ActiveState"))
