# SPDX-License-Identifier: GPL-3.0-or-later
"""A loop device over memory, without a scheduler: the drive that answers soonest."""
import fcntl
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
    for _ in range(drive.LOOP_TRIES):
      if self._try_bind():
        return
    raise drive.DriveError("no free loop device: each one offered was taken by another process first")

  def _try_bind(self):
    control = os.open("/dev/loop-control", os.O_RDWR | os.O_CLOEXEC)
    try:
      number = fcntl.ioctl(control, drive.LOOP_CTL_GET_FREE)
    finally:
      os.close(control)
    device = f"/dev/loop{number}"
    if not os.path.exists(device):
      os.mknod(device, 0o600 | 0o060000, os.makedev(7, number))
    fd = -1
    try:
      fd = os.open(device, os.O_RDWR | os.O_CLOEXEC)
      drive.bind(fd, self.backing, drive.LO_FLAGS_AUTOCLEAR)  # should this process be killed, the kernel removes it
    except OSError as e:
      if fd >= 0:
        os.close(fd)
      if e.errno in drive.NOT_OURS:
        return False
      raise drive.DriveError(f"{device}: {e.strerror}") from e
    self.device, self.loop_fd = device, fd
    self.before = {"scheduler": sysfs.scheduler(device)}
    if self.before["scheduler"] != "none":
      (sysfs.queue(device) / "scheduler").write_text("none")
    return True

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
