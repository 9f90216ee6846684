# SPDX-License-Identifier: GPL-3.0-or-later
"""One start of the start-up benchmark, as it runs in a guest in virtual time."""
import argparse
import os
import platform
import random
import time
from pathlib import Path

from .. import alternatives, matrix, programs

# The fields of the first line of /proc/stat in which the processor has nothing to do.
IDLE_FIELDS = (3, 4)
# By how much the seed shifts the load's begin, and the program's: several turns of a disk, and of the schedulers' slices.
PHASE_S = 2.0
# Of each figure: seconds to 10 µs. One of six cells that ran twice differed by two nanoseconds, and why is not known.
DECIMALS = 5


class Watched:
  """A program whose start also tells how much of the time the processor was idle."""

  def __init__(self, program):
    self.program = program
    self.idle_share = None

  def start(self, *arguments):
    begin, idle = time.monotonic(), idle_s()
    started = self.program.start(*arguments)
    self.idle_share = min((idle_s() - idle) / (time.monotonic() - begin), 1.0)
    return started


def idle_s():
  ticks = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
  return sum(int(ticks[i]) for i in IDLE_FIELDS) / os.sysconf("SC_CLK_TCK")


def phases_s(seed):
  """What varies from one day to the next: before the load begins, and before the program does."""
  chosen = random.Random(seed)
  return chosen.uniform(0, PHASE_S), chosen.uniform(0, PHASE_S)


def rounded(value):
  """Every number in what is made of dictionaries."""
  if isinstance(value, dict):
    return {key: rounded(each) for key, each in value.items()}
  return round(value, DECIMALS) if isinstance(value, float) else value


def run(asked, emulated, fs, build_dir):
  """asked: drive, program, load, alternative, seed, lead_s, limit_s."""
  before_load_s, before_start_s = phases_s(asked["seed"])
  alternative = alternatives.ALL[asked["alternative"]]
  cell = matrix.Cell(asked["drive"], asked["program"], asked["load"], alternative.treatment(emulated.drive_class))
  args = argparse.Namespace(lead=asked["lead_s"] + before_start_s, build_dir=build_dir)
  with programs.ALL[cell.program]() as program:
    watched = Watched(program)
    time.sleep(before_load_s)
    record = matrix.run(matrix.Run(cell, asked["seed"], alternative), emulated, fs, alternatives.Queue(emulated), watched, asked["limit_s"], args, lambda *_: None)
  return rounded(record.as_dict() | {"idle_share": watched.idle_share, "kernel": platform.release()})
