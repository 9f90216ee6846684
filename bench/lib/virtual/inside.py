# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs in a guest in virtual time: makes the drive and its file system, waits while its state is saved, and then does what a
run asks for. Of our modules the saved state keeps for good what this one imports."""
import fcntl
import importlib
import json
import os
import struct
import sys
import traceback
from pathlib import Path

from .. import drive, filesystem
from . import window

REQUEST = Path("/brio/request.json")
BUILD = Path("/brio/build")
CONTENT = Path("/brio/content")
SYSRQ = Path("/proc/sysrq-trigger")
# Where QEMU's device pvpanic listens, and what stops the machine there.
PANIC_PORT, PANICKED = 0x505, b"\1"


# linux/random.h: struct rand_pool_info (bits, bytes, the bytes themselves). 32 bytes make the kernel's generator ready.
RNDADDENTROPY = 0x40085203
RANDOM_BYTES = 32


def make_random_numbers_ready():
  """They come from nothing outside, and are the same in each guest. Without any, a program that starts would wait for them."""
  with open("/dev/random", "wb") as pool:
    fcntl.ioctl(pool, RNDADDENTROPY, struct.pack("ii", 8 * RANDOM_BYTES, RANDOM_BYTES) + bytes(range(RANDOM_BYTES)))


def request():
  return json.loads(REQUEST.read_text(encoding="utf-8"))


def stop():
  """The machine, with this very instruction. It goes on, perhaps many times, from the state that is saved then."""
  with open("/dev/port", "r+b", buffering=0) as ports:
    ports.seek(PANIC_PORT)
    ports.write(PANICKED)


def take_over():
  """What a run hands in."""
  window.unpack(window.opened(), "/")
  importlib.invalidate_caches()


def tell(result):
  """The host, and end: with what is mounted and what runs, since nothing of it outlives the guest."""
  window.answer(window.opened(), json.dumps({"result": result}, sort_keys=True))
  SYSRQ.write_text("b", encoding="ascii")


def tell_figures(figures):
  """For what is measured and has still a log to collect, or a load to end: unless the host wants the log, the guest ends here."""
  if not window.log_is_wanted(window.opened()):
    tell(figures)


def measured(emulated, fs):
  """Of modules that were handed in only now."""
  asked = request()
  return importlib.import_module(f"lib.virtual.{asked['module']}").run(asked, emulated, fs, BUILD)


def main():
  make_random_numbers_ready()
  about = request()
  for name in about["modules"]:
    importlib.import_module(name)
  with drive.EmulatedDrive(about["model"], "none", BUILD, seed=about["drive_seed"]) as emulated, \
       filesystem.Ext4(emulated, CONTENT, about["big_files"], about["big_file_bytes"]) as fs:
    fs.forget()
    stop()
    take_over()
    tell(measured(emulated, fs))


if __name__ == "__main__":
  try:
    main()
  except Exception as e:  # whatever it is, the host has to be told
    traceback.print_exc()
    window.answer(window.opened(), json.dumps({"error": f"{type(e).__name__}: {e}"}))
  sys.stdout.flush()
  os.sync()
