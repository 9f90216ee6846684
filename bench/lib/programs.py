# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are started cold from a file system on a drive, and how long their start takes.

As in the S suite a start lasts from exec to the exit of a program that ends by itself when it is ready; what does not end
in time is killed and counts as longer than that.
"""
import contextlib
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from . import debian, display, process, sysfs, trees

# rusage counts blocks of this size, whatever the file system's are.
RUSAGE_BLOCK = 512
MODULES = ("argparse asyncio concurrent.futures ctypes decimal difflib email.mime.text fractions http.client json logging.config "
           "sqlite3 ssl statistics tarfile unittest urllib.request uuid xml.dom.minidom zipfile").split()

WARMING_S = 60  # a start's limit
SCRIPT = """
for module in POSIX Data::Dumper File::Find Getopt::Long Storable Encode IO::Socket Time::Local Text::Wrap; do
  perl -M$module -e 1 | cat | grep -c . | sed s/0/none/ | sort >/dev/null
done
perl -MPOSIX -MData::Dumper -MFile::Find -MGetopt::Long -MStorable -MEncode -MIO::Socket -MTime::Local -e 1
"""
LOADER = "import os, sys; [open(os.path.join(at, name), 'rb').read() for at, _, names in sorted(os.walk(sys.argv[1])) for name in sorted(names)]"
# What a session's manager runs, from steps that it is told: (programs at once, seconds of waiting, seconds of computing).
MANAGER = """
import json, subprocess, sys, time
for programs, waiting_s, computing_s in json.loads(sys.argv[1]):
  for each in [subprocess.Popen(argv) for argv in programs]:
    if each.wait() != 0:
      sys.exit(f"{each.args[0]} failed")
  time.sleep(waiting_s)
  until = time.process_time() + computing_s
  while time.process_time() < until:
    pass
print("ready", flush=True)
time.sleep(3600)
"""


class ProgramError(Exception):
  """A program failed rather than being slow; the text says why in one line."""


@dataclass
class Start:
  """seconds: until it was ready, or until it was killed where ended is False. read_bytes: what it made the drive read. begun: when, on
  the monotonic clock. pid: of its first process."""
  seconds: float
  ended: bool
  read_bytes: int
  begun: float
  pid: int


class Program:
  """start(root, timeout_s, tick, late) starts it from the file system that has its trees at `root`; tick is called now and
  then meanwhile. What is late is killed within the context manager late()."""
  name: str
  argv: tuple
  environment: dict
  of_debian = False  # from the Debian tree
  policy = ""  # of its own, in the section [Prefetch]

  def __enter__(self):
    return self

  def __exit__(self, *_):
    pass

  @staticmethod
  def missing():
    return None

  @staticmethod
  def trees(_build_dir):
    return {}

  def prepare(self, fs):
    """Before each run, with nothing of the file system in memory."""

  def end(self):
    """After each start, of a program that runs on when it is ready."""


class Python(Program):
  """An interpreter that imports twenty modules of its standard library: about 450 reads, 21 MB."""
  name = "python3"
  argv = (trees.PYTHON, "-I", "-B", "-c", f"import {', '.join(MODULES)}")
  environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}

  @staticmethod
  def missing():
    return None if Path(trees.PYTHON).exists() else f"there is no {trees.PYTHON} (package python3)"

  @staticmethod
  def trees(build_dir):
    return {"python": trees.python(build_dir)}

  def start(self, root, timeout_s, tick=None, late=contextlib.nullcontext):
    return until_exit(root / "python", self.argv, self.environment, timeout_s, tick, late)


class WarmPython(Python):
  """The same, just used: what it reads is in the page cache, and the drive has no part in its start."""
  name = "python3-warm"

  def prepare(self, fs):
    self.start(fs.path, WARMING_S)


class Shell(Program):
  """A script of bash that calls perl and other small programs one after the other."""
  name = "shell"
  argv = ("/bin/bash", "-c", SCRIPT)
  environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}

  @staticmethod
  def missing():
    return trees.missing(*trees.SHELL_PROGRAMS)

  @staticmethod
  def trees(build_dir):
    return {"shell": trees.shell(build_dir)}

  def start(self, root, timeout_s, tick=None, late=contextlib.nullcontext):
    return until_exit(root / "shell", self.argv, self.environment, timeout_s, tick, late)


class Game(Program):
  """A loader that reads 200 MB from 2000 files, in their order. The interpreter that reads them is in memory."""
  name = "game"
  argv = (trees.PYTHON, "-I", "-S", "-B", "-c", LOADER)
  environment = {"LC_ALL": "C"}
  files, file_bytes, directories = 2000, 100 << 10, 20

  def prepare(self, fs):
    place = fs.path / self.name
    if place.exists():
      return
    with fs.emulated.at_once():
      for number in range(self.files):
        path = place / f"{number % self.directories:02}" / f"{number:04}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(self.file_bytes))  # zeros, which have their blocks all the same
    fs.forget()

  def start(self, root, timeout_s, tick=None, late=contextlib.nullcontext):
    return until_exit(None, (*self.argv, str(root / self.name)), self.environment, timeout_s, tick, late)


class Session(Program):
  """A user's manager that starts ten programs, some at once, and stays. What it reads are the trees of python3 and the shell, and libraries in parts."""
  name = "session"
  environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
  policy = "Session = yes\n"
  systemd = Path("/sys/fs/cgroup/init.scope")  # whose child a user's manager is
  group = Path("/sys/fs/cgroup/user.slice/user-0.slice/user@0.service/init.scope")
  libraries, parts, part_bytes = Path("/usr/lib/x86_64-linux-gnu"), 5, 12 << 20
  stays_s = 5.0  # twice briod's quiet window of a session
  # In memory, until it is in its group.
  joining = ("/bin/sh", "-c", 'echo 0 >"$0/cgroup.procs" && exec /usr/sbin/chroot "$@"', str(group))

  def __init__(self):
    self.child = None

  def __exit__(self, *_):
    self.stop()

  @staticmethod
  def missing():
    return "systemd has the sessions' control groups here: it is for guests in virtual time" if Path("/run/systemd/system").exists() else None

  @staticmethod
  def trees(build_dir):
    return Python.trees(build_dir) | Shell.trees(build_dir)

  def prepare(self, fs):
    for group in (self.systemd, self.group):
      group.mkdir(parents=True, exist_ok=True)
    (self.systemd / "cgroup.procs").write_text("0", encoding="ascii")
    place = fs.path / self.name
    if place.exists():
      return
    with fs.emulated.at_once():
      place.mkdir()
      # As links: the same libraries are in both.
      subprocess.run(["cp", "-al", "--force", *(f"{fs.path / tree}/." for tree in ("python", "shell")), str(place)], check=True)
      self.copy_libraries(place)
    fs.forget()

  def copy_libraries(self, place):
    """In turn to each part, as packages lie beside each other, until all are full: the same in each guest."""
    files = [path for path in sorted(self.libraries.glob("*.so*")) if not path.is_symlink()]
    for part in range(self.parts):
      (place / f"part{part}").mkdir()
    number = size = 0
    while size < self.parts * self.part_bytes:
      file = files[number % len(files)]
      shutil.copy(file, place / f"part{number % self.parts}" / f"{number:04}-{file.name}")
      number, size = number + 1, size + file.stat().st_size

  def steps(self):
    part = [(trees.PYTHON, "-I", "-S", "-B", "-c", LOADER, f"/part{number}") for number in range(self.parts)]
    python = [(trees.PYTHON, "-I", "-B", "-c", f"import {', '.join(MODULES[first::4])}") for first in range(4)]
    return [((part[0],), 0.2, 0.1), ((python[0],), 0.05, 0.1), ((part[1], python[1]), 0.3, 0.2), ((Shell.argv, part[2]), 0.1, 0.05),
            ((part[3], python[2], part[4]), 0.2, 0.3), ((python[3],), 0.1, 0.1)]

  def start(self, root, timeout_s, tick=None, late=contextlib.nullcontext):
    argv = (*self.joining, str(root / self.name), trees.PYTHON, "-I", "-B", "-c", MANAGER, json.dumps(self.steps()))
    ours, its = os.pipe()
    begin = time.monotonic()
    self.child = process.Process(argv, env=self.environment, stdout=its, stderr=subprocess.PIPE)
    os.close(its)
    with open(ours, "rb") as ready:
      if not process.readable_by(ours, begin + timeout_s, tick):
        return give_up(self.child, begin, timeout_s, late)
      seconds = time.monotonic() - begin
      if not ready.readline():
        self.child.popen.wait()
        raise failed(argv[-6:], self.child)
    return Start(seconds, True, read_so_far(self.child.pid), begin, self.child.pid)

  def end(self):
    time.sleep(self.stays_s)
    self.stop()

  def stop(self):
    if self.child:
      self.child.__exit__()
      self.child = None


class Writer(Program):
  """LibreOffice Writer without a display, which ends by itself when it is ready: as in seed 003 and the S suite."""
  name = "libreoffice"
  of_debian = True
  argv = ("/usr/bin/soffice", "--headless", "--norestore", "--writer", "--terminate_after_init")

  @staticmethod
  def missing():
    return debian.missing()

  @staticmethod
  def trees(build_dir):
    return {"debian": debian.programs(build_dir)}

  def start(self, root, timeout_s, tick=None, late=contextlib.nullcontext):
    with debian.mounted(root / "debian", debian.KERNEL_MOUNTS):
      return until_exit(root / "debian", self.argv, debian.ENVIRONMENT, timeout_s, tick, late)


class Editor(Program):
  """GNOME's text editor, a GTK 4 program, until its window is there. The X server is this machine's and runs already."""
  name = "gtk4"
  of_debian = True
  argv = ("/usr/bin/gnome-text-editor", "--standalone")
  environment = debian.ENVIRONMENT | {"GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "GSETTINGS_BACKEND": "memory",
                                      "GIO_USE_VFS": "local"}

  def __init__(self):
    self.display = display.Display()

  def __enter__(self):
    self.display.__enter__()
    return self

  def __exit__(self, *_):
    self.display.__exit__()

  @staticmethod
  def missing():
    return debian.missing() or display.missing()

  @staticmethod
  def trees(build_dir):
    return {"debian": debian.programs(build_dir)}

  def start(self, root, timeout_s, tick=None, late=contextlib.nullcontext):
    environment = self.environment | {"DISPLAY": self.display.name}
    with debian.mounted(root / "debian", debian.KERNEL_MOUNTS), self.display.watch() as windows:
      begin = time.monotonic()
      with process.Process(self.argv, root=root / "debian", env=launched(environment), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        mapped = windows.saw(b"MapNotify", begin + timeout_s, tick)
        seconds = time.monotonic() - begin
        if not mapped and child.popen.poll() is not None:
          raise failed(self.argv, child)
        if not mapped:
          return give_up(child, begin, timeout_s, late)
        return Start(seconds, True, read_so_far(child.pid), begin, child.pid)


ALL = {p.name: p for p in (Python, Writer, Editor, WarmPython, Shell, Game, Session)}
# What is started by default, by the real clock.
SUITE = (Python.name, Writer.name, Editor.name)


def content(users, build_dir):
  """A context manager: a directory that holds the trees of these programs (and loads, which may have some too)."""
  wanted = {}
  for user in users:
    wanted |= user.trees(build_dir)
  return trees.joined(build_dir, wanted)


def launched(environment):
  """As GNOME's and KDE's launchers start what is clicked on: with a token that no other start has."""
  return environment | {"XDG_ACTIVATION_TOKEN": f"bench-{os.getpid()}-{time.monotonic_ns()}"}


def until_exit(root, argv, environment, timeout_s, tick=None, late=contextlib.nullcontext):
  """Runs argv with that root directory, from exec to exit."""
  if root:
    root.stat()  # in memory, as that of a running system is
  begin = time.monotonic()
  with process.Process(argv, root=root, env=launched(environment), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
    if not ends_by(child, begin + timeout_s, tick):
      return give_up(child, begin, timeout_s, late)
    seconds = time.monotonic() - begin
    _, status, usage = os.wait4(child.pid, 0)
    child.popen.returncode = os.waitstatus_to_exitcode(status)
    if status != 0:
      raise failed(argv, child)
    return Start(seconds, True, usage.ru_inblock * RUSAGE_BLOCK, begin, child.pid)


def give_up(child, begin, timeout_s, late):
  """Not with SIGTERM: before its exec() it handles that as this program does."""
  read_bytes = read_so_far(child.pid)
  with late():
    child.kill()
  return Start(timeout_s, False, read_bytes, begin, child.pid)


def failed(argv, child):
  return ProgramError(f"{argv[0]} failed: {process.last_line(child.text('stderr'), f'status {child.returncode}')}")


def ends_by(child, end, tick):
  """Whether it ends by that time."""
  descriptor = os.pidfd_open(child.pid)
  try:
    return process.readable_by(descriptor, end, tick)
  finally:
    os.close(descriptor)


def read_so_far(pid):
  """What a process made the drive read, without its children that still run."""
  lines = (sysfs.read(f"/proc/{pid}/io") or "").splitlines()
  return sum(int(line.split()[1]) for line in lines if line.startswith("read_bytes:"))
