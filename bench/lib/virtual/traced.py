# SPDX-License-Identifier: GPL-3.0-or-later
"""What a drive was asked for and when, as the kernel's blk tracer tells it in a guest: each request that is queued, handed to the drive and
completed, and what bfq says that it decides and where the program sleeps, where that is asked for."""
import contextlib
from pathlib import Path

TRACING = Path("/sys/kernel/tracing")
BUFFER_KIB = 16 << 10  # of a disk's requests some minutes; what no longer fits goes, oldest first
REQUESTS = "queue,issue,complete"
MESSAGES = "notify"


class Trace(contextlib.AbstractContextManager):
  """messages: bfq's, too. They take the processor's time, and so change the start a little."""

  def __init__(self, emulated, messages=False):
    self.of_drive = Path("/sys/block") / emulated.name / "trace"
    self.mask = f"{REQUESTS},{MESSAGES}" if messages else REQUESTS

  def __enter__(self):
    for name, value in (("buffer_size_kb", BUFFER_KIB), ("trace_clock", "mono"), ("current_tracer", "blk"), ("trace_options", "blk_classic")):
      (TRACING / name).write_text(str(value))
    (self.of_drive / "enable").write_text("1")
    (self.of_drive / "act_mask").write_text(self.mask)
    return self

  def __exit__(self, *_):
    self.stop()

  def stop(self):
    (TRACING / "tracing_on").write_text("0")

  def text(self):
    """Line by line, each with the monotonic time in seconds; see Documentation/trace/ and blkparse(1)."""
    self.stop()
    lines = (TRACING / "trace").read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("#"))


class Sleeps(contextlib.AbstractContextManager):
  """Where in the kernel processes of that name sleep, each with its stack."""

  def __init__(self, name):
    self.name = name
    self.place = TRACING / "instances" / "sleeps"

  def __enter__(self):
    self.place.mkdir()
    event = self.place / "events" / "sched" / "sched_switch"
    (self.place / "buffer_size_kb").write_text(str(BUFFER_KIB))
    (self.place / "trace_clock").write_text("mono")
    (event / "filter").write_text(f'prev_comm == "{self.name}" || next_comm == "{self.name}"')
    (event / "trigger").write_text(f'stacktrace if prev_comm == "{self.name}"')
    (event / "enable").write_text("1")
    return self

  def __exit__(self, *_):
    (self.place / "tracing_on").write_text("0")

  def text(self):
    self.__exit__()
    return (self.place / "trace").read_text(encoding="utf-8", errors="replace")


def names():
  """Of the processes that there are: PID → (parent's PID, name)."""
  found = {}
  for each in Path("/proc").glob("[0-9]*/stat"):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
      pid, _, rest = each.read_text(encoding="utf-8", errors="replace").partition(" (")
      name, _, rest = rest.rpartition(") ")
      found[pid] = (int(rest.split()[1]), name)
  return found
