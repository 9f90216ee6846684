# SPDX-License-Identifier: GPL-3.0-or-later
"""The real dashboard on a display, used as by a user that cannot see: over an accessibility bus of its own, and with the keyboard."""
import itertools
import os
import subprocess
import tempfile
import unittest

import atspi
import brio
import scripted

PAGES = {"Overview": "BrioPageOverview", "Start-ups": "BrioPageStartups", "Streams": "BrioPageStreams", "Processes": "BrioPageProcesses",
         "Decisions": "BrioPageDecisions", "Policies and Mode": "BrioPagePolicies"}
PATIENCE_S = 40
STOPS_MAX = 200
ROW_MOVES_S = 2 # from the first row, nothing does
RETURN, TAB, HOME, DOWN = 0xff0d, 0xff09, 0xff50, 0xff54


class Dashboard(unittest.TestCase):
  """Each test has a daemon and a window of its own. The daemon is a scripted one, unless start_daemon() and is_sampled() are others."""

  scenario = "desktop.json"

  def setUp(self):
    directory = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-a11y-test-"))
    self.bus, self.a11y = self.enterContext(brio.Bus()), self.enterContext(atspi.Bus())
    self.start_daemon()
    self.stderr = self.enterContext(open(os.path.join(directory, "stderr"), "w+", encoding="utf-8"))
    self.application = self.start([str(brio.BUILD / "gui/brio"), "--bus", self.bus.address], stderr=self.stderr, env={
      **os.environ, "AT_SPI_BUS_ADDRESS": self.a11y.address, "DBUS_SESSION_BUS_ADDRESS": self.bus.address, "GTK_A11Y": "atspi",
      "G_DEBUG": "", "XDG_CONFIG_HOME": directory, "XDG_CACHE_HOME": directory, "XDG_STATE_HOME": directory})
    self.root = self.wait_for(lambda: next(iter(self.a11y.applications()), None), "the application")
    self.wait_for(self.is_sampled, "the window's samples")
    self.press("button", "Continue") # from the first page
    self.wait_for(lambda: self.a11y.press_key(TAB), "the window's taking keys")

  def start_daemon(self):
    self.daemon = self.enterContext(scripted.Daemon(self.bus, self.scenario))

  def is_sampled(self):
    """Whether the window reads the daemon's samples."""
    return self.daemon.calls("OpenSampleStream")

  def tearDown(self):
    self.assertIsNone(self.application.poll(), "the application ended")
    self.stderr.seek(0)
    self.assertNotRegex(self.stderr.read(), "CRITICAL|WARNING")

  def start(self, command, **arguments):
    process = subprocess.Popen(command, preexec_fn=brio.die_with_parent, **arguments)

    def end():
      process.kill()
      process.wait()
      if process.stdout:
        process.stdout.close()
    self.addCleanup(end)
    return process

  def wait_for(self, condition, what, patience_s=PATIENCE_S):
    def check():
      self.assertIsNone(self.application.poll(), "the application ended")
      return condition()
    return brio.wait_for(check, what, patience_s)

  def find_all(self, role, begin):
    # Before GTK 4.10 a toggle button is a button.
    return [item for item in self.a11y.look(self.root) if item.role.removeprefix("toggle ") == role and item.name.startswith(begin)]

  def find(self, role, begin):
    """The last one: where a button stands in another one, the inner one is what can be pressed."""
    return self.wait_for(lambda: self.find_all(role, begin), f"{role} “{begin}”")[-1]

  def press(self, role, begin):
    """As a user that cannot see would: with its action where it has one, else with the focus and Enter."""
    item = self.find(role, begin)
    if "Click" in self.a11y.actions(item.address):
      self.assertTrue(self.a11y.do(item.address, "Click"))
    else:
      self.focus(item)
      self.a11y.press_key(RETURN, 0)

  def stops(self):
    """What has the focus as the user goes through the window with Tab, once around; through the list of pages from its first row on, since
    Tab alone comes back to the one that had the focus last. Addresses."""
    pages = {item.address for item in self.a11y.look(self.root) if item.role == "list item" and item.name in PAGES}
    seen = set()
    while len(seen) < STOPS_MAX:
      address = self.a11y.press_key(TAB)
      if address in pages and not pages & seen:
        address = self.a11y.press_key(HOME, ROW_MOVES_S) or address
      if not address or address in seen:
        return
      seen.add(address)
      yield address

  def focus(self, item):
    """Tab comes back to the row of a list that had the focus last; from there on it is the arrow keys."""
    rows = next((set(list_.children) for list_ in self.a11y.look(self.root) if item.address in list_.children), set())
    for address in self.stops():
      if address in rows and address != item.address:
        address = self.a11y.press_key(HOME, ROW_MOVES_S) or address
        for _ in rows:
          address = address if address == item.address else self.a11y.press_key(DOWN, ROW_MOVES_S)
      if address == item.address:
        return
    self.fail(f"{item} is not reached with the keyboard")

  def reached(self):
    """Each Object that Tab comes to."""
    addresses = list(self.stops())
    items = {item.address: item for item in self.a11y.look(self.root)}
    return [items[address] for address in addresses if address in items]

  def show_page(self, name):
    self.press("list item", name)
    self.wait_for(lambda: self.title() == name, f"the page {name}")

  def title(self):
    """What the header bar says: it stands before the menu."""
    before = itertools.takewhile(lambda item: item.name != "Main Menu", self.a11y.look(self.root))
    return next((item.name for item in reversed(list(before)) if item.role == "label"), "")
