# SPDX-License-Identifier: GPL-3.0-or-later
"""The window through which a guest in virtual time gets what is handed in: a file of the host's that the guest sees as a memory module
that its kernel does not use (an NVDIMM). To read it takes the guest its own instructions and nothing of the host's time; and it is no part
of a saved state.

The host fills it with write(); the guest unpacks it with `window.py DIRECTORY`, or waits with wait_until_other() for the next one."""
import io
import mmap
import sys
import tarfile

BYTES = 128 << 20
HEADER_BYTES = 64
# Where QEMU's machine "pc" puts the first such module: at the first full GiB above its memory, 1 GiB of whose 4 lies above 4 GiB.
ADDRESS = 5 << 30


class WindowError(Exception):
  """What is to be handed in does not fit; the text says how much does."""


def write(path, name, archive):
  """name: what the archive is known by, a word."""
  header = f"{name} {len(archive)} ".encode().ljust(HEADER_BYTES)
  if len(header) + len(archive) > BYTES:
    raise WindowError(f"what is handed in to the guest takes {len(archive) >> 20} MiB, and {BYTES >> 20} MiB fit")
  with open(path, "wb") as f:
    f.write(header + archive)
    f.truncate(BYTES)


def look():
  """Its memory."""
  with open("/dev/mem", "rb") as f:
    return mmap.mmap(f.fileno(), BYTES, prot=mmap.PROT_READ, offset=ADDRESS)


def header(memory):
  """The archive's name and length."""
  name, length = memory[:HEADER_BYTES].split()
  return name.decode(), int(length)


def wait_until_other(memory, name):
  """By looking without a pause: while a guest sleeps, its clock would run on far ahead."""
  begin = name.encode()
  while memory[:len(begin)] == begin:
    pass


def unpack(memory, directory):
  _, length = header(memory)
  with tarfile.open(fileobj=io.BytesIO(memory[HEADER_BYTES:HEADER_BYTES + length])) as tar:
    tar.extractall(directory)


if __name__ == "__main__":
  unpack(look(), sys.argv[1])
