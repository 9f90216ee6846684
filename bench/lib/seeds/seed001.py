# SPDX-License-Identifier: GPL-3.0-or-later
"""Seed 001 (Zoccolo 2009): 32 processes that read at once, at random or each its own part of the drive in sequence.

The seed does not say how they read; here directly, 4 KiB at random and 64 KiB in sequence.
"""
from .. import drive, fio
from ..experiment import Experiment, Figure, Share, compared

READERS = 32
DISK_GIB = 32


def options_of(pattern, readers):
  if pattern == "random":
    return {"rw": "randread", "bs": "4k", "norandommap": True}
  share = f"{(DISK_GIB << 10) // readers}m"
  return {"rw": "read", "bs": "64k", "size": share, "offset_increment": share}


def workload(pattern, readers):
  def run(place, runtime_s, seed, during):
    options = {"filename": place.device, "direct": 1, "numjobs": readers, "runtime": runtime_s, "time_based": True, "readonly": True,
               "randseed": seed}
    result = fio.run("seed001", options | options_of(pattern, readers), during=during).as_dict()
    return result | {"kbps": result["mbps"] * 1e6 / 1024}
  return run


def figures(before=(None, None), after=(None, None)):
  """Each of them: KB/s, and the longest latency in ms."""
  return (
    Figure("kbps", "KB/s", True, before[0], after[0]),
    Figure("mean_ms", "mean ms", False),
    Figure("max_ms", "max ms", False, before[1], after[1]),
  )


def experiment(build_dir, quick, pattern, readers, own, aims):
  """own, aims: of the seed's number of readers; of any other it says nothing."""
  is_own = readers == READERS
  return Experiment(
    title=f"001 {readers} {pattern} readers", model=drive.USED["hdd"], size_bytes=DISK_GIB << 30, runtime_s=12 if quick else 20,
    arms=compared(workload(pattern, readers), "hdd", build_dir), figures=figures(*own) if is_own else figures(), aims=aims if is_own else (),
    missing=fio.missing(),
  )


def experiments(build_dir, quick, readers=READERS):
  longest, bandwidth = Share("max_ms", "longest latency", 25, False), Share("kbps", "bandwidth", 87, True)
  return [
    experiment(build_dir, quick, "random", readers, ((466, 7667), (477, 1728)), (longest,)),
    experiment(build_dir, quick, "sequential", readers, ((28093, 3781), (24393, 1115)), (longest, bandwidth)),
  ]
