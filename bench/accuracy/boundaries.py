# SPDX-License-Identifier: GPL-3.0-or-later
"""The part `startup` of `./dev bench accuracy`: where starts end by briod, against programs that end or say so the moment they are ready, or whose
window has its first frame then, on emulated drives, cold and warm, with known jobs in the background; and how soon briod says that there is one.

What a user waits for is a window with something in it. Under X it is mapped a moment earlier; under Wayland it is there with its first frame, and a session may
tell briod of that (--hints). So that is the truth. What is in it changes until all of it is there: when that was, and when it was mapped, is told besides.
"""
import contextlib
import json
import math
import re
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass, replace

from lib import daemon, debian, display, drive, filesystem, loads, process, programs, report, sysfs, trees
from lib.accuracy import AccuracyError, content, record, witness
from lib.accuracy.programs import BY_LAUNCHER, BY_TERMINAL, GIT_STATUS, PYTHON, PYTHON_TYPED, WRITER, Program, kernel_mounts
from lib.accuracy.labels import START
from lib.accuracy.proportion import Proportion
from lib.events import Outcome

DRIVES = {"hdd": "hdd-7200", "ssd": "ssd-sata"}
QUICK = {"drives": ["ssd"], "loads": ["idle", "readers"], "programs": ["python3 typed", "python3 that stays"]}
RUNS, QUICK_RUNS = 3, 2
LEAD_S = 3.0           # from a load's beginning to the first start
REST_S = 2.0           # a program that stays is at rest for so long: more than two of the longest quiet windows
APART_S = 0.5
TOLD_TIMEOUT_S = 3
PAINTED = 0.02         # of the screen: the first frame of a window, not of a cursor
STILL = 0.002          # of the screen: less is a cursor that blinks
END_TIMEOUT_S = 58     # after 60 s briod gives a start up
TYPICAL_S = {"hdd": 12, "ssd": 6}
US_PER_S = 1000000
# A start that takes no longer than so many times that on the idle drive had nothing in its way.
SLOWED = 1.1
# Within this part, or this time, of what the program itself says.
NEAR_PART, NEAR_S = 0.1, 0.1
NEAR_AIM = CULPRIT_AIM = 0.95
NOTICED_AIM_S = 0.05
BURNERS = 2
COMPILED = "startup-end.c"  # of the project

# The same imports; then it says when it was ready, and stays.
STAY = f"import {', '.join(programs.MODULES)}, time; print('ready', time.monotonic(), flush=True); time.sleep(3600)"


class Burners(loads.Load):
  """Work for each processor, and none for a drive."""
  name, title = "cpu", "busy processors"

  def commands(self):
    for _ in range(BURNERS):
      yield ["sh", "-c", "while :; do :; done"]


LOADS = {"idle": (loads.Idle, None), "cpu": (Burners, None), "readers": (loads.Readers, "fio"), "copy": (loads.Copy, "cp")}  # and the culprit's name


@dataclass(frozen=True)
class Started:
  """How a program is started and known to be ready: end (of itself), said (it prints so), window (one has its first frame)."""
  program: Program
  ready: str = "end"
  missing: str | None = None


GCC = Program("gcc typed", "start: gcc", START, lambda place: ["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O1", "-c", "-o", "/dev/null", place.path / "project" / COMPILED],
              needs=("project",), tools=("gcc",), ends=True, started=BY_TERMINAL)
EDITOR = Program("GNOME Text Editor", "start: GTK 4", START, lambda _place: programs.Editor.argv, needs=("debian",), root="debian", started=BY_LAUNCHER,
                 environment=programs.Editor.environment)
PROGRAMS = {
  "python3 typed": Started(PYTHON_TYPED),
  "git status typed": Started(GIT_STATUS),
  "gcc typed": Started(GCC),
  "python3 launched": Started(PYTHON),
  "python3 that stays": Started(replace(PYTHON, argv=lambda _place: [*programs.Python.argv[:-1], STAY]), "said"),
  "LibreOffice Writer": Started(WRITER),
  "GTK 4 text editor": Started(EDITOR, "window"),
}


@dataclass
class Start:
  """truth, ours, noticed: seconds from its exec; ours None where briod told of no start, noticed where there was no verdict before its end.
  wanted, culprit: names."""
  drive: str
  load: str
  program: str
  cold: bool
  typed: bool
  truth: float
  ours: float | None
  noticed: float | None
  wanted: str | None
  culprit: str | None
  share: float = 0.0
  elsewhere: bool = False  # it read from another drive than ours first: which others use that is not known
  hinted: bool = False     # the session told briod that its window was there
  mapped: float | None = None   # its window, in seconds from the exec; where that is how it is known to be ready
  framed: float | None = None   # its window's first frame
  settled: float | None = None  # the last change of the picture, of the two seconds after that

  @property
  def error(self):
    return math.inf if self.ours is None else self.ours - self.truth

  @property
  def is_near(self):
    return abs(self.error) <= max(NEAR_PART * self.truth, NEAR_S)


AROUND = {"the mapping": lambda s: s.mapped, "the first frame": lambda s: s.framed, "the last change": lambda s: s.settled}


class TooLate(AccuracyError):
  """It takes longer than briod waits."""


def missing(args):
  return drive.missing() or daemon.missing(args.build_dir) or filesystem.missing() or programs.Python.missing() or loads.Readers.missing()


def chosen(args, known, name):
  names = getattr(args, name) or (QUICK[name] if args.quick else list(known))
  wrong = next((each for each in names if each not in known), None)
  if wrong:
    raise AccuracyError(f"'{wrong}' is none of {', '.join(known)}")
  return names


def there(args):
  """The programs that can be started here; of the others it is said why not."""
  found = []
  for name in chosen(args, PROGRAMS, "programs"):
    why = PROGRAMS[name].program.missing() or ("debian" in PROGRAMS[name].program.needs and debian.missing()) or \
          (PROGRAMS[name].ready == "window" and display.missing())
    if why:
      print(f"{name} is not started: {why}")
    else:
      found.append(name)
  return found


def runs(args):
  return args.runs if args.runs is not None else QUICK_RUNS if args.quick else RUNS


def expected_s(args):
  per_drive = runs(args) * len(chosen(args, LOADS, "loads")) * len(chosen(args, PROGRAMS, "programs"))
  return max(sum(TYPICAL_S[d] * per_drive for d in chosen(args, DRIVES, "drives")), 1)


def measure(args, tick):
  """Returns the Outcome, over what --starts has and what is measured now."""
  found = read(args.starts) if args.starts and args.starts.exists() else []
  names = there(args) if runs(args) else []
  needs = dict.fromkeys(need for name in names for need in PROGRAMS[name].program.needs)
  if names:
    with trees.joined(args.build_dir, content.wanted(needs, args.build_dir)) as tree, contextlib.ExitStack() as stack:
      screen = stack.enter_context(display.Display()) if any(PROGRAMS[name].ready == "window" for name in names) else None
      for each in chosen(args, DRIVES, "drives"):
        for start in measure_drive(each, names, tree, screen, args, tick):
          found.append(start)
          write(args.starts, start)
  if not found:
    raise AccuracyError("nothing was started")
  return outcome(found)


def read(path):
  return [Start(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path, start):
  if path:
    with path.open("a", encoding="utf-8") as file:
      file.write(json.dumps(asdict(start)) + "\n")


def measure_drive(name, wanted, tree, screen, args, tick):
  with contextlib.ExitStack() as stack:
    emulated = stack.enter_context(drive.EmulatedDrive(DRIVES[name], "bfq", args.build_dir, seed=args.random_seed))
    fs = stack.enter_context(loads.make_filesystem(emulated, tree))
    stack.enter_context(kernel_mounts([PROGRAMS[each].program for each in wanted], fs))
    briod = stack.enter_context(daemon.Daemon(args.build_dir, record.options(emulated)))
    seen = stack.enter_context(witness.Witness())
    for load in chosen(args, LOADS, "loads"):
      for _ in range(runs(args)):
        fs.forget()
        with LOADS[load][0](fs) as running:
          record.pause(LEAD_S if load != "idle" else APART_S, tick)
          for each in wanted:
            yield from start_twice(name, load, each, fs, briod, seen, screen, args.hints, tick)
            running.check()
        if seen.lost:
          raise AccuracyError("the kernel told of more processes than could be noted; when programs began is not known")


def start_twice(name, load, program, fs, briod, seen, screen, hints, tick):
  """Cold; and where a launcher starts it, once more: a command that reads nothing is no start."""
  for cold in (True, False):
    if cold:
      sysfs.drop_clean_caches()
    elif PROGRAMS[program].program.started == BY_TERMINAL:
      continue
    try:
      yield start(name, load, program, cold, fs, briod, seen, screen, hints, tick)
    except TooLate as e:
      print(f"{program}, {name}, {load}: {e}")
    record.pause(APART_S, tick)


def start(name, load, program, cold, fs, briod, seen, screen, hints, tick):
  what, ready = PROGRAMS[program].program, PROGRAMS[program].ready
  hints = hints and ready == "window"
  if ready == "window":
    what = replace(what, environment=what.environment | {"DISPLAY": screen.name})
  known = {s["pid"] for s in startups(briod)}
  with contextlib.ExitStack() as stack:
    shown = Shown(stack.enter_context(screen.watch()), stack.enter_context(screen.picture())) if ready == "window" else None
    begin = record.now_us()
    child = stack.enter_context(what.running(fs, stdout=subprocess.PIPE))
    limit = time.monotonic() + END_TIMEOUT_S
    end = {"end": wait_for_end, "said": until_said, "window": until_painted}[ready](shown or child, limit, tick)
    if hints:
      tell_ready(briod, child.pid)
    if shown:
      until_settled(shown, REST_S, tick)
    elif ready != "end":
      record.pause(REST_S, tick)
    told = until_told(briod, known, tick)
    first, started = record.begun(what, seen.family(child.pid, begin))
  culprit = (told["culprits"] if told else None) or [{"name": None, "permille": 0}]
  if what.started == BY_TERMINAL and first.end:  # the job, not its shell
    end = first.end / US_PER_S
  return Start(name, load, program, cold, what.started == BY_TERMINAL, end - started / US_PER_S,
               told["latency_usec"] / US_PER_S if told else None, told["noticed_usec"] / US_PER_S if told and told["noticed_usec"] else None,
               LOADS[load][1], culprit[0]["name"], culprit[0]["permille"] / 1000, bool(told) and told["device"] != fs.emulated.name, hints,
               *(t - started / US_PER_S for t in ((shown.mapped, shown.framed, shown.settled) if shown else ())))


def tell_ready(briod, pid):
  """As a compositor does, which knows whose window it shows. One that has ended by briod's own reckoning is left as it is."""
  argv = ["dbus-send", f"--bus={briod.address}", "--print-reply", "--dest=org.brio.Brio1", "/org/brio/Brio1", "org.brio.Brio1.Manager.StartupReady", f"uint32:{pid}"]
  done = subprocess.run(argv, capture_output=True, text=True, check=False)
  if done.returncode != 0 and "NotFound" not in done.stderr:
    raise AccuracyError(f"StartupReady(): {process.last_line(done.stderr)}")


def until_said(child, end, tick):
  while time.monotonic() < end:
    said = re.search(r"^ready ([0-9.]+)$", child.text("stdout"), re.MULTILINE)
    if said:
      return float(said[1])
    if child.popen.poll() is not None:
      raise AccuracyError(f"a program that should stay ended: {process.last_line(child.text('stderr'))}")
    tick()
    time.sleep(process.POLL_S)
  raise TooLate("a program did not become ready")


@dataclass
class Shown:
  """A program's window: mapped, framed, settled: on the clock of time.monotonic()."""
  windows: display.Windows
  picture: display.Picture
  mapped: float | None = None
  framed: float | None = None
  settled: float | None = None


def until_painted(shown, end, tick):
  """Its first frame."""
  if not shown.windows.saw(b"MapNotify", end, tick):
    raise TooLate("no window was mapped")
  shown.mapped = time.monotonic()
  while time.monotonic() < end:
    if shown.picture.painted() >= PAINTED:
      shown.framed = shown.settled = time.monotonic()
      return shown.framed
    tick()
    time.sleep(process.POLL_S)
  raise TooLate("nothing was painted")


def until_settled(shown, seconds, tick):
  """Looks for so long whether the picture changes, and notes when it did last."""
  end = time.monotonic() + seconds
  shown.picture.changed()
  while time.monotonic() < end:
    if shown.picture.changed() >= STILL:
      shown.settled = time.monotonic()
    tick()
    time.sleep(process.POLL_S)


def wait_for_end(child, end, tick):
  if not programs.ends_by(child, end, tick):
    raise TooLate("a program did not end")
  ended = time.monotonic()
  if child.popen.wait() != 0:
    raise AccuracyError(f"a program failed: {process.last_line(child.text('stderr'), f'status {child.returncode}')}")
  return ended  # of all its threads: the kernel tells the end of the first


def startups(briod):
  """Those of the programs of this benchmark, all of them."""
  found = []
  for each in json.loads(briod.brioctl("startups", "--json")):
    if each["application"].startswith(("org.example.Bench", "python3", "git", "gcc", "cc1")):
      found += json.loads(briod.brioctl("startups", "--json", each["application"]))
  return found


def until_told(briod, known, tick):
  end = time.monotonic() + TOLD_TIMEOUT_S
  while time.monotonic() < end:
    for each in startups(briod):
      if each["pid"] not in known:
        return each
    tick()
    time.sleep(5 * process.POLL_S)
  return None


def percentile(values, part):
  """By nearest rank."""
  values = sorted(values)
  return values[max(math.ceil(part * len(values)) - 1, 0)]


def slowed(found):
  """Those that a load made slower, which is its doing."""
  usual = {key: statistics.median(s.truth for s in found if (s.drive, s.program, s.load, s.cold) == (*key, "idle", True))
           for key in {(s.drive, s.program) for s in found if s.load == "idle" and s.cold}}
  return [s for s in found if s.wanted and s.cold and not s.elsewhere and s.truth > SLOWED * usual.get((s.drive, s.program), math.inf)]


def milliseconds(value):
  return "-" if value is None or math.isinf(value) else f"{value * 1000:.0f} ms"


def figures_of(values):
  return f"{milliseconds(statistics.median(values))}, {milliseconds(percentile(values, 0.95))}" if values else "-"


def counted(found, is_right):
  proportion = Proportion()
  for each in found:
    proportion.add(is_right(each))
  return proportion


def is_right(start):
  return start.culprit == start.wanted


def rows_of(found, key, late):
  rows = []
  for name in dict.fromkeys(key(s) for s in found):
    each = [s for s in found if key(s) == name]
    rows.append([*name, len(each), f"{statistics.median(s.truth for s in each):.2f} s", figures_of([abs(s.error) for s in each]),
                 counted(each, lambda s: s.is_near).text(), figures_of([s.noticed for s in each if s.noticed is not None]),
                 counted([s for s in each if s in late], is_right).text()])
  return rows


def table(found, titles, key, late):
  return report.markdown([*titles, "starts", "truth (median)", "error: median, p95", "within 10 % or 100 ms", "first verdict after: median, p95", "culprit right"],
                         rows_of(found, key, late))


def windows_lines(found):
  """What lies around a window's first frame, and how near our end comes to each."""
  lines = []
  for hinted in (False, True):
    told = [s for s in found if s.framed is not None and s.hinted == hinted and s.ours is not None]
    if told:
      near = {title: figures_of([abs(s.ours - at(s)) for s in told]) for title, at in AROUND.items()}
      lines += ["", f"Windows{', told of by the session' if hinted else ''}: mapped before their first frame by (median, p95) {figures_of([s.framed - s.mapped for s in told])}; "
                f"complete after it by {figures_of([s.settled - s.framed for s in told])}. Briod's end lies {', '.join(f'{v} from {k}' for k, v in near.items())}."]
  return lines


def outcome(found):
  late = slowed(found)
  near, named = counted(found, lambda s: s.is_near), counted(late, is_right)
  none = counted([s for s in found if s.wanted is None and not s.elsewhere], lambda s: s.culprit is None)
  launched = [s.noticed for s in found if not s.typed and s.noticed is not None]
  errors = [abs(s.error) for s in found]
  mistakes = [[s.drive, s.load, s.program, "cold" if s.cold else "warm", f"{s.truth:.2f} s", milliseconds(s.ours), s.wanted or "none",
               f"{s.culprit} {s.share:.0%}" if s.culprit else "none"] for s in found
              if not s.is_near or (s in late and not is_right(s)) or (s.wanted is None and s.culprit and not s.elsewhere)]
  lines = ["", "Ends of starts, by briod against the programs themselves:",
           table(found, ["program", ""], lambda s: (s.program + (", told by the session" if s.hinted else ""), "cold" if s.cold else "warm"), late), "",
           table(found, ["drive", "load"], lambda s: (s.drive, LOADS[s.load][0].title), late), "",
           f"Error over all: median, p95: {figures_of(errors)}; within 10 % or 100 ms: {near.text()}; not told: {sum(s.ours is None for s in found)} of "
           f"{len(found)}. Culprits of starts that took more than {SLOWED} times as long as on the idle drive: {named.text()}; none named where none "
           f"was in the way: {none.text()}. First verdict after the exec, launched: {figures_of(launched)}; typed (they are none before they read): "
           f"{figures_of([s.noticed for s in found if s.typed and s.noticed is not None])}."]
  lines += windows_lines(found)
  if mistakes:
    lines += ["", "Mistakes:", report.markdown(["drive", "load", "program", "", "truth", "briod", "culprit", "named"], mistakes)]
  aims = [report.Aim("start-ups whose end is within 10 % or 100 ms", near.value, NEAR_AIM, "", True)]
  if named.n:
    aims.append(report.Aim("start-ups whose culprit is named rightly", named.value, CULPRIT_AIM, "", True))
  if launched:
    aims.append(report.Aim("first verdict about what is launched after, p95", percentile(launched, 0.95), NOTICED_AIM_S, " s", False))
  return Outcome({"starts": [asdict(s) for s in found], "near": near.as_dict(), "culprit": named.as_dict(), "none": none.as_dict(),
                  "noticed_s": launched}, aims, lines)
