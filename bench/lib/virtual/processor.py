# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of the time a guest's processor had nothing to do: where that is little, the processor is what was measured."""
import os
import time
from pathlib import Path

# The fields of the first line of /proc/stat in which the processor has nothing to do.
IDLE_FIELDS = (3, 4)


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
