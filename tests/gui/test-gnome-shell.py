#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The toggle in a GNOME Shell of its own, without a screen.

usage: test-gnome-shell.py EXTENSION_DIRECTORY SOURCE_TREE [-v]
BRIO_SCREENSHOT=FILE takes a picture of the open menu.
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

EXTENSION, TREE = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
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
        cls.children = []
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.addClassCleanup(cls.end_all)
        home = pathlib.Path(directory.name)
        shutil.copytree(EXTENSION, home / 'data/gnome-shell/extensions' / UUID)
        settings = home / 'config/glib-2.0/settings/keyfile'
        settings.parent.mkdir(parents=True)
        settings.write_text(f"[org/gnome/shell]\nenabled-extensions=['{UUID}']\nwelcome-dialog-last-shown-version='99'\n", encoding='utf-8')
        (home / 'run').mkdir(mode=0o700)
        cls.address = cls.spawn('dbus-daemon', f'--config-file={TREE}/tests/lib/private-bus.conf', '--nofork', '--print-address=1')
        cls.system = cls.spawn('dbus-daemon', f'--config-file={TREE}/tests/lib/private-bus.conf', '--nofork', '--print-address=1')
        cls.daemon = cls.start_daemon()
        cls.connection = cls.connect(cls.address)
        cls.system_connection = cls.connect(cls.system)
        cls.log = open(home / 'log', 'w+', encoding='utf-8')
        cls.addClassCleanup(cls.log.close)
        environment = {**os.environ, 'HOME': directory.name, 'XDG_DATA_HOME': str(home / 'data'), 'XDG_CONFIG_HOME': str(home / 'config'),
                       'XDG_RUNTIME_DIR': str(home / 'run'), 'GSETTINGS_BACKEND': 'keyfile', 'DBUS_SESSION_BUS_ADDRESS': cls.address,
                       'DBUS_SYSTEM_BUS_ADDRESS': cls.system, 'XDG_DATA_DIRS': f'{TREE}/tests/lib/desktop:/usr/local/share:/usr/share'}
        for name in ('G_DEBUG', 'GSETTINGS_SCHEMA_DIR', 'DISPLAY', 'GTK_A11Y'):
            environment.pop(name, None)
        cls.children.append(subprocess.Popen(
            [shell, '--headless', '--no-x11', '--wayland-display', 'brio-test', '--virtual-monitor', '1280x800', '--unsafe-mode'],
            env=environment, stdout=cls.log, stderr=cls.log))
        cls.wait_for(lambda: cls.eval('1') == 1, 'gnome-shell')
        cls.wait_for(lambda: cls.eval('Main.layoutManager._startingUp ? 0 : 1') == 1, 'the end of the start')
        cls.eval('Main.overview.hide(); 1')

    @classmethod
    def start_daemon(cls):
        cls.spawn(str(TREE / 'tests/lib/fake-daemon.py'), '--bus', cls.system, '--scenario', str(TREE / 'tests/lib/scenarios/desktop.json'))
        return cls.children[-1]

    @classmethod
    def end_all(cls):
        for child in reversed(cls.children):
            child.kill()
            child.wait()
            if child.stdout:
                child.stdout.close()

    @classmethod
    def spawn(cls, *argv):
        """Starts a program and returns the first line that it says."""
        child = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        cls.children.append(child)
        return child.stdout.readline().strip()

    @staticmethod
    def connect(address):
        flags = Gio.DBusConnectionFlags
        return Gio.DBusConnection.new_for_address_sync(address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)

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
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end:
                cls.log.seek(0)
                raise AssertionError(f'waited in vain for {what}\n{cls.log.read()}')
            time.sleep(0.05)

    def control(self, method, *texts):
        return self.system_connection.call_sync('org.brio.Brio1', '/org/brio/FakeControl', 'org.brio.FakeControl', method,
                                                GLib.Variant(f"({'s' * len(texts)})", texts) if texts else None, None, 0, -1, None)

    def calls(self, method):
        return [arguments for name, arguments in json.loads(self.control('Calls').unpack()[0]) if name == method]

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
        self.wait_for(lambda: self.calls('Hold'), 'a hold')
        self.assertEqual([['pause', 'Paused for an hour from the desktop', 'org.brio.Brio']], self.calls('Hold'))
        self.expect('toggle.menu._headerSubtitle.text.replace(/[0-9]/g, "9")', 'Paused until 99:99')
        self.expect('[toggle.checked, toggle._pause.label.text]', [False, 'Resume'])
        self.toggle('(toggle.emit("clicked", 0), 1)')
        self.wait_for(lambda: self.calls('ReleaseHold'), 'the end of the hold')
        self.header('Automatic')
        self.expect('[toggle.checked, toggle._pause.label.text]', [True, 'Pause for an Hour'])

    def test_3_the_menu_sets_the_mode_and_a_click_sets_it_back(self):
        self.click('toggle._modes[2]')
        self.wait_for(lambda: self.calls('SetMode') == [['off']], 'the mode')
        self.header('Off')
        self.expect('[toggle.checked, toggle._pause.reactive]', [False, False])
        self.toggle('(toggle.emit("clicked", 0), 1)')
        self.header('Automatic')
        self.assertEqual([['off'], ['auto']], self.calls('SetMode'))

    def test_4_the_open_menu_says_how_the_last_start_was_helped(self):
        self.control('AddStartup', json.dumps({**HELPED, 'application': 'mpv', 'time_usec': 1795000000000000}))
        self.control('AddStartup', json.dumps(HELPED))
        self.control('AddStartup', json.dumps({**HELPED, 'application': 'mpv', 'helped': False, 'time_usec': 1795200000000000}))
        self.toggle('(menu.menu.open(false), toggle.menu.open(false), 1)')
        self.expect('toggle._last.label.text', 'Firefox: 4.1 s instead of 20 s')
        if 'BRIO_SCREENSHOT' in os.environ:
            time.sleep(2)
            self.connection.call_sync('org.gnome.Shell', '/org/gnome/Shell/Screenshot', 'org.gnome.Shell.Screenshot', 'Screenshot',
                                      GLib.Variant('(bbs)', (False, False, os.environ['BRIO_SCREENSHOT'])), None, 0, -1, None)
        self.toggle('(toggle.menu.close(false), menu.menu.close(false), 1)')

    def test_5_a_pause_outlives_the_daemon_and_ends_with_the_extension(self):
        self.toggle('(toggle.emit("clicked", 0), 1)')
        self.expect('toggle._client.getState().cookie > 0', True)
        self.control('Quit')
        self.daemon.wait(PATIENCE_S)
        self.header('Not Running')
        type(self).daemon = self.start_daemon()
        self.wait_for(lambda: len(self.calls('Hold')) == 1, 'the same hold with another daemon')
        self.expect('toggle._client.getState().cookie > 0', True)
        self.eval(f"(Main.extensionManager.disableExtension('{UUID}'), 1)")
        self.expect('!!toggle', False)
        self.wait_for(lambda: self.calls('ReleaseHold'), 'the end of the hold')
        self.eval(f"(Main.extensionManager.enableExtension('{UUID}'), 1)")
        self.expect('!!toggle', True)
        self.header('Automatic')


if __name__ == '__main__':
    unittest.main()
