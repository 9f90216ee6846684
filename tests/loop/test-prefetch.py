#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that starts cold twice from a real file system on a loop device: what the first start read is read ahead for the second."""
import contextlib
import mmap
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402
import mounts  # noqa: E402

COLD = f"cold{os.getpid()}"
FILES = 40
FILE_BYTES = 256 << 10
BLOCK = 512  # of ru_inblock
TRIES, TRY_S = 5, 30
PACE_PAGES = 100
SHELL_S = 3  # a command that reads nothing is followed for two
# For a second it has a page from a drive now and then, so that its start goes on meanwhile; by then the child that reads ahead has done so.
PROGRAM = """
import mmap, os, resource, sys, time
with open(os.path.join(sys.argv[1], "pace"), "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as pace:
  pace.madvise(mmap.MADV_RANDOM)
  for i in range(%d):
    pace[i * 64 * mmap.PAGESIZE]
    end = time.monotonic() + 0.01
    while time.monotonic() < end:
      pass
before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
for i in range(%d):
  with open(os.path.join(sys.argv[1], f"data{i}"), "rb", buffering=0) as file:
    while file.read(1 << 16):
      pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_inblock - before, flush=True)
""" % (PACE_PAGES, FILES)


# One file stays mapped, for longer than a start that reads nothing more is followed.
KEEP = """
with open(os.path.join(sys.argv[1], "data3"), "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as kept:
  time.sleep(5)
"""
NVME = "10-nvme.conf"
LOGIND = Path("/run/systemd")
INSTANCES = Path("/sys/kernel/tracing/instances")


def is_in_briod(text):
  return text in (brio.BUILD / "daemon/briod").read_bytes()


def why_no_bpf():
  if not is_in_briod(b"raw_tp/mm_filemap_add_to_page_cache"):
    return "briod was built without BPF"
  return brio.why_no_loop() or (None if os.path.exists("/sys/kernel/btf/vmlinux") else "the kernel has no BTF")


def why_no_tracefs():
  if not is_in_briod(b"mm_filemap_add_to_page_cache\0") or not is_in_briod(b"trace_pipe_raw"):
    return "briod was built without libtracefs"
  return brio.why_no_loop() or mounts.mount("tracefs", INSTANCES.parent, INSTANCES, "the kernel has no tracefs")


class Starts(unittest.TestCase):
  """In a mount namespace of its own: a copy that another program made of ours would keep the file system in use, and so in memory."""
  file_system = "ext4"
  maker = None  # else mkfs
  name = COLD
  prefix = ()  # of briod's command
  why_not = staticmethod(why_no_bpf)

  def setUp(self):
    why = self.why_not() or mounts.leave_mount_namespace()
    if why:
      self.skipTest(why)
    if not shutil.which(self.maker or f"mkfs.{self.file_system}"):
      self.skipTest(f"there is no {self.maker or f'mkfs.{self.file_system}'}")
    self.state = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-state-"))
    self.stack = contextlib.ExitStack()
    self.addCleanup(self.stack.close)
    self.loop = self.stack.enter_context(brio.Loop(size_bytes=512 << 20, writable=True))
    self.node = f"/dev/{self.loop.name}"
    self.point = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-prefetch-"))
    os.chmod(self.point, 0o755)
    self.make()
    self.addCleanup(self.unmount)
    self.bus = self.stack.enter_context(brio.Bus())

  def make(self):
    self.run_maker(f"mkfs.{self.file_system}", self.node)
    self.mount()
    self.fill()

  def run_maker(self, *command):
    made = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    self.assertEqual(0, made.returncode, made.stderr)

  def mount(self):
    done = subprocess.run(["mount", self.node, self.point], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0 and "unknown filesystem" in done.stderr:
      self.skipTest(f"the kernel has no {self.file_system}")
    self.assertEqual(0, done.returncode, done.stderr)

  def unmount(self):
    """Nothing may use it any more: a child of briod that learns may, for a moment."""
    brio.wait_for(lambda: subprocess.run(["umount", self.point], stderr=subprocess.DEVNULL, check=False).returncode == 0, "the file system to be free")

  def fill(self):
    self.command = [self.copy_python(COLD), "-S", "-c", PROGRAM, self.point]
    self.write("pace", PACE_PAGES * 64 * mmap.PAGESIZE)
    for i in range(FILES):
      self.write(f"data{i}")

  def copy_python(self, name):
    return shutil.copy(os.path.realpath("/usr/bin/python3"), os.path.join(self.point, name))

  def write(self, name, size=FILE_BYTES):
    Path(self.point, name).write_bytes(os.urandom(size))

  def briod(self, drive="hdd", **named):
    return self.stack.enter_context(brio.Briod(self.bus, "--verbose", "--mode", "auto", "--include", f"{self.loop.name}={drive}", state=self.state, prefix=self.prefix, **named))

  def policies_with(self, key, policy="10-hdd.conf"):
    policies = Path(self.state, "policies")
    shutil.copytree(SOURCE / "policies", policies)
    (policies / f"{policy}.d").mkdir()
    (policies / f"{policy}.d/test.conf").write_text(f"[Prefetch]\n{key} = yes\n", encoding="ascii")
    return str(policies)

  def make_cold(self):
    self.unmount()
    self.mount()

  def type(self):
    """Cold, as a shell in a terminal does it, whose own start is over: the command is a job of its own. Returns as start()."""
    self.make_cold()
    outer, inner = pty.openpty()
    with open(outer, "rb", buffering=0), open(inner, "rb", buffering=0):
      shell = ["/bin/bash", "--norc", "--noprofile", "-i", "-c", f'sleep {SHELL_S}; set -m; "$@"; true', "bash", *self.command]
      done = subprocess.run(["setsid", "--ctty", "--wait", *shell], stdin=inner, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return int(done.stdout) * BLOCK

  def start(self):
    """Cold, as a launcher does it. Returns how many bytes of the data it had to read itself."""
    self.make_cold()
    environment = os.environ | {"XDG_ACTIVATION_TOKEN": f"test-{time.monotonic_ns()}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(self.command, env=environment, stdout=subprocess.PIPE, check=True)
    return int(done.stdout) * BLOCK

  def told(self, briod):
    return [line for line in briod.text().splitlines() if f"{self.name}: read ahead: " in line]

  def known(self, briod, name=None):
    found = []
    brio.error_name(lambda: found.extend(briod.call("GetStartups", "(s)", name or self.name)[0]))
    return found

  def lists(self):
    return [path for path in Path(self.state, "prefetch").glob("*.list") if self.name in path.read_text(encoding="utf-8")]

  def start_until(self, happened, what, start=None):
    """Where many programs start, briod looks at two hundred a second: one may pass it by. Returns as start(), of the last."""
    for _ in range(TRIES):
      read = (start or self.start)()
      end = time.monotonic() + TRY_S
      while time.monotonic() < end and not happened():
        time.sleep(0.1)
      if happened():
        return read
    raise AssertionError(f"started {TRIES} times without {what}")

  def has_learnt(self):
    """Of a start that the machine let stand still for a second no more is known than what came before."""
    size = f"\t{FILE_BYTES}\t"
    return [path for path in self.lists() if path.read_text(encoding="utf-8").count(size) > FILES // 2]

  def learn(self, briod):
    self.assertGreaterEqual(self.start_until(self.has_learnt, "a list of what it read"), FILES * FILE_BYTES)
    self.assertTrue(brio.wait_for(lambda: self.told(briod), "word of the first start")[0].count(": none,"))

  def again(self, briod):
    before = len(self.told(briod))
    read = self.start_until(lambda: self.told(briod)[before:], "word of another start")
    return read, self.told(briod)[-1]

  def second(self, briod):
    """The first later start that is left little to read: on a busy machine a program may be as fast as what reads ahead for it."""
    for _ in range(TRIES):
      read, line = self.again(briod)
      if read < FILES * FILE_BYTES // 10:
        break
    return read, line

  def pages(self, briod):
    """What briod says of how it hears what starts read."""
    return next(s[2] for s in briod.get("Sources") if s[0] == "pages")


class Prefetch(Starts):
  def test_what_the_first_start_read_is_read_ahead_for_the_second(self):
    briod = self.briod()
    self.learn(briod)
    text = self.lists()[0].read_text(encoding="utf-8")
    self.assertEqual(FILES, len([line for line in text.splitlines() if line.split("\t")[3:4] == [str(FILE_BYTES)]]))
    read, line = self.second(briod)
    self.assertIn(": played,", line)
    self.assertIn("(0 not as they were)", line)
    self.assertLess(read, FILES * FILE_BYTES // 10)


class Ext4(Prefetch):
  def test_what_the_kernel_reads_of_the_program_before_it_tells_of_the_exec_is_learnt(self):
    self.learn(self.briod())
    files = [line.split("\t") for line in self.lists()[0].read_text(encoding="utf-8").splitlines()]
    first = [fields[5] for fields in files if fields[2:3] == [str(os.stat(self.command[0]).st_ino)]]
    self.assertEqual(["0"], first)

  def test_it_goes_before_others_on_a_disk_and_with_them_on_flash(self):
    for rotational, priority in (("1", "RT/4"), ("0", "BE/4")):
      Path(f"/sys/block/{self.loop.name}/queue/rotational").write_text(rotational)
      briod = self.briod()
      self.start_until(lambda: [line for line in self.told(briod) if ": played," in line], "a start that is helped")
      self.assertIn(f", at {priority}", self.told(briod)[-1])
      briod.stop()

  def test_an_nvme_drive_without_a_scheduler_is_read_ahead_from_where_its_policy_says_so(self):
    scheduler = Path(f"/sys/block/{self.loop.name}/queue/scheduler")
    scheduler.write_text("none")
    briod = self.briod("nvme", policies=self.policies_with("Enabled", NVME))
    self.learn(briod)
    read, line = self.second(briod)
    self.assertIn(": played,", line)
    self.assertLess(read, FILES * FILE_BYTES // 10)
    self.assertIn("[none]", scheduler.read_text(encoding="ascii"))

  def test_a_mount_namespace_that_another_program_makes_meanwhile_has_not_the_file_system(self):
    self.assertNotIn(self.point, Path("/proc/1/mountinfo").read_text(encoding="utf-8"))

  def test_a_file_that_was_replaced_is_left_to_the_program(self):
    briod = self.briod()
    self.learn(briod)
    os.unlink(os.path.join(self.point, "data3"))
    self.write("data3")
    read, line = self.second(briod)
    self.assertIn("(1 not as they were)", line)
    self.assertGreaterEqual(read, FILE_BYTES)
    self.assertLess(read, FILES * FILE_BYTES // 10)

  def test_what_others_may_not_read_is_not_learnt(self):
    os.chmod(os.path.join(self.point, "data7"), 0o600)
    briod = self.briod()
    self.learn(briod)
    read, line = self.second(briod)
    self.assertIn(": played,", line)
    self.assertGreaterEqual(read, FILE_BYTES)

  def test_a_list_outlives_the_daemon_and_a_kill_of_it(self):
    briod = self.briod()
    self.learn(briod)
    before = self.lists()[0].read_bytes()
    briod.process.kill()
    briod.process.wait()
    self.assertEqual(before, self.lists()[0].read_bytes())
    read, line = self.second(self.briod())
    self.assertIn(": played,", line)
    self.assertLess(read, FILES * FILE_BYTES // 10)

  def test_in_mode_advise_nothing_is_learnt_or_read_ahead(self):
    briod = self.briod()
    self.learn(briod)
    briod.call("SetMode", "(s)", "advise")
    before = self.lists()[0].read_bytes()
    told = len(self.told(briod))
    starts = len(briod.call("GetStartups", "(s)", self.name)[0])
    self.start_until(lambda: len(briod.call("GetStartups", "(s)", self.name)[0]) > starts, "a start that counts")
    self.assertEqual(told, len(self.told(briod)))
    self.assertEqual(before, self.lists()[0].read_bytes())

  def test_what_the_user_switched_off_is_not_helped_until_it_is_on_again(self):
    briod = self.briod()
    self.learn(briod)
    for application in (self.name, ""):
      briod.call("SetPrefetch", "(sb)", application, False)
      read, line = self.again(briod)
      self.assertIn(": off,", line)
      self.assertGreaterEqual(read, FILES * FILE_BYTES)
      briod.call("SetPrefetch", "(sb)", application, True)
      self.assertIn(": played,", self.again(briod)[1])

  def test_what_was_read_ahead_is_a_decision_which_says_what_it_did_and_is_undone(self):
    briod = self.briod()
    self.learn(briod)

    def decisions():
      return [d for d in briod.call("GetDecisions", "(t)", 0)[0] if d["law"] == "prefetch" and d.get("application") == self.name]

    self.assertEqual([], decisions())
    self.again(briod)
    made = brio.wait_for(lambda: [d for d in decisions() if d["effect"]], "a decision that says how long the start took")[-1]
    self.assertEqual(("read-ahead", "applied", self.loop.name), (made["tunable"], made["result"], made["device"]))
    self.assertGreaterEqual(int(made["new"]) << 10, FILES * FILE_BYTES)
    self.assertRegex(made["effect"], "^the start took ")
    self.assertEqual([False, True], [s["helped"] for s in briod.call("GetStartups", "(s)", self.name)[0]][-2:])
    self.assertRegex(made["reason"], f"{self.name} read at its last starts is read ahead: .* without help .* \\(1 start to compare\\)$")
    briod.call("Undo", "(s)", made["id"])
    self.assertEqual("restored", decisions()[-1]["result"])
    self.assertEqual(["off"], [k["state"] for k in briod.call("GetPrefetch", "(s)", self.name)[0]])
    self.assertIn(": off,", self.again(briod)[1])
    self.assertEqual("org.brio.Brio1.Error.NotFound", brio.error_name(lambda: briod.call("Undo", "(s)", made["id"])))

  def test_a_script_has_a_list_of_its_own_whatever_runs_it(self):
    self.name = f"s{os.getpid()}.py"
    script = Path(self.point, self.name)
    script.write_text(PROGRAM, encoding="utf-8")
    self.command = [self.copy_python("python3"), "-S", str(script), self.point]
    briod = self.briod()
    self.learn(briod)
    self.assertIn(os.path.join(self.point, "data3"), [f["path"] for f in briod.call("GetPrefetchFiles", "(s)", self.name)[0]])
    read, line = self.second(briod)
    self.assertIn(": played,", line)
    self.assertLess(read, FILES * FILE_BYTES // 10)

  def test_a_command_of_a_terminal_is_helped_where_the_policy_says_so_and_else_not_even_learnt(self):
    briod = self.briod()
    self.start_until(lambda: self.known(briod), "a start that counts", self.type)
    self.assertFalse(self.known(briod)[-1]["launched"])
    self.assertEqual(([], []), (self.told(briod), self.lists()))
    briod.stop()
    briod = self.briod(policies=self.policies_with("Commands"))
    self.start_until(self.lists, "a list of what it read", self.type)
    told = len(self.told(briod))
    self.start_until(lambda: self.told(briod)[told:], "word of it", self.type)
    self.assertIn(": played,", self.told(briod)[-1])

  def test_what_is_known_is_told_and_forgotten(self):
    briod = self.briod()
    self.learn(briod)
    known = briod.call("GetPrefetch", "(s)", self.name)[0]
    self.assertEqual([("on", 0, 1, 0)], [(k["state"], k["uid"], k["unhelped_starts"], k["helped_starts"]) for k in known])
    self.assertGreaterEqual(known[0]["bytes"], FILES * FILE_BYTES)
    files = {f["path"]: f["bytes"] for f in briod.call("GetPrefetchFiles", "(s)", self.name)[0]}
    self.assertEqual(FILE_BYTES, files[os.path.join(self.point, "data3")])
    self.assertEqual((1,), briod.call("ForgetPrefetch", "(s)", self.name))
    self.assertEqual([], self.lists())
    self.assertEqual("org.brio.Brio1.Error.NotFound", brio.error_name(lambda: briod.call("GetPrefetch", "(s)", self.name)))

  def test_while_nothing_starts_the_kernel_tells_nothing(self):
    briod = self.briod()
    self.learn(briod)
    # Other programs of this machine may start at any time: it is enough that there is a moment without one.
    brio.wait_for(lambda: "followed when one does" in self.pages(briod), "rest", 120)

  def test_what_tells_of_pages_is_loaded_before_the_first_start_where_a_policy_reads_ahead(self):
    briod = self.briod()
    brio.wait_for(lambda: "what starts read is told by bpf" in briod.text(), "the programs to be loaded")

  def test_bpf_tells_what_starts_read_where_the_kernel_has_it(self):
    self.assertIn("through bpf, ", self.pages(self.briod()))

  def test_a_damaged_list_is_learnt_anew(self):
    briod = self.briod()
    self.learn(briod)
    path = self.lists()[0]
    path.write_bytes(path.read_bytes()[:-20])
    read, line = self.again(briod)
    self.assertIn(": none,", line)
    self.assertGreaterEqual(read, FILES * FILE_BYTES)


class Xfs(Prefetch):
  file_system = "xfs"


class Btrfs(Prefetch):
  file_system = "btrfs"


class Squashfs(Prefetch):
  """As that of a snap, made of what is in a directory and never written."""
  file_system = "squashfs"
  maker = "mksquashfs"

  def make(self):
    self.fill()
    self.run_maker(self.maker, self.point, self.node, "-noappend", "-noI", "-noD", "-noF", "-no-xattrs")
    for path in Path(self.point).iterdir():
      path.unlink()
    self.mount()


class Session(Starts):
  """logind's files are the test's."""
  name = "user-session"

  def make(self):
    self.logind = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-logind-"))
    self.user = Path(self.logind, f"users/{os.getuid()}")
    self.user.parent.mkdir()
    if not LOGIND.is_dir():
      self.skipTest(f"there is no {LOGIND}")
    subprocess.run(["mount", "--bind", self.logind, str(LOGIND)], check=True)
    self.addCleanup(subprocess.run, ["umount", str(LOGIND)], check=True)
    super().make()

  def log_in(self, command=None):
    """Cold, as systemd begins a user's manager. Returns as start()."""
    hierarchy = next(Path(line.split()[1]) for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines() if line.split()[2] == "cgroup2")
    group = hierarchy / f"user.slice/user-{os.getuid()}.slice/user@{os.getuid()}.service/init.scope"
    made = [path for path in (group, *group.parents) if not path.exists()]
    group.mkdir(parents=True, exist_ok=True)
    self.addCleanup(lambda: [path.rmdir() for path in made])
    self.make_cold()
    join = [sys.executable, "-c", "import os, sys; open(sys.argv[1], 'w').write('0'); os.execv(sys.argv[2], sys.argv[2:])", str(group / "cgroup.procs")]
    done = subprocess.run([*join, *(command or self.command)], env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}, stdout=subprocess.PIPE, check=True)
    return int(done.stdout) * BLOCK

  def test_a_session_is_learnt_and_read_ahead_for_a_user_at_a_seat_where_the_policy_says_so(self):
    briod = self.briod(policies=self.policies_with("Session"))
    self.start_until(lambda: self.known(briod), "a session that counts", self.log_in)
    self.assertEqual(([], []), (self.told(briod), self.lists()))
    self.user.write_text("SEATS=seat0\n", encoding="ascii")
    self.start_until(self.has_learnt, "a list of what it read", self.log_in)
    told = len(self.told(briod))
    self.start_until(lambda: self.told(briod)[told:], "word of it", self.log_in)
    self.assertIn(": played,", self.told(briod)[-1])

  def test_what_is_started_after_each_login_is_read_ahead_after_the_next_one_while_the_machine_rests(self):
    manager = [self.copy_python("manager"), "-S", "-c", "print(0)"]
    self.user.write_text("SEATS=seat0\n", encoding="ascii")
    briod = self.briod(policies=self.policies_with("Next"))

    def sessions():
      return len(self.known(briod, Session.name))

    def log_in():
      before = sessions()
      self.start_until(lambda: sessions() > before, "a session that counts", lambda: self.log_in(manager))

    def read_ahead():
      return [d for d in briod.call("GetDecisions", "(t)", 0)[0] if "usually started soon after a login" in d["reason"]]

    def kept():
      return list(Path(self.state, "prefetch").glob("*.next"))

    self.name = COLD
    for _ in range(2):
      log_in()
      before = len(self.known(briod))
      self.start_until(lambda before=before: len(self.known(briod)) > before, "a start that counts")
    self.assertEqual([], read_ahead())
    log_in()
    made = brio.wait_for(read_ahead, "the program to be read ahead", 60)[0]
    self.assertEqual((self.name, "read-ahead", "applied", self.loop.name), (made["application"], made["tunable"], made["result"], made["device"]))
    self.assertGreaterEqual(int(made["new"]) << 10, FILES * FILE_BYTES)
    self.assertEqual([f"{os.getuid()}.next"], [path.name for path in kept()])
    before = len(self.known(briod))
    self.start_until(lambda: len(self.known(briod)) > before, "a start that counts")
    briod.call("ForgetPrefetch", "(s)", self.name)
    self.assertEqual([], kept())
    log_in()
    self.assertNotIn(self.name, brio.wait_for(kept, "what was noted since it was forgotten", 60)[0].read_text(encoding="ascii"))


class WithoutBpf(Starts):
  prefix = ("setpriv", "--bounding-set", "-bpf,-perfmon,-sys_admin")
  why_not = staticmethod(why_no_tracefs)

  def instances(self, briod):
    return [path.name for path in INSTANCES.glob(f"briod.{briod.process.pid}.*.pages")]


class TracefsExt4(WithoutBpf, Prefetch):
  def test_tracefs_is_used_and_its_instance_goes_when_nothing_starts(self):
    briod = self.briod()
    self.assertRegex(self.pages(briod), "through tracefs, .*; not through bpf: ")
    self.assertEqual([], self.instances(briod))
    self.make_cold()
    environment = os.environ | {"XDG_ACTIVATION_TOKEN": "test"}
    with subprocess.Popen(self.command, env=environment, stdout=subprocess.DEVNULL):
      brio.wait_for(lambda: self.instances(briod), "an instance while it starts")
    brio.wait_for(lambda: not self.instances(briod), "rest", 120)


class TracefsXfs(WithoutBpf):
  """Where a file's number does not lead to it."""
  file_system = "xfs"

  def test_what_a_start_has_mapped_at_its_end_is_learnt(self):
    self.command[3] += KEEP
    briod = self.briod()
    self.start_until(self.lists, "a list of what it read")
    files = [f["path"] for f in briod.call("GetPrefetchFiles", "(s)", self.name)[0]]
    self.assertIn(os.path.join(self.point, "data3"), files)
    self.assertNotIn(os.path.join(self.point, "data4"), files)


class Mapped(WithoutBpf):
  """Where the kernel tells of no pages."""
  why_not = staticmethod(brio.why_no_loop)

  def setUp(self):
    super().setUp()
    tracing = INSTANCES.parent
    if tracing.is_dir():
      subprocess.run(["mount", "-t", "tmpfs", "none", tracing], check=True)
      self.addCleanup(subprocess.run, ["umount", tracing], check=True)

  def test_what_is_in_memory_of_what_a_start_has_mapped_at_its_end_is_learnt_and_read_ahead(self):
    self.command[3] += KEEP
    briod = self.briod()
    self.assertRegex(self.pages(briod), "through mapped files, .*; not through bpf: .*; not through tracefs: ")
    self.start_until(self.lists, "a list of what it read")
    files = [f["path"] for f in briod.call("GetPrefetchFiles", "(s)", self.name)[0]]
    self.assertIn(self.command[0], files)
    self.assertIn(os.path.join(self.point, "data3"), files)
    self.assertNotIn(os.path.join(self.point, "data4"), files)
    _, line = self.again(briod)
    self.assertIn(": played, ", line)


del Starts, Prefetch, WithoutBpf

if __name__ == "__main__":
  unittest.main()
