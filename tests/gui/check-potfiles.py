#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares po/POTFILES with the files that have text for people: usage: check-potfiles.py SOURCE_TREE"""

import pathlib
import re
import sys

C_TEXT = re.compile(r'(?<!#define )\b(?:_|N_|C_|NC_|ngettext|g_dgettext) ?\(')
XML_TEXT = re.compile(r'translatable="(?:yes|true)"')
COMMENT = re.compile(r'/\*.*?\*/|^ *//[^\n]*', re.DOTALL | re.MULTILINE)


def has_text(path):
    text = path.read_text(encoding='utf-8')
    if path.suffix == '.ui':
        return bool(XML_TEXT.search(text))
    return bool(C_TEXT.search(COMMENT.sub('', text)))


def main():
    root = pathlib.Path(sys.argv[1])
    listed = [line for line in (root / 'po/POTFILES').read_text(encoding='utf-8').splitlines() if line and not line.startswith('#')]
    wanted = [path for directory in ('common', 'gui', 'session') for pattern in ('*.c', '*.ui') for path in (root / directory).glob(pattern)
              if has_text(path)]
    wanted += [path for path in (root / 'desktop').glob('**/*.js') if has_text(path)]
    wanted += [path for path in (root / 'common').glob('*.h') if has_text(path)]
    wanted += [root / 'data/org.brio.Brio.desktop.in', root / 'data/org.brio.Brio.metainfo.xml.in']
    wanted = {str(path.relative_to(root)) for path in wanted}
    problems = ['not in po/POTFILES: ' + name for name in sorted(wanted - set(listed))]
    problems += ['no text for people, or no such file: ' + name for name in sorted(set(listed) - wanted)]
    problems += ['twice: ' + name for name in sorted({name for name in listed if listed.count(name) > 1})]
    words = (root / 'gui/policy-words.c').read_text(encoding='utf-8')
    described = [line.partition('=')[2].strip() for path in (root / 'policies').glob('*.conf')
                 for line in path.read_text(encoding='utf-8').splitlines() if re.match(r'Description *=', line)]
    problems += [f'a policy is described otherwise in gui/policy-words.c: {text}' for text in described if f'N_("{text}")' not in words]
    if listed != sorted(listed):
        problems.append('not sorted')
    for problem in problems:
        print('po/POTFILES: ' + problem)
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
