# SPDX-License-Identifier: GPL-3.0-or-later
"""The start-up benchmark's matrix: drives × programs × loads × alternatives × rounds, and one run of it.

In a round every cell of a drive has one run, in random order; so what has been measured at an interrupt is
spread evenly, and a disturbance of the machine hits all alike.
"""
import contextlib
import functools
import random
import time
from dataclasses import asdict, dataclass

from . import alternatives, censored, drive, loads, sysfs

# Drives with another file system, or something between it and them: name → (the drive's, of loads.FILESYSTEMS). In virtual time alone.
BELOW = {f"{name}-{below}": (name, below) for name in drive.USED for below in loads.FILESYSTEMS}
# What a run takes besides the load's lead and the start: caches, daemons, the load's end.
OVERHEAD_S = 1.0
# Of a start from the idle drive, before there was any, for the estimate; and how many times that it takes beside a load, with bfq and without.
TYPICAL_S = {"hdd": {"python3": 2.2, "libreoffice": 6.0, "gtk4": 5.0}, "ssd": {"python3": 0.4, "libreoffice": 2.0, "gtk4": 2.0}}
TYPICAL_ELSEWHERE_S = 3.0
TYPICAL_TIMES, TYPICAL_TIMES_WITHOUT_BFQ = 1.5, 5.0
TYPICAL_RAMP_S = 0.5


@dataclass(frozen=True)
class Cell:
  drive: str
  program: str
  load: str
  treatment: str


@dataclass(frozen=True)
class Run:
  cell: Cell
  round: int
  alternative: object


@dataclass
class Record:
  """What one run showed. scheduler: that was active at its end. settings: those of the drive's queue that had changed by then. onset: as
  onset.Onset; None where nothing had to be done for the start. idle_share: of the processor meanwhile; told in virtual time alone."""
  cell: Cell
  round: int
  seconds: float
  ended: bool
  read_mbps: float
  write_mbps: float
  scheduler: str
  settings: dict
  onset: dict | None = None
  idle_share: float | None = None

  def figure(self):
    return censored.Figure(self.seconds, self.ended)

  def as_dict(self):
    return asdict(self)


def drives():
  """Their names: those that are used, those with something else below the file system, and models."""
  return [*drive.USED, *BELOW, *drive.model_names()]


def model(name):
  name, _ = BELOW.get(name, (name, None))
  return drive.USED.get(name, name)


@functools.cache
def drive_class(name):
  _, parsed = drive.load_model(model(name))
  return parsed["model"]["class"]


def reference(name, program):
  """The cell that all others of that drive and program are compared with."""
  return Cell(name, program, "idle", alternatives.REFERENCE.treatment(drive_class(name)))


def every(program_names, load_names, alternative_names):
  """All combinations: (program, load, alternatives)."""
  return [(program, load, alternative_names) for program in program_names for load in load_names]


def cells(name, args):
  """Cells of a drive, by args.groups, each with the alternative that stands for its treatment. The idle drive is measured as the
  kernel leaves it, for reference, and with alternatives where the groups name it."""
  named = {program for program, load, _ in args.groups if load == "idle"}
  found = {reference(name, program): alternatives.REFERENCE for program, _, _ in args.groups if program not in named}
  for program, load, names in args.groups:
    for alternative in map(alternatives.ALL.get, names):
      found.setdefault(Cell(name, program, load, alternative.treatment(drive_class(name))), alternative)
  return found


def plan(name, args):
  """All runs on a drive, round by round. The same seed gives the same order."""
  order = []
  for number in range(args.runs):
    of_round = [Run(cell, number, alternative) for cell, alternative in cells(name, args).items()]
    random.Random(f"{args.random_seed} {name} {number}").shuffle(of_round)
    order += of_round
  return order


def typical_s(one, args):
  """About how long a run takes, before any was seen."""
  start = TYPICAL_S.get(one.cell.drive, {}).get(one.cell.program, TYPICAL_ELSEWHERE_S)
  if one.cell.load == "idle":
    return OVERHEAD_S + one.alternative.settle_s + start
  times = TYPICAL_TIMES if one.cell.treatment in ("bfq", alternatives.Brio.name) else TYPICAL_TIMES_WITHOUT_BFQ
  return OVERHEAD_S + one.alternative.settle_s + TYPICAL_RAMP_S + args.lead + min(start * times, args.start_timeout)


def run(one, emulated, fs, queue, program, limit_s, args, tick, at_end=None):
  """One start, cold, args.lead seconds after all of the load runs; it is given up after limit_s. at_end(record) is called once all is measured,
  while the load still runs."""
  load_type = loads.ALL[one.cell.load]
  fs.forget()
  program.prepare(fs)
  before = queue.reset(one.alternative.scheduler(emulated.drive_class))
  with one.alternative.applied(emulated, args.build_dir) as look, load_type(fs, one.round) as load:
    if load_type is not loads.Idle:
      wait(load.ramp_s + args.lead, tick)
    load.check()
    meter = loads.Meter(emulated.device)
    start = program.start(fs.path, limit_s, tick, lambda: without_waiting(emulated, meter))
    rates = meter.rates(start.read_bytes)
    load.check()
    settings = queue.changed(before)
    onset = look(start) if look and start.ended else None
    record = Record(one.cell, one.round, start.seconds, start.ended, rates.read_mbps, rates.write_mbps,
                    sysfs.scheduler(emulated.device), settings, onset and onset.as_dict())
    if at_end:
      at_end(record)
    return record


@contextlib.contextmanager
def without_waiting(emulated, meter):
  """A program that is late may be in a read that no signal ends, and beside a busy drive without a scheduler for a minute."""
  meter.stop()
  with emulated.at_once():
    yield


def wait(seconds, tick):
  end = time.monotonic() + seconds
  while time.monotonic() < end:
    tick()
    time.sleep(0.05)
