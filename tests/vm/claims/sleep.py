# SPDX-License-Identifier: GPL-3.0-or-later
"""Suspend and resume."""
from machine.attached import HDD

from .base import GuestTest


class Sleep(GuestTest):
  def test_after_suspend_to_memory_it_goes_on_and_still_knows_the_originals(self):
    if "mem" not in self.guest.read("/sys/power/state").split():
      self.skipTest("the guest's kernel cannot suspend to memory")
    before = self.without_brio(HDD)
    self.wait_scheduler(HDD, "bfq")
    self.guest.suspend()
    self.guest.wake()
    self.assertEqual("bfq", self.scheduler(HDD))
    self.assert_same_process()
    self.brioctl("restore")
    self.assertEqual(before, self.settings(HDD))
