# SPDX-License-Identifier: GPL-3.0-or-later
"""Many runs in guests, with one line that says what runs and how long it will still take."""
import sys
import time
from dataclasses import dataclass

from .. import progress
from . import machine, runs, states

# Seconds of a processor that a run takes: to load the state, and for each second of the guest's with a load.
LOADING_S, LOADED_TIMES = 4.0, 1.0


class OutOfTime(Exception):
  """No run is begun any more."""


@dataclass(frozen=True)
class Run:
  """drive: as options name it, or a model. request: what its guest is asked for, see inside.measured(): the same for the same figures, whatever else is
  measured. expected_s: of this machine's time. graphical: whether it starts a program of the Debian tree."""
  drive: str
  request: dict
  label: str
  expected_s: float
  graphical: bool = False


def expected_s(guest_s):
  """Of this machine's time, for a run of so many seconds in the guest."""
  return (LOADING_S + LOADED_TIMES * guest_s) / machine.at_a_time()


def measure(planned, args, told, what="runs"):
  """planned: of Run; otherwise as run()."""
  run(prepared(planned, args, what), [one.label for one in planned], [one.expected_s for one in planned], args, told, getattr(args, "minutes", None))


def prepared(planned, args, what):
  """Says what it takes, and makes the states that are not there yet. Returns jobs as of machine.run_all()."""
  minutes = max(round(sum(one.expected_s for one in planned) / 60), 1)
  about = f"{counted(len(planned), what)} in virtual time, {machine.at_a_time()} at a time, about {counted(minutes, 'minutes')}."
  print(f"{about}{states.first_time(planned, args)}", file=sys.stderr)
  return [(*state, one.request) for state, one in zip(states.states(planned, args), planned)]


def counted(number, what):
  return f"{number} {what if number != 1 else what.removesuffix('s')}"


def with_logs(planned, args, what):
  """What each guest told, with its log: of runs that are not kept."""
  jobs, told = prepared(planned, args, what), {}
  machine.run_all(jobs, machine.under_test(jobs, args.build_dir), lambda _: None, told.__setitem__, lambda: None, log=True)
  return [told[i] for i in range(len(jobs))]


def run(jobs, labels, expected, args, told, minutes=None):
  """jobs: as of machine.run_all(); a label and the expected seconds for each. Fills told: number of the job → what its guest measured, also where
  this is interrupted, but for the log. What was measured before is taken from there, unless args.again. minutes: after so many no run is begun;
  those under way are given up."""
  end = minutes and time.monotonic() + 60 * minutes
  tested = machine.under_test(jobs, args.build_dir)
  files = runs.files(jobs, args.build_dir, tested)
  if not args.again:
    told |= {i: before for i, file in enumerate(files) if (before := runs.kept(file))}
  left = [i for i in range(len(jobs)) if i not in told]
  if told:
    print(f"{len(told)} of {len(jobs)} were measured before, of the same build; {len(left)} are left. (--again measures all.)", file=sys.stderr)
  line = progress.Progress(len(left), [expected[i] for i in left])

  def begun(number):
    if end and time.monotonic() > end:
      raise OutOfTime
    line.step(labels[left[number]])

  def ended(number, result):
    i = left[number]
    told[i] = {key: value for key, value in result.items() if key != "log"}
    runs.keep(files[i], told[i])
    line.finish_step()

  try:
    machine.run_all([jobs[i] for i in left], tested, begun, ended, line.tick)
  except OutOfTime:
    print(f"{len(told)} of {len(jobs)} runs are there after {minutes} minutes.", file=sys.stderr)
  finally:
    line.close()
