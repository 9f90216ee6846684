#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What briod tells of a user's processes to another user: a real drive (a loop device), read by two users."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402
from readers import why_not  # noqa: E402

PATIENCE_S = 90  # bulk takes seven seconds of a reader's; a loaded machine gives it few
ONE, OTHER = 1, 65534  # daemon, or bin, and the overflow user: dbus-daemon wants users that there are

# Reads 160 MB/s from the descriptor that it was given, on a busy machine still more than any stream, as one that starts, and rests at times: by then
# its start has ended.
READER = """
import itertools, mmap, os, sys, time
fd, offset, buffer = int(sys.argv[1]), int(sys.argv[2]) << 20, mmap.mmap(-1, 4 << 20)
for piece in itertools.count(1):
  if os.preadv(fd, [buffer], offset) < len(buffer):
    offset = 0
  offset += len(buffer)
  time.sleep(5 if piece % 400 == 40 else 0.025)
"""

# Becomes a user, observes where it is told to, and prints all that it can read for each line of its input, and the signals until then.
ASKER = """
import json, os, sys; sys.path.insert(0, %r); import brio
from gi.repository import Gio, GLib
uid, observes = int(sys.argv[2]), sys.argv[3] == 'observes'
os.setgroups([]); os.setgid(uid); os.setuid(uid)
bus = brio.Bus(); bus.address = sys.argv[1]
b = brio.Briod(bus, state='/'); b.connection = bus.connect()
signals, answer = [], {}
b.connection.signal_subscribe(brio.NAME, None, None, None, None, Gio.DBusSignalFlags.NONE,
                              lambda *a: signals.append((a[4], str(a[5].unpack()))))
if observes:
  answer['all'] = b.call('Observe')[0]
print('ready', flush=True)
for line in sys.stdin:
  for method, *arguments in (('GetProcesses', '(u)', 0), ('GetStreams',), ('GetStartups', '(s)', ''), ('GetDecisions', '(t)', 0), ('GetAdvice',)):
    answer[method] = b.call(method, *arguments)[0]
  answer['objects'] = b.call('GetManagedObjects', interface='org.freedesktop.DBus.ObjectManager')[0]
  answer['manager'] = b.call('GetAll', '(s)', brio.MANAGER, interface='org.freedesktop.DBus.Properties')[0]
  answer['start'] = brio.error_name(lambda: b.call('GetStartups', '(s)', line.strip()))
  answer['timeline'] = brio.error_name(lambda: b.call('GetStartupTimeline', '(st)', line.strip(), 0))
  while GLib.MainContext.default().iteration(False):
    pass
  answer['signals'] = signals
  print(json.dumps(answer), flush=True)
""" % str(SOURCE / "tests/lib")


@unittest.skipIf(why_not(), why_not())
class Privacy(unittest.TestCase):
  maxDiff = None

  def setUp(self):
    self.loop = self.enterContext(brio.Loop(scheduler="bfq"))
    self.directory = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-privacy-", dir="/var/tmp"))
    os.chmod(self.directory, 0o755)
    policies, state = os.path.join(self.directory, "policies"), os.path.join(self.directory, "state")
    os.mkdir(policies)
    os.mkdir(state)
    Path(policies, "10-test.conf").write_text("[Policy]\nClass = hdd\n[StepBack]\nEnabled = yes\nPause = 1s\n[Timing]\nHold = 500ms\n")
    others = [f"--exclude={name}" for name in os.listdir("/sys/block") if name != self.loop.name]
    self.bus = self.enterContext(brio.Bus())
    self.briod = self.enterContext(brio.Briod(self.bus, "--include", f"{self.loop.name}=hdd", *others, state=state, policies=policies))

  def start(self, uid):
    """Returns the name of a program that this user starts, which reads from the drive from then on."""
    name = f"u{uid}n{os.getpid()}"
    program = os.path.join(self.directory, name)
    shutil.copy(os.path.realpath("/usr/bin/python3"), program)
    fd = os.open(f"/dev/{self.loop.name}", os.O_RDONLY | os.O_DIRECT)
    process = subprocess.Popen(["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", program, "-S", "-c", READER, str(fd), str(uid % 7 * 64)],
                               start_new_session=True, pass_fds=[fd], env=os.environ | {"XDG_ACTIVATION_TOKEN": "token"})
    os.close(fd)
    self.addCleanup(process.wait)
    self.addCleanup(process.kill)
    return name, process.pid

  def asker(self, uid, observes=True):
    process = subprocess.Popen([sys.executable, "-c", ASKER, self.bus.address, str(uid), "observes" if observes else "asks"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True, bufsize=1)
    self.addCleanup(process.wait)
    self.addCleanup(process.stdin.close)
    self.addCleanup(process.stdout.close)
    self.assertEqual("ready\n", process.stdout.readline())
    return process

  @staticmethod
  def look(asker, application):
    asker.stdin.write(application + "\n")
    return json.loads(asker.stdout.readline())

  def decided_about(self, pid):
    return any(d.get("pid") == pid for d in self.briod.decisions())

  def all_own(self, askers, names):
    """What each is told, once all of them are told of the own processes everywhere: on a loaded machine a reader has moments without a request."""
    told = {key: self.look(asker, names[ONE]) for key, asker in askers.items()}
    own = ((ONE, ONE), (OTHER, OTHER), ("late", OTHER), (0, ONE), (0, OTHER))
    everywhere = all(names[uid] in json.dumps(told[key][what]) for key, uid in own for what in ("GetProcesses", "GetDecisions", "objects"))
    return told if everywhere and all("DecisionMade" in dict(told[key]["signals"]) for key in (ONE, OTHER, 0)) else None

  def test_each_user_is_told_of_the_own_processes_and_of_others_only_sums_and_root_of_all(self):
    askers = {uid: self.asker(uid) for uid in (ONE, OTHER, 0)}
    askers["late"] = self.asker(OTHER, observes=False)
    names, pids = {}, {}
    for uid in (ONE, OTHER):
      names[uid], pids[uid] = self.start(uid)
    brio.wait_for(lambda: all(self.decided_about(pid) for pid in pids.values()), "decisions about both\n" + self.briod.text(), PATIENCE_S)
    told = brio.wait_for(lambda: self.all_own(askers, names), "what each may see of the own\n" + self.briod.text(), PATIENCE_S)
    with self.subTest("no word of another user's process"):
      for key in (OTHER, "late"):
        self.assertNotIn(names[ONE], json.dumps(told[key]))
        self.assertEqual({brio.NAME + ".Error.NotFound"}, {told[key]["start"], told[key]["timeline"]})
      self.assertNotIn(names[OTHER], json.dumps(told[ONE]))
    with self.subTest("others in sums"):
      for key in (ONE, OTHER, "late"):
        row, = [p for p in told[key]["GetProcesses"] if "others" in p and p["device"] == self.loop.name]
        self.assertGreaterEqual(row["others"], 1)
        self.assertGreater(row["read_bytes_per_second"], 0)
        self.assertFalse({"pid", "name"} & set(row))
        hidden = [d for d in told[key]["GetDecisions"] if d.get("process") == "another user's process"]
        self.assertTrue(hidden and all(d["pid"] == 0 for d in hidden))
        self.assertIn("another user's process", " ".join(d["reason"] for d in hidden))
      self.assertFalse([p for p in told[0]["GetProcesses"] if "others" in p])
    self.assertEqual([False, False, True], [told[key]["all"] for key in (ONE, OTHER, 0)])

  def test_signals_go_to_those_that_observe_alone(self):
    asker = self.asker(0, observes=False)
    name, pid = self.start(ONE)
    brio.wait_for(lambda: self.decided_about(pid), "a decision\n" + self.briod.text(), PATIENCE_S)
    told = self.look(asker, name)
    self.assertIn(name, json.dumps(told["GetDecisions"]))
    self.assertTrue(told["signals"], "what names no process is for all users")
    self.assertNotIn(name, json.dumps(told["signals"]))
    self.assertNotIn("DecisionMade", dict(told["signals"]))


if __name__ == "__main__":
  unittest.main()
