# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests in virtual time: QEMU counts the instructions of one emulated processor, a nanosecond each, and where the guest idles its
clock jumps to the next timer. So what a guest measures does not depend on what else the host does.

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
from . import handed, inside, system, window

KIND = "virtual"  # of state directory: the monitor's socket and what the guest told
MEMORY_MIB = 4096
CONNECT_S = 60
POLL_S = 0.1
# Nothing from outside may differ: no randomness of the host's, no clock of its own, one processor model.
KERNEL_LINE = "console=ttyS0 quiet panic=-1 mitigations=off nokaslr tsc=reliable"
QEMU = ("qemu-system-x86_64", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-machine", "pc,nvdimm=on", "-cpu", "Nehalem", "-smp", "1",
        "-m", f"{MEMORY_MIB},slots=1,maxmem={2 * MEMORY_MIB}M", "-accel", "tcg,thread=single,tb-size=512", "-icount", "shift=0,sleep=off,align=off", "-rtc", "base=2026-01-01,clock=vm",
        "-seed", "1")
STATE = "state"
RUN = "run"  # the name of what a run is handed; see window.py
# The window is no part of a saved state.
APART = "x-ignore-shared"
DRIVE_SEED = 1
FASTEST = 1 << 40  # bytes a second, of saving a state


class MachineError(Exception):
  """A guest did not do what it should; the text says what."""


class Machine(process.Resource):
  """A context manager: a guest that boots, or goes on from a saved state. archive: what it is handed."""

  def __init__(self, base, archive, from_state=None):
    self.base = base
    self.archive = archive
    self.from_state = from_state
    self.goes = from_state is None
    self.directory = self.qemu = self.monitor = None

  def open(self):
    for left in state.orphans(KIND):
      state.remove(left)
    self.directory = Path(state.make(KIND))
    window.write(self.directory / "window", RUN if self.from_state else inside.PREPARATION, self.archive)
    self.qemu = process.Process(self._argv(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
      self.monitor = channel.Monitor(self.directory / "monitor", CONNECT_S)
    except channel.ChannelError as e:
      raise MachineError(f"QEMU did not start: {self.qemu.text('stderr').strip() or e}") from e
    self.command("migrate-set-capabilities", capabilities=[{"capability": APART, "state": True}])
    if self.from_state:
      self.command("migrate-incoming", uri=f"exec:cat '{self.from_state}'")

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
    for name in ("console", "report"):
      argv += ["-chardev", f"file,id={name},path={self.directory / name}", "-serial", f"chardev:{name}"]
    argv += ["-object", f"memory-backend-file,id=window,mem-path={self.directory / 'window'},size={window.BYTES},share=on",
             "-device", "nvdimm,memdev=window"]
    return [*argv, "-incoming", "defer"] if self.from_state else argv

  def command(self, name, **arguments):
    """To QEMU. Where it has ended, what it said last tells more than that."""
    try:
      return self.monitor.command(name, **arguments)
    except channel.ChannelError as e:
      words = self.qemu.text("stderr").strip()
      print(words);    raise MachineError(f"QEMU: {process.last_line(words)}" if words else str(e)) from e

  def lines(self):
    """What the guest has told, by whole lines."""
    try:
      return (self.directory / "report").read_text(encoding="utf-8").split("\n")[:-1]
    except FileNotFoundError:
      return []

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

  def save(self, path, tick):
    self.command("stop")
    self.command("migrate-set-parameters", max_bandwidth=FASTEST)
    self.command("migrate", uri=f"exec:cat >'{path}'")
    self.wait(lambda: self._saved(), tick)

  def _saved(self):
    status = self.command("query-migrate")
    if status["status"] == "failed":
      raise MachineError(f"the guest's state could not be saved: {status.get('error-desc', 'no reason given')}")
    return status["status"] == "completed"

  def poll(self):
    """Lets it go on once its state is loaded. Returns what the guest measured once it has ended, and None before."""
    if not self.goes and self.qemu.popen.poll() is None and self.command("query-status")["status"] != "inmigrate":
      self.command("cont")
      self.goes = True
    return None if self.qemu.popen.poll() is None else self.result()

  def result(self):
    told = json.loads((self.lines() or ["{}"])[-1])
    if "result" not in told:
      raise MachineError(f"the guest: {told.get('error') or self.last_words()}")
    return told["result"]


def no_tick():
  """For who shows no progress."""


def prepared(model, build_dir, tick=no_tick):
  """The directory with the saved state for a model of drive, made where it is not there yet; and that of the guest's system."""
  base = system.made(build_dir)
  request = {"model": model, "drive_seed": DRIVE_SEED, "big_files": loads.BIG_FILES + 1, "big_file_bytes": loads.BIG_FILE_BYTES}
  archive = handed.with_request(request, handed.preparation(build_dir, content(build_dir)))
  recipe = "\n".join([base.name, system.digest(archive), qemu_version(), *QEMU, KERNEL_LINE])
  return trees.kept(build_dir, f"guest-{model}", recipe, lambda directory: prepare(base, archive, directory, tick), only=True), base


def content(build_dir):
  """What each guest's file system is filled with: name → tree."""
  wanted = {}
  for user in (*(program for program in programs.ALL.values() if not program.of_debian), loads.Upgrade):
    wanted |= user.trees(build_dir)
  return wanted


def prepare(base, archive, directory, tick):
  with Machine(base, archive) as machine:
    machine.wait(machine.lines, tick)
    if machine.lines()[0] != inside.PREPARED:
      raise MachineError(f"the guest could not be prepared: {machine.lines()[0]}")
    machine.save(directory / STATE, tick)


def qemu_version():
  return process.output([QEMU[0], "--version"], MachineError).splitlines()[0]


def at_a_time():
  """How many guests run side by side: each has a processor of its own, and memory."""
  available_kib = int(re.search(r"^MemAvailable: +(\d+)", Path("/proc/meminfo").read_text(encoding="ascii"), re.M)[1])
  return max(1, min(len(os.sched_getaffinity(0)), available_kib // (MEMORY_MIB << 10)))


def run_all(jobs, build_dir, begun, ended, tick):
  """jobs: (from which state's directory, that of the system, request) each. Calls begun(i), and ended(i, what the guest measured), in
  whatever order they end. What is under test is that of the beginning, whoever builds meanwhile."""
  under_test = handed.run(build_dir)
  waiting, running, most = list(enumerate(jobs)), {}, at_a_time()
  with contextlib.ExitStack() as stack:
    while waiting or running:
      while waiting and len(running) < most:
        i, (place, base, request) = waiting.pop(0)
        begun(i)
        running[i] = stack.enter_context(Machine(base, handed.with_request(request, under_test), place / STATE))
      for i, machine in list(running.items()):
        result = machine.poll()
        if result is not None:
          machine.__exit__()
          del running[i]
          ended(i, result)
      tick()
      time.sleep(POLL_S)
