#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The demonstration of ./dev demo: programs are started from a busy drive, under what there is today and with Brio.

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
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from lib import alternatives, arguments, arms, daemon, drive, filesystem, fio, loads, process, programs, report, runner, sysfs, trees  # noqa: E402

LABEL_WIDTH = 36
VALUE_WIDTH = 18
CLOCK_S = 0.1
# From the load's beginning: fio takes a while, and Brio looks at the processes once a second.
LEAD_S = 6.0
# Between two loads, until Brio has seen that the drive is quiet again.
REST_S = 2.0
# It changes the scheduler of a drive that was quiet for a while (QuietTime), or not at all.
TAKE_OVER_S = 8.0
# About what making the drive and its end take, and a start that is not given up, on a machine that does other things, too.
MAKING_S = 8.0
START_S = 7.0
# Two alternatives of which neither takes longer than the other by this are alike: a start is measured once.
ALIKE = 1.25
# Of the time in which some process waits for a processor: the demo itself makes a tenth of it.
BUSY_PERCENT = 30
# From the end of a start until what it read is kept, at most: on a busy machine that takes a while.
LEARNING_S = 15.0
AGAIN = "Brio, the second time"
NOTHING_DONE = "Nothing: its policy for this class of drive has nothing to change here."
ENDING = "ending: putting the drive's settings back"
ERRORS = (alternatives.AlternativeError, drive.DriveError, filesystem.FilesystemError, trees.TreeError, loads.LoadError, programs.ProgramError,
          daemon.DaemonError, fio.FioError, subprocess.SubprocessError)


class LargePython(programs.Python):
  """Python that then reads 173 MB from 220 places of a file, as a large program reads libraries and data. Of what a program reads at its start, bfq by
  itself favours the first 60 MB (block/bfq-iosched.c, max_service_from_wr)."""
  title = "A large program (Python, 194 MB)"
  PLACES, MIB_APART, CALLS, CALL_BYTES = 220, 6, 6, 128 << 10
  FILE = "data"
  READ = f"""
import os
file = os.open("/{FILE}", os.O_RDONLY)
for place in range({PLACES}):
  for call in range({CALLS}):
    os.pread(file, {CALL_BYTES}, (place * 97 % {PLACES} * {MIB_APART} << 20) + call * {CALL_BYTES})
"""
  argv = (*programs.Python.argv[:-1], programs.Python.argv[-1] + READ)

  @classmethod
  def prepare(cls, fs):
    """Its file is one of the big ones, the last, which no load reads."""
    file = fs.path / "python" / cls.FILE
    file.hardlink_to(fs.big_file(fs.big_files - 1))
    file.chmod(0o644)  # as what programs read at their starts


class SmallPython(programs.Python):
  title = "A small program (Python, 21 MB)"

  @classmethod
  def prepare(cls, fs):
    pass


@dataclass(frozen=True)
class Case:
  """A program that starts, and what keeps the drive busy meanwhile: its title, and what moves data there, as a column's head."""
  name: str
  program: programs.Program
  load: type
  load_title: str
  movers: str

  def title(self, args):
    readers = "one other reads a big file" if args.readers == 1 else f"{args.readers} others read big files"
    return f"{self.program.title} starts {self.load_title.format(readers=readers)}"


CASES = {case.name: case for case in (
  Case("readers", SmallPython(), loads.Readers, "while {readers}", "readers"),
  Case("copy", LargePython(), loads.Copy, "beside a large copy", "copy"),
)}


@dataclass(frozen=True)
class Row:
  """starts: one for each run; mbps: what the load read and wrote meanwhile, None where there is none."""
  alternative: str
  scheduler: str
  starts: list
  mbps: list

  @property
  def middle(self):
    """A start that was given up counts as longer than every other."""
    return statistics.median_high([(not start.ended, start.seconds) for start in self.starts])

  def as_dict(self):
    return {"alternative": self.alternative, "scheduler": self.scheduler, "load_mbps": self.mbps,
            "starts": [{"seconds": start.seconds, "ended": start.ended} for start in self.starts]}


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

  def ending(self):
    """In a signal's handler, where print() may be called already."""
    text = f"{chr(10) if self.pending else ''}demo: {ENDING}\n"
    self.live = self.pending = False
    with contextlib.suppress(OSError):
      os.write(sys.stderr.fileno(), text.encode())

  def close(self):
    if self.pending:
      print(flush=True)


def seconds(value):
  return f"{value:.1f} s"


def outcome(start):
  return seconds(start.seconds) if start.ended else f"gave up after {start.seconds:.0f} s"


class Demo:
  """All that is made stands; `dashboard` is a Process, or None."""

  def __init__(self, args, screen, queue, fs, briod, dashboard):
    self.args = args
    self.screen = screen
    self.emulated = queue.emulated
    self.queue = queue
    self.fs = fs
    self.briod = briod
    self.dashboard = dashboard
    self.default = alternatives.kernel_default(self.emulated.drive_class)

  def load(self, case):
    load = case.load(self.fs)
    load.readers = self.args.readers
    return load

  def run(self):
    """Returns what was found of each case, for the file of figures."""
    return [self.run_case(number, CASES[name]) for number, name in enumerate(self.args.cases, 1)]

  def run_case(self, number, case):
    self.screen.say()
    self.screen.paragraph(f"{number}. {case.title(self.args)}")
    self.screen.row("", "start", case.movers)
    case.program.prepare(self.fs)
    rows = [self.idle(case), self.static(case, f"kernel default ({self.default})", self.default), self.static(case, "bfq alone", "bfq")]
    before = self.decisions()
    rows.append(self.brio(case))
    again = self.brio_again(case)
    changes = in_all(self.decisions()[len(before):])
    self.screen.paragraph(verdict(*rows[1:]), indent="  ")
    if again:
      self.screen.paragraph(second_time(rows[0], again), indent="  ")
      rows.append(again)
    self.tell(changes)
    self.briod.brioctl("mode", "off")
    return {"case": case.name, "rows": [row.as_dict() for row in rows], "changes": changes}

  def idle(self, case):
    self.screen.status("idle drive", "")
    self.queue.reset(self.default)
    start = self.start(case, "idle drive")
    self.screen.row("idle drive", outcome(start))
    return Row("idle drive", self.default, [start], [])

  def static(self, case, label, scheduler):
    self.queue.reset(scheduler)
    return self.beside_load(case, label)

  def brio(self, case):
    """Nothing is known of what the program reads: the cases' programs go by one name."""
    self.queue.reset(self.default)
    self.hand_over()
    return self.beside_load(case, "Brio", lambda: self.briod.brioctl("prefetch", "forget", "--all"))

  def brio_again(self, case):
    """What it read is read ahead now; None where that is not so on such a drive, or with such a kernel."""
    end = time.monotonic() + LEARNING_S
    while not any(learnt["bytes"] for learnt in json.loads(self.briod.brioctl("--json", "prefetch"))):
      if time.monotonic() > end:
        return None
      time.sleep(CLOCK_S)
    return self.beside_load(case, AGAIN)

  def beside_load(self, case, label, before_each=lambda: None):
    starts, rates = zip(*(self.start_beside_load(case, label, before_each) for _ in range(self.args.runs)))
    return Row(label, sysfs.scheduler(self.emulated.device), list(starts), list(rates))

  def start(self, case, label):
    sysfs.drop_clean_caches()
    with self.screen.clock(label, self.args.patience):
      return case.program.start(self.fs.path, self.args.patience)

  def start_beside_load(self, case, label, before):
    before()
    with self.load(case) as load:
      self.screen.status(label, "the load begins")
      time.sleep(LEAD_S)
      meter = loads.Meter(self.emulated.device)
      start = self.start(case, label)
      rates = meter.rates(start.read_bytes)
      load.check()
    mbps = rates.read_mbps + rates.write_mbps
    self.screen.row(label, outcome(start), f"{mbps:.0f} MB/s")
    return start, mbps

  def hand_over(self):
    self.screen.status("Brio", "it takes over")
    time.sleep(REST_S)
    self.briod.brioctl("mode", "auto")
    before, end = sysfs.scheduler(self.emulated.device), time.monotonic() + TAKE_OVER_S
    while sysfs.scheduler(self.emulated.device) == before and time.monotonic() < end:
      time.sleep(CLOCK_S)

  def decisions(self):
    return json.loads(self.briod.brioctl("--json", "decisions"))

  def tell(self, changes):
    self.screen.say("  What Brio did:" if changes else f"  What Brio did: {NOTHING_DONE}")
    for change in changes:
      self.screen.paragraph(f"{change['tunable']} {change['old']} → {change['observed']} {change['unit']}".rstrip() + f": {change['reason']}", indent="    ")

  def linger(self):
    """While the user looks at the dashboard it has something to show."""
    if not self.dashboard:
      return
    if self.dashboard.popen.poll() not in (None, 0):
      self.screen.say(f"\nThe dashboard ended: {process.last_line(self.dashboard.text('stderr'))}")
    if self.dashboard.popen.poll() is not None or not self.screen.live:
      return
    self.briod.brioctl("mode", "auto")
    self.screen.say("\nThe dashboard shows it live, as the load goes on. Close it, or press Ctrl-C, to end the demo.")
    with self.load(CASES[self.args.cases[0]]):
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


def verdict(kernel, bfq, brio):
  """How Brio's start compares with bfq's, and so with the best that one gets without it; a Row each."""
  (bfq_gave_up, bfq_s), (brio_gave_up, brio_s) = bfq.middle, brio.middle
  if brio_gave_up:
    return "With Brio the start was given up, too." if bfq_gave_up else "bfq alone is better here: with Brio the start was given up."
  if bfq_gave_up and bfq_s <= brio_s * ALIKE:
    return "Here Brio is worth most: with bfq alone the start was given up."
  if bfq_gave_up or bfq_s > brio_s * ALIKE:
    return f"Here Brio is worth most: with bfq alone the start takes {'more than ' if bfq_gave_up else ''}{bfq_s / brio_s:.1f} times as long."
  if brio_s > bfq_s * ALIKE:
    return f"bfq alone is better here: with Brio the start takes {brio_s / bfq_s:.1f} times as long."
  if kernel.middle < (False, brio_s * ALIKE):
    return "Here all three are alike."
  return "Here bfq alone does as well as Brio; the kernel's default does not."


def second_time(idle, again):
  """What it is worth that what the program reads is read ahead."""
  (idle_gave_up, idle_s), (gave_up, again_s) = idle.middle, again.middle
  if idle_gave_up or gave_up:
    return "The second time the start was given up, too."
  return f"The second time, what the program reads is read ahead: {again_s / idle_s:.1f} times the start on the idle drive."


@contextlib.contextmanager
def dashboard(args, briod):
  """The display belongs to the user that called sudo; so does the window."""
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
  screen.paragraph(f"Programs are started from an emulated drive ({args.drive}), nothing of them in memory: alone, and beside a load that begins {LEAD_S:.0f} s "
                   f"before. No other drive is tuned. It takes about {minutes(expected_s(args))}.")
  screen.status("", "making the drive")
  cases = [CASES[name] for name in args.cases]
  with contextlib.ExitStack() as stack:
    emulated = stack.enter_context(drive.EmulatedDrive(args.drive, "none", args.build_dir))
    process.end_on_signals(lambda: end_soon(screen, emulated))
    with programs.content([case.program for case in cases], args.build_dir) as content:
      fs = stack.enter_context(filesystem.Ext4(emulated, content, big_files=loads.BIG_FILES + 1, big_file_bytes=loads.BIG_FILE_BYTES))
    queue = alternatives.Queue(emulated)
    queue.reset(alternatives.kernel_default(emulated.drive_class))
    options = arms.Brio("", None, args.build_dir, emulated.drive_class).options(emulated)
    briod = stack.enter_context(daemon.Daemon(args.build_dir, [*options, "--mode", "off"], guest=args.dashboard_user))
    window = stack.enter_context(dashboard(args, briod))
    demo = Demo(args, screen, queue, fs, briod, window)
    begin, waited_us = time.monotonic(), runner.waited_for_a_processor_us()
    found = demo.run()
    busy_percent = (runner.waited_for_a_processor_us() - waited_us) / (time.monotonic() - begin) / 1e4
    if busy_percent > BUSY_PERCENT:
      screen.say()
      screen.paragraph(f"This machine was busy: some process waited for a processor in {busy_percent:.0f} % of the time. The more, the less the figures are the "
                       "drive's.")
    if args.output:
      machine = report.machine() | {"processors": os.cpu_count(), "cpu_pressure_percent": busy_percent}
      args.output.write_text(json.dumps({"drive": args.drive, "machine": machine, "cases": found}, indent=2, ensure_ascii=False) + "\n")
    screen.say("\nNext: ./dev run lets Brio look after this machine's own drives.")
    demo.linger()


def end_soon(screen, emulated):
  """In a signal's handler: the processes that read must end first, and beside many that takes seconds."""
  screen.ending()
  with contextlib.suppress(OSError):
    drive.set_timing(emulated.file, b"off")


def expected_s(args):
  """A start under the kernel's default is mostly given up."""
  beside_load = 4 * (LEAD_S + START_S) + args.patience - START_S
  return MAKING_S + len(args.cases) * (START_S + args.runs * beside_load + REST_S + TAKE_OVER_S)


def minutes(duration_s):
  number = max(1, round(duration_s / 60))
  return "a minute" if number == 1 else f"{number} minutes"


def parse_arguments():
  parser = arguments.Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--case", dest="cases", type=arguments.several(CASES), default=list(CASES), metavar="NAME,...",
                      help=f"of {', '.join(CASES)} (default: all)")
  parser.add_argument("--drive", choices=drive.model_names(), default="hdd-7200", help="a name from bench/drive/models (default: %(default)s)")
  parser.add_argument("--readers", type=arguments.whole_number(1, loads.BIG_FILES), default=loads.BIG_FILES, metavar="N",
                      help="1 to 10 (default: %(default)s)")
  parser.add_argument("--runs", type=arguments.positive, default=1, metavar="N", help="starts beside each load, with each alternative (default: %(default)s)")
  parser.add_argument("--patience", type=arguments.positive, default=20, metavar="S", help="with a start (default: %(default)s)")
  parser.add_argument("--output", type=arguments.output_file, metavar="FILE", help="the figures as JSON")
  parser.add_argument("--dashboard", action="store_true", help="open it; under sudo as the user that called it")
  parser.add_argument("--build-dir", default=ROOT / "build", type=Path)
  args = parser.parse_args()
  args.dashboard_user = os.environ.get("SUDO_UID") if args.dashboard else None
  return args


def missing(args):
  return drive.missing() or fio.missing() or filesystem.missing() or programs.Python.missing() or daemon.missing(args.build_dir)


def main():
  args = parse_arguments()
  screen = Screen()
  process.end_on_signals(screen.ending)
  reason = missing(args)
  if reason:
    return report.fail("demo", reason)
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
