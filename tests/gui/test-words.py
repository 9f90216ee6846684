#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a desktop says of Brio, by GNOME's own engine: usage: test-words.py DESKTOP_SOURCES [-v]"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCES = pathlib.Path(sys.argv.pop(1))
TONGUE = '{gettext: text => text, number: (value, decimals) => String(Number(value.toFixed(decimals))), name: id => id === "org.mozilla.firefox" ? "Firefox" : ""}'
STATE = {'running': True, 'mode': 'auto', 'holds': [], 'cookie': 0, 'until': '', 'last': None}
PLAYER = [7, 'pause', 'no stutter', 'org.example.Player']


class Words(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which('gjs'):
            raise unittest.SkipTest('gjs is not installed')

    def evaluate(self, *expressions):
        script = f"imports.searchPath.unshift({json.dumps(str(SOURCES))}); const w = imports.words, t = {TONGUE}; print(JSON.stringify([{','.join(expressions)}]))"
        return json.loads(subprocess.run(['gjs', '-c', script], check=True, stdout=subprocess.PIPE, text=True).stdout)

    def states(self, function, *changes):
        return self.evaluate(*(f'w.{function}({json.dumps({**STATE, **change})}, t)' for change in changes))

    def test_the_line_below_the_name_says_the_mode_or_who_has_paused_it_and_until_when(self):
        self.assertEqual(
            ['Automatic', 'Advise', 'Off', 'newer', 'Not Running', 'Paused until 21:04', 'Paused by Player', 'Paused', 'Paused until 21:04', 'Off'],
            self.states('describeState', {}, {'mode': 'advise'}, {'mode': 'off'}, {'mode': 'newer'}, {'running': False},
                        {'cookie': 3, 'until': '21:04', 'holds': [[3, 'pause', 'mine', 'org.brio.Brio']]}, {'holds': [PLAYER]},
                        {'holds': [[8, 'pause', '', '']]}, {'cookie': 3, 'until': '21:04', 'holds': [PLAYER]}, {'mode': 'off', 'cookie': 3, 'until': '21:04'}))

    def test_another_programs_hold_is_told_with_the_name_that_people_know_and_its_reason(self):
        holds = [PLAYER, [8, 'throughput', '', 'org.mozilla.firefox'], [9, 'interactive', 'A game runs', ''], [3, 'pause', 'mine', 'org.brio.Brio']]
        foreign, *texts = self.evaluate(f'w.listForeign({json.dumps({**STATE, "holds": holds, "cookie": 3})}).map(h => h[0])',
                                        *(f'w.describeHold({json.dumps(hold)}, t)' for hold in holds[:3]))
        self.assertEqual([7, 8, 9], foreign)
        self.assertEqual(['Paused by Player: no stutter', 'Full throughput for Firefox', 'Kept responsive: A game runs'], texts)
        self.assertEqual(['Full throughput for Firefox', 'Paused by Player', 'Automatic'],
                         self.states('describeState', {'holds': holds[1:3]}, {'holds': [holds[1], PLAYER]}, {'holds': holds[2:3]}))

    def test_an_error_is_told_in_a_sentence_and_an_unknown_one_by_its_name(self):
        self.assertEqual(['Administrator permission is needed', 'The daemon went away: try again when it is back',
                          'Failed: org.example.Odd. “journalctl -u briod” tells more'],
                         self.evaluate(*(f"w.describeError('{name}', t)" for name in ('org.brio.Brio1.Error.NotAuthorized',
                                                                                      'org.freedesktop.DBus.Error.ServiceUnknown', 'org.example.Odd'))))

    def test_the_mode_has_one_word_here_and_in_the_dashboard(self):
        words = dict(re.findall(r'\{ "(auto|advise|off)", N_\("(\w+)"\) \}', (SOURCES.parent / 'gui/words.c').read_text(encoding='utf-8')))
        self.assertEqual([words['auto'], words['advise'], words['off']], self.evaluate(*(f"w.describeMode('{mode}', t)" for mode in words)))

    def test_it_is_on_where_it_acts(self):
        self.assertEqual([True, True, False, False, False, False],
                         self.states('isActive', {}, {'holds': [[7, 'throughput', '', '']]}, {'holds': [PLAYER]}, {'cookie': 3}, {'mode': 'off'},
                                     {'running': False}))

    def test_a_click_pauses_ends_the_own_pause_or_sets_the_mode_but_never_ends_anothers_hold(self):
        self.assertEqual(['pause', 'resume', 'auto', 'auto', '', 'pause'],
                         self.states('chooseAction', {}, {'cookie': 3}, {'mode': 'off'}, {'mode': 'advise'}, {'running': False}, {'holds': [PLAYER]}))

    def test_the_last_start_is_told_with_what_it_takes_without_help_where_that_is_more_and_known(self):
        last = {'application': 'org.mozilla.firefox', 'latency': 4100000, 'without': 20000000}
        self.assertEqual(['None yet', 'Firefox: 4.1 s instead of 20 s', 'Firefox: 4.1 s', 'Firefox: 4.1 s', 'Firefox: 650 ms instead of 1.23 s'],
                         self.states('describeLast', {}, {'last': last}, {'last': {**last, 'without': 0}}, {'last': {**last, 'without': 4000000}},
                                     {'last': {**last, 'latency': 650000, 'without': 1234567}}))

    def test_the_newest_start_that_was_helped_is_the_last_one(self):
        starts = [{'time_usec': 5, 'helped': True}, {'time_usec': 9, 'helped': True}, {'time_usec': 7, 'helped': True}, {'time_usec': 11, 'helped': False}]
        self.assertEqual([starts[1], None, None], self.evaluate(f'w.findLast({json.dumps(starts)})', 'w.findLast([])', f'w.findLast({json.dumps(starts[3:])})'))

    def test_what_a_program_calls_itself_is_no_markup_in_plasma(self):
        panel = (SOURCES / 'plasma/Panel.qml').read_text(encoding='utf-8')
        self.assertEqual(panel.count('PlasmaComponents.Label {'), panel.count('textFormat: Text.PlainText'))
        for main in ('main-5.qml', 'main-6.qml'):
            self.assertIn('toolTipTextFormat: Text.PlainText', (SOURCES / 'plasma' / main).read_text(encoding='utf-8'))

    def test_each_kind_of_extension_can_be_read(self):
        for kind in ('scripts', 'modules'):
            files = (f'{kind}-begin.js', '../words.js', 'client.js', 'toggle.js', f'{kind}-end.js')
            text = '\n'.join((SOURCES / 'gnome-shell' / name).read_text(encoding='utf-8') for name in files)
            if kind == 'modules':
                text = re.sub(r'^import .*$', '', text, flags=re.MULTILINE).replace('export default ', '')
            self.assertEqual([True], self.evaluate(f'new Function({json.dumps(text)}) instanceof Function'))


if __name__ == '__main__':
    unittest.main()
