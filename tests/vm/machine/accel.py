# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of QEMU's accelerators works here. Where there is a /dev/kvm, guests may hang or QEMU fail all the same: it is tried, once
until the machine boots anew."""
import os
import subprocess
from pathlib import Path

from lib import process

# A kernel that finds no root file system panics and, told so, ends QEMU: within a second or two under KVM.
TRIAL_S = 20
TRIAL_KERNEL_LINE = "console=ttyS0 panic=-1 root=/dev/null"


def works(kernel):
  argv = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-machine", "q35,accel=kvm", "-cpu", "host", "-m", "256", "-no-reboot",
          "-display", "none", "-kernel", str(kernel), "-append", TRIAL_KERNEL_LINE]
  with process.Process(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as trial:
    try:
      trial.popen.wait(TRIAL_S)
    except subprocess.TimeoutExpired:
      return False
    return trial.returncode == 0


def remembered(kernel, note):
  """The same, by a note of the last trial since this machine booted."""
  boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
  try:
    noted_boot, found = note.read_text().split()
  except (FileNotFoundError, ValueError):
    noted_boot = found = None
  if noted_boot != boot:
    found = "works" if works(kernel) else "hangs"
    note.write_text(f"{boot} {found}\n")
  return found == "works"


def choose(kernel, note):
  """kvm or tcg, and why, for people. note: the file that keeps what a trial found."""
  if not os.access("/dev/kvm", os.R_OK | os.W_OK):
    return "tcg", "There is no /dev/kvm to use: the guests are emulated (TCG)."
  if remembered(kernel, note):
    return "kvm", "KVM works."
  return "tcg", "There is a /dev/kvm, but no kernel boots with it: the guests are emulated (TCG)."
