# SPDX-License-Identifier: GPL-3.0-or-later
"""Each alternative against Brio, seed by seed: in virtual time two starts of one seed differ by nothing else.

A figure is the alternative's start over Brio's: above 1 Brio is sooner. Of a seed with which Brio's start was given up there is none.
"""
from dataclasses import dataclass

from .. import alternatives, censored, loads, matrix, report, summary

HEADER = ("", "median ×", "interval", "seeds")


@dataclass
class Pair:
  """One alternative in one cell. ratios: one for each seed that both have."""
  drive: str
  program: str
  load: str
  alternative: str
  ratios: list

  def as_dict(self):
    interval = censored.median_interval(self.ratios)
    return {"drive": self.drive, "program": self.program, "load": self.load, "alternative": self.alternative, "seeds": len(self.ratios),
            "median": censored.median(self.ratios).as_dict(), "low": interval.low.as_dict(), "high": interval.high.as_dict(),
            "confidence": interval.confidence}

  def cells(self):
    what = f"{self.drive}, {self.program}, {loads.ALL[self.load].title}: {alternatives.ALL[self.alternative].title}"
    interval = summary.interval_text(censored.median_interval(self.ratios))
    return [what, fine(censored.median(self.ratios)), interval, str(len(self.ratios))]


def fine(figure):
  """With three decimals: such figures repeat."""
  return f"{'' if figure.exact else '> '}{figure.value:.3f}"


def pairs(records, names):
  """Of all alternatives but Brio, in the order of the records' cells."""
  by_cell = {}
  for record in records:
    by_cell.setdefault(record.cell, {})[record.round] = record.figure()
  found = []
  for cell in list(by_cell):
    ours = by_cell.get(matrix.Cell(cell.drive, cell.program, cell.load, alternatives.Brio.name))
    if cell.treatment == alternatives.Brio.name or not ours:
      continue
    over = [figure.over(ours[seed]) for seed, figure in by_cell[cell].items() if seed in ours]
    ratios = [ratio for ratio in over if ratio]
    found += [Pair(cell.drive, cell.program, cell.load, name, ratios) for name in names if ratios and is_treated(cell, name)]
  return found


def is_treated(cell, name):
  return alternatives.ALL[name].treatment(matrix.drive_class(cell.drive)) == cell.treatment


def markdown(found):
  if not found:
    return ""
  return f"\n### Start over Brio's, seed by seed (above 1: Brio is sooner)\n\n{report.markdown(HEADER, [pair.cells() for pair in found])}\n"
