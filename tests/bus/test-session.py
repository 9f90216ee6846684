#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""brio-session on private buses: GameMode's games are holds of a real briod; slow starts, as a scripted one tells them, are notifications."""

import contextlib
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import brio  # noqa: E402
import scripted  # noqa: E402
from gi.repository import Gio, GLib  # noqa: E402

GAMEMODE, GAMEMODE_PATH = "com.feralinteractive.GameMode", "/com/feralinteractive/GameMode"
GAMEMODE_XML = f"""<node><interface name="{GAMEMODE}"><method name="ListGames"><arg type="a(io)" direction="out"/></method></interface></node>"""
NOTIFICATIONS = "org.freedesktop.Notifications"
NOTIFICATIONS_XML = f"""<node><interface name="{NOTIFICATIONS}"><method name="Notify"><arg type="s" direction="in"/><arg type="u" direction="in"/>
  <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
  <arg type="a{{sv}}" direction="in"/><arg type="i" direction="in"/><arg type="u" direction="out"/></method></interface></node>"""
DASHBOARD_XML = """<node><interface name="org.freedesktop.Application"><method name="ActivateAction"><arg type="s" direction="in"/>
  <arg type="av" direction="in"/><arg type="a{sv}" direction="in"/></method></interface></node>"""
SLOW = {"application": "org.mozilla.firefox", "device": "sda", "launched": True, "cold": True, "latency_usec": 4700000, "waited_usec": 3600000,
        "usual_usec": 1200000, "p95_usec": 4700000, "best_usec": 1000000, "cold_starts": 9, "warm_starts": 0, "culprits": [["<ü>", 4711, 480]],
        "time_usec": 1795000001000000}


class Session(unittest.TestCase):
  def setUp(self):
    self.cleanup = contextlib.ExitStack()
    self.addCleanup(self.cleanup.close)
    self.user, self.system = (self.cleanup.enter_context(brio.Bus()) for _ in range(2))
    self.connection = self.user.connect()

  def start(self, *arguments):
    environment = os.environ | {"DBUS_SESSION_BUS_ADDRESS": self.user.address, "DBUS_SYSTEM_BUS_ADDRESS": self.system.address, "LC_ALL": "C.UTF-8",
                                "XDG_DATA_DIRS": str(brio.SOURCE / "tests/lib/desktop")}
    self.session = subprocess.Popen([str(brio.BUILD / "session/brio-session"), *arguments], env=environment, preexec_fn=brio.die_with_parent)
    self.cleanup.callback(self.session.wait)
    self.cleanup.callback(self.session.kill)
    return self.session

  def wait_for(self, condition, what):
    def turn():
      while GLib.MainContext.default().iteration(False):
        pass
      return condition()
    brio.wait_for(turn, what)

  def own(self, name, path, xml, on_call):
    registered = self.connection.register_object(path, Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0], on_call, None, None)
    self.bus_call("RequestName", GLib.Variant("(su)", (name, 0)))
    return registered

  def bus_call(self, method, parameters):
    return self.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, parameters, None, 0, -1, None)

  def pass_time(self):
    """As long as an answer over both buses takes, and what came before it."""
    for _ in range(20):
      self.wait_for(lambda: True, "")
      self.bus_call("GetId", None)

  def watches(self, connection, signal):
    """Whether the service has asked that bus for that signal: from then on none is missed."""
    reply = connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Debug.Stats", "GetAllMatchRules", None, None, 0, -1, None)
    return any(f"member='{signal}'" in rule for rules in reply.unpack()[0].values() for rule in rules)


class Games(Session):
  HOLD = ("interactive", "A game runs", GAMEMODE)

  def begin(self, running=()):
    self.own(GAMEMODE, GAMEMODE_PATH, GAMEMODE_XML, lambda *call: call[-1].return_value(GLib.Variant("(a(io))", (list(running),))))
    self.briod = self.cleanup.enter_context(brio.Briod(self.system))

  def game(self, signal, pid):
    self.connection.emit_signal(None, GAMEMODE_PATH, GAMEMODE, signal, GLib.Variant("(io)", (pid, f"{GAMEMODE_PATH}/Games/{pid}")))

  def holds(self):
    return [hold[1:] for hold in self.briod.get("ActiveHolds")]

  def expect(self, holds):
    self.wait_for(lambda: self.holds() == holds, f"holds {holds}")

  def test_a_game_is_a_hold_until_the_last_one_ends(self):
    self.begin()
    self.start()
    self.wait_for(lambda: self.watches(self.connection, "GameUnregistered"), "the service")
    self.game("GameRegistered", 100)
    self.expect([self.HOLD])
    self.game("GameRegistered", 101)
    self.game("GameUnregistered", 100)
    self.game("GameUnregistered", 7)  # of no game
    self.pass_time()
    self.assertEqual([self.HOLD], self.holds())
    self.game("GameUnregistered", 101)
    self.expect([])

  def test_a_game_that_ran_before_is_held_for_and_the_hold_ends_with_gamemode_and_with_the_service(self):
    self.begin([(100, GAMEMODE_PATH + "/Games/100")])
    self.start()
    self.expect([self.HOLD])
    self.bus_call("ReleaseName", GLib.Variant("(s)", (GAMEMODE,)))
    self.expect([])
    self.bus_call("RequestName", GLib.Variant("(su)", (GAMEMODE, 0)))
    self.game("GameRegistered", 102)
    self.expect([self.HOLD])
    self.session.terminate()
    self.assertEqual(0, self.session.wait(brio.PATIENCE_S))
    self.expect([])

  def test_it_fails_where_a_bus_has_gone_so_that_systemd_starts_it_anew(self):
    self.begin([(100, GAMEMODE_PATH + "/Games/100")])
    self.start()
    self.expect([self.HOLD])
    self.system.process.terminate()
    self.assertEqual(1, self.session.wait(brio.PATIENCE_S))

  def test_a_daemon_that_starts_anew_is_held_again_and_an_administrators_word_stands_until_the_next_game(self):
    self.begin([(100, GAMEMODE_PATH + "/Games/100")])
    self.start()
    self.expect([self.HOLD])
    self.briod.stop()
    self.briod = self.cleanup.enter_context(brio.Briod(self.system))
    self.expect([self.HOLD])
    self.briod.call("SetMode", "(s)", "auto")
    self.pass_time()
    self.assertEqual([], self.holds())
    self.game("GameRegistered", 101)
    self.game("GameUnregistered", 100)
    self.pass_time()
    self.assertEqual([], self.holds())
    self.game("GameUnregistered", 101)
    self.game("GameRegistered", 102)
    self.expect([self.HOLD])

  def test_games_are_none_of_its_business_where_it_is_told_so(self):
    self.begin([(100, GAMEMODE_PATH + "/Games/100")])
    self.start("--no-games")
    self.wait_for(lambda: self.watches(self.briod.connection, "StartupFinished"), "the service")
    self.pass_time()
    self.assertEqual([], self.holds())


class Notices(Session):
  def begin(self):
    self.told, self.opened = [], []

    def on_notify(*call):
      self.told.append(call[5].unpack())
      call[6].return_value(GLib.Variant("(u)", (len(self.told) + 40,)))
    self.own(NOTIFICATIONS, "/org/freedesktop/Notifications", NOTIFICATIONS_XML, on_notify)
    self.daemon = self.cleanup.enter_context(scripted.Daemon(self.system))

  def begin_watched(self, *arguments):
    self.begin()
    self.start(*arguments)
    self.wait_for(lambda: self.daemon.control("Observers")[0] == 1, "the service")

  def add(self, **changes):
    self.daemon.control("AddStartup", json.dumps(SLOW | changes))

  def test_a_slow_start_is_told_once_with_the_names_that_people_know_and_a_click_opens_it_in_the_dashboard(self):
    self.begin_watched()
    self.add(latency_usec=1300000)  # as usual
    self.add()
    self.add(application="org.gnome.TextEditor")  # too soon after the other one
    self.wait_for(lambda: self.told, "a notification")
    self.pass_time()
    self.assertEqual(
      [("Brio", 0, "org.brio.Brio", "Firefox took 4.7 s to start", "Usually 1.2 s. It waited 3.6 s for sda, while &lt;ü&gt; had 48 % of that drive.",
        ["default", "Open Brio"], {"desktop-entry": "org.brio.Brio"}, -1)], self.told)
    for number, action in ((7, "default"), (41, "default")):
      self.connection.emit_signal(None, "/org/freedesktop/Notifications", NOTIFICATIONS, "ActionInvoked", GLib.Variant("(us)", (number, action)))

    def on_activate(*call):
      self.opened.append(call[5].unpack())
      call[6].return_value(None)
    self.own("org.brio.Brio", "/org/brio/Brio", DASHBOARD_XML, on_activate)
    self.connection.emit_signal(None, "/org/freedesktop/Notifications", NOTIFICATIONS, "ActionInvoked", GLib.Variant("(us)", (41, "default")))
    self.wait_for(lambda: self.opened, "the dashboard")
    self.assertEqual(("show-startup", [("org.mozilla.firefox", 1795000001000000)], {}), self.opened[-1])

  def test_a_start_that_another_program_tells_of_is_no_notification(self):
    self.begin_watched()
    finished, other = [], self.system.connect()
    self.daemon.connection.signal_subscribe(None, brio.MANAGER, "StartupFinished", None, None, 0, lambda *call: finished.append(call[5].unpack()[0]))
    self.add(latency_usec=1300000)  # as usual
    self.wait_for(lambda: finished, "the signal")
    kinds = {bool: "b", int: "t", str: "s", list: "a(sut)"}
    forged = {key: GLib.Variant(kinds[type(value)], value) for key, value in (finished[0] | {"latency_usec": 4700000}).items()}
    for name in self.daemon.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames", None, None, 0, -1, None).unpack()[0]:
      if name.startswith(":"):
        other.emit_signal(name, brio.PATH, brio.MANAGER, "StartupFinished", GLib.Variant("(a{sv})", (forged,)))
    other.flush_sync(None)
    other.close_sync(None)
    self.add(application="org.gnome.TextEditor")
    self.wait_for(lambda: self.told, "a notification")
    self.assertEqual(["Text Editor took 4.7 s to start"], [n[3] for n in self.told])

  def test_it_tells_while_the_dashboard_runs_too(self):
    self.begin_watched()
    self.bus_call("RequestName", GLib.Variant("(su)", ("org.brio.Brio", 0)))
    self.add(application="org.gnome.TextEditor")
    self.wait_for(lambda: self.told, "a notification")
    self.assertEqual(["Text Editor took 4.7 s to start"], [n[3] for n in self.told])

  def test_a_warm_start_is_held_against_warm_ones(self):
    self.begin_watched()
    warm = {"cold": False, "warm_starts": 12, "warm_usual_usec": 400000, "warm_p95_usec": 600000}
    self.add(**warm | {"warm_starts": 2})
    self.add(**warm | {"warm_usual_usec": 4000000})
    self.pass_time()
    self.assertEqual([], self.told)
    self.add(**warm | {"latency_usec": 1500000, "waited_usec": 900000})  # as long as is usual for a cold one
    self.wait_for(lambda: self.told, "a notification")
    self.assertEqual("Usually 400 ms. It waited 900 ms for sda, while &lt;ü&gt; had 48 % of that drive.", self.told[0][4])

  def test_another_users_process_has_the_users_words_and_no_name(self):
    self.begin_watched()
    self.add(culprits=[["another user's process", 0, 480]])
    self.wait_for(lambda: self.told, "a notification")
    self.assertIn("while another user’s process had 48 % of that drive", self.told[0][4])

  def test_nothing_is_told_where_it_is_told_so(self):
    self.begin()
    self.start("--no-notifications")
    self.wait_for(lambda: self.watches(self.daemon.connection, "HoldReleased"), "the service")
    self.add()
    self.pass_time()
    self.assertEqual([], self.told)


if __name__ == "__main__":
  unittest.main()
