# SPDX-License-Identifier: GPL-3.0-or-later
"""One start of the start-up benchmark, as it runs in a guest in virtual time."""
import argparse
import contextlib
import platform
import random
import time

from .. import alternatives, drive, loads, matrix, programs
from . import inside, processor

# By how much the seed shifts the load's begin, and the program's: several turns of a disk, and of the schedulers' slices.
PHASE_S = 2.0
# Of each figure: seconds to 10 µs. One of six cells that ran twice differed by two nanoseconds, and why is not known.
DECIMALS = 5


class Watched:
  """A program whose start also tells how much of the time the processor was idle."""

  def __init__(self, program):
    self.program = program
    self.idle = processor.IdleShare()

  def prepare(self, fs):
    self.program.prepare(fs)

  def start(self, *arguments):
    with self.idle:
      return self.program.start(*arguments)


def phases_s(seed):
  """What varies from one day to the next: before the load begins, and before the program does."""
  chosen = random.Random(seed)
  return chosen.uniform(0, PHASE_S), chosen.uniform(0, PHASE_S)


def rounded(value):
  """Every number in what is made of dictionaries and lists."""
  if isinstance(value, dict):
    return {key: rounded(each) for key, each in value.items()}
  if isinstance(value, list):
    return [rounded(each) for each in value]
  return round(value, DECIMALS) if isinstance(value, float) else value


def run(asked, emulated, fs, build_dir):
  """asked: drive, program, load, alternative, seed, lead_s, limit_s."""
  with below(asked, emulated, fs, build_dir) as (its_drive, its_fs):
    return run_on(asked, its_drive, its_fs, build_dir)


@contextlib.contextmanager
def below(asked, emulated, fs, build_dir):
  """The prepared drive and its file system, or others where the drive's name says that there is something else below."""
  if asked["drive"] not in matrix.BELOW:
    yield emulated, fs
    return
  make = loads.FILESYSTEMS[matrix.BELOW[asked["drive"]][1]]
  with drive.EmulatedDrive(matrix.model(asked["drive"]), "none", build_dir, seed=asked["seed"]) as own, \
       loads.make_filesystem(own, inside.CONTENT, make) as its_fs:
    yield own, its_fs


def run_on(asked, emulated, fs, build_dir):
  before_load_s, before_start_s = phases_s(asked["seed"])
  alternative = alternatives.ALL[asked["alternative"]]
  cell = matrix.Cell(asked["drive"], asked["program"], asked["load"], alternative.treatment(emulated.drive_class))
  args = argparse.Namespace(lead=asked["lead_s"] + before_start_s, build_dir=build_dir)
  with programs.ALL[cell.program]() as program:
    watched = Watched(program)
    time.sleep(before_load_s)
    record = matrix.run(matrix.Run(cell, asked["seed"], alternative), emulated, fs, alternatives.Queue(emulated), watched, asked["limit_s"], args, lambda *_: None)
  return rounded(record.as_dict() | {"idle_share": watched.idle.share, "kernel": platform.release()})
