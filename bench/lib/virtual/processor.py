# SPDX-License-Identifier: GPL-3.0-or-later
"""A guest's one processor: how much of the time it had nothing to do, and what goes first on it. Where it had little to spare, it is what was measured."""
import contextlib
import os
import time
from pathlib import Path

# The fields of the first line of /proc/stat in which the processor has nothing to do.
IDLE_FIELDS = (3, 4)

WORKERS = "kworker/u"  # of queues that are bound to no processor, as those of loop devices are


def serve_drives_first():
  """A request passes through the kernel's workers before brio-drive, which has a real-time priority, sees it. Where hundreds of
  processes begin at once the workers wait for the processor for a tenth of a second, or not, by chance. With a processor more they
  would not. Workers that the kernel makes later have their usual priority."""
  for comm in Path("/proc").glob("[0-9]*/comm"):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
      if comm.read_text(encoding="utf-8").startswith(WORKERS):
        os.sched_setscheduler(int(comm.parent.name), os.SCHED_FIFO, os.sched_param(1))


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
