#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes recordings of the labelled corpus into the tree, without what other processes of the machine did meanwhile.

usage: take-accuracy.py CORPUS NAME...

CORPUS is where `./dev bench accuracy --record` put them (build/accuracy). Writes accuracy/NAME.recording and accuracy/NAME.json here: the events of
the drive, and those of the processes that the labels name, coded as brio.recording(5) says."""
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "bench"), str(SOURCE / "tests/lib")]

from lib.accuracy import labels  # noqa: E402
import recordings  # noqa: E402

NUMBERS = recordings.NUMBERS | dict.fromkeys(recordings.REQUESTS, 3)
OF_A_PROCESS = {3, 4, 5, 14, 16, 17, 18, 19, 20, 23, 27}
KIND, FLAGS, DRIVE, PROCESS = 31, 32, 64, 128


def leb(value):
  out = bytearray()
  while value >= 128:
    out.append(value & 127 | 128)
    value >>= 7
  return bytes(out) + bytes((value,))


def zigzag(value):
  return value << 1 if value >= 0 else (-value << 1) - 1


class Writer:
  """The body of a block of events."""

  def __init__(self, t):
    self.t, self.last, self.n, self.data = t, {}, 0, bytearray()

  def add(self, kind, t, flags, subject, fields):
    dev, tgid = subject
    old = self.last.get(kind, (0, 0))
    self.data.append(kind | (FLAGS if flags else 0) | (DRIVE if dev != old[0] else 0) | (PROCESS if tgid != old[1] else 0))
    self.data += leb(zigzag(t - self.t))
    self.data += leb(flags) if flags else b""
    self.data += leb(dev) if dev != old[0] else b""
    self.data += leb(zigzag(tgid)) if tgid != old[1] else b""
    self.data += fields
    self.t, self.last[kind] = t, subject
    self.n += 1


def fields_of(body, kind):
  """The bytes of an item's fields: none of the items that are left out names a sector, so the distances stay right."""
  start = body.at
  for _ in range(NUMBERS[kind]):
    body.number()
  if kind in recordings.TEXTS:
    length = body.number()
    body.at += length
  return body.data[start:body.at]


def without_others(data, t, n, ours):
  body, writer, last = recordings.Body(data, t), Writer(t), {}
  for _ in range(n):
    first = body.byte()
    kind = first & KIND
    body.t += body.signed()
    flags = body.number() if first & FLAGS else 0
    dev, tgid = last.get(kind, (0, 0))
    dev = body.number() if first & DRIVE else dev
    tgid = body.signed() if first & PROCESS else tgid
    last[kind] = dev, tgid
    fields = fields_of(body, kind)
    if kind not in OF_A_PROCESS or tgid in ours:
      writer.add(kind, body.t, flags, (dev, tgid), fields)
  return writer


def trim(data, ours):
  """The recording with the processes `ours` alone."""
  out, at, left = bytearray(data[:len(recordings.MARK)]), len(recordings.MARK), 0
  while at < len(data):
    mark, length, kind, n, _sum, t = recordings.HEAD.unpack_from(data, at)
    body = data[at + recordings.HEAD.size:at + recordings.HEAD.size + length]
    at += recordings.HEAD.size + length
    if kind == recordings.EVENTS:
      writer = without_others(body, t, n, ours)
      body, n = bytes(writer.data), writer.n
      left += n
    elif kind == recordings.END:
      body = struct.pack("<Q", left)
    head = recordings.HEAD.pack(mark, len(body), kind, n, 0, t)
    checksum = recordings.crc32c(head[:12] + head[16:] + body)
    out += recordings.HEAD.pack(mark, len(body), kind, n, checksum, t) + body
  return bytes(out)


def main():
  if len(sys.argv) < 3:
    sys.exit(__doc__)
  (HERE / "accuracy").mkdir(exist_ok=True)
  for name in sys.argv[2:]:
    path = Path(sys.argv[1]) / f"{name}.recording"
    truth = labels.read(path.with_suffix(".json"))
    ours = {each.pid for program in truth.programs for each in program.processes}
    (HERE / "accuracy" / path.name).write_bytes(trim(path.read_bytes(), ours))
    labels.write(HERE / "accuracy" / f"{name}.json", truth)


if __name__ == "__main__":
  main()
