#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drive as busy as in the documentation's pictures, with briod looking after it, for ./dev screenshots --docs --load.

The drive is emulated (bench/README.md) and the only one that this briod sees. Python is started from it, cold: twice while nothing else
goes on, and once while others read big files and a video plays from it. Then a line is printed, with the address of briod's bus, the drive,
the program that was started and the one that plays, and all goes on until this program is ended."""
import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from lib import alternatives, arms, daemon, drive, experiment, filesystem, fio, loads, player, process, programs, report, sysfs, trees  # noqa: E402

MODEL = "hdd-7200"
PROGRAM = programs.Python()
IDLE_STARTS = 2
READERS = 5
PLAYS_S = 240
START_PATIENCE_S = 60
PATIENCE_S = 90  # with Brio, on a machine that has other things to do
LOOK_S = 0.5
ERRORS = (drive.DriveError, filesystem.FilesystemError, trees.TreeError, loads.LoadError, programs.ProgramError, daemon.DaemonError,
          fio.FioError, experiment.WorkloadError, subprocess.SubprocessError, TimeoutError)


class Busy:
  def __init__(self, briod, fs):
    self.briod = briod
    self.fs = fs

  def ask(self, verb):
    return json.loads(self.briod.brioctl("--json", verb))

  def wait_for(self, what, condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
      if time.monotonic() > end:
        raise TimeoutError(f"after {PATIENCE_S} s there is no {what}")
      time.sleep(LOOK_S)

  def start(self):
    """Until briod has told of it."""
    before = len(self.starts())
    sysfs.drop_clean_caches()
    PROGRAM.start(self.fs.path, START_PATIENCE_S)
    self.wait_for("start of a program in briod's list", lambda: len(self.starts()) > before)

  def starts(self):
    return json.loads(self.briod.brioctl("--json", "startups", PROGRAM.name)) if self.ask("startups") else []

  def has_stream(self):
    return any(stream["state"] == "stream" for stream in self.ask("streams"))


@contextlib.contextmanager
def playing(path):
  with process.Process(player.command(path, PLAYS_S), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as ffmpeg:
    yield ffmpeg


def readers(fs):
  load = loads.Readers(fs)
  load.readers = READERS
  return load


def serve(args):
  with contextlib.ExitStack() as stack:
    on_it = {"video": player.video(args.build_dir, PLAYS_S)} | PROGRAM.trees(args.build_dir)
    emulated = stack.enter_context(drive.EmulatedDrive(MODEL, "none", args.build_dir))
    with trees.joined(args.build_dir, on_it) as content:
      fs = stack.enter_context(filesystem.Ext4(emulated, content, big_files=READERS, big_file_bytes=loads.BIG_FILE_BYTES))
    kernels = alternatives.kernel_default(emulated.drive_class)
    emulated.reselect(kernels)
    briod = stack.enter_context(daemon.Daemon(args.build_dir, arms.Brio("", None, args.build_dir, emulated.drive_class).options(emulated)))
    busy = Busy(briod, fs)
    # It does so where the drive is quiet, or not at all.
    busy.wait_for("scheduler that Brio chose", lambda: sysfs.scheduler(emulated.device) != kernels)
    for _ in range(IDLE_STARTS):
      busy.start()
    load = stack.enter_context(readers(fs))
    stack.enter_context(playing(fs.path / "video" / player.NAME))
    busy.wait_for("stream", busy.has_stream)
    busy.wait_for("decision", lambda: busy.ask("decisions"))
    busy.start()
    load.check()
    print(briod.address, emulated.name, PROGRAM.name, "ffmpeg", flush=True)
    signal.pause()


def missing(args):
  return drive.missing() or fio.missing() or filesystem.missing() or PROGRAM.missing() or player.missing() or daemon.missing(args.build_dir)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--build-dir", default=ROOT / "build", type=Path)
  args = parser.parse_args()
  process.follow(os.getppid())
  process.end_on_signals()
  reason = missing(args)
  if reason:
    return report.fail("busy-drive", reason)
  try:
    serve(args)
  except ERRORS as e:
    return report.fail("busy-drive", e)
  return 0


if __name__ == "__main__":
  sys.exit(main())
