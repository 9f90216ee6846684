#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program itself in a session of its own: it tells of a slow start without a window, a click opens that start, and Quit ends it.

usage: test-session.py BRIO SOURCE_TREE, with a display.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from gi.repository import Gio, GLib

BRIO, TREE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
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
        self.children = []
        self.addCleanup(self.end_all)
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.bus = self.spawn('dbus-daemon', '--config-file=%s/tests/lib/private-bus.conf' % TREE, '--nofork', '--print-address=1')
        self.spawn(str(TREE / 'tests/lib/fake-daemon.py'), '--bus', self.bus, '--scenario', str(TREE / 'tests/lib/scenarios/desktop.json'))
        kept = pathlib.Path(directory.name) / 'glib-2.0/settings/keyfile'
        kept.parent.mkdir(parents=True)
        kept.write_text('[org/brio/Brio]\nwelcomed=true\nnotify-slow-starts=true\n', encoding='utf-8')
        self.environment = {**os.environ, 'DBUS_SESSION_BUS_ADDRESS': self.bus, 'XDG_CONFIG_HOME': directory.name, 'GSETTINGS_BACKEND': 'keyfile',
                            'GNOTIFICATION_BACKEND': 'freedesktop', 'BRIO_BUS': self.bus}
        self.told = []
        flags = Gio.DBusConnectionFlags
        self.connection = Gio.DBusConnection.new_for_address_sync(self.bus, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
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

    def end_all(self):
        for child in reversed(self.children):
            child.terminate()
            child.wait()
            child.stdout.close()

    def spawn(self, *argv):
        """Starts a program and returns the first line that it says."""
        child = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        self.children.append(child)
        return child.stdout.readline().strip()

    def call(self, name, path, interface, method, parameters=None):
        return self.connection.call_sync(name, path, interface, method, parameters, None, 0, -1, None)

    def control(self, method, text=None):
        return self.call('org.brio.Brio1', '/org/brio/FakeControl', 'org.brio.FakeControl', method, text and GLib.Variant('(s)', (text,)))

    def calls(self, method):
        return [arguments for name, arguments in json.loads(self.control('Calls').unpack()[0]) if name == method]

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
        brio = subprocess.Popen([BRIO, '--gapplication-service'], env=self.environment, stdout=subprocess.PIPE)
        self.children.append(brio)
        self.wait_for(lambda: self.has_owner('org.brio.Brio'))
        while not self.told:  # until it has found the daemon it does not hear that
            self.control('AddStartup', json.dumps({**SLOW, 'time_usec': 1795000000000000, 'latency_usec': 1300000}))
            self.control('AddStartup', json.dumps({**SLOW, 'time_usec': 1795000001000000}))
            self.wait_for(lambda: self.told, 0.5, False)
        self.control('AddStartup', json.dumps({**SLOW, 'time_usec': 1795000002000000, 'application': 'org.gnome.TextEditor'}))
        self.run_for(1)
        self.assertEqual(self.calls('OpenSampleStream'), [])  # no window is shown
        # Perhaps more than once: by the time of the first one it may have been added again.
        self.assertEqual({(n[3], n[4]) for n in self.told}, {
            ('Firefox took 4.7 s to start', 'Usually 1.2 s. It waited 3.6 s for sda, while rsync had 48 % of that drive.')})

        self.connection.emit_signal(None, '/org/freedesktop/Notifications', 'org.freedesktop.Notifications', 'ActionInvoked',
                                    GLib.Variant('(us)', (len(self.told), 'default')))
        self.wait_for(lambda: ['org.mozilla.firefox', 1795000001000000] in self.calls('GetStartupTimeline'))
        self.wait_for(lambda: self.calls('OpenSampleStream'))  # a window is there

        self.call('org.brio.Brio', '/org/brio/Brio', 'org.gtk.Actions', 'Activate', GLib.Variant('(sava{sv})', ('leave', [], {})))
        self.assertEqual(brio.wait(PATIENCE_S), 0)


if __name__ == '__main__':
    unittest.main()
