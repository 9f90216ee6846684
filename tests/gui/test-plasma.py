#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The applet by itself in Plasma's own window, on a display. What it shows is read, and its buttons are clicked, by a few lines added to its panel.

usage: test-plasma.py APPLET_SOURCES PLASMA_VERSION BRIOCTL [-v]
BRIO_SCREENSHOT=DIRECTORY takes a picture of it, with ImageMagick.
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
from gi.repository import GLib  # noqa: E402

SOURCES, VERSION, BRIOCTL = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
PATIENCE_S = 60
HELPED = {'application': 'org.mozilla.firefox', 'name': 'firefox', 'helped': True, 'latency_usec': 4100000, 'time_usec': 1795100000000000}
# Says each fifth of a second what is shown, and clicks what the file `click` names.
DRIVER = '''
    Timer {
        interval: 200
        repeat: true
        running: true
        onTriggered: {
            panel.Window.window.width = panel.Layout.preferredWidth; // without a window manager it would be as small as an icon
            panel.Window.window.height = panel.implicitHeight;
            console.log('SHOWS ' + JSON.stringify(driver.walk(panel, []).map(item => item.text)));
            driver.connectSource('cat "$HOME/click" && rm "$HOME/click"');
        }
    }
    Connections {
        target: driver
        function onNewData(command, data) {
            driver.disconnectSource(command);
            driver.walk(panel, []).filter(item => item.text === data.stdout && item.enabled && 'checkable' in item).forEach(item => item.clicked());
        }
    }
    Driver.DataSource {
        id: driver
        engine: 'executable'
        function walk(item, found) {
            if (!item.visible)
                return found;
            if (item.text)
                found.push(item);
            for (let i = 0; i < item.children.length; i++)
                walk(item.children[i], found);
            return found;
        }
    }
'''
MENU_PREFIXES = {'5': '', '6': 'plasma-'}  # as each session has it
DRIVER_MODULES = {'5': 'org.kde.plasma.core 2.0', '6': 'org.kde.plasma.plasma5support 2.0'}


class Applet(unittest.TestCase):
    def setUp(self):
        window = shutil.which('plasmawindowed')
        if not window:
            self.skipTest('plasmawindowed is not installed')
        self.home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        environment = {**os.environ, 'HOME': str(self.home), 'XDG_RUNTIME_DIR': str(self.home), 'XDG_DATA_DIRS': '/usr/local/share:/usr/share',
                       'QT_QUICK_BACKEND': 'software', 'XDG_MENU_PREFIX': MENU_PREFIXES[VERSION], 'PATH': f"{self.home}/bin:{BRIOCTL.parent}:{os.environ['PATH']}"}
        told = subprocess.run(['plasmashell', '--version'], env={**environment, 'QT_QPA_PLATFORM': 'offscreen'}, check=True, stdout=subprocess.PIPE, text=True)
        if told.stdout.split()[-1].split('.')[0] != VERSION:
            self.skipTest('Plasma is of another version than the applet was built for')
        self.install()
        self.bus = self.enterContext(brio.Bus())
        self.daemon = self.enterContext(scripted.Daemon(self.bus))
        self.holder = self.bus.connect()
        self.log = self.enterContext(open(self.home / 'log', 'w+', encoding='utf-8'))
        child = self.enterContext(subprocess.Popen([window, 'org.brio.Brio'], stdout=self.log, stderr=self.log,
                                                   env={**environment, 'BRIO_BUS': self.bus.address, 'DBUS_SESSION_BUS_ADDRESS': self.bus.address}))
        self.addCleanup(child.kill)

    def install(self):
        place = self.home / '.local/share/plasma/plasmoids/org.brio.Brio'
        (place / 'contents/ui').mkdir(parents=True)
        shutil.copy(SOURCES / 'metadata.json', place)
        for source in (SOURCES / 'Client.qml', SOURCES.parent / 'words.js'):
            shutil.copy(source, place / 'contents/ui')
        panel = (SOURCES / 'Panel.qml').read_text(encoding='utf-8').rstrip().removesuffix('}')
        (place / 'contents/ui/Panel.qml').write_text(f'import QtQuick.Window 2.15\nimport {DRIVER_MODULES[VERSION]} as Driver\n{panel}{DRIVER}}}\n', encoding='utf-8')
        shutil.copy(SOURCES / f'main-{VERSION}.qml', place / 'contents/ui/main.qml')
        applications, programs = self.home / '.local/share/applications', self.home / 'bin'
        applications.mkdir()
        (applications / 'org.mozilla.firefox.desktop').write_text('[Desktop Entry]\nType=Application\nName=Firefox\nExec=true\nCategories=Network;\n', encoding='utf-8')
        programs.mkdir()
        (programs / 'brio').write_text(f'#!/bin/sh\necho opened > {self.home}/opened\n', encoding='utf-8')
        (programs / 'brio').chmod(0o755)

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def wait_for(self, condition, what):
        try:
            return brio.wait_for(condition, what, PATIENCE_S)
        except AssertionError as e:
            raise AssertionError(f'{e}\n{self.said()}') from e

    def shown(self):
        lines = [line for line in self.said().splitlines() if 'SHOWS [' in line]
        return json.loads(lines[-1].split('SHOWS ')[1]) if lines else []

    def shows(self, *names):
        self.wait_for(lambda: set(self.shown()) >= set(names), f'{names}')

    def lacks(self, name):
        self.wait_for(lambda: self.shown() and name not in self.shown(), f'no {name}')

    def click(self, name):
        self.shows(name)
        click = self.home / 'click'
        (self.home / 'click.new').write_text(name, encoding='utf-8')
        (self.home / 'click.new').rename(click)
        self.wait_for(lambda: not click.exists(), 'the click')

    def calls(self, method, wanted):
        self.wait_for(lambda: self.daemon.calls(method) == wanted, f'{method}: {wanted}, not {self.daemon.calls(method)}')

    def no_problems(self):
        self.assertEqual([], [line for line in self.said().splitlines() if 'org.brio.Brio/contents' in line and 'SHOWS [' not in line])

    def test_it_says_how_the_last_start_was_helped_with_the_name_that_people_know(self):
        self.daemon.control('AddStartup', json.dumps(HELPED))
        self.shows('Automatic', 'Firefox: 4.1 s instead of 20 s')
        self.no_problems()

    def test_it_sets_the_mode_and_a_refusal_is_told_in_a_sentence(self):
        self.click('Advise')
        self.calls('SetMode', [['advise']])
        self.daemon.control('SetErrors', json.dumps({'SetMode': ['NotAuthorized', 'not allowed: it needs org.brio.Brio1.manage']}))
        self.click('Off')
        self.shows('Administrator permission is needed')
        self.no_problems()

    def test_it_pauses_for_an_hour_and_goes_on(self):
        self.click('Pause for an Hour')
        self.calls('Hold', [['pause', 'Paused for an hour from the desktop', 'org.brio.Brio']])
        self.click('Resume')
        self.shows('Pause for an Hour')
        self.assertEqual([], self.holds())
        self.no_problems()

    def holds(self):
        reply = self.ask_daemon('org.freedesktop.DBus.Properties', 'Get', GLib.Variant('(ss)', ('org.brio.Brio1.Manager', 'ActiveHolds')))
        return reply.unpack()[0]

    def ask_daemon(self, interface, method, parameters):
        return self.holder.call_sync('org.brio.Brio1', '/org/brio/Brio1', interface, method, parameters, None, 0, -1, None)

    def test_another_programs_hold_is_told_with_its_reason_and_released(self):
        self.ask_daemon('org.brio.Brio1.Manager', 'Hold', GLib.Variant('(sss)', ('pause', 'A download runs', 'org.mozilla.firefox')))
        self.shows('Paused by Firefox', 'Paused by Firefox: A download runs')
        self.take_picture()
        self.click('Release')
        self.lacks('Paused by Firefox')
        self.assertEqual([], self.holds())
        self.no_problems()

    def test_it_opens_the_dashboard(self):
        self.click('Open Brio')
        self.wait_for((self.home / 'opened').exists, 'the dashboard')
        self.no_problems()

    def take_picture(self):
        if 'BRIO_SCREENSHOT' in os.environ:
            time.sleep(2)
            subprocess.run(['import', '-window', 'root', os.environ['BRIO_SCREENSHOT'] + '/plasma.png'], check=True)


if __name__ == '__main__':
    unittest.main()
