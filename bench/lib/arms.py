# SPDX-License-Identifier: GPL-3.0-or-later
"""Alternatives that run in turn on one emulated drive, each from the same start: the frame of the seeds' benchmarks.

An arm has a name and run(emulated, runtime_s, seed, tick), which returns a dict of figures.
"""
import argparse
import random
import time
from pathlib import Path

from . import daemon, drive, progress, report, sysfs

# What a run takes beyond its runtime until we know: daemon, caches, fio's start and end.
OVERHEAD_S = 4
# briod watches an idle drive for a while before the load begins, as it would on a desktop.
SETTLE_S = 2.0


class Plain:
  """The scheduler as it comes."""

  def __init__(self, name, workload):
    self.name = name
    self.workload = workload

  def run(self, emulated, runtime_s, seed, tick):
    return self.workload(emulated.device, runtime_s, seed, lambda _: tick()).as_dict()


class Brio:
  """The scheduler with briod, which is started before the load and ended after it. Besides the workload's figures: when
  after the load's start a setting of the scheduler changed first, what each became, and whether all came back."""

  def __init__(self, name, workload, build_dir, drive_class):
    self.name = name
    self.workload = workload
    self.build_dir = build_dir
    self.drive_class = drive_class

  def options(self, emulated):
    others = (p.name for p in Path("/sys/block").iterdir() if p.name != emulated.name)
    excluded = [option for name in others for option in ("--exclude", name)]
    return ["--mode", "auto", "--include", f"{emulated.name}={self.drive_class}", *excluded]

  def run(self, emulated, runtime_s, seed, tick):
    before = settings(emulated)
    watch = SettingsWatch(emulated, before)

    def during(elapsed):
      watch.look(elapsed)
      tick()

    with daemon.Daemon(self.build_dir, self.options(emulated)) as briod:
      time.sleep(SETTLE_S)
      figures = self.workload(emulated.device, runtime_s, seed, during).as_dict()
      log = briod.log()
    return figures | {"onset_s": watch.first_s, "settings": watch.reached, "restored": settings(emulated) == before, "log": log}


def settings(emulated):
  """Everything below the queue directory of a drive that one can read."""
  directory = sysfs.queue(emulated.device)
  return {str(p.relative_to(directory)): sysfs.read(p) for p in sorted(directory.rglob("*")) if p.is_file()}


class SettingsWatch:
  """Looks at the scheduler's tunables; notes the first change and the last values that differ."""

  def __init__(self, emulated, before):
    self.directory = sysfs.queue(emulated.device)
    self.before = {k: v for k, v in before.items() if k.startswith("iosched/")}
    self.first_s = None
    self.reached = {}

  def look(self, elapsed):
    for key, old in self.before.items():
      new = sysfs.read(self.directory / key)
      if new is None or new == self.reached.get(key, old):
        continue
      self.reached[key] = new
      if self.first_s is None:
        self.first_s = elapsed


def positive(text):
  """For argparse: a whole number from 1."""
  value = int(text)
  if value < 1:
    raise argparse.ArgumentTypeError("must be at least 1")
  return value


def add_arguments(parser, name):
  parser.formatter_class = argparse.RawDescriptionHelpFormatter
  parser.add_argument("--runs", type=positive, default=3, help="of each arm (default: %(default)s)")
  parser.add_argument("--runtime", type=positive, default=20, metavar="S", help="of each run (default: %(default)s)")
  parser.add_argument("--seed", type=int, default=1, help="of the order and the offsets (default: %(default)s)")
  parser.add_argument("--build-dir", default=drive.ROOT / "build", type=Path)
  parser.add_argument("--output", type=Path, help=f"the figures as JSON (default: BUILD_DIR/bench-{name}.json)")
  parser.add_argument("--strict", action="store_true", help="exit 1 where an aim is missed")


def run(arms, model, scheduler, args):
  """Each arm args.runs times, in an order that is random and, by the seed, the same again. Equal rounds read equal
  offsets. Returns name → figures of each run."""
  order = [(i, arm) for i in range(args.runs) for arm in arms]
  random.Random(args.seed).shuffle(order)
  results = {arm.name: [] for arm in arms}
  line = progress.Progress(len(order), args.runtime + OVERHEAD_S)
  try:
    with drive.EmulatedDrive(model, scheduler, args.build_dir, seed=args.seed) as emulated:
      for i, arm in order:
        line.step(arm.name)
        emulated.reselect(scheduler)
        sysfs.drop_caches()
        results[arm.name].append(arm.run(emulated, args.runtime, args.seed + i, line.tick))
        line.finish_step()
  finally:
    line.close()
  return results


def print_table(results, base, columns, ratios):
  """columns: (heading, figure). ratios: (heading, figure, whether more is better), against the arm named base."""
  reference = report.summarise(results[base], [k for _, k in columns])
  rows = []
  for name, runs in results.items():
    median = report.summarise(runs, [k for _, k in columns])
    rows.append([name, *(median[k] for _, k in columns), *(gain(reference[k], median[k], more) for _, k, more in ratios)])
  print(report.table(["", *(h for h, _ in columns), *(h for h, _, _ in ratios)], rows))


def gain(base, value, more_is_better):
  """How many times better; 1 is the same."""
  return value / base if more_is_better else base / value
