# SPDX-License-Identifier: GPL-3.0-or-later
"""Records a scenario: a fresh emulated drive with a file system, a briod that watches it alone and sets nothing, `brioctl record`, the
programs at their times, and the labels from what the kernel told of their processes."""
import contextlib
import gzip
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from .. import arms, daemon, drive, filesystem, process, sysfs, trees
from . import AccuracyError, content, labels, witness
from .programs import BIG_FILES, BY_LAUNCHER, BY_TERMINAL, FIRST_OF_PLAYERS, Jitter, kernel_mounts

BIG_FILE_BYTES = 768 << 20
XFS_FILE_MIB = 256
QUIET_S = 2.0       # the drive before the first program
AFTER_S = 1.5       # and after the last one
BEGIN_TIMEOUT_S = 10
END_TIMEOUT_S = 30
US_PER_S = 1000000
OVERHEAD_S = 10     # drive, file system, daemon


class Run:
  """A program that has been begun."""

  def __init__(self, part, child, begin, stack, seed):
    self.part, self.child, self.begin, self.stack = part, child, begin, stack
    self.end = None
    self.ended = False  # by itself
    self.jitter = Jitter(child.pid, seed) if part.program.jitter else None

  def look(self):
    """Raises AccuracyError where it ended and should not have, or failed."""
    if self.end is None and self.child.popen.poll() is not None:
      self.end, self.ended = now_us(), True
      if not self.part.program.ends or self.child.returncode != 0:
        words = process.last_line(self.child.text("stderr"), f"status {self.child.returncode}")
        raise AccuracyError(f"'{self.part.program.name}' ended by itself: {words}")
    if self.jitter and self.end is None:
      self.jitter.look()

  def stop(self):
    if self.jitter:
      self.jitter.end()
    self.end = self.end or now_us()
    self.stack.close()


def now_us():
  return time.monotonic_ns() // 1000


def expected_s(scenario, args):
  return OVERHEAD_S + QUIET_S + (args.seconds or scenario.seconds) + AFTER_S


class XfsWith(filesystem.Xfs):
  """Filled once it is mounted: mkfs.xfs takes no content, nor makes large files. There is one of those, for a player."""

  def __init__(self, emulated, tree):
    super().__init__(emulated)
    self.tree = tree

  def big_file(self, number):
    return self.path / "big" / f"file{number:02}"

  def open(self):
    super().open()
    with self.emulated.at_once():
      filesystem.run("cp", "-a", "--", f"{self.tree}/.", str(self.path))
      (self.path / "big").mkdir()
      filesystem.run("dd", "if=/dev/zero", f"of={self.big_file(FIRST_OF_PLAYERS)}", "bs=1M", f"count={XFS_FILE_MIB}", "oflag=direct", "status=none")
      filesystem.run("sync", "--file-system", str(self.path))


def make_filesystem(scenario, emulated, tree):
  if scenario.filesystem == "xfs":
    return XfsWith(emulated, tree)
  return filesystem.Ext4(emulated, content=tree, big_files=BIG_FILES, big_file_bytes=BIG_FILE_BYTES)


def record(scenario, directory, args, tick):
  """Writes NAME.recording and NAME.json into the directory, once both are whole."""
  with contextlib.ExitStack() as stack:
    place = Path(stack.enter_context(trees.temporary(args.build_dir)))
    tree = stack.enter_context(trees.joined(args.build_dir, content.wanted(scenario.needs, args.build_dir)))
    emulated = stack.enter_context(drive.EmulatedDrive(scenario.model, scenario.scheduler, args.build_dir, seed=args.random_seed))
    arms.write_where_other(emulated, arms.throttling(emulated, scenario.scheduler))
    mounted = stack.enter_context(make_filesystem(scenario, emulated, tree))
    mounted.forget()
    briod = stack.enter_context(daemon.Daemon(args.build_dir, options(emulated)))
    seen = stack.enter_context(witness.Witness())
    file = place / f"{scenario.name}.recording"
    with recorder(args.build_dir, briod, emulated, file) as child:
      pause(QUIET_S, tick)
      runs = play(scenario, mounted, args, tick)
      pause(AFTER_S, tick)
      briod.check()
      summary = finish(child)
    written = write_labels(scenario, emulated, runs, seen, file, summary, args)
    move(directory, file, written)


def options(emulated):
  """It sets nothing, so that what is recorded is the programs' and the scheduler's own doing. This machine's other drives
  are its, too: else it would take what is read from those for reads of the only one that it knows."""
  return ["--mode", "off", "--include", f"{emulated.name}={emulated.drive_class}"]


def recorder(build_dir, briod, emulated, file):
  argv = [str(daemon.executable(build_dir, "brioctl")), "--bus", briod.address, "record", "--json", "-o", str(file), emulated.name]
  return process.Process(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def pause(seconds, tick, runs=()):
  end = time.monotonic() + seconds
  while time.monotonic() < end:
    for run in runs:
      run.look()
    tick()
    time.sleep(process.POLL_S / 4 if any(run.jitter for run in runs) else process.POLL_S)


def play(scenario, mounted, args, tick):
  """Runs the programs. Returns the runs, all of them ended."""
  with kernel_mounts([part.program for part in scenario.parts], mounted):
    return play_parts(scenario, mounted, args, tick)


def play_parts(scenario, mounted, args, tick):
  begin = time.monotonic()
  seconds = min(scenario.seconds, args.seconds) if args.seconds else scenario.seconds
  runs = []
  try:
    for part in sorted(scenario.parts, key=lambda part: part.at):
      if part.at >= seconds:
        break
      pause(begin + part.at - time.monotonic(), tick, runs)
      if part.program.cold:
        sysfs.drop_clean_caches()
      runs.append(begin_program(part, mounted, args.random_seed))
    pause(begin + seconds - time.monotonic(), tick, runs)
  finally:
    for run in reversed(runs):
      run.stop()
  return runs


def begin_program(part, mounted, seed):
  begin, stack = now_us(), contextlib.ExitStack()
  return Run(part, stack.enter_context(part.program.running(mounted)), begin, stack, seed)


def finish(child):
  child.popen.send_signal(signal.SIGINT)
  out, errors = child.finish(END_TIMEOUT_S)
  if child.returncode != 0:
    raise AccuracyError(f"brioctl record: {process.last_line(errors, f'status {child.returncode}')}")
  return json.loads(out)


def write_labels(scenario, emulated, runs, seen, file, summary, args):
  if seen.lost:
    raise AccuracyError(f"{scenario.name}: the kernel told of more processes than could be noted; what is true of them is not known")
  begin = labels.recording_begin(file.read_bytes())
  written = file.with_suffix(".json")
  labels.write(written, labels.Labels(
    scenario=scenario.name, drive=scenario.drive, model=emulated.model_name, scheduler=scenario.scheduler, filesystem=scenario.filesystem,
    kernel=platform.release(), hz=hz(), seed=args.random_seed, commit=commit(), events_lost=summary["events_lost"], verdicts=scenario.verdicts,
    programs=[describe(run, seen, begin) for run in runs]))
  return written


def describe(run, seen, begin):
  program = run.part.program
  family = seen.family(run.child.pid, run.begin)
  if not family:
    raise AccuracyError(f"'{program.name}': the kernel did not tell that it began")
  # What a shell leaves behind has ended with its group.
  processes = [labels.Lived(each.pid, each.begin - begin, (each.end or run.end) - begin) for each in family]
  first, started = begun(program, family)
  end = first.end or run.end
  # One that ends when it is told to has not become ready, whatever it then says.
  is_ready = program.role == labels.START and run.ended
  return labels.Program(program.name, program.kind, program.role, program.rate, round(program.period_s * US_PER_S), started - begin, end - begin, processes,
                        first.pid if program.role == labels.START else 0, end - begin if is_ready else None)


def begun(program, family):
  """Its first process, and when that became it: behind the shell that stands for a terminal's or a launcher."""
  if program.started == BY_TERMINAL:
    job = next((each for each in family if each.parent == family[0].pid), family[0])
    return job, (job.execs or [job.begin])[0]
  first = family[0]
  return first, (first.execs[program.started == BY_LAUNCHER:] or [first.begin])[0]


def hz():
  """Of the kernel's configuration, where it is told."""
  with contextlib.suppress(OSError):
    text = gzip.decompress(Path("/proc/config.gz").read_bytes()).decode()
    return int(re.search(r"^CONFIG_HZ=(\d+)$", text, re.MULTILINE)[1])
  found = re.search(r"^CONFIG_HZ=(\d+)$", sysfs.read(f"/boot/config-{platform.release()}") or "", re.MULTILINE)
  return int(found[1]) if found else None


def commit():
  done = subprocess.run(["git", "-C", str(drive.ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
  return done.stdout.strip() or "unknown"


@process.uninterrupted()
def move(directory, *files):
  Path(directory).mkdir(parents=True, exist_ok=True)
  for file in files:
    os.chmod(file, 0o644)
    shutil.move(file, Path(directory) / file.name)
