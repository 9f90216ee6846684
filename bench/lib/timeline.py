# SPDX-License-Identifier: GPL-3.0-or-later
"""What a start waited for: from the log of a run in virtual time (virtual/start.py) to turns of the drive, waits of the program and what
was decided meanwhile. Pure."""
import bisect
import re
from dataclasses import dataclass

SECTOR = 512
LINE = re.compile(r" *\d+,\d+ +\d+ +(\d+\.\d+) +(\d+) +(\S+) +(.*)")
REQUEST = re.compile(r"(\S+) (\d+) \+ (\d+) \[(.*)\]$")
MESSAGE = re.compile(r"N (.*)")
# Of bfq's messages those that say whose turn ends and why, and which queue it favours.
TELLING = re.compile(r"wrais|raising|\bexpire \(")
# That one is raised it says again with each request; this where it begins.
RAISES = re.compile(r"raising period dur 0/")
SWITCH = re.compile(r".* (\d+\.\d+): sched_switch: prev_comm=.* prev_pid=(\d+) .*prev_state=(\S+) ==> next_comm=.* next_pid=(\d+) ")
FRAME = re.compile(r" => ([^ +]+)")
# Of a stack what does not tell what is waited for.
PLUMBING = re.compile(r"trace_event_raw_|__schedule|schedule|io_schedule|do_syscall_64|entry_SYSCALL|syscall_|ret_from|asm_|exc_|__x64_|bit_wait|__wait_on_bit|out_of_line|rt_mutex|__traceiter")


@dataclass(frozen=True)
class Bio:
  """What a process asked for. flags: as in blkparse(1), R or W first."""
  at: float
  pid: int
  name: str
  flags: str
  sector: int
  sectors: int


@dataclass
class Request:
  """What the drive was handed. owner: the bio that its first sector is of. taken: when the drive turned to it, which is when it was done with the one
  before, as far as one can tell from outside. done: None where it was still under way at the end."""
  at: float
  flags: str
  sector: int
  sectors: int
  owner: Bio | None
  taken: float | None = None
  done: float | None = None

  @property
  def bytes(self):
    return self.sectors * SECTOR


@dataclass
class Wait:
  """Of the program for bios that became one request, or for one that became several. issued: when the drive got it, taken: when the drive turned to it,
  done: when it was there."""
  bios: list
  issued: float
  taken: float
  done: float
  behind: dict  # what the drive did before; see behind()

  @property
  def begin(self):
    return self.bios[0].at

  @property
  def bytes(self):
    return sum(bio.sectors for bio in self.bios) * SECTOR


@dataclass
class Turn:
  """Of the drive: requests of one process, one after the other."""
  process: str
  writes: bool
  begin: float
  end: float
  bytes: int
  requests: int


@dataclass
class Sleep:
  """Of a process. where: the functions of the kernel that it waits in, the innermost first."""
  pid: int
  begin: float
  end: float | None
  where: list


@dataclass
class Log:
  bios: list
  requests: list
  messages: list  # (time, text)


def name_of(bio):
  """A name for people. Flushes without a process are the file system's."""
  return f"{bio.name} {bio.pid}" if bio else "flush"


def parse(trace):
  bios, requests, messages, open_requests, owners = [], [], [], {}, Owners()
  for line in trace.splitlines():
    found = LINE.match(line)
    if not found:
      continue
    at, pid, action, rest = float(found[1]), int(found[2]), found[3], found[4]
    asked = REQUEST.match(rest)
    if action == "m" and (message := MESSAGE.match(rest)):
      messages.append((at, message[1]))
    elif action == "Q" and asked and int(asked[3]):
      bios.append(Bio(at, pid, asked[4], asked[1], int(asked[2]), int(asked[3])))
      owners.add(bios[-1])
    elif action == "D" and asked:
      one = Request(at, asked[1], int(asked[2]), int(asked[3]), owners.of(int(asked[2])))
      requests.append(one)
      open_requests[one.sector] = one
    elif action == "C" and asked and (one := open_requests.pop(int(asked[2]), None)):
      one.done = at
  take_turns(requests)
  return Log(bios, requests, messages)


def take_turns(requests):
  """A drive that has several requests serves one after the other: the time between two that are done is the later one's."""
  last = 0.0
  for one in sorted((r for r in requests if r.done), key=lambda r: r.done):
    one.taken = max(one.at, last)
    last = one.done


class Owners:
  """Of each sector the bio that asked for it last."""

  def __init__(self):
    self.starts, self.bios = [], {}

  def add(self, bio):
    if bio.sector not in self.bios:
      bisect.insort(self.starts, bio.sector)
    self.bios[bio.sector] = bio

  def of(self, sector):
    at = bisect.bisect_right(self.starts, sector) - 1
    bio = self.bios[self.starts[at]] if at >= 0 else None
    return bio if bio and sector < bio.sector + bio.sectors else None


def serving(log, bio):
  """The requests that a bio became."""
  left, found = bio.sectors, []
  for one in log.requests[bisect.bisect_left(log.requests, bio.at, key=lambda r: r.at):]:
    shared = min(one.sector + one.sectors, bio.sector + bio.sectors) - max(one.sector, bio.sector)
    if shared > 0:
      found.append(one)
      left -= shared
    if left <= 0:
      break
  return found


def waits(log, pids, begin, end):
  """Of the processes with these PIDs, for what they queued between the two times."""
  found = {}
  for bio in (b for b in log.bios if b.pid in pids and begin <= b.at <= end):
    parts = serving(log, bio)
    last = max(parts, key=lambda r: r.done or end, default=None)
    issued, taken, done = (parts[0].at, last.taken or end, last.done or end) if parts else (end, end, end)
    wait = found.setdefault((issued, done), Wait([], issued, taken, done, {}))
    wait.bios.append(bio)
  for wait in found.values():
    wait.behind = behind(log, wait.begin, wait.taken)
  return list(found.values())


def behind(log, begin, end):
  """What the drive did in that time: (process, R or W) → [seconds, bytes, requests], first what took longest."""
  found = {}
  for one in log.requests:
    busy = min(one.done, end) - max(one.taken, begin) if one.done else 0
    if busy > 0:
      entry = found.setdefault((name_of(one.owner), "W" if is_write(one.flags) else "R"), [0.0, 0, 0])
      entry[0] += busy
      entry[1] += one.bytes
      entry[2] += 1
  return dict(sorted(found.items(), key=lambda item: -item[1][0]))


def is_write(flags):
  return flags.startswith(("W", "F"))


def joined(spans):
  """Spans of time that overlap, as one each."""
  found = []
  for begin, end in sorted(spans):
    if found and begin <= found[-1][1]:
      found[-1][1] = max(found[-1][1], end)
    else:
      found.append([begin, end])
  return found


def turns(log, begin, end):
  found = []
  for one in sorted((r for r in log.requests if r.done and r.sectors and begin < r.done and r.taken < end), key=lambda r: r.taken):
    name, writes = name_of(one.owner), is_write(one.flags)
    if found and (found[-1].process, found[-1].writes) == (name, writes):
      last = found[-1]
      last.end, last.bytes, last.requests = one.done, last.bytes + one.bytes, last.requests + 1
    else:
      found.append(Turn(name, writes, one.taken, one.done, one.bytes, 1))
  return found


def telling(log, begin, end):
  """What bfq says that explains a turn."""
  return [(at, text) for at, text in log.messages if begin <= at <= end and TELLING.search(text)]


def sleeps(text, pids):
  """Of these processes, from what sched_switch told with the stack of the one that gave way."""
  found, asleep = [], {}
  for line in text.splitlines():
    if switch := SWITCH.match(line):
      at, before, state, after = float(switch[1]), int(switch[2]), switch[3], int(switch[4])
      if after in asleep:
        asleep.pop(after).end = at
      if before in pids and not state.startswith("R"):
        asleep[before] = Sleep(before, at, None, [])
        found.append(asleep[before])
      last = asleep.get(before)
    elif (frame := FRAME.match(line)) and found and last and not PLUMBING.match(frame[1]):
      last.where.append(frame[1])
  return found


def overlap(spans, begin, end):
  return sum(max(min(b, end) - max(a, begin), 0) for a, b in spans)


class Story:
  """One start. told: what a guest measured; begin and end are the start's, and all times of events those of the guest's clock."""

  def __init__(self, told):
    start = told["log"]["start"]
    self.begin, self.end = start["begun"], start["begun"] + start["seconds"]
    self.log = parse(told["log"]["trace"])
    pids = {start["pid"], *children(start["pid"], told["log"]["processes"])}
    self.waits = waits(self.log, pids, self.begin, self.end)
    self.queued = joined((w.begin, w.issued) for w in self.waits)
    self.inside = joined((w.issued, w.taken) for w in self.waits)
    self.served = joined((w.taken, w.done) for w in self.waits)
    self.own = joined((w.begin, w.done) for w in self.waits)
    ahead = told["log"]["clock_ahead_s"]
    self.decisions = [(d["time_usec"] / 1e6 - ahead, d) for d in told["log"]["decisions"] if d["result"] in ("applied", "restored", "failed")]
    self.sleeps = [one for one in sleeps(told["log"]["sleeps"], pids) if self.begin <= one.begin <= self.end]

  def length(self, spans):
    return overlap(spans, self.begin, self.end)

  def culprits(self):
    """What the drive did while a request of the program was under way; see behind()."""
    total = {}
    for a, b in self.own:
      for key, entry in behind(self.log, max(a, self.begin), min(b, self.end)).items():
        total[key] = [x + y for x, y in zip(total.get(key, [0.0, 0, 0]), entry)]
    return dict(sorted(total.items(), key=lambda item: -item[1][0]))

  def for_others(self):
    """Sleeps in which the program had no request of its own under way: it waited for what another asked for, or did."""
    return [one for one in self.sleeps if overlap(self.own, one.begin, one.end or self.end) < ((one.end or self.end) - one.begin) / 2]

  def lines(self, least_s):
    """(time since the call, text) of what took that long at least, in the order of time."""
    found = [(w.begin, wait_text(w)) for w in self.waits if w.done - w.begin >= least_s]
    found += [(t.begin, turn_text(t)) for t in turns(self.log, self.begin, self.end) if t.end - t.begin >= least_s]
    found += [(s.begin, sleep_text(s, self.end)) for s in self.for_others() if (s.end or self.end) - s.begin >= least_s]
    found += [(at, f"bfq    {text}") for at, text in telling(self.log, self.begin, self.end)]
    found += [(at, f"Brio   {d['tunable']} {d['old']} → {d['new']} ({d['law']}): {d['reason']}") for at, d in self.decisions if self.begin <= at <= self.end]
    return [(at - self.begin, text) for at, text in sorted(found)]


def children(pid, processes):
  """Of a process, with theirs. processes: PID (as text) → (parent, name)."""
  below = [int(each) for each, (parent, _) in processes.items() if parent == pid]
  return below + [each for child in below for each in children(child, processes)]


def size(value):
  return f"{value / 1e6:.1f} MB" if value >= 1e6 else f"{value / 1024:.0f} KiB"


def share_text(key, entry):
  name, kind = key
  return f"{name} {entry[0]:.3f} s ({entry[2]} {'writes' if kind == 'W' else 'reads'}, {size(entry[1])})"


def wait_text(wait):
  first = wait.bios[0]
  before = "; ".join(share_text(*item) for item in list(wait.behind.items())[:4])
  return (f"wait   {wait.done - wait.begin:.3f} s to {'write' if is_write(first.flags) else 'read'} {size(wait.bytes)} ({first.flags}) at sector {first.sector}: "
          f"{wait.issued - wait.begin:.3f} s in the scheduler's queue, {wait.taken - wait.issued:.3f} s in the drive's, {wait.done - wait.taken:.3f} s served"
          + (f"; before it {before}" if before else ""))


def turn_text(turn):
  return f"turn   {turn.process} {turn.end - turn.begin:.3f} s: {turn.requests} {'writes' if turn.writes else 'reads'}, {size(turn.bytes)}"


def sleep_text(sleep, end):
  return f"sleep  {(sleep.end or end) - sleep.begin:.3f} s without a request of its own in {' ← '.join(sleep.where[:6])}"
