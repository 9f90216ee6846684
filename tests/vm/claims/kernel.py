# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between the guests' kernels, held against each kernel itself: Linux 5.10, 6.1 and 6.12."""
from machine.attached import HDD

from .base import DELAYS, GuestTest

PRESSURE = "/proc/pressure/io"
# As briod's unit: root, without the capability that opens each file.
WITHOUT_OVERRIDE = "setpriv --bounding-set=-dac_override,-dac_read_search"
# Prints what answers of an exec that closes a file whose server does not, and whether that was so until the end.
HELD = """
cd $(mktemp -d) && mkfifo input && { /mnt/tests/hold-file descriptor <input >output & } && exec 3>input && until test -s output; do sleep 0.1; done
cd /proc/$(head -n 1 output) && for read in 'cat stat' 'readlink exe' 'readlink fd/0' 'cat cgroup'; do
  timeout 2 $read >/dev/null && echo "$read"
done
cd $OLDPWD && exec 3>&- && wait && tail -n 1 output
"""


class Kernel(GuestTest):
  def source(self, name):
    return next(source for source in self.brioctl("probe") if source["name"] == name)

  def test_pressure_wakes_it_just_where_the_kernel_lets_a_program_without_cap_dac_override(self):
    self.assertNotIn("cap_dac_override", self.unit("CapabilityBoundingSet").split())
    with_it, without = (self.guest.run("sh", "-c", f"{how} sh -c 'exec 3<>{PRESSURE}'").status == 0 for how in ("", WITHOUT_OVERRIDE))
    self.assertTrue(with_it, "root can write to it at all")
    self.assertEqual(without, not self.is_before(5, 13))
    psi = self.source("psi")
    if without:
      self.assertEqual("works", psi["state"], psi)
    else:
      self.assertEqual("unavailable", psi["state"], psi)
      self.assertRegex(psi["note"], "before Linux 5.13 only CAP_DAC_OVERRIDE")
      self.assertNotIn("give briod", psi["note"])
    self.assert_no_complaint()

  def test_a_readers_waits_are_accounted_without_being_asked_for_before_linux_5_14_and_taskstats_works_there_at_once(self):
    always = not self.guest.exists(DELAYS)
    self.assertEqual(always, self.is_before(5, 14))
    if not always:
      self.assertIn("sysctl kernel.task_delayacct=1", self.source("taskstats")["note"])
      self.account_delays()
    # Each answer holds for a second.
    self.guest.wait(lambda: self.source("taskstats")["state"] == "works", "taskstats")
    taskstats = self.source("taskstats")
    self.assertEqual(not always, "task_delayacct" in taskstats["note"], taskstats)
    self.readers(HDD)
    self.guest.wait(lambda: self.waited_ticks() > 0, "the kernel's own count of a reader's waits")

  def waited_ticks(self):
    """The most that a reader has waited for block I/O, as proc(5) has it: field 42 of stat, the 40th behind the name."""
    stats = self.guest.shell("for p in $(pgrep fio); do cat /proc/$p/stat 2>/dev/null; done; true").splitlines()
    return max((int(line.rpartition(")")[2].split()[39]) for line in stats), default=0)

  def test_an_exec_that_is_held_holds_up_no_read_of_what_its_process_is(self):
    self.assertEqual(["cat stat", "readlink exe", "readlink fd/0", "cat cgroup", "held"], self.guest.shell(HELD).splitlines())
