# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages come, are renewed, and go."""
import re

from machine import releases
from machine.attached import HDD

from .base import GuestTest

DEBS = "/mnt/packages/*.deb"
# The same packages with a higher version.
NEXT = "/tmp/next"
MAKE_NEXT = f"""
rm -rf {NEXT} && mkdir {NEXT} && cd {NEXT}
for deb in {DEBS}; do
  dpkg-deb --raw-extract "$deb" tree
  version=$(dpkg-deb --field "$deb" Version)
  sed -i "s/\\b$version\\b/$version+next/" tree/DEBIAN/control
  dpkg-deb --root-owner-group -Znone --build tree "$(basename "$deb")"
  rm -r tree
done
"""
# The packages' own tests, as autopkgtest would find them; they are to print nothing to their standard error.
TESTS = releases.SOURCE / "debian/tests"
TESTS_THERE = "/tmp/tests"
TEST_S = 300
# What changes by itself, and what a package manager leaves of every package.
PASSING = re.compile(r"^/(tmp|home|root|mnt|var/(log|cache|tmp|lib/(apt|dpkg|systemd/(timers|random-seed|catalog)|private)))\b|/__pycache__")


def take_stock(guest):
  """What is on the machine: files, users and groups, units."""
  files = guest.shell("find / -xdev -printf '%p\\n' | sort").splitlines()
  return {
    "running": guest.shell("find /run /dev/shm /sys/fs/bpf /sys/kernel/tracing/instances -name '*brio*'"),
    "files": [f for f in files if not PASSING.search(f)],
    "users": guest.shell("getent passwd; getent group"),
    "units": guest.shell("systemctl list-unit-files --no-legend --no-pager --full | grep -v -e '-\\.' | sort"),
  }


def install(guest):
  guest.shell(f"apt-get install --yes {DEBS}", timeout_s=300)


class Package(GuestTest):
  def settled(self):
    self.wait_scheduler(HDD, "bfq")

  def pass_own_test(self, name):
    for path in TESTS.iterdir():
      self.guest.run("sh", "-c", f"mkdir -p {TESTS_THERE} && cat >{TESTS_THERE}/{path.name} && chmod +x {TESTS_THERE}/{path.name}",
                     text_in=path.read_text())
    done = self.guest.run(f"{TESTS_THERE}/{name}", timeout_s=TEST_S)
    self.assertEqual((0, ""), (done.status, done.err), done.out)

  def test_the_packages_own_test_of_tuning_passes(self):
    self.pass_own_test("tune")
    self.assert_no_complaint()

  def test_an_upgrade_while_a_law_is_in_force_goes_on_with_the_originals(self):
    before = self.without_brio(HDD)
    self.settled()
    self.guest.shell(MAKE_NEXT, timeout_s=300)
    readers = self.readers(HDD)
    self.guest.wait(lambda: self.held(HDD), "a setting to change under load")
    pid = self.unit("MainPID")
    self.guest.shell(f"apt-get install --yes {NEXT}/*.deb", timeout_s=300)
    self.assertNotIn(self.unit("MainPID"), ("0", pid), "the new briod")
    self.guest.wait(lambda: self.held(HDD), "a setting to change under the same load")
    self.guest.stop(readers)
    self.guest.wait(lambda: not self.held(HDD), "the setting to return after the load")
    self.brioctl("restore")
    self.assertEqual(before, self.settings(HDD))
    self.assert_no_complaint()

  def test_a_removal_puts_everything_back_and_a_purge_leaves_nothing(self):
    """The last claim of all: what would install the packages again takes half a minute, and no claim uses them."""
    before = self.without_brio(HDD)
    self.settled()
    self.pass_own_test("purge")
    self.assertEqual(before, self.settings(HDD))
    self.assertEqual("", self.guest.shell("systemctl list-units --failed --no-legend --plain --full '*brio*'"))
    after = take_stock(self.guest)
    self.assertEqual([], sorted(set(after["files"]) - set(self.before["files"])))
    self.assertEqual([], sorted(set(self.before["files"]) - set(after["files"])))
    for what in ("users", "units", "running"):
      self.assertEqual(self.before[what], after[what])
