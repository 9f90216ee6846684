# SPDX-License-Identifier: GPL-3.0-or-later
"""The saved states that runs go on from: which of them a run needs, made where they are not there yet."""
from .. import matrix, progress, trees
from . import machine, system

PREPARING_S = 60


def first_time(runs, args):
  """What has to be made first, and comes from elsewhere. runs: of batch.Run."""
  if all(system.is_made(args.build_dir, args.debian, graphical) for graphical in {one.graphical for one in runs}):
    return ""
  return " First, once, Debian's packages are fetched from the network for the guests' system: a minute or a few."


def states(runs, args):
  """Of each run, by its drive, kind of program and seed: as of prepared()."""
  trees.cleanup(args.build_dir)
  keys = [(matrix.model(one.drive), one.graphical, machine.place_of(one.request["seed"])) for one in runs]
  made = {key: prepared(*key, args) for key in dict.fromkeys(keys)}
  return [made[key] for key in keys]


def prepared(model, graphical, place, args):
  """The directories of a drive's saved state and of the guest's system. Once a minute or two, longer where Debian's packages are fetched."""
  line = progress.Progress(1, PREPARING_S)
  what = f"made once: a {'graphical ' if graphical else ''}guest with a drive {model}, the {place + 1}. of {machine.PLACES}"
  try:
    return machine.prepared(model, args.build_dir, lambda: line.step(what), line.tick, release=args.debian, place=place, graphical=graphical)
  finally:
    line.close()
