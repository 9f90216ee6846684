# SPDX-License-Identifier: GPL-3.0-or-later
"""Child processes that never outlive the benchmark."""
import atexit
import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
POLL_S = 0.02
TICK_S = 0.5
# The last line of what mount says, since util-linux 2.39.
ELSEWHERE = "dmesg(1) may have more information"
MAX_DESCRIPTORS = 1 << 20
_libc = ctypes.CDLL(None, use_errno=True)


def follow(parent):
  """SIGTERM for this process when that parent ends, or at once where it has ended already. Also for preexec_fn."""
  _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
  if os.getppid() != parent:
    os.kill(os.getpid(), signal.SIGTERM)


def enter(parent, root):
  """For preexec_fn, with a root directory of the child's own where one is given."""
  follow(parent)
  if root:
    os.chroot(root)
    os.chdir("/")
    # Among them the pipe over which Popen waits for exec(): from a busy drive that takes as long as the drive pleases, and the
    # start's time limit would not count. An exec() that fails ends in status 255.
    os.closerange(3, MAX_DESCRIPTORS)


class Process:
  """A context manager around a child with a process group of its own, ended with it. root: its root directory."""
  running = set()  # PIDs

  def __init__(self, argv, root=None, **kwargs):
    parent = os.getpid()
    self.argv = [os.fsencode(argument) for argument in argv]
    # Files, not pipes: a child that prints much must not wait for us.
    self.files = {k: tempfile.TemporaryFile() for k in ("stdout", "stderr") if kwargs.get(k) == subprocess.PIPE}
    adopt_orphans()
    # The group is the child's own, so that stop() ends what it starts, too.
    self.popen = subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=lambda: enter(parent, root),
                                  **(kwargs | self.files))
    self.running.add(self.popen.pid)

  @property
  def pid(self):
    return self.popen.pid

  @property
  def returncode(self):
    return self.popen.returncode

  def __enter__(self):
    return self

  def __exit__(self, *_):
    self.stop()
    for file in self.files.values():
      file.close()

  def text(self, stream):
    self.files[stream].seek(0)
    return self.files[stream].read().decode(errors="replace")

  def finish(self, timeout_s, during=None):
    """Waits until it has ended and returns what it printed on stdout and stderr."""
    begin = time.monotonic()
    while self.popen.poll() is None:
      elapsed = time.monotonic() - begin
      if elapsed > timeout_s:
        self.stop()
        raise TimeoutError(f"{self.popen.args[0]} did not end within {timeout_s:.0f} s")
      if during:
        during(elapsed)
      time.sleep(POLL_S)
    return self.text("stdout"), self.text("stderr")

  def stop(self, timeout_s=30):
    """By force only where it takes that long: what is killed leaves its directory behind, and on a busy machine an orderly end takes seconds."""
    if self.popen.poll() is None:
      self._signal(signal.SIGTERM)
      try:
        self.popen.wait(timeout_s)
      except subprocess.TimeoutExpired:
        pass
    self.kill()

  def kill(self):
    if self.popen.poll() is None:
      self._signal(signal.SIGKILL)
    self.popen.wait()
    self.running.discard(self.popen.pid)
    for pid in forks_left(self.argv, self.running):
      os.kill(pid, signal.SIGKILL)
      os.waitpid(pid, 0)

  def _signal(self, number):
    try:
      os.killpg(self.popen.pid, number)
    except ProcessLookupError:
      pass


def adopt_orphans():
  """From now on a descendant whose parent ends becomes our child, whatever session it is in."""
  _libc.prctl(PR_SET_CHILD_SUBREAPER, 1)


def forks_left(argv, others):
  """Of a program that has ended, the forks that it left to us: fio's jobs are each in a session of their own, so no signal to its group
  reaches them, and where fio ends while it begins it tells them nothing. others: our children that were begun in the same way."""
  left = []
  for task in Path("/proc/self/task").iterdir():
    for pid in map(int, (task / "children").read_text(encoding="ascii").split()):
      if pid in others:
        continue
      with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
        if Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1] == argv:
          left.append(pid)
  return left


def last_line(text, otherwise="no message"):
  """What a program said last is mostly why it failed; where to read more is not."""
  lines = [line for line in text.strip().splitlines() if line.strip() and ELSEWHERE not in line]
  return (lines or [otherwise])[-1]


def cause(text, otherwise="no message"):
  """Why a program failed: what it said last, but the first error of apt, which what runs it only says to have failed."""
  return next((line for line in text.splitlines() if line.startswith("E: ")), None) or last_line(text, otherwise)


def output(argv, error, env=None):
  """Runs a program to its end and returns what it printed; an error of that type says why it failed."""
  try:
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, check=False)
  except (FileNotFoundError, PermissionError) as e: # the latter where PATH names a directory that may not be searched
    raise error(f"there is no program {argv[0]}") from e
  if done.returncode != 0:
    words = cause(done.stderr, f"status {done.returncode}")
    raise error(f"{argv[0]}: {words.removeprefix(f'{argv[0]}: ')}")
  return done.stdout


class _Signals:
  """Whether one may end us now, and which one has come meanwhile."""
  depth = 0
  pending = None


@contextlib.contextmanager
def uninterrupted():
  """What is made, and what is removed, is so as a whole: a signal that comes meanwhile ends us afterwards."""
  _Signals.depth += 1
  try:
    yield
  finally:
    _Signals.depth -= 1
    if _Signals.depth == 0 and _Signals.pending:
      number, _Signals.pending = _Signals.pending, None
      sys.exit(128 + number)


class Resource:
  """A context manager of what is made in several steps: a signal ends us before the first of them or after the last, and
  what cannot be made whole is removed. open() makes it; close(), which does nothing the second time, removes what there is."""

  def open(self):
    raise NotImplementedError

  def close(self):
    raise NotImplementedError

  def __enter__(self):
    try:
      with uninterrupted():
        # A signal may also come when it is made and before it is held.
        atexit.register(self.close)
        self.open()
    except BaseException:
      self.__exit__()
      raise
    return self

  def __exit__(self, *_):
    with uninterrupted():
      self.close()
    atexit.unregister(self.close)


def readable_by(descriptor, end, tick):
  """Whether there is something to read (of a pidfd: the end) by that time. Waits for the event itself rather than looks now
  and then: what takes 0.2 s would be a tenth longer. tick, where given, is called twice a second meanwhile."""
  poll = select.poll()
  poll.register(descriptor, select.POLLIN)
  while True:
    left_s = end - time.monotonic()
    if poll.poll(max(min(left_s, TICK_S), 0) * 1000):
      return True
    if left_s <= 0:
      return False
    if tick:
      tick()


def end_on_signals(say=None):
  """SIGTERM and SIGHUP end a benchmark as Ctrl-C does: through every context manager's exit, which may take seconds. say() is called before,
  within the signal's handler, while there is a terminal."""
  terminals = [stream for stream in (0, 1, 2) if os.isatty(stream)]

  def stop(number, _frame):
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
      signal.signal(each, signal.SIG_IGN)
    if number == signal.SIGHUP:
      replace(terminals)
    elif say:
      say()
    if _Signals.depth > 0:
      _Signals.pending = number
    else:
      sys.exit(128 + number)

  for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, stop)


def replace(streams):
  """The terminal is gone: what we still say on the way out must not fail."""
  null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
  for stream in streams:
    os.dup2(null, stream)
  os.close(null)
