# SPDX-License-Identifier: GPL-3.0-or-later
"""Many runs in guests, with one line that says what runs and how long it will still take."""
import sys
import time

from .. import progress
from . import machine

# Seconds of a processor that a run takes: to load the state, and for each second of the guest's with a load.
LOADING_S, LOADED_TIMES = 10.0, 3.0


class OutOfTime(Exception):
  """No run is begun any more."""


def expected_s(guest_s):
  """Of this machine's time, for a run of so many seconds in the guest."""
  return (LOADING_S + LOADED_TIMES * guest_s) / machine.at_a_time()


def run(jobs, labels, expected, build_dir, told, minutes=None):
  """jobs: as of machine.run_all(); a label and the expected seconds for each. Fills told: number of the job → what its guest measured, also where
  this is interrupted, but for the log. minutes: after so many no run is begun; those under way are given up."""
  end = minutes and time.monotonic() + 60 * minutes
  line = progress.Progress(len(jobs), expected)

  def begun(i):
    if end and time.monotonic() > end:
      raise OutOfTime
    line.step(labels[i])

  def ended(i, result):
    told[i] = {key: value for key, value in result.items() if key != "log"}
    line.finish_step()

  try:
    machine.run_all(jobs, build_dir, begun, ended, line.tick)
  except OutOfTime:
    print(f"{len(told)} of {len(jobs)} runs were made within {minutes} minutes.", file=sys.stderr)
  finally:
    line.close()
