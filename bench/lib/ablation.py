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
DEFAULTS = {"drives": ["hdd"], "programs": ["python3"], "loads": list(LOADS), "runs": 10}
QUICK = {"drives": ["hdd"], "programs": ["python3"], "loads": ["readers", "writers"], "runs": 2}
ALL, NONE = "Brio as it is", "no law"
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


def ratios(ours, base):
  """Of one variant's starts to those of Brio as it is, by the seeds that both have."""
  over = (figure(ours[seed]).over(figure(base[seed])) for seed in ours if seed in base)
  return [ratio for ratio in over if ratio]


def is_judged(ours, base):
  """What is compared with Brio as it is stands on both."""
  return summary.is_judged(shares(ours, base))


def shares(ours, base):
  return [record["idle_share"] for each in (ours, base) for record in each.values()]


def compared(found):
  """For a file: each variant against Brio as it is, as pairs.Pair tells it."""
  for cell, measured in found.items():
    base = measured.get(ALL, {})
    for title, ours in measured.items():
      if title != ALL and (each := ratios(ours, base)):
        yield pairs.Pair(*cell, title, each, shares(ours, base)).as_dict()


def start_text(title, ours, base):
  """How long starts are: Brio's in seconds, another variant's as times of that. Bold: the interval of 95 % does not hold 1."""
  text = f"{censored.median([*map(figure, ours.values())])} s" if title == ALL else ratio_text(ratios(ours, base))
  return text if is_judged(ours, base) else f"{text}, not judged"


def ratio_text(each):
  if not each:
    return "–"
  middle, interval = str(censored.median(each)), censored.median_interval(each)
  differs = interval.confidence >= censored.CONFIDENCE and (round(interval.low.value, 2) > 1 or round(interval.high.value, 2) < 1)
  return f"{f'**{middle}**' if differs else middle} ({interval})"


def column(title, measured):
  """Of a variant in a cell: its starts, and what the load moved meanwhile."""
  ours = measured.get(title, {})
  return [start_text(title, ours, measured.get(ALL, {})), report.number(statistics.median(map(moved, ours.values())))] if ours else ["–", "–"]


def table(by_load):
  """A row for each variant, two columns for each load."""
  header = ["", *(text for load in by_load for text in (f"{loads.ALL[load].title}: start", "MB/s"))]
  titles = dict.fromkeys(title for measured in by_load.values() for title in measured)
  rows = [[title, *(text for measured in by_load.values() for text in column(title, measured))] for title in titles]
  every = [[record for ours in measured.values() for record in ours.values()] for measured in by_load.values()]
  idle = [f"{100 * min(record['idle_share'] for record in records):.0f} %" for records in every]
  seeds = [str(min(len(ours) for ours in measured.values())) for measured in by_load.values()]
  rows += [[title, *(text for value in values for text in (value, ""))] for title, values in (("processor idle, at least", idle), ("seeds, at least", seeds))]
  return report.markdown(header, rows)


def markdown(found):
  """A table for each drive and program, as docs/results has it."""
  parts = []
  for place in dict.fromkeys(cell[:2] for cell in found):
    by_load = {cell[2]: measured for cell, measured in found.items() if cell[:2] == place}
    parts.append(f"### {', '.join(place)}\n\n{table(by_load)}\n")
  return "\n".join(parts)


def panels(cells):
  """Of the chart: for each cell what a start takes, of Brio's."""
  found = []
  for cell, measured in cells.items():
    base = measured.get(ALL, {})
    over = {title: ratios(ours, base) for title, ours in measured.items()}
    rows = tuple(chart.Row(title, censored.median(each), censored.median_interval(each), None, title == ALL, is_judged(measured[title], base))
                 for title, each in over.items() if each)
    name, program, load = cell
    found += [chart.Panel(f"{name}, {program}, {loads.ALL[load].title}: × Brio's", "", rows)] if rows else []
  return found
