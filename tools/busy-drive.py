#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drive as busy as in the documentation's pictures, with briod looking after it, for ./dev screenshots --docs --load.

The drive is emulated (bench/README.md) and the only one that this briod sees. Python is started from it, cold: twice while nothing else
goes on, and once while a backup, copies and checksums read big files and a video plays from it. Then a line is printed, with the address of
briod's bus, the drive, the program that was started and the one that plays, and all goes on until this program is ended."""
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
from lib import alternatives, arms, daemon, drive, experiment, filesystem, loads, player, process, programs, report, sysfs, trees  # noqa: E402

MODEL = "hdd-7200"
PROGRAM = programs.Python()
IDLE_STARTS = 2
# Each reads a big file of its own, "$1", again and again, and never from memory.
READERS = ('tar -c "$1" | cat >/dev/null', 'cp "$1" /dev/null', 'md5sum "$1" >/dev/null', 'sha1sum "$1" >/dev/null', 'cat "$1" >/dev/null')
AGAIN = 'while eval "$0" 2>/dev/null; do dd of="$1" oflag=nocache conv=notrunc,fdatasync count=0 status=none || exit; done'
PLAYS_S = 240
START_PATIENCE_S = 60
PATIENCE_S = 90  # with Brio, on a machine that has other things to do
LOOK_S = 0.5
ERRORS = (drive.DriveError, filesystem.FilesystemError, trees.TreeError, loads.LoadError, programs.ProgramError, daemon.DaemonError,
          experiment.WorkloadError, subprocess.SubprocessError, TimeoutError)


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
    known = any(start["application"] == PROGRAM.name for start in self.ask("startups"))  # others start here, too
    return json.loads(self.briod.brioctl("--json", "startups", PROGRAM.name)) if known else []

  def has_stream(self):
    return any(stream["state"] == "stream" for stream in self.ask("streams"))


@contextlib.contextmanager
def playing(path):
  with process.Process(player.command(path, PLAYS_S), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as ffmpeg:
    yield ffmpeg


class Readers(loads.Load):
  title = "a backup, copies and checksums"

  def commands(self):
    return [["sh", "-c", AGAIN, program, self.fs.big_file(i)] for i, program in enumerate(READERS)]


def serve(args):
  with contextlib.ExitStack() as stack:
    on_it = {"video": player.video(args.build_dir, PLAYS_S)} | PROGRAM.trees(args.build_dir)
    emulated = stack.enter_context(drive.EmulatedDrive(MODEL, "none", args.build_dir))
    with trees.joined(args.build_dir, on_it) as content:
      fs = stack.enter_context(filesystem.Ext4(emulated, content, big_files=len(READERS), big_file_bytes=loads.BIG_FILE_BYTES))
    kernels = alternatives.kernel_default(emulated.drive_class)
    emulated.reselect(kernels)
    briod = stack.enter_context(daemon.Daemon(args.build_dir, arms.Brio("", None, args.build_dir, emulated.drive_class).options(emulated)))
    busy = Busy(briod, fs)
    # It does so where the drive is quiet, or not at all.
    busy.wait_for("scheduler that Brio chose", lambda: sysfs.scheduler(emulated.device) != kernels)
    for _ in range(IDLE_STARTS):
      busy.start()
    load = stack.enter_context(Readers(fs))
    stack.enter_context(playing(fs.path / "video" / player.NAME))
    busy.wait_for("stream", busy.has_stream)
    busy.wait_for("decision", lambda: busy.ask("decisions"))
    busy.start()
    load.check()
    print(briod.address, emulated.name, PROGRAM.name, "ffmpeg", flush=True)
    signal.pause()


def missing(args):
  return drive.missing() or filesystem.missing() or PROGRAM.missing() or player.missing() or daemon.missing(args.build_dir)


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
