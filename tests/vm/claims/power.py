# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends of the whole machine, wanted and not. Settings in /sys do not outlive one; what briod noted of them must not, either."""
from machine.attached import HDD

from .base import WITHOUT_LOAD, GuestTest

ORIGINALS = "/var/lib/brio/originals"
TRIED = {"measuring", "unproven", "probing"}  # not decided yet


class Power(GuestTest):
  def trials(self, kind):
    return {law["trial"] for law in self.drive(kind)["laws"] if law["tunables"] and law["law"] not in WITHOUT_LOAD}

  def test_after_a_power_loss_the_old_originals_are_dropped(self):
    """An original of the earlier boot (here: an administrator's "none") must not be written over this boot's."""
    self.guest.shell("systemctl stop briod")
    kernels = self.scheduler(HDD)
    self.assertNotEqual("none", kernels)
    self.guest.shell(f"echo none >{self.queue(HDD)}/scheduler; systemctl start briod")
    self.wait_scheduler(HDD, "bfq")
    self.assertEqual("none", self.drive(HDD)["tunables"]["scheduler"]["initial"])
    self.assertTrue(self.guest.exists(ORIGINALS))
    self.guest.power_loss()
    self.guest.wait(lambda: self.unit("ActiveState") == "active", "the start of briod after the power loss")
    self.wait_scheduler(HDD, "bfq")
    self.assertEqual(kernels, self.drive(HDD)["tunables"]["scheduler"]["initial"])
    self.brioctl("restore")
    self.assertEqual(kernels, self.scheduler(HDD))
    self.assertFalse(self.guest.exists(ORIGINALS))

  def test_after_a_power_loss_in_a_trial_the_new_boots_settings_stand(self):
    self.wait_scheduler(HDD, "bfq")
    kernels = self.without_brio(HDD)
    self.wait_scheduler(HDD, "bfq")
    self.readers(HDD)
    # A law that is not tried may have set something before: readahead, while the drive was quiet.
    self.guest.wait(lambda: self.trials(HDD) & TRIED, "a trial to begin under load")
    self.guest.power_loss()
    self.guest.wait(lambda: self.unit("ActiveState") == "active", "the start of briod after the power loss")
    self.assertNotIn("damaged", self.guest.shell("journalctl --boot=0 -u briod --no-pager --output=cat"))
    self.guest.shell("systemctl stop briod")
    self.assertEqual(kernels, self.settings(HDD))
    self.assertFalse(self.guest.exists(ORIGINALS))

  def test_an_orderly_end_of_the_machine_restores_in_time(self):
    self.wait_scheduler(HDD, "bfq")
    self.guest.reboot()
    earlier = self.guest.shell("journalctl --boot=-1 -u briod -u init.scope --no-pager --output=cat")
    self.assertIn("Deactivated successfully", earlier)
    self.assertNotIn("timed out", earlier)
    self.assertNotIn("left by an earlier run", self.guest.shell("journalctl --boot=0 -u briod --no-pager --output=cat"))
