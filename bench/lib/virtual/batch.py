# SPDX-License-Identifier: GPL-3.0-or-later
"""Many runs in guests, with one line that says what runs and how long it will still take."""
import sys
import time

from .. import progress
from . import machine, runs

# Seconds of a processor that a run takes: to load the state, and for each second of the guest's with a load.
LOADING_S, LOADED_TIMES = 10.0, 3.0


class OutOfTime(Exception):
  """No run is begun any more."""


def expected_s(guest_s):
  """Of this machine's time, for a run of so many seconds in the guest."""
  return (LOADING_S + LOADED_TIMES * guest_s) / machine.at_a_time()


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
