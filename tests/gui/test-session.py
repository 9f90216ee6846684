#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program itself in a session of its own: what a click on a notification of brio-session asks for opens that start.

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
from gi.repository import GLib  # noqa: E402

BRIO = sys.argv.pop(1)
PATIENCE_S = 30


class Session(unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        bus = self.enterContext(brio.Bus())
        self.daemon = self.enterContext(scripted.Daemon(bus))
        kept = pathlib.Path(directory) / 'glib-2.0/settings/keyfile'
        kept.parent.mkdir(parents=True)
        kept.write_text('[org/brio/Brio]\nwelcomed=true\n', encoding='utf-8')
        self.environment = {**os.environ, 'DBUS_SESSION_BUS_ADDRESS': bus.address, 'XDG_CONFIG_HOME': directory, 'GSETTINGS_BACKEND': 'keyfile',
                            'BRIO_BUS': bus.address}
        self.connection = bus.connect()

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

    def test_what_a_click_on_a_notification_asks_for_opens_that_start(self):
        self.daemon.control('AddStartup', json.dumps({'application': 'org.mozilla.firefox', 'time_usec': 1795000001000000, 'latency_usec': 4700000}))
        program = self.enterContext(subprocess.Popen([BRIO, '--gapplication-service'], env=self.environment))
        self.addCleanup(program.kill)
        self.wait_for(lambda: self.has_owner('org.brio.Brio'))
        self.run_for(1)
        self.assertEqual(self.daemon.calls('OpenSampleStream'), [])  # no window is shown
        self.call('org.brio.Brio', '/org/brio/Brio', 'org.freedesktop.Application', 'ActivateAction',
                  GLib.Variant('(sava{sv})', ('show-startup', [GLib.Variant('(sx)', ('org.mozilla.firefox', 1795000001000000))], {})))
        self.wait_for(lambda: ['org.mozilla.firefox', 1795000001000000] in self.daemon.calls('GetStartupTimeline'))
        self.wait_for(lambda: self.daemon.calls('OpenSampleStream'))  # a window is there

        self.call('org.brio.Brio', '/org/brio/Brio', 'org.gtk.Actions', 'Activate', GLib.Variant('(sava{sv})', ('quit', [], {})))
        self.assertEqual(program.wait(PATIENCE_S), 0)


if __name__ == '__main__':
    unittest.main()
