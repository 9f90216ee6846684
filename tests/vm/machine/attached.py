# SPDX-License-Identifier: GPL-3.0-or-later
"""The drives of a guest: emulated ones of the host (bench/drive), attached as a desktop has them."""
from contextlib import ExitStack
from dataclasses import dataclass

from lib import drive


@dataclass(frozen=True)
class Kind:
  """A drive as the guest sees it: serial finds it there; `device` is QEMU's, with its properties."""
  serial: str
  model: str
  size_gib: int
  device: str
  plugged: bool  # from the start


# A rotation rate of 1 says solid state (SCSI Block Commands, block device characteristics page).
HDD = Kind("BRIOHDD", "hdd-7200", 32, "scsi-hd,bus=scsi.0,rotation_rate=7200,vendor=ATA,product=Desktop-HDD", True)
SSD = Kind("BRIOSSD", "ssd-sata", 16, "scsi-hd,bus=scsi.0,rotation_rate=1,vendor=ATA,product=Desktop-SSD", True)
NVME = Kind("BRIONVME", "nvme", 16, "nvme", True)
STICK = Kind("BRIOSTICK", "usb-stick", 8, "usb-storage,bus=usb.0,removable=on", False)
KINDS = (HDD, SSD, NVME, STICK)


class Drives:
  """A context manager: the host's loop device of each kind."""

  def __init__(self, build_dir):
    self.build_dir = build_dir
    self.stack = ExitStack()
    self.devices = {}

  def __enter__(self):
    try:
      for seed, kind in enumerate(KINDS, 1):
        emulated = drive.EmulatedDrive(kind.model, "none", self.build_dir, kind.size_gib << 30, seed)
        self.devices[kind] = self.stack.enter_context(emulated).device
    except BaseException:
      self.stack.close()
      raise
    return self

  def __exit__(self, *_):
    self.stack.close()

  def qemu_options(self):
    """The loop device keeps the depth and the order in which the guest's scheduler sends requests: no cache, and as many in
    flight as there are."""
    options = ["-device", "virtio-scsi-pci,id=scsi,num_queues=1", "-device", "qemu-xhci,id=usb"]
    for kind in KINDS:
      options += ["-blockdev", f"driver=host_device,node-name={kind.serial},filename={self.devices[kind]},cache.direct=on,aio=native"]
      if kind.plugged:
        options += ["-device", f"{kind.device},drive={kind.serial},serial={kind.serial},id=d{kind.serial}"]
    return options
