# SPDX-License-Identifier: GPL-3.0-or-later
"""A graphical program on a display of its own: until its first frame, its CPU time, its memory."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from . import daemon, display, process, state, usage

SCREEN = "2000x1300x24"
WIDTH, HEIGHT = 1900, 1150  # as in gui/empty.c
START_TIMEOUT_S = 30
FRAMES_TIMEOUT_S = 120
SCALE_TIMEOUT_S = 200
SCALE = {"drives": 64, "processes": 5000, "decisions": 10000}
CPUCLOCK_SCHED = 2  # of a process's clock: linux/posix-timers.h
DRIVES = 3  # with four plots each
CHANGES_HZ = 3  # of a drive that is busy, in two signals each
PAGES = ("overview", "startups", "streams", "processes", "decisions", "policies")
PLOTS = 10  # at least so many of them are in the window
ONE_DRIVE = {
  "scheduler": "bfq", "workload": "many-sync", "state": "holding", "swing": 0.5,
  "reason": "idle-limit: 60 processes read a little each at the same time (4.1 kB a read)",
  "tunables": {"slice_idle_us": ["8000", "5000", "5000", "brio"], "timeout_sync": ["124", "", "124", "kernel"]},
  "load": {"read_iops": 118, "write_iops": 14, "read_latency_us": 64000, "write_latency_us": 21000, "utilisation_permille": 980,
           "depth_milli": 31400, "inflight": 30, "read_bytes_per_s": 9300000, "write_bytes_per_s": 2100000, "readers": 60,
           "read_median_us": 21000, "read_p99_us": 180000, "write_median_us": 9000, "write_p99_us": 96000}}


ONE_PROCESS = {"inferred": False, "write_bytes_per_second": 0, "source": "requests", "io_class": "best-effort", "io_level": 4, "wait_permille": 400,
               "reads_per_second": 60, "read_latency_usec": 21504, "read_latency_p99_usec": 118784}
ONE_DECISION = {"time_usec": 1795000000000000, "tunable": "slice_idle_us", "unit": "us", "old": "8000", "new": "5000", "law": "idle-limit",
                "reason": "60 processes read a little each at the same time (4.1 kB a read); slice_idle_us = 5000 µs"}


class GuiError(Exception):
  """A program did not show its window; the text says why."""


def missing(build_dir):
  needed = [dashboard(build_dir), empty_window(build_dir), plot_frames(build_dir), scale(build_dir)]
  absent = next((f"{path} is not built (with -Dgui=enabled)" for path in needed if not path.exists()), None)
  programs = {"dbus-daemon": "dbus", "gdbus": "libglib2.0-bin", "xwininfo": "x11-utils"}
  program = next((f"there is no {name} (package {package})" for name, package in programs.items() if not shutil.which(name)), None)
  return absent or program or display.missing()


def dashboard(build_dir):
  return Path(build_dir) / "gui/brio"


def empty_window(build_dir):
  return Path(build_dir) / "bench/gui/brio-empty-window"


def plot_frames(build_dir):
  return Path(build_dir) / "bench/gui/brio-plot-frames"


def scale(build_dir):
  return Path(build_dir) / "bench/gui/brio-scale"


class Desk(process.Resource):
  """A context manager: a display, a bus, and on it a daemon that tells of busy drives twice a second. No other settings,
  icons or accessibility bus have a part in what is measured."""

  def __init__(self):
    self.stack = contextlib.ExitStack()
    self.display = self.environment = self.directory = self.bus = self.server_pid = self.kept = None

  def open(self):
    directory = self.directory = state.make("gui")
    self.stack.callback(state.remove, directory)
    self.display = self.stack.enter_context(display.Display(SCREEN))
    self.server_pid = self.display.server.pid
    self.bus = self._start_bus()
    # The first page, which is there once, was read; what else is kept has its place, as on a desktop.
    self.kept = Path(directory) / "glib-2.0/settings/keyfile"
    self.kept.parent.mkdir(parents=True)
    self._keep_page("overview")
    self._start_daemon(self.bus, {"backfill_s": 62, "drives": [
      {**ONE_DRIVE, "name": f"sd{chr(ord('a') + i)}", "model": f"Disk {i + 1}", "class": "hdd"} for i in range(DRIVES)]})
    self.environment = {k: v for k, v in os.environ.items() if k not in ("GTK_THEME", "GTK_DEBUG", "G_MESSAGES_DEBUG", "WAYLAND_DISPLAY")} | {
      "DISPLAY": self.display.name, "DBUS_SESSION_BUS_ADDRESS": self.bus, "XDG_CONFIG_HOME": directory, "XDG_CACHE_HOME": f"{directory}/cache",
      "GSETTINGS_BACKEND": "keyfile", "GSK_RENDERER": "cairo", "GDK_BACKEND": "x11", "GTK_A11Y": "none", "NO_AT_BRIDGE": "1",
      "GTK_USE_PORTAL": "0", "ADW_DISABLE_PORTAL": "1", "GIO_USE_VFS": "local", "LC_ALL": "C.UTF-8"}

  def close(self):
    self.stack.close()

  def _keep_page(self, page):
    self.kept.write_text(f"[org/brio/Brio]\nwelcomed=true\npage='{page}'\n")

  def _start(self, argv):
    """Starts a program that says a line when it is ready, and returns that."""
    child = self.stack.enter_context(process.Process(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    return first_line(child)

  def _start_bus(self):
    return self._start(["dbus-daemon", f"--config-file={daemon.ROOT}/tests/lib/private-bus.conf", "--nofork", "--print-address=1"])

  def _start_daemon(self, bus, scenario):
    path = Path(self.directory) / f"{'scale' if 'scale' in scenario else 'restless' if 'restless_hz' in scenario else 'drives'}.json"
    path.write_text(json.dumps({"mode": "auto", **scenario}))
    self._start([str(daemon.ROOT / "tests/lib/fake-daemon.py"), "--bus", bus, "--scenario", str(path)])

  @contextlib.contextmanager
  def announced(self, argv):
    """A running program that says "content" when it has painted it, and how long that took from before exec."""
    reader, writer = os.pipe()
    try:
      begin = time.monotonic()
      with process.Process(argv, stdout=writer, stderr=subprocess.PIPE, env=self.environment) as child:
        os.close(writer)
        if not process.readable_by(reader, begin + START_TIMEOUT_S, None) or os.read(reader, 64) != b"content\n":
          raise GuiError(f"{argv[0]} showed nothing within {START_TIMEOUT_S} s: {process.last_line(child.text('stderr'))}")
        yield child, time.monotonic() - begin
    finally:
      os.close(reader)

  @contextlib.contextmanager
  def mapped(self, argv):
    """Another program, which says nothing: until a window of it is mapped."""
    with self.display.watch() as windows:
      begin = time.monotonic()
      with process.Process(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=self.environment) as child:
        if not windows.saw(b"MapNotify", begin + START_TIMEOUT_S):
          raise GuiError(f"{argv[0]} showed no window within {START_TIMEOUT_S} s: {process.last_line(child.text('stderr'))}")
        yield child, time.monotonic() - begin

  def dashboard(self, build_dir, bus=None, page="overview"):
    self._keep_page(page)
    return self.announced([str(dashboard(build_dir)), "--bus", bus or self.bus, "--announce", "--screenshot-width", str(WIDTH),
                           "--screenshot-height", str(HEIGHT)])

  def minimise(self):
    """As a window manager does, of which there is none on this display: the window is unmapped, and told so."""
    tree = subprocess.run(["xwininfo", "-display", self.display.name, "-root", "-children"], check=True, capture_output=True, text=True).stdout
    window = re.search(r"^ *(0x[0-9a-f]+) \"Brio\"", tree, re.MULTILINE)
    if not window:
      raise GuiError("the dashboard has no window to minimise")
    subprocess.run(["xprop", "-display", self.display.name, "-id", window[1], "-f", "_NET_WM_STATE", "32a", "-set", "_NET_WM_STATE", "_NET_WM_STATE_HIDDEN"],
                   check=True, capture_output=True)
    self.display.unmap(int(window[1], 16))

  def hide_page(self):
    """Has the dashboard show the page of start-ups, as a notification does."""
    subprocess.run(["gdbus", "call", "--address", self.bus, "--dest", "org.brio.Brio", "--object-path", "/org/brio/Brio", "--method",
                    "org.gtk.Actions.Activate", "show-startup", "[<('', int64 0)>]", "{}"], check=True, capture_output=True)

  def restless_bus(self):
    """A bus with a daemon of one busy drive, of which it tells as often as a real one does."""
    bus = self._start_bus()
    scenario = json.loads((daemon.ROOT / "tests/lib/scenarios/desktop.json").read_text())
    self._start_daemon(bus, {**scenario, "drives": scenario["drives"][:1], "restless_hz": CHANGES_HZ})
    return bus

  def empty_window(self, build_dir):
    return self.announced([str(empty_window(build_dir))])

  def _read_lines(self, argv, timeout_s, tick):
    """The words of each line that the program prints until it ends."""
    with process.Process(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment) as child:
      out, err = child.finish(timeout_s, lambda _elapsed: tick())
      if child.returncode != 0:
        raise GuiError(f"{argv[0]} failed: {err.strip()}")
    return [line.split() for line in out.splitlines()]

  def frames(self, build_dir, tick):
    """Milliseconds of each frame in which ten plots are drawn, by the seconds that the plots are over."""
    frames = {}
    for span_s, ms in self._read_lines([str(plot_frames(build_dir))], FRAMES_TIMEOUT_S, tick):
      frames.setdefault(int(span_s), []).append(float(ms))
    return frames

  def stalls(self, build_dir, tick):
    """The longest that the main loop is busy, in milliseconds, by what is done where: with as many of each as SCALE says."""
    bus = self._start_bus()
    self._start_daemon(bus, {"scale": SCALE, "drives": [{**ONE_DRIVE, "name": "", "class": "hdd"}], "processes": [ONE_PROCESS], "decisions": [ONE_DECISION]})
    return {f"{page}, {action}": float(ms) for page, action, ms in self._read_lines([str(scale(build_dir)), bus], SCALE_TIMEOUT_S, tick)}


def first_line(child):
  end = time.monotonic() + START_TIMEOUT_S
  while not child.text("stdout").endswith("\n"):
    if child.popen.poll() is not None or time.monotonic() > end:
      raise GuiError(f"{child.popen.args[0]} did not start: {process.last_line(child.text('stderr'))}")
    time.sleep(process.POLL_S)
  return child.text("stdout").splitlines()[0]


def watch(child, server_pid, seconds, tick):
  """What it takes for so long, as % of a CPU: itself, and the X server for it; and its memory at the end."""
  before, server_before, begin = cpu_s(child.pid), cpu_s(server_pid), time.monotonic()
  wait(child, seconds, tick)
  elapsed = time.monotonic() - begin
  return {"cpu_percent": (cpu_s(child.pid) - before) / elapsed * 100,
          "server_cpu_percent": (cpu_s(server_pid) - server_before) / elapsed * 100, "seconds": elapsed} | memory(child)


def memory(child):
  return {"pss_kib": usage.pss_kib(child.pid), "anonymous_kib": usage.pss_kib(child.pid, "Pss_Anon")}


def cpu_s(pid):
  """Seconds on a CPU of all threads that the process has and had: toolkits' come and go. By clock_getcpuclockid(3)."""
  return time.clock_gettime((~pid << 3) | CPUCLOCK_SCHED)


def wait(child, seconds, tick):
  end = time.monotonic() + seconds
  while time.monotonic() < end:
    if child.popen.poll() is not None:
      raise GuiError(f"{child.popen.args[0]} ended meanwhile: {process.last_line(child.text('stderr'))}")
    tick()
    time.sleep(min(0.5, max(end - time.monotonic(), 0)))
