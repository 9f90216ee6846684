# SPDX-License-Identifier: GPL-3.0-or-later
"""The throughput benchmark's experiments: what a busy drive moves while no user waits."""
import contextlib
import subprocess
import time

from . import arms, loads, matrix, process, trees
from .experiment import Experiment, Figure, ShareOfBest

LOADS = {load.name: load for load in (loads.Readers, loads.Writers, loads.ReadersWriters, loads.Copy)}
STATIC = ("mq-deadline", "bfq", "none", "kyber")
PERCENT = 97
RUNTIME_S, QUICK_RUNTIME_S = 30, 10
WARM_UP_S = 6  # until all of a load's jobs run, its first pages are written back, and briod has found it
HOLD_S = 3600  # longer than any run
FIGURES = (
  Figure("mbps", "MB/s", True),
  Figure("read_mbps", "read", True),
  Figure("write_mbps", "written", True),
)


def workload(load):
  def run(place, runtime_s, seed, during):
    begin = time.monotonic()

    def run_for(seconds):
      end = time.monotonic() + seconds
      while time.monotonic() < end:
        during(time.monotonic() - begin)
        time.sleep(process.POLL_S)

    with load(place.mounted, seed) as running:
      run_for(WARM_UP_S)
      running.check()
      meter = loads.Meter(place.device)
      run_for(runtime_s)
      rates = meter.rates()
      running.check()
    return {"mbps": rates.read_mbps + rates.write_mbps, "read_mbps": rates.read_mbps, "write_mbps": rates.write_mbps}
  return run


class Holding(arms.Brio):
  """With a program that holds "throughput" as long as the load runs."""

  def workload_with(self, briod):
    def run(place, runtime_s, seed, during):
      argv = briod.command("hold", "throughput", "--reason", "benchmark", "--", "sleep", str(HOLD_S))
      with process.Process(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE):
        return self.workload(place, runtime_s, seed, during)
    return run


def enter_place(build_dir):
  @contextlib.contextmanager
  def enter(emulated):
    with trees.joined(build_dir, {}) as content, loads.make_filesystem(emulated, content) as mounted:
      mounted.forget()
      yield arms.Place(emulated, mounted)
  return enter


def experiment(name, load, args):
  run = workload(load)
  return Experiment(
    title=f"{name}, {load.title}", model=matrix.model(name), runtime_s=args.runtime or (QUICK_RUNTIME_S if args.quick else RUNTIME_S),
    arms=(*(arms.Plain(scheduler, run, scheduler) for scheduler in STATIC), Holding("bfq + Brio", run, args.build_dir, name)),
    figures=FIGURES, aims=(ShareOfBest("mbps", "throughput", PERCENT),), enter_place=enter_place(args.build_dir), shared_place=True, missing=load.missing(),
    asked={"drives": [name], "loads": [load.name]}, overhead_s=WARM_UP_S + arms.OVERHEAD_S,
  )


def experiments(args):
  return [experiment(name, LOADS[load], args) for name in args.drives for load in args.loads]
