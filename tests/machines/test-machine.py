#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-machine.py LIST_DRIVES MACHINE: the drives of a machine are those of MACHINE.expect, also after it was recorded again.

A line "# include: NAME..." in MACHINE.expect names drives to include. BRIO_UPDATE_EXPECT=1 rewrites the file."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import unpack

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, '../../tools/record-machine.py')
LIST_DRIVES, MACHINE = sys.argv[1:3]
EXPECT = os.path.join(HERE, MACHINE + '.expect')


def read_expect():
    """The comment lines (with the includes among them) and the rest."""
    lines = []
    if os.path.exists(EXPECT):
        with open(EXPECT, encoding='utf-8') as f:
            lines = f.readlines()
    # REUSE-IgnoreStart
    comments = ''.join(line for line in lines if line.startswith('#')) or '# SPDX-License-Identifier: GPL-3.0-or-later\n'
    # REUSE-IgnoreEnd
    return comments, ''.join(line for line in lines if not line.startswith('#'))


def list_drives(root):
    include = re.search(r'^# include: (.*)$', read_expect()[0], re.M)
    names = include[1].split() if include else []
    return subprocess.run([LIST_DRIVES, root, *names], stdout=subprocess.PIPE, check=True, text=True).stdout


class Machine(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix='brio-machine-')
        self.addCleanup(directory.cleanup)
        self.root = os.path.join(directory.name, 'root')
        self.again = os.path.join(directory.name, 'again')
        unpack.unpack(MACHINE, self.root)

    def test_drives_and_leaves_are_the_expected_ones(self):
        comments, expected = read_expect()
        actual = list_drives(self.root)
        if os.environ.get('BRIO_UPDATE_EXPECT'):
            with open(EXPECT, 'w', encoding='utf-8') as f:
                f.write(comments + actual)
            return
        self.assertMultiLineEqual(expected, actual)

    def test_a_recording_of_the_machine_is_the_same_machine(self):
        manifest = self.root + '.machine'
        with open(manifest, 'w', encoding='utf-8') as f:
            subprocess.run([sys.executable, RECORD, '--root', self.root], stdout=f, check=True)
        unpack.unpack(manifest, self.again)
        self.assertMultiLineEqual(list_drives(self.root), list_drives(self.again))

    def test_serial_numbers_are_not_recorded(self):
        disk = os.path.join(self.root, 'sys/block', sorted(os.listdir(os.path.join(self.root, 'sys/block')))[0])
        for path in ['serial', 'wwid', 'queue/../loop/backing_file']:
            os.makedirs(os.path.dirname(os.path.join(disk, path)), exist_ok=True)
            with open(os.path.join(disk, path), 'w', encoding='utf-8') as f:
                f.write('S3CRET\n')
        records = os.path.join(self.root, 'run/udev/data')
        os.makedirs(records, exist_ok=True)
        for name in os.listdir(records):
            with open(os.path.join(records, name), 'a', encoding='utf-8') as f:
                f.write('E:ID_SERIAL_SHORT=S3CRET\nE:ID_FS_LABEL=S3CRET\nS:disk/by-id/ata-S3CRET\n')
        command = [sys.executable, RECORD, '--root', self.root]
        recording = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertIn('[sys/', recording)
        self.assertNotIn('S3CRET', recording)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
