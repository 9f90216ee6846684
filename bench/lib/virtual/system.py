# SPDX-License-Identifier: GPL-3.0-or-later
"""The Debian system that a virtual-time guest runs: a small tree with Debian's own kernel, packed as an initramfs.

Its root is in the guest's memory, so that whatever a start reads from a drive comes from the emulated one. A graphical one also has an X server, and
the Debian tree of the programs that are started there.
"""
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from .. import debian, display, process, trees
from . import inside

HERE = Path(__file__).resolve().parent
# The first process, and what it takes the others with.
OWN_FILES = (HERE / "init", HERE / "window.py")
# Debian's releases, and what the libraries are called that binaries from the build tree are linked with. What they are linked with on this machine
# and the guest does not have comes in with them: see handed.py.
RELEASES = {"12": "bookworm", "13": "trixie"}
LIBRARIES = {
  "bookworm": ("libbpf1", "libfuse3-3", "libinih1", "libsystemd0", "libtraceevent1", "libtracefs1", "libudev1"),
  "trixie": ("libbpf1", "libfuse3-4", "libinih1", "libsystemd0", "libtraceevent1", "libtracefs1", "libudev1"),
}
PACKAGES = ("linux-image-amd64", "python3", "fio", "dbus", "dpkg", "e2fsprogs", "fuse3", "kmod", "procps", "util-linux", "xfsprogs", "fsmark", "btrfs-progs",
            "dmsetup")
MODULES = ("fuse", "loop", "bfq", "kyber-iosched", "ext4", "jbd2", "mbcache", "crc16", "crc32c_generic", "crc32c-intel", "libcrc32c", "xfs",
           "btrfs", "xor", "raid6_pq", "zstd_compress", "blake2b_generic", "dm-mod", "dm-crypt", "crypto_null", "unix_diag")
# Of Debian's kernel these modules alone, and no initrd made for it.
DPKG_OPTIONS = ("path-exclude=/etc/kernel/postinst.d/*", "path-exclude=*/lib/modules/*/kernel/*",
                *(f"path-include=*/lib/modules/*/{name}.ko*" for name in MODULES))
# Of the X server what draws by software in three dimensions, which it does without.
GRAPHICAL_DPKG_OPTIONS = (*DPKG_OPTIONS, "path-exclude=*/dri/*_dri.so", "path-exclude=*/libLLVM-*")
# What is not packed: nothing that runs in the guest reads it.
UNPACKED = ("boot", "usr/share/doc", "usr/share/locale", "usr/share/man", "usr/share/zoneinfo", "usr/lib/python3/dist-packages", "var/cache", "var/lib/apt",
            "usr/lib/x86_64-linux-gnu/perl", "usr/lib/x86_64-linux-gnu/gconv", "usr/share/perl")
# What is newer than the kernel's file, since it was made with the tree, becomes as old: else each tree would be another. Not Python's sources, whose compiled forms
# hold their times.
MADE_AT = "find . -newer {kernel} ! -name '*.py' -exec touch --no-dereference --reference={kernel} {{}} +"
KERNEL, INITRAMFS = "vmlinuz", "initramfs"
# In a kernel's file: where it says how far behind the first sector its version is.
KERNEL_VERSION_AT, KERNEL_VERSION_FROM = 0x20e, 0x200
# The names of the libraries that the guest has.
SONAMES = "libraries"


class GuestSystemError(Exception):
  """The guest's system cannot be made; the text says why in one line."""


def own():
  """This machine's release of Debian; None where it is none that a guest can be made of."""
  try:
    version = platform.freedesktop_os_release()
  except OSError:
    return None
  return version.get("VERSION_ID") if version.get("VERSION_CODENAME") in LIBRARIES else None


def named(release):
  return RELEASES[release or own()]


def missing(build_dir, release=None):
  """Why no guest can be made here, in one line; None where it can."""
  if platform.machine() != "x86_64":
    return "guests in virtual time are x86-64 machines, and this is none"
  if not own():
    return f"guests run this machine's binaries, and it is no Debian {' or '.join(RELEASES)}"
  if release and int(release) < int(own()):
    return f"what is built on Debian {own()} does not run in a guest with Debian {release}"
  for name, package in (("qemu-system-x86_64", "qemu-system-x86"), ("cpio", "cpio"), ("objcopy", "binutils")):
    if not shutil.which(name):
      return f"there is no {name} (package {package})"
  if subprocess.run(["chrt", "--fifo", "1", "true"], capture_output=True, check=False).returncode != 0:
    return "guests need a real-time priority, which this system does not give (CAP_SYS_NICE)"
  return debian.missing() or (None if (Path(build_dir) / "bench/drive/brio-drive").exists() else "brio-drive is not built")


def digest(*parts):
  """A text that changes with these texts, bytes and files (paths)."""
  whole = hashlib.sha256()
  for part in parts:
    data = part.read_bytes() if isinstance(part, Path) else part.encode() if isinstance(part, str) else part
    whole.update(f"{len(data)} ".encode() + data)
  return whole.hexdigest()


def made(build_dir, release=None, graphical=False):
  """The directory with the guest's kernel and initramfs, made where they are not there yet."""
  root = debian.kept(build_dir, **tree(release, graphical))
  content = {"debian": debian.programs(build_dir)} if graphical else {}
  recipe = digest(root.name, *OWN_FILES, repr(UNPACKED), MADE_AT, *(path.name for path in content.values()))
  return trees.kept(build_dir, f"guest-system-{title(release, graphical)}", recipe, lambda directory: pack(root, content, directory), only=True)


def is_made(build_dir, release=None, graphical=False):
  """Whether nothing more has to be fetched for that."""
  return debian.has(build_dir, **tree(release, graphical)) and (not graphical or debian.has_programs(build_dir))


def kernel(base):
  """What `uname -rv` says in a guest, and its maker, from the kernel's head (Documentation/arch/x86/boot.rst: kernel_version)."""
  image = (base / KERNEL).read_bytes()
  at = KERNEL_VERSION_FROM + int.from_bytes(image[KERNEL_VERSION_AT:KERNEL_VERSION_AT + 2], "little")
  return image[at:image.index(0, at)].decode("ascii")


def title(release, graphical):
  return f"{named(release)}-graphical" if graphical else named(release)


def tree(release, graphical):
  """What debian.kept() makes it of."""
  packages = (*PACKAGES, *LIBRARIES[named(release)], *(sorted(set(display.PROGRAMS.values())) if graphical else ()))
  return {"name": f"guest-tree-{title(release, graphical)}", "packages": packages, "release": named(release),
          "dpkg_options": GRAPHICAL_DPKG_OPTIONS if graphical else DPKG_OPTIONS}


def pack(root, content, directory):
  """content: name → tree that the guest's file system is filled with, besides what is handed in: it is too large for that."""
  kernel, = root.glob("boot/vmlinuz-*")
  shutil.copy(kernel, directory / KERNEL)
  (directory / SONAMES).write_text("\n".join(sorted({path.name for path in root.glob("usr/lib/x86_64-linux-gnu/*.so.*")})))
  left_out = " -o ".join(f"-path ./{path}" for path in UNPACKED)
  # The kernel unpacks one archive after the other.
  trees.run("sh", "-c", f"cd \"$0\" && {MADE_AT.format(kernel=kernel.relative_to(root))}", str(root))
  with open(directory / INITRAMFS, "wb") as whole, tempfile.TemporaryDirectory() as own:
    for path in OWN_FILES:
      os.utime(shutil.copy(path, own), (0, 0))
    archive(root, f"find . \\( {left_out} \\) -prune -o -print | LC_ALL=C sort", whole)
    archive(own, f"printf '%s\\n' {' '.join(path.name for path in OWN_FILES)}", whole)
    if content:
      pack_content(content, directory.parent, whole)


def pack_content(content, beside, output):
  """A cache of fonts is believed where their directory has the time that it names, to the nanosecond, or time 0."""
  with tempfile.TemporaryDirectory(dir=beside) as directory:
    place = Path(directory) / inside.CONTENT.relative_to("/")
    place.mkdir(parents=True)
    for name, path in content.items():
      trees.run("cp", "-al", str(path), str(place / name))
    trees.run("find", directory, "-type", "d", "-exec", "touch", "--date=@0", "{}", "+")
    archive(directory, "find brio | LC_ALL=C sort", output)


def archive(directory, names, output):
  """names: a command of the shell that prints them."""
  with process.Process(["sh", "-c", f'cd "$0" && {names} | cpio --quiet --reproducible -H newc -o', str(directory)], stdout=output, stderr=subprocess.PIPE) as packer:
    packer.popen.wait()
    if packer.returncode != 0:
      raise GuestSystemError(f"the guest's system cannot be packed: {process.last_line(packer.text('stderr'))}")
