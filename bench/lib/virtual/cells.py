# SPDX-License-Identifier: GPL-3.0-or-later
"""The start-up benchmark's cells, each start in a guest in virtual time of its own. A round is a seed: in each cell the same."""
from .. import alternatives, loads, matrix, programs, trees
from . import batch, machine, system, window

ERRORS = (machine.MachineError, system.GuestSystemError, window.WindowError, trees.TreeError)
# What guests have, and what is measured by default.
ALTERNATIVES = [name for name, one in alternatives.ALL.items() if not isinstance(one, alternatives.WithTuned)]
# Six seeds are the fewest of which the range of starts is an interval of 95 % of the median.
DEFAULTS = {"drives": ["hdd", "sd-card"], "programs": ["python3"], "loads": ["readers", "readers-writers", "writers", "random-readers"],
            "alternatives": ["kernel", "fedora", "brio"], "runs": 6, "lead": 8.0, "start_timeout": 12.0}
QUICK = {"drives": ["hdd"], "loads": ["readers", "writers"], "runs": 2}


def missing(args):
  """Why no guest can run here, in one line; None where it can."""
  return system.missing(args.build_dir, args.debian) or next(filter(None, (alternatives.ALL[name].missing(args.build_dir) for name in args.alternatives)), None)


def plan(args):
  """All runs, seed by seed, so that an interrupted benchmark has whole rounds of them."""
  every = [(name, cell, one) for name in args.drives for cell, one in matrix.cells(name, args).items()]
  return [matrix.Run(cell, seed, one) for seed in range(args.random_seed, args.random_seed + args.runs) for _, cell, one in every]


def request(cell, alternative, seed, lead_s, limit_s, off=()):
  """What a guest is asked for, whichever benchmark wants it measured; see start.run(). cell: drive, program and load, by their names. off: sections of
  the policies whose laws do nothing."""
  drive, program, load = cell
  asked = {"module": "start", "drive": drive, "program": program, "load": load, "alternative": alternative, "seed": seed, "lead_s": lead_s, "limit_s": limit_s, "detail": False}
  return asked | ({"off": list(off)} if off else {})


def run_of(one, args):
  cell = one.cell.drive, one.cell.program, one.cell.load
  label = f"{one.cell.drive}, {one.cell.program}, {loads.ALL[one.cell.load].title}, {one.alternative.title}, seed {one.round}"
  return batch.Run(one.cell.drive, request(cell, one.alternative.name, one.round, args.lead, args.start_timeout), label, batch.expected_s(matrix.typical_s(one, args)),
                   programs.ALL[one.cell.program].of_debian)


def record(told):
  """Of what a guest measured."""
  return matrix.Record(**{key: value for key, value in told.items() if key not in ("cell", "kernel")}, cell=matrix.Cell(**told["cell"]))


def measure(args, records):
  """Appends a record for each run, in the order of the plan, also where this is interrupted, and tells args.kernel."""
  told = {}
  try:
    batch.measure([run_of(one, args) for one in plan(args)], args, told, "starts")
  finally:
    args.kernel = next((each["kernel"] for each in told.values()), None)
    records += [record(told[i]) for i in sorted(told)]
