# SPDX-License-Identifier: GPL-3.0-or-later
"""What it costs to watch the fastest drive there is: fio on a loop device over memory, watched by each in turn.

In each round every watcher has its turn, in random order, and between any two the drive is free for as long: what is lost counts
against the mean of the free time just before and just after. There is a turn without a watcher as well, which shows what is noise.
"""
import random
import statistics
import time

from .. import fio, iostat, memory, report, usage
from . import Outcome
from .watchers import Briod, Source, Watcher, WatchError, executable, peers, sources

JOBS, DEPTH = 4, 16
# All that the drive takes; and what is left of briod's own limit of 20 000 requests a second, for CPU at the same rate.
FULL, CAPPED_IOPS = "full", 16000
ROUNDS, QUICK_ROUNDS = 6, 2
CAPPED_EVERY = 3  # rounds
RUNTIME_S = 1  # short, so that a machine that others use too is much the same before, meanwhile and after
FREE_TURN_S, TURN_S = 0.5, 2.5  # what a turn takes beyond fio's runtime
REQUESTS = 100000
LOST_AIM_PERCENT, CPU_AIM_PERCENT = 1, 3
CAPPED_KEYS = ("none", "level-0", "briod")  # and the sources
SUMMING_SOURCE = "bpf"
AIMED_SOURCES = ("bpf-sums", "bpf")
READ_BYTES, SECTOR_BYTES = 4096, 512
HEADER = ["watched by", "IOPS", "lost %", "half of them", "own CPU %", "added CPU % / 100 000 IOPS", "half of them", "told %", "events lost"]
FIGURES = ("iops", "lost_percent", "cpu_percent", "cpu_us", "added_per_100k")
SPREAD = ("lost_percent", "added_per_100k")


def missing(args):
  program = executable(args.build_dir)
  return memory.missing() or fio.missing() or (None if program.exists() else f"{program} is not built")


def watchers(args):
  names = args.source or sources(args.build_dir)
  ours = [Watcher(), Briod(args.build_dir, False), Briod(args.build_dir, True), *(Source(args.build_dir, n) for n in names)]
  ours += [Source(args.build_dir, n, sums=True) for n in names if n == SUMMING_SOURCE]
  return ours + ([] if args.no_peers else peers())


def expected_s(args):
  """Watchers that are there, at both rates."""
  there = [w for w in watchers(args) if not w.missing()]
  turns = len(there) + sum(is_capped(w) for w in there) / CAPPED_EVERY
  return rounds(args) * (turns * (RUNTIME_S + TURN_S) + len(there) * (RUNTIME_S + FREE_TURN_S))


def rounds(args):
  return QUICK_ROUNDS if args.quick else ROUNDS


def is_capped(watcher):
  return watcher.key in CAPPED_KEYS or isinstance(watcher, Source)


def measure(args, tick):
  """Every watcher's turns at both rates. One that does not work here is left out, and why is told."""
  watching = watchers(args)
  reasons = {w.title: w.missing() for w in watching if w.missing()}
  turns = {FULL: {}, CAPPED_IOPS: {}}
  order = random.Random(args.random_seed)
  with memory.MemoryDrive() as drive:
    for number in range(rounds(args)):
      for rate in (FULL, CAPPED_IOPS) if number % CAPPED_EVERY == 0 else (FULL,):
        there = [w for w in watching if w.title not in reasons and (rate == FULL or is_capped(w))]
        free = run_fio(drive, rate, tick)
        for watcher in order.sample(there, len(there)):
          try:
            turn = take_turn(drive, watcher, rate, tick)
          except WatchError as e:
            reasons[watcher.title] = str(e)
            continue
          before, free = free, run_fio(drive, rate, tick)
          turns[rate].setdefault(watcher.key, []).append(turn | against(turn, before, free))
  # In their own order, and of those that failed in a later round what there is.
  ordered = {rate: {w.key: by_key[w.key] for w in watching if by_key.get(w.key)} for rate, by_key in turns.items()}
  return outcome(ordered, {w.key: w.title for w in watching}, reasons)


def options(device, rate, seconds):
  common = {"filename": device, "rw": "randread", "bs": "4k", "direct": 1, "ioengine": "libaio", "iodepth": DEPTH, "numjobs": JOBS,
            "norandommap": True, "readonly": True, "time_based": True, "runtime": seconds}
  return common | ({} if rate == FULL else {"rate_iops": rate // JOBS})


def run_fio(drive, rate, tick, watcher=None):
  """One second of it. cpu_us: of fio, the kernel's workers and the watcher for a read; what others take of the machine is none of it."""
  watcher = watcher or Watcher()
  reads, own_s = -iostat.counters(drive.device)["reads"], -cpu_of(watcher)
  workers, begin = usage.kworkers(), time.monotonic()
  result = fio.run("load", options(drive.device, rate, RUNTIME_S), during=lambda _: tick())
  seconds, workers_s = time.monotonic() - begin, usage.kworkers_cpu_s(workers, usage.kworkers())
  watcher.check()
  own_s = max(own_s + cpu_of(watcher), 0)
  reads += iostat.counters(drive.device)["reads"]
  return {"iops": result.iops, "reads": reads, "cpu_percent": own_s / seconds * 100, "cpu_us": (result.cpu_s + workers_s + own_s) / reads * 1e6}


def against(turn, before, after):
  """What it costs against the free time around: requests lost, and CPU for 100 000 a second, in per cent of one core."""
  iops, cpu_us = (statistics.mean((before[key], after[key])) for key in ("iops", "cpu_us"))
  return {"lost_percent": (1 - turn["iops"] / iops) * 100, "added_per_100k": (turn["cpu_us"] - cpu_us) / 1e6 * REQUESTS * 100}


def take_turn(drive, watcher, rate, tick):
  with watcher.watching(drive.name):
    turn = run_fio(drive, rate, tick, watcher)
  return turn | {"seen": watcher.seen()}


def cpu_of(watcher):
  """Seconds on a CPU of what watches so far; a process of a pipe that ends meanwhile does no harm."""
  total = 0.0
  for pid in watcher.pids():
    try:
      total += usage.cpu_s(usage.counters(pid))
    except FileNotFoundError:
      pass
  return total


def told(turns):
  """What part of the reads a source told, and how many events it said were lost; nothing of the others."""
  seen = [turn["seen"] for turn in turns]
  if not seen[0]:
    return ["", ""]
  sectors = sum(turn["reads"] for turn in turns) * READ_BYTES // SECTOR_BYTES
  return [f"{sum(s['completed_sectors'] for s in seen) / sectors * 100:.1f}", sum(s["lost"] for s in seen)]


def quartiles(turns, key):
  """Half of the turns lie between."""
  values = [turn[key] for turn in turns]
  return statistics.quantiles(values, n=4, method="inclusive")[::2] if len(values) > 1 else values * 2


def between(low_and_high):
  return "{:+.1f} … {:+.1f}".format(*low_and_high)


def outcome(turns, titles, reasons):
  figures, lines = {}, []
  for rate, by_key in turns.items():
    figures[str(rate)] = {key: report.summarise(by_round, FIGURES) | {f"{name}_quartiles": quartiles(by_round, name) for name in SPREAD} |
                          {"turns": by_round} for key, by_round in by_key.items()}
    rows = [[titles[key], f["iops"], f"{f['lost_percent']:+.1f}", between(f["lost_percent_quartiles"]), f["cpu_percent"],
             f"{f['added_per_100k']:+.1f}", between(f["added_per_100k_quartiles"]), *told(f["turns"])] for key, f in figures[str(rate)].items()]
    what = "as many as the drive takes" if rate == FULL else f"{rate} a second, where briod may watch"
    lines += [f"{JOBS} × {DEPTH} random reads of 4 KiB from a loop device over memory, {what}; {len(by_key['none'])} turns each:",
              report.table(HEADER, rows), ""]
  lines += ["Medians, and where half of the turns lie, against the free second before and after each. Turns without a watcher are measured in the same",
            "way: what is not beyond them is noise. Own CPU is what watches itself, of one core; added CPU is what fio, the kernel's workers and",
            "the watchers take more for 100 000 reads a second, of one core."]
  lines += [f"{title} is not measured: {reason}" for title, reason in reasons.items()]
  return Outcome(figures, aims(figures), lines)


def aims(figures):
  full = figures[FULL]
  found = []
  if "level-0" in full:
    found.append(report.Aim("level 0, requests lost", full["level-0"]["lost_percent"], LOST_AIM_PERCENT, " %", False))
  for name in AIMED_SOURCES:
    if name in full:
      found.append(report.Aim(f"{name}, requests lost", full[name]["lost_percent"], LOST_AIM_PERCENT, " %", False))
      found.append(report.Aim(f"{name}, CPU", full[name]["added_per_100k"], CPU_AIM_PERCENT, " % of a core per 100 000 IOPS", False))
  return found
