# SPDX-License-Identifier: GPL-3.0-or-later
"""Aims, tables and files: how every benchmark ends."""
import json
import platform
import statistics
import sys
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass
class Aim:
  """One figure and what it should be. `at_least` says on which side the aim lies."""
  name: str
  value: float
  aim: float
  unit: str
  at_least: bool

  @property
  def met(self):
    return self.value >= self.aim if self.at_least else self.value <= self.aim

  def goal(self):
    return f"{'≥' if self.at_least else '≤'} {number(self.aim)}"

  def line(self):
    return f"  {'met ' if self.met else 'MISS'}  {self.name}: {number(self.value)}{self.unit} (aim {self.goal()})"


@dataclass
class Around(Aim):
  """A figure that should be near its aim, within a fraction of it."""
  tolerance: float = 0.15

  @property
  def met(self):
    return abs(self.value - self.aim) <= self.tolerance * self.aim

  def goal(self):
    return f"{number(self.aim)} ± {self.tolerance * 100:.0f} %"


def number(value):
  """About three digits that count, never an exponent; whole numbers as they are."""
  size = abs(value)
  if value == int(value):
    return f"{value:.0f}"
  return f"{value:.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}" if size >= 0.1 else f"{value:.4f}"


def padded(header, rows, least=0):
  """The texts of all rows, each column as wide as its widest."""
  cells = [header, *([c if isinstance(c, str) else number(c) for c in row] for row in rows)]
  widths = [max(least, *(len(row[i]) for row in cells)) for i in range(len(header))]
  return [[c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))] for row in cells]


def table(header, rows):
  """Aligned columns: the first to the left, numbers to the right."""
  return "\n".join("  ".join(row).rstrip() for row in padded(header, rows))


def markdown(header, rows):
  """A table for a document, aligned also as plain text: the first column to the left, the others to the right."""
  first, *body = padded(header, rows, 3)
  rule = ["-" * len(first[0]), *("-" * (len(text) - 1) + ":" for text in first[1:])]
  return "\n".join(f"| {' | '.join(row)} |" for row in [first, rule, *body])


def summarise(runs, keys):
  """The median of each figure over the runs of one arm."""
  return {k: statistics.median(r[k] for r in runs) for k in keys}


def machine():
  return {"kernel": platform.release(), "python": platform.python_version()}


def write_json(path, data):
  Path(path).write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
  print(f"figures: {path}")


def close(aims, strict, listed=True):
  """Prints the aims, unless a table did, and the line that every benchmark ends with; returns the exit code."""
  met = sum(a.met for a in aims)
  for aim in aims if listed else ():
    print(aim.line())
  print(f"aims: {met} of {len(aims)} met", flush=True)
  return 1 if strict and met < len(aims) else 0


def aims_as_dicts(aims):
  return [{**asdict(a), "met": a.met} for a in aims]


def fail(program, error):
  print(f"{program}: {error}", file=sys.stderr)
  return 1
