# SPDX-License-Identifier: GPL-3.0-or-later
"""Medians and percentiles of durations some of which were cut off: of those one knows only that they were longer.

All are order statistics, so a duration that was cut off counts as the longest whatever it would have become. A figure
that rests on one is a lower bound and is written with ">".
"""
import math
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Figure:
  """exact False: it is more than that."""
  value: float
  exact: bool = True

  def __str__(self):
    return f"{'' if self.exact else '> '}{digits(self.value)}"

  def over(self, other):
    """The ratio, where one can be told: over something that is only known to be more there is none."""
    return Figure(self.value / other.value, self.exact) if other.exact and other.value > 0 else None

  def as_dict(self):
    return {"value": self.value, "exact": self.exact}


def digits(value):
  return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ranked(figures):
  return sorted(figures, key=lambda f: (not f.exact, f.value))


def median(figures):
  order = ranked(figures)
  middle = order[(len(order) - 1) // 2:len(order) // 2 + 1]
  return Figure(sum(f.value for f in middle) / len(middle), all(f.exact for f in middle))


def percentile(figures, percent):
  """Nearest rank: the smallest that at least so many percent do not exceed. Of fewer than 20 the 95th is the longest."""
  order = ranked(figures)
  return order[max(math.ceil(len(order) * percent / 100), 1) - 1]


@dataclass(frozen=True)
class Interval:
  """confidence: that the true median lies in it."""
  low: Figure
  high: Figure
  confidence: float

  def __str__(self):
    return f"{self.low} – {self.high}"


def median_interval(figures):
  """By order statistics: the narrowest pair of ranks whose coverage is at least CONFIDENCE, which follows from the
  binomial distribution alone, whatever the durations' own is. Fewer than six figures cannot give that: then it is
  their whole range, with the coverage that it has."""
  order = ranked(figures)
  count = len(order)
  rank = 1
  while rank < count // 2 and coverage(count, rank + 1) >= CONFIDENCE:
    rank += 1
  return Interval(order[rank - 1], order[count - rank], coverage(count, rank))


def coverage(count, rank):
  """How likely the median lies between the figures of that rank from below and from above."""
  return max(1 - 2 * sum(math.comb(count, i) for i in range(rank)) / 2 ** count, 0)
