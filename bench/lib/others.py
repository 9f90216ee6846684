# SPDX-License-Identifier: GPL-3.0-or-later
"""What one can do today besides bfq, as further arms of an experiment: the other schedulers as they come, and the real TuneD."""
import dataclasses

from . import alternatives, arms, debian, tuned

STATIC = ("mq-deadline", "none", "kyber")
WITH_TUNED = {a.name: a for a in alternatives.ALL.values() if isinstance(a, alternatives.WithTuned)}
NAMES = (*STATIC, *WITH_TUNED)


class UnderTuned(arms.Plain):
  """The kernel's default scheduler, and TuneD's daemon with a profile."""

  def __init__(self, alternative, workload, build_dir, drive_class):
    super().__init__(alternative.title, workload, alternative.scheduler(drive_class))
    self.profile = alternative.profile
    self.build_dir = build_dir

  def run(self, place, runtime_s, seed, tick):
    with tuned.Tuned(debian.tuned(self.build_dir), self.profile, place.emulated.name):
      return super().run(place, runtime_s, seed, tick)


def missing(names, build_dir):
  """Why an arm cannot run here, in one line; None where all can. Makes TuneD's tree where it is wanted and not there yet."""
  if not any(name in WITH_TUNED for name in names):
    return None
  reason = debian.missing()
  if not reason:
    debian.tuned(build_dir)
  return reason


def added(experiment, names, build_dir):
  """The experiment with those arms before Brio's, without those that it has by itself. They run what Brio's runs."""
  *own, brio = experiment.arms
  has = {arm.scheduler for arm in own if not arm.tuned}
  static = [arms.Plain(name, brio.workload, name, asked={"against": [name]}) for name in names if name in STATIC and name not in has]
  with_tuned = [UnderTuned(WITH_TUNED[name], brio.workload, build_dir, brio.drive_class) for name in names if name in WITH_TUNED]
  return dataclasses.replace(experiment, arms=(*own, *static, *with_tuned, brio))
