# SPDX-License-Identifier: GPL-3.0-or-later
"""What the start-up benchmark runs by default: the cells that can show something, each as often as it takes to show it.

All of it, each program under each load with each alternative, takes some 18 hours. But each program adds the same
few reads to a load that is the same; without bfq a start beside a load takes so long that how long hardly matters; and where two
alternatives are far apart two runs say so. So: each load once, with the program that differs most from the others' cells; what
every system has (the rules of distributions, Brio) everywhere, and the rest where it would show first; a start is given up after a
few times what it takes on the idle drive, and not tried again; and what time is left goes where Brio and the best of the others
cannot be told apart. Pure: from the runs so far to the next ones.
"""
import random

from . import alternatives, censored, matrix

LOADS = {"python3": ("readers", "writers", "random-readers", "upgrade"), "libreoffice": ("copy",), "gtk4": ("readers-writers",)}
EVERYWHERE = ("kernel", "fedora", "cachyos", "brio")
WITH_ALL = (("python3", "readers"), ("python3", "writers"))
MINUTES_A_DRIVE = 18
# Aims are 1.1 and 1.3 times the idle drive's; what takes five times as long is lost, whatever it would have become.
GIVE_UP_TIMES = 5
GIVE_UP_MIN_S = 3.0
REFERENCE_RUNS = 3
RUNS = 2     # of a cell whose starts end
DUEL_RUNS = 3  # before two may be told apart
RUNS_MAX = 9   # of two that cannot be: of so many the longest and the shortest may be left out of a 95 % interval


def groups(programs, chosen):
  """(program, load, alternatives): what is started under what with which. A program that cannot be had here leaves its loads to another."""
  found = []
  for program, loads in LOADS.items():
    stands_in = program if program in programs else programs[0]
    for load in loads:
      names = [name for name in chosen if name in EVERYWHERE or (program, load) in WITH_ALL]
      found.append((stands_in, load, names))
  return found


def limit_s(idle, most_s):
  """How long a start may take, by the runs on the idle drive. Before there is one: most_s."""
  known = censored.median(idle) if idle else None
  return min(max(GIVE_UP_TIMES * known.value, GIVE_UP_MIN_S), most_s) if known and known.exact else most_s


def next_runs(name, args, records):
  """The next runs on that drive, in a random order of the seed's; the first three kinds are what there is at least."""
  cells = matrix.cells(name, args)
  of_cell = {cell: [r for r in records if r.cell == cell] for cell in cells}
  number = max((r.round for r in records if r.cell.drive == name), default=-1) + 1
  wanted = references(of_cell) or unseen(of_cell) or seen_once(of_cell) or duels(of_cell)
  order = [matrix.Run(cell, number, cells[cell]) for cell in wanted]
  random.Random(f"{args.random_seed} {name} {number}").shuffle(order)
  return order


def references(of_cell):
  return [cell for cell, runs in of_cell.items() if cell.load == "idle" for _ in range(REFERENCE_RUNS - len(runs))]


def unseen(of_cell):
  return [cell for cell, runs in of_cell.items() if not runs and cell.load != "idle"]


def seen_once(of_cell):
  """Brio's is tried again also where it was given up: that is to be known for sure."""
  return [cell for cell, runs in of_cell.items() if 0 < len(runs) < RUNS and cell.load != "idle" and (runs[0].ended or cell.treatment == alternatives.Brio.name)]


def duels(of_cell):
  """Of Brio's cells that cannot be told from their best rivals those with the fewest runs, and these rivals."""
  found = [pair for pair in pairs(of_cell) if is_open(*(of_cell[cell] for cell in pair))]
  fewest = min((runs_of(pair, of_cell) for pair in found), default=0)
  return [cell for pair in found if runs_of(pair, of_cell) == fewest for cell in pair if len(of_cell[cell]) == fewest]


def runs_of(pair, of_cell):
  return min(len(of_cell[cell]) for cell in pair)


def pairs(of_cell):
  for brio, runs in of_cell.items():
    rivals = [cell for cell in of_cell if (cell.program, cell.load) == (brio.program, brio.load) and cell != brio and of_cell[cell]]
    if brio.treatment == alternatives.Brio.name and brio.load != "idle" and runs and rivals:
      yield brio, min(rivals, key=lambda cell: rank(censored.median(figures(of_cell[cell]))))


def figures(runs):
  return [r.figure() for r in runs]


def rank(figure):
  return not figure.exact, figure.value


def is_open(ours, theirs):
  """Their intervals overlap. Where neither ever ended, or the rival never did, there is nothing to tell."""
  if not any(r.ended for r in theirs) or min(len(ours), len(theirs)) >= RUNS_MAX:
    return False
  if min(len(ours), len(theirs)) < DUEL_RUNS:
    return True
  one, other = (censored.median_interval(figures(runs)) for runs in (ours, theirs))
  return rank(one.low) <= rank(other.high) and rank(other.low) <= rank(one.high)


def least(name, args, records):
  """The runs that a drive still needs to have the least of each cell, as far as one knows what is given up."""
  cells = matrix.cells(name, args)
  of_cell = {cell: [r for r in records if r.cell == cell] for cell in cells}
  wanted = references(of_cell) + unseen(of_cell) * RUNS + seen_once(of_cell)
  return [matrix.Run(cell, 0, cells[cell]) for cell in wanted]
