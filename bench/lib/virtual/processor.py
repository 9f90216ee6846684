# SPDX-License-Identifier: GPL-3.0-or-later
"""A guest's one processor: how much of the time it had nothing to do, and what goes first on it. Where it had little to spare, it is what was measured."""
import contextlib
import ctypes
import os
import time
from pathlib import Path

# The fields of the first line of /proc/stat in which the processor has nothing to do.
IDLE_FIELDS = (3, 4)

# ioprio_set(2) on x86-64, and best effort, level 4: what the kernel gives a process that asked for nothing.
IOPRIO_SET, IOPRIO_WHO_PROCESS, USUAL = 251, 1, 2 << 13 | 4
_libc = ctypes.CDLL(None, use_errno=True)

WORKERS = "kworker/u"  # of queues that are bound to no processor, as those of loop devices are


def serve_drives_first():
  """A request passes through the kernel's workers before brio-drive, which has a real-time priority, sees it. Where hundreds of
  processes begin at once the workers wait for the processor for a tenth of a second, or not, by chance. With a processor more they
  would not. Workers that the kernel makes later have their usual priority."""
  for comm in Path("/proc").glob("[0-9]*/comm"):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
      if comm.read_text(encoding="utf-8").startswith(WORKERS):
        go_first(int(comm.parent.name))


def go_first(pid):
  """On the processor alone. The kernel takes a process with a real-time priority there for one whose requests have one as well, unless it is told: and workers
  also write back what programs have written."""
  if _libc.syscall(IOPRIO_SET, IOPRIO_WHO_PROCESS, pid, USUAL) != 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
  os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(1))


class IdleShare:
  """A context manager; afterwards `share` is from 0 to 1."""
  share = None

  def __enter__(self):
    self.begin, self.idle = time.monotonic(), idle_s()
    return self

  def __exit__(self, *_):
    self.share = min((idle_s() - self.idle) / (time.monotonic() - self.begin), 1.0)


def idle_s():
  ticks = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
  return sum(int(ticks[i]) for i in IDLE_FIELDS) / os.sysconf("SC_CLK_TCK")
