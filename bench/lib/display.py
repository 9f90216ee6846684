# SPDX-License-Identifier: GPL-3.0-or-later
"""A private X display, when a window appears on it, and when something is painted there."""
import contextlib
import ctypes
import mmap
import os
import shutil
import subprocess
import time
from pathlib import Path

from . import process, state

START_TIMEOUT_S = 15
KIND = "screen"
PICTURE = "Xvfb_screen0"  # in the directory that -fbdir names: what is on the screen
EACH_BYTE = 97            # of the picture, one of so many is looked at: no less than one of each 32 pixels, spread over all rows
SCREEN = "1280x800x24"
PROGRAMS = {"Xvfb": "xvfb", "xev": "x11-utils", "xprop": "x11-utils", "stdbuf": "coreutils"}  # and their packages


class DisplayError(Exception):
  """The X server or its watcher did not start; the text says why in one line."""


def missing():
  return next((f"there is no {name} (package {package})" for name, package in PROGRAMS.items() if not shutil.which(name)), None)


class Display:
  """A context manager: an X server of our own, and its name."""

  def __init__(self, screen=SCREEN):
    self.screen = screen
    self.server = None
    self.name = None
    self.directory = None

  def __enter__(self):
    with process.uninterrupted():
      self.directory = state.make(KIND)
    self.server = process.Process(["Xvfb", "-displayfd", "1", "-screen", "0", self.screen, "-fbdir", self.directory, "-nolisten", "tcp", "-noreset"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + START_TIMEOUT_S
    while not self.server.text("stdout").endswith("\n"):
      if self.server.popen.poll() is not None or time.monotonic() > end:
        words = process.last_line(self.server.text("stderr"))
        self.close()
        raise DisplayError(f"Xvfb did not start: {words}")
      time.sleep(process.POLL_S)
    self.name = f":{self.server.text('stdout').strip()}"
    return self

  def __exit__(self, *_):
    self.close()

  def close(self):
    if self.server:
      self.server.__exit__()
      self.server = None
    if self.directory:
      state.remove(self.directory)
      self.directory = None

  @contextlib.contextmanager
  def picture(self):
    """Gives a Picture."""
    with (Path(self.directory) / PICTURE).open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory:
      yield Picture(memory)

  @contextlib.contextmanager
  def watch(self):
    """Gives a Windows."""
    reader, writer = os.pipe()
    argv = ["stdbuf", "-oL", "xev", "-display", self.name, "-root", "-event", "substructure", "-event", "property"]
    try:
      with process.Process(argv, stdout=writer, stderr=subprocess.DEVNULL):
        os.close(writer)
        windows = Windows(reader)
        self._wait_until_watched(windows)
        yield windows
    finally:
      os.close(reader)

  def unmap(self, window):
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(x11.XOpenDisplay(self.name.encode()))
    if not connection:
      raise DisplayError(f"no connection to the display {self.name}")
    x11.XUnmapWindow(connection, ctypes.c_ulong(window))
    x11.XCloseDisplay(connection)

  def _wait_until_watched(self, windows):
    """Changes the root window until the watcher tells of it."""
    end = time.monotonic() + START_TIMEOUT_S
    while not windows.saw(b"PropertyNotify", time.monotonic() + process.POLL_S):
      if time.monotonic() > end:
        raise DisplayError("xev does not tell what happens on the display")
      subprocess.run(["xprop", "-display", self.name, "-root", "-f", "BRIO", "8s", "-set", "BRIO", "watched"], check=False,
                     capture_output=True)


class Picture:
  """What is on the screen, as far as some of its bytes tell."""

  def __init__(self, memory):
    self.memory = memory
    self.first = self.last = self.look()

  def look(self):
    return self.memory[::EACH_BYTE]

  def changed(self):
    """Which part of it is not as it was when this was asked last."""
    before, self.last = self.last, self.look()
    return difference(before, self.last)

  def painted(self):
    """Which part of it is not as it was at first."""
    return difference(self.first, self.look())


def difference(before, after):
  return 0 if before == after else sum(a != b for a, b in zip(before, after)) / len(after)


class Windows:
  """What xev tells."""

  def __init__(self, reader):
    self.reader = reader
    self.text = b""

  def saw(self, event, end, tick=None):
    """Whether such an event comes by that time. What came before it is forgotten."""
    while process.readable_by(self.reader, end, tick):
      more = os.read(self.reader, 65536)
      if not more:
        return False
      self.text += more
      if event in self.text:
        self.text = b""
        return True
    return False
