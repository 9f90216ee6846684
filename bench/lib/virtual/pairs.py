# SPDX-License-Identifier: GPL-3.0-or-later
"""Each alternative against Brio, seed by seed: in virtual time two starts of one seed differ by nothing else.

A figure is the alternative's start over Brio's: above 1 Brio is sooner. Of a seed with which Brio's start was given up there is none.
"""
from dataclasses import dataclass

from .. import alternatives, censored, loads, matrix, report, summary

HEADER = ("", "median ×", "interval", "seeds", summary.IDLE_HEADER)


@dataclass
class Pair:
  """One alternative in one cell. ratios: one for each seed that both have. shares: of the time that the processor was idle, of the runs of both."""
  drive: str
  program: str
  load: str
  alternative: str
  ratios: list
  shares: list

  def as_dict(self):
    interval = censored.median_interval(self.ratios)
    return {"drive": self.drive, "program": self.program, "load": self.load, "alternative": self.alternative, "seeds": len(self.ratios),
            "median": censored.median(self.ratios).as_dict(), "low": interval.low.as_dict(), "high": interval.high.as_dict(),
            "confidence": interval.confidence, "judged": summary.is_judged(self.shares)}

  def cells(self):
    what = f"{self.drive}, {self.program}, {loads.ALL[self.load].title}: {alternatives.ALL[self.alternative].title}"
    return row(what, self.ratios, self.shares, len(self.ratios))


def row(what, ratios, shares, seeds):
  """Of the table, also of another benchmark's."""
  interval = summary.interval_text(censored.median_interval(ratios))
  return [what, fine(censored.median(ratios)), interval, str(seeds), summary.idle_text(shares, summary.is_judged(shares))]


def fine(figure):
  """With three decimals: such figures repeat."""
  return f"{'' if figure.exact else '> '}{figure.value:.3f}"


def pairs(records, names):
  """Of all alternatives but Brio, in the order of the records' cells."""
  by_cell = {}
  for record in records:
    by_cell.setdefault(record.cell, {})[record.round] = record
  found = []
  for cell in list(by_cell):
    ours = by_cell.get(matrix.Cell(cell.drive, cell.program, cell.load, alternatives.Brio.name))
    if cell.treatment == alternatives.Brio.name or not ours:
      continue
    both = [(record, ours[seed]) for seed, record in by_cell[cell].items() if seed in ours]
    ratios = [ratio for theirs, brios in both if (ratio := theirs.figure().over(brios.figure()))]
    shares = [record.idle_share for pair in both for record in pair]
    found += [Pair(cell.drive, cell.program, cell.load, name, ratios, shares) for name in names if ratios and is_treated(cell, name)]
  return found


def is_treated(cell, name):
  return alternatives.ALL[name].treatment(matrix.drive_class(cell.drive)) == cell.treatment


def markdown(rows):
  if not rows:
    return ""
  return f"\n### Start over Brio's, seed by seed (above 1: Brio is sooner)\n\n{report.markdown(HEADER, rows)}\n"
