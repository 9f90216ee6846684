# SPDX-License-Identifier: GPL-3.0-or-later
"""Seed 002 (Axboe and Chinner 2016): files created in parallel on XFS, whose writeback is throttled or not, and one reader.

The thread's table is iostat's of a virtual disk with 128 requests while many processes create files, with and without
throttling; XFS has 32 allocation groups, so that each process works in its own. Here the drive is a hard disk, where it matters
most which process comes first, and the reader is ours: 4 KiB at random from one file, 50 times a second where it can.
"""
import contextlib
import re
import statistics
import subprocess

from .. import arms, drive, filesystem, fio, iostat, process, report
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
# The thread's tables: column → mean, median, 90th percentile, maximum of 41 rows without and 21 with throttling.
THREAD = {
  "thread, unthrottled": {
    "rrqm/s": (0, 0, 0, 0), "wrqm/s": (7451.93, 7394, 12723.2, 20443), "r/s": (11.47, 6.2, 22.4, 35.2),
    "w/s": (375.78, 410.4, 529.6, 670.2), "rMB/s": (0.04, 0.05, 0.05, 0.1), "wMB/s": (137.62, 128.32, 201.94, 269.89),
    "avgrq-sz": (750.27, 714.7, 900.38, 1657.12), "avgqu-sz": (51.08, 39.91, 119.17, 126.8), "await": (176.24, 92.21, 488.66, 813.6),
    "r_await": (136.22, 35.71, 486.58, 707.25), "w_await": (176.52, 92.12, 492.33, 813.6), "svctm": (2.05, 1.53, 4.21, 6.1),
    "%util": (65.36, 66.24, 97.6, 100),
  },
  "thread, throttled": {
    "rrqm/s": (0, 0, 0, 0), "wrqm/s": (4849.54, 5143.4, 11100.4, 14134.2), "r/s": (8.04, 3, 22.4, 24.8),
    "w/s": (456.64, 291.6, 822.8, 1555), "rMB/s": (0.02, 0.02, 0.05, 0.06), "wMB/s": (94.79, 104.33, 125.91, 191.26),
    "avgrq-sz": (567.03, 706.55, 823.85, 957.05), "avgqu-sz": (11.82, 11.61, 19.17, 19.35), "await": (41.24, 32.91, 80.46, 151.47),
    "r_await": (140.32, 73.07, 267.02, 514), "w_await": (36.96, 30.92, 71.37, 110.32), "svctm": (2.68, 2.09, 4.59, 8.79),
    "%util": (84.72, 99.52, 100, 100.24),
  },
}


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
  return result | means | {"samples": sampler.rows, "creates_per_s": files / runtime_s}


def make_arms(build_dir):
  """Brio starts from what Fedora's rule and its own policy choose for a disk, under which the kernel does not throttle; bfq alone beside it says what is
  bfq's doing."""
  return (
    arms.Plain("mq-deadline, unthrottled", workload, "mq-deadline", {arms.THROTTLING: arms.UNTHROTTLED_US}),
    arms.Plain("mq-deadline, throttled", workload, "mq-deadline"),
    arms.Plain("bfq", workload),
    arms.Brio("bfq + Brio", workload, build_dir, "hdd"),
  )


def tables(results):
  """Each column's mean / median / p90 / maximum over the samples, beside the thread's."""
  sources = dict(THREAD)
  for name, runs in results.items():
    rows = [row for run in runs for row in run["samples"]]
    sources[name] = {column: iostat.spread([row[column] for row in rows]) for column in iostat.COLUMNS}
  body = [[column, *(" / ".join(map(report.number, figures[column])) for figures in sources.values())] for column in iostat.COLUMNS]
  return "iostat's columns, mean / median / p90 / max of the samples:\n" + report.table(["", *sources], body)


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
    enter_place=enter_place, missing=missing(), tables=tables,
  )]
