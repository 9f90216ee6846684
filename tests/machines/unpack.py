#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacks a machine: unpack.py MACHINE DIR. MACHINE is a name in this directory or a path to a manifest.

A manifest is text. A line in brackets is the directory that the lines below it are relative to:

    [sys/devices/.../block/sda]
    size: 1953525168               a file, mode 0444, with a newline at its end
    queue/nr_requests (0644): 64   a file that root may write
    slaves/                        an empty directory
    device -> ../../../0:0:0:0     a link; a target that begins with / is relative to the machine's root

In a value \\n is a newline, \\s a blank (where an editor would remove it) and \\\\ a backslash. The links that the kernel
makes for every block device and SCSI host (/sys/block, /sys/class, /sys/dev/block, holders) are made from the uevent files.
"""
import os
import re
import sys

FILE = re.compile(r'^(?P<key>\S+)(?: \((?P<mode>0[0-7]{3})\))?:(?: (?P<value>.*))?$')
LINK = re.compile(r'^(?P<key>\S+) -> (?P<target>\S+)$')
ESCAPE = {'n': '\n', 's': ' ', '\\': '\\'}


def unescape(text):
    return re.sub(r'\\(.)', lambda m: ESCAPE[m.group(1)], text)


def link(root, path, target):
    """Makes path a relative link to target; both are relative to the root. As in sysfs, the link ends with target's name."""
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if not os.path.lexists(full):
        above = os.path.relpath(os.path.join(root, os.path.dirname(target)), os.path.dirname(full))
        os.symlink(os.path.join(above, os.path.basename(target)), full)


def unpack_line(root, base, line):
    if match := LINK.match(line):
        path = os.path.join(base, match['key'])
        if match['target'].startswith('/'):
            link(root, path, match['target'].lstrip('/'))
        else:
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            os.symlink(match['target'], os.path.join(root, path))
    elif line.endswith('/'):
        os.makedirs(os.path.join(root, base, line), exist_ok=True)
    elif match := FILE.match(line):
        full = os.path.join(root, base, match['key'])
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'x', encoding='utf-8') as f:
            f.write(unescape(match['value'] or '') + '\n')
        os.chmod(full, int(match['mode'] or '0444', 8))
    else:
        raise ValueError('neither file, link nor directory')


def read_number(directory):
    try:
        with open(os.path.join(directory, 'dev'), encoding='utf-8') as f:
            return f.read().strip()
    except FileNotFoundError:  # a hidden path of a multipath drive
        return None


def link_block_device(root, path, kind):
    name, full = os.path.basename(path), os.path.join(root, path)
    link(root, f'sys/class/block/{name}', path)
    link(root, f'{path}/subsystem', 'sys/class/block')
    if number := read_number(full):
        link(root, f'sys/dev/block/{number}', path)
    os.makedirs(os.path.join(full, 'holders'), exist_ok=True)
    if kind == 'disk':
        link(root, f'sys/block/{name}', path)
        os.makedirs(os.path.join(full, 'slaves'), exist_ok=True)


def link_holders(root, path):
    slaves = os.path.join(root, path, 'slaves')
    for slave in os.listdir(slaves) if os.path.isdir(slaves) else []:
        below = os.path.relpath(os.path.realpath(os.path.join(slaves, slave)), os.path.realpath(root))
        link(root, f'{below}/holders/{os.path.basename(path)}', path)


def make_kernel_links(root):
    os.makedirs(os.path.join(root, 'sys/block'), exist_ok=True)
    devices = []
    for directory, _, files in os.walk(os.path.join(root, 'sys/devices')):
        path = os.path.relpath(directory, root)
        if 'uevent' in files:
            with open(os.path.join(directory, 'uevent'), encoding='utf-8') as f:
                kind = re.search(r'^DEVTYPE=(disk|partition)$', f.read(), re.M)
            if kind:
                devices.append((path, kind[1]))
        if 'proc_name' in files:
            link(root, f'sys/class/scsi_host/{os.path.basename(path)}', path)
    for path, kind in devices:
        link_block_device(root, path, kind)
    for path, _ in devices:
        link_holders(root, path)


def find(machine):
    if os.path.exists(machine):
        return machine
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), machine + '.machine')


def unpack(machine, root):
    """Unpacks into the directory root, which is made if need be."""
    base = ''
    manifest = find(machine)
    os.makedirs(root, exist_ok=True)
    with open(manifest, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip('\n')
            if not line or line.startswith('#'):
                continue
            if line.startswith('[') and line.endswith(']'):
                base = line[1:-1].strip('/')
                continue
            try:
                unpack_line(root, base, line)
            except (ValueError, OSError, KeyError) as e:
                raise SystemExit(f'{manifest}:{number}: {line}: {e}') from e
    make_kernel_links(root)


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('usage: unpack.py MACHINE DIR')
    unpack(sys.argv[1], sys.argv[2])
