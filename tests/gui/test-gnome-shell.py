#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The toggle in a GNOME Shell of its own, without a screen.

usage: test-gnome-shell.py EXTENSION_DIRECTORY [-v]
BRIO_SCREENSHOT=DIRECTORY takes pictures of the open menu.
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

EXTENSION = pathlib.Path(sys.argv.pop(1))
UUID = 'brio@org.brio'
PATIENCE_S = 60
HELPED = {'application': 'org.mozilla.firefox', 'name': 'firefox', 'helped': True, 'launched': True, 'latency_usec': 4100000,
          'time_usec': 1795100000000000}
TOGGLE = 'const menu = Main.panel.statusArea.quickSettings; const toggle = menu.menu._grid.get_children().find(c => c._pause);'


def find_shell():
    shell = shutil.which('gnome-shell')
    if not shell:
        raise unittest.SkipTest('gnome-shell is not installed')
    version = int(subprocess.run([shell, '--version'], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[2].split('.')[0])
    if str(version) not in json.loads((EXTENSION / 'metadata.json').read_text(encoding='utf-8'))['shell-version']:
        raise unittest.SkipTest('gnome-shell is of another version than the toggle was built for')
    return shell


class Toggle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shell = find_shell()
        home = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        shutil.copytree(EXTENSION, home / 'data/gnome-shell/extensions' / UUID)
        settings = home / 'config/glib-2.0/settings/keyfile'
        settings.parent.mkdir(parents=True)
        settings.write_text(f"[org/gnome/shell]\nenabled-extensions=['{UUID}']\nwelcome-dialog-last-shown-version='99'\n", encoding='utf-8')
        (home / 'run').mkdir(mode=0o700)
        session, cls.system = (cls.enterClassContext(brio.Bus()) for _ in range(2))
        cls.start_daemon()
        cls.connection = session.connect()
        cls.log = cls.enterClassContext(open(home / 'log', 'w+', encoding='utf-8'))
        environment = {**os.environ, 'HOME': str(home), 'XDG_DATA_HOME': str(home / 'data'), 'XDG_CONFIG_HOME': str(home / 'config'),
                       'XDG_RUNTIME_DIR': str(home / 'run'), 'GSETTINGS_BACKEND': 'keyfile', 'DBUS_SESSION_BUS_ADDRESS': session.address,
                       'DBUS_SYSTEM_BUS_ADDRESS': cls.system.address,
                       'XDG_DATA_DIRS': f'{brio.SOURCE}/tests/lib/desktop:/usr/local/share:/usr/share'}
        for name in ('G_DEBUG', 'GSETTINGS_SCHEMA_DIR', 'DISPLAY', 'GTK_A11Y'):
            environment.pop(name, None)
        child = cls.enterClassContext(subprocess.Popen(
            [shell, '--headless', '--no-x11', '--wayland-display', 'brio-test', '--virtual-monitor', '1280x800', '--unsafe-mode'],
            env=environment, stdout=cls.log, stderr=cls.log))
        cls.addClassCleanup(child.kill)
        cls.wait_for(lambda: cls.eval('1') == 1, 'gnome-shell')
        cls.wait_for(lambda: cls.eval('Main.layoutManager._startingUp ? 0 : 1') == 1, 'the end of the start')
        cls.eval('Main.overview.hide(); 1')

    @classmethod
    def start_daemon(cls):
        cls.daemon = cls.enterClassContext(scripted.Daemon(cls.system))

    @classmethod
    def eval(cls, script):
        """What the script comes to, in the shell; None where there is none yet."""
        try:
            done, text = cls.connection.call_sync('org.gnome.Shell', '/org/gnome/Shell', 'org.gnome.Shell', 'Eval', GLib.Variant('(s)', (script,)), None, 0,
                                                  10000, None).unpack()
        except GLib.Error:
            return None
        if text.startswith(('SyntaxError', 'TypeError', 'ReferenceError')):
            raise AssertionError(text)
        return json.loads(text) if done and text else None

    @classmethod
    def wait_for(cls, condition, what):
        try:
            brio.wait_for(condition, what, PATIENCE_S)
        except AssertionError as e:
            cls.log.seek(0)
            raise AssertionError(f'{e}\n{cls.log.read()}') from e

    def toggle(self, script):
        return self.eval(f'(() => {{ {TOGGLE} return {script}; }})()')

    def expect(self, script, wanted):
        self.wait_for(lambda: self.toggle(script) == wanted, f'{script}: {wanted}, not {self.toggle(script)}')

    def header(self, wanted):
        self.expect('toggle.menu._headerSubtitle.text', wanted)

    def click(self, item):
        self.toggle(f'({item}.emit("activate", null), 1)')

    def test_1_the_extension_works_without_an_error(self):
        self.expect('!!toggle', True)
        self.assertEqual([], self.eval(f"(Main.extensionManager.lookup('{UUID}').errors || [])"))
        self.header('Automatic')
        self.expect('toggle.checked', True)

    def test_2_a_click_pauses_for_an_hour_and_another_one_goes_on(self):
        self.toggle('(toggle.emit("clicked", 0), 1)')
        self.wait_for(lambda: self.daemon.calls('Hold'), 'a hold')
        self.assertEqual([['pause', 'Paused for an hour from the desktop', 'org.brio.Brio']], self.daemon.calls('Hold'))
        self.expect('toggle.menu._headerSubtitle.text.replace(/[0-9]/g, "9")', 'Paused until 99:99')
        self.expect('[toggle.checked, toggle._pause.label.text]', [False, 'Resume'])
        self.toggle('(toggle.emit("clicked", 0), 1)')
        self.wait_for(lambda: self.daemon.calls('ReleaseHold'), 'the end of the hold')
        self.header('Automatic')
        self.expect('[toggle.checked, toggle._pause.label.text]', [True, 'Pause for an Hour'])

    def test_3_the_menu_sets_the_mode_and_a_click_sets_it_back(self):
        self.click('toggle._modes[2]')
        self.wait_for(lambda: self.daemon.calls('SetMode') == [['off']], 'the mode')
        self.header('Off')
        self.expect('[toggle.checked, toggle._pause.reactive]', [False, False])
        self.toggle('(toggle.emit("clicked", 0), 1)')
        self.header('Automatic')
        self.assertEqual([['off'], ['auto']], self.daemon.calls('SetMode'))

    def test_4_the_open_menu_says_how_the_last_start_was_helped(self):
        self.daemon.control('AddStartup', json.dumps({**HELPED, 'application': 'mpv', 'time_usec': 1795000000000000}))
        self.daemon.control('AddStartup', json.dumps(HELPED))
        self.daemon.control('AddStartup', json.dumps({**HELPED, 'application': 'mpv', 'helped': False, 'time_usec': 1795200000000000}))
        self.toggle('(menu.menu.open(false), toggle.menu.open(false), 1)')
        self.expect('toggle._last.label.text', 'Firefox: 4.1 s instead of 20 s')
        self.take_picture('helped')
        self.toggle('(toggle.menu.close(false), menu.menu.close(false), 1)')

    def test_5_another_programs_hold_is_told_with_its_reason_and_released(self):
        holder = self.system.connect()
        self.addCleanup(holder.close_sync, None)
        holder.call_sync('org.brio.Brio1', '/org/brio/Brio1', 'org.brio.Brio1.Manager', 'Hold',
                         GLib.Variant('(sss)', ('pause', 'A download runs', 'org.mozilla.firefox')), None, 0, -1, None)
        self.header('Paused by Firefox')
        self.expect('toggle._holds._getMenuItems().map(item => item.label.text)', ['Paused by Firefox: A download runs', 'Release'])
        self.take_picture('held')
        released = len(self.daemon.calls('ReleaseHold'))
        self.click('toggle._holds._getMenuItems()[1]')
        self.wait_for(lambda: len(self.daemon.calls('ReleaseHold')) > released, 'the end of the hold')
        self.header('Automatic')
        self.expect('toggle._holds._getMenuItems().length', 0)

    def test_6_what_is_refused_is_told_in_a_sentence(self):
        self.daemon.control('SetErrors', json.dumps({'SetMode': ['NotAuthorized', 'not allowed: it needs org.brio.Brio1.manage']}))
        self.click('toggle._modes[2]')
        told = 'Main.messageTray.getSources().flatMap(s => s.notifications).map(n => n.body || n.bannerBodyText)'
        self.wait_for(lambda: 'Administrator permission is needed' in (self.eval(told) or []), 'the notification')
        self.daemon.control('SetErrors', '{}')

    def take_picture(self, name):
        """BRIO_SCREENSHOT=DIRECTORY: of the open menu."""
        if 'BRIO_SCREENSHOT' not in os.environ:
            return
        self.toggle('(menu.menu.open(false), toggle.menu.open(false), 1)')
        time.sleep(2)
        self.connection.call_sync('org.gnome.Shell', '/org/gnome/Shell/Screenshot', 'org.gnome.Shell.Screenshot', 'Screenshot',
                                  GLib.Variant('(bbs)', (False, False, f"{os.environ['BRIO_SCREENSHOT']}/{name}.png")), None, 0, -1, None)
        self.toggle('(toggle.menu.close(false), menu.menu.close(false), 1)')

    def test_7_a_pause_outlives_the_daemon_and_ends_with_the_extension(self):
        self.toggle('(toggle.emit("clicked", 0), 1)')
        self.expect('toggle._client.getState().cookie > 0', True)
        self.daemon.control('Quit')
        self.daemon.process.wait(PATIENCE_S)
        self.header('Not Running')
        self.start_daemon()
        self.wait_for(lambda: len(self.daemon.calls('Hold')) == 1, 'the same hold with another daemon')
        self.expect('toggle._client.getState().cookie > 0', True)
        self.eval(f"(Main.extensionManager.disableExtension('{UUID}'), 1)")
        self.expect('!!toggle', False)
        self.wait_for(lambda: self.daemon.calls('ReleaseHold'), 'the end of the hold')
        self.eval(f"(Main.extensionManager.enableExtension('{UUID}'), 1)")
        self.expect('!!toggle', True)
        self.header('Automatic')


if __name__ == '__main__':
    unittest.main()
