# SPDX-License-Identifier: GPL-3.0-or-later
"""The chapters of a desktop's day, and a user that starts programs, watches a call, waits for a game, and sleeps.

Whatever the drive is asked for in a chapter goes on from its first second to its last; starts are spread over it evenly,
each with caches dropped before, and given up when it is time for the next, so that the day is no longer in one arm than in
another. Lengths are parts of the day, so that a short one has the same chapters.
"""
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass

from . import arms, fio, loads, matrix, player, process, programs, stream, sysfs, trees, usage
from .experiment import Experiment, Figure, Limit, Share

DAY_S, QUICK_DAY_S = 600, 150
TURNED_DOWN = {"advised"}  # of decisions' results: nothing was written
IOPRIO = "ioprio"
FIGURES = (
  Figure("start_median", "starts: median of idle", False),
  Figure("start_p95", "p95 of idle", False),
  Figure("start_longest_s", "longest s", False),
  Figure("starts_ended", "of them in time %", True),
  Figure("late_percent", "call: late frames %", False),
  Figure("longest_stall_ms", "longest stall ms", False),
  Figure("recorder_max_ms", "own camera: longest wait ms", False),
  Figure("copy_mbps", "copy MB/s", True),
  Figure("game_s", "game loads s", False),
  Figure("backup_mbps", "backup MB/s", True),
  Figure("changes", "settings changed", False),
  Figure("step_backs", "I/O priorities changed", False),
  Figure("briod_cpu_percent", "briod's CPU %", False),
)
WITHOUT_BRIO = {"changes": 0, "step_backs": 0, "briod_cpu_percent": 0.0}
OVERHEAD_S = 30        # starts that last beyond their chapter
START_TIMEOUT_S = 10   # at least, in short days
LEAD_S = 3             # from a chapter's beginning to its first start
FRAME_MS = 1000 * player.FRAME_S
CALL_BYTES_PER_S = 1 << 20
GAME_BYTES = 1 << 30
GAME_DAY_S = 600       # in shorter days it is as much smaller
CAMERA = {"rw": "write", "bs": "64k", "rate": "256k", "size": "1g", "direct": 1, "time_based": True}
BACKUP = 'exec tar --create --file=- --directory="$0" big | cat >/dev/null'
BACKUP_REASON = "backup"


class Night(loads.Load):
  """Everything is read once, in its order, by a program that can wait. With Brio it says so: `brioctl hold throughput`."""
  name, title = "backup", "backup"
  prefix = ()

  def commands(self):
    yield [*self.prefix, "sh", "-c", BACKUP, str(self.fs.path)]

  def is_over(self):
    """A fast drive is read before the night ends. The shell's status is that of `cat`; tar says what it lacks."""
    return all(child.popen.poll() == 0 and not child.text("stderr") for child in self.children)


class Mail(loads.Flows):
  """An index that is searched, and a database that syncs each of its small writes."""
  name, title = "mail", "mail"
  directories = ("written",)

  def commands(self):
    both = {"ioengine": "psync", "time_based": True, "runtime": loads.FOREVER_S}
    index = [self.reader(i, "randread", 4096) for i in range(2)]
    database = {"rw": "randwrite", "bs": 4096, "fsync": 1, "rate_iops": 20, "filename": self.fs.path / "written" / "database", "size": 64 << 20}
    yield fio.command_of_jobs({f"{self.name}{i}": both | job for i, job in enumerate([*index, database])})


class Browser(loads.Flows):
  """A download that comes as fast as the line, and a cache that is looked through."""
  name, title = "browser", "browser"
  directories = ("written",)

  def commands(self):
    both = {"ioengine": "psync", "time_based": True, "runtime": loads.FOREVER_S}
    download = self.writer(0) | {"rate": "12m"}
    yield fio.command_of_jobs({f"{self.name}{i}": both | job for i, job in enumerate([download, self.reader(1, "randread", 16384)])})
    yield ["sh", "-c", loads.SYNC, str(self.fs.path)]


@dataclass(frozen=True)
class Chapter:
  name: str
  share: float  # of the day
  load: type
  starts: int = 0
  call: bool = False
  game: bool = False


CHAPTERS = (
  Chapter("morning", 0.06, loads.Idle, starts=3),
  Chapter("boot", 0.10, loads.RandomReaders, starts=3),
  Chapter("mail", 0.13, Mail, starts=3),
  Chapter("browser", 0.13, Browser, starts=3),
  Chapter("upgrade", 0.15, loads.Upgrade, starts=3),
  Chapter("call", 0.20, loads.Copy, starts=2, call=True),
  Chapter("game", 0.08, Mail, game=True),
  Chapter("night", 0.15, Night),
)
IDLE = "morning"  # whose starts the others are held against


def missing():
  return next((f"there is no {name} (package {name})" for name in ("tar", "fio") if not shutil.which(name)), None)


def call_s(day_s):
  return round(next(c.share for c in CHAPTERS if c.call) * day_s)


def slot_s(chapter, day_s):
  """For how long a start of that chapter is waited for: until the next, or the chapter's end."""
  return max(chapter.share * day_s / (chapter.starts + 1), START_TIMEOUT_S)


@dataclass(frozen=True)
class Started:
  chapter: str
  program: str
  seconds: float
  ended: bool


class Beside(threading.Thread):
  """A function that runs beside the day; what it began ends with this process."""

  def __init__(self, function):
    super().__init__(daemon=True)
    self.function = function
    self.returned = self.error = None
    self.start()

  def run(self):
    try:
      self.returned = self.function()
    except Exception as e:  # result() raises it
      self.error = e

  def result(self, look):
    while self.is_alive():
      look()
      self.join(process.POLL_S)
    if self.error:
      raise self.error
    return self.returned


class Day:
  """started: the programs. call: see watch_video(). place: with a mounted file system that holds what both need. briod: None, or the daemon to ask."""

  def __init__(self, place, started, call, seconds, seed, during, briod=None):
    self.place = place
    self.call = call
    self.programs = started
    self.seconds = seconds
    self.seed = seed
    self.during = during
    self.briod = briod
    self.begin = time.monotonic()
    self.starts = []
    self.figures = {}

  def live(self):
    with kept_in_memory(self.place.directory.iterdir()):
      for chapter in CHAPTERS:
        self.chapter(chapter)
    return self.figures | start_figures(self.starts) | {"starts": [vars(each) for each in self.starts]}

  def look(self, _=None):
    self.during(time.monotonic() - self.begin)

  def chapter(self, chapter):
    length_s = chapter.share * self.seconds
    end = time.monotonic() + length_s
    load = chapter.load(self.place.mounted, self.seed)
    if chapter.load is Night and self.briod:
      load.prefix = self.briod.command("hold", "--reason", BACKUP_REASON, "throughput", "--")
    with load as running, self.beside(chapter, length_s):
      meter = loads.Meter(self.place.device)
      for number in range(chapter.starts):
        self.wait_until(end - length_s * (chapter.starts - number) / (chapter.starts + 1), LEAD_S if number == 0 else 0)
        self.start(chapter.name, self.programs[len(self.starts) % len(self.programs)], slot_s(chapter, self.seconds))
      if chapter.game:
        self.figures["game_s"] = self.game()
      self.wait_until(end, over=running.is_over)
      rates = meter.rates()
      running.check()
      self.wait_until(end)
    if chapter.call:
      self.figures["copy_mbps"] = rates.write_mbps
    if chapter.load is Night:
      self.figures["backup_mbps"] = rates.read_mbps

  def wait_until(self, moment, at_least_s=0, over=lambda: False):
    moment = max(moment, time.monotonic() + at_least_s)
    while time.monotonic() < moment and not over():
      self.look()
      time.sleep(process.POLL_S)

  def start(self, chapter, program, timeout_s):
    sysfs.drop_clean_caches()
    done = program.start(self.place.directory, timeout_s, self.look)
    self.starts.append(Started(chapter, program.name, done.seconds, done.ended))

  @contextlib.contextmanager
  def beside(self, chapter, length_s):
    """The call: the other's picture is read as it comes, one's own is written. A start that lasts beyond the chapter waits for no
    call that is over."""
    if not chapter.call:
      yield
      return
    seconds = int(length_s)
    options = CAMERA | {"filename": self.place.directory / "own-picture", "runtime": seconds}
    other = Beside(lambda: self.call(self.place, seconds))
    own = Beside(lambda: fio.run("camera", options, direction="write"))
    yield
    seen = other.result(self.look)
    self.figures |= {key: seen[key] for key in ("late_percent", "longest_stall_ms")} | {"recorder_max_ms": own.result(self.look).max_ms}

  def game(self):
    """How long a person looks at a bar that fills."""
    sysfs.drop_clean_caches()
    megabytes = round(GAME_BYTES * min(self.seconds / GAME_DAY_S, 1) / (1 << 20))
    begin = time.monotonic()
    argv = ["dd", f"if={self.place.mounted.big_file(loads.BIG_FILES - 1)}", "of=/dev/null", "bs=1M", f"count={megabytes}", "status=none"]
    with process.Process(argv, env=programs.launched(os.environ), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as dd:
      dd.finish(self.seconds, self.look)
    return time.monotonic() - begin


@contextlib.contextmanager
def kept_in_memory(paths):
  """What is open stays when caches are dropped: a desktop that starts programs has read before where they are."""
  descriptors = [os.open(path, os.O_PATH) for path in paths]
  try:
    yield
  finally:
    for descriptor in descriptors:
      os.close(descriptor)


def start_figures(starts):
  """Each start against the median of the same program's on the idle drive; one that was given up took longer than it counts."""
  idle = {}
  for each in starts:
    if each.chapter == IDLE:
      idle.setdefault(each.program, []).append(each.seconds)
  loaded = [each for each in starts if each.chapter != IDLE and each.program in idle]
  ratios = sorted(each.seconds / statistics.median(idle[each.program]) for each in loaded)
  return {"start_median": statistics.median(ratios), "start_p95": ratios[-(-95 * len(ratios) // 100) - 1],
          "start_longest_s": max(each.seconds for each in loaded), "starts_ended": 100 * sum(each.ended for each in loaded) / len(loaded)}


def watch_video(place, seconds):
  """The other's picture, as ffmpeg reads it. Returns what a viewer sees."""
  return player.figures(player.play(place.directory / "video" / player.NAME, seconds, lambda _: None), seconds)


def watch_paced(place, seconds):
  """The same of a player that has nothing in store, where there is no ffmpeg."""
  told = stream.play_paced(place.mounted.big_file(loads.BIG_FILES), CALL_BYTES_PER_S, 0, seconds, None)
  return stream.paced_figures(told, CALL_BYTES_PER_S, seconds)


class BrioDay(arms.Brio):
  """It lives the day with the daemon: what a person would ask of it is asked, and what it did and took is counted."""

  def workload_with(self, briod):
    return lambda *arguments: self.workload(*arguments, briod=briod)

  def figures_of(self, briod, seconds):
    decisions = [each for each in json.loads(briod.brioctl("decisions", "--json")) if each["result"] not in TURNED_DOWN]
    priorities = sum(each["tunable"] == IOPRIO for each in decisions)
    return {"changes": len(decisions) - priorities, "step_backs": priorities,
            "briod_cpu_percent": 100 * usage.cpu_s(usage.counters(briod.pid)) / seconds}


def enter_place(users, video_s, build_dir):
  @contextlib.contextmanager
  def enter(emulated):
    wanted = {"video": player.video(build_dir, video_s)}
    for user in users:
      wanted |= user.trees(build_dir)
    with trees.joined(build_dir, wanted) as content, loads.make_filesystem(emulated, content) as mounted:
      mounted.forget()
      yield arms.Place(emulated, mounted)
  return enter


def experiment(drive_class, args):
  day_s = args.runtime or (DAY_S if args.real and not args.quick else QUICK_DAY_S)
  started = [programs.ALL[name] for name in args.programs]
  users = [*started, loads.Upgrade, loads.Copy]

  def run(place, runtime_s, seed, during, briod=None):
    with contextlib.ExitStack() as stack:
      opened = [stack.enter_context(program()) for program in started]
      return WITHOUT_BRIO | Day(place, opened, watch_video if args.real else watch_paced, runtime_s, seed, during, briod).live()

  return Experiment(
    title=f"a day on {drive_class}", model=matrix.model(drive_class), runtime_s=day_s,
    arms=(
      arms.Plain("kernel default (mq-deadline)", run, "mq-deadline"),
      arms.Plain("bfq", run),
      BrioDay("bfq + Brio", run, args.build_dir, drive_class),
    ),
    figures=FIGURES,
    aims=(
      Limit("start_median", "median start, of that on the idle drive", 1.1, "×"),
      Limit("start_p95", "p95 of the starts, of those on the idle drive", 1.3, "×"),
      Share("longest_stall_ms", "longest stall of the call", 105, False, against="bfq", spare=FRAME_MS),
      Share("copy_mbps", "copy", 90, True, against="bfq"),
      Share("game_s", "a game loads", 105, False, against="bfq"),
      Share("backup_mbps", "backup at night", 97, True),
    ),
    enter_place=enter_place(users, call_s(day_s) + 1, args.build_dir),
    missing=next(filter(None, [user.missing() for user in users] + [player.missing(), missing()]), None),
    asked={"drives": [drive_class], "programs": args.programs}, graphical=any(each.of_debian for each in started), shared_place=True,
    overhead_s=arms.OVERHEAD_S + OVERHEAD_S,
  )


def experiments(args):
  return [experiment(each, args) for each in args.drives]
