# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection to a message bus with as many calls under way as one likes, and with no library that would hold some of them back."""
import os
import socket
import struct

CALL, ERROR = 1, 3
ERROR_NAME, REPLY_SERIAL = 4, 5
HEADER_BYTES = 16
FDS_MAX = 16
DBUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")


class BusError(Exception):
  """The bus did not let us in, or left; the text says which."""


def padding(length, to):
  return b"\0" * (-length % to)


def text(value):
  """The body of a call, one text."""
  data = value.encode()
  return struct.pack("<I", len(data)) + data + b"\0"


def texts(*values):
  body = b""
  for value in values:
    body += padding(len(body), 4) + text(value)
  return body


def call(serial, destination, path, interface, member, signature="", body=b""):
  """The bytes of a method call, with the marshalled body."""
  fields = b""
  for code, kind, value in ((1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination), (8, "g", signature)):
    if value:
      data = bytes([len(value)]) + value.encode() + b"\0" if kind == "g" else text(value)
      fields += padding(len(fields), 8) + bytes([code, 1]) + kind.encode() + b"\0" + data
  header = struct.pack("<cBBBIII", b"l", CALL, 0, 1, len(body), serial, len(fields)) + fields
  return header + padding(len(header), 8) + body


def length(header):
  """Of the message that begins so."""
  _endian, _kind, _flags, _version, body, _serial, fields = struct.unpack("<cBBBIII", header[:HEADER_BYTES])
  return HEADER_BYTES + fields + -(HEADER_BYTES + fields) % 8 + body


def answer(message):
  """The serial of the call that a message answers, 0 for none, and the error's name, None without one."""
  serial, error = 0, None
  at, end = HEADER_BYTES, HEADER_BYTES + struct.unpack_from("<I", message, 12)[0]
  while at < end:
    at += -at % 8
    code, kind = message[at], message[at + 2:at + 3]
    at += 4
    if kind == b"g":
      at += message[at] + 2
      continue
    value = struct.unpack_from("<I", message, at)[0]
    at += 4
    if code == REPLY_SERIAL:
      serial = value
    if kind in b"so":
      if code == ERROR_NAME:
        error = message[at:at + value].decode()
      at += value + 1
  return serial, error if message[1] == ERROR else None


class Connection:
  """address: unix:abstract=... or unix:path=...; as the user that the process is."""

  def __init__(self, address):
    kind, _, name = address.removeprefix("unix:").split(",")[0].partition("=")
    self.socket = socket.socket(socket.AF_UNIX)
    self.socket.connect("\0" + name if kind == "abstract" else name)
    self.serial, self.received, self.fds = 0, b"", []
    self._say(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode(), b"OK")
    self._say(b"NEGOTIATE_UNIX_FD", b"AGREE_UNIX_FD")
    self.socket.sendall(b"BEGIN\r\n")
    self.send(*DBUS, "Hello")
    self.receive()

  def _say(self, line, expected):
    self.socket.sendall(line + b"\r\n")
    said = self.socket.recv(4096)
    if not said.startswith(expected):
      raise BusError(f"the bus says {said!r}")

  def send(self, *what):
    """Destination, path, interface, member, and where there is one the body's signature and the body. Returns its serial."""
    self.serial += 1
    self.socket.sendall(call(self.serial, *what))
    return self.serial

  def receive(self):
    """The next answer: the serial of its call, and the name of the error or None. Its descriptors are kept open in fds."""
    while True:
      message = self._message()
      serial, error = answer(message)
      if serial:
        return serial, error

  def _message(self):
    while len(self.received) < HEADER_BYTES or len(self.received) < length(self.received):
      data, fds, _flags, _address = socket.recv_fds(self.socket, 1 << 16, FDS_MAX)
      if not data:
        raise BusError("the bus has closed the connection")
      self.received += data
      self.fds += fds
    end = length(self.received)
    message, self.received = self.received[:end], self.received[end:]
    return message
