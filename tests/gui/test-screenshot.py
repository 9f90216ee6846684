#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture is of what it is to show, however long that takes: `brio --screenshot`, which ./dev screenshots is made of.

usage: test-screenshot.py BRIO, with a display.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'lib'))
import brio  # noqa: E402
import scripted  # noqa: E402

BRIO = sys.argv.pop(1)
PATIENCE_S = 120
HESITATES_S = 4  # longer than a picture takes that waits for nothing
PNG = b'\x89PNG\r\n\x1a\n'


class Screenshot(unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.picture = pathlib.Path(directory) / 'picture.png'
        self.bus = self.enterContext(brio.Bus())
        self.environment = {**os.environ, 'DBUS_SESSION_BUS_ADDRESS': self.bus.address, 'XDG_CONFIG_HOME': directory, 'GSETTINGS_BACKEND': 'memory'}

    def start_daemon(self):
        return self.enterContext(scripted.Daemon(self.bus)).process

    def take(self, *options):
        child = self.enterContext(subprocess.Popen([BRIO, '--bus', self.bus.address, '--screenshot', str(self.picture), *options], env=self.environment))
        self.addCleanup(child.kill)
        return child

    def assert_no_picture_while_it_hesitates(self, daemon, *options):
        daemon.send_signal(signal.SIGSTOP)
        child = self.take(*options)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(HESITATES_S)
        self.assertFalse(self.picture.exists())
        self.assertIsNone(child.poll())
        daemon.send_signal(signal.SIGCONT)
        self.assertEqual(0, child.wait(PATIENCE_S))
        self.assertEqual(PNG, self.picture.read_bytes()[:len(PNG)])

    def test_a_page_waits_for_a_daemon_that_hesitates(self):
        self.assert_no_picture_while_it_hesitates(self.start_daemon(), '--screenshot-page', 'overview')

    def test_what_is_over_the_window_waits_for_the_daemon_too(self):
        self.assert_no_picture_while_it_hesitates(self.start_daemon(), '--screenshot-action', 'app.about')

    @unittest.skipUnless(shutil.which('xwininfo'), 'xwininfo (x11-utils) is not installed')
    def test_the_window_comes_though_the_daemon_hesitates(self):
        daemon = self.start_daemon()
        daemon.send_signal(signal.SIGSTOP)
        child = self.take()
        end = time.monotonic() + PATIENCE_S
        while 'IsViewable' not in subprocess.run(['xwininfo', '-name', 'Brio'], capture_output=True, check=False, text=True).stdout:
            self.assertLess(time.monotonic(), end, 'there is no window')
            self.assertIsNone(child.poll())
            time.sleep(0.1)
        self.assertFalse(self.picture.exists())

    def test_without_a_daemon_there_is_a_picture_of_that(self):
        self.assertEqual(0, self.take().wait(PATIENCE_S))
        self.assertEqual(PNG, self.picture.read_bytes()[:len(PNG)])

    def test_a_picture_that_cannot_be_written_is_a_failure(self):
        self.picture.mkdir()
        self.assertEqual(1, self.take().wait(PATIENCE_S))


if __name__ == '__main__':
    unittest.main()
