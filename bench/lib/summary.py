# SPDX-License-Identifier: GPL-3.0-or-later
"""What the start-up benchmark's runs come to: a row for each alternative, tables of them, and the aims."""
import statistics
from dataclasses import dataclass

from . import alternatives, censored, chart, loads, matrix, report

MEDIAN_AIM, P95_AIM, HARM_AIM = 1.1, 1.3, 1.05  # design: cold start under load over idle; against the best static choice
ONSET_AIM_MS = 50  # design: from a start's onset to settings in place
HEADER = ("", "scheduler", "median s", "95 % interval", "p95 s", "× idle", "× best static", "background MB/s read + written", "runs")
# In virtual time the one processor is slow, and what keeps it busy is no finding about drives.
IDLE_HEADER = "processor idle"
JUDGED_FROM = 0.3


def is_judged(shares):
  """Whether the drive and not the processor was what was measured. shares: of the time that it was idle, of each run; None by the real clock."""
  return min((share for share in shares if share is not None), default=1.0) >= JUDGED_FROM


def idle_text(shares, judged):
  """Of the busiest run."""
  return f"{100 * min(shares):.0f} %{'' if judged else ': not judged'}"


@dataclass
class Row:
  """One alternative in one cell. ratio: of the median to the idle drive's; best_ratio: to that of the best static choice in the cell; None where that is not
  known."""
  drive: str
  program: str
  load: str
  alternative: str
  scheduler: str
  median: censored.Figure
  interval: censored.Interval
  p95: censored.Figure
  ratio: censored.Figure | None
  p95_ratio: censored.Figure | None
  read_mbps: float
  write_mbps: float
  runs: int
  best_ratio: censored.Figure | None = None
  idle_share: float | None = None  # of the processor, in its busiest run

  @property
  def judged(self):
    return is_judged([self.idle_share])

  @property
  def title(self):
    return alternatives.ALL[self.alternative].title

  def as_dict(self):
    figures = {key: getattr(self, key) and getattr(self, key).as_dict() for key in ("median", "p95", "ratio", "p95_ratio", "best_ratio")}
    interval = {"low": self.interval.low.as_dict(), "high": self.interval.high.as_dict(), "confidence": self.interval.confidence}
    return {**vars(self), **figures, "interval": interval}

  def cells(self):
    background = "–" if self.load == "idle" else f"{self.read_mbps:.0f} + {self.write_mbps:.0f}"
    return [self.title, self.scheduler, str(self.median), interval_text(self.interval), str(self.p95), str(self.ratio or "–"),
            str(self.best_ratio or "–"), background, str(self.runs), *self.idle_cell()]

  def idle_cell(self):
    return [] if self.idle_share is None else [idle_text([self.idle_share], self.judged)]


def interval_text(interval):
  """Says its own confidence where the runs were too few for what the heading promises. One run has none."""
  if interval.confidence == 0:
    return "–"
  few = interval.confidence < censored.CONFIDENCE
  return f"{interval} ({interval.confidence * 100:.0f} %)" if few else str(interval)


def median_text(figures):
  """And of several the interval."""
  median, interval = report.number(censored.median(figures).value), censored.median_interval(figures)
  return f"{median} ({report.number(interval.low.value)} – {report.number(interval.high.value)})" if len(figures) > 1 else median


def rows(records, names):
  """A row for each of the alternatives in each cell that has a run."""
  by_cell = {}
  for record in records:
    by_cell.setdefault(record.cell, []).append(record)
  found = []
  for drive, program, load in dict.fromkeys((c.drive, c.program, c.load) for c in by_cell):
    reference = matrix.reference(drive, program)
    idle = by_cell.get(reference)
    # Where only the kernel's default was measured on the idle drive, it does not stand for those that are the same there.
    alone = load == "idle" and not any((c.drive, c.program, c.load) == (drive, program, load) and c != reference for c in by_cell)
    for name in [alternatives.REFERENCE.name] if alone else names:
      of_cell = by_cell.get(matrix.Cell(drive, program, load, alternatives.ALL[name].treatment(matrix.drive_class(drive))))
      if of_cell:
        found.append(row(name, of_cell, idle))
  for one in found:
    one.best_ratio = over_best_static(one, found)
  return sorted(found, key=lambda r: (list(loads.ALL).index(r.load), list(alternatives.ALL).index(r.alternative)))


def row(name, of_cell, idle):
  figures = [r.figure() for r in of_cell]
  median, p95 = censored.median(figures), censored.percentile(figures, 95)
  reference = censored.median([r.figure() for r in idle]) if idle else None
  cell = of_cell[0].cell
  shares = [r.idle_share for r in of_cell if r.idle_share is not None]
  return Row(cell.drive, cell.program, cell.load, name, of_cell[-1].scheduler, median, censored.median_interval(figures), p95,
             median.over(reference) if reference else None, p95.over(reference) if reference else None,
             statistics.median(r.read_mbps for r in of_cell), statistics.median(r.write_mbps for r in of_cell), len(of_cell),
             idle_share=min(shares, default=None))


def groups(all_rows):
  """Rows by (drive, program, load), in the order of the drives and programs."""
  by_group = {}
  for one in all_rows:
    by_group.setdefault((one.drive, one.program), {}).setdefault(one.load, []).append(one)
  return {(*key, load): of_load for key, by_load in by_group.items() for load, of_load in by_load.items()}


LEGEND = "dot: median; line: its 95 % interval; bar: p95; arrow: longer than that"


def panels(all_rows):
  """Of the chart. What has one row only, the idle drive mostly, is left out."""
  found = groups(all_rows)
  return [panel(key, of_group) for key, of_group in found.items() if len(of_group) > 1] or [panel(*one) for one in found.items()]


def panel(key, of_group):
  drive, program, load = key
  lines = tuple(chart.Row(r.title, r.median, r.interval, r.p95, r.alternative == alternatives.Brio.name, r.judged) for r in of_group)
  idle = idle_seconds(of_group)
  return chart.Panel(f"{program} on {drive}: {loads.ALL[load].title}", "s", lines, ("idle drive", idle) if idle else None)


def idle_seconds(of_group):
  """The idle drive's median, which each row knows by its ratio."""
  known = [r for r in of_group if r.ratio]
  return known[0].median.value / known[0].ratio.value if known else None


def markdown(all_rows):
  """A table for each drive, program and load."""
  parts = []
  for (drive, program, load), of_group in groups(all_rows).items():
    parts.append(f"### {drive}, {program}, {loads.ALL[load].title}\n\n{report.markdown(header(of_group), [r.cells() for r in of_group])}\n\n{same(of_group)}")
  return "\n".join(parts)


def header(of_group):
  return HEADER if of_group[0].idle_share is None else (*HEADER, IDLE_HEADER)


def same(of_group):
  """Names alternatives that are one on this drive."""
  by_treatment = {}
  for one in of_group:
    treatment = alternatives.ALL[one.alternative].treatment(matrix.drive_class(one.drive))
    by_treatment.setdefault(treatment, []).append(one.title)
  notes = [f"On such a drive {' and '.join(titles)} are the same, measured once." for titles in by_treatment.values() if len(titles) > 1]
  return "".join(f"\n{note}\n" for note in notes)


@dataclass
class AtMost(report.Aim):
  """Of a figure that may be a lower bound: such a one cannot be said to meet an aim."""
  exact: bool = True

  @property
  def met(self):
    return self.exact and super().met

  def line(self):
    return super().line().replace(f"{self.name}: ", f"{self.name}: {'' if self.exact else '> '}", 1)


def aims(all_rows):
  """Of Brio, for each drive, in its worst cell of those that are judged."""
  found = []
  all_rows = [r for r in all_rows if r.judged]
  for drive in dict.fromkeys(r.drive for r in all_rows):
    brio = [r for r in all_rows if r.drive == drive and r.alternative == "brio"]
    loaded = [r for r in brio if r.load != "idle"]
    found += worst(f"{drive}: start under load over idle drive, median", [(r, r.ratio) for r in loaded], MEDIAN_AIM)
    found += worst(f"{drive}: start under load over idle drive, p95", [(r, r.p95_ratio) for r in loaded], P95_AIM)
    found += worst(f"{drive}: over the best static choice, median", [(r, r.best_ratio) for r in brio], HARM_AIM)
  return found


def given_up_text(records):
  """After how long starts were; nothing where none was."""
  limits = {(r.cell.drive, r.cell.program): censored.digits(r.seconds) for r in records if not r.ended}
  said = ", ".join(f"{drive}, {program}: {limit} s" for (drive, program), limit in limits.items())
  return f"\nA start was given up, and counts as longer than that, after: {said}.\n" if said else ""


def onset_aims(records):
  """From when the program is called to the last that was written for its start."""
  found = []
  records = [r for r in records if is_judged(other.idle_share for other in records if other.cell == r.cell)]
  for drive in dict.fromkeys(r.cell.drive for r in records):
    onsets = [censored.Figure(r.onset["last_s"] * 1000, True) for r in records if r.cell.drive == drive and r.onset]
    for name, figure in (("median", censored.median(onsets)), ("p95", censored.percentile(onsets, 95))) if onsets else ():
      found.append(AtMost(f"{drive}: program called to all processes in the way stepped back, {name} of {len(onsets)}", figure.value, ONSET_AIM_MS, " ms", False))
  return found


def onset_text(records):
  return "".join(f"\n{aim.name}: {report.number(aim.value)}{aim.unit} (aim {aim.goal()})\n" for aim in onset_aims(records))


def over_best_static(one, all_rows):
  """None where no static alternative started in time."""
  static = [r.median for r in all_rows if (r.drive, r.program, r.load) == (one.drive, one.program, one.load)
            and isinstance(alternatives.ALL[r.alternative], alternatives.Static)]
  return one.median.over(censored.ranked(static)[0]) if static else None


def worst(name, figures, aim):
  """One aim, or none where no figure is known."""
  known = [(row, figure) for row, figure in figures if figure]
  if not known:
    return []
  row_of_it, figure = max(known, key=lambda pair: (not pair[1].exact, pair[1].value))
  return [AtMost(f"{name} ({row_of_it.program}, {loads.ALL[row_of_it.load].title})", figure.value, aim, "", False, figure.exact)]
