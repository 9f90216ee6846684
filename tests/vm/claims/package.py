# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages come, are renewed, and go."""
import re

from machine.attached import HDD

from .base import GuestTest

DEBS = "/mnt/packages/*.deb"
NAMES = "briod brioctl brio-dashboard"
# What changes by itself, and what a package manager leaves of every package.
PASSING = re.compile(r"^/(tmp|home|root|mnt|var/(log|cache|tmp|lib/(apt|dpkg|systemd/(timers|random-seed|catalog)|private)))\b|/__pycache__")


def take_stock(guest):
  """What is on the machine: files, users and groups, units."""
  files = guest.shell("find / -xdev -printf '%p\\n' | sort").splitlines()
  return {
    "files": [f for f in files if not PASSING.search(f)],
    "users": guest.shell("getent passwd; getent group"),
    "units": guest.shell("systemctl list-unit-files --no-legend --no-pager --full | grep -v -e '-\\.' | sort"),
  }


def install(guest):
  guest.shell(f"apt-get install --yes {DEBS}", timeout_s=300)


class Package(GuestTest):
  def settled(self):
    self.wait_scheduler(HDD, "bfq")

  def test_1_a_renewal_goes_on_with_the_originals(self):
    before = self.without_brio(HDD)
    self.settled()
    pid = self.unit("MainPID")
    self.guest.shell(f"apt-get install --yes --reinstall {DEBS}", timeout_s=300)
    self.guest.wait(lambda: self.unit("MainPID") not in ("0", pid), "the new briod")
    self.settled()
    self.brioctl("restore")
    self.assertEqual(before, self.settings(HDD))

  def test_2_a_removal_puts_everything_back(self):
    before = self.without_brio(HDD)
    self.settled()
    self.guest.shell(f"apt-get remove --yes {NAMES}", timeout_s=300)
    self.addCleanup(install, self.guest)
    self.assertEqual(before, self.settings(HDD))
    self.assertEqual("", self.guest.shell("ps -C briod -o pid= || true"))
    self.assertEqual("", self.guest.shell("systemctl --failed --no-legend --plain"))

  def test_3_a_purge_leaves_nothing(self):
    """The last claim of all: what would install the packages again takes half a minute, and nobody uses them."""
    self.settled()
    self.guest.shell(f"apt-get purge --yes {NAMES}", timeout_s=300)
    after = take_stock(self.guest)
    self.assertEqual([], sorted(set(after["files"]) - set(self.before["files"])))
    self.assertEqual([], sorted(set(self.before["files"]) - set(after["files"])))
    self.assertEqual(self.before["users"], after["users"])
    self.assertEqual(self.before["units"], after["units"])
