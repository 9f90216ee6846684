# SPDX-License-Identifier: GPL-3.0-or-later
"""The window through which a guest in virtual time gets what is handed in, and answers: a file of the host's that the guest sees as a memory
module that its kernel does not use (an NVDIMM). To read and write it takes the guest its own instructions and nothing of the host's time; and it
is no part of a saved state.

The host fills it with write(); the guest unpacks it with `window.py DIRECTORY`, or with unpack(), and replaces that with answer(), which the
host reads with answered()."""
import io
import mmap
import sys
import tarfile

BYTES = 128 << 20
HEADER_BYTES = 64
# Where the host says whether it wants the log, too: the guest looks there only once it has measured, so that both are the same run.
LOG_AT = BYTES - 1
ASKED, ANSWERED = "asked", "answered"
# Where QEMU's machine "pc" puts the first such module: at the first full GiB above its memory, 1 GiB of whose 4 lies above 4 GiB.
ADDRESS = 5 << 30


class WindowError(Exception):
  """What is to be handed in does not fit; the text says how much does."""


def framed(kind, data):
  if HEADER_BYTES + len(data) > LOG_AT:
    raise WindowError(f"what is handed to or from the guest takes {len(data) >> 20} MiB, and {BYTES >> 20} MiB fit")
  return f"{kind} {len(data)} ".encode().ljust(HEADER_BYTES) + data


def found(kind, memory):
  """What was framed as that; None where there is something else."""
  there, length = memory[:HEADER_BYTES].decode().split()
  return memory[HEADER_BYTES:HEADER_BYTES + int(length)] if there == kind else None


def write(path, archive, log=False):
  with open(path, "wb") as f:
    f.write(framed(ASKED, archive))
    f.seek(LOG_AT)
    f.write(bytes([log]))


def answered(path):
  """The text of a guest that has ended; None where it has told nothing."""
  with open(path, "rb") as f, mmap.mmap(f.fileno(), BYTES, prot=mmap.PROT_READ) as memory:
    answer = found(ANSWERED, memory)
  return answer and answer.decode()


def opened():
  """Its memory, in the guest."""
  with open("/dev/mem", "r+b") as f:
    return mmap.mmap(f.fileno(), BYTES, offset=ADDRESS)


def unpack(memory, directory):
  with tarfile.open(fileobj=io.BytesIO(found(ASKED, memory))) as tar:
    tar.extractall(directory)


def log_is_wanted(memory):
  return bool(memory[LOG_AT])


def answer(memory, text):
  data = framed(ANSWERED, text.encode())
  memory[:len(data)] = data


if __name__ == "__main__":
  unpack(opened(), sys.argv[1])
