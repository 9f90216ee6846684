# SPDX-License-Identifier: GPL-3.0-or-later
"""A loop device over memory, without a scheduler: the drive that answers soonest."""
import os
from pathlib import Path

from . import drive, process, sysfs

NAME = "brio-memory-drive"  # and whose it is: tests look for what a killed one leaves


class MemoryDrive(process.Resource):
  """A context manager: `with MemoryDrive(size) as d: d.device`."""

  def __init__(self, size=256 << 20):
    self.size = size
    self.backing = self.loop_fd = -1
    self.device = None
    self.before = {}

  @property
  def name(self):
    return Path(self.device).name

  def open(self):
    self.backing = os.memfd_create(f"{NAME}-{os.getpid()}", os.MFD_CLOEXEC)
    os.posix_fallocate(self.backing, 0, self.size)  # what holds nothing is read sooner than what does
    self.device, self.loop_fd = drive.take_loop(self.backing, drive.LO_FLAGS_AUTOCLEAR)  # should this process be killed, the kernel removes it
    self.before = drive.settings_of(self.device)
    if self.before["scheduler"] != "none":
      (sysfs.queue(self.device) / "scheduler").write_text("none")

  def close(self):
    if self.loop_fd >= 0:
      drive.put_back(self.device, self.before)
      drive.unbind(self.loop_fd, self.device)
      self.loop_fd = -1
    if self.backing >= 0:
      os.close(self.backing)
      self.backing = -1


def missing():
  """Why there can be none here, in one line; None where there can."""
  if os.geteuid() != 0:
    return "needs root"
  return None if Path("/dev/loop-control").exists() else "there is no /dev/loop-control"
