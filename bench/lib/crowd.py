#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""One of a crowd around briod: a user that floods it, or another that asks it something now and then.

usage: crowd.py ROLE ADDRESS UID SECONDS

Prints what became of it as JSON: "times_ms" of briod's answers and "bus_ms" of the bus' own, or how many there were of each kind ("answered", an error's name)."""
import collections
import json
import os
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from lib import bus  # noqa: E402

NAME, PATH = "org.brio.Brio1", "/org/brio/Brio1"
MANAGER, PROPERTIES, OBJECTS = "org.brio.Brio1.Manager", "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
GET_MODE = (PROPERTIES, "Get", "ss", bus.texts(MANAGER, "Mode"))
DEAR = ((PROPERTIES, "GetAll", "s", bus.text(MANAGER)), (OBJECTS, "GetManagedObjects"), (MANAGER, "GetProcesses", "u", bytes(4)))
LONG = ((MANAGER, "SetMode", "s", bus.text("x" * (1 << 20))),)
STREAM = (MANAGER, "OpenSampleStream", "u", (100).to_bytes(4, "little"))
ASK_EVERY_S = 0.025  # 40 a second, which no user is refused
IN_FLIGHT, LONG_IN_FLIGHT = 64, 8
CONNECTIONS = 8
STARTS = 1000
STARTED = "/bin/true"


def ask(address, end):
  """One call after the other, as a dashboard does; the first lets briod look at processes. The bus is asked as often, which no briod has a part in."""
  connection, times, of_bus = bus.Connection(address), [], []
  connection.send(NAME, PATH, *DEAR[2])
  connection.receive()
  while time.monotonic() < end:
    begin = time.monotonic()
    for call, found in (((NAME, PATH, *GET_MODE), times), ((*bus.DBUS, "GetId"), of_bus)):
      sent = time.monotonic()
      connection.send(*call)
      error = connection.receive()[1]
      if error:
        return {"error": error}
      found.append((time.monotonic() - sent) * 1000)
    time.sleep(max(begin + ASK_EVERY_S - time.monotonic(), 0))
  return {"times_ms": times, "bus_ms": of_bus}


def flood(address, end, calls, in_flight):
  """As many calls as are let in, so many of them under way."""
  connection, counts = bus.Connection(address), collections.Counter()
  for i in range(in_flight):
    connection.send(NAME, PATH, *calls[i % len(calls)])
  while time.monotonic() < end:
    serial, error = connection.receive()
    counts[error or "answered"] += 1
    connection.send(NAME, PATH, *calls[serial % len(calls)])
  return counts


def hoard(address, end):
  """Opens streams from several connections, reads none, and tries for more each second."""
  connections, counts = [bus.Connection(address) for _ in range(CONNECTIONS)], collections.Counter()
  while time.monotonic() < end:
    for connection in connections:
      connection.send(NAME, PATH, *STREAM)
      counts[connection.receive()[1] or "answered"] += 1
    time.sleep(max(min(1, end - time.monotonic()), 0))
  return counts


def start(_address, end):
  """Programs, one after the other, each with a token that says it was clicked on."""
  environment = {"PATH": "/usr/bin:/bin", "XDG_ACTIVATION_TOKEN": "brio-bench"}
  started = 0
  while started < STARTS and time.monotonic() < end:
    os.waitpid(os.posix_spawn(STARTED, [STARTED], environment), 0)
    started += 1
  time.sleep(max(end - time.monotonic(), 0))
  return {"answered": started}


ROLES = {
  "ask": ask,
  "calls": lambda address, end: flood(address, end, DEAR, IN_FLIGHT),
  "long": lambda address, end: flood(address, end, LONG, LONG_IN_FLIGHT),
  "streams": hoard,
  "starts": start,
}


def main(role, address, uid, seconds):
  if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(int(uid))
    os.setuid(int(uid))
  print(json.dumps(ROLES[role](address, time.monotonic() + float(seconds))))


if __name__ == "__main__":
  main(*sys.argv[1:])
