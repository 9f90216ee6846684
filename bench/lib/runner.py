# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs experiments one after the other, and shows their figures, beside a document's own where there are any."""
import re
import time

from . import arms, censored, chart, daemon, drive, filesystem, fio, loads, others, process, programs, progress, report, summary, sysfs, tuned
from .virtual import cells, experiments as virtual
from .experiment import Limit, Share, ShareOfBest, WorkloadError

ERRORS = (drive.DriveError, daemon.DaemonError, filesystem.FilesystemError, fio.FioError, loads.LoadError,
          programs.ProgramError, tuned.TunedError, WorkloadError, TimeoutError, *cells.ERRORS)

COLUMNS = 2  # of panels in the chart
LEGEND = "dot: median; line: its 95 % interval, or all runs where they are fewer than six"


def missing(experiments, args, against):
  """Why they cannot run here, in one line; None where they can."""
  if not args.real:
    return virtual.missing(args)
  own = drive.missing() or daemon.missing(args.build_dir) or next((e.missing for e in experiments if e.missing), None)
  return own or others.missing(against, args.build_dir)


def runtime_s(experiment, args):
  return args.runtime or experiment.runtime_s


def measure(experiments, args, results):
  """Adds to results, for each experiment that it came to: arm's name → figures of each run."""
  orders = [arms.shuffled(e.arms, arms.runs(args), args.random_seed) for e in experiments]
  expected_s = [runtime_s(e, args) + e.overhead_s for e, order in zip(experiments, orders) for _ in order]
  line = progress.Progress(len(expected_s), expected_s)
  try:
    for e, order in zip(experiments, orders):
      with drive.EmulatedDrive(e.model, "none", args.build_dir, size=e.size_bytes, seed=args.random_seed) as emulated:
        results.append({arm.name: [] for arm in e.arms})
        arms.run_in_turn(order, emulated, e.enter_place, runtime_s(e, args), args.random_seed, line, results[-1], f"{e.title}: ")
  finally:
    line.close()


def ends(experiment, results):
  """The medians of the first arm and of the last."""
  names = list(results)
  keys = [f.key for f in experiment.figures]
  return tuple(report.summarise(results[name], keys) for name in (names[0], names[-1]))


def gain(figure, before, after):
  """How many times better, as text; nothing where it cannot be said."""
  if not before or not after:
    return ""
  return f"{report.number(arms.gain(before, after, figure.more_is_better))} ×"


def change(before, after):
  return "" if before is None else f"{report.number(before)} → {report.number(after)}"


def figures_of(runs, key):
  return [censored.Figure(run[key]) for run in runs]


def arms_table(experiment, results):
  """A row for each arm."""
  rows = [[name, *(summary.median_text(figures_of(runs, f.key)) for f in experiment.figures)] for name, runs in results.items()]
  return ["", *(f.name for f in experiment.figures)], rows


def notes(experiment, results, args):
  """What more there is to say, by lines."""
  further = experiment.tables(results) if experiment.tables else ""
  told = [onset_line(run) for run in brio_runs(results)] + ([further] if further else [])
  return told if args.real else [*told, report.table(*virtual.differences_table(experiment, results))]


def confidence_line(number):
  """What stands in parentheses. Of fewer than six runs it is all of them, which hold the true median less surely."""
  sure = censored.coverage(number, 1) * 100
  what = "the median's 95 % interval" if sure >= censored.CONFIDENCE * 100 else f"the range of {number} runs, which holds the median with {sure:.0f} %"
  return [f"In parentheses: {what}."] if number > 1 else []


def print_arms(experiment, results, args):
  print(f"\n{heading(experiment, results, args)}")
  print(report.table(*arms_table(experiment, results)))
  for text in notes(experiment, results, args):
    print(text)


def heading(experiment, results, args):
  return f"{experiment.title} ({experiment.model}){'' if is_judged(results, args) else ': not judged, the processor was busy'}"


def is_judged(results, args):
  return args.real or virtual.is_judged(results)


def panels(experiments, results, args):
  """Of the chart: for each experiment the figures that it has aims for."""
  return [chart.Panel(f"{e.title}: {f.name}", "", tuple(chart_row(name, runs, f.key, name == e.arms[-1].name, is_judged(result, args)) for name, runs in result.items()))
          for e, result in zip(experiments, results) for f in e.figures if f.key in {aim.key for aim in e.aims}]


def chart_row(name, runs, key, ours, judged):
  figures = figures_of(runs, key)
  return chart.Row(name, censored.median(figures), censored.median_interval(figures), None, ours, judged)


def brio_runs(results):
  return [run for runs in results.values() for run in runs if "onset_s" in run]


def onset_line(run):
  if run["onset_s"] is None:
    return "Brio changed no setting of the scheduler."
  values = ", ".join(f"{k.removeprefix('iosched/')} = {v}" for k, v in run["settings"].items())
  return f"Brio acted {run['onset_s']:.2f} s after the load's first request; it ended at {values}."


def own_summary(experiments, results):
  """A table of those that a document has figures of; nothing where none has."""
  rows = []
  for e, result in zip(experiments, results):
    if all(f.before is None for f in e.figures):
      continue
    before, after = ends(e, result)
    for f in e.figures:
      rows.append([e.title, f.name, change(f.before, f.after), gain(f, f.before, f.after),
                   change(before[f.key], after[f.key]), gain(f, before[f.key], after[f.key])])
  return report.markdown(["", "figure", "the seed's own: before → after", "better", "here: before → with Brio", "better"], rows) if rows else ""


def document(experiments, results, aims, last_line, args):
  """All tables, for a document."""
  number = max(len(runs) for result in results for runs in result.values())
  parts = [part for e, result in zip(experiments, results) for part in tables_of(e, result, args)]
  summary = own_summary(experiments, results)
  rows = [[aim.name, f"{report.number(aim.value)}{aim.unit}", aim.goal(), "met" if aim.met else "**missed**"] for aim in aims]
  last = report.markdown(["aim", "figure", "should be", ""], rows)
  return "\n".join([*parts, *([summary + "\n"] if summary else []), last, "", *confidence_line(number), last_line, ""])


def tables_of(experiment, results, args):
  """Those of an experiment, under its heading."""
  parts = [f"### {heading(experiment, results, args)}\n\n{report.markdown(*arms_table(experiment, results))}\n"]
  return parts if args.real else [*parts, f"{report.markdown(*virtual.differences_table(experiment, results))}\n"]


def make_aim(experiment, aim, results):
  if isinstance(aim, Limit):
    value = report.summarise(results[experiment.arms[-1].name], [aim.key])[aim.key]
    return report.Aim(f"{experiment.title}: {aim.name}", value, aim.most, f" {aim.unit}", False)
  if isinstance(aim, ShareOfBest):
    aim = Share(aim.key, aim.name, aim.percent, aim.at_least, against=best_static(experiment, aim, results))
  return share_aim(experiment, aim, results)


def best_static(experiment, aim, results):
  """Of the arms without Brio, the one whose figure is best."""
  best = max if aim.at_least else min
  return best((arm.name for arm in experiment.arms[:-1]), key=lambda name: report.summarise(results[name], [aim.key])[aim.key])


def share_aim(experiment, share, results):
  against = share.against or experiment.arms[0].name
  base, value = (report.summarise(results[name], [share.key])[share.key] for name in (against, experiment.arms[-1].name))
  if value <= share.spare and not share.at_least:
    return report.Aim(f"{experiment.title}: {share.name}", value, share.spare, "", False)
  if base == 0:
    raise WorkloadError(f"{experiment.title}: {share.name} of {against} is 0, so nothing can be compared; let it run longer (--runtime)")
  return report.Aim(f"{experiment.title}: {share.name}, of {against}'s", 100 * value / base, share.percent, " %", share.at_least)


def make_aims(experiments, results, args):
  aims = []
  for e, result in zip(experiments, results):
    aims += [make_aim(e, aim, result) for aim in e.aims if is_judged(result, args)]
    if e.onset_aim_s is not None and is_judged(result, args):
      # A run in which nothing was changed counts as one in which it came at the very end.
      worst = max(runtime_s(e, args) if run["onset_s"] is None else run["onset_s"] for run in brio_runs(result))
      aims.append(report.Aim(f"{e.title}: the load's first request to Brio's first setting, worst run", worst, e.onset_aim_s, " s", False))
  restored = [run["restored"] for result in results for run in brio_runs(result)]
  if restored:
    aims.append(report.Aim("runs after which every setting was as before", sum(restored), len(restored), "", True))
  return aims


def as_dict(experiment, results, args):
  return {"title": experiment.title, "model": experiment.model, "runtime_s": runtime_s(experiment, args),
          "own": {f.key: {"before": f.before, "after": f.after} for f in experiment.figures if f.before is not None}, "arms": results,
          **({} if args.real else {"judged": is_judged(results, args), "brio_less": virtual.differences(experiment, results)})}


def waited_for_a_processor_us():
  """For how long, since boot, some process of the machine could not run for want of a processor; 0 where the kernel does not say."""
  found = re.search(r"some .*total=(\d+)", sysfs.read("/proc/pressure/cpu") or "")
  return int(found[1]) if found else 0


def measured(name, experiments, results, args):
  """For a file: each run, and what it was made with."""
  return {"benchmark": name, "random_seed": args.random_seed, "runs": arms.runs(args), "machine": report.machine() if args.real else None,
          "experiments": [as_dict(e, r, args) for e, r in zip(experiments, results)]}


def keep_unfinished(name, experiments, results, args):
  """Hours of figures are not lost with the run that fails after them."""
  if any(runs for result in results for runs in result.values()):
    report.write_json(args.build_dir / f"bench-{name}-unfinished.json", measured(name, experiments, results, args))


def run(name, experiments, args, against=()):
  """A benchmark from its start to its exit code. against: arms that each experiment gets besides its own, see others.py."""
  process.end_on_signals()
  try:
    reason = missing(experiments, args, against)
  except ERRORS as e:
    reason = e
  if reason:
    return report.fail(name, reason)
  experiments = [others.added(e, against, args.build_dir) for e in experiments]
  begin, waited_us = time.monotonic(), waited_for_a_processor_us()
  results = []
  try:
    if args.real:
      measure(experiments, args, results)
    else:
      virtual.measure(name, experiments, args, results)
      experiments = virtual.with_idle_share(experiments)
    aims = make_aims(experiments, results, args)
  except BaseException as e:
    keep_unfinished(name, experiments, results, args)
    if not isinstance(e, ERRORS):
      raise
    return report.fail(name, e)
  show(name, experiments, results, aims, pressure_line(begin, waited_us) if args.real else virtual.kernel_line(results), args)
  return report.close(aims, args.strict)


def pressure_line(begin, waited_us):
  """How much of the time since then some process of the machine could not run."""
  percent = (waited_for_a_processor_us() - waited_us) / (time.monotonic() - begin) / 1e4
  return f"Some process waited for a processor in {percent:.0f} % of the time; the more, the less the figures are the drive's."


def show(name, experiments, results, aims, last_line, args):
  """Prints the tables and writes the files."""
  for e, result in zip(experiments, results):
    print_arms(e, result, args)
  print(f"\n{own_summary(experiments, results)}".rstrip())
  print("\n".join(["", *confidence_line(arms.runs(args)), last_line]))
  output = args.output or args.build_dir / f"bench-{name}.json"
  chart.write_beside(output, document(experiments, results, aims, last_line, args), name, panels(experiments, results, args), COLUMNS, LEGEND)
  report.write_json(output, measured(name, experiments, results, args) | {"made": last_line, "aims": report.aims_as_dicts(aims)})
