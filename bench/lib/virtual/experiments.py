# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparing benchmarks in virtual time: each run of an arm in a guest of its own, and the arms held against Brio's seed by seed."""
import dataclasses

from .. import arms, censored, others, summary
from ..experiment import Figure
from . import arm, batch, system


def missing(args):
  """Why no guest can run here, in one line; None where it can."""
  with_tuned = [name for name in getattr(args, "against", None) or () if name in others.WITH_TUNED]
  if with_tuned:
    return f"'{with_tuned[0]}' is not to be had in virtual time"
  return system.missing(args.build_dir, args.debian)


def request(name, experiment, treated, seed, runtime_s):
  """What a guest is asked for; see arm.run(). name: the benchmark's."""
  return {"module": "arm", "benchmark": name, "arguments": experiment.asked | treated.asked, "experiment": experiment.title, "arm": treated.name, "seed": seed,
          "runtime_s": runtime_s} | ({} if isinstance(treated, arms.Brio) else {"brio": False})


def plan(experiments, args):
  """All runs, seed by seed, so that an interrupted benchmark has whole rounds: (number of the experiment, arm, seed)."""
  seeds = range(args.random_seed, args.random_seed + arms.runs(args))
  return [(number, treated, seed) for seed in seeds for number, each in enumerate(experiments) for treated in each.arms]


def measure(name, experiments, args, results):
  """Adds to results, for each experiment: arm's name → figures of each run, by seed, also where this is interrupted."""
  runs = plan(experiments, args)
  told = {}
  try:
    batch.measure([run_of(name, experiments[number], treated, seed, args) for number, treated, seed in runs], args, told)
  finally:
    results += [{treated.name: [] for treated in each.arms} for each in experiments]
    for i in sorted(told):
      number, treated, _ = runs[i]
      results[number][treated.name].append(told[i])


def run_of(name, experiment, treated, seed, args):
  runtime_s = args.runtime or experiment.runtime_s
  return batch.Run(experiment.model, request(name, experiment, treated, seed, runtime_s), f"{experiment.title}: {treated.name}, seed {seed}",
                   batch.expected_s(runtime_s + experiment.overhead_s), experiment.graphical)


def with_idle_share(experiments):
  """The experiments, whose figures have the guest processor's idle share among them."""
  return [dataclasses.replace(each, figures=(*each.figures, Figure(arm.IDLE, "processor idle %", True))) for each in experiments]


def is_judged(result):
  """Whether the drive and not the guest's processor decided in each arm."""
  return summary.is_judged(run[arm.IDLE] / 100 for runs in result.values() for run in runs)


def kernel_line(results):
  """What the guests ran, and how the figures are to be read."""
  run = next(run for result in results for runs in result.values() for run in runs)
  return f"In virtual time, on Linux {run['kernel']}; below {100 * summary.JUDGED_FROM:.0f} % of the processor idle a cell is not judged."


def differences(experiment, result):
  """Another arm's name → figure's key → what Brio's is more than that arm's, for each seed that both have."""
  *others_, ours = experiment.arms
  return {each.name: {figure.key: by_seed(result[ours.name], result[each.name], figure.key) for figure in experiment.figures} for each in others_}


def by_seed(ours, theirs, key):
  before = {run["seed"]: run[key] for run in theirs}
  return [run[key] - before[run["seed"]] for run in ours if run["seed"] in before]


def differences_table(experiment, result):
  """The medians of the differences and their intervals."""
  rows = [[name, *(summary.median_text([*map(censored.Figure, each)]) if each else "" for each in found.values()), str(len(result[name]))]
          for name, found in differences(experiment, result).items()]
  return ["Brio's less that of", *(figure.name for figure in experiment.figures), "seeds"], rows
