#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program itself in a session of its own: it tells of a slow start without a window, a click opens that start, and Quit ends it.

usage: test-session.py BRIO, with a display.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'lib'))
import brio  # noqa: E402
import scripted  # noqa: E402
from gi.repository import Gio, GLib  # noqa: E402

BRIO = sys.argv.pop(1)
PATIENCE_S = 30
SLOW = {'application': 'org.mozilla.firefox', 'device': 'sda', 'launched': True, 'cold': True, 'latency_usec': 4700000, 'waited_usec': 3600000,
        'usual_usec': 1200000, 'p95_usec': 4700000, 'best_usec': 1000000, 'cold_starts': 9, 'warm_starts': 0,
        'culprits': [['rsync', 4711, 480]]}
NOTIFICATIONS_XML = '''<node><interface name="org.freedesktop.Notifications">
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="Notify"><arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="as" direction="in"/><arg type="a{sv}" direction="in"/><arg type="i" direction="in"/>
    <arg type="u" direction="out"/></method>
  <method name="CloseNotification"><arg type="u" direction="in"/></method>
  <signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
</interface></node>'''


class Session(unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        bus = self.enterContext(brio.Bus())
        self.daemon = self.enterContext(scripted.Daemon(bus))
        kept = pathlib.Path(directory) / 'glib-2.0/settings/keyfile'
        kept.parent.mkdir(parents=True)
        kept.write_text('[org/brio/Brio]\nwelcomed=true\nnotify-slow-starts=true\n', encoding='utf-8')
        self.environment = {**os.environ, 'DBUS_SESSION_BUS_ADDRESS': bus.address, 'XDG_CONFIG_HOME': directory, 'GSETTINGS_BACKEND': 'keyfile',
                            'GNOTIFICATION_BACKEND': 'freedesktop', 'BRIO_BUS': bus.address}
        self.told = []
        self.connection = bus.connect()
        interface = Gio.DBusNodeInfo.new_for_xml(NOTIFICATIONS_XML).interfaces[0]
        self.connection.register_object('/org/freedesktop/Notifications', interface, self.on_notifications, None, None)
        self.call('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'RequestName',
                  GLib.Variant('(su)', ('org.freedesktop.Notifications', 0)))

    def on_notifications(self, _connection, _sender, _path, _interface, method, parameters, invocation):
        if method == 'Notify':
            self.told.append(parameters.unpack())
            invocation.return_value(GLib.Variant('(u)', (len(self.told),)))
        else:
            invocation.return_value(GLib.Variant('(as)', (['actions', 'body'],)) if method == 'GetCapabilities' else None)

    def call(self, name, path, interface, method, parameters=None):
        return self.connection.call_sync(name, path, interface, method, parameters, None, 0, -1, None)

    def run_for(self, seconds):
        self.wait_for(lambda: False, seconds, False)

    def wait_for(self, condition, seconds=PATIENCE_S, needed=True):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                self.assertFalse(needed, 'that did not come about')
                return
            GLib.MainContext.default().iteration(False)
            time.sleep(0.01)

    def has_owner(self, name):
        return self.call('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'NameHasOwner', GLib.Variant('(s)', (name,))).unpack()[0]

    def test_without_a_window_it_tells_of_a_slow_start_and_a_click_opens_that_start(self):
        program = self.enterContext(subprocess.Popen([BRIO, '--gapplication-service'], env=self.environment))
        self.addCleanup(program.kill)
        self.wait_for(lambda: self.has_owner('org.brio.Brio'))
        while not self.told:  # until it has found the daemon it does not hear that
            self.daemon.control('AddStartup', json.dumps({**SLOW, 'time_usec': 1795000000000000, 'latency_usec': 1300000}))
            self.daemon.control('AddStartup', json.dumps({**SLOW, 'time_usec': 1795000001000000}))
            self.wait_for(lambda: self.told, 0.5, False)
        self.daemon.control('AddStartup', json.dumps({**SLOW, 'time_usec': 1795000002000000, 'application': 'org.gnome.TextEditor'}))
        self.run_for(1)
        self.assertEqual(self.daemon.calls('OpenSampleStream'), [])  # no window is shown
        # Perhaps more than once: by the time of the first one it may have been added again.
        self.assertEqual({(n[3], n[4]) for n in self.told}, {
            ('Firefox took 4.7 s to start', 'Usually 1.2 s. It waited 3.6 s for sda, while rsync had 48 % of that drive.')})

        self.connection.emit_signal(None, '/org/freedesktop/Notifications', 'org.freedesktop.Notifications', 'ActionInvoked',
                                    GLib.Variant('(us)', (len(self.told), 'default')))
        self.wait_for(lambda: ['org.mozilla.firefox', 1795000001000000] in self.daemon.calls('GetStartupTimeline'))
        self.wait_for(lambda: self.daemon.calls('OpenSampleStream'))  # a window is there

        self.call('org.brio.Brio', '/org/brio/Brio', 'org.gtk.Actions', 'Activate', GLib.Variant('(sava{sv})', ('leave', [], {})))
        self.assertEqual(program.wait(PATIENCE_S), 0)


if __name__ == '__main__':
    unittest.main()
