# SPDX-License-Identifier: GPL-3.0-or-later
"""The start-up benchmark's matrix: drives × programs × loads × alternatives × rounds, and one run of it.

In a round every cell of a drive has one run, in random order; so what has been measured when somebody interrupts is
spread evenly, and a disturbance of the machine hits all alike.
"""
import contextlib
import random
import time
from dataclasses import asdict, dataclass

from . import alternatives, censored, drive, loads, sysfs

# Names for people, besides those of the models.
DRIVES = {"hdd": "hdd-7200", "ssd": "ssd-sata"}
# What a run takes besides the load's lead and the start: caches, daemons, the load's end.
OVERHEAD_S = 1.5
# Of a start that ends, before any has: for the time left.
TYPICAL_S = 6.0
TYPICAL_RAMP_S = 2.0


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
  onset.Onset; None where nothing had to be done for the start."""
  cell: Cell
  round: int
  seconds: float
  ended: bool
  read_mbps: float
  write_mbps: float
  scheduler: str
  settings: dict
  onset: dict | None = None

  def figure(self):
    return censored.Figure(self.seconds, self.ended)

  def as_dict(self):
    return asdict(self)


def model(name):
  return DRIVES.get(name, name)


def drive_class(name):
  _, parsed = drive.load_model(model(name))
  return parsed["model"]["class"]


def reference(name, program):
  """The cell that all others of that drive and program are compared with."""
  return Cell(name, program, "idle", alternatives.REFERENCE.treatment(drive_class(name)))


def cells(name, args):
  """Cells of a drive, each with the alternative that stands for its treatment. The idle drive is measured as the kernel
  leaves it, for reference, and with all alternatives where the loads name it."""
  found = {}
  for program in args.programs:
    for load in dict.fromkeys(("idle", *args.loads)):
      only_reference = load == "idle" and "idle" not in args.loads
      for alternative in (alternatives.REFERENCE,) if only_reference else map(alternatives.ALL.get, args.alternatives):
        cell = Cell(name, program, load, alternative.treatment(drive_class(name)))
        found.setdefault(cell, alternative)
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
  if one.cell.load == "idle":
    return OVERHEAD_S + min(TYPICAL_S, args.start_timeout)
  return OVERHEAD_S + TYPICAL_RAMP_S + args.lead + min(TYPICAL_S, args.start_timeout)


def run(one, emulated, fs, queue, program, args, tick):
  """One start, cold, lead_s after all of the load runs."""
  load_type = loads.ALL[one.cell.load]
  fs.forget()
  before = queue.reset(one.alternative.scheduler(emulated.drive_class))
  with one.alternative.applied(emulated, args.build_dir) as look, load_type(fs) as load:
    if load_type is not loads.Idle:
      wait(load.ramp_s + args.lead, tick)
    load.check()
    meter = loads.Meter(emulated.device)
    start = program.start(fs.path, args.start_timeout, tick, lambda: without_waiting(emulated, meter))
    rates = meter.rates(start.read_bytes)
    load.check()
    settings = queue.changed(before)
    onset = look(start) if look and start.ended else None
    return Record(one.cell, one.round, start.seconds, start.ended, rates.read_mbps, rates.write_mbps,
                  sysfs.scheduler(emulated.device), settings, onset and onset.as_dict())


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
