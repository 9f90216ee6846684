# SPDX-License-Identifier: GPL-3.0-or-later
"""The columns of `iostat -d -x -m` as sysstat printed them until version 11, from a drive's own counters.

Later versions dropped avgrq-sz and svctm and renamed others, so that tables of 2016 could not be set beside theirs. The
formulas are those of iostat(1) of then; the counters' meaning is in Documentation/admin-guide/iostats.rst of the kernel.
"""
from . import sysfs

FIELDS = ("reads", "reads_merged", "sectors_read", "read_ms", "writes", "writes_merged", "sectors_written", "write_ms", "in_flight",
          "busy_ms", "weighted_ms")
SECTORS_PER_MIB = 2048
MS_PER_S = 1000


def counters(device):
  """Those of a drive now."""
  return parse(sysfs.read(sysfs.queue(device).parent / "stat"))


def parse(text):
  return dict(zip(FIELDS, map(int, text.split())))


def columns(before, after, seconds):
  """Column → figure of the time between two readings. Sizes are in sectors, times in ms; a mean of nothing is 0."""
  d = {k: after[k] - before[k] for k in FIELDS}
  requests = d["reads"] + d["writes"]
  return {
    "rrqm/s": d["reads_merged"] / seconds,
    "wrqm/s": d["writes_merged"] / seconds,
    "r/s": d["reads"] / seconds,
    "w/s": d["writes"] / seconds,
    "rMB/s": d["sectors_read"] / SECTORS_PER_MIB / seconds,
    "wMB/s": d["sectors_written"] / SECTORS_PER_MIB / seconds,
    "avgrq-sz": mean(d["sectors_read"] + d["sectors_written"], requests),
    "avgqu-sz": d["weighted_ms"] / MS_PER_S / seconds,
    "await": mean(d["read_ms"] + d["write_ms"], requests),
    "r_await": mean(d["read_ms"], d["reads"]),
    "w_await": mean(d["write_ms"], d["writes"]),
    "svctm": mean(d["busy_ms"], requests),
    "%util": d["busy_ms"] / MS_PER_S / seconds * 100,
  }


def mean(total, number):
  return total / number if number else 0.0


class Sampler:
  """Takes a row of columns every interval_s; look() is to be called more often than that."""

  def __init__(self, device, interval_s):
    self.device = device
    self.interval_s = interval_s
    self.rows = []
    self.last_s = 0.0
    self.last = counters(device)

  def look(self, elapsed):
    if elapsed - self.last_s < self.interval_s:
      return
    now = counters(self.device)
    self.rows.append(columns(self.last, now, elapsed - self.last_s))
    self.last_s, self.last = elapsed, now
