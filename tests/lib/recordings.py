# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a recording by its manual page, brio.recording(5), and not by Brio's code."""
import struct

MARK = b"\x89BRIO\r\n\x1a" + struct.pack("<H6x", 1)
HEAD = struct.Struct("<4sHBxIIQ")
ENVIRONMENT, DRIVE, EVENTS, END, OUTCOME = 1, 2, 3, 4, 5
TICK = 31
LATER = 30  # the number of the kind follows
NAMES = {1: "stat", 2: "gone", 3: "io", 4: "name", 5: "exit", 6: "lost", 7: "watch", 8: "queue", 9: "split", 10: "issue", 11: "requeue",
         12: "complete", 13: "presence", 14: "wait", 15: "stack", 16: "fork", 17: "exec", 18: "application", 19: "work", 20: "ready",
         21: "merges", 22: "memory", 23: "priority", 24: "sums", 25: "latencies", 26: "total", 27: "user", TICK: "tick", 32: "stalls"}
REQUESTS = range(8, 13)
# How many numbers each other kind has; those in TEXTS have a text behind them.
NUMBERS = {1: 10, 2: 0, 3: 4, 4: 1, 5: 0, 6: 1, 7: 2, 13: 1, 14: 3, 15: 2, 16: 1, 17: 4, 18: 1, 19: 6, 20: 0, 21: 2, 22: 7, 23: 4, 24: 13,
           25: 10, 26: 5, 27: 2, TICK: 1, 32: 2}
TEXTS = {4, 17, 18}


def crc32c(data):
  crc = 0xffffffff
  for byte in data:
    crc ^= byte
    for _ in range(8):
      crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
  return crc ^ 0xffffffff


class Body:
  def __init__(self, data, t):
    self.data, self.at, self.t, self.sector, self.last = data, 0, t, 0, {}

  def byte(self):
    self.at += 1
    return self.data[self.at - 1]

  def number(self):
    value = shift = 0
    while True:
      byte = self.byte()
      value |= (byte & 127) << shift
      shift += 7
      if byte < 128:
        return value

  def signed(self):
    value = self.number()
    return value >> 1 ^ -(value & 1)

  def item(self):
    first = self.byte()
    kind = first & 31
    self.t += self.signed()
    if kind == LATER:
      kind, end = self.number(), self.number() + self.at
      return self.named(kind, self.number(), self.number(), self.signed(), end)
    flags = self.number() if first & 32 else 0
    dev, tgid = self.last.get(kind, (0, 0))
    dev = self.number() if first & 64 else dev
    tgid = self.signed() if first & 128 else tgid
    self.last[kind] = dev, tgid
    return self.named(kind, flags, dev, tgid)

  def named(self, kind, flags, dev, tgid, end=None):
    """end: where the next item begins, whatever of this one is known here."""
    item = {"kind": NAMES[kind], "t": self.t, "flags": flags, "dev": dev, "tgid": tgid, "fields": self.fields(kind)}
    self.at = end or self.at
    return item

  def text(self):
    length = self.number()
    self.at += length
    return self.data[self.at - length:self.at].decode(errors="replace")

  def fields(self, kind):
    if kind in REQUESTS:
      self.sector += self.signed()
      return [self.sector, self.number(), self.number()]
    fields = [self.number() for _ in range(NUMBERS[kind])]
    return fields + [self.text()] if kind in TEXTS else fields


def read(data):
  """Returns (environment, drives, items): a dictionary, a list of them, a list of items with kind, t, flags, dev, tgid, fields."""
  environment, drives, items, count = {}, [], [], None
  assert data.startswith(MARK)
  at = len(MARK)
  while at < len(data):
    mark, length, kind, n, checksum, t = HEAD.unpack_from(data, at)
    body = data[at + HEAD.size:at + HEAD.size + length]
    assert mark == b"RBLK" and len(body) == length and count is None
    assert checksum == crc32c(data[at:at + 12] + data[at + 16:at + HEAD.size + length])
    at += HEAD.size + length
    if kind == EVENTS:
      reader = Body(body, t)
      items += [reader.item() for _ in range(n)]
      assert reader.at == length
    elif kind == END:
      count = struct.unpack("<Q", body)[0]
    else:
      text = dict(line.split("=", 1) for line in body.decode().splitlines())
      if kind == DRIVE:
        drives.append(text)
      elif kind == ENVIRONMENT:
        environment = text
      else:
        assert kind == OUTCOME and text["device"] in [drive["device"] for drive in drives]
  assert count == len(items)
  return environment, drives, items


def number_bytes(value):
  data = bytearray()
  while value > 127:
    data.append(value & 127 | 128)
    value >>= 7
  return bytes(data + bytes([value]))


def signed_bytes(value):
  return number_bytes(value << 1 if value >= 0 else (-value << 1) - 1)


def block(kind, body, n=0, t=0):
  head = bytearray(HEAD.pack(b"RBLK", len(body), kind, n, 0, t))
  struct.pack_into("<I", head, 12, crc32c(bytes(head[:12] + head[16:]) + body))
  return bytes(head) + body


def write(drives, items):
  """The file: drives as dictionaries; items as read() gives them, of the kinds that are all numbers, and names."""
  numbers = {name: number for number, name in NAMES.items()}
  blocks = [MARK] + [block(DRIVE, "".join(f"{k}={v}\n" for k, v in drive.items()).encode()) for drive in drives]
  for item in items:
    kind, fields = numbers[item["kind"]], item["fields"]
    body = bytes([kind | 64 | 128]) + signed_bytes(0) + number_bytes(item["dev"]) + signed_bytes(item["tgid"])
    if kind == 4:
      body += number_bytes(fields[0]) + number_bytes(len(fields[1])) + fields[1].encode()
    else:
      body += b"".join(map(number_bytes, fields))
    blocks.append(block(EVENTS, body, 1, item["t"]))
  return b"".join(blocks) + block(END, struct.pack("<Q", len(items)))
