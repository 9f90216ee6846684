# SPDX-License-Identifier: GPL-3.0-or-later
"""Seed 003 (Valente 2017): a program that starts cold while others read and write in sequence.

The seed starts LibreOffice Writer, which takes three seconds, and eight where the background is mistaken for soft real-time
streams. The short run starts Python with many imports instead. The load is the S suite's: five readers, five writers.
"""
import contextlib
import time

from .. import arms, drive, loads, process, programs
from ..experiment import DEFAULT, Experiment, Figure, Share

LOAD = loads.ReadersWriters
IDLE = "bfq, idle drive"
START_TIMEOUT_S = 60


def enter_place(program, build_dir):
  @contextlib.contextmanager
  def enter(emulated):
    with programs.content([program, LOAD], build_dir) as content, loads.make_filesystem(emulated, content) as mounted:
      mounted.forget()
      yield arms.Place(emulated, mounted)
  return enter


def workload(program, load):
  """The program starts when the load has run for runtime_s."""
  def run(place, runtime_s, seed, during):
    begin = time.monotonic()
    with load(place.mounted, seed) as running:
      while (elapsed := time.monotonic() - begin) < runtime_s:
        during(elapsed)
        time.sleep(process.POLL_S)
      meter = loads.Meter(place.device)
      start = program.start(place.directory, START_TIMEOUT_S, lambda: during(time.monotonic() - begin))
      rates = meter.rates(start.read_bytes)
      running.check()
    return {"start_s": start.seconds, "ended": start.ended, "read_mbps": rates.read_mbps, "write_mbps": rates.write_mbps}
  return run


def choose(quick):
  """Python also where no Debian tree with LibreOffice can be made."""
  return programs.Python() if quick or programs.Writer.missing() else programs.Writer()


def given_up(results):
  """Says of which arms the median rests on starts that were given up, and so may be too short."""
  numbers = {name: sum(not run["ended"] for run in runs) for name, runs in results.items()}
  return "\n".join(f"{name}: {number} of {len(results[name])} starts were given up, and count as {START_TIMEOUT_S} s though they took longer."
                   for name, number in numbers.items() if number)


def experiments(build_dir, quick):
  program = choose(quick)
  loaded = workload(program, LOAD)
  return [Experiment(
    title=f"003 {program.name} beside readers and writers", model=drive.USED["ssd"], runtime_s=6 if quick else 12,
    arms=(
      arms.Plain("bfq", loaded),
      arms.Plain(DEFAULT, loaded, DEFAULT),
      arms.Plain(IDLE, workload(program, loads.Idle)),
      arms.Brio("bfq + Brio", loaded, build_dir, "ssd"),
    ),
    figures=(
      Figure("start_s", "start s", False, 8, 3),
      Figure("read_mbps", "read MB/s meanwhile", True),
      Figure("write_mbps", "written MB/s meanwhile", True),
    ),
    aims=(Share("start_s", "cold start", 110, False, against=IDLE),), enter_place=enter_place(program, build_dir), shared_place=True,
    missing=program.missing() or LOAD.missing(), tables=given_up,
  )]
