#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The applet by itself in Plasma's own window, on a display: it is read without an error, and asks what it shows.

usage: test-plasma.py APPLET_SOURCES PLASMA_VERSION BRIOCTL [-v]
BRIO_SCREENSHOT=FILE takes a picture of it, with ImageMagick.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'lib'))
import brio  # noqa: E402
import scripted  # noqa: E402

SOURCES, VERSION, BRIOCTL = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
PATIENCE_S = 60
HELPED = {'application': 'org.mozilla.firefox', 'name': 'firefox', 'helped': True, 'latency_usec': 4100000, 'time_usec': 1795100000000000}


class Applet(unittest.TestCase):
    def setUp(self):
        window = shutil.which('plasmawindowed')
        if not window:
            self.skipTest('plasmawindowed is not installed')
        self.home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        environment = {**os.environ, 'HOME': str(self.home), 'XDG_RUNTIME_DIR': str(self.home), 'XDG_DATA_DIRS': '/usr/local/share:/usr/share',
                       'QT_QUICK_BACKEND': 'software', 'PATH': f"{BRIOCTL.parent}:{os.environ['PATH']}"}
        told = subprocess.run(['plasmashell', '--version'], env={**environment, 'QT_QPA_PLATFORM': 'offscreen'}, check=True, stdout=subprocess.PIPE, text=True)
        if told.stdout.split()[-1].split('.')[0] != VERSION:
            self.skipTest('Plasma is of another version than the applet was built for')
        self.install()
        bus = self.enterContext(brio.Bus())
        self.daemon = self.enterContext(scripted.Daemon(bus))
        self.log = self.enterContext(open(self.home / 'log', 'w+', encoding='utf-8'))
        child = self.enterContext(subprocess.Popen([window, 'org.brio.Brio'], stdout=self.log, stderr=self.log,
                                                   env={**environment, 'BRIO_BUS': bus.address, 'DBUS_SESSION_BUS_ADDRESS': bus.address}))
        self.addCleanup(child.kill)

    def install(self):
        place = self.home / '.local/share/plasma/plasmoids/org.brio.Brio'
        (place / 'contents/ui').mkdir(parents=True)
        shutil.copy(SOURCES / 'metadata.json', place)
        for source in (SOURCES / 'Client.qml', SOURCES / 'Panel.qml', SOURCES.parent / 'words.js'):
            shutil.copy(source, place / 'contents/ui')
        shutil.copy(SOURCES / f'main-{VERSION}.qml', place / 'contents/ui/main.qml')

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def test_it_is_read_without_an_error_and_asks_how_the_last_start_was_helped(self):
        self.daemon.control('AddStartup', json.dumps(HELPED))
        try:
            brio.wait_for(lambda: self.daemon.calls('GetPrefetch'), 'the question', PATIENCE_S)
        except AssertionError as e:
            raise AssertionError(f'{e}\n{self.said()}') from e
        problems = [line for line in self.said().splitlines() if 'org.brio.Brio/contents' in line]
        self.assertEqual([], problems)
        if 'BRIO_SCREENSHOT' in os.environ:
            time.sleep(2)
            subprocess.run(['import', '-window', 'root', os.environ['BRIO_SCREENSHOT']], check=True)


if __name__ == '__main__':
    unittest.main()
