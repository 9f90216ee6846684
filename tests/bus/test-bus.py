#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bus interface of a real briod on a real dbus-daemon, serving a recorded machine."""
import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests/lib"))
sys.path.insert(0, os.path.join(SOURCE, "tests/machines"))

import brio  # noqa: E402
import unpack  # noqa: E402
from gi.repository import Gio, GLib  # noqa: E402

E = "org.brio.Brio1.Error."
PAGE_BYTES = 4096
INTERVAL_MS = 100  # between records, at least


def members(interface):
  """Everything that a program could depend on, in a comparable form."""
  found = set()
  for member in interface:
    if member.tag not in ("method", "signal", "property"):
      continue
    args = [(a.get("name"), a.get("type"), a.get("direction", "out" if member.tag == "signal" else "in"))
            for a in member.findall("arg")]
    if member.tag == "signal":
      args = [(name, kind) for name, kind, _ in args]
    emits = [a.get("value") for a in member.findall("annotation") if a.get("name").endswith("EmitsChangedSignal")]
    found.add((member.tag, member.get("name"), member.get("type"), member.get("access"), tuple(args), tuple(emits)))
  return found


class Machine(unittest.TestCase):
  machine = "desktop-ssd-hdd"
  options = ()

  def setUp(self):
    self.root = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-machine-"))
    unpack.unpack(self.machine, self.root)
    self.diskstats = brio.Diskstats(self.root)
    self.bus = self.start_bus()
    self.briod = self.enterContext(brio.Briod(self.bus, "--root", self.root, *self.options))
    self.drive = self.briod.get("Devices")[0].rsplit("/", 1)[1]

  def start_bus(self):
    return self.enterContext(brio.Bus())

  def assert_error(self, name, *call, **kwargs):
    self.assertEqual(name, brio.error_name(lambda: self.briod.call(*call, **kwargs)))


class Interface(Machine):
  def test_a_machine_at_rest_gets_no_attention(self):
    self.assertEqual((0, "", []), (self.briod.get("AttentionLevel"), self.briod.get("AttentionReason"), self.briod.get("AttentionReasonData")))
    self.assertEqual([], self.briod.get("AttentionReasonData", self.drive))
    self.assertEqual(("", {}), (self.briod.get("AttentionReason", self.drive), self.briod.get("Requests", self.drive)))

  def test_counters_only_grow(self):
    before = self.briod.get("Counters")
    for mode in ("auto", "off", "advise"):
      self.briod.call("SetMode", "(s)", mode)
    self.briod.call("Restore", "(s)", self.drive)
    self.briod.call("GetProcesses", "(u)", 0)
    self.briod.call("ResetMode")
    after = brio.wait_for(lambda: (now := self.briod.get("Counters"))["ticks"] > before["ticks"] + 1 and now, "two rounds")
    now = {"stepped_back", "processes_known"} # how many there are is no total
    self.assertEqual({name: (before[name], after[name]) for name in before if name not in now and after[name] < before[name]}, {})
    self.assertEqual(set(before), set(after))

  def test_starts_that_are_not_known_are_not_found(self):
    self.assertEqual([], self.briod.call("GetStartups", "(s)", "")[0])
    self.assert_error(E + "NotFound", "GetStartups", "(s)", "org.gnome.Nothing")

  def test_without_starts_nothing_is_read_ahead(self):
    self.assertEqual([], self.briod.call("GetPrefetch", "(s)", "")[0])
    for method, signature, arguments in (("GetPrefetch", "(s)", ()), ("GetPrefetchFiles", "(s)", ()), ("ForgetPrefetch", "(s)", ()), ("SetPrefetch", "(sb)", (True,))):
      self.assert_error(E + "NotFound", method, signature, "org.gnome.Nothing", *arguments)
      self.assert_error(E + "NotFound", method, signature, "x" * 200, *arguments)
    self.assert_error(E + "NotFound", "GetStartupTimeline", "(st)", "org.gnome.Nothing", 0)
    self.assert_error(E + "NotFound", "GetStartupTimeline", "(st)", "", 0)

  def test_only_what_starts_can_be_ready(self):
    for pid in (0, os.getpid(), 2 ** 32 - 1):
      self.assert_error(E + "NotFound", "StartupReady", "(u)", pid)

  def introspect(self, path):
    return ElementTree.fromstring(self.briod.call("Introspect", interface="org.freedesktop.DBus.Introspectable", path=path)[0])

  def test_introspection_equals_the_xml(self):
    documented = ElementTree.parse(os.path.join(SOURCE, "data/org.brio.Brio1.xml")).getroot()
    served = {}
    for path in (brio.PATH, f"{brio.PATH}/device/{self.drive}"):
      for interface in self.introspect(path).findall("interface"):
        served[interface.get("name")] = members(interface)
    for interface in documented.findall("interface"):
      self.assertEqual(members(interface), served[interface.get("name")])

  def test_objects_are_listed_and_managed(self):
    children = {n.get("name") for n in self.introspect(brio.PATH + "/device").findall("node")}
    managed = self.briod.call("GetManagedObjects", interface="org.freedesktop.DBus.ObjectManager")[0]
    self.assertEqual({p.rsplit("/", 1)[1] for p in self.briod.get("Devices")}, children)
    self.assertEqual(set(self.briod.get("Devices")), set(managed))

  def test_every_property_can_be_read(self):
    for path, interface in ((brio.PATH, brio.MANAGER), (f"{brio.PATH}/device/{self.drive}", brio.DEVICE)):
      values = self.briod.call("GetAll", "(s)", interface, interface="org.freedesktop.DBus.Properties", path=path)[0]
      names = {m[1] for i in ElementTree.parse(os.path.join(SOURCE, "data/org.brio.Brio1.xml")).getroot()
               if i.get("name") == interface for m in members(i) if m[0] == "property"}
      self.assertEqual(names, set(values))


  def applied(self):
    return [(d["device"], d["tunable"], d["id"]) for d in self.briod.call("GetDecisions", "(t)", 0)[0] if d["result"] == "applied"]

  def test_a_decision_that_was_taken_back_cannot_be_undone_again(self):
    """Nor does its id undo what was decided later about the same setting."""
    brio.wait_for(self.applied, "a first decision")
    *setting, first = self.applied()[0]
    self.briod.call("Restore", "(s)", "")
    self.briod.call("SetMode", "(s)", "auto")
    brio.wait_for(lambda: len([a for a in self.applied() if list(a[:2]) == setting]) > 1, "a later decision about the same")
    last = [a[2] for a in self.applied() if list(a[:2]) == setting][-1]
    self.assert_error(E + "NotFound", "Undo", "(s)", first)
    self.briod.call("Undo", "(s)", last)
    self.assert_error(E + "NotFound", "Undo", "(s)", last)


class Switches(Machine):
  """A scheduler is switched on a quiet drive alone, whatever asks for it."""

  def setUp(self):
    super().setUp()
    brio.wait_for(self.switched, "a switch of a scheduler")
    self.drive, self.id = self.switched()[0]
    self.scheduler = Path(self.root, "sys/block", self.drive, "queue/scheduler")
    self.is_busy = True
    self.load = threading.Thread(target=self.keep_busy)
    self.load.start()
    self.addCleanup(self.be_quiet)
    brio.wait_for(lambda: self.device("Workload") != "idle", "a busy drive")

  def switched(self):
    return [(d["device"], d["id"]) for d in self.briod.call("GetDecisions", "(t)", 0)[0]
            if d["tunable"] == "scheduler" and d["result"] == "applied"]

  def device(self, name):
    return self.briod.get(name, self.drive)

  def keep_busy(self):
    while self.is_busy:
      self.diskstats.add_reads(self.drive, 10, 800, 50)
      time.sleep(0.1)

  def be_quiet(self):
    self.is_busy = False
    self.load.join()

  def check_waits(self):
    before = self.scheduler.read_text()
    ticks = self.briod.get("Counters")["ticks"]
    brio.wait_for(lambda: self.briod.get("Counters")["ticks"] > ticks + 8, "some ticks")
    self.assertEqual(before, self.scheduler.read_text())
    self.assertIn("the switch waits until the drive was idle for", self.device("Reason"))
    self.assertEqual("brio", self.device("Tunables")["scheduler"][3])
    self.be_quiet()
    brio.wait_for(lambda: self.scheduler.read_text() != before, "the switch back")

  def test_another_mode_switches_no_busy_drive_back_before_it_is_quiet(self):
    self.briod.call("SetMode", "(s)", "advise")
    self.check_waits()

  def test_neither_does_restore(self):
    self.briod.call("Restore", "(s)", self.drive)
    self.check_waits()

  def test_nor_undo(self):
    self.briod.call("Undo", "(s)", self.id)
    self.check_waits()


class BadCalls(Machine):
  def test_wrong_types_are_refused(self):
    self.assert_error("org.freedesktop.DBus.Error.InvalidArgs", "SetMode", "(u)", 1)
    self.assert_error("org.freedesktop.DBus.Error.InvalidArgs", "Hold", "(s)", "pause")
    self.assert_error("org.freedesktop.DBus.Error.InvalidArgs", "GetDecisions", "(s)", "all")

  def test_unknown_names_are_refused(self):
    self.assert_error("org.freedesktop.DBus.Error.UnknownMethod", "Frobnicate")
    self.assert_error("org.freedesktop.DBus.Error.UnknownObject", "Get", "(ss)", brio.DEVICE, "Class",
                      interface="org.freedesktop.DBus.Properties", path=brio.PATH + "/device/nosuch")
    self.assert_error("org.freedesktop.DBus.Error.UnknownProperty", "Get", "(ss)", brio.MANAGER, "Nonsense",
                      interface="org.freedesktop.DBus.Properties")
    self.assert_error("org.freedesktop.DBus.Error.PropertyReadOnly", "Set", "(ssv)", brio.MANAGER, "Mode", GLib.Variant("s", "off"),
                      interface="org.freedesktop.DBus.Properties")

  def test_bad_values_have_their_own_errors(self):
    self.assert_error(E + "InvalidArgument", "SetMode", "(s)", "turbo")
    self.assert_error(E + "InvalidArgument", "Hold", "(sss)", "none", "", "")
    self.assert_error(E + "InvalidArgument", "Hold", "(sss)", "pause", "x" * 256, "")
    self.assert_error(E + "InvalidArgument", "OpenSampleStream", "(u)", 99)
    self.assert_error(E + "InvalidArgument", "OpenSampleStream", "(u)", 10001)
    self.assert_error(E + "NotFound", "OpenRecording", "(as)", ["nosuch"])
    self.assert_error(E + "InvalidArgument", "OpenRecording", "(as)", [sorted(self.briod.get("Devices"))[0].rsplit("/", 1)[1]] * 65)
    for seconds in (0, 61, 2**32 - 1):
      self.assert_error(E + "InvalidArgument", "GetKernelVerdicts", "(u)", seconds)
    self.assert_error(E + "NotFound", "Restore", "(s)", "nosuch")
    self.assert_error(E + "NotFound", "ReleaseHold", "(u)", 77)
    self.assert_error(E + "NotFound", "ReleaseHold", "(u)", 0)
    for bad in ("", "d", "d0", "d99", "d18446744073709551616", "sda.slice_idle_us=1", "\x01"):
      self.assert_error(E + "NotFound", "Apply", "(s)", bad)
      self.assert_error(E + "NotFound", "Undo", "(s)", bad)
    self.assertEqual("auto", self.briod.get("Mode"))

  def test_a_recorded_machines_kernel_says_nothing(self):
    self.assert_error(E + "Failed", "GetKernelVerdicts", "(u)", 5)
    self.assertIn(("bfq", "unneeded"), [(name, state) for name, state, _ in self.briod.get("Sources")])

  def test_extreme_numbers_are_harmless(self):
    self.assertEqual([], self.briod.call("GetDecisions", "(t)", 2**64 - 1)[0])
    self.assertLessEqual(len(self.briod.call("GetProcesses", "(u)", 2**32 - 1)[0]), 256)

  def test_without_requests_there_are_no_streams(self):
    self.assertEqual([], self.briod.call("GetStreams")[0])


class Rules(Machine):
  """Programs with a rule of their own."""

  def set(self, *rules):
    self.briod.call("SetProgramRules", "(a(ss))", list(rules))

  def test_what_is_set_is_told_kept_over_a_restart_and_taken_back(self):
    self.set(("tar", "never"), ("Web Content", "always"))
    kept = [("tar", "never", ""), ("Web Content", "always", "")]
    self.assertEqual(kept, self.briod.get("ProgramRules"))
    self.briod.stop()
    self.briod = self.enterContext(brio.Briod(self.bus, "--root", self.root, state=self.briod.state))
    self.assertEqual(kept, self.briod.get("ProgramRules"))
    self.set(("tar", ""), ("Web Content", "never"))
    self.assertEqual([("Web Content", "never", "")], self.briod.get("ProgramRules"))
    self.set(("Web Content", ""))
    self.assertEqual([], self.briod.get("ProgramRules"))
    self.assertEqual([], [name for name in os.listdir(self.briod.state) if name.startswith("programs")])

  def test_all_of_a_call_holds_or_nothing(self):
    self.set(("tar", "never"))
    for error, rule in (("InvalidArgument", ("cp", "sometimes")), ("InvalidArgument", ("", "never")), ("InvalidArgument", ("a-name-too-long-x", "never")),
                        ("InvalidArgument", ("a,b", "never")), ("InvalidArgument", ("a\nb", "never")), ("NotFound", ("cp", ""))):
      with self.subTest(rule):
        self.assert_error(E + error, "SetProgramRules", "(a(ss))", [("tar", "always"), rule])
        self.assertEqual([("tar", "never", "")], self.briod.get("ProgramRules"))

  def test_there_are_64_at_most(self):
    self.set(*(("p%d" % i, "never") for i in range(64)))
    self.assert_error(E + "LimitReached", "SetProgramRules", "(a(ss))", [("one-more", "never")])
    self.set(("p0", ""), ("one-more", "always"))
    self.assertEqual(64, len(self.briod.get("ProgramRules")))

  def test_what_an_administrator_wrote_is_stronger_told_with_its_file_and_never_changed(self):
    policies = os.path.join(self.root, "policies")
    shutil.copytree(os.path.join(SOURCE, "policies"), policies)
    directory = os.path.join(policies, "10-hdd.conf.d")
    os.makedirs(directory)
    path, text = os.path.join(directory, "index.conf"), "[StepBack]\nAlways = updatedb\n"
    with open(path, "w") as f:
      f.write(text)
    self.briod.stop()
    self.briod = self.enterContext(brio.Briod(self.bus, "--root", self.root, policies=policies))
    self.assertEqual([("updatedb", "always", path)], self.briod.get("ProgramRules"))
    self.assert_error(E + "Failed", "SetProgramRules", "(a(ss))", [("updatedb", "never")])
    self.assert_error(E + "NotFound", "SetProgramRules", "(a(ss))", [("updatedb", "")])
    self.set(("tar", "never"))
    self.assertEqual([("tar", "never", ""), ("updatedb", "always", path)], self.briod.get("ProgramRules"))
    with open(path) as f:
      self.assertEqual(text, f.read())

  def test_what_cannot_be_kept_is_not_set(self):
    os.mkdir(os.path.join(self.briod.state, "programs.conf.new"))
    self.assert_error(E + "Failed", "SetProgramRules", "(a(ss))", [("tar", "never")])
    self.assertEqual([], self.briod.get("ProgramRules"))


@unittest.skipIf(os.geteuid() != 0, "needs root to become another user")
class Strangers(Machine):
  """A user that is neither root nor the daemon's, on a bus without polkit. They need not be let into the source tree."""

  SCRIPT = """
import sys, os; sys.path.insert(0, %r); import brio
os.setgid(65534); os.setuid(65534)
bus = brio.Bus(); bus.address = sys.argv[1]
connection = bus.connect()
b = brio.Briod(bus, state='/'); b.connection = connection
for method, signature, args in (('SetMode', '(s)', ('off',)), ('ResetMode', '()', ()), ('Restore', '(s)', ('',)), ('Apply', '(s)', ('x',)),
                                ('Undo', '(s)', ('d1',)), ('OpenRecording', '(as)', ([],)), ('GetKernelVerdicts', '(u)', (5,)),
                                ('ForgetPrefetch', '(s)', ('',)), ('SetPrefetch', '(sb)', ('', False)), ('SetProgramRules', '(a(ss))', ([('tar', 'never')],)),
                                ('LowerPriority', '(u)', (1,)),
                                ('Hold', '(sss)', ('pause', '', '')), ('ReleaseHold', '(u)', (1,))):
  print(brio.error_name(lambda: b.call(method, signature, *args)))
print(b.get('Mode'), len(b.get('Devices')) > 0, len(b.call('GetDecisions', '(t)', 0)))
"""

  def test_strangers_may_read_and_change_nothing(self):
    self.briod.call("Hold", "(sss)", "pause", "the owner's", "")
    out = subprocess.run([sys.executable, "-c", self.SCRIPT % os.path.join(SOURCE, "tests/lib"), self.bus.address],
                         stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    self.assertEqual([E + "NotAuthorized"] * 13 + ["auto True 1"], out[:14])
    self.assertEqual([], self.briod.get("ProgramRules"))
    self.assertEqual(1, len(self.briod.get("ActiveHolds")))


@unittest.skipIf(os.geteuid() != 0, "needs root to become another user")
class Asks(Machine):
  """The same strangers on a system bus: polkit is asked, and its word counts. The bus and polkit are this test's own."""
  options = ("--bus", "system")  # the last of two counts

  AUTHORITY = """<node><interface name="org.freedesktop.PolicyKit1.Authority"><method name="CheckAuthorization">
    <arg type="(sa{sv})" direction="in"/><arg type="s" direction="in"/><arg type="a{ss}" direction="in"/><arg type="u" direction="in"/>
    <arg type="s" direction="in"/><arg type="(bba{ss})" direction="out"/></method></interface></node>"""
  SCRIPT = """
import sys, os; sys.path.insert(0, %r); import brio
os.setgid(65534); os.setuid(65534)
bus = brio.Bus(); bus.address = sys.argv[1]
b = brio.Briod(bus, state='/'); b.connection = bus.connect()
print(brio.error_name(lambda: b.call('SetMode', '(s)', 'advise')))
print(brio.error_name(lambda: b.call('SetProgramRules', '(a(ss))', [('tar', 'never')])))
print(brio.error_name(lambda: b.call('Hold', '(sss)', 'pause', 'because', 'org.example')))
"""

  def start_bus(self):
    bus = super().start_bus()
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
    self.addCleanup(os.environ.pop, "DBUS_SYSTEM_BUS_ADDRESS")
    return bus

  def serve_polkit(self, answer):
    """Answers each question with answer(action), or where that is None with no, right after the next one; returns the list of questions."""
    asked, kept = [], []

    def on_call(_connection, _sender, _path, _interface, _method, parameters, invocation):
      subject, action, _details, _flags, _cancel = parameters.unpack()
      asked.append((subject[0], action))
      allowed = answer(action)
      kept.append(invocation)
      if allowed is not None:
        while kept:
          kept.pop().return_value(GLib.Variant("((bba{ss}))", ((allowed, False, {}),)))
          allowed = False
    connection = self.bus.connect()
    self.addCleanup(connection.close_sync, None)
    connection.register_object("/org/freedesktop/PolicyKit1/Authority", Gio.DBusNodeInfo.new_for_xml(self.AUTHORITY).interfaces[0],
                               on_call, None, None)
    connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                         GLib.Variant("(su)", ("org.freedesktop.PolicyKit1", 0)), None, Gio.DBusCallFlags.NONE, -1, None)
    return asked

  def stranger(self, script=SCRIPT):
    """The lines that the stranger's script printed."""
    process = subprocess.Popen([sys.executable, "-c", script % os.path.join(SOURCE, "tests/lib"), self.bus.address],
                               stdout=subprocess.PIPE, text=True)

    def ended():
      while GLib.MainContext.default().iteration(False):
        pass
      return process.poll() is not None
    brio.wait_for(ended, "the stranger")
    with process.stdout:
      return process.stdout.read().splitlines()

  def test_what_polkit_allows_happens(self):
    asked = self.serve_polkit(lambda action: True)
    self.assertEqual(["None"] * 3, self.stranger())
    self.assertEqual([("system-bus-name", "org.brio.Brio1." + action) for action in ("manage", "manage", "hold")], asked)
    self.assertEqual(("advise", [("tar", "never", "")]), (self.briod.get("Mode"), self.briod.get("ProgramRules")))

  def test_what_polkit_refuses_does_not(self):
    self.serve_polkit(lambda action: action.endswith(".hold"))
    self.assertEqual([E + "NotAuthorized"] * 2 + ["None"], self.stranger())
    self.assertEqual(("auto", []), (self.briod.get("Mode"), self.briod.get("ProgramRules")))

  def test_without_polkit_the_answer_is_no(self):
    self.assertEqual([E + "NotAuthorized"] * 3, self.stranger())
    self.assertEqual("auto", self.briod.get("Mode"))

  OBSERVER = """
import sys, os; sys.path.insert(0, %r); import brio
from gi.repository import Gio, GLib
os.setgid(65534); os.setuid(65534)
bus = brio.Bus(); bus.address = sys.argv[1]
connection = bus.connect()
for flags in (Gio.DBusCallFlags.NONE, Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION):
  print(connection.call_sync(brio.NAME, brio.PATH, brio.MANAGER, 'Observe', None, None, flags, 10000, None).unpack()[0])
"""

  def test_observe_asks_polkit_and_says_whether_all_is_told_and_a_refusal_is_no_error(self):
    asked = self.serve_polkit(lambda action: len(asked) > 1)
    self.assertEqual(["False", "True"], self.stranger(self.OBSERVER))
    self.assertEqual([("system-bus-name", "org.brio.Brio1.observe")] * 2, asked)

  def test_a_user_observes_with_sixteen_connections_and_they_make_room_when_they_leave(self):
    script = self.SCRIPT.split("b = ")[0] + """
b = brio.Briod(bus, state='/')
observe = lambda c: brio.error_name(lambda: b.call('Observe', connection=c))
crowd = [bus.connect() for _ in range(17)]
print([observe(c) for c in crowd] == [None] * 16 + ['org.brio.Brio1.Error.LimitReached'])
crowd[3].close_sync(None)
print(brio.wait_for(lambda: observe(crowd[16]) is None, 'room'))
"""
    self.assertEqual(["True", "True"], self.stranger(script))

  def test_a_user_asks_four_questions_at_a_time_from_however_many_connections(self):
    self.serve_polkit(lambda action: True)  # but nothing here looks for questions: each stays open
    script = self.SCRIPT.split("b = ")[0] + """
from gi.repository import Gio, GLib
loop, errors = GLib.MainLoop(), []
def done(connection, answer):
  try:
    connection.call_finish(answer)
  except GLib.Error as error:
    errors.append(Gio.DBusError.get_remote_error(error))
  if len(errors) == 4:
    loop.quit()
connections = [bus.connect() for _ in range(8)]
for connection in connections:
  connection.call(brio.NAME, brio.PATH, brio.MANAGER, 'SetMode', GLib.Variant('(s)', ('off',)), None, 0, 100000, None, done)
loop.run()
print(*errors)
"""
    out = subprocess.run([sys.executable, "-c", script % os.path.join(SOURCE, "tests/lib"), self.bus.address], stdout=subprocess.PIPE, text=True,
                         check=True, timeout=brio.PATIENCE_S).stdout
    self.assertEqual([E + "LimitReached"] * 4, out.split())
    self.assertEqual("auto", self.briod.get("Mode"))

  def test_a_question_that_its_call_does_not_need_any_more_is_over_with_the_answer(self):
    asked = self.serve_polkit(lambda action: None if action.endswith(".manage") and len(asked) < 11 else True)
    script = self.SCRIPT.split("print")[0] + """
from gi.repository import Gio, GLib
cookie, errors = b.call('Hold', '(sss)', 'pause', '', '')[0], []
for cookie in range(cookie + 1, cookie + 6):
  released = []
  b.connection.call(brio.NAME, brio.PATH, brio.MANAGER, 'ReleaseHold', GLib.Variant('(u)', (cookie,)), None, 0, 10000, None, lambda c, a: released.append(a))
  b.call('Hold', '(sss)', 'pause', '', '')  # which is the one
  while not released:
    GLib.MainContext.default().iteration(True)
  try:
    b.connection.call_finish(released[0])
  except GLib.Error as error:
    errors.append(Gio.DBusError.get_remote_error(error))
print(errors, brio.error_name(lambda: b.call('SetMode', '(s)', 'off')))
"""
    self.assertEqual(["[] None"], self.stranger(script))

  def test_root_is_not_asked(self):
    asked = self.serve_polkit(lambda action: False)
    self.briod.call("SetMode", "(s)", "off")
    self.assertEqual([], asked)


class Modes(Machine):
  """A mode that was set outlives briod."""

  def setUp(self):
    super().setUp()
    self.briod.stop()
    self.config = os.path.join(self.root, "briod.conf")
    with open(self.config, "w", encoding="utf-8") as f:
      f.write("[Daemon]\nMode=advise\n")
    self.state = os.path.join(self.root, "state")
    os.mkdir(self.state)
    self.file = os.path.join(self.state, "mode")

  def start(self, *options):
    """Another briod with the same state; the one before ends first."""
    self.briod.stop()
    self.briod = self.enterContext(brio.Briod(self.bus, "--root", self.root, *options, state=self.state))
    return self.mode()

  def mode(self):
    return (self.briod.get("Mode"), self.briod.get("ModeOrigin"))

  def test_a_mode_that_was_not_set_is_the_command_lines_then_the_configurations(self):
    self.assertEqual(("auto", "default"), self.start())
    self.assertEqual(("advise", "configuration"), self.start("--config", self.config))
    self.assertEqual(("off", "command-line"), self.start("--config", self.config, "--mode=off"))
    self.assertFalse(os.path.exists(self.file))

  def test_what_was_set_outlives_an_end_and_a_kill_and_the_command_line_is_stronger(self):
    self.start("--config", self.config)
    for mode, number in (("off", signal.SIGTERM), ("auto", signal.SIGKILL)):
      self.briod.call("SetMode", "(s)", mode)
      self.assertEqual((mode, "kept"), self.mode())
      self.briod.stop(number)
      self.assertEqual((mode, "kept"), self.start("--config", self.config))
    self.assertEqual(("off", "command-line"), self.start("--mode=off"))
    self.assertEqual(("auto", "kept"), self.start())

  def test_to_restore_all_is_to_set_the_mode_to_off(self):
    self.start()
    self.briod.call("Restore", "(s)", "")
    self.assertEqual(("off", "kept"), self.mode())
    self.assertEqual(("off", "kept"), self.start())

  def test_what_is_dropped_is_the_configurations_again(self):
    self.start("--config", self.config)
    self.briod.call("SetMode", "(s)", "off")
    self.briod.call("ResetMode")
    self.assertEqual(("advise", "configuration"), self.mode())
    self.briod.call("ResetMode")
    self.assertFalse(os.path.exists(self.file))
    self.assertEqual(("advise", "configuration"), self.start("--config", self.config))

  def test_a_change_is_told_with_what_says_it(self):
    self.start()
    told = {}
    connection = self.bus.connect()
    self.addCleanup(connection.close_sync, None)
    connection.signal_subscribe(brio.NAME, "org.freedesktop.DBus.Properties", "PropertiesChanged", brio.PATH, None, Gio.DBusSignalFlags.NONE,
                                lambda *a: told.update(a[5].unpack()[1]))

    def heard(expected):
      while GLib.MainContext.default().iteration(False):
        pass
      return (told.get("Mode"), told.get("ModeOrigin")) == expected
    self.briod.call("SetMode", "(s)", "advise")
    brio.wait_for(lambda: heard(("advise", "kept")), "the change")
    self.briod.call("ResetMode")
    brio.wait_for(lambda: heard(("auto", "default")), "the change back")

  def test_a_damaged_one_may_have_been_off_and_is_advise_until_another_is_set(self):
    self.start()
    self.briod.call("SetMode", "(s)", "off")
    with open(self.file, "rb") as f:
      whole = f.read()
    for damaged in (whole[:-1], whole[:9], whole.replace(b"off", b"auto"), b"off\n", b"\0" * 4096):
      self.briod.stop()
      with open(self.file, "wb") as f:
        f.write(damaged)
      self.assertEqual(("advise", "kept"), self.start())
      self.assertIn(f"{self.file} is damaged, and kept as mode.damaged", self.briod.text())
      self.assertIn("it is advise now", self.briod.text())
      self.assertEqual(("advise", "kept"), self.start())  # the start after that, too
    self.briod.stop()
    with open(self.file, "wb") as f:
      f.write(b"off")
    self.assertEqual(("auto", "command-line"), self.start("--mode=auto"))  # is said anew
    self.assertEqual(("advise", "kept"), self.start())

  def test_one_that_cannot_be_written_holds_until_the_end_and_says_so(self):
    self.start()
    os.mkdir(self.file + ".new")
    self.briod.call("SetMode", "(s)", "off")
    self.assertEqual(("off", "set"), self.mode())
    self.assertIn(f"{self.file} cannot be written", self.briod.text())
    self.assertEqual(("auto", "default"), self.start())

  def test_one_that_cannot_be_written_takes_an_older_one_with_it(self):
    self.start()
    self.briod.call("SetMode", "(s)", "advise")
    self.assertEqual(("advise", "kept"), self.mode())
    os.mkdir(self.file + ".new")
    self.briod.call("SetMode", "(s)", "off")
    self.assertEqual(("off", "set"), self.mode())
    self.assertFalse(os.path.exists(self.file))
    self.assertNotIn("comes back", self.briod.text())
    self.assertEqual(("auto", "default"), self.start())

  def test_an_older_one_that_can_neither_be_replaced_nor_dropped_is_named(self):
    self.start()
    self.briod.call("SetMode", "(s)", "advise")
    os.mkdir(self.file + ".new")
    subprocess.run(["mount", "--bind", self.file, self.file], check=True)  # so that no user, root included, can remove it
    self.addCleanup(subprocess.run, ["umount", self.file], check=True)
    self.briod.call("SetMode", "(s)", "off")
    self.assertEqual(("off", "set"), self.mode())
    self.assertIn("the mode off lasts until briod ends, and advise, which was kept before, comes back with its next start", self.briod.text())
    self.briod.call("SetMode", "(s)", "advise")
    self.assertEqual(("advise", "kept"), self.mode())  # which is what is there
    self.assertEqual(("advise", "kept"), self.start())

  def test_one_that_cannot_be_dropped_stays(self):
    self.start()
    self.briod.call("SetMode", "(s)", "off")
    os.unlink(self.file)
    os.mkdir(self.file)
    self.assert_error(E + "Failed", "ResetMode")
    self.assertEqual(("off", "kept"), self.mode())


class StateFiles(Machine):
  """Whatever stands in the state directory: briod starts or refuses, and ends, and names the file that it means."""
  KEPT = ("mode", "startups", "outcomes")

  def setUp(self):
    super().setUp()
    self.briod.stop()
    self.state = os.path.join(self.root, "state")
    os.mkdir(self.state)

  def run_once(self, **options):
    """A briod that starts, ends by SIGTERM, and what it wrote."""
    with brio.Briod(self.bus, "--root", self.root, state=self.state, **options) as briod:
      briod.stop()
      self.assertEqual(0, briod.process.returncode, briod.text())
      return briod.text()

  def test_what_cannot_be_written_is_named_with_its_directory(self):
    for name in self.KEPT:
      with open(os.path.join(self.state, name), "wb") as f:
        f.write(b"damaged, so that it is written anew\n")
      os.mkdir(os.path.join(self.state, name + ".new"))
    text = self.run_once()
    for name in self.KEPT:
      self.assertIn(f"{self.state}/{name} cannot be written", text)

  def test_fifos_devices_links_and_sockets_in_place_of_files_hang_nothing_and_are_not_followed(self):
    other = os.path.join(self.root, "other")
    with open(other, "wb") as f:
      f.write(b"another's\n")

    def unix_socket(path):
      with socket.socket(socket.AF_UNIX) as s:
        s.bind(path)
    for make in (os.mkfifo, lambda path: os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5)), lambda path: os.symlink(other, path), unix_socket,
                 lambda path: (open(path, "wb").close(), os.truncate(path, 1 << 40))):
      shutil.rmtree(self.state)
      os.mkdir(self.state)
      for name in (*self.KEPT, "programs.conf", "bfq-log", "blktrace"):
        make(os.path.join(self.state, name))
        make(os.path.join(self.state, name + ".new"))
      make(os.path.join(self.state, "originals.new"))
      text = self.run_once()
      self.assertIn(f"{self.state}/mode is damaged, and kept as mode.damaged", text)
      self.assertIn(f"{self.state}/startups: 1 damaged lines left out", text)
      with open(other, "rb") as f:
        self.assertEqual(b"another's\n", f.read())

  def test_a_journal_or_a_lock_that_is_no_file_is_refused_at_once(self):
    for name in ("originals", "lock"):
      for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path), lambda path: os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))):
        shutil.rmtree(self.state)
        os.mkdir(self.state)
        make(os.path.join(self.state, name))
        status, text = brio.Briod(self.bus, "--root", self.root, state=self.state).fails_to_start()
        self.assertNotEqual(0, status)
        self.assertIn(self.state, text)


class Holds(Machine):
  def holds(self):
    return self.briod.get("ActiveHolds")

  def test_a_hold_is_listed_and_released(self):
    cookie = self.briod.call("Hold", "(sss)", "pause", "a benchmark", "org.example.Bench")[0]
    self.assertEqual([(cookie, "pause", "a benchmark", "org.example.Bench")], self.holds())
    self.briod.call("ReleaseHold", "(u)", cookie)
    self.assertEqual([], self.holds())

  def test_what_is_not_seen_in_a_reason_or_application_is_told_as_escapes(self):
    cookie = self.briod.call("Hold", "(sss)", "pause", "a\u202eb\n\x1b[2J", "org.example\u200b")[0]
    self.assertEqual([(cookie, "pause", r"a\u202eb\x0a\x1b[2J", r"org.example\u200b")], self.holds())

  def test_a_hold_ends_when_its_holder_leaves_the_bus(self):
    other = self.bus.connect()
    self.briod.call("Hold", "(sss)", "throughput", "backup", "", connection=other)
    self.assertEqual(1, len(self.holds()))
    other.close_sync(None)
    brio.wait_for(lambda: self.holds() == [], "the end of the hold")

  def test_an_administrator_releases_anothers_hold_and_its_holder_is_told(self):
    told = []
    other = self.bus.connect()
    other.signal_subscribe(brio.NAME, brio.MANAGER, "HoldReleased", None, None, Gio.DBusSignalFlags.NONE,
                           lambda *a: told.append(a[5].unpack()[0]))
    cookie = self.briod.call("Hold", "(sss)", "pause", "", "", connection=other)[0]
    self.briod.call("ReleaseHold", "(u)", cookie)
    self.assertEqual([], self.holds())
    self.wait_for_signal(told, cookie)
    self.assert_error(E + "NotFound", "ReleaseHold", "(u)", cookie)
    other.close_sync(None)

  def wait_for_signal(self, told, cookie):
    def heard():
      while GLib.MainContext.default().iteration(False):
        pass
      return told == [cookie]
    brio.wait_for(heard, "HoldReleased")

  def test_setting_the_mode_ends_holds_and_tells_the_holder(self):
    told = []
    other = self.bus.connect()
    other.signal_subscribe(brio.NAME, brio.MANAGER, "HoldReleased", None, None, Gio.DBusSignalFlags.NONE,
                           lambda *a: told.append(a[5].unpack()[0]))
    cookie = self.briod.call("Hold", "(sss)", "pause", "", "", connection=other)[0]
    self.briod.call("SetMode", "(s)", "advise")
    self.assertEqual([], self.holds())
    self.wait_for_signal(told, cookie)
    other.close_sync(None)

  def test_a_user_has_sixteen_holds_from_however_many_connections(self):
    others = [self.bus.connect() for _ in range(2)]
    for n in range(16):
      self.briod.call("Hold", "(sss)", "pause", "", "", connection=others[n % 2])
    self.assert_error(E + "LimitReached", "Hold", "(sss)", "pause", "", "")
    self.assertEqual(16, len(self.holds()))
    for other in others:
      other.close_sync(None)


class Recordings(Machine):
  def open_recording(self, *devices):
    reply, fds = self.briod.connection.call_with_unix_fd_list_sync(
      brio.NAME, brio.PATH, brio.MANAGER, "OpenRecording", GLib.Variant("(as)", (devices,)), None, Gio.DBusCallFlags.NONE, -1, None, None)
    return fds.get(reply.unpack()[0])

  def read_until(self, fd, word):
    data = b""
    while word not in data:
      data += os.read(fd, 65536)
    return data

  def test_it_begins_with_the_machine_and_all_drives(self):
    fd = self.open_recording()
    self.addCleanup(os.close, fd)
    names = {p.rsplit("/", 1)[1] for p in self.briod.get("Devices")}
    data = b""
    while any(f"name={name}\n".encode() not in data for name in names):
      data += os.read(fd, 65536)
    self.assertTrue(data.startswith(b"\x89BRIO\r\n\x1a\x01\0"))
    for key in (b"kernel=", b"version=", b"mode=auto\n", b"policies=10-hdd,"):
      self.assertIn(key, data)

  def test_one_drive_alone(self):
    names = sorted(p.rsplit("/", 1)[1] for p in self.briod.get("Devices"))
    fd = self.open_recording(names[0])
    self.addCleanup(os.close, fd)
    data = self.read_until(fd, f"name={names[0]}\n".encode())
    self.assertNotIn(f"name={names[1]}\n".encode(), data)

  def test_their_number_is_bounded_and_one_that_ends_makes_room(self):
    fds = [self.open_recording() for _ in range(4)]
    self.assert_error(E + "LimitReached", "OpenRecording", "(as)", [])
    for fd in fds:
      os.close(fd)

    def opens():
      try:
        os.close(self.open_recording())
      except GLib.Error:
        return False
      return True
    brio.wait_for(opens, "room for a recording")


class Streams(Machine):
  def open_stream(self, interval_ms):
    return self.briod.open_stream(interval_ms)

  def test_each_drive_has_a_record_an_interval(self):
    fd = self.open_stream(100)
    self.addCleanup(os.close, fd)
    drives = {p.rsplit("/", 1)[1] for p in self.briod.get("Devices")}
    seen = set()
    while seen != drives:
      sample = brio.read_sample(fd)
      self.assertEqual((0x31535242, 128, 0), (sample["magic"], sample["size"], sample["dropped"]))
      self.assertGreater(sample["span_us"], 0)
      seen.add(sample["device"])

  def test_readers_that_left_make_room_for_others(self):
    fds = [self.open_stream(100) for _ in range(4)]
    self.assertEqual(E + "LimitReached", brio.error_name(lambda: self.open_stream(100)))
    for fd in fds:
      os.close(fd)

    def room():
      try:
        os.close(self.open_stream(100))
        return True
      except GLib.Error:
        return False
    brio.wait_for(room, "room for another stream")

  def test_a_reader_that_does_not_read_loses_records_and_is_told(self):
    fd = self.open_stream(INTERVAL_MS)
    self.addCleanup(os.close, fd)
    fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, PAGE_BYTES)  # from 64 KiB, so that it is full soon

    def lost():
      """How many found no room before any of those that a full pipe has, at most: as many as did while it was full the last time."""
      brio.wait_for(lambda: brio.bytes_waiting(fd) == PAGE_BYTES, "a pipe that is full")
      time.sleep(3 * INTERVAL_MS / 1000)
      dropped = 0
      while brio.bytes_waiting(fd):
        dropped = max(dropped, brio.read_sample(fd)["dropped"])
      return dropped
    brio.wait_for(lost, "records that are lost", 3 * brio.PATIENCE_S)


class Starting(unittest.TestCase):
  def setUp(self):
    self.root = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-machine-"))
    unpack.unpack("nvme-laptop", self.root)

  def test_a_second_briod_is_refused_by_the_state_directory(self):
    with brio.Bus() as bus, brio.Bus() as other, brio.Briod(bus, "--root", self.root) as first:
      status, text = brio.Briod(other, "--root", self.root, state=first.state).fails_to_start()
      self.assertEqual(1, status)
      self.assertIn("another briod", text)
      self.assertTrue(first.owned())

  def test_a_second_briod_is_refused_by_the_bus(self):
    with brio.Bus() as bus, brio.Briod(bus, "--root", self.root) as first:
      status, text = brio.Briod(bus, "--root", self.root).fails_to_start()
      self.assertEqual(1, status)
      self.assertIn("another briod owns", text)
      self.assertTrue(first.owned())

  def test_without_a_bus_it_says_so_and_ends(self):
    bus = brio.Bus()
    bus.address = "unix:path=/nonexistent/bus"
    status, text = brio.Briod(bus, "--root", self.root).fails_to_start()
    self.assertEqual(1, status)
    self.assertIn("no D-Bus at", text)

  def test_it_ends_when_its_bus_does(self):
    bus = brio.Bus()
    bus.__enter__()
    with brio.Briod(bus, "--root", self.root) as briod:
      bus.__exit__()
      self.assertEqual(1, briod.process.wait(brio.PATIENCE_S))

  def test_its_end_is_orderly_by_signals_that_ask_for_it(self):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
      with brio.Bus() as bus, brio.Briod(bus, "--root", self.root) as briod:
        self.assertEqual(0, briod.stop(number))
        self.assertIn("every setting is put back", briod.text())

  def test_bad_options_are_usage_errors(self):
    briod = str(brio.BUILD / "daemon/briod")
    for bad in (["--mode", "turbo"], ["--include", "a/b"], ["--include", ""], ["--include", "sda=floppy"], ["--include", "=hdd"],
                ["--include", "sda=skip"], ["--nonsense"], ["stray"], ["--mode"], ["--source", "ftrace"], ["--exclude", "/dev/"], ["--root", "/nonexistent"],
                ["--root", "/dev/null"], ["--root", ""]):
      result = subprocess.run([briod, *bad], stderr=subprocess.PIPE, text=True)
      self.assertEqual(2, result.returncode, bad)
      self.assertIn("briod --help", result.stderr)

  def test_more_drives_than_there_is_room_for_are_said_to_be_too_many(self):
    result = subprocess.run([str(brio.BUILD / "daemon/briod"), *(f"--exclude=loop{n}" for n in range(257))], stderr=subprocess.PIPE, text=True)
    self.assertEqual(2, result.returncode)
    self.assertIn("at most 256 drives", result.stderr)

  def test_check_names_file_and_line_of_what_is_wrong(self):
    config = os.path.join(self.root, "bad.conf")
    with open(config, "w", encoding="utf-8") as f:
      f.write("[Daemon]\nMode = turbo\nColour = red\nSource = ftrace\n")
    policies = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-policies-"))
    with open(os.path.join(policies, "10-bad.conf"), "w", encoding="utf-8") as f:
      f.write("[Policy]\nClass = hdd\n[Limits]\nslice_idle_us = 8..1\n")
    result = subprocess.run([str(brio.BUILD / "daemon/briod"), "--check", "--config", config, "--policy-dir", policies],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    self.assertEqual(1, result.returncode)
    for place in ("bad.conf:2:", "bad.conf:3:", "bad.conf:4:", "10-bad.conf:4:"):
      self.assertIn(place, result.stderr)

  def check(self, *arguments):
    return subprocess.run([str(brio.BUILD / "daemon/briod"), "--check", "--root", self.root, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)

  def test_check_fails_where_the_configuration_cannot_be_read(self):
    for config, why in (("/nonexistent", "No such file"), (self.root, "Is a directory")):
      result = self.check("--config", config)
      self.assertEqual(1, result.returncode)
      self.assertIn("cannot read %s: %s" % (config, why), result.stderr)

  def test_check_says_once_that_a_policy_directory_is_none(self):
    for directory in ("/nonexistent", "/dev/null"):
      result = self.check("--policy-dir", directory)
      self.assertEqual(1, result.returncode)
      self.assertEqual(1, result.stderr.count(directory), result.stderr)
      self.assertIn(directory + ": error: ", result.stderr)
      self.assertIn(" 1 error;", result.stdout)

  def test_drives_in_the_configuration_may_be_device_files(self):
    config = os.path.join(self.root, "files.conf")
    with open(config, "w", encoding="utf-8") as f:
      f.write("[Daemon]\nExclude = /dev/sda nvme0n1\n")
    self.assertEqual(0, self.check("--config", config).returncode)
    with brio.Bus() as bus, brio.Briod(bus, "--root", self.root, "--config", config) as briod:
      self.assertNotIn("sda", str(briod.get("Devices")))

  def test_a_broken_policy_does_not_stop_the_others(self):
    policies = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-policies-"))
    shutil.copy(os.path.join(SOURCE, "policies/10-nvme.conf"), policies)
    with open(os.path.join(policies, "20-broken.conf"), "wb") as f:
      f.write(b"[Policy\n\x00\xff\n=\n")
    os.symlink("/nonexistent", os.path.join(policies, "30-gone.conf"))
    with brio.Bus() as bus, brio.Briod(bus, "--root", self.root, policies=policies) as briod:
      self.assertIn("20-broken.conf:1:", briod.text())
      self.assertIn("30-gone.conf", briod.text())
      self.assertEqual("10-nvme", briod.get("Policy", "nvme0n1")[0])


if __name__ == "__main__":
  unittest.main(verbosity=2)
