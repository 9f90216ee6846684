#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The applet by itself in Plasma's own window, on a display: it is read without an error, and asks what it shows.

usage: test-plasma.py APPLET_SOURCES PLASMA_VERSION BRIOCTL SOURCE_TREE [-v]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from gi.repository import Gio, GLib

SOURCES, VERSION, BRIOCTL, TREE = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
PATIENCE_S = 60
HELPED = {'application': 'org.mozilla.firefox', 'name': 'firefox', 'helped': True, 'latency_usec': 4100000, 'time_usec': 1795100000000000}


class Applet(unittest.TestCase):
    def setUp(self):
        window = shutil.which('plasmawindowed')
        if not window:
            self.skipTest('plasmawindowed is not installed')
        self.children = []
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.addCleanup(self.end_all)
        self.home = pathlib.Path(directory.name)
        self.environment = {**os.environ, 'HOME': directory.name, 'XDG_RUNTIME_DIR': directory.name, 'XDG_DATA_DIRS': '/usr/local/share:/usr/share',
                            'QT_QUICK_BACKEND': 'software', 'PATH': f"{BRIOCTL.parent}:{os.environ['PATH']}"}
        told = subprocess.run(['plasmashell', '--version'], env={**self.environment, 'QT_QPA_PLATFORM': 'offscreen'}, check=True, stdout=subprocess.PIPE, text=True)
        if told.stdout.split()[-1].split('.')[0] != VERSION:
            self.skipTest('Plasma is of another version than the applet was built for')
        self.install()
        self.bus = self.spawn('dbus-daemon', f'--config-file={TREE}/tests/lib/private-bus.conf', '--nofork', '--print-address=1')
        self.spawn(str(TREE / 'tests/lib/fake-daemon.py'), '--bus', self.bus, '--scenario', str(TREE / 'tests/lib/scenarios/desktop.json'))
        flags = Gio.DBusConnectionFlags
        self.connection = Gio.DBusConnection.new_for_address_sync(self.bus, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
        self.log = open(self.home / 'log', 'w+', encoding='utf-8')
        self.addCleanup(self.log.close)
        self.children.append(subprocess.Popen([window, 'org.brio.Brio'], env={**self.environment, 'BRIO_BUS': self.bus, 'DBUS_SESSION_BUS_ADDRESS': self.bus},
                                              stdout=self.log, stderr=self.log))

    def install(self):
        place = self.home / '.local/share/plasma/plasmoids/org.brio.Brio'
        (place / 'contents/ui').mkdir(parents=True)
        shutil.copy(SOURCES / 'metadata.json', place)
        for source in (SOURCES / 'Client.qml', SOURCES / 'Panel.qml', SOURCES.parent / 'words.js'):
            shutil.copy(source, place / 'contents/ui')
        shutil.copy(SOURCES / f'main-{VERSION}.qml', place / 'contents/ui/main.qml')

    def end_all(self):
        for child in reversed(self.children):
            child.kill()
            child.wait()
            if child.stdout:
                child.stdout.close()

    def spawn(self, *argv):
        """Starts a program and returns the first line that it says."""
        child = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        self.children.append(child)
        return child.stdout.readline().strip()

    def control(self, method, *texts):
        return self.connection.call_sync('org.brio.Brio1', '/org/brio/FakeControl', 'org.brio.FakeControl', method,
                                         GLib.Variant(f"({'s' * len(texts)})", texts) if texts else None, None, 0, -1, None)

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def test_it_is_read_without_an_error_and_asks_how_the_last_start_was_helped(self):
        self.control('AddStartup', json.dumps(HELPED))
        end = time.monotonic() + PATIENCE_S
        while 'GetPrefetch' not in (name for name, _ in json.loads(self.control('Calls').unpack()[0])):
            self.assertLess(time.monotonic(), end, self.said())
            time.sleep(0.1)
        problems = [line for line in self.said().splitlines() if 'org.brio.Brio/contents' in line]
        self.assertEqual([], problems)


if __name__ == '__main__':
    unittest.main()
