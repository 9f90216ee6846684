# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts of one program after each other, as they run in a guest in virtual time: the first teaches, those beside the load are measured."""
import contextlib
import platform
import re
import time

from .. import alternatives, arms, daemon, loads, matrix, programs
from . import inside, processor, start, without

# From the end of a start until what it read is on disk.
LEARNING_S = 1.5
# What briod's log says of a start.
TOLD = "read ahead:"
HELPER_CPU = re.compile(r"([0-9.]+) ms of the processor")


@contextlib.contextmanager
def brio(emulated, build_dir, helped, scheduler, policy):
  """On each class of drive; another scheduler than bfq stays what it is. policy: the program's."""
  without.add(f"[Prefetch]\nEnabled = {'yes' if helped else 'no'}\n{policy}" + ("" if scheduler == "bfq" else "[Scheduler]\nPrefer = keep\n"))
  options = arms.Brio("Brio", None, build_dir, emulated.drive_class).options(emulated)
  with daemon.Daemon(build_dir, ["--verbose", *options]) as briod:
    alternatives.wait_until_settled(emulated)
    arms.settle(emulated)
    yield briod


def run(asked, emulated, fs, build_dir):
  """asked: drive, program, load, scheduler, brio (whether it runs), helped (whether it reads ahead), seed, lead_s, limit_s, starts,
  warm (whether what a start reads is in memory)."""
  before_load_s, before_start_s = start.phases_s(asked["seed"])
  load_type = loads.ALL[asked["load"]]
  alternatives.Queue(emulated).reset(asked["scheduler"])
  fs.forget()
  with contextlib.ExitStack() as stack:
    policy = programs.ALL[asked["program"]].policy
    briod = stack.enter_context(brio(emulated, build_dir, asked["helped"], asked["scheduler"], policy)) if asked["brio"] else None
    program = stack.enter_context(programs.ALL[asked["program"]]())
    program.prepare(fs)
    first = one_start(program, emulated, fs, asked["limit_s"])
    processor.serve_drives_first()
    time.sleep(LEARNING_S + before_load_s)
    fs.forget()
    load = stack.enter_context(load_type(fs, asked["seed"]))
    if load_type is not loads.Idle:
      time.sleep(load.ramp_s + asked["lead_s"])
    time.sleep(before_start_s)
    told = []
    if asked.get("warm"):
      one_start(program, emulated, fs, asked["limit_s"])
      time.sleep(LEARNING_S)
    for _ in range(asked["starts"]):
      told.append(one_start(program, emulated, fs, asked["limit_s"], first["read_bytes"]))
      time.sleep(LEARNING_S)
      if not asked.get("warm"):
        fs.forget()
    load.check()
    if briod:
      briod.check()
    log = [line for line in briod.log().splitlines() if TOLD in line] if briod else []
    for each, cpu_ms in zip(reversed(told), reversed(helpers_cpu_ms(log))):
      each["helper_cpu_ms"] = cpu_ms
    figures = {"first": first, "starts": told, "kernel": platform.release(), "briod": log}
    inside.tell_figures(figures)
  return figures


def helpers_cpu_ms(log):
  """Of each child that read ahead. The log tells the decision in such words, too."""
  return [float(found[1]) for found in map(HELPER_CPU.search, log) if found]


def one_start(program, emulated, fs, limit_s, least_bytes=0):
  """least_bytes: that the program reads, itself or by the child that reads ahead for it; the rest of what the drive moves is the load's."""
  watched = start.Watched(program)
  meter = loads.Meter(emulated.device)
  started = watched.start(fs.path, limit_s, lambda: None, lambda: matrix.without_waiting(emulated, meter))
  rates = meter.rates(max(started.read_bytes, least_bytes))
  program.end()
  return {"read_bytes": started.read_bytes, "seconds": started.seconds, "ended": started.ended, "moved_mbps": rates.read_mbps + rates.write_mbps, "idle_share": watched.idle.share}
