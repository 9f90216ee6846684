# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of one arm of a comparing benchmark, as it runs in a guest in virtual time."""
import argparse
import contextlib
import importlib
import platform
import time

from .. import arms, drive, others
from . import processor, start

IDLE = "idle_percent"  # of the processor; the figure's key


# Of a command line, where it does not matter for a run.
ANY = {"real": False, "quick": True, "runtime": None}


def described(asked, build_dir):
  """The experiment and its arm: in the guest the same as on the host."""
  args = argparse.Namespace(**ANY | asked["arguments"], build_dir=build_dir)
  every = importlib.import_module(f"lib.{asked['benchmark']}").experiments(args)
  experiment = others.added(next(each for each in every if each.title == asked["experiment"]), asked["arguments"].get("against", ()), build_dir)
  return experiment, next(each for each in experiment.arms if each.name == asked["arm"])


def run(asked, emulated, fs, build_dir):
  """asked: benchmark, arguments (of its command line: those that this run depends on), experiment (its title), arm (its name), runtime_s, seed."""
  experiment, arm = described(asked, build_dir)
  idle = processor.IdleShare()
  arm.workload = watched(arm.workload, idle)
  before_load_s, _ = start.phases_s(asked["seed"])
  with place_of(experiment, emulated, fs, asked["seed"], build_dir) as (its_drive, enter):
    processor.serve_drives_first()
    time.sleep(before_load_s)
    figures = arms.run_once(arm, its_drive, enter, asked["runtime_s"], asked["seed"], lambda: None)
  return figures | {IDLE: 100 * idle.share, "seed": asked["seed"], "kernel": platform.release()}


@contextlib.contextmanager
def place_of(experiment, emulated, fs, seed, build_dir):
  """The prepared drive with its file system, or a drive like it that is as the experiment wants it. With what makes an arms.Place of it."""
  if experiment.shared_place:
    fs.forget()
    yield emulated, lambda _: contextlib.nullcontext(arms.Place(emulated, fs))
    return
  with drive.EmulatedDrive(experiment.model, "none", build_dir, size=experiment.size_bytes, seed=seed) as own:
    yield own, experiment.enter_place


def watched(workload, idle):
  def run(*arguments, **named):
    with idle:
      return workload(*arguments, **named)
  return run
