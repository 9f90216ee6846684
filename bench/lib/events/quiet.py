# SPDX-License-Identifier: GPL-3.0-or-later
"""What briod costs at level 0 beside many processes that do nothing and many unused drives."""
import contextlib
import fcntl
import os
import subprocess
import time
from pathlib import Path

from .. import daemon, memory, process, report, usage
from . import Outcome

PROCESSES, QUICK_PROCESSES = 10000, 2000
DRIVES = 64
DRIVE_BYTES = 1 << 20
SETTLE_S = 15.0  # as for `./dev bench idle`: the start itself is work, and attention falls ten seconds after
SECONDS, QUICK_SECONDS = 20, 10
READY_S = 60
BEGIN_S = 15     # about what making all of it takes
CPU_AIM_PERCENT = 0.5
QUIET_FORKS_PER_S = 1.0  # an idle desktop has about one a minute
LOOP_CTL_REMOVE = 0x4C81


def missing(args):
  program = executable(args.build_dir)
  return memory.missing() or daemon.missing(args.build_dir) or (None if program.exists() else f"{program} is not built")


def executable(build_dir):
  return build_dir / "bench/events/brio-events-sleepers"


def counts(args):
  return (QUICK_PROCESSES, QUICK_SECONDS) if args.quick else (PROCESSES, SECONDS)


def expected_s(args):
  return BEGIN_S + SETTLE_S + counts(args)[1]


@contextlib.contextmanager
def sleepers(build_dir, number):
  with process.Process([executable(build_dir), str(number)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
    end = time.monotonic() + READY_S
    while not child.text("stdout"):
      if child.popen.poll() is not None or time.monotonic() > end:
        raise daemon.DaemonError(f"{number} processes cannot be made: {process.last_line(child.text('stderr'))}")
      time.sleep(process.POLL_S)
    yield child


@contextlib.contextmanager
def drives(number):
  """Their names. The kernel makes loop devices as they are asked for, and keeps them: those that it had not had go again."""
  before = set(os.listdir("/sys/block"))
  with contextlib.ExitStack() as stack:
    stack.callback(remove_new, before)
    yield [stack.enter_context(memory.MemoryDrive(DRIVE_BYTES)).name for _ in range(number)]


def remove_new(before):
  new = [name for name in os.listdir("/sys/block") if name not in before and name.startswith("loop")]
  with open("/dev/loop-control", "rb") as control:
    for name in new:
      with contextlib.suppress(OSError):  # another process uses it by now
        fcntl.ioctl(control, LOOP_CTL_REMOVE, int(Path(name).name[len("loop"):]))


def forks():
  """Processes that began since boot."""
  return next(int(line.split()[1]) for line in Path("/proc/stat").read_text().splitlines() if line.startswith("processes "))


def wait(seconds, briod, tick):
  end = time.monotonic() + seconds
  while time.monotonic() < end:
    briod.check()
    tick()
    time.sleep(process.TICK_S)


def measure(args, tick):
  number, seconds = counts(args)
  with drives(DRIVES) as names, sleepers(args.build_dir, number):
    others = [name for name in os.listdir("/sys/block") if name not in names]  # what is done there is no part of it
    options = [word for name in names for word in ("--include", f"{name}=ssd")] + [word for name in others for word in ("--exclude", name)]
    with daemon.Daemon(args.build_dir, ["--mode", "advise", *options]) as briod:
      wait(SETTLE_S, briod, tick)
      before, begin = usage.counters(briod.pid) | {"forks": forks()}, time.monotonic()
      wait(seconds, briod, tick)
      after, took = usage.counters(briod.pid) | {"forks": forks()}, time.monotonic() - begin
      pss = usage.pss_kib(briod.pid)
  change = {key: after[key] - before[key] for key in before}
  figures = {"processes": number, "drives": DRIVES, "seconds": took, "wakeups_per_s": change["wakeups"] / took,
             "forks_per_s": change["forks"] / took, "cpu_percent": usage.cpu_s(change) / took * 100, "pss_kib": pss}
  lines = ["briod beside {processes} idle processes and {drives} idle drives for {seconds:.0f} s: {wakeups_per_s:.2f} wake-ups/s, "
           "{cpu_percent:.3f} % of a CPU, {pss_kib} KiB PSS".format_map(figures)]
  if figures["forks_per_s"] > QUIET_FORKS_PER_S:
    lines.append(f"The machine was not idle: {figures['forks_per_s']:.0f} new processes/s meanwhile. Measure again when it is quiet.")
  aims = [report.Aim(f"level 0 beside {number} processes and {DRIVES} drives, CPU", figures["cpu_percent"], CPU_AIM_PERCENT, " %", False)]
  return Outcome(figures, aims, lines)
