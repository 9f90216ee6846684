#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The demonstration of ./dev demo: a program is started from a busy drive, without Brio and with it.

The drive is emulated (bench/README.md) and the only one that Brio tunes. briod runs from the beginning, so that the dashboard
shows all of it, but only watches (mode off) until its turn comes."""
import argparse
import contextlib
import json
import os
import pwd
import shutil
import statistics
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from lib import alternatives, arguments, arms, daemon, drive, filesystem, fio, loads, process, programs, report, sysfs, trees  # noqa: E402

PROGRAM = programs.Python()
LABEL_WIDTH = 36
VALUE_WIDTH = 18
CLOCK_S = 0.1
# From the first reader's beginning: fio takes a while, and Brio looks at the processes once a second.
LEAD_S = 6.0
# Between two loads, until Brio has seen that the drive is quiet again.
REST_S = 2.0
# It changes the scheduler of a drive that was quiet for a while (QuietTime), or not at all.
TAKE_OVER_S = 8.0
NOTHING_DONE = "Nothing: its policy for this class of drive has nothing to change here."
ERRORS = (drive.DriveError, filesystem.FilesystemError, trees.TreeError, loads.LoadError, programs.ProgramError, daemon.DaemonError,
          fio.FioError, subprocess.SubprocessError)


class Screen:
  """Rows of a table below each other. On a terminal the last one shows what goes on until its value stands."""

  def __init__(self):
    self.live = sys.stdout.isatty()
    self.columns = shutil.get_terminal_size().columns
    self.pending = False

  def say(self, text=""):
    for line in text.split("\n"):
      self.put(line)

  def put(self, line):
    print(f"\r\033[K{line}" if self.pending else line, flush=True)
    self.pending = False

  def paragraph(self, text, indent=""):
    self.say(textwrap.fill(text, min(self.columns, 110) - 1, initial_indent=indent, subsequent_indent=indent, break_long_words=False))

  @staticmethod
  def cells(label, value, more=""):
    return f"  {label:<{LABEL_WIDTH}}{value:>{VALUE_WIDTH}}{more:>14}".rstrip()

  def status(self, label, value):
    if self.live:
      print(f"\r\033[K{self.cells(label, value)[:self.columns - 1]}", end="", flush=True)
      self.pending = True

  def row(self, label, value, more=""):
    self.put(self.cells(label, value, more))

  @contextlib.contextmanager
  def clock(self, label, patience_s):
    """Counts while something goes on. What is given up may not end at once: a read must come to its end first."""
    begin = time.monotonic()
    ended = threading.Event()

    def count():
      while not ended.wait(CLOCK_S):
        elapsed = time.monotonic() - begin
        self.status(label, seconds(elapsed) if elapsed < patience_s else "giving up")

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    try:
      yield
    finally:
      ended.set()
      thread.join()

  def close(self):
    if self.pending:
      print(flush=True)


def readers(args):
  return "one other reads" if args.readers == 1 else f"{args.readers} others read"


def seconds(value):
  return f"{value:.1f} s"


def outcome(start):
  return seconds(start.seconds) if start.ended else f"gave up after {start.seconds:.0f} s"


class Demo:
  """All that is made stands; `dashboard` is a Process, or None."""

  def __init__(self, args, screen, emulated, fs, briod, dashboard):
    self.args = args
    self.screen = screen
    self.emulated = emulated
    self.fs = fs
    self.briod = briod
    self.dashboard = dashboard

  def readers(self):
    load = loads.Readers(self.fs)
    load.readers = self.args.readers
    return load

  def run(self):
    self.screen.row("", "start", "readers")
    idle = self.start("on the idle drive")
    self.screen.row("on the idle drive", outcome(idle))
    beside = "beside one reader" if self.args.readers == 1 else f"beside {self.args.readers} readers"
    without = [self.start_beside_readers(f"{beside}, without Brio") for _ in range(self.args.runs)]
    self.hand_over(f"{beside}, with Brio")
    with_brio = [self.start_beside_readers(f"{beside}, with Brio") for _ in range(self.args.runs)]
    self.tell_decisions()
    self.screen.say()
    self.screen.paragraph(f"Under the same load Python {sentence(without, 'without Brio')}, and {sentence(with_brio, 'with it')}.")
    self.screen.say("Next: ./dev run lets Brio look after this machine's own drives.")

  def start(self, label):
    sysfs.drop_clean_caches()
    with self.screen.clock(label, self.args.patience):
      return PROGRAM.start(self.fs.path, self.args.patience)

  def start_beside_readers(self, label):
    with self.readers() as load:
      self.screen.status(label, "the readers begin")
      time.sleep(LEAD_S)
      meter = loads.Meter(self.emulated.device)
      start = self.start(label)
      rate = meter.rates(start.read_bytes).read_mbps
      load.check()
    self.screen.row(label, outcome(start), f"{rate:.0f} MB/s")
    return start

  def hand_over(self, label):
    self.screen.status(label, "Brio takes over")
    time.sleep(REST_S)
    self.briod.brioctl("mode", "auto")
    before, end = sysfs.scheduler(self.emulated.device), time.monotonic() + TAKE_OVER_S
    while sysfs.scheduler(self.emulated.device) == before and time.monotonic() < end:
      time.sleep(CLOCK_S)

  def tell_decisions(self):
    self.screen.say("\nWhat Brio did")
    changes = in_all(json.loads(self.briod.brioctl("--json", "decisions")))
    if not changes:
      self.screen.say(f"  {NOTHING_DONE}")
    for change in changes:
      self.screen.say(f"  {change['tunable']} {change['old']} → {change['observed']} {change['unit']}".rstrip())
      self.screen.paragraph(change["reason"], indent="    ")

  def linger(self):
    """While somebody looks at the dashboard it has something to show."""
    if not self.dashboard:
      return
    if self.dashboard.popen.poll() not in (None, 0):
      self.screen.say(f"\nThe dashboard ended: {process.last_line(self.dashboard.text('stderr'))}")
    if self.dashboard.popen.poll() is not None or not self.screen.live:
      return
    self.screen.say("\nThe dashboard shows it live, as the readers go on. Close it, or press Ctrl-C, to end the demo.")
    with self.readers():
      while self.dashboard.popen.poll() is None:
        time.sleep(CLOCK_S)


def in_all(decisions):
  """Of several changes of one setting by one law, the first old value with the last new one and its reason."""
  changes = {}
  for decision in decisions:
    if decision["result"] == "applied":
      key = decision["tunable"], decision["law"]
      former = changes.pop(key, decision)
      changes[key] = decision | {"old": former["old"]}
  return [c for c in changes.values() if c["old"] != c["observed"]]


def sentence(starts, how):
  """A start that was given up counts as longer than every other."""
  middle = statistics.median_high([(not s.ended, s.seconds) for s in starts])
  return f"was not there after {middle[1]:.0f} s {how}" if middle[0] else f"took {seconds(middle[1])} to start {how}"


@contextlib.contextmanager
def dashboard(args, briod):
  """The display belongs to the one who called sudo; so does the window."""
  if not args.dashboard:
    yield None
    return
  argv, address, environment = [str(args.build_dir.resolve() / "gui" / "brio"), "--bus"], briod.address, dict(os.environ)
  if args.dashboard_user:
    user = pwd.getpwuid(int(args.dashboard_user))
    argv = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--init-groups", "--pdeathsig=TERM", "--", *argv]
    address, environment = briod.guest_address, environment | {"HOME": user.pw_dir}
  with process.Process([*argv, address], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as window:
    yield window


def demonstrate(args, screen):
  screen.status("", "making the drive")
  with contextlib.ExitStack() as stack:
    emulated = stack.enter_context(drive.EmulatedDrive(args.drive, "none", args.build_dir))
    with programs.content([PROGRAM], args.build_dir) as content:
      fs = stack.enter_context(filesystem.Ext4(emulated, content, big_files=args.readers, big_file_bytes=loads.BIG_FILE_BYTES))
    emulated.reselect(alternatives.kernel_default(emulated.drive_class))
    options = arms.Brio("", None, args.build_dir, emulated.drive_class).options(emulated)
    briod = stack.enter_context(daemon.Daemon(args.build_dir, [*options, "--mode", "off"], guest=args.dashboard_user))
    window = stack.enter_context(dashboard(args, briod))
    screen.paragraph(f"Python is started from an emulated drive ({args.drive}, {emulated.device}), nothing of it in memory: alone, then while "
                     f"{readers(args)} big files from it. No other drive is tuned.")
    screen.say()
    demo = Demo(args, screen, emulated, fs, briod, window)
    demo.run()
    demo.linger()


def parse_arguments():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--drive", choices=drive.model_names(), default="hdd-7200", help="a name from bench/drive/models (default: %(default)s)")
  parser.add_argument("--readers", type=int, choices=range(1, loads.BIG_FILES + 1), default=loads.BIG_FILES, metavar="N",
                      help="1 to 10 (default: %(default)s)")
  parser.add_argument("--runs", type=arguments.positive, default=1, metavar="N", help="starts without and with Brio (default: %(default)s)")
  parser.add_argument("--patience", type=arguments.positive, default=30, metavar="S", help="with a start (default: %(default)s)")
  parser.add_argument("--dashboard", action="store_true", help="open it; under sudo as the one who called it")
  parser.add_argument("--build-dir", default=ROOT / "build", type=Path)
  args = parser.parse_args()
  args.dashboard_user = os.environ.get("SUDO_UID") if args.dashboard else None
  return args


def missing(args):
  return drive.missing() or fio.missing() or filesystem.missing() or PROGRAM.missing() or daemon.missing(args.build_dir)


def main():
  args = parse_arguments()
  process.end_on_signals()
  reason = missing(args)
  if reason:
    return report.fail("demo", reason)
  screen = Screen()
  try:
    demonstrate(args, screen)
  except ERRORS as e:
    screen.close()
    return report.fail("demo", e)
  finally:
    screen.close()
  return 0


if __name__ == "__main__":
  sys.exit(main())
