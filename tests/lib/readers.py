# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that read from a drive and do as they are told, and the I/O priorities that the kernel has of them."""
import ctypes
import os
import signal
import subprocess
import sys
import time

import brio

NONE, BE_7, IDLE = 0, 2 << 13 | 7, 3 << 13 | 3
IOPRIO_GET = {"x86_64": 252, "aarch64": 31, "riscv64": 31}.get(os.uname().machine)

# Reads some 400 MB/s from the drive, on a busy machine still more than a stream may, in a thread of its own. Does what it is told on its
# input, a line each.
READER = r"""
import ctypes, mmap, os, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
reading = threading.Event()
reading.set()

def read(device):
  fd = os.open(device, os.O_RDONLY | os.O_DIRECT)
  buffer = mmap.mmap(-1, 16 << 20)
  offset = int(sys.argv[2]) << 20
  while True:
    reading.wait()
    if os.preadv(fd, [buffer], offset) < len(buffer):
      offset = 0
    offset += len(buffer)
    time.sleep(0.03)

def sleeper():
  threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()

threading.Thread(target=read, args=(sys.argv[1],), daemon=True).start()
sleeper()
sleeper()
print("ready", flush=True)
for line in sys.stdin:
  word, *rest = line.split()
  answer = "done"
  if word == "thread":
    sleeper()
  elif word == "rest":
    reading.clear()
  elif word == "child":
    answer = str(os.fork())
    if answer == "0":
      time.sleep(3600)
  elif word == "priority":
    libc.syscall(int(rest[0]), 1, 0, int(rest[1]))
  elif word == "exec":
    os.execl("/bin/sleep", "sleep", "3600")
  print(answer, flush=True)
"""


# Reads from the drive for so many seconds, as a program does that starts.
STARTER = r"""
import mmap, os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
buffer = mmap.mmap(-1, 1 << 16)
end = time.monotonic() + float(sys.argv[2])
offset = 1 << 29
while time.monotonic() < end:
  offset += os.preadv(fd, [buffer], offset)
  time.sleep(0.01)
"""


def read_priority(tid):
  return ctypes.CDLL(None, use_errno=True).syscall(IOPRIO_GET, 1, tid)


def why_not():
  return brio.why_no_loop() or (None if IOPRIO_GET else "the number of ioprio_get(2) is not known for this machine")


def launch(device, seconds):
  """Begins a program as a desktop's launcher does."""
  return subprocess.Popen([sys.executable, "-c", STARTER, device, str(seconds)], start_new_session=True,
                          env=os.environ | {"XDG_ACTIVATION_TOKEN": f"test-{time.monotonic_ns()}"}, preexec_fn=brio.die_with_parent)


class Reader:
  """A process that reads from the drive, in a session of its own."""

  def __init__(self, device, number=0):
    self.device, self.number, self.children = device, number, []

  def __enter__(self):
    self.process = subprocess.Popen([sys.executable, "-c", READER, self.device, str(64 * self.number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    text=True, bufsize=1, start_new_session=True, preexec_fn=self.begin)
    assert self.process.stdout.readline() == "ready\n"
    return self

  def begin(self):
    brio.die_with_parent()
    os.setpriority(os.PRIO_PROCESS, 0, 0)  # tests may run niced, and a process that is nice enough has nothing to step back from

  def __exit__(self, *_):
    for child in self.children:
      os.kill(child, signal.SIGKILL)  # of a reader that never waits for them: the numbers are theirs until it has ended, too
    self.process.kill()
    self.process.wait()
    self.process.stdin.close()
    self.process.stdout.close()

  def ask(self, *words):
    self.process.stdin.write(" ".join(map(str, words)) + "\n")
    return self.process.stdout.readline().strip()

  def child(self):
    self.children.append(int(self.ask("child")))
    return self.children[-1]

  @property
  def pid(self):
    return self.process.pid

  def priorities(self):
    """Of each thread."""
    return {int(tid): read_priority(int(tid)) for tid in os.listdir(f"/proc/{self.pid}/task")}

  def all_have(self, priority):
    return set(self.priorities().values()) == {priority}
