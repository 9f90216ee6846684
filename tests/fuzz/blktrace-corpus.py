#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The seeds of fuzz-blktrace, made from what linux/blktrace_api.h says of a record.

usage: blktrace-corpus.py DIR [--check]

Writes each into DIR; with --check says where DIR has something else under its name, and exits 1. What a fuzzer found lies beside
them under other names.
"""
import argparse
import struct
import sys
from pathlib import Path

MAGIC = 0x65617400
DEVICE, CPU = 7 << 20 | 1, 2
READ, WRITE, FLUSH, SYNC, QUEUE, REQUEUE, ISSUE, COMPLETE, FS, COMMAND, NOTE = (1 << bit for bit in range(16, 27))
DISCARD, FUA, WRITE_ZEROES = 1 << 29, 1 << 31, 1 << 38
CGROUP = 0x100
READS = ((1, READ | QUEUE), (12, READ | QUEUE | FS), (7, READ | ISSUE | FS), (8, READ | COMPLETE | FS))


class Trace:
  """One CPU's records, one after the other."""

  def __init__(self, version=7, order="<"):
    self.version, self.order, self.t, self.sequence, self.data = version, order, 10**12, 0, b""

  def add(self, what, sector=2048, size=4096, thread=1234, payload=b"", magic=None):
    self.t += 50000
    self.sequence += not what & NOTE
    middle = (what, thread) if self.version == 7 else (thread, what)
    sequence = 0 if what & NOTE else self.sequence & 0xffffffff
    self.data += struct.pack(self.order + ("IIQQIIIIIHH" if self.version == 7 else "IIQQIIQIIHH12x"), magic or MAGIC + self.version, sequence,
                             self.t, sector, size, *middle, DEVICE, CPU, 0, len(payload)) + payload
    return self

  def begin(self):
    self.add(NOTE | 1, payload=struct.pack(self.order + "II", 1700000000, 5))
    return self.add(NOTE, payload=b"fio".ljust(16, b"\0"))

  def read(self, sector=2048, size=4096):
    for code, categories in READS:
      self.add(code | categories, sector, size)
    return self


def split():
  trace = Trace().begin().add(1 | READ | QUEUE, 0, 1 << 20)
  trace.add(13 | READ, 0, 1 << 19, payload=struct.pack(">Q", 1024))
  trace.add(13 | READ | CGROUP, 0, 1 << 18, payload=struct.pack("<Q", 1) + struct.pack(">Q", 512))
  return trace.add(13 | READ, payload=b"short")


def all_kinds():
  trace = Trace(8).begin().read()
  for extra in (SYNC, FUA, DISCARD, WRITE_ZEROES, COMMAND):
    trace.add(1 | WRITE | QUEUE | extra)
    for what in (7 | ISSUE, 6 | REQUEUE, 7 | ISSUE, 8 | COMPLETE):
      trace.add(what | WRITE | FS | extra)
  trace.add(7 | READ | FLUSH | ISSUE | FS, 0, 0)
  return trace.add(NOTE | 2 | CGROUP, payload=struct.pack("<Q", 1) + b"bfq16398S raising period dur 0/300 msec")


def gaps():
  trace = Trace().begin().read()
  trace.sequence += 1000
  trace.read(4096)
  trace.sequence = 0xffffffff
  return trace.read(8192)


def seeds():
  whole = Trace().begin().read().read(4096, 131072).data
  stale = Trace().begin().read()
  stale.t -= 10**9
  yield "empty", b""
  yield "version-7", whole
  yield "version-8", all_kinds().data
  yield "byte-swapped", Trace(order=">").begin().read().data
  yield "version-8-byte-swapped", Trace(8, ">").begin().read().data
  yield "splits", split().data
  yield "gaps-in-the-sequence", gaps().data
  yield "cut-in-a-header", whole[:-30]
  yield "cut-in-a-payload", Trace().begin().data[:-5]
  yield "unwritten-record", whole + bytes(48) + Trace().read(9999).data
  yield "older-record", stale.read(1).data
  yield "payload-longer-than-all", Trace().begin().data[:-18] + b"\xff\xff" + bytes(16)
  yield "payload-longer-than-the-buffer", Trace().begin().add(NOTE | 2, payload=bytes(5000)).read().data
  yield "unknown-version", Trace().read().add(1 | READ | QUEUE, magic=MAGIC + 9).read().data
  yield "magic-within-garbage", bytes(11) + struct.pack("<I", MAGIC + 7) + bytes(100) + whole
  yield "all-ones", b"\xff" * 300


def main():
  parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2].removeprefix("usage: "))
  parser.add_argument("directory", type=Path)
  parser.add_argument("--check", action="store_true")
  arguments = parser.parse_args()
  wrong = 0
  for name, data in seeds():
    path = arguments.directory / name
    if not arguments.check:
      path.write_bytes(data)
    elif not path.exists() or path.read_bytes() != data:
      print(f"{path} is not what {sys.argv[0]} makes", file=sys.stderr)
      wrong = 1
  return wrong


if __name__ == "__main__":
  sys.exit(main())
