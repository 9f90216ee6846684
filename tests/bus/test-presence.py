#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a user is at the machine: a real briod on a private bus, on which a scripted logind comes, changes and goes."""
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests/lib"))
sys.path.insert(0, os.path.join(SOURCE, "tests/machines"))

import brio  # noqa: E402
import unpack  # noqa: E402
from gi.repository import Gio, GLib  # noqa: E402

LOGIND = "org.freedesktop.login1"
PATH = "/org/freedesktop/login1"
XML = """<node><interface name="org.freedesktop.login1.Manager">
  <method name="ListSessions"><arg type="a(susso)" direction="out"/></method>
</interface><interface name="org.freedesktop.login1.Session">
  <property name="Active" type="b" access="read"/><property name="IdleHint" type="b" access="read"/>
  <property name="Class" type="s" access="read"/><property name="Type" type="s" access="read"/>
  <property name="IdleSinceHint" type="t" access="read"/><property name="User" type="(uo)" access="read"/>
</interface></node>"""


class Logind:
  """The part of logind that briod asks; each change is told as logind tells it."""

  def __init__(self, bus):
    self.sessions, self.asked, self.deny, self.objects, self.uid = {}, 0, False, {}, 1000
    self.manager, self.session = Gio.DBusNodeInfo.new_for_xml(XML).interfaces
    self.context = GLib.MainContext.new()
    self.loop = GLib.MainLoop.new(self.context, False)
    self.context.push_thread_default()
    try:
      self.connection = bus.connect()
      self.connection.register_object(PATH, self.manager, self.on_call, None, None)
    finally:
      self.context.pop_thread_default()
    self.thread = threading.Thread(target=self.run, daemon=True)
    self.thread.start()
    self.own()

  def run(self):
    self.context.push_thread_default()
    self.loop.run()

  def do(self, function):
    """In the thread that serves, whose context what is registered there belongs to."""
    done, result = threading.Event(), []
    source = GLib.idle_source_new()

    def call(*_):
      result.append(function())
      done.set()
      return GLib.SOURCE_REMOVE
    source.set_callback(call)
    source.attach(self.context)
    if not done.wait(brio.PATIENCE_S):
      raise AssertionError("the scripted logind hangs")
    return result[0]

  def own(self):
    self.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                              GLib.Variant("(su)", (LOGIND, 0)), None, Gio.DBusCallFlags.NONE, -1, None)

  def end(self):
    if not self.connection.is_closed():
      self.connection.close_sync(None)
    self.loop.quit()
    self.thread.join()

  def on_call(self, _connection, _sender, _path, _interface, _method, _arguments, invocation):
    self.asked += 1
    if self.deny:
      invocation.return_dbus_error("org.freedesktop.DBus.Error.AccessDenied", "no")
      return
    listed = [(i, self.uid, "somebody", s["seat"], self.path(i)) for i, s in self.sessions.items()]
    invocation.return_value(GLib.Variant("(a(susso))", (listed,)))

  def on_get(self, _connection, _sender, path, _interface, name):
    values = self.sessions[path.rsplit("/_", 1)[1]]
    return {"Active": lambda: GLib.Variant("b", values["active"]), "IdleHint": lambda: GLib.Variant("b", values["idle"]),
            "Class": lambda: GLib.Variant("s", values["class"]), "Type": lambda: GLib.Variant("s", values["type"]),
            "IdleSinceHint": lambda: GLib.Variant("t", 1), "User": lambda: GLib.Variant("(uo)", (1000, PATH + "/user/_1000"))}[name]()

  @staticmethod
  def path(session):
    return f"{PATH}/session/_{session}"

  def add(self, session, **values):
    self.sessions[session] = {"active": True, "idle": False, "class": "user", "type": "wayland", "seat": "seat0"} | values
    self.objects[session] = self.do(lambda: self.connection.register_object(self.path(session), self.session, None, self.on_get, None))
    self.tell("SessionNew", session)

  def remove(self, session):
    self.connection.unregister_object(self.objects.pop(session))
    del self.sessions[session]
    self.tell("SessionRemoved", session)

  def tell(self, name, session):
    self.connection.emit_signal(None, PATH, LOGIND + ".Manager", name, GLib.Variant("(so)", (session, self.path(session))))

  def change(self, session, tell=True, **values):
    self.sessions[session].update(values)
    if tell:
      self.connection.emit_signal(None, self.path(session), "org.freedesktop.DBus.Properties", "PropertiesChanged",
                                  GLib.Variant("(sa{sv}as)", (LOGIND + ".Session", {}, ["IdleHint"])))


class Watched(unittest.TestCase):
  def setUp(self):
    self.root = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-machine-"))
    unpack.unpack("desktop-ssd-hdd", self.root)
    self.diskstats = brio.Diskstats(self.root)
    self.bus = self.enterContext(brio.Bus())

  def start_logind(self):
    logind = Logind(self.bus)
    self.addCleanup(logind.end)
    return logind

  def start_briod(self):
    self.briod = self.enterContext(brio.Briod(self.bus, "--root", self.root, "--mode", "advise"))

  def wait(self, presence):
    brio.wait_for(lambda: self.briod.get("Presence") == presence, f"presence {presence}")
    return self.briod.get("PresenceReason")


class Presence(Watched):
  def source(self):
    return next(s for s in self.briod.get("Sources") if s[0] == "logind")

  def test_without_logind_it_is_not_known_and_said_why(self):
    self.start_briod()
    brio.wait_for(lambda: "not on this bus" in self.briod.get("PresenceReason"), "the bus's answer")
    self.assertEqual("unknown", self.briod.get("Presence"))
    self.assertEqual("unavailable", self.source()[1])
    self.assertIn("systemctl start systemd-logind", self.source()[2])

  def test_processes_that_come_and_go_are_followed(self):
    logind = self.start_logind()
    self.start_briod()
    self.assertEqual("no user is logged in", self.wait("nobody"))
    logind.add("2")
    self.assertEqual("session 2 (wayland) on seat0 is in use", self.wait("somebody"))
    self.assertEqual(["works", "whether a user is there: session 2 (wayland) on seat0 is in use"], list(self.source()[1:]))
    logind.change("2", idle=True)
    self.assertEqual("session 2 (wayland) on seat0 is idle", self.wait("idle"))
    logind.add("3", type="tty", seat="")
    self.assertEqual("session 3 (tty) from afar is in use", self.wait("somebody"))
    logind.remove("3")
    self.wait("idle")
    logind.remove("2")
    self.wait("nobody")

  def test_the_bus_is_told_of_a_change(self):
    logind = self.start_logind()
    self.start_briod()
    self.wait("nobody")
    changes, context = [], GLib.MainContext.new()
    context.push_thread_default()
    try:
      connection = self.bus.connect()
      connection.signal_subscribe(brio.NAME, "org.freedesktop.DBus.Properties", "PropertiesChanged", brio.PATH, None,
                                  Gio.DBusSignalFlags.NONE, lambda *a: changes.append(a[5].unpack()[1]))
      connection.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId", None, None, Gio.DBusCallFlags.NONE, -1, None)
      logind.add("2")
      self.wait("somebody")
      brio.wait_for(lambda: context.iteration(False) and False or {"Presence": "somebody"} in changes, "the signal")
      connection.close_sync(None)
    finally:
      context.pop_thread_default()

  def test_a_logind_that_comes_later_or_goes_is_noticed(self):
    self.start_briod()
    self.wait("unknown")
    logind = self.start_logind()
    logind.add("2")
    self.wait("somebody")
    logind.end()
    self.wait("unknown")
    self.assertIn("not on this bus", self.briod.get("PresenceReason"))
    self.assertEqual([{"id": "logind-absent"}], self.briod.get("PresenceReasonData"))

  def test_a_refusal_is_named(self):
    logind = self.start_logind()
    logind.deny = True
    self.start_briod()
    brio.wait_for(lambda: "forbids it" in self.briod.get("PresenceReason"), "the refusal")
    self.assertEqual(("unknown", "unavailable"), (self.briod.get("Presence"), self.source()[1]))

  def test_what_changes_all_the_time_is_looked_at_once_a_second(self):
    logind = self.start_logind()
    self.start_briod()
    self.wait("nobody")
    logind.add("2")
    self.wait("somebody")
    logind.asked, began = 0, time.monotonic()
    for i in range(500):
      logind.change("2", idle=i % 2 == 0)
    logind.change("2", idle=True)
    self.wait("idle")
    self.assertLessEqual(logind.asked, 2 + time.monotonic() - began)

  def test_many_sessions_do_not_harm(self):
    logind = self.start_logind()
    for i in range(100):
      logind.add(f"{i}", seat="", idle=True)
    self.start_briod()
    self.wait("idle")
    self.assertIn("beyond the first 64", self.source()[2])


@unittest.skipIf(os.geteuid() != 0, "needs root to become another user")
class Starters(Watched):
  """Users whose starts count, on the running machine, where briod only watches."""
  START = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "XDG_ACTIVATION_TOKEN=token", "sleep", "2"]  # long enough to be looked at

  def start_briod(self):
    self.briod = self.enterContext(brio.Briod(self.bus, "--mode", "off"))
    if ("proc-connector", "works") not in [(name, state) for name, state, _ in self.briod.get("Sources")]:
      self.skipTest("the kernel does not let us listen to the process connector")

  def refused(self):
    return self.briod.get("Counters")["startups_refused"]

  def start(self):
    for _ in range(3):
      process = subprocess.Popen(self.START)
      self.addCleanup(process.wait)

  def start_until_refused(self):
    """Again and again: on a busy machine some are over before briod has looked at them."""
    before, started = self.refused(), -math.inf

    def look():
      nonlocal started
      if time.monotonic() > started + 1:
        started = time.monotonic()
        self.start()
      return self.refused() >= before + 3
    brio.wait_for(look, "starts that do not count")

  def test_what_a_user_without_a_session_starts_does_not_count(self):
    logind = self.start_logind()
    logind.add("2")  # another user's
    self.start_briod()
    self.wait("somebody")
    self.start_until_refused()

  def test_what_a_user_with_a_session_starts_counts(self):
    logind = self.start_logind()
    logind.uid = 65534
    logind.add("2")
    self.start_briod()
    self.wait("somebody")
    before = self.refused()
    self.start()
    logind.remove("2")
    self.wait("nobody")
    self.assertEqual(before, self.refused())
    self.start_until_refused()


if __name__ == "__main__":
  unittest.main()
