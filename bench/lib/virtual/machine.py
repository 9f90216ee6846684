# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests in virtual time: QEMU counts the instructions of one emulated processor, a nanosecond each, and where the guest idles its
clock jumps to the next timer. So what a guest measures does not depend on what else the host does.

QEMU alone does not keep to that. Its main thread moves the clock on where the processor has halted, and may look while the processor's
thread has halted and has not counted its last instructions yet: these are then counted twice. So both threads have one processor of the host's,
and the main one goes first whenever it has something to do: it looks only when the other has given way.

A guest is prepared once for each model of drive, and its state saved; each run goes on from there, with what is handed in then.
"""
import contextlib
import json
import os
import re
import subprocess
import time
from pathlib import Path

from .. import channel, loads, process, programs, state, trees
from . import handed, system, window

KIND = "virtual"  # of state directory: the monitor's socket, and what the guest was handed and tells
MEMORY_MIB = 4096
CONNECT_S = 60
POLL_S = 0.1
# Nothing from outside may differ: no randomness of the host's, no clock of its own, one processor model.
# Pages that are allocated are not cleared first, unless they are asked for as such: for an emulated processor that is much work. So is one instruction
# that copies many bytes, of which it counts each step: X86_FEATURE_REP_GOOD is taken away, and the kernel copies in a loop.
KERNEL_LINE = "console=ttyS0 quiet panic=-1 mitigations=off init_on_alloc=0 nokaslr tsc=reliable clearcpuid=112"
QEMU = ("qemu-system-x86_64", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-machine", "pc,nvdimm=on,memory-backend=memory", "-cpu", "Nehalem", "-smp", "1",
        "-m", f"{MEMORY_MIB},slots=1,maxmem={2 * MEMORY_MIB}M", "-accel", "tcg,thread=single,tb-size=512", "-icount", "shift=0,sleep=off,align=off", "-rtc", "base=2026-01-01,clock=vm",
        "-seed", "1", "-S", "-device", "pvpanic", "-action", "panic=pause")
# Of the main thread: before all that has no such priority. Threads that it makes do not inherit it.
FIRST = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
# A saved state: the guest's memory, and all else.
MEMORY, STATE = "memory", "state"
# Memory that is a file of the host's is no part of what is saved: neither the window nor the guest's own, which is saved by being such a file.
APART = "x-ignore-shared"
# Of drives of a model, each with a seed of its own, and its files in another order and so at other places.
PLACES = 2
FASTEST = 1 << 40  # bytes a second, of saving a state


class MachineError(Exception):
  """A guest did not do what it should; the text says what."""


class Machine(process.Resource):
  """A context manager: a guest that boots, or goes on from a saved state. archive: what it is handed. processor: of the host's, that
  it runs on. place: the state's directory. saved: whether the state is there already; what goes on from it changes a copy of the memory, page by
  page. log: whether it is to tell its log, too."""

  def __init__(self, base, archive, processor, place, saved, log=False):
    self.base = base
    self.archive = archive
    self.processor = processor
    self.place = place
    self.saved = saved
    self.log = log
    self.goes = False
    self.directory = self.qemu = self.monitor = None

  def open(self):
    for left in state.orphans(KIND):
      state.remove(left)
    self.directory = Path(state.make(KIND))
    window.write(self.directory / "window", self.archive, self.log)
    self.archive = None  # a megabyte, of each run until the last has ended
    self.qemu = process.Process(self._argv(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
      self.monitor = channel.Monitor(self.directory / "monitor", CONNECT_S)
    except channel.ChannelError as e:
      raise MachineError(f"QEMU did not start: {self.qemu.text('stderr').strip() or e}") from e
    self.command("migrate-set-capabilities", capabilities=[{"capability": APART, "state": True}])
    if self.saved:
      self.command("migrate-incoming", uri=f"exec:cat '{self.place / STATE}'")

  def close(self):
    if self.monitor:
      self.monitor.close()
    if self.qemu:
      self.qemu.__exit__()
    if self.directory:
      state.remove(self.directory)
    self.monitor = self.qemu = self.directory = None

  def _argv(self):
    argv = [*QEMU, "-kernel", str(self.base / system.KERNEL), "-initrd", str(self.base / system.INITRAMFS), "-append", KERNEL_LINE,
            "-chardev", f"socket,id=monitor,path={self.directory / 'monitor'},server=on,wait=off", "-mon", "chardev=monitor,mode=control"]
    argv += ["-chardev", f"file,id=console,path={self.directory / 'console'}", "-serial", "chardev:console"]
    argv += ["-object", f"memory-backend-file,id=memory,mem-path={self.place / MEMORY},size={MEMORY_MIB}M,share={'off' if self.saved else 'on'}"]
    argv += ["-object", f"memory-backend-file,id=window,mem-path={self.directory / 'window'},size={window.BYTES},share=on",
             "-device", "nvdimm,memdev=window"]
    return [*argv, "-incoming", "defer"] if self.saved else argv

  def command(self, name, **arguments):
    """To QEMU. Where it has ended, what it said last tells more than that."""
    try:
      return self.monitor.command(name, **arguments)
    except channel.ChannelError as e:
      words = self.qemu.text("stderr").strip()
      raise MachineError(f"QEMU: {process.last_line(words)}" if words else str(e)) from e

  def last_words(self):
    console = (self.directory / "console").read_text(encoding="utf-8", errors="replace")
    return process.last_line(self.qemu.text("stderr") or console)

  def wait(self, condition, tick):
    """Until condition() is true."""
    while not condition():
      if self.qemu.popen.poll() is not None:
        raise MachineError(f"the guest ended early: {self.last_words()}")
      tick()
      time.sleep(POLL_S)

  def go(self):
    for task in Path(f"/proc/{self.qemu.pid}/task").iterdir():
      os.sched_setaffinity(int(task.name), {self.processor})
    os.sched_setscheduler(self.qemu.pid, FIRST, os.sched_param(1))
    self.command("cont")
    self.goes = True

  def has_stopped(self):
    """By itself: see inside.stop(). What has ended has not."""
    with contextlib.suppress(channel.ChannelError):
      self.monitor.collect()
    return any(event["event"] == "STOP" for event in self.monitor.events)

  def save(self, tick):
    self.command("migrate-set-parameters", max_bandwidth=FASTEST)
    self.command("migrate", uri=f"exec:cat >'{self.place / STATE}'")
    self.wait(self._saved, tick)

  def _saved(self):
    status = self.command("query-migrate")
    if status["status"] == "failed":
      raise MachineError(f"the guest's state could not be saved: {status.get('error-desc', 'no reason given')}")
    return status["status"] == "completed"

  def poll(self):
    """Lets it go on once its state is loaded. Returns what the guest measured once it has ended, and None before."""
    if not self.goes and self.qemu.popen.poll() is None and self.command("query-status")["status"] != "inmigrate":
      self.go()
    return None if self.qemu.popen.poll() is None else self.result()

  def result(self):
    told = json.loads(window.answered(self.directory / "window") or "{}")
    if "result" not in told:
      raise MachineError(f"the guest: {told.get('error') or self.last_words()}")
    return told["result"]


def no_tick():
  """For callers that show no progress."""


def place_of(seed):
  return seed % PLACES


def prepared(model, build_dir, begun=no_tick, tick=no_tick, release=None, place=0, graphical=False):
  """The directory with the saved state for a model of drive, made where it is not there yet; and that of the guest's system. begun(): it has to be
  made. release: of Debian, in the guest (default: this machine's). place: which of PLACES drives. graphical: with programs of the Debian tree."""
  base = system.made(build_dir, release, graphical)
  request = {"model": model, "drive_seed": place, "big_files": loads.BIG_FILES + 1, "big_file_bytes": loads.BIG_FILE_BYTES,
             "modules": handed.standard_library()}
  archive = handed.with_request(request, handed.preparation(build_dir, model, content(build_dir), base, place))
  recipe = "\n".join([base.name, system.digest(archive), qemu_version(), *QEMU, KERNEL_LINE])

  def make(directory):
    begun()
    prepare(base, archive, directory, tick)
  return trees.kept(build_dir, f"guest-{model}-{system.title(release, graphical)}-{place}", recipe, make, only=True), base


def content(build_dir):
  """What each guest's file system is filled with, and a graphical one's besides what is in its system: name → tree."""
  wanted = {}
  for user in (*(program for program in programs.ALL.values() if not program.of_debian), loads.Upgrade):
    wanted |= user.trees(build_dir)
  return wanted


def prepare(base, archive, directory, tick):
  with Machine(base, archive, min(os.sched_getaffinity(0)), directory, False) as machine:
    machine.go()
    machine.wait(lambda: machine.poll() or machine.has_stopped(), tick)
    machine.save(tick)
  process.output(["fallocate", "--dig-holes", str(directory / MEMORY)], MachineError)  # zeros take no room


def qemu_version():
  return process.output([QEMU[0], "--version"], MachineError).splitlines()[0]


def at_a_time():
  """How many guests run side by side: each has a processor of its own, and memory."""
  available_kib = int(re.search(r"^MemAvailable: +(\d+)", Path("/proc/meminfo").read_text(encoding="ascii"), re.M)[1])
  return max(1, min(len(os.sched_getaffinity(0)), available_kib // (MEMORY_MIB << 10)))


def under_test(jobs, build_dir):
  """Kind of job → the archive that its guest is handed: what is built by now, whatever is built meanwhile."""
  return {kind: handed.run(build_dir, *kind) for kind in {kind_of(job) for job in jobs}}


def kind_of(job):
  """Jobs of one kind are handed the same besides their request: the system's directory, our modules, and whether Brio is there."""
  _, base, request = job
  return base, handed.modules(request), handed.has_brio(request)


def run_all(jobs, tested, begun, ended, tick, log=False):
  """jobs: (from which state's directory, that of the system, request) each. tested: of under_test(). Calls begun(i), and ended(i, what the guest
  measured, and its log where that is wanted), in whatever order they end."""
  waiting, running, free = list(enumerate(jobs)), {}, sorted(os.sched_getaffinity(0))[:at_a_time()]
  with contextlib.ExitStack() as stack:
    while waiting or running:
      while waiting and free:
        i, job = waiting.pop(0)
        place, base, request = job
        begun(i)
        running[i] = stack.enter_context(Machine(base, handed.with_request(request, tested[kind_of(job)]), free.pop(0), place, True, log))
      for i, machine in list(running.items()):
        result = machine.poll()
        if result is not None:
          machine.__exit__()
          del running[i]
          free.append(machine.processor)
          ended(i, result)
      tick()
      time.sleep(POLL_S)
