# SPDX-License-Identifier: GPL-3.0-or-later
"""The learned start: what a start takes with what it reads read ahead, without that, and without Brio; in virtual time.

Figures are times of the median unaided start on the idle drive, of the same drive and program: without Brio, or where that is not measured, without help. Those
of a warm start, whose files are in memory, are of the median warm start without help.
"""
import statistics
from dataclasses import dataclass

from . import censored, chart, loads, matrix, programs, report, summary
from .virtual import batch, pairs, start

HELPED, UNHELPED, PLAIN = "Brio", "Brio, not read ahead", "without Brio"
ARMS = {HELPED: {"brio": True, "helped": True}, UNHELPED: {"brio": True, "helped": False}, PLAIN: {"brio": False, "helped": False}}
NAMES = {"helped": HELPED, "unhelped": UNHELPED, "plain": PLAIN}  # as options have them
SCHEDULERS = ("bfq", "mq-deadline", "none")
WARM = "warm"
LOADS = ("idle", WARM, "readers", "readers-writers", "writers", "copy")
DEFAULTS = {"drives": ["hdd"], "programs": ["python3"], "loads": ["idle", "readers", "readers-writers", "writers"], "runs": 10, "arms": list(NAMES)}
QUICK = {"drives": ["hdd"], "programs": ["python3"], "loads": ["idle", "readers"], "runs": 1, "arms": list(NAMES)}
LEAD_S, LIMIT_S, STARTS = 8.0, 30.0, 2
LIMITS_S = {"session": 60.0}  # of programs that take longer
# Median, as times of the unaided start on the idle drive; by class of drive.
AIMS = {"hdd": {"idle": 0.40, "readers": 0.45, "readers-writers": 0.6, "writers": 0.6}, "ssd": {"idle": 0.9, "readers": 0.95, "writers": 1.0},
        "sd-card": {"idle": 0.7, "copy": 0.8}}
LARGE_AIMS = {"hdd": {"idle": 0.5, "copy": 0.6}}  # of programs as Debian has them
OTHER_AIMS = {"hdd": {"readers": 0.7}}  # under another scheduler than bfq
WARM_AIM, WARM_CPU_AIM_MS = 1.01, 5.0  # times the warm start that is not helped; the processor's time that the help takes
WARM_STARTS = 8
LEARNING_AIM = 1.01  # times a start that nothing is learnt from
P95_AIM = 1.3  # times the median
MOVED_AIM = 4.0  # times what the load moves beside a start that is not helped
MOVED_IN = (("hdd", "readers"),)
HEADER = ("", "start s", "interval", "p95 s", "× idle, unaided", "beside MB/s", "processor idle", "starts")


@dataclass(frozen=True)
class Run:
  drive: str
  program: str
  load: str
  arm: str
  seed: int
  scheduler: str = "bfq"

  @property
  def cell(self):
    return self.drive, self.program, self.load

  def title(self):
    return f"{heading(self.cell)}: {self.arm}, seed {self.seed}"

  @property
  def starts(self):
    return WARM_STARTS if self.load == WARM else STARTS

  @property
  def limit_s(self):
    return LIMITS_S.get(self.program, LIMIT_S)

  def in_guest(self):
    """As batch.measure() takes it."""
    guest_s = LEAD_S + start.PHASE_S + (1 + STARTS) * self.limit_s / 6
    return batch.Run(self.drive, self.request(), self.title(), batch.expected_s(guest_s), programs.ALL[self.program].of_debian)

  def request(self):
    return {"module": "prefetch", "drive": self.drive, "program": self.program, "load": "idle" if self.load == WARM else self.load, "warm": self.load == WARM,
            "scheduler": self.scheduler, "seed": self.seed, "lead_s": LEAD_S, "limit_s": self.limit_s, "starts": self.starts, **ARMS[self.arm]}


def plan(args):
  """Seed by seed, so that an early end leaves whole rounds."""
  return [Run(name, program, load, NAMES[arm], seed, args.scheduler) for seed in range(args.random_seed, args.random_seed + args.runs) for name in args.drives
          for program in args.programs for load in args.loads for arm in args.arms]


def by_cell(runs, told):
  """Cell → arm → all its starts."""
  found = {}
  for i in sorted(told):
    starts = [each | {"seed": runs[i].seed, "number": number} for number, each in enumerate(told[i]["starts"])]
    found.setdefault(runs[i].cell, {}).setdefault(runs[i].arm, []).extend(starts)
  return found


def learning_aims(runs, told):
  """Of each guest's first start, which comes before the load: with what is read told and kept, and without."""
  firsts, found = {}, []
  for i in sorted(told):
    firsts.setdefault((runs[i].drive, runs[i].program), {}).setdefault(runs[i].arm, []).append(told[i]["first"])
  for (name, program), arms in firsts.items():
    learnt, other = (figures(arms.get(arm, [])) for arm in (HELPED, UNHELPED))
    times = censored.median(learnt).over(censored.median(other)) if learnt and other else None
    if times and summary.is_judged(shares(arms[HELPED] + arms[UNHELPED])):
      found.append(summary.AtMost(f"{name}, {program}: a start that is learnt from, times one that is not", times.value, LEARNING_AIM, "", False, times.exact))
  return found


def figures(starts):
  return [figure(each) for each in starts]


def figure(one):
  return censored.Figure(one["seconds"], one["ended"])


def moved(starts):
  return statistics.median(each["moved_mbps"] for each in starts)


def reference(cells, cell):
  """The start that all of that drive and program are compared with; None where it was not measured."""
  arms = cells.get((*cell[:2], WARM if cell[2] == WARM else "idle"), {})
  starts = arms.get(PLAIN if cell[2] != WARM else UNHELPED) or arms.get(UNHELPED)
  return censored.median(figures(starts)) if starts else None


def ratio(cells, cell, arm):
  base = reference(cells, cell)
  return censored.median(figures(cells[cell][arm])).over(base) if base and arm in cells[cell] else None


def row(cells, cell, arm):
  starts = cells[cell][arm]
  interval, times = censored.median_interval(figures(starts)), ratio(cells, cell, arm)
  return [arm, str(censored.median(figures(starts))), f"{interval.low} – {interval.high}" if len(starts) > 1 else "", str(censored.percentile(figures(starts), 95)),
          f"{times.value:.2f}" if times else "", report.number(moved(starts)), summary.idle_text(shares(starts), is_judged(cell, starts)), str(len(starts))]


def heading(cell):
  name, program, load = cell
  return f"{name}, {program}, {'idle drive, warm' if load == WARM else loads.ALL[load].title}"


def paired(cells):
  """Rows of what each other arm's start takes over that with Brio of the same seed."""
  rows = []
  for cell, arms in cells.items():
    ours = {(each["seed"], each["number"]): each for each in arms.get(HELPED, [])}
    for arm, starts in arms.items():
      both = [(each, ours[each["seed"], each["number"]]) for each in starts if (each["seed"], each["number"]) in ours and arm != HELPED]
      ratios = [ratio for theirs, its in both if (ratio := figure(theirs).over(figure(its)))]
      if ratios:
        rows.append(pairs.row(f"{heading(cell)}: {arm}", ratios, shares([each for pair in both for each in pair]), len({each["seed"] for each, _ in both})))
  return rows


def markdown(cells):
  tables = "\n".join(f"### {heading(cell)}\n\n{report.markdown(HEADER, [row(cells, cell, arm) for arm in cells[cell]])}\n" for cell in cells)
  return tables + pairs.markdown(paired(cells))


def shares(starts):
  return [each["idle_share"] for each in starts]


def is_judged(cell, starts):
  """A warm start has no drive in it: there the processor is what is to be measured."""
  return cell[2] == WARM or summary.is_judged(shares(starts))


def warm_aims(cell, arms, times):
  found = [summary.AtMost(f"{heading(cell)}: times that of one that is not helped", times.value, WARM_AIM, "", False, times.exact)]
  cpu_ms = [each["helper_cpu_ms"] for each in arms[HELPED] if each.get("helper_cpu_ms") is not None]
  if cpu_ms:
    found.append(summary.AtMost(f"{heading(cell)}: processor's time that the help takes", max(cpu_ms), WARM_CPU_AIM_MS, "ms", False, True))
  return found


def aims(cells, scheduler="bfq"):
  found = []
  for cell, arms in cells.items():
    known = OTHER_AIMS if scheduler != "bfq" else LARGE_AIMS if programs.ALL[cell[1]].of_debian else AIMS
    aim, times = known.get(matrix.drive_class(cell[0]), {}).get(cell[2]), ratio(cells, cell, HELPED)
    if cell[2] == WARM and times:
      found.extend(warm_aims(cell, arms, times))
    if not aim or not times or not is_judged(cell, arms[HELPED]):
      continue
    found.append(summary.AtMost(f"{heading(cell)}: times the unaided start on the idle drive", times.value, aim, "", False, times.exact))
    median, late = censored.median(figures(arms[HELPED])), censored.percentile(figures(arms[HELPED]), 95)
    spread = late.over(median) or censored.Figure(late.value / median.value, False)
    found.append(summary.AtMost(f"{heading(cell)}: p95 over the median", spread.value, P95_AIM, "", False, spread.exact))
    if (matrix.drive_class(cell[0]), cell[2]) in MOVED_IN and UNHELPED in arms and is_judged(cell, arms[UNHELPED]):
      more = moved(arms[HELPED]) / max(moved(arms[UNHELPED]), 0.01)
      found.append(report.Aim(f"{heading(cell)}: what the load moves, times that beside a start that is not helped", more, MOVED_AIM, "", True))
  return found


def panels(cells):
  """Of the chart."""
  found = []
  for cell, arms in cells.items():
    found.append(chart.Panel(heading(cell), "s", tuple(chart_row(cell, arm, starts) for arm, starts in arms.items())))
  return found


def chart_row(cell, arm, starts):
  found = figures(starts)
  return chart.Row(arm, censored.median(found), censored.median_interval(found), None, arm == HELPED, is_judged(cell, starts))
