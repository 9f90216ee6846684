# SPDX-License-Identifier: GPL-3.0-or-later
"""The guests' root file systems: made by mmdebstrap once for each release, never written to afterwards."""
import shutil
from pathlib import Path

from . import releases

HERE = Path(__file__).resolve().parent
SETUP = HERE.parent / "image-setup.sh"
FINISH = HERE.parent / "image-finish.sh"
SIZE = "3G"
MAKE_TIMEOUT_S = 1800

# What a small desktop installation has below Brio, and what the tests use.
KERNEL = "linux-image-amd64"
PACKAGES = (
  "initramfs-tools lz4 kmod systemd systemd-sysv udev dbus polkitd apt procps fonts-dejavu-core "
  "qemu-guest-agent fio blktrace xvfb xdotool e2fsprogs"
).split()


class Image:
  """What a guest boots from."""

  def __init__(self, directory):
    self.directory = directory
    self.name = directory.name.partition("-")[0]
    self.root = directory / "root.ext4"
    self.kernel = directory / "vmlinuz"
    self.initrd = directory / "initrd"


class ImageMaker:
  """Makes a release's image, where it is not made yet. A guest has no network: what Brio's packages need is in it."""

  def __init__(self, release, directory, needed):
    self.release = release
    self.packages = [f"{KERNEL}/{release.codename}", *sorted({*PACKAGES, *needed})]
    self.directory = directory / f"{release.name}-{releases.key_of(release.userland.codename, *self.packages, Path(__file__), SETUP, FINISH)}"
    self.parent = directory
    self.log = directory / f"{release.name}.log"

  def exists(self):
    return self.directory.exists()

  def make(self):
    with releases.locked(self.parent, self.release):
      if self.exists():
        return
      new = self.parent / (releases.TRASH + self.release.name)
      new.mkdir()
      root = new / "root"
      self._bootstrap(root)
      image = Image(new)
      shutil.copy(root / "vmlinuz", image.kernel)
      shutil.copy(root / "initrd.img", image.initrd)
      self._pack(root, image.root)
      shutil.rmtree(root)
      releases.replace(new, self.directory)

  def _bootstrap(self, root):
    self.log.unlink(missing_ok=True)
    argv = ["mmdebstrap", "--mode=root", "--variant=minbase", "--format=directory", f"--include={','.join(self.packages)}",
            f"--setup-hook={SETUP}", f"--customize-hook={FINISH}", self.release.userland.codename, root, *self.release.sources()]
    releases.run(argv, f"making the image of Debian {self.release.number}", MAKE_TIMEOUT_S, self.log)

  def _pack(self, root, file):
    argv = ["mke2fs", "-q", "-t", "ext4", "-L", "root", "-d", root, file, SIZE]
    releases.run(argv, f"packing the image of Debian {self.release.number}", MAKE_TIMEOUT_S, self.log)
