#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one user of the bus can take from the others: calls, streams, questions to polkit. The strangers here are users of no account."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests/lib"))
sys.path.insert(0, os.path.join(SOURCE, "tests/machines"))

import brio  # noqa: E402
import unpack  # noqa: E402
from gi.repository import GLib  # noqa: E402

E = "org.brio.Brio1.Error."
CALLS_AT_ONCE, CALLS_PER_SECOND, CALLS_UNKNOWN_MAX = 200, 100, 32  # daemon/callers.c
CALLS_PER_MISFIT = CALLS_AT_ONCE + CALLS_PER_SECOND
CALLS_PER_DEAR = 10

# Becomes another user, runs BODY with a briod of the given bus, and prints what that leaves in `result`.
STRANGER = """
import sys, os, json, time; sys.path.insert(0, %r); import brio
from gi.repository import Gio, GLib
uid = int(sys.argv[2])
os.setgroups([]); os.setgid(uid); os.setuid(uid)
bus = brio.Bus(); bus.address = sys.argv[1]
b = brio.Briod(bus, state='/'); b.connection = bus.connect()
%s
print(json.dumps(result), flush=True)
"""

# Asynchronous calls, so many at a time; counts the errors by name.
FLOOD = """
result, loop, began = {}, GLib.MainLoop(), time.monotonic()
left = [%d, %d]
def done(connection, answer):
  try:
    connection.call_finish(answer)
    name = 'answered'
  except GLib.Error as error:
    name = Gio.DBusError.get_remote_error(error)
    Gio.DBusError.strip_remote_error(error)
    result['longest_message'] = max(result.get('longest_message', 0), len(error.message.encode()))
  result[name] = result.get(name, 0) + 1
  left[1] -= 1
  send()
  if left[1] == 0:
    loop.quit()
def send():
  if left[0] > 0:
    left[0] -= 1
    b.connection.call(brio.NAME, brio.PATH, %s, GLib.Variant(*%s), None, Gio.DBusCallFlags.NONE, 60000, None, done)
for _ in range(64):
  send()
loop.run()
result['seconds'] = time.monotonic() - began
"""


def flood(calls, method, interface=None, arguments=("()", ())):
  return FLOOD % (calls, calls, f"{interface or brio.MANAGER!r}, {method!r}" if interface is None else f"{interface!r}, {method!r}", arguments)


@unittest.skipIf(os.geteuid() != 0, "needs root to become another user")
class Crowd(unittest.TestCase):
  def setUp(self):
    self.root = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-machine-"))
    unpack.unpack("desktop-ssd-hdd", self.root)
    self.bus = self.enterContext(brio.Bus())
    self.briod = self.enterContext(brio.Briod(self.bus, "--root", self.root, *self.options()))

  def options(self):
    return ()

  def start_stranger(self, body, uid=65534):
    process = subprocess.Popen([sys.executable, "-c", STRANGER % (os.path.join(SOURCE, "tests/lib"), body), self.bus.address, str(uid)],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    self.addCleanup(process.wait)
    self.addCleanup(process.stdout.close)
    self.addCleanup(process.stdin.close)
    return process

  def stranger(self, body, uid=65534):
    return json.loads(self.start_stranger(body, uid).stdout.readline())


class Floods(Crowd):
  def test_a_user_gets_a_burst_of_calls_and_then_so_many_a_second_and_others_are_answered(self):
    process = self.start_stranger(flood(3000, "GetAll", "org.freedesktop.DBus.Properties", ("(s)", (brio.MANAGER,))))
    answers = 0
    while process.poll() is None:
      self.assertEqual("auto", self.briod.get("Mode"))
      answers += 1
    result = json.loads(process.stdout.readline())
    self.assertEqual(3000, result["answered"] + result[E + "LimitReached"])
    self.assertGreaterEqual(result["answered"], CALLS_AT_ONCE - CALLS_UNKNOWN_MAX)
    self.assertLessEqual(result["answered"], CALLS_AT_ONCE + CALLS_UNKNOWN_MAX + CALLS_PER_SECOND * (result["seconds"] + 1))
    self.assertGreater(answers, 0)

  def test_more_connections_are_not_more_calls(self):
    body = """
result = 0
for _ in range(40):
  connection = bus.connect()
  for _ in range(40):
    result += brio.error_name(lambda: b.call('GetStreams', connection=connection)) is None
began = time.monotonic()
"""
    began = brio.time.monotonic()
    answered = self.stranger(body)
    seconds = brio.time.monotonic() - began
    self.assertLessEqual(answered, CALLS_AT_ONCE + 40 * CALLS_UNKNOWN_MAX + CALLS_PER_SECOND * (seconds + 1))
    self.assertGreaterEqual(answered, CALLS_AT_ONCE)

  def test_long_texts_are_refused_and_errors_repeat_no_more_than_a_line_of_them(self):
    for length in (513, 1 << 20):
      for method, arguments in (("SetMode", ("(s)", ("x" * length,))), ("GetStartups", ("(s)", ("\u202e" * (length // 3 + 1),))),
                                ("Hold", ("(sss)", ("pause", "x" * length, ""))), ("OpenRecording", ("(as)", (["x" * length],))),
                                ("Apply", ("(s)", ("x" * length,))), ("GetStartupTimeline", ("(st)", ("x" * length, 0)))):
        self.assertEqual(E + "InvalidArgument", brio.error_name(lambda: self.briod.call(method, *arguments[:1], *arguments[1])), method)
    known = "brio.error_name(lambda: b.call('GetStartups', '(s)', 'x'))\n"  # of whose calls more may wait
    result = self.stranger(known + flood(8, "GetStartups", None, ("(s)", ("x" * 512,))))
    self.assertEqual({E + "NotFound": 8}, {name: n for name, n in result.items() if name not in ("seconds", "longest_message")})
    self.assertLess(result["longest_message"], 192)  # with the name of the error

  def test_a_caller_that_sends_long_texts_has_one_in_three_seconds_looked_at(self):
    calls = 600
    result = self.stranger(flood(calls, "SetMode", None, ("(s)", ("x" * 513,))))
    looked_at = result[E + "InvalidArgument"]
    self.assertEqual(calls, looked_at + result[E + "LimitReached"])
    self.assertLessEqual(looked_at, 2 + result["seconds"] * CALLS_PER_SECOND / CALLS_PER_MISFIT)

  def test_a_call_to_a_long_path_is_refused_and_counts_as_one_with_a_long_text(self):
    result = self.stranger(flood(64, "Get", None).replace("brio.PATH", "'/a' * 32000"))
    self.assertEqual(64, result[E + "InvalidArgument"] + result[E + "LimitReached"])
    self.assertLessEqual(result[E + "InvalidArgument"], 2 + result["seconds"] * CALLS_PER_SECOND / CALLS_PER_MISFIT)

  def test_a_caller_that_sends_many_values_has_one_in_three_seconds_looked_at(self):
    calls = 600
    for name, arguments in (("SetProgramRules", ("(a(ss))", ([("", "")] * 513,))), ("OpenRecording", ("(as)", ([""] * 1025,))),
                            ("Unknown", ("(ay)", (b"x" * 1025,))), ("Unknown", ("(a{ss})", ({"x" * 513: ""},)))):
      result = self.stranger(flood(calls, name, None, arguments))
      looked_at = result[E + "InvalidArgument"]
      self.assertEqual(calls, looked_at + result[E + "LimitReached"], name)
      self.assertLessEqual(looked_at, 2 + result["seconds"] * CALLS_PER_SECOND / CALLS_PER_MISFIT, name)

  def test_a_user_has_briod_look_at_once_or_tell_much_ten_times_a_second_at_most(self):
    for method, arguments in (("Hold", ("(sss)", ("pause", "", ""))), ("ReleaseHold", ("(u)", (1,))), ("OpenSampleStream", ("(u)", (100,))),
                              ("GetDecisions", ("(t)", (0,))), ("GetStartups", ("(s)", ("",))), ("GetPrefetch", ("(s)", ("",)))):
      result = self.stranger(flood(600, method, None, arguments))
      seconds, _ = result.pop("seconds"), result.pop("longest_message")
      let_in = sum(result.values()) - result[E + "LimitReached"]
      self.assertEqual(600, sum(result.values()))
      self.assertLessEqual(let_in, (CALLS_AT_ONCE + CALLS_UNKNOWN_MAX + CALLS_PER_SECOND * (seconds + 1)) / CALLS_PER_DEAR, method)

  def test_what_a_caller_wrote_is_repeated_without_control_characters(self):
    with self.assertRaises(GLib.Error) as caught:
      self.briod.call("Restore", "(s)", "\x1b[31msda\n")
    self.assertNotIn("\x1b", caught.exception.message)


class Shares(Crowd):
  HOLD_STREAMS = """
connections, fds, errors = [bus.connect() for _ in range(6)], [], []
for connection in connections:
  b.connection = connection
  try:
    fds.append(b.open_stream(100))
  except GLib.Error as error:
    errors.append(Gio.DBusError.get_remote_error(error))
for connection in connections:
  connection.close_sync(None)
result = [len(fds), errors]
print(json.dumps(result), flush=True)
sys.stdin.read()
"""

  def test_a_signal_that_is_not_the_bus_ends_no_hold(self):
    cookie = self.briod.call("Hold", "(sss)", "pause", "", "")[0]
    connection = self.briod.connection
    self.stranger(f"""
briod = b.connection.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'GetNameOwner', GLib.Variant('(s)', (brio.NAME,)),
                               None, 0, -1, None).unpack()[0]
name = {connection.get_unique_name()!r}
b.connection.emit_signal(briod, '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'NameOwnerChanged', GLib.Variant('(sss)', (name, name, '')))
b.call('GetStreams')  # behind it
result = 0
""")
    self.briod.call("ReleaseHold", "(u)", cookie)

  def hold_of_brioctl(self):
    command = [str(brio.BUILD / "cli/brioctl"), "--bus", self.bus.address, "hold", "pause", "sleep", "60"]
    held = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    self.addCleanup(held.wait)
    self.addCleanup(held.stderr.close)
    self.addCleanup(held.terminate)
    brio.wait_for(lambda: self.briod.get("ActiveHolds"), "the hold")
    return held

  def forge(self, path, interface, name, value):
    """A signal of another user, to each connection alone."""
    self.stranger(f"""
for to in b.connection.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'ListNames', None, None, 0, -1, None).unpack()[0]:
  if to.startswith(':'):
    b.connection.emit_signal(to, {path!r}, {interface!r}, {name!r}, GLib.Variant(*{value!r}))
b.call('GetStreams')  # behind them
result = 0
""")

  def test_a_signal_that_is_not_the_bus_ends_no_hold_of_brioctl(self):
    held = self.hold_of_brioctl()
    self.forge("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", ("(sss)", (brio.NAME, ":1.1", "")))
    self.briod.call("SetMode", "(s)", "auto")
    self.assertIn("an administrator set the mode", held.stderr.readline())

  def test_a_signal_that_is_not_briods_ends_no_hold_of_brioctl(self):
    held = self.hold_of_brioctl()
    self.forge(brio.PATH, brio.MANAGER, "HoldReleased", ("(u)", (self.briod.get("ActiveHolds")[0][0],)))
    self.briod.stop()
    self.assertIn("briod went away", held.stderr.readline())

  def test_a_user_has_four_streams_from_however_many_connections_and_leaves_the_others_theirs(self):
    process = self.start_stranger(self.HOLD_STREAMS)
    self.assertEqual([4, [E + "LimitReached"] * 2], json.loads(process.stdout.readline()))
    os.close(self.briod.open_stream(100))


if __name__ == "__main__":
  unittest.main(verbosity=2)
