# SPDX-License-Identifier: GPL-3.0-or-later
"""Seed 002 (Axboe and Chinner 2016): files created in parallel on XFS, whose writeback is throttled or not, and one reader.

The thread's figures are means of iostat's columns, of a virtual disk with 128 requests while many processes create files, with and without
throttling; XFS has 32 allocation groups, so that each process works in its own. Here the drive is a hard disk, where it matters
most which process comes first, and the reader is ours: 4 KiB at random from one file, 50 times a second where it can.
"""
import contextlib
import re
import statistics
import subprocess

from .. import arms, drive, filesystem, fio, iostat, process
from ..experiment import Experiment, Figure, WorkloadError, Share

PROCESSES = 8
CREATED = {"-D": 1000, "-n": 250, "-s": 65536, "-L": 1000000}  # subdirectories, files of a round, their size, rounds
READ_FILE = "read"
READ_FILE_BYTES = 1 << 30
CHUNK_BYTES = 1 << 20
THINK_TIME_US = 20000
SAMPLE_S = 5      # the thread's
SAMPLES_MIN = 8   # a short run has shorter ones
MEANS = {"write_mibps": "wMB/s", "w_await_ms": "w_await", "depth": "avgqu-sz"}  # figure → column


@contextlib.contextmanager
def enter_place(emulated):
  with filesystem.Xfs(emulated, ("-d", "agcount=32")) as xfs:
    with emulated.at_once():
      with open(xfs.path / READ_FILE, "wb") as file:
        for _ in range(READ_FILE_BYTES // CHUNK_BYTES):
          file.write(bytes(CHUNK_BYTES))
    for i in range(PROCESSES):
      (xfs.path / f"d{i}").mkdir()
    xfs.settle()
    yield arms.Place(emulated, xfs)


def creators():
  """fs_mark, without syncs, one process a directory; it prints each round's line when it is over."""
  options = [str(part) for pair in CREATED.items() for part in pair]
  directories = [part for i in range(PROCESSES) for part in ("-d", f"d{i}")]
  return ["stdbuf", "-oL", "fs_mark", "-S0", *options, *directories]


def created(text):
  """How many files fs_mark has made: the second column of its last line (disk use, count, size, files/s, overhead)."""
  counts = re.findall(r"^\s*\d+\s+(\d+)\s+\d+\s+[\d.]+\s+\d+\s*$", text, re.MULTILINE)
  return int(counts[-1]) if counts else 0


def workload(place, runtime_s, seed, during):
  reader = {"filename": place.directory / READ_FILE, "rw": "randread", "bs": "4k", "direct": 1, "thinktime": THINK_TIME_US,
            "runtime": runtime_s, "time_based": True, "readonly": True, "randseed": seed}
  sampler = iostat.Sampler(place.device, min(SAMPLE_S, runtime_s / SAMPLES_MIN))

  def look(elapsed):
    sampler.look(elapsed)
    during(elapsed)

  with process.Process(creators(), cwd=place.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as flood:
    result = fio.run("reader", reader, during=look).as_dict()
    if flood.popen.poll() is not None:
      raise WorkloadError(f"fs_mark ended by itself: {process.last_line(flood.text('stderr'))}")
    files = created(flood.text("stdout"))
  means = {key: statistics.mean(row[column] for row in sampler.rows) for key, column in MEANS.items()}
  return result | means | {"creates_per_s": files / runtime_s}


def make_arms(build_dir):
  """Brio starts from what Fedora's rule and its own policy choose for a disk, under which the kernel does not throttle; bfq alone beside it says what is
  bfq's doing."""
  return (
    arms.Plain("mq-deadline, unthrottled", workload, "mq-deadline", {arms.THROTTLING: arms.UNTHROTTLED_US}),
    arms.Plain("mq-deadline, throttled", workload, "mq-deadline"),
    arms.Plain("bfq", workload),
    arms.Brio("bfq + Brio", workload, build_dir, "hdd"),
  )


def missing():
  return fio.missing() or filesystem.missing(("mkfs.xfs", "xfsprogs"), ("fs_mark", "fsmark"))


def experiments(build_dir, quick):
  return [Experiment(
    title="002 write flood on XFS", model=drive.USED["hdd"], runtime_s=16 if quick else 60,
    arms=make_arms(build_dir),
    figures=(
      Figure("mean_ms", "reader's mean ms", False),
      Figure("max_ms", "reader's max ms", False),
      Figure("write_mibps", "wMB/s", True, 137.6, 94.8),
      Figure("w_await_ms", "w_await ms", False, 176.5, 37.0),
      Figure("depth", "avgqu-sz", False, 51.1, 11.8),
      Figure("creates_per_s", "files/s", True),
    ),
    aims=(Share("mean_ms", "mean read latency", 20, False), Share("write_mibps", "write rate", 90, True)),
    enter_place=enter_place, missing=missing(),
  )]
