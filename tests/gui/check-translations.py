#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares each translation of po/LINGUAS with the texts of the sources: usage: check-translations.py SOURCE_TREE

Each is complete, has no doubtful entry and none of a text that is gone, takes the same arguments as the original, and has its mnemonics.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata

# As i18n.gettext()'s preset has it.
XGETTEXT = ('xgettext', '--package-name=brio', '--from-code=UTF-8', '--add-comments', '--keyword=_', '--keyword=N_', '--keyword=C_:1c,2',
            '--keyword=NC_:1c,2', '--keyword=g_dcgettext:2', '--keyword=g_dngettext:2,3', '--keyword=g_dpgettext2:2c,3',
            '--flag=N_:1:pass-c-format', '--flag=C_:2:pass-c-format', '--flag=NC_:2:pass-c-format', '--flag=g_dngettext:2:pass-c-format',
            '--flag=g_strdup_printf:1:c-format', '--flag=g_string_append_printf:2:c-format', '--flag=g_set_error:4:c-format')
RIGHT_TO_LEFT = {'ar', 'fa', 'he', 'ur', 'yi'}
ISOLATED = re.compile('\u2068[^\u2069]*\u2069')


def run(*command):
    return subprocess.run(command, check=False, text=True, encoding='utf-8', stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def lines_of(path):
    return [line for line in path.read_text(encoding='utf-8').splitlines() if line and not line.startswith('#')]


def entries(path):
    """(context and text, entry) of each entry but the header."""
    plain = run('msgcat', '--no-wrap', '--no-location', str(path)).stdout
    for entry in plain.split('\n\n'):
        original = '\n'.join(line for line in entry.splitlines() if line.startswith(('msgctxt', 'msgid')))
        if original not in ('', 'msgid ""'):
            yield original, entry


def mixed_up(po):
    """Values stand with their units in Latin letters: a text written from right to left has them change places, unless they are apart."""
    for original, entry in entries(po):
        for text in re.findall(r'^msgstr(?:\[\d\])? "(.*)"$', entry, re.MULTILINE):
            if text not in ('%s', '%s%s %s') and re.search('%s|{', ISOLATED.sub('', text)): # the second is a list for screen readers
                yield 'an argument without U+2068 before and U+2069 behind it: ' + original


def begun_from_the_left(po):
    """The first letter gives a line its direction, and a name in Latin letters may be it, also between U+2068 and U+2069."""
    for original, entry in entries(po):
        for text in re.findall(r'^msgstr(?:\[\d\])? "(.*)"$', entry, re.MULTILINE):
            if text.startswith('\u2068') and any(unicodedata.bidirectional(c) in ('R', 'AL') for c in text):
                yield 'begins with an argument, and without U+200F before that: ' + original


def arguments(entry, keyword):
    """Names of a statement's arguments: {process}, {latency:time}."""
    text = ''.join(re.findall('^%s "(.*)"$' % keyword, entry, re.MULTILINE))
    return set(re.findall(r'{(\w+)(?::\w+)?}', text))


def lost_arguments(po):
    for original, entry in entries(po):
        if arguments(entry, 'msgid') != arguments(entry, 'msgstr'):
            yield 'takes other arguments than the original: ' + original


def check(po, pot):
    said = run('msgfmt', '--check', '--check-accelerators=_', '--output-file=/dev/null', str(po))
    if said.returncode != 0:
        yield said.stdout.strip()
    said = run('msgcmp', str(po), str(pot))
    if said.returncode != 0:
        yield said.stdout.strip()
    if run('msgattrib', '--only-fuzzy', str(po)).stdout:
        yield 'has doubtful ("fuzzy") entries'
    if run('msgattrib', '--only-obsolete', str(po)).stdout:
        yield 'has entries of texts that are gone ("#~"): msgattrib --no-obsolete drops them'
    wanted = {original for original, _ in entries(pot)}
    for original, _ in entries(po):
        if original not in wanted:
            yield 'of no text in the sources: ' + original
    yield from lost_arguments(po)
    if po.stem in RIGHT_TO_LEFT:
        yield from mixed_up(po)
        yield from begun_from_the_left(po)


def main():
    root = pathlib.Path(sys.argv[1])
    languages = lines_of(root / 'po/LINGUAS')
    problems = ['po/%s.po: not in po/LINGUAS' % po.stem for po in (root / 'po').glob('*.po') if po.stem not in languages]
    with tempfile.TemporaryDirectory() as directory:
        pot = pathlib.Path(directory) / 'brio.pot'
        said = run(*XGETTEXT, '--directory=' + str(root), '--output=' + str(pot), *lines_of(root / 'po/POTFILES'))
        if said.returncode != 0:
            sys.exit(said.stdout)
        for language in languages:
            problems += ['po/%s.po: %s' % (language, problem) for problem in check(root / 'po' / (language + '.po'), pot)]
    for problem in problems:
        print(problem)
    if problems:
        print('meson compile -C build brio-update-po brings the texts of the sources into the translations.')
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
