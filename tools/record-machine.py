#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a manifest of this machine's drives to stdout, for tests/machines: record-machine.py [--root DIR] [NAME...]

Only what is named below is recorded, so no serial number, world-wide name, file system label or file name gets into it.
With NAMEs only these drives (and what is stacked on them) are recorded. See tests/machines/unpack.py for the format.
"""
import argparse
import os
import re
import stat
import sys

DISK_FILES = ['dev', 'diskseq', 'size', 'ro', 'removable', 'hidden', 'range', 'ext_range', 'alignment_offset', 'capability',
              'stat', 'inflight']
PARTITION_FILES = ['dev', 'partition', 'start', 'size', 'ro', 'alignment_offset']
PARENT_FILES = ['model', 'vendor', 'type', 'rev', 'queue_depth', 'queue_type', 'scsi_level', 'timeout', 'state', 'name', 'oemid',
                'manfid', 'firmware_rev', 'transport', 'cntlid', 'address']
UEVENT_KEYS = ['MAJOR', 'MINOR', 'DEVNAME', 'DEVTYPE', 'DISKSEQ', 'PARTN', 'DRIVER', 'MODALIAS', 'MMC_TYPE', 'MMC_NAME']
UDEV_KEYS = ['ID_BUS', 'ID_TYPE', 'ID_MODEL', 'ID_MODEL_ENC', 'ID_VENDOR', 'ID_VENDOR_ENC', 'ID_REVISION', 'ID_CDROM', 'ID_ATA',
             'ID_ATA_SATA', 'ID_ATA_ROTATION_RATE_RPM', 'ID_USB_DRIVER', 'ID_USB_TYPE', 'ID_USB_MODEL', 'ID_DRIVE_FLASH_SD',
             'ID_DRIVE_MEDIA_FLASH_SD', 'ID_PART_TABLE_TYPE', 'DM_NAME']


def read(path):
    """The text, or None where there is none to be had: some attributes refuse to be read."""
    try:
        with open(path, encoding='utf-8', errors='replace') as f:
            return f.read()
    except OSError:
        return None


def escape(text):
    text = text.rstrip('\n').replace('\\', '\\\\').replace('\n', '\\n')
    blanks = len(text) - len(text.rstrip(' '))
    return text[:len(text) - blanks] + '\\s' * blanks


class Recorder:
    def __init__(self, root, out):
        self.root, self.out, self.done = os.path.realpath(root), out, set()

    def inside(self, path):
        return os.path.relpath(os.path.realpath(path), self.root)

    def section(self, path):
        print(f'\n[{self.inside(path)}]', file=self.out)

    def file(self, base, key, text=None):
        path = os.path.join(base, key)
        text = read(path) if text is None else text
        if text is None or not os.path.isfile(path):
            return
        mode = stat.S_IMODE(os.stat(path).st_mode)
        note = '' if mode == 0o444 else f' ({mode:04o})'
        print(f'{key}{note}: {escape(text)}'.rstrip(), file=self.out)

    def link(self, base, key):
        path = os.path.join(base, key)
        if os.path.islink(path):
            print(f'{key} -> /{self.inside(path)}', file=self.out)

    def uevent(self, base):
        lines = (read(os.path.join(base, 'uevent')) or '').splitlines()
        self.file(base, 'uevent', '\n'.join(line for line in lines if line.split('=')[0] in UEVENT_KEYS))

    def tree(self, base, directory):
        for where, directories, files in os.walk(os.path.join(base, directory)):
            directories.sort()
            for name in sorted(files):
                self.file(base, os.path.relpath(os.path.join(where, name), base))

    def parent(self, disk):
        """The device that the disk is on, once, and the SCSI host's name for its driver."""
        path = os.path.realpath(os.path.join(disk, 'device'))
        # The boot areas of an eMMC hang on its disk, which is recorded by itself.
        if not os.path.exists(path) or os.path.exists(os.path.join(path, 'queue')) or path in self.done:
            return
        self.done.add(path)
        self.section(path)
        for name in PARENT_FILES:
            self.file(path, name)
        self.uevent(path)
        for name in ['subsystem', 'driver', 'device/driver']:
            self.link(path, name)
        if match := re.match(r'(\d+):', os.path.basename(path)):
            host = os.path.join(self.root, f'sys/class/scsi_host/host{match[1]}')
            if os.path.exists(host) and os.path.realpath(host) not in self.done:
                self.done.add(os.path.realpath(host))
                self.section(host)
                self.file(host, 'proc_name')

    def udev(self, disk):
        number = (read(os.path.join(disk, 'dev')) or '').strip()
        record = os.path.join(self.root, f'run/udev/data/b{number}')
        lines = (read(record) or '').splitlines()
        lines = [line for line in lines if line.startswith('E:') and line[2:].split('=')[0] in UDEV_KEYS]
        if lines:
            self.section(os.path.dirname(record))
            self.file(os.path.dirname(record), os.path.basename(record), '\n'.join(lines))

    def disk(self, name):
        disk = os.path.realpath(os.path.join(self.root, 'sys/block', name))
        self.parent(disk)
        self.section(disk)
        for key in DISK_FILES:
            self.file(disk, key)
        self.uevent(disk)
        self.link(disk, 'device')
        self.tree(disk, 'queue')
        self.tree(disk, 'mq')
        for slave in sorted(os.listdir(os.path.join(disk, 'slaves'))):
            self.link(disk, f'slaves/{slave}')
        for part in sorted(os.listdir(disk)):
            if os.path.exists(os.path.join(disk, part, 'partition')):
                self.section(os.path.join(disk, part))
                for key in PARTITION_FILES:
                    self.file(os.path.join(disk, part), key)
                self.uevent(os.path.join(disk, part))
        self.udev(disk)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--root', default='/')
    parser.add_argument('name', nargs='*')
    args = parser.parse_args()
    recorder = Recorder(args.root, sys.stdout)
    release = read(os.path.join(args.root, 'proc/sys/kernel/osrelease')) or 'an unknown kernel'
    print('# SPDX-License-Identifier: GPL-3.0-or-later')
    # The number alone: what a distribution or a host appended may name it.
    print(f'# Recorded with tools/record-machine.py; kernel {re.match(r"[0-9.]*[0-9]|.*", release)[0]}.')
    for name in args.name or sorted(os.listdir(os.path.join(args.root, 'sys/block'))):
        recorder.disk(name)


if __name__ == '__main__':
    main()
