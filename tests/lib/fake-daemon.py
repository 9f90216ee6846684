#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A scripted briod for tests: serves data/org.brio.Brio1.xml on a given bus from a JSON scenario.

  fake-daemon.py --bus ADDRESS [--scenario FILE] [--interface FILE]

It prints "ready" and a newline to stdout once it owns org.brio.Brio1, and ends with 0 on SIGTERM, on
FakeControl.Quit(), or when the bus goes away. The interface comes from the XML file itself, so GDBus refuses every
call, reply and property that does not have the documented type.

A scenario is one JSON object; every key may be missing (tests/lib/scenarios/ has examples):
  version mode attention_level attention_reason presence presence_reason sources policies counters      as the properties of the Manager
  drives      list of: name model class class_reason scheduler schedulers policy workload state reason,
              tunables {name: [initial, wanted, current, owner]}, verdicts [{kind ... evidence [[s, x, x, s]]}],
              load {any field of a sample: mean}, swing (0 to 1: how far the load moves around the mean)
  kept_rules  {program: rule} that were set; program_rules: [program, rule, file] of policies
  decisions advice processes streams kernel_verdicts    lists of dictionaries with the documented keys
  scale       {drives processes decisions: how many}: each list is repeated until it has so many, each with another name
  errors      {method: [error name, message]}: that call fails so
  delay_ms    {method: milliseconds}: that call answers late
  restless_hz how often a second it tells all that it announces of each drive, with another reason and another value of its first setting
  backfill_s  seconds of past samples that a new stream starts with
  seed        of the load's noise (default 1)
  observes    what Observe() answers (default true); "password": false until a person may be asked for one; only then are there no sums of others

A test pulls the strings over the same bus name: object /org/brio/FakeControl, interface org.brio.FakeControl:
  AddDrive(s json)  RemoveDrive(s name)  SetDrive(s name, s json)  SetErrors(s json)  SetDelays(s json)
  AddDecision(s json)
              What was decided about a process called "gone" or "theirs" is not undone: it has ended, or may not be.
  EndTrial(s id, s json)  SetProcesses(s json)  SetStreams(s json)
  StreamGarbage(s kind)  kind: magic size-zero size-huge bigger short random name unknown
  Calls() -> s json of [method, arguments] in order   Observers() -> u how many have called Observe()   Quit()
"""

import argparse
import fcntl
import itertools
import json
import math
import os
import pathlib
import random
import signal
import struct
import sys
import time

from gi.repository import Gio, GLib

BUS_NAME = 'org.brio.Brio1'
ROOT = '/org/brio/Brio1'
MANAGER = BUS_NAME + '.Manager'
DEVICE = BUS_NAME + '.Device'
ERROR = BUS_NAME + '.Error.'
OBJECT_MANAGER = 'org.freedesktop.DBus.ObjectManager'
CONTROL = 'org.brio.FakeControl'
STREAMS_MAX = 16
RECORDING = pathlib.Path(__file__).resolve().parents[1] / 'replay' / 'one-reader.recording'
RECORDING_END_BYTES = 32  # its last block
SAMPLE = struct.Struct('=IIQ32sIIIIIIIIQQIIIIII8x')  # struct brio_sample, common/sample.h
MAGIC = 0x31535242
PIPE_BYTES = 1 << 20  # room for a backfill

OBJECT_MANAGER_XML = '''<node><interface name="org.freedesktop.DBus.ObjectManager">
  <method name="GetManagedObjects"><arg name="objects" type="a{oa{sa{sv}}}" direction="out"/></method>
  <signal name="InterfacesAdded"><arg name="object" type="o"/><arg name="interfaces" type="a{sa{sv}}"/></signal>
  <signal name="InterfacesRemoved"><arg name="object" type="o"/><arg name="interfaces" type="as"/></signal>
</interface></node>'''

CONTROL_XML = '''<node><interface name="org.brio.FakeControl">
  <method name="AddDrive"><arg type="s" direction="in"/></method>
  <method name="RemoveDrive"><arg type="s" direction="in"/></method>
  <method name="SetDrive"><arg type="s" direction="in"/><arg type="s" direction="in"/></method>
  <method name="SetErrors"><arg type="s" direction="in"/></method>
  <method name="SetDelays"><arg type="s" direction="in"/></method>
  <method name="AddDecision"><arg type="s" direction="in"/></method>
  <method name="EndTrial"><arg type="s" direction="in"/><arg type="s" direction="in"/></method>
  <method name="AddStartup"><arg type="s" direction="in"/></method>
  <method name="SetProcesses"><arg type="s" direction="in"/></method>
  <method name="SetStreams"><arg type="s" direction="in"/></method>
  <method name="StreamGarbage"><arg type="s" direction="in"/></method>
  <method name="Calls"><arg type="s" direction="out"/></method>
  <method name="Observers"><arg type="u" direction="out"/></method>
  <method name="Quit"/>
</interface></node>'''

# The types of the dictionaries' keys, as the XML documents them.
KEY_TYPES = {
    'sequence': 't', 'id': 's', 'time_usec': 't', 'device': 's', 'tunable': 's', 'unit': 's', 'old': 's', 'new': 's',
    'observed': 's', 'law': 's', 'result': 's', 'error': 's', 'reason': 's', 'outcome': 's', 'effect': 's', 'expected': 's',
    'measure': 's', 'before': 't', 'after': 't', 'samples_before': 't', 'samples_after': 't', 'confidence_permille': 't', 'p95_before_usec': 't',
    'p95_after_usec': 't',
    'enabled': 'b', 'file': 's', 'line': 'u', 'tunables': 'as', 'trial': 's', 'retry_usec': 't',
    'pid': 'u', 'others': 't', 'process': 's', 'name': 's', 'inferred': 'b', 'read_bytes_per_second': 't', 'write_bytes_per_second': 't', 'read_bytes': 't',
    'write_bytes': 't', 'idle_usec': 't', 'reads': 't', 'writes': 't', 'read_latency_usec': 't', 'write_latency_usec': 't',
    'read_latency_p99_usec': 't', 'write_latency_p99_usec': 't', 'think_time_usec': 't', 'seeks': 'b',
    'source': 's', 'uid': 'u', 'io_class': 's', 'io_level': 'u', 'wait_permille': 't', 'reads_per_second': 't', 'writes_per_second': 't',
    'state': 's', 'records': 'b', 'bytes_per_second': 't', 'period_usec': 't', 'regularity_permille': 't', 'pause_permille': 't',
    'drift_permille': 't', 'batches': 't', 'periods': 't', 'kernel': 's', 'margin_usec': 'x', 'kernel_yes': 't', 'kernel_no': 't',
    'arrivals': 'a(uuuisb)',
    'kernel_yes_alone': 't', 'kernel_yes_without_memory': 't', 'ended_usec': 't', 'failed_condition': 's', 'failed_value': 'x', 'failed_limit': 'x', 'failed_unit': 's',
    'tid': 'u', 'sync': 'b', 'coefficient': 'u', 'verdict': 's', 'seen_usec': 't',
    'application': 's', 'latency_usec': 't', 'waited_usec': 't', 'waited_permille': 't', 'requests': 't', 'faults': 't', 'processes': 't', 'noticed_usec': 't',
    'end': 's', 'launched': 'b', 'cold': 'b', 'measured': 'b', 'helped': 'b', 'culprits': 'a(sut)', 'starts': 't', 'cold_starts': 't', 'warm_starts': 't',
    'path': 's', 'files': 't', 'bytes': 't', 'ranges': 't', 'helped_usec': 't', 'helped_starts': 't', 'unhelped_usec': 't', 'unhelped_starts': 't',
    'slice_usec': 't', 'slices': 'a(uuuu)', 'stalls': 'a(uu)', 'decisions': 'at',
    'usual_usec': 't', 'p95_usec': 't', 'best_usec': 't', 'warm_usual_usec': 't', 'warm_p95_usec': 't', 'warm_best_usec': 't',
    'kind': 's', 'since_usec': 't', 'severity': 'u', 'confidence': 'u', 'sentence': 's', 'evidence': 'a(sxxs)',
}

DRIVE_DEFAULTS = {
    'model': '', 'class': 'ssd', 'class_reason': 'not rotational', 'scheduler': 'bfq',
    'schedulers': ['mq-deadline', 'kyber', 'bfq', 'none'], 'awaited_scheduler': '', 'policy': ['', ''], 'workload': 'idle',
    'state': 'observing', 'reason': 'Nothing to do: no reader waits.', 'reason_data': [], 'tunables': {}, 'verdicts': [], 'laws': [],
    'attention_reason': '', 'attention_reason_data': [], 'class_reason_data': [], 'requests': {},
    'load': {}, 'swing': 0.25,
}


def multiply(scenario):
    """Makes of a scenario with a "scale" one of that size. A daemon of today tells of fewer processes; a later one may not."""
    for kind, number in scenario.get('scale', {}).items():
        patterns = itertools.cycle(scenario[kind])
        if kind == 'drives':
            scenario[kind] = [{**next(patterns), 'name': 'sd%03d' % i, 'model': 'Disk %d' % (i + 1)} for i in range(number)]
        else:
            scenario[kind] = [{**next(patterns), 'pid': 1000 + i, 'name': 'reader%d' % i, 'device': 'sd%03d' % (i % 64),
                               'read_bytes_per_second': 1000000 + 1000 * i} for i in range(number)]


class CallError(Exception):
    def __init__(self, name, message):
        super().__init__(message)
        self.name = name if '.' in name else ERROR + name


def statements(parts):
    """A list of statements as aa{sv} content: numbers are x, lists are statements within one."""
    def value(v):
        return GLib.Variant('x', v) if isinstance(v, int) else GLib.Variant('aa{sv}', statements(v)) if isinstance(v, list) else GLib.Variant('s', v)
    return [{key: value(v) for key, v in part.items()} for part in parts]


def dictionary(entry):
    """A Python dictionary as a{sv} content, with the documented types; unknown keys become strings."""
    result = {}
    for key, value in entry.items():
        kind = KEY_TYPES.get(key, 'aa{sv}' if key.endswith('_data') else 's')
        if kind.startswith('a('):
            value = [tuple(item) for item in value]
        elif kind == 'aa{sv}':
            value = statements(value)
        result[key] = GLib.Variant(kind, value)
    return result


def escape_path(name):
    """As sd_bus_path_encode(3)."""
    def escape(index, byte):
        char = chr(byte)
        plain = char.isascii() and (char.isalpha() or (char.isdigit() and index > 0))
        return char if plain else '_%02x' % byte
    return ''.join(escape(i, b) for i, b in enumerate(name.encode())) or '_'


class Drive:
    """One drive of the scenario and its objects' values."""

    def __init__(self, values):
        self.values = {**DRIVE_DEFAULTS, **values}
        self.name = self.values['name']
        self.path = ROOT + '/device/' + escape_path(self.name)
        self.registration = 0

    def load(self, field, at_s, rng):
        """The field's mean, moved by a slow wave and some noise."""
        mean = self.values['load'].get(field, 0)
        if field in self.values['load'].get('fixed', []):
            return mean
        phase = sum(field.encode()) + sum(self.name.encode())
        wave = math.sin(at_s / 7 + phase) * 0.6 + math.sin(at_s / 2.3 + phase * 2) * 0.4
        return max(0, round(mean * (1 + self.values['swing'] * (wave + rng.uniform(-0.5, 0.5)))))

    def sample(self, t_ns, span_us, dropped, rng):
        at_s = t_ns / 1e9

        def value(field, limit=2 ** 32 - 1):
            return min(limit, self.load(field, at_s, rng))
        return SAMPLE.pack(
            MAGIC, SAMPLE.size, t_ns, self.name.encode()[:31], span_us, value('read_iops'), value('write_iops'),
            value('read_latency_us'), value('write_latency_us'), value('utilisation_permille', 1000), value('depth_milli'),
            value('inflight'), value('read_bytes_per_s', 2 ** 63), value('write_bytes_per_s', 2 ** 63), value('readers'), dropped,
            value('read_median_us'), value('read_p99_us'), value('write_median_us'), value('write_p99_us'))

    def properties(self):
        v, load = self.values, self.values['load']
        return {
            'Name': self.name, 'Model': v['model'], 'Class': v['class'], 'ClassReason': v['class_reason'],
            'ClassReasonData': statements(v['class_reason_data']),
            'Scheduler': v['scheduler'], 'Schedulers': v['schedulers'], 'AwaitedScheduler': v['awaited_scheduler'], 'Policy': tuple(v['policy']),
            'Workload': v['workload'], 'State': v['state'], 'Reason': v['reason'], 'ReasonData': statements(v['reason_data']),
            'Tunables': {name: tuple(t) for name, t in v['tunables'].items()},
            'AttentionReason': v['attention_reason'], 'AttentionReasonData': statements(v['attention_reason_data']), 'Requests': v['requests'],
            'Laws': [dictionary(law) for law in v['laws']],
            'Verdicts': [dictionary(verdict) for verdict in v['verdicts']],
            'ReadLatencyUSec': load.get('read_latency_us', 0), 'WriteLatencyUSec': load.get('write_latency_us', 0),
            'ReadBytesPerSecond': load.get('read_bytes_per_s', 0), 'WriteBytesPerSecond': load.get('write_bytes_per_s', 0),
            'UtilisationPermille': load.get('utilisation_permille', 0), 'QueueDepthMilli': load.get('depth_milli', 0),
            'Readers': load.get('readers', 0),
        }


class Stream:
    """The writing end of one sample pipe."""

    def __init__(self, daemon, interval_ms, fd):
        self.daemon = daemon
        self.interval_ms = interval_ms
        self.fd = fd
        self.dropped = 0
        self.timer = GLib.timeout_add(interval_ms, self.tick)
        self.backfill()

    def backfill(self):
        steps = int(self.daemon.scenario.get('backfill_s', 0) * 1000 / self.interval_ms)
        now = time.monotonic_ns()
        for step in range(steps, 0, -1):
            self.send_all(now - step * self.interval_ms * 1_000_000)

    def write(self, data):
        """False once the reader is gone."""
        if self.fd < 0:
            return False
        try:
            os.write(self.fd, data)
            self.dropped = 0
        except BlockingIOError:
            self.dropped += 1
        except BrokenPipeError:
            self.close()
            return False
        return True

    def send_all(self, t_ns):
        return all([self.write(drive.sample(t_ns, self.interval_ms * 1000, self.dropped, self.daemon.rng))
                    for drive in self.daemon.drives.values()])

    def tick(self):
        if self.send_all(time.monotonic_ns()) and self.fd >= 0:
            return GLib.SOURCE_CONTINUE
        self.timer = 0
        self.close()
        return GLib.SOURCE_REMOVE

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        if self.timer:
            GLib.source_remove(self.timer)
            self.timer = 0
        if self in self.daemon.streams:
            self.daemon.streams.remove(self)


class FakeDaemon:
    def __init__(self, connection, scenario, interface_xml, loop):
        self.connection = connection
        self.scenario = scenario
        self.loop = loop
        self.rng = random.Random(scenario.get('seed', 1))
        self.node = Gio.DBusNodeInfo.new_for_xml(interface_xml)
        self.mode = scenario.get('mode', 'auto')
        self.mode_origin = scenario.get('mode_origin', 'default')
        self.decisions = []
        self.advice = list(scenario.get('advice', []))
        self.holds = {}
        self.next_cookie = 1
        self.rules = dict(scenario.get('kept_rules', {}))
        self.drives = {}
        self.streams = []
        self.heard = 0
        self.recordings = []
        self.lists = {}
        self.calls, self.observers = [], set()
        self.observes = scenario.get('observes', True)
        self.register(ROOT, self.node.lookup_interface(MANAGER), self.on_manager, self.manager_properties)
        self.register(ROOT, Gio.DBusNodeInfo.new_for_xml(OBJECT_MANAGER_XML).interfaces[0], self.on_object_manager, dict)
        self.register('/org/brio/FakeControl', Gio.DBusNodeInfo.new_for_xml(CONTROL_XML).interfaces[0], self.on_control, dict)
        for entry in scenario.get('drives', []):
            self.add_drive(entry, announce=False)
        for entry in scenario.get('decisions', []):
            self.add_decision(entry, announce=False)
        self.restless = 0
        if scenario.get('restless_hz'):
            GLib.timeout_add(int(1000 / scenario['restless_hz']), self.on_restless)
        if 'scale' in scenario:
            for entries in scenario.get('processes', []), self.decisions:
                self.list_of(entries)

    # -- plumbing

    def register(self, path, interface, on_call, properties):
        def on_method(_connection, sender, _path, _interface, method, parameters, invocation):
            delay = self.scenario.get('delay_ms', {}).get(method, 0)
            if delay:
                GLib.timeout_add(delay, answer, sender, method, parameters, invocation)
            else:
                answer(sender, method, parameters, invocation)

        def answer(sender, method, parameters, invocation):
            try:
                if method in self.scenario.get('errors', {}):
                    raise CallError(*self.scenario['errors'][method])
                on_call(sender, method, parameters.unpack(), invocation)
            except CallError as error:
                invocation.return_dbus_error(error.name, str(error))
            return GLib.SOURCE_REMOVE

        def on_get(_connection, _sender, _path, _interface, name):
            return GLib.Variant(interface.lookup_property(name).signature, properties()[name])

        return self.connection.register_object(path, interface, on_method, on_get, None)

    def emit(self, path, interface, signal_name, parameters):
        self.connection.emit_signal(None, path, interface, signal_name, parameters)

    def typed(self, interface, values, signalled_only=False):
        """Values as variants of the documented types; signalled_only: without those that never signal a change."""
        result = {}
        for name, value in values.items():
            info = self.node.lookup_interface(interface).lookup_property(name)
            if info is None:
                continue  # an earlier interface does not have it
            notes = {a.key: a.value for a in info.annotations or []}
            if signalled_only and notes.get('org.freedesktop.DBus.Property.EmitsChangedSignal', 'true') != 'true':
                continue
            result[name] = GLib.Variant(info.signature, value)
        return result

    def emit_changes(self, path, interface, before, after):
        changed = self.typed(interface, {k: v for k, v in after.items() if before[k] != v}, signalled_only=True)
        if changed:
            self.emit(path, 'org.freedesktop.DBus.Properties', 'PropertiesChanged',
                      GLib.Variant('(sa{sv}as)', (interface, changed, [])))

    # -- the scenario's state

    def manager_properties(self):
        s = self.scenario
        counters = {'events': 0, 'events_lost': 0, 'events_invalid': 0, 'ticks': 0, 'writes': 0, 'write_errors': 0,
                    'foreign_writes': 0, 'restores': 0, 'drive_changes': 0, 'processes_known': 0, 'processes_refused': 0, 'devices_refused': 0, 'stepped_back': 0,
                    'priorities_refused': 0, 'priorities_inherited': 0, 'priorities_lowered': 0,
                    'requests_refused': 0, 'flows_refused': 0, 'requests_unmatched': 0, 'requests_aged': 0, 'streams_refused': 0,
                    'startups_refused': 0, 'request_events': 0, 'request_bytes': 0,
                    'request_wakeups': 0, 'recordings_lost': 0, 'prefetch_starts': 0, 'prefetch_controls': 0,
                    'prefetch_learnt': 0, 'prefetch_bytes': 0, 'prefetch_refused': 0, 'uptime_usec': 0, 'cold_starts': 0, 'cold_starts_usec': 0,
                    **{'cold_starts_within_%dms' % bound: 0 for bound in (500, 1000, 2000, 5000, 10000, 20000, 60000)}}
        return {
            'Version': s.get('version', '0.1.0'), 'Mode': self.mode, 'ModeOrigin': self.mode_origin, 'AttentionLevel': s.get('attention_level', 0),
            'AttentionReason': s.get('attention_reason', ''), 'AttentionReasonData': statements(s.get('attention_reason_data', [])),
            'Presence': s.get('presence', 'unknown'), 'PresenceReason': s.get('presence_reason', 'not known yet'),
            'PresenceReasonData': statements(s.get('presence_reason_data', [{'id': 'not-known-yet'}])),
            'Sources': [tuple(source) for source in s.get('sources', [['diskstats', 'works', '']])],
            'Devices': [self.drives[name].path for name in sorted(self.drives)],
            'ActiveHolds': [(cookie, *hold[1:]) for cookie, hold in self.holds.items()],
            'Policies': [tuple(policy) for policy in s.get('policies', [])],
            'ProgramRules': [(name, rule, '') for name, rule in self.rules.items()] + [tuple(rule) for rule in s.get('program_rules', [])],
            'Counters': {**counters, **s.get('counters', {})},
        }

    def change_manager(self, change):
        before = self.manager_properties()
        change()
        self.emit_changes(ROOT, MANAGER, before, self.manager_properties())

    def add_drive(self, values, announce=True):
        drive = Drive(values)
        if drive.name in self.drives:
            raise CallError('Failed', 'already there: ' + drive.name)
        drive.registration = self.register(drive.path, self.node.lookup_interface(DEVICE), self.on_device, drive.properties)
        self.change_manager(lambda: self.drives.update({drive.name: drive}))
        if announce:
            self.emit(ROOT, OBJECT_MANAGER, 'InterfacesAdded', GLib.Variant(
                '(oa{sa{sv}})', (drive.path, {DEVICE: self.typed(DEVICE, drive.properties())})))

    def drive(self, name):
        if name not in self.drives:
            raise CallError('NotFound', 'no such drive: ' + name)
        return self.drives[name]

    def remove_drive(self, name):
        drive = self.drive(name)
        self.connection.unregister_object(drive.registration)
        self.change_manager(lambda: self.drives.pop(name))
        self.emit(ROOT, OBJECT_MANAGER, 'InterfacesRemoved', GLib.Variant('(oas)', (drive.path, [DEVICE])))

    def set_drive(self, drive, values):
        before = drive.properties()
        drive.values.update(values)
        self.emit_changes(drive.path, DEVICE, before, drive.properties())

    def on_restless(self):
        """As a daemon does while its numbers change: the drive's properties in one signal, its reason in another."""
        self.restless += 1
        for drive in self.drives.values():
            reason = drive.values['reason'].split(' #')[0] + ' #%d' % self.restless
            tunables = dict(drive.values['tunables'])
            if tunables:
                first = next(iter(tunables))
                tunables[first] = [tunables[first][0], str(1000 + self.restless % 100), str(1000 + self.restless % 100), 'brio']
            drive.values.update(reason=reason, tunables=tunables)
            changed = self.typed(DEVICE, drive.properties(), signalled_only=True)
            for properties in ({k: v for k, v in changed.items() if k not in ('Name', 'Model')}, {'Reason': GLib.Variant('s', reason)}):
                self.emit(drive.path, 'org.freedesktop.DBus.Properties', 'PropertiesChanged', GLib.Variant('(sa{sv}as)', (DEVICE, properties, [])))
        return GLib.SOURCE_CONTINUE

    def add_decision(self, values, announce=True):
        sequence = len(self.decisions) + 1
        entry = {'sequence': sequence, 'id': 'd%d' % sequence, 'time_usec': int(time.time() * 1e6), 'device': '', 'tunable': '',
                 'unit': '', 'old': '', 'new': '', 'observed': values.get('new', ''), 'law': '', 'result': 'applied',
                 'error': '', 'reason': '', **values}
        self.decisions.append(entry)
        if announce:
            self.emit(ROOT, MANAGER, 'DecisionMade', GLib.Variant('(a{sv})', (dictionary(entry),)))

    def end_trial(self, id_, values):
        """What a trial found of the decision of that id."""
        entry = next(entry for entry in self.decisions if entry['id'] == id_)
        entry.update(values)
        self.emit(ROOT, MANAGER, 'TrialEnded', GLib.Variant('(a{sv})', (dictionary(entry),)))

    def restore(self, drive, state):
        """Puts the originals of one drive back. Returns how many settings that were."""
        changed = {}
        for name, (initial, _wanted, current, owner) in drive.values['tunables'].items():
            if owner == 'brio' and current != initial:
                changed[name] = [initial, '', initial, 'kernel']
                self.add_decision({'device': drive.name, 'tunable': name, 'old': current, 'new': initial, 'result': 'restored',
                                   'reason': 'The setting from before Brio is back.'})
        self.set_drive(drive, {'tunables': {**drive.values['tunables'], **changed}, 'state': state,
                               'reason': 'Brio changes nothing here now.'})
        return len(changed)

    # -- calls

    def on_manager(self, sender, method, arguments, invocation):
        if method != 'Observe':  # which each begins with
            self.calls.append([method, list(arguments)])
        getattr(self, 'call_' + method)(sender, invocation, *arguments)

    def call_Observe(self, sender, invocation):
        self.observers.add(sender)
        if self.observes == 'password':
            interactive = invocation.get_message().get_flags() & Gio.DBusMessageFlags.ALLOW_INTERACTIVE_AUTHORIZATION
            self.observes = True if interactive else 'password'
        invocation.return_value(GLib.Variant('(b)', (self.observes is True,)))

    def call_Hold(self, sender, invocation, mode, reason, application_id):
        if mode not in ('interactive', 'throughput', 'pause') or len(reason) > 255 or len(application_id) > 255:
            raise CallError('InvalidArgument', 'no such hold: ' + mode)
        cookie, self.next_cookie = self.next_cookie, self.next_cookie + 1
        self.change_manager(lambda: self.holds.update({cookie: (sender, mode, reason, application_id)}))
        Gio.bus_watch_name_on_connection(self.connection, sender, Gio.BusNameWatcherFlags.NONE, None,
                                         lambda *_: self.change_manager(lambda: self.holds.pop(cookie, None)))
        invocation.return_value(GLib.Variant('(u)', (cookie,)))

    def call_ReleaseHold(self, sender, invocation, cookie):
        if cookie not in self.holds:
            raise CallError('NotFound', 'there is no hold %d' % cookie)
        owner = self.holds[cookie][0]
        self.change_manager(lambda: self.holds.pop(cookie))
        if owner != sender:
            self.connection.emit_signal(owner, ROOT, MANAGER, 'HoldReleased', GLib.Variant('(u)', (cookie,)))
        invocation.return_value(None)

    def call_ResetMode(self, sender, invocation):
        self.call_SetMode(sender, invocation, self.scenario.get('mode', 'auto'), 'default')

    def call_LowerPriority(self, _sender, invocation, pid):
        process = next((p for p in self.scenario.get('processes', []) if p.get('pid') == pid), None)
        if process is None:
            raise CallError('NotFound', 'no process %d is seen to read or write' % pid)
        text, data = self.scenario.get('lower_refusals', {}).get(str(pid), ('', []))
        if not text:
            self.add_decision({'device': process.get('device', ''), 'tunable': 'ioprio', 'process': process['name'], 'pid': pid, 'old': 'none', 'new': 'BE/7',
                               'law': 'step-back', 'reason': 'a user asked that %s waits for others' % process['name']})
        invocation.return_value(GLib.Variant('(a{sv})', (dictionary({'id': '' if text else self.decisions[-1]['id'], 'refusal': text, 'refusal_data': data}),)))

    def call_SetProgramRules(self, _sender, invocation, rules):
        changed = dict(self.rules)
        for program, rule in rules:
            if rule not in ('never', 'always', ''):
                raise CallError('InvalidArgument', 'no such rule: ' + rule)
            if not rule and program not in changed:
                raise CallError('NotFound', 'there is no rule for "%s"' % program)
            if rule:
                changed[program] = rule
            else:
                del changed[program]
        self.change_manager(lambda: setattr(self, 'rules', changed))
        invocation.return_value(None)

    def call_SetMode(self, _sender, invocation, mode, origin='kept'):
        if mode not in ('auto', 'advise', 'off'):
            raise CallError('InvalidArgument', 'no such mode: ' + mode)
        for cookie, hold in list(self.holds.items()):
            self.connection.emit_signal(hold[0], ROOT, MANAGER, 'HoldReleased', GLib.Variant('(u)', (cookie,)))

        def change():
            self.mode, self.mode_origin = mode, origin
            self.holds.clear()
        self.change_manager(change)
        if mode != 'auto':
            for drive in self.drives.values():
                self.restore(drive, 'observing')
        invocation.return_value(None)

    def call_Restore(self, _sender, invocation, device):
        drives = [self.drive(device)] if device else list(self.drives.values())
        restored = sum(self.restore(drive, 'manual' if device else 'observing') for drive in drives)
        if not device:
            self.change_manager(lambda: vars(self).update(mode='off', mode_origin='kept'))
        invocation.return_value(GLib.Variant('(uu)', (restored, 0)))

    def call_Apply(self, _sender, invocation, id_):
        found = [entry for entry in self.advice if entry.get('id') == id_]
        if not found:
            raise CallError('NotFound', 'no such advice: ' + id_)
        self.advice.remove(found[0])
        self.add_decision({k: v for k, v in found[0].items() if k != 'sequence'} | {'result': 'applied'})
        invocation.return_value(None)

    def call_Undo(self, _sender, invocation, id_):
        found = [entry for entry in self.decisions if entry['id'] == id_ and entry['result'] == 'applied']
        if not found:
            raise CallError('NotFound', 'no such decision: ' + id_)
        if found[0].get('process') == 'gone':
            raise CallError('Failed', 'the process has ended')
        if found[0].get('process') == 'theirs':
            raise CallError('NotAuthorized', 'not yours')
        self.add_decision({**{k: found[0][k] for k in ('device', 'tunable', 'unit', 'pid', 'process') if k in found[0]}, 'old': found[0]['new'],
                           'new': found[0]['old'], 'law': 'restore', 'result': 'restored', 'reason': 'undone on request', 'reason_data': [{'id': 'undone'}]})
        invocation.return_value(None)

    def list_of(self, entries):
        """For an answer. That of very many takes seconds to make: where nothing happens it is the same the next time."""
        many = len(entries) if 'scale' in self.scenario else 0
        if not many or many not in self.lists:
            self.lists[many] = GLib.Variant('(aa{sv})', ([dictionary(entry) for entry in entries],))
        return self.lists[many]

    def call_GetDecisions(self, _sender, invocation, after):
        newer = [entry for entry in self.decisions if entry['sequence'] > after]
        invocation.return_value(self.list_of(newer[-self.scenario.get('scale', {}).get('decisions', 512):]))

    def call_GetAdvice(self, _sender, invocation):
        invocation.return_value(GLib.Variant('(aa{sv})', ([dictionary(entry) for entry in self.advice],)))

    def call_GetProcesses(self, _sender, invocation, limit):
        processes = [entry for entry in self.scenario.get('processes', []) if 'others' not in entry or self.observes is not True]
        invocation.return_value(self.list_of(processes[:limit or self.scenario.get('scale', {}).get('processes', 256)]))

    def call_GetStreams(self, _sender, invocation):
        streams = self.scenario.get('streams', [])
        invocation.return_value(GLib.Variant('(aa{sv})', ([dictionary(entry) for entry in streams],)))

    def call_GetKernelVerdicts(self, _sender, invocation, _seconds):
        """Nothing the first time, as the daemon has it."""
        self.heard += 1
        verdicts = self.scenario.get('kernel_verdicts', []) if self.heard > 1 else []
        invocation.return_value(GLib.Variant('(aa{sv})', ([dictionary(entry) for entry in verdicts],)))

    def set_streams(self, streams):
        """Tells of those that became streams and of those that were some, as the daemon does."""
        before = {s['pid']: s for s in self.scenario.get('streams', []) if s['state'] == 'stream'}
        after = {s['pid']: s for s in streams if s['state'] == 'stream'}
        self.scenario['streams'] = streams
        ended = {s['pid']: s for s in streams if s['state'] == 'ended'}
        for pid in sorted(after.keys() - before.keys()):
            self.emit(ROOT, MANAGER, 'StreamStarted', GLib.Variant('(a{sv})', (dictionary(after[pid]),)))
        for pid in sorted(before.keys() - after.keys()):
            self.emit(ROOT, MANAGER, 'StreamEnded', GLib.Variant('(a{sv})', (dictionary(ended.get(pid, before[pid])),)))
    def call_GetStartups(self, _sender, invocation, application):
        startups = self.scenario.get('startups', [])
        if application:
            found = [entry for entry in startups if entry['application'] == application]
            if not found:
                raise CallError('NotFound', 'no start of "%s" is known' % application)
        else: # the last of each
            found = list({entry['application']: entry for entry in startups}.values())
        invocation.return_value(GLib.Variant('(aa{sv})', ([dictionary(entry) for entry in found],)))

    def call_GetStartupTimeline(self, _sender, invocation, application, time_usec):
        found = [t for t in self.scenario.get('timelines', []) if t['application'] == application and time_usec in (0, t['time_usec'])]
        if not found:
            raise CallError('NotFound', 'no timeline of that start of "%s" is kept' % application)
        timeline = {k: v for k, v in found[-1].items() if k != 'application'}
        invocation.return_value(GLib.Variant('(a{sv})', (dictionary(timeline),)))

    def learnt(self, key, application):
        found = [entry for entry in self.scenario.get(key, []) if application in ('', entry['application'])]
        if application and not found:
            raise CallError('NotFound', 'no start of that application was learnt from')
        return found

    def call_GetPrefetch(self, _sender, invocation, application):
        found = self.learnt('prefetch', application)
        invocation.return_value(GLib.Variant('(aa{sv})', ([dictionary(entry) for entry in found],)))

    def call_GetPrefetchFiles(self, _sender, invocation, application):
        files = [{k: v for k, v in entry.items() if k != 'application'} for entry in self.learnt('prefetch_files', application)]
        invocation.return_value(GLib.Variant('(aa{sv})', ([dictionary(entry) for entry in files],)))

    def call_ForgetPrefetch(self, _sender, invocation, application):
        found = self.learnt('prefetch', application)
        self.scenario['prefetch'] = [entry for entry in self.scenario.get('prefetch', []) if entry not in found]
        invocation.return_value(GLib.Variant('(u)', (len(found),)))

    def call_SetPrefetch(self, _sender, invocation, application, on):
        found = self.learnt('prefetch', application) if application and on else [e for e in self.scenario.get('prefetch', []) if e['application'] == application]
        for entry in found:
            entry['state'] = 'on' if on else 'off'
        invocation.return_value(GLib.Variant('(u)', (len(found),)))

    def add_startup(self, entry):
        self.scenario.setdefault('startups', []).append(entry)
        self.emit(ROOT, MANAGER, 'StartupFinished', GLib.Variant('(a{sv})', (dictionary(entry),)))

    def call_StartupReady(self, _sender, invocation, _pid):
        invocation.return_value(None)

    def call_OpenSampleStream(self, _sender, invocation, interval_ms):
        if not 100 <= interval_ms <= 10000:
            raise CallError('InvalidArgument', 'interval_ms is not within 100 to 10000: %d' % interval_ms)
        if len(self.streams) >= STREAMS_MAX:
            raise CallError('LimitReached', 'there are %d streams already' % STREAMS_MAX)
        reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        except PermissionError:
            pass  # the default size: a long backfill loses its end
        self.streams.append(Stream(self, interval_ms, writer))
        fds = Gio.UnixFDList.new()
        handle = fds.append(reader)
        os.close(reader)
        invocation.return_value_with_unix_fd_list(GLib.Variant('(h)', (handle,)), fds)

    def call_OpenRecording(self, _sender, invocation, devices):
        """A real one, but for the end, which is its reader's to write."""
        for device in devices:
            if device not in self.drives:
                raise CallError('NotFound', 'no drive "%s"' % device)
        reader, writer = os.pipe2(os.O_CLOEXEC)
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        os.write(writer, RECORDING.read_bytes()[:-RECORDING_END_BYTES])
        self.recordings.append(writer)
        fds = Gio.UnixFDList.new()
        handle = fds.append(reader)
        os.close(reader)
        invocation.return_value_with_unix_fd_list(GLib.Variant('(h)', (handle,)), fds)

    def on_device(self, _sender, method, _arguments, _invocation):
        raise CallError('Failed', 'a drive has no method ' + method)

    def on_object_manager(self, _sender, _method, _arguments, invocation):
        # As with sd-bus, the listing has what is below the root and not the root itself.
        objects = {drive.path: {DEVICE: self.typed(DEVICE, drive.properties())} for drive in self.drives.values()}
        invocation.return_value(GLib.Variant('(a{oa{sa{sv}}})', (objects,)))

    def garbage(self, kind):
        drive = next(iter(self.drives.values()))
        good = drive.sample(time.monotonic_ns(), 100000, 0, self.rng)
        forged = {
            'magic': b'\0\0\0\0' + good[4:],
            'size-zero': good[:4] + struct.pack('=I', 0) + good[8:],
            'size-huge': good[:4] + struct.pack('=I', 2 ** 32 - 1) + good[8:],
            'bigger': good[:4] + struct.pack('=I', SAMPLE.size + 64) + good[8:] + b'\xff' * 64,
            'short': good[:SAMPLE.size // 2],
            'random': self.rng.randbytes(1000),
            'name': good[:16] + b'x' * 32 + good[48:],
            'unknown': good[:16] + b'nosuchdrive'.ljust(32, b'\0') + good[48:],
        }
        if kind not in forged:
            raise CallError('InvalidArgument', 'no such garbage: ' + kind)
        for stream in list(self.streams):
            stream.write(forged[kind])
            if kind == 'short':
                stream.close()

    def on_control(self, _sender, method, arguments, invocation):
        result = None
        if method == 'AddDrive':
            self.add_drive(json.loads(arguments[0]))
        elif method == 'RemoveDrive':
            self.remove_drive(arguments[0])
        elif method == 'SetDrive':
            self.set_drive(self.drive(arguments[0]), json.loads(arguments[1]))
        elif method == 'SetErrors':
            self.scenario['errors'] = json.loads(arguments[0])
        elif method == 'SetDelays':
            self.scenario['delay_ms'] = json.loads(arguments[0])
        elif method == 'EndTrial':
            self.end_trial(arguments[0], json.loads(arguments[1]))
        elif method == 'AddDecision':
            self.add_decision(json.loads(arguments[0]))
        elif method == 'AddStartup':
            self.add_startup(json.loads(arguments[0]))
        elif method == 'SetProcesses':
            self.scenario['processes'] = json.loads(arguments[0])
        elif method == 'SetStreams':
            self.set_streams(json.loads(arguments[0]))
        elif method == 'StreamGarbage':
            self.garbage(arguments[0])
        elif method == 'Calls':
            result = GLib.Variant('(s)', (json.dumps(self.calls),))
        elif method == 'Observers':
            result = GLib.Variant('(u)', (len(self.observers),))
        elif method == 'Quit':
            GLib.idle_add(self.loop.quit)
        invocation.return_value(result)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bus', required=True, metavar='ADDRESS')
    parser.add_argument('--scenario', metavar='FILE', help='default: no drives')
    parser.add_argument('--interface', metavar='FILE', help='default: data/org.brio.Brio1.xml of this source tree',
                        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../data/org.brio.Brio1.xml'))
    options = parser.parse_args()
    scenario = {}
    if options.scenario:
        with open(options.scenario, encoding='utf-8') as file:
            scenario = json.load(file)
    multiply(scenario)
    with open(options.interface, encoding='utf-8') as file:
        interface_xml = file.read()

    loop = GLib.MainLoop()
    for number in (signal.SIGTERM, signal.SIGINT):
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, loop.quit)
    connection = Gio.DBusConnection.new_for_address_sync(
        options.bus, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
    connection.set_exit_on_close(False)
    connection.connect('closed', lambda *_: loop.quit())
    failed = []

    def on_acquired(_connection, _name):
        print('ready', flush=True)

    def on_lost(_connection, _name):
        failed.append('the name %s is taken or the bus is gone' % BUS_NAME)
        loop.quit()
    FakeDaemon(connection, scenario, interface_xml, loop)
    Gio.bus_own_name_on_connection(connection, BUS_NAME, Gio.BusNameOwnerFlags.DO_NOT_QUEUE, on_acquired, on_lost)
    loop.run()
    if failed and not connection.is_closed():
        sys.exit('fake-daemon: ' + failed[0])


if __name__ == '__main__':
    main()
