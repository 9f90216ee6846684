# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripted daemon (fake-daemon.py) on a bus, for tests of what talks to briod."""
import json
import subprocess

import brio
from gi.repository import Gio, GLib


class Daemon:
  """A context manager. Its strings are pulled over a connection of its own."""

  def __init__(self, bus, scenario="desktop.json"):
    self.bus, self.scenario = bus, scenario

  def __enter__(self):
    lib = brio.SOURCE / "tests/lib"
    self.process = subprocess.Popen([str(lib / "fake-daemon.py"), "--bus", self.bus.address, "--scenario", str(lib / "scenarios" / self.scenario)],
                                    stdout=subprocess.PIPE, text=True, preexec_fn=brio.die_with_parent)
    if self.process.stdout.readline() != "ready\n":
      raise AssertionError("the scripted daemon did not start")
    self.connection = self.bus.connect()
    return self

  def __exit__(self, *_):
    self.process.kill()
    self.process.wait()
    self.process.stdout.close()
    self.connection.close_sync(None)

  def control(self, method, *texts):
    return self.connection.call_sync(brio.NAME, "/org/brio/FakeControl", "org.brio.FakeControl", method, GLib.Variant(f"({'s' * len(texts)})", texts), None,
                                     Gio.DBusCallFlags.NONE, -1, None).unpack()

  def calls(self, method):
    """The arguments of each call of that method so far."""
    return [arguments for name, arguments in json.loads(self.control("Calls")[0]) if name == method]
