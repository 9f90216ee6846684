# SPDX-License-Identifier: GPL-3.0-or-later
"""File systems on emulated drives, mounted where no other process sees them.

The mount lives in a mount namespace of the benchmark's own, which its children share: however the benchmark ends, the
kernel unmounts when the last of them is gone. Making, filling and unmounting happen with the drive's timing off.
"""
import contextlib
import ctypes
import functools
import os
import shutil
import time
from pathlib import Path

from . import process, state, sysfs

KIND = "mount"
CLONE_NEWNS = 0x00020000
MS_REC = 0x4000
MS_SLAVE = 0x80000
_libc = ctypes.CDLL(None, use_errno=True)
UNMOUNT_TIMEOUT_S = 20
POLL_S = 0.1
SECTOR = 512
CHUNK_BYTES = 1 << 20

# mke2fs places these files whole and marks their blocks as written without writing them: they read as zeros, from the drive.
BIG_FILES = """\
  make_hugefiles = true
  num_hugefiles = {number}
  hugefiles_size = {kib}K
  hugefiles_dir = /big
  hugefiles_name = file
  hugefiles_digits = 2
  zero_hugefiles = false
"""
MKE2FS_CONFIG = """[defaults]
  base_features = sparse_super,large_file,filetype,resize_inode,dir_index,ext_attr
  blocksize = 4096
  inode_size = 256
  inode_ratio = 16384
[fs_types]
  ext4 = {{
  features = has_journal,extent,huge_file,flex_bg,metadata_csum,64bit,dir_nlink,extra_isize
  }}
  bench = {{
{big_files}  }}
"""


class FilesystemError(Exception):
  """A file system could not be made, mounted or unmounted; the text says why in one line."""


def missing(*programs):
  """Why the file system cannot be made here, in one line; None where it can."""
  for program, package in programs or (("mkfs.ext4", "e2fsprogs"),):
    if not shutil.which(program):
      return f"there is no {program} (package {package})"
  return None


@functools.cache
def leave_mount_namespace():
  """From now on what this process mounts is seen by it and its children only; what others mount still comes through."""
  call("unshare", CLONE_NEWNS)
  try:
    follow_others()
  except FilesystemError:
    # Below a root directory that is no mount point, as a chroot's may be, nothing can be said of the mount that it lies on.
    with at_root_of_namespace():
      follow_others()


def call(name, *arguments):
  """A system call that returns 0."""
  if getattr(_libc, name)(*arguments) != 0:
    raise FilesystemError(f"no mount namespace of our own: {name}: {os.strerror(ctypes.get_errno())}")


def follow_others():
  call("mount", None, b"/", None, ctypes.c_ulong(MS_REC | MS_SLAVE), None)


@contextlib.contextmanager
def at_root_of_namespace():
  """Without the root directory that a chroot gave this process. A process that enters a mount namespace, its own as well, begins at its root."""
  root, here, namespace = (os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in ("/", ".", "/proc/self/ns/mnt"))
  try:
    call("setns", namespace, CLONE_NEWNS)
    try:
      yield
    finally:
      os.fchdir(root)
      os.chroot(".")
      os.fchdir(here)
  finally:
    for descriptor in (root, here, namespace):
      os.close(descriptor)


def run(*argv, env=None):
  process.output(argv, FilesystemError, env)


class Mounted(process.Resource):
  """A context manager: a file system made afresh on the drive and mounted at `path`."""

  mount_options = "noatime"

  def __init__(self, emulated):
    self.emulated = emulated
    self.directory = None
    self.path = None

  @property
  def device(self):
    """What it lies on: the drive itself, unless there is something between."""
    return self.emulated.device

  def make(self):
    raise NotImplementedError

  def open(self):
    leave_mount_namespace()
    with self.emulated.at_once():
      self.directory = Path(state.make(KIND))
      self.make()
      path = self.directory / "root"
      path.mkdir()
      run("mount", "-o", self.mount_options, self.device, str(path))
      self.path = path
      os.sync()

  def settle(self):
    """Writes back all that is dirty on it, at once."""
    with self.emulated.at_once():
      run("sync", "--file-system", str(self.path))

  def forget(self):
    """The next read of it comes from the drive."""
    self.settle()
    sysfs.drop_clean_caches()

  def close(self):
    if self.path:
      with self.emulated.at_once():
        unmount(self.path)
      self.path = None
    if self.directory:
      state.remove(self.directory)
      self.directory = None


class Ext4(Mounted):
  """ext4 with what is below `content`, and big_files files of zeros, /big/file00 and so on, each in few pieces."""

  mount_options = "noatime,noinit_itable"

  def __init__(self, emulated, content=None, big_files=0, big_file_bytes=2 << 30):
    super().__init__(emulated)
    self.content = content
    self.big_files = big_files
    self.big_file_bytes = big_file_bytes

  def big_file(self, number):
    return self.path / "big" / f"file{number:02}"

  def make(self):
    config = self.directory / "mke2fs.conf"
    big_files = BIG_FILES.format(number=self.big_files, kib=self.big_file_bytes >> 10) if self.big_files else ""
    config.write_text(MKE2FS_CONFIG.format(big_files=big_files))
    options = "lazy_itable_init=1,lazy_journal_init=1,nodiscard,root_owner=0:0"
    content = ["-d", str(self.content)] if self.content else []
    run("mke2fs", "-q", "-F", "-T", "ext4,bench", "-E", options, *content, self.device,
        env=os.environ | {"MKE2FS_CONFIG": str(config)})


class Encrypted(Ext4):
  """The same on a dm-crypt device, whose cipher changes nothing: requests go through its workers, and take the processor no time."""

  name = "brio-bench-crypt"

  @property
  def device(self):
    return f"/dev/mapper/{self.name}"

  def make(self):
    sectors = self.emulated.size // SECTOR
    run("dmsetup", "create", self.name, "--table", f"0 {sectors} crypt cipher_null-ecb-null - 0 {self.emulated.device} 0")
    run("dmsetup", "mknodes", self.name)
    super().make()

  def close(self):
    super().close()
    if Path(self.device).exists():
      run("dmsetup", "remove", "--retry", self.name)


class Btrfs(Mounted):
  """btrfs with what is below `content`, and big files of zeros that are written, and so are smaller than Ext4's."""

  mount_options = "noatime,nodiscard"
  big_file_bytes = 128 << 20

  def __init__(self, emulated, content=None, big_files=0):
    super().__init__(emulated)
    self.content = content
    self.big_files = big_files

  def big_file(self, number):
    return self.path / "big" / f"file{number:02}"

  def make(self):
    run("mkfs.btrfs", "-q", "-f", "-K", self.device)

  def open(self):
    super().open()
    with self.emulated.at_once():
      if self.content:
        run("cp", "-a", f"{self.content}/.", str(self.path))
      (self.path / "big").mkdir()
      for number in range(self.big_files):
        with open(self.big_file(number), "wb") as file:
          for _ in range(self.big_file_bytes // CHUNK_BYTES):
            file.write(bytes(CHUNK_BYTES))
      os.sync()


class Xfs(Mounted):
  """XFS, with further options of mkfs.xfs such as `-d agcount=32`."""

  def __init__(self, emulated, options=()):
    super().__init__(emulated)
    self.options = options

  def make(self):
    run("mkfs.xfs", "-q", "-f", "-K", *self.options, self.emulated.device)


def unmount(path):
  """Those that used it may need a moment to end; what is then still busy is left to the end of the namespace."""
  end = time.monotonic() + UNMOUNT_TIMEOUT_S
  while True:
    try:
      run("umount", str(path))
      return
    except FilesystemError:
      if time.monotonic() > end:
        run("umount", "--lazy", str(path))
        return
      time.sleep(POLL_S)
