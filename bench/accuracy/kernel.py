# SPDX-License-Identifier: GPL-3.0-or-later
"""The part `kernel` of `./dev bench accuracy`: which processes bfq takes for soft real-time, by its own log, against core's rule over a recording of the same
run. Each process has one thread and a stretch of the drive of its own, so that it has one of bfq's queues."""
import contextlib
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from lib import daemon, drive, fio, process, report, trees
from lib.accuracy import AccuracyError, record
from lib.events import Outcome

KIB, MIB = 1 << 10, 1 << 20
SECONDS = 12
STRETCH_MIB = 1024
SOFT_RT = 3000
TRACING = Path("/sys/kernel/tracing")
BEGIN_TIMEOUT_S = 10
JOB_TIMEOUT_S = 30  # fio and its libraries may have to be read from a busy drive first
END_TIMEOUT_S = 30
OVERHEAD_S = 10
US_PER_S = 1000000
APART_S = 0.4  # those that begin less than 180 ms after each other are a burst, and whether they are may hang by a millisecond
AGREEMENT_AIM = 0.95

PLAYERS = {
  "256 KiB at 1 MiB/s": {"rw": "read", "bs": 256 * KIB, "rate": MIB},
  "64 KiB at 256 KiB/s": {"rw": "read", "bs": 64 * KIB, "rate": 256 * KIB},
  "1 MiB at 3 MiB/s": {"rw": "read", "bs": MIB, "rate": 3 * MIB},
  "writes 256 KiB at 1 MiB/s": {"rw": "write", "bs": 256 * KIB, "rate": MIB},
}
OTHERS = {
  "as fast as it can": {"rw": "read", "bs": 64 * KIB},
  "8 MiB/s": {"rw": "read", "bs": 256 * KIB, "rate": 8 * MIB},
  "2 MiB at once each second": {"rw": "read", "bs": 64 * KIB, "thinktime": "1s", "thinktime_blocks": 32},
  "random, 20 a second": {"rw": "randread", "bs": 4 * KIB, "rate_iops": 20},
}
GREEDY = {f"greedy {n}": {"rw": "read", "bs": 64 * KIB} for n in range(3)}
RUNS = {"alone, one after the other": [{name: options} for name, options in (PLAYERS | OTHERS).items()],
        "together": [PLAYERS | OTHERS],
        "under three greedy readers": [PLAYERS | GREEDY]}
QUICK_RUNS = {"together": [PLAYERS | OTHERS]}


def program(args):
  return args.build_dir / "bench" / "accuracy" / "brio-accuracy-kernel"


def missing(args):
  if not program(args).exists():
    return f"{program(args)} is not built"
  tracers = TRACING / "available_tracers"
  if not tracers.exists() or "blk" not in tracers.read_text().split():
    return "the kernel has no blk tracer (tracefs at /sys/kernel/tracing)"
  if (TRACING / "current_tracer").read_text().strip() != "nop":
    return "another program uses the kernel's tracer"
  return drive.missing() or daemon.missing(args.build_dir) or fio.missing()


def runs(args):
  return QUICK_RUNS if args.quick else RUNS


def expected_s(args):
  return sum(len(each) for each in runs(args).values()) * (SECONDS + OVERHEAD_S)


@dataclass
class Compared:
  """One process: how long both watched it, how long they agreed on whether it is soft real-time, and how long each had it so; in µs."""
  name: str
  span: int
  same: int
  kernels: int
  ours: int

  @property
  def verdicts(self):
    return self.kernels > 0, self.ours > 0


def measure(args, tick):
  """Returns the Outcome."""
  found, lost = {}, 0
  for title, groups in runs(args).items():
    found[title] = []
    for jobs in groups:
      compared, losses = run(jobs, args, tick)
      found[title] += compared
      lost += losses
  return outcome(found, lost)


def run(jobs, args, tick):
  """Returns what was compared of each job, and how often the kernel's log lost something."""
  with contextlib.ExitStack() as stack:
    place = Path(stack.enter_context(trees.temporary(args.build_dir)))
    emulated = stack.enter_context(drive.EmulatedDrive("hdd-7200", "bfq", args.build_dir, seed=args.random_seed))
    briod = stack.enter_context(daemon.Daemon(args.build_dir, record.options(emulated)))
    file = place / "a.recording"
    recorder = stack.enter_context(record.recorder(args.build_dir, briod, emulated, file))
    listener = stack.enter_context(process.Process([str(program(args)), "listen", emulated.name, str(place)], stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    wait_ready(listener, file)
    record.pause(record.QUIET_S, tick)  # a process that asks in the first second is taken for one that was there before
    pids = play(jobs, emulated, tick)
    record.pause(record.AFTER_S, tick)
    listener.popen.terminate()
    kernels, _ = listener.finish(END_TIMEOUT_S)
    record.finish(recorder)
    ours = process.output([str(program(args)), "rule", str(file)], AccuracyError)
  spans, lost = parse(kernels)
  rule, _ = parse(ours)
  return [compare(name, spans.get(pid, []), rule.get(pid, []), begin, end) for name, (pid, begin, end) in pids.items()], lost


def wait_ready(listener, file):
  end = time.monotonic() + BEGIN_TIMEOUT_S
  while "ready" not in listener.text("stdout") or not file.exists() or not file.stat().st_size:
    if listener.popen.poll() is not None:
      raise AccuracyError(process.last_line(listener.text("stderr"), "nothing listens to bfq"))
    if time.monotonic() > end:
      raise AccuracyError("the recording did not begin")
    time.sleep(process.POLL_S)


def play(jobs, emulated, tick):
  """Runs each job as a process. Returns its number, and from when to when it ran in µs, by its name."""
  with contextlib.ExitStack() as stack:
    pids = {}
    for number, (name, options) in enumerate(jobs.items(), 1):
      common = {"filename": emulated.device, "offset": f"{number * STRETCH_MIB}m", "size": f"{STRETCH_MIB}m", "direct": 1, "ioengine": "psync", "time_based": True,
                "runtime": SECONDS, "prioclass": 2, "prio": 4, "allow_mounted_write": 1}
      child = stack.enter_context(process.Process(fio.command_of_jobs({"job": common | options}), stdout=subprocess.PIPE, stderr=subprocess.PIPE))
      pids[name] = job_of(child), record.now_us()
      record.pause(APART_S, tick)
    record.pause(SECONDS - APART_S * len(jobs), tick)
    return {name: (pid, begin, min(record.now_us(), begin + SECONDS * US_PER_S)) for name, (pid, begin) in pids.items()}


def job_of(child):
  """The process in which fio runs its only job."""
  end = time.monotonic() + JOB_TIMEOUT_S
  while time.monotonic() < end:
    if child.popen.poll() is not None:
      raise AccuracyError(f"fio ended before its job began: {process.last_line(child.text('stderr'), f'status {child.returncode}')}")
    with contextlib.suppress(FileNotFoundError):
      if numbers := Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split():
        return int(numbers[0])
    time.sleep(process.POLL_S)
  raise AccuracyError(f"fio has begun no job within {JOB_TIMEOUT_S} s: {process.last_line(child.text('stderr'))}")


def parse(text):
  """What brio-accuracy-kernel prints: thread or process → [(time, factor)] in turn, and the losses."""
  found, lost = {}, 0
  for words in map(str.split, text.splitlines()):
    if words[0] == "lost":
      lost = int(words[1])
    elif words[0] != "ready":
      found.setdefault(int(words[1]), []).append((int(words[0]), int(words[2])))
  return found, lost


def compare(name, kernels, ours, begin, end):
  """From the first that bfq says of it; before that it does not know the process either."""
  begin = max(begin, kernels[0][0]) if kernels else begin
  times = sorted({begin, end, *(t for t, _ in kernels + ours if begin < t < end)})
  result = Compared(name, end - begin, 0, 0, 0)
  for one, other in zip(times, times[1:]):
    theirs, mine = (factor_at(each, one) == SOFT_RT for each in (kernels, ours))
    result.same += (theirs == mine) * (other - one)
    result.kernels += theirs * (other - one)
    result.ours += mine * (other - one)
  return result


def factor_at(changes, t):
  return next((factor for when, factor in reversed(changes) if when <= t), 1)


def outcome(found, lost):
  rows, figures = [], {}
  for title, each in found.items():
    for one in each:
      rows.append([title, one.name, *(f"{100 * n / one.span:.0f} %" for n in (one.kernels, one.ours, one.same))])
    figures[title] = [vars(one) for one in each]
  everyone = [one for each in found.values() for one in each]
  span, same = sum(one.span for one in everyone), sum(one.same for one in everyone)
  alike = sum(one.verdicts[0] == one.verdicts[1] for one in everyone)
  lines = ["", "Soft real-time, by bfq's own log and by core's rule over a recording of the same run:",
           report.markdown(["run", "process", "bfq", "core", "of the time they agree"], rows), "",
           f"{alike} of {len(everyone)} queues had the same verdict. Times that the kernel's log lost something: {lost}."]
  aims = [report.Aim("time in which bfq and core's rule agree", same / span, AGREEMENT_AIM, "", True)]
  return Outcome({"runs": figures, "lost": lost, "agreement": same / span, "queues": len(everyone), "queues_alike": alike}, aims, lines)
