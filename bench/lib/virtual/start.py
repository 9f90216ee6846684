# SPDX-License-Identifier: GPL-3.0-or-later
"""One start of the start-up benchmark, as it runs in a guest in virtual time."""
import argparse
import contextlib
import os
import platform
import random
import subprocess
import time
from dataclasses import asdict

from .. import alternatives, drive, loads, matrix, programs
from . import inside, processor, traced, without

# By how much the seed shifts the load's begin, and the program's: several turns of a disk, and of the schedulers' slices.
PHASE_S = 2.0


# As ionice(1) takes them.
PRIORITIES = {f"{name}/{level}": ("-c", number, "-n", str(level)) for name, number in (("RT", "1"), ("BE", "2")) for level in range(8)}


class Watched:
  """A program whose start also tells how much of the time the processor was idle. priority: of PRIORITIES, its I/O priority; None: that of others."""

  def __init__(self, program, priority=None):
    self.program = program
    self.priority = priority
    self.idle = processor.IdleShare()
    self.started = None

  def prepare(self, fs):
    self.program.prepare(fs)

  def start(self, *arguments):
    if self.priority:  # ours is inherited
      subprocess.run(["ionice", *PRIORITIES[self.priority], "-p", str(os.getpid())], check=True)
    with self.idle:
      self.started = self.program.start(*arguments)
    return self.started


def phases_s(seed):
  """What varies from one day to the next: before the load begins, and before the program does."""
  chosen = random.Random(seed)
  return chosen.uniform(0, PHASE_S), chosen.uniform(0, PHASE_S)


def run(asked, emulated, fs, build_dir):
  """asked: drive, program, load, alternative, seed, lead_s, limit_s; detail, where bfq's messages are wanted in the log, and where the program sleeps;
  priority, where the program has one; off, where some laws do nothing: the sections of the policies. What the log tells is traced in each run: one
  without a trace would be another."""
  if "off" in asked:
    without.drop_in(asked["off"])
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
  log = {}
  with contextlib.ExitStack() as stack:
    watched = Watched(stack.enter_context(programs.ALL[cell.program]()), asked.get("priority"))
    trace = stack.enter_context(traced.Trace(emulated, asked.get("detail")))
    sleeps = stack.enter_context(traced.Sleeps(cell.program)) if asked.get("detail") else None

    def figures(record):
      return record.as_dict() | {"idle_share": watched.idle.share, "kernel": platform.release()}

    def look(record):
      log.update(decisions=alternative.decisions())
      inside.tell_figures(figures(record))
      log.update(start=asdict(watched.started), clock_ahead_s=time.time() - time.monotonic(), processes=traced.names(), trace=trace.text(),
                 sleeps=sleeps.text() if sleeps else "")

    processor.serve_drives_first()
    time.sleep(before_load_s)
    record = matrix.run(matrix.Run(cell, asked["seed"], alternative), emulated, fs, alternatives.Queue(emulated), watched, asked["limit_s"], args,
                        lambda *_: None, look)
  return figures(record) | {"log": log}
