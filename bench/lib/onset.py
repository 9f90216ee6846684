# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon after a program is started what protects its start is in place, as briod's own decisions tell."""
import json
import time
from dataclasses import asdict, dataclass

# Of a process that begins or grows greedy later than that in a start, it is not the start's onset any more.
LOT_S = 1.0
LAW = "startup-guard"
# briod tells a start some time after its end: when it was quiet for so long, or with the next tick.
TOLD_S = 1.5


@dataclass
class Onset:
  """All from when the program is called, before its process is made, so that nothing of briod's own says when that was. noticed_s: until
  the start begins for briod: it is born, or its exec is done. first_s, last_s: until the first and the last of what was in the way of the start
  had stepped back. changes: how many did so for it, or settings; those that had stepped back before do not count."""
  noticed_s: float
  first_s: float
  last_s: float
  changes: int

  def as_dict(self):
    return asdict(self)


def look(briod, start):
  """The onset of a start that has just ended; None where nothing had to be done, or briod does not know the start."""
  record = find(briod, start)
  if record is None:
    return None
  called = start.begun - time.monotonic() + time.time()
  times = sorted(d["time_usec"] / 1e6 - called for d in json.loads(briod.brioctl("decisions", "--json"))
                 if d["law"] == LAW and d["result"] == "applied")
  times = [t for t in times if 0 <= t <= LOT_S]
  if not times:
    return None
  return Onset(record["time_usec"] / 1e6 - called, times[0], times[-1], len(times))


def find(briod, start):
  end = time.monotonic() + TOLD_S
  while True:
    for record in json.loads(briod.brioctl("startups", "--json")):
      if record["pid"] == start.pid:
        return record
    if time.monotonic() > end:
      return None
    time.sleep(0.1)
