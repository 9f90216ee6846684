# SPDX-License-Identifier: GPL-3.0-or-later
"""briod from the build tree, on a bus and with a state directory of its own."""
import os
import select
import shutil
import socket
import subprocess
import time
from pathlib import Path

from . import process, state

ROOT = Path(__file__).resolve().parent.parent.parent
START_TIMEOUT_S = 60  # beside 64 drives on a machine that has other work

BUS_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path={directory}/bus</listen>
  {guest}
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
# Only root can enter the state directory: a guest needs another way to the bus.
GUEST_CONFIG = """<listen>{address}</listen>
  <policy context="mandatory">
    <allow user="{user}"/>
  </policy>"""


class DaemonError(Exception):
  """briod did not start or did not end as it should; the text says why."""


def missing(build_dir):
  if not executable(build_dir, "briod").exists():
    return f"{executable(build_dir, 'briod')} is not built"
  return None if shutil.which("dbus-daemon") else "there is no dbus-daemon (package dbus)"


def executable(build_dir, name):
  return Path(build_dir) / {"briod": "daemon", "brioctl": "cli"}[name] / name


class Daemon(process.Resource):
  """A context manager. Options: --mode, --include and so on, as a list. guest: the UID of another user that may use the bus,
  at guest_address."""

  def __init__(self, build_dir, options, guest=None):
    self.build_dir = build_dir
    self.options = options
    self.guest = guest
    self.directory = None
    self.bus = None
    self.briod = None

  @property
  def pid(self):
    return self.briod.pid

  @property
  def address(self):
    return f"unix:path={self.directory}/bus"

  @property
  def guest_address(self):
    return f"unix:abstract={self.directory}/bus"

  def open(self):
    self.directory = state.make("daemon")
    self._start_bus()
    self._start_briod()

  def _start_bus(self):
    config = Path(self.directory) / "bus.conf"
    guest = GUEST_CONFIG.format(address=self.guest_address, user=self.guest) if self.guest else ""
    config.write_text(BUS_CONFIG.format(directory=self.directory, guest=guest))
    self.bus = process.Process(["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile"],
                               stderr=subprocess.PIPE)
    self._wait(lambda: (Path(self.directory) / "bus").exists(), self.bus, "dbus-daemon")

  def argv(self):
    return [str(executable(self.build_dir, "briod")), "--bus", self.address, "--state-dir", f"{self.directory}/state",
            "--policy-dir", str(ROOT / "policies"), *self.options]

  def _start_briod(self):
    """It tells readiness as to systemd, so that we need not guess how long it takes."""
    path = f"{self.directory}/notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as ready:
      ready.bind(path)
      environment = {k: v for k, v in os.environ.items() if k != "WATCHDOG_USEC"} | {"NOTIFY_SOCKET": path}
      self.briod = process.Process(self.argv(), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
      self._wait(lambda: self._is_ready(ready), self.briod, "briod")

  @staticmethod
  def _is_ready(ready):
    while select.select([ready], [], [], 0)[0]:
      if b"READY=1" in ready.recv(4096).split(b"\n"):
        return True
    return False

  def _wait(self, condition, child, name):
    end = time.monotonic() + START_TIMEOUT_S
    while not condition():
      if child.popen.poll() is not None or time.monotonic() > end:
        raise DaemonError(f"{name} did not start: {self.last_words(child)}")
      time.sleep(process.POLL_S)

  @staticmethod
  def last_words(child):
    return process.last_line(child.text("stderr"), f"no message, status {child.popen.poll()}")

  def log(self):
    """What it has told so far."""
    return self.briod.text("stderr")

  def check(self):
    """Raises DaemonError where it has ended by itself."""
    if self.briod.popen.poll() is not None:
      raise DaemonError(f"briod ended by itself: {self.last_words(self.briod)}")

  def command(self, verb, *arguments):
    """brioctl against this daemon."""
    return [str(executable(self.build_dir, "brioctl")), verb, "--bus", self.address, *arguments]

  def brioctl(self, *arguments):
    """Runs brioctl against this daemon and returns its output."""
    done = subprocess.run(self.command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)
    if done.returncode != 0:
      raise DaemonError(f"brioctl {arguments[0]}: {process.last_line(done.stderr, f'status {done.returncode}')}")
    return done.stdout

  @process.uninterrupted()
  def close(self):
    for child in (self.briod, self.bus):
      if child:
        child.__exit__()
    self.briod = self.bus = None
    if self.directory:
      state.remove(self.directory)
      self.directory = None
