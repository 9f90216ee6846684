#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The abuse benchmark's parts that need no briod.

usage: test-bench-abuse.py BENCH_DIR CONTROL [unittest argument]..."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

sys.dont_write_bytecode = True
STATE = tempfile.TemporaryDirectory(prefix="brio-test-")
os.environ["BRIO_BENCH_STATE"] = os.path.join(STATE.name, "state")
sys.path.insert(0, sys.argv.pop(1))
CONTROL = sys.argv.pop(1)
from lib import bus, crowd, daemon, process  # noqa: E402

LOADER = SourceFileLoader("abuse", os.path.join(sys.path[0], "abuse/check"))
ABUSE = module_from_spec(spec_from_loader("abuse", LOADER))
LOADER.exec_module(ABUSE)

CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib/private-bus.conf")


class Bus(unittest.TestCase):
  def setUp(self):
    daemon_ = subprocess.Popen(["dbus-daemon", "--config-file", CONFIG, f"--address=unix:abstract=brio-test-{uuid.uuid4()}", "--nofork",
                                "--print-address"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    self.addCleanup(daemon_.wait)
    self.addCleanup(daemon_.kill)
    self.addCleanup(daemon_.stdout.close)
    self.address = daemon_.stdout.readline().strip()

  def test_calls_are_answered_and_each_answer_names_its_call(self):
    connection = bus.Connection(self.address)
    self.addCleanup(connection.socket.close)
    sent = [connection.send(*bus.DBUS, "GetId"), connection.send(*bus.DBUS, "NameHasOwner", "s", bus.text("org.example.Nobody" * 9)),
            connection.send(*bus.DBUS, "NoSuchMethod"), connection.send(*bus.DBUS, "RequestName", "su", bus.text("org.example.A") + bytes(2 + 4))]
    answers = dict(connection.receive() for _ in sent)
    self.assertEqual([None, None, "org.freedesktop.DBus.Error.UnknownMethod", None], [answers[serial] for serial in sent])

  def test_an_answer_of_many_packets_is_one(self):
    connection = bus.Connection(self.address)
    self.addCleanup(connection.socket.close)
    serials = [connection.send(*bus.DBUS, "GetNameOwner", "s", bus.text("o.x" + "y" * 200)) for _ in range(500)]
    self.assertEqual([(s, "org.freedesktop.DBus.Error.NameHasNoOwner") for s in serials], [connection.receive() for _ in serials])

  def test_where_the_name_has_no_owner_a_flood_counts_its_errors_and_the_caller_says_so(self):
    for role, key in (("calls", "org.freedesktop.DBus.Error.ServiceUnknown"), ("streams", "org.freedesktop.DBus.Error.ServiceUnknown")):
      done = subprocess.run([sys.executable, crowd.__file__, role, self.address, str(os.geteuid()), "0.2"], capture_output=True, text=True, check=True)
      self.assertGreater(json.loads(done.stdout)[key], 0)

  def test_the_control_has_a_mode_and_answers_all_else_with_errors(self):
    control = subprocess.Popen([CONTROL, self.address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    self.addCleanup(control.wait)
    self.addCleanup(control.kill)
    connection = bus.Connection(self.address)
    self.addCleanup(connection.socket.close)
    call = (crowd.NAME, crowd.PATH, *crowd.GET_MODE)
    connection.send(*call)
    while connection.receive()[1] == "org.freedesktop.DBus.Error.ServiceUnknown":
      time.sleep(0.01)
      connection.send(*call)
    sent = [connection.send(*call), connection.send(crowd.NAME, crowd.PATH, *crowd.LONG[0]), connection.send(crowd.NAME, crowd.PATH, *crowd.STREAM)]
    answers = dict(connection.receive() for _ in sent)
    self.assertEqual([None] + ["org.freedesktop.DBus.Error.UnknownMethod"] * 2, [answers[serial] for serial in sent])


class Figures(unittest.TestCase):
  def test_a_percentile_is_one_of_the_values(self):
    values = list(range(100, 0, -1))
    self.assertEqual([51, 100, 100], [ABUSE.percentile(values, part) for part in (0.5, 0.99, 1)])
    self.assertEqual(7, ABUSE.percentile([7], 0.99))

  def test_what_was_refused_is_counted_apart_from_what_was_let_in(self):
    floods = [{"answered": 20, "Limit": 100}, {"answered": 10, "Other": 4}]
    f = ABUSE.figures_of({"times_ms": [1, 2, 30], "bus_ms": [1, 1, 1]}, floods, 2, 0.5, 9000, {"times_ms": [5, 6, 7], "bus_ms": [1]})
    self.assertEqual((15, 52, 25, 9000, 3, 2, 30, 30, 1, 6, 7), tuple(f.values()))
    self.assertEqual(len(ABUSE.HEADER), 1 + len(f))

  def test_another_user_that_is_refused_is_no_figure_but_an_error(self):
    good = {"times_ms": [1], "bus_ms": [1]}
    for bad in ({"error": "org.brio.Brio1.Error.LimitReached"}, {"times_ms": [], "bus_ms": []}):
      for asked, control in ((bad, good), (good, bad)):
        self.assertRaises(daemon.DaemonError, ABUSE.figures_of, asked, [], 1, 0, 0, control)

  def test_there_are_aims_for_floods_alone(self):
    f = {"p99_ms": 30, "pss_kib": 100}
    aims = ABUSE.aims_of({"none": f, "calls": f})
    self.assertEqual([("calls: 99 of 100 answers to another user", False), ("calls: PSS", True)], [(a.name, a.met) for a in aims])

  def test_each_flood_is_made_of_roles_that_there_are(self):
    self.assertLessEqual({role for roles in ABUSE.FLOODS.values() for role in roles} | {"ask"}, set(crowd.ROLES))

  def test_the_caller_stays_below_what_a_user_is_refused_at(self):
    self.assertLess(1 / crowd.ASK_EVERY_S, 100)  # RATE of daemon/callers.c

  def test_one_of_the_crowd_that_fails_says_why(self):
    with process.Process(["/bin/sh", "-c", "echo why >&2; exit 3", "sh"], stdout=-1, stderr=-1) as child:
      with self.assertRaisesRegex(daemon.DaemonError, "why"):
        ABUSE.result(child)


if __name__ == "__main__":
  unittest.main()
