#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records the loads of this directory anew, on an emulated drive: root, fio and FUSE are needed.

usage: record.py [NAME]...

Writes NAME.recording; what a replay of it prints is written by `test-replay.py --update`. The load of each is a table below. A recording is as
long as it needs to be, and short enough to be kept in the tree.
"""
import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.insert(0, str(SOURCE / "tests/lib"))

import brio  # noqa: E402

BYTES_MAX = 100 << 10  # of a recording
QUIET_S = 3            # the drive before the load, and after it
AFTER_S = 14           # what was set goes back some seconds after its reason went

READ = ["--name=load", "--readonly"]
# name: model, scheduler, seconds of load, fio's jobs
LOADS = {
  "many-readers": ("hdd-7200", "bfq", 12, [*READ, "--rw=randread", "--bs=4k", "--numjobs=150", "--thinktime=1s", "--size=16g"]),
  "sequential-readers": ("hdd-7200", "mq-deadline", 8, [*READ, "--rw=read", "--bs=128k", "--numjobs=10", "--offset_increment=2g", "--size=2g"]),
  "one-reader": ("hdd-7200", "bfq", 5, [*READ, "--rw=read", "--bs=256k", "--numjobs=1", "--size=8g", "--rate=8m"]),
  "player-beside-writers": ("hdd-7200", "bfq", 14, ["--name=player", "--rw=read", "--bs=256k", "--size=4g", "--rate=1m", "--name=writers", "--rw=write",
                                                    "--bs=1m", "--numjobs=2", "--ioengine=libaio", "--iodepth=8", "--zero_buffers", "--offset=8g",
                                                    "--offset_increment=8g", "--size=4g", "--startdelay=5"]),
  "film-beside-a-reader": ("disk-2tb", "bfq", 13, ["--name=film", "--rw=read", "--bs=1m", "--size=4g", "--rate=12m", "--name=copy", "--rw=read", "--bs=1m",
                                                   "--offset=8g", "--size=4g", "--startdelay=7"]),
}


@contextlib.contextmanager
def emulated(model, scheduler):
  process = subprocess.Popen([SOURCE / "bench/drive/emulate", "--model", model, "--scheduler", scheduler], stdout=subprocess.PIPE, text=True)
  try:
    yield json.loads(process.stdout.readline())["device"].removeprefix("/dev/")
  finally:
    process.send_signal(signal.SIGTERM)
    process.wait()


@contextlib.contextmanager
def load(device, options):
  """fio in a PID namespace, where the end of its first process ends them all."""
  process = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", "fio", "--name=global", f"--filename=/dev/{device}", "--direct=1",
                              "--time_based", "--runtime=600", "--randseed=1", *options],
                             stdout=subprocess.DEVNULL, preexec_fn=brio.die_with_parent)
  try:
    yield
  finally:
    process.kill()
    process.wait()


def record(name):
  model, scheduler, seconds, options = LOADS[name]
  path = HERE / (name + ".recording")
  path.unlink(missing_ok=True)
  with emulated(model, scheduler) as device, brio.Bus() as bus:
    others = [block for block in os.listdir("/sys/block") if not block.startswith("loop")]  # those are drives where they are named
    with brio.Briod(bus, "--include", f"{device}=hdd", *(f"--exclude={other}" for other in others)):
      recorder = subprocess.Popen([brio.BUILD / "cli/brioctl", "record", "-o", path, device], env={**os.environ, "BRIO_BUS": bus.address})
      time.sleep(QUIET_S)
      with load(device, options):
        time.sleep(seconds)
      time.sleep(AFTER_S)
      recorder.send_signal(signal.SIGINT)
      if recorder.wait() != 0:
        sys.exit(1)
  if path.stat().st_size > BYTES_MAX:
    sys.exit(f"{path} has {path.stat().st_size} bytes: more than {BYTES_MAX}. Shorten the load.")


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("names", metavar="NAME", nargs="*", default=list(LOADS))
  for name in parser.parse_args().names:
    record(name)


if __name__ == "__main__":
  main()
