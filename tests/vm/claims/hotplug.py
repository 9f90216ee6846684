# SPDX-License-Identifier: GPL-3.0-or-later
"""A USB stick that comes and goes."""
from machine.attached import STICK

from .base import GuestTest


class Hotplug(GuestTest):
  def plug(self):
    """Returns the drive as briod lists it."""
    self.guest.plug(STICK)
    self.addCleanup(self.unplug)
    name = self.guest.device(STICK)
    self.guest.wait(lambda: self.is_listed(name), f"{name} in the list")
    return self.drive(STICK)

  def unplug(self):
    name = self.guest.find_device(STICK)
    if name:
      self.guest.unplug(STICK)
      self.guest.wait(lambda: not self.is_listed(name), f"{name} to leave the list")

  def is_listed(self, name):
    return name in [drive["name"] for drive in self.brioctl("devices")]

  def test_a_stick_comes_and_goes(self):
    drive = self.plug()
    self.assertEqual("usb-stick", drive["class"], drive["class_reason"])
    self.unplug()
    self.assert_no_complaint()
    self.assert_same_process()

  def test_a_stick_pulled_out_with_changed_settings_comes_back_as_new(self):
    kernels = self.plug()["tunables"]["scheduler"]["initial"]
    self.wait_scheduler(STICK, "bfq")
    self.unplug()
    again = self.plug()
    self.assertEqual(kernels, again["tunables"]["scheduler"]["initial"])
    self.wait_scheduler(STICK, "bfq")
    self.brioctl("restore", again["name"])
    self.assertEqual(kernels, self.scheduler(STICK))
    self.assert_same_process()

  def test_a_stick_pulled_out_under_load_harms_nothing(self):
    self.plug()
    self.wait_scheduler(STICK, "bfq")
    self.readers(STICK)
    self.guest.wait(lambda: self.drive(STICK)["readers"] > 1, "readers on the stick")
    self.unplug()
    self.assertTrue(self.brioctl("status")["drives"])
    self.assert_same_process()

  def test_a_stick_starts_a_service_that_was_stopped(self):
    self.guest.shell("systemctl stop briod")
    self.guest.plug(STICK)
    self.addCleanup(self.unplug)
    self.guest.wait(lambda: self.unit("ActiveState") == "active", "the start of briod")
