# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts of one program after each other, as they run in a guest in virtual time: the first of them teaches, those beside the load are measured."""
import contextlib
import platform
import time
from pathlib import Path

from .. import alternatives, arms, daemon, loads, matrix, programs
from . import start

# From the end of a start until what it read is on disk, and between two starts.
LEARNING_S = 1.5
# What the helper's own log says of a start.
TOLD = "read ahead:"


@contextlib.contextmanager
def brio(emulated, build_dir, helped):
  policy = daemon.ROOT / "policies" / "10-hdd.conf"
  whole = policy.read_text(encoding="utf-8")
  if not helped:
    policy.write_text(whole.replace("[Prefetch]", "[Prefetch]\nEnabled = no\n[Policy]"), encoding="utf-8")
  options = arms.Brio("Brio", None, build_dir, emulated.drive_class).options(emulated)
  with daemon.Daemon(build_dir, ["--verbose", *options]) as briod:
    alternatives.wait_until_settled(emulated)
    arms.settle(emulated)
    yield briod
    briod.check()


def run(asked, emulated, fs, build_dir):
  """asked: drive, program, load, alternative, helped, seed, lead_s, limit_s, starts, scheduler."""
  before_load_s, before_start_s = start.phases_s(asked["seed"])
  queue = alternatives.Queue(emulated)
  load_type = loads.ALL[asked["load"]]
  queue.reset(asked["scheduler"])
  fs.forget()
  with contextlib.ExitStack() as stack:
    briod = stack.enter_context(brio(emulated, build_dir, asked["helped"])) if asked["brio"] else None
    program = stack.enter_context(programs.ALL[asked["program"]]())
    told = [one_start(program, emulated, fs, asked["limit_s"])]
    time.sleep(LEARNING_S + before_load_s)
    fs.forget()
    load = stack.enter_context(load_type(fs))
    if load_type is not loads.Idle:
      time.sleep(load.ramp_s + asked["lead_s"] + before_start_s)
    for _ in range(asked["starts"]):
      told.append(one_start(program, emulated, fs, asked["limit_s"]))
      time.sleep(LEARNING_S)
      fs.forget()
    load.check()
    log = briod.log() if briod else ""
  return start.rounded({"starts": told, "kernel": platform.release(), "log": [line for line in log.splitlines() if TOLD in line or asked.get("whole_log")]})


def one_start(program, emulated, fs, limit_s):
  watched = start.Watched(program)
  meter = loads.Meter(emulated.device)
  started = watched.start(fs.path, limit_s, lambda: None, lambda: matrix.without_waiting(emulated, meter))
  rates = meter.rates(started.read_bytes)
  return {"seconds": started.seconds, "ended": started.ended, "read_mbps": rates.read_mbps, "write_mbps": rates.write_mbps, "idle_share": watched.idle_share}
