# SPDX-License-Identifier: GPL-3.0-or-later
"""What it costs to watch the fastest drive there is: fio on a loop device over memory, watched by each in turn.

In each round every watcher has its turn, in random order; what is lost counts against the turn of that round that nobody watches.
"""
import random
import time

from .. import fio, iostat, memory, report, usage
from . import Outcome
from .watchers import Briod, Source, Watcher, WatchError, executable, peers, sources

JOBS, DEPTH = 4, 16
# All that the drive takes; and what is left of briod's own limit of 20 000 requests a second, for CPU at the same rate.
FULL, CAPPED_IOPS = "full", 16000
ROUNDS, QUICK_ROUNDS = 4, 2
CAPPED_EVERY = 2  # rounds
RUNTIME_S, QUICK_RUNTIME_S = 3, 2
TURN_S = 2.5  # what a turn takes beyond fio's runtime
REQUESTS = 100000
LOST_AIM_PERCENT, CPU_AIM_PERCENT = 1, 3
CAPPED_KEYS = ("none", "level-0", "briod")  # and the sources
AIMED_SOURCE = "bpf"
READ_BYTES, SECTOR_BYTES = 4096, 512
HEADER = ["watched by", "IOPS", "lost %", "CPU %", "/ 100 000 IOPS", "machine µs", "told %", "events lost"]
FIGURES = ("iops", "lost_percent", "cpu_percent", "cpu_per_100k", "machine_us")


def missing(args):
  program = executable(args.build_dir)
  return memory.missing() or fio.missing() or (None if program.exists() else f"{program} is not built")


def watchers(args):
  names = args.source or sources(args.build_dir)
  ours = [Watcher(), Briod(args.build_dir, False), Briod(args.build_dir, True), *(Source(args.build_dir, n) for n in names)]
  return ours + ([] if args.no_peers else peers())


def runtime_s(args):
  return QUICK_RUNTIME_S if args.quick else RUNTIME_S


def expected_s(args):
  """Watchers that are there, at both rates."""
  everybody = [w for w in watchers(args) if not w.missing()]
  turns = len(everybody) + sum(is_capped(w) for w in everybody) / CAPPED_EVERY
  return turns * rounds(args) * (runtime_s(args) + TURN_S)


def rounds(args):
  return QUICK_ROUNDS if args.quick else ROUNDS


def is_capped(watcher):
  return watcher.key in CAPPED_KEYS or isinstance(watcher, Source)


def measure(args, tick):
  """Every watcher's turns at both rates. One that does not work here is left out, and why is told."""
  everybody = watchers(args)
  reasons = {w.title: w.missing() for w in everybody if w.missing()}
  turns = {FULL: {}, CAPPED_IOPS: {}}
  order = random.Random(args.random_seed)
  with memory.MemoryDrive() as drive:
    for number in range(rounds(args)):
      for rate in (FULL, CAPPED_IOPS) if number % CAPPED_EVERY == 0 else (FULL,):
        there = [w for w in everybody if w.title not in reasons and (rate == FULL or is_capped(w))]
        for watcher in order.sample(there, len(there)):
          try:
            turns[rate].setdefault(watcher.key, []).append(take_turn(drive, watcher, rate, args, tick))
          except WatchError as e:
            reasons[watcher.title] = str(e)
  # In their own order, and of those that failed in a later round what there is.
  ordered = {rate: {w.key: by_key[w.key] for w in everybody if by_key.get(w.key)} for rate, by_key in turns.items()}
  return outcome(ordered, {w.key: w.title for w in everybody}, reasons)


def options(device, rate, seconds):
  common = {"filename": device, "rw": "randread", "bs": "4k", "direct": 1, "ioengine": "libaio", "iodepth": DEPTH, "numjobs": JOBS,
            "norandommap": True, "readonly": True, "time_based": True, "runtime": seconds}
  return common | ({} if rate == FULL else {"rate_iops": rate // JOBS})


def take_turn(drive, watcher, rate, args, tick):
  reads = -iostat.counters(drive.device)["reads"]
  with watcher.watching(drive.name):
    cpu_s, busy_s, begin = -cpu_of(watcher), -usage.machine_busy_s(), time.monotonic()
    result = fio.run("load", options(drive.device, rate, runtime_s(args)), during=lambda _: tick())
    seconds, busy_s = time.monotonic() - begin, busy_s + usage.machine_busy_s()
    watcher.check()
    cpu_s = max(cpu_s + cpu_of(watcher), 0)
  reads += iostat.counters(drive.device)["reads"]
  return {"iops": result.iops, "reads": reads, "cpu_percent": cpu_s / seconds * 100, "cpu_per_100k": cpu_s / reads * REQUESTS * 100,
          "machine_us": busy_s / reads * 1e6, "seen": watcher.seen()}


def cpu_of(watcher):
  """Seconds on a CPU of what watches so far; a process of a pipe that ends meanwhile does no harm."""
  total = 0.0
  for pid in watcher.pids():
    try:
      total += usage.cpu_s(usage.counters(pid))
    except FileNotFoundError:
      pass
  return total


def against_nobody(by_key):
  """Adds to each turn what part of the round's free turn it lost."""
  for by_round in by_key.values():
    for turn, free in zip(by_round, by_key["none"]):
      turn["lost_percent"] = (1 - turn["iops"] / free["iops"]) * 100


def told(turns):
  """What part of the reads a source told, and how many events it said were lost; nothing of the others."""
  seen = [turn["seen"] for turn in turns]
  if not seen[0]:
    return ["", ""]
  sectors = sum(turn["reads"] for turn in turns) * READ_BYTES // SECTOR_BYTES
  return [f"{sum(s['completed_sectors'] for s in seen) / sectors * 100:.1f}", sum(s["lost"] for s in seen)]


def spread_percent(turns):
  """How far the free turns lie apart: less than that of the requests lost is no finding."""
  free = sorted(turn["iops"] for turn in turns)
  return (free[-1] - free[0]) / free[len(free) // 2] * 100


def outcome(turns, titles, reasons):
  figures, lines = {}, []
  for rate, by_key in turns.items():
    against_nobody(by_key)
    figures[str(rate)] = {key: report.summarise(by_round, FIGURES) | {"turns": by_round} for key, by_round in by_key.items()}
    rows = [[titles[key], f["iops"], f"{f['lost_percent']:+.1f}", f["cpu_percent"], f["cpu_per_100k"], f["machine_us"], *told(f["turns"])]
            for key, f in figures[str(rate)].items()]
    what = "as many as the drive takes" if rate == FULL else f"{rate} a second, where briod may watch"
    lines += [f"{JOBS} × {DEPTH} random reads of 4 KiB from a loop device over memory, {what}:", report.table(HEADER, rows),
              f"The turns of nobody lie {spread_percent(by_key['none']):.0f} % apart: less than that of requests lost is no finding.", ""]
  lines += ["CPU % is what watches itself, of one core, and for each 100 000 IOPS; machine µs is all CPUs' time for a read, whoever uses it."]
  lines += [f"{title} is not measured: {reason}" for title, reason in reasons.items()]
  return Outcome(figures, aims(figures), lines)


def aims(figures):
  full = figures[FULL]
  found = []
  if "level-0" in full:
    found.append(report.Aim("level 0, requests lost", full["level-0"]["lost_percent"], LOST_AIM_PERCENT, " %", False))
  if AIMED_SOURCE in full:
    found.append(report.Aim(f"{AIMED_SOURCE}, requests lost", full[AIMED_SOURCE]["lost_percent"], LOST_AIM_PERCENT, " %", False))
    found.append(report.Aim(f"{AIMED_SOURCE}, CPU", full[AIMED_SOURCE]["cpu_per_100k"], CPU_AIM_PERCENT, " % of a core per 100 000 IOPS", False))
  return found
