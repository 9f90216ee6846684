# SPDX-License-Identifier: GPL-3.0-or-later
"""The highest load for long: what a source does not tell it must say that it lost, and its memory stays what it was."""
import time

from .. import iostat, fio, memory, report, usage
from . import Outcome, load
from .watchers import Source, sources

WARM_UP_PART = 0.1  # of the time, until all tables have been touched that this load touches
SAMPLE_S = 1.0
PSS_GROWTH_AIM_KIB = 64


def missing(args):
  return load.missing(args)


def expected_s(args):
  return args.soak + load.TURN_S


def measure(args, tick):
  """The best source that works, or the first that was asked for."""
  watcher = Source(args.build_dir, (args.source or sources(args.build_dir))[0])
  samples = []

  def look(elapsed):
    tick()
    if elapsed >= (len(samples) + 1) * SAMPLE_S:
      samples.append(usage.pss_kib(watcher.pids()[0], "Pss_Anon"))

  with memory.MemoryDrive() as drive:
    reads = -iostat.counters(drive.device)["reads"]
    with watcher.watching(drive.name):
      begin = time.monotonic()
      result = fio.run("soak", load.options(drive.device, load.FULL, args.soak), during=look)
      seconds = time.monotonic() - begin
    reads += iostat.counters(drive.device)["reads"]
  return outcome(watcher.key, reads, result.iops, seconds, samples, watcher.seen())


def outcome(name, reads, iops, seconds, samples, seen):
  untold = max(reads - seen["completed_sectors"] * load.SECTOR_BYTES // load.READ_BYTES, 0)
  warm = samples[int(len(samples) * WARM_UP_PART):] or [0]
  figures = {"source": name, "iops": iops, "seconds": seconds, "reads": reads, "untold": untold, "unreported": max(untold - seen["lost"], 0),
             "pss_kib": [warm[0], max(warm), warm[-1]], "seen": seen}
  lines = [f"{name}, {seconds:.0f} s at {iops:.0f} requests/s: {reads} reads, {untold} of them not told, {seen['lost']} records told as lost; "
           f"PSS without files {warm[0]} KiB after a tenth of the time, {max(warm)} KiB at most, {warm[-1]} KiB at the end"]
  if seen.get("unseen"):
    lines.append(f"{seen['unseen']} of {seen['completed']} completions ({seen['unseen'] / seen['completed'] * 100:.3f} %) passed the programs by and were found out "
                 "later: they count, and have no latency")
  aims = [report.Aim(f"{name}, reads that are missing beyond those told as lost", figures["unreported"], 0, "", False),
          report.Aim(f"{name}, growth of PSS", max(warm) - warm[0], PSS_GROWTH_AIM_KIB, " KiB", False)]
  return Outcome(figures, aims, lines)
