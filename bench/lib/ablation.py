# SPDX-License-Identifier: GPL-3.0-or-later
"""What each of Brio's laws gives and costs: starts with Brio as it is, without each law, with each law alone, and with none.

A variant is a set of laws that are off, by a drop-in of each policy. Two variants of a cell are compared seed by seed: in virtual time they differ by
nothing else.
"""
import statistics
from dataclasses import dataclass

from . import alternatives, censored, chart, laws, loads, matrix, programs, report, summary
from .virtual import batch, cells, pairs, start

LOADS = ("readers", "readers-writers", "writers", "copy")
DRIVES = ("hdd", "ssd", "sd-card", *matrix.BELOW)
DEFAULTS = {"drives": ["hdd"], "programs": ["python3"], "loads": list(LOADS), "runs": 10}
QUICK = {"drives": ["hdd"], "programs": ["python3"], "loads": ["readers", "writers"], "runs": 2}
ALL, NONE = "Brio as it is", "no law"
HEADER = ("", "start s", "of Brio's", "interval", "beside MB/s", "more than Brio's", "processor idle", "seeds")
LEGEND = "dot: median of the seeds; line: its 95 % interval, or all seeds where they are fewer than six"
COLUMNS = 2


@dataclass(frozen=True)
class Variant:
  """off: sections of the policies."""
  title: str
  off: tuple


@dataclass(frozen=True)
class Run:
  drive: str
  program: str
  load: str
  variant: Variant
  seed: int
  lead_s: float
  limit_s: float

  @property
  def cell(self):
    return self.drive, self.program, self.load

  def title(self):
    return f"{self.drive}, {self.program}, {loads.ALL[self.load].title}: {self.variant.title}, seed {self.seed}"

  def request(self):
    return cells.request(self.cell, alternatives.Brio.name, self.seed, self.lead_s, self.limit_s, self.variant.off)

  def in_guest(self):
    """As batch.measure() takes it; a start with all laws off may take long."""
    return batch.Run(self.drive, self.request(), self.title(), batch.expected_s(self.lead_s + start.PHASE_S + self.limit_s / 3), programs.ALL[self.program].of_debian)


def variants(drive_class, chosen, alone):
  """Those of a class of drives. chosen: names of the laws that are taken away, None for each. alone: also with each of them alone."""
  every = laws.of_class(drive_class)
  taken = [law for law in every if chosen is None or laws.name_of(law) in chosen]
  found = [Variant(ALL, ()), *(Variant(f"without {laws.name_of(law)}", (law,)) for law in taken), Variant(NONE, every)]
  return found + [Variant(f"{laws.name_of(law)} alone", tuple(each for each in every if each != law)) for law in taken if alone]


def plan(args):
  """Seed by seed, so that an early end leaves whole rounds."""
  return [Run(name, program, load, variant, seed, args.lead, args.start_timeout) for seed in range(args.random_seed, args.random_seed + args.runs) for name in args.drives
          for program in args.programs for load in args.loads for variant in variants(matrix.drive_class(name), args.laws, args.alone)]


def figure(record):
  return censored.Figure(record["seconds"], record["ended"])


def moved(record):
  return record["read_mbps"] + record["write_mbps"]


def by_cell(runs, told):
  """Cell → variant's title → seed → what the guest measured."""
  found = {}
  for i in sorted(told):
    one = runs[i]
    found.setdefault(one.cell, {}).setdefault(one.variant.title, {})[one.seed] = told[i]
  return found


def compared(ours, base):
  """Of one variant's records and those of Brio as it is, by the seeds that both have: starts' ratios, and how much more the load moved."""
  both = [seed for seed in ours if seed in base]
  ratios = [figure(ours[seed]).over(figure(base[seed])) for seed in both]
  return [ratio for ratio in ratios if ratio], [censored.Figure(moved(ours[seed]) - moved(base[seed])) for seed in both]


def row(title, ours, base):
  ratios, more = compared(ours, base)
  cells = [title, str(censored.median([figure(record) for record in ours.values()]))]
  cells += [pairs.fine(censored.median(ratios)), interval_text(ratios)] if ratios else ["", ""]
  cells.append(report.number(statistics.median(map(moved, ours.values()))))
  cells.append(report.number(censored.median(more).value) if more else "")
  return [*cells, summary.idle_text(shares(ours), is_judged(ours, base)), str(len(ours))]


def shares(records):
  return [record["idle_share"] for record in records.values()]


def is_judged(ours, base):
  """What is compared with Brio as it is stands on both."""
  return summary.is_judged([*shares(ours), *shares(base)])


def interval_text(ratios):
  interval = censored.median_interval(ratios)
  return f"{pairs.fine(interval.low)} – {pairs.fine(interval.high)}" if len(ratios) > 1 else ""


def heading(cell):
  name, program, load = cell
  return f"{name}, {program}, {loads.ALL[load].title}"


def markdown(cells):
  """A table for each cell."""
  parts = []
  for cell, measured in cells.items():
    base = measured.get(ALL, {})
    rows = [row(title, ours, base) for title, ours in measured.items()]
    parts.append(f"### {heading(cell)}\n\n{report.markdown(HEADER, rows)}\n")
  return "\n".join(parts)


def panels(cells):
  """Of the chart: for each cell what a start takes, of Brio's."""
  found = []
  for cell, measured in cells.items():
    base = measured.get(ALL, {})
    ratios = {title: compared(ours, base)[0] for title, ours in measured.items()}
    rows = tuple(chart.Row(title, censored.median(each), censored.median_interval(each), None, title == ALL, is_judged(measured[title], base))
                 for title, each in ratios.items() if each)
    found += [chart.Panel(f"{heading(cell)}: × Brio's", "", rows)] if rows else []
  return found
