# SPDX-License-Identifier: GPL-3.0-or-later
"""The start-up benchmark's cells, each start in a guest in virtual time of its own. A round is a seed: in each cell the same."""
import sys

from .. import alternatives, loads, matrix, programs, progress, trees
from . import batch, machine, system, window

ERRORS = (machine.MachineError, system.GuestSystemError, window.WindowError, trees.TreeError)
# What guests have, and what of it is measured by default.
LOADS = list(loads.ALL)
ALTERNATIVES = [name for name, one in alternatives.ALL.items() if not isinstance(one, alternatives.WithTuned)]
# Six seeds are the fewest of which the range of starts is an interval of 95 % of the median.
DEFAULTS = {"drives": ["hdd", "sd-card"], "programs": ["python3"], "loads": ["readers", "readers-writers", "writers", "random-readers"],
            "alternatives": ["kernel", "fedora", "brio"], "runs": 6, "lead": 8.0, "start_timeout": 12.0}
QUICK = {"drives": ["hdd"], "loads": ["readers", "writers"], "runs": 2}
# Seconds of a processor that a run takes: to load the state, and for each second of the guest's with a load and without.
LOADING_S, LOADED_TIMES, IDLE_TIMES = 10.0, 2.0, 0.5
PREPARING_S = 60


def why_not(args):
  """Why what was asked for cannot be measured in virtual time, in one line; None where it can."""
  for what, known in (("loads", LOADS), ("alternatives", ALTERNATIVES)):
    for name in getattr(args, what):
      if name not in known:
        return f"'{name}' is not to be had in virtual time; {what} are {', '.join(known)}"
  return None


def missing(args):
  """Why no guest can run here, in one line; None where it can."""
  return system.missing(args.build_dir, args.debian) or next(filter(None, (alternatives.ALL[name].missing(args.build_dir) for name in args.alternatives)), None)


def plan(args):
  """All runs, seed by seed, so that an interrupted benchmark has whole rounds of them."""
  every = [(name, cell, one) for name in args.drives for cell, one in matrix.cells(name, args).items()]
  return [matrix.Run(cell, seed, one) for seed in range(args.random_seed, args.random_seed + args.runs) for _, cell, one in every]


def request(one, args):
  """What a guest is asked for; see start.run()."""
  return {"module": "start", "drive": one.cell.drive, "program": one.cell.program, "load": one.cell.load, "alternative": one.alternative.name,
          "seed": one.round, "detail": False, "lead_s": args.lead, "limit_s": args.start_timeout}


def record(told):
  """Of what a guest measured."""
  return matrix.Record(**{key: value for key, value in told.items() if key not in ("cell", "kernel")}, cell=matrix.Cell(**told["cell"]))


def expected_s(one, args):
  times = IDLE_TIMES if one.cell.load == loads.Idle.name else LOADED_TIMES
  return (LOADING_S + times * matrix.typical_s(one, args)) / machine.at_a_time()


def measure(args, records):
  """Appends a record for each run, in the order of the plan, also where this is interrupted, and tells args.kernel."""
  runs = plan(args)
  expected = [expected_s(one, args) for one in runs]
  print(f"{len(runs)} starts in virtual time, {machine.at_a_time()} at a time, about {sum(expected) / 60:.0f} minutes.{first_time(args)}", file=sys.stderr)
  places = states([(one.cell.drive, one.cell.program, machine.place_of(one.round)) for one in runs], args)
  jobs = [(*place, request(one, args)) for place, one in zip(places, runs)]
  labels = [f"{one.cell.drive}, {one.cell.program}, {loads.ALL[one.cell.load].title}, {one.alternative.title}, seed {one.round}" for one in runs]
  told = {}
  try:
    batch.run(jobs, labels, expected, args, told)
  finally:
    args.kernel = next((each["kernel"] for each in told.values()), None)
    records += [record(told[i]) for i in sorted(told)]


def first_time(args):
  """What has to be made first, and comes from elsewhere."""
  if all(system.is_made(args.build_dir, getattr(args, "debian", None), programs.ALL[name].of_debian) for name in args.programs):
    return ""
  return " First, once, Debian's packages are fetched from the network for the guests' system: a minute or a few."


def states(runs, args):
  """Of each run, which is a drive, a program and which of the drives of a model: as of prepared()."""
  keys = [(name, programs.ALL[program].of_debian, place) for name, program, place in runs]
  made = {key: prepared(args=args, name=key[0], graphical=key[1], place=key[2]) for key in dict.fromkeys(keys)}
  return [made[key] for key in keys]


def prepared(name, args, graphical=False, place=0):
  """The directories of a drive's saved state and of the guest's system. Once a minute or two, longer where Debian's packages are fetched."""
  line = progress.Progress(1, PREPARING_S)
  line.step(f"a {'graphical ' if graphical else ''}guest with a drive {matrix.model(name)}, the {place + 1}. of {machine.PLACES}, unless it is there already")
  try:
    return machine.prepared(matrix.model(name), args.build_dir, line.tick, getattr(args, "debian", None), place, graphical)
  finally:
    line.close()
