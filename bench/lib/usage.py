# SPDX-License-Identifier: GPL-3.0-or-later
"""What processes take of the machine."""
import os
from pathlib import Path

from . import sysfs

NS_PER_S = 1e9


def counters(pid):
  """Counters since the process's start, over all its threads: voluntary switches and time on a CPU in ns. The scheduler
  counts the time exactly; the ticks of /proc/PID/stat are too coarse for a process that hardly runs."""
  wakeups = cpu_ns = slices = 0
  for task in Path(f"/proc/{pid}/task").iterdir():
    status = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines())
    wakeups += int(status["voluntary_ctxt_switches"])
    run_ns, _wait_ns, run_slices = (sysfs.read(task / "schedstat") or "0 0 0").split()
    cpu_ns += int(run_ns)
    slices += int(run_slices)
  fields = (sysfs.read(f"/proc/{pid}/stat") or "").rpartition(")")[2].split()
  ticks = int(fields[11]) + int(fields[12])
  return {"wakeups": wakeups, "cpu_ns": cpu_ns, "slices": slices, "tick_cpu_s": ticks / os.sysconf("SC_CLK_TCK")}


def cpu_s(counted):
  """Seconds on a CPU out of differences of those: without scheduler statistics in the kernel the ticks must do."""
  return counted["cpu_ns"] / NS_PER_S or counted["tick_cpu_s"]


def pss_kib(pid, key="Pss"):
  """Pss_Anon is what of it is no file's: it does not change with what else uses the same libraries."""
  for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
    if line.startswith(f"{key}:"):
      return int(line.split()[1])
  raise OSError(f"/proc/{pid}/smaps_rollup has no {key}")


def descendants(pid):
  """The process and all below it."""
  found = [pid]
  for each in found:
    for task in Path(f"/proc/{each}/task").glob("*/children"):
      found += map(int, (sysfs.read(task) or "").split())
  return found


def kworkers():
  """PID → time on a CPU in ns of each of the kernel's threads that do what is read from and written to loop devices."""
  found = {}
  for directory in Path("/proc").iterdir():
    if directory.name.isdecimal() and (sysfs.read(directory / "comm") or "").startswith(("kworker/", "ksoftirqd/")):
      found[directory.name] = int((sysfs.read(directory / "schedstat") or "0").split()[0])
  return found


def kworkers_cpu_s(before, after):
  """Seconds between the two. Workers come and go: what one did that has ended since is not known, and it ends when it has had
  nothing to do for minutes."""
  return sum(ns - before.get(pid, 0) for pid, ns in after.items()) / NS_PER_S
