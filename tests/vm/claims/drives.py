# SPDX-License-Identifier: GPL-3.0-or-later
"""The drives that are there from the start."""
from machine.attached import HDD, NVME, SSD

from .base import GuestTest

CLASSES = {HDD: "hdd", SSD: "ssd", NVME: "nvme"}


class Drives(GuestTest):
  def test_the_udev_rule_makes_each_drive_want_the_service(self):
    # The drives were there before the rule was installed.
    self.guest.shell("udevadm trigger --subsystem-match=block --action=add && udevadm settle")
    for kind in CLASSES:
      name = self.guest.device(kind)
      properties = self.guest.shell(f"udevadm info --query=property /dev/{name}").splitlines()
      tags = next(p for p in properties if p.startswith("TAGS="))
      wants = next((p for p in properties if p.startswith("SYSTEMD_WANTS=")), "")
      self.assertIn(":systemd:", tags, name)
      self.assertIn("dbus-org.brio.Brio1.service", wants.partition("=")[2].split(), name)

  def test_each_drive_has_its_class(self):
    for kind, wanted in CLASSES.items():
      drive = self.drive(kind)
      self.assertEqual(wanted, drive["class"], f"{kind.serial}: {drive['class_reason']}")
    self.assertEqual("virtual", self.brioctl("devices", "vda")["class"])

  def test_a_disk_with_heads_gets_bfq_though_the_kernel_has_it_as_a_module(self):
    self.wait_scheduler(HDD, "bfq")
    self.assertEqual("brio", self.drive(HDD)["tunables"]["scheduler"]["owner"])

  def test_a_drive_of_a_virtual_machine_is_left_alone(self):
    owners = {t["owner"] for t in self.brioctl("devices", "vda")["tunables"].values()}
    self.assertNotIn("brio", owners)

  def test_a_scsi_disk_has_a_queue_depth_that_can_be_set(self):
    path = f"/sys/block/{self.guest.device(HDD)}/device/queue_depth"
    depth = self.guest.read(path)
    self.addCleanup(self.guest.shell, f"echo {depth} >{path}")
    self.guest.shell(f"echo 16 >{path}")
    self.assertEqual("16", self.guest.read(path))
    self.assert_same_process()
