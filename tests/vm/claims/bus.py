# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may do what, on the real system bus with polkit."""
from machine.attached import HDD

from .base import GuestTest

USER = "tester"


class Bus(GuestTest):
  def test_an_ordinary_user_may_look(self):
    name = self.guest.device(HDD)
    for arguments in (("status",), ("devices", name), ("explain", name), ("decisions",), ("probe",), ("metrics",), ("mode",)):
      done = self.guest.run_as(USER, "brioctl", *arguments)
      self.assertEqual((0, ""), (done.status, done.err), arguments)

  def test_an_ordinary_user_may_not_act(self):
    self.wait_scheduler(HDD, "bfq")
    before = self.settings(HDD)
    for arguments in (("mode", "off"), ("restore",), ("apply", "a1"), ("undo", "a1"), ("hold", "pause", "--", "true")):
      done = self.guest.run_as(USER, "brioctl", *arguments)
      self.assertEqual(1, done.status, f"{arguments}: {done.text}")
      self.assertRegex(done.err, "(?i)authori|permi|allowed|authenti", arguments)
    self.assertEqual("auto", self.brioctl("mode")["mode"])
    self.assertEqual(before, self.settings(HDD))

  def test_root_may_act(self):
    self.wait_scheduler(HDD, "bfq")
    self.assertEqual(0, self.brioctl("restore")["failed"])
    self.wait_switched_back()
    self.brioctl("mode", "auto")
    self.wait_scheduler(HDD, "bfq")
    # What laws set once it has bfq is newer.
    switch = [d for d in self.brioctl("decisions", "--device", self.guest.device(HDD)) if d["tunable"] == "scheduler"][-1]
    self.assertEqual("bfq", switch["new"])
    self.brioctl("undo", switch["id"])
    self.wait_switched_back()

  def wait_switched_back(self):
    """Not at once where the drive was not quiet until now."""
    self.guest.wait_shell(f"! grep -F '[bfq]' {self.queue(HDD)}/scheduler", "another scheduler than bfq")

  def test_no_other_user_may_own_the_name(self):
    done = self.guest.run_as(USER, "busctl", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                             "RequestName", "su", "org.brio.Brio1", "4")
    self.assertNotEqual(0, done.status)
    self.assertIn("denied", done.text.lower().replace("not allowed", "denied"))
