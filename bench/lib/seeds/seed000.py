# SPDX-License-Identifier: GPL-3.0-or-later
"""Seed 000 (Sekiyama 2013): hundreds of processes that each read 4 KiB at random once a second.

fio's line is the seed's own, but for the file: here it is the first 5 GiB of the raw drive, a 500 GB disk as then. So the arm
hardly moves and the disk serves about 450 such reads a second, as the seed's did.
"""
from .. import drive, fio
from ..experiment import Experiment, Figure, Share, ShareOfBest, compared

PROCESSES = 500
DISK_BYTES = 976773168 * 512  # a disk sold as 500 GB has so many sectors (IDEMA LBA1-03)
FIGURES = (
  Figure("iops", "IOPS", True, 314, 437),
  Figure("mean_ms", "mean ms", False, 541.3, 110.2),
  Figure("p99_ms", "p99 ms", False),
  Figure("max_ms", "max ms", False, 6494.9, 2837.2),
)
AIMS = (
  Share("mean_ms", "mean latency", 15, False),
  Share("max_ms", "longest latency", 16, False),
  Share("iops", "IOPS", 120, True),
  ShareOfBest("mean_ms", "mean latency", 105, False),
  ShareOfBest("p99_ms", "99th percentile", 105, False),
)


def workload(processes):
  def run(place, runtime_s, seed, during):
    # Nothing of the drive is in the cache, and 500 jobs that each drop it spread their begin over a second, or not, by chance.
    options = {"filename": place.device, "rw": "randread", "size": "5G", "runtime": runtime_s, "bs": "4k", "numjobs": processes,
               "thinktime": 1000000, "readonly": True, "randseed": seed, "invalidate": 0}
    return fio.run("file1", options, during=during).as_dict()
  return run


def experiments(build_dir, _quick, processes=PROCESSES):
  load = workload(processes)
  return [Experiment(
    title=f"000 {processes} small readers", model=drive.USED["hdd"], size_bytes=DISK_BYTES, runtime_s=15,
    arms=compared(load, "hdd", build_dir), figures=FIGURES, aims=AIMS, missing=fio.missing(), onset_aim_s=1.0,
  )]
