#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dashboard as a screen reader and a keyboard have it: the real application, on a display and an accessibility bus of its own, against a
scripted daemon. Every control and chart has a name, and what has a name can be pressed.

What GTK 4.8 does not tell: whether something is on the screen (SHOWING is for windows alone, and what a stack hides stays VISIBLE), where it
is on the screen, and actions of rows and of what opens (they are pressed with keys here). Later versions tell these."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests/lib"))

import atspi  # noqa: E402
import brio  # noqa: E402
from gi.repository import Gio, GLib  # noqa: E402

PAGES = {"Overview": "BrioPageOverview", "Start-ups": "BrioPageStartups", "Streams": "BrioPageStreams", "Processes": "BrioPageProcesses",
         "Decisions": "BrioPageDecisions", "Policies and Mode": "BrioPagePolicies"}
# Without a name of its own, GTK gives a widget the name of its type.
PATIENCE_S = 40
STOPS_MAX = 200
ROW_MOVES_S = 2 # from the first row, nothing does
TYPE_PREFIXES = ("Gtk", "Adw", "Brio")
CONTROLS = {"button", "toggle button", "push button", "checkbox", "check box", "radio button", "entry", "search box", "text", "combo box", "list", "list item",
            "menu item", "switch", "slider", "column header", "tree grid", "row", "image"}
# What toolkits make of their own, below something that has the name; they cannot be reached, or only on the way to what has one.
INNER = {"GtkColumnListView", "GtkImage", "GtkBuiltinIcon"}
RETURN, TAB, HOME, DOWN = 0xff0d, 0xff09, 0xff50, 0xff54


def is_named(name):
  return bool(name) and not name.startswith(TYPE_PREFIXES) and not name.startswith("_")


def find_nameless(items):
  """The controls that have no name, and the charts that have no name or no description."""
  for item in items:
    if item.role not in CONTROLS or item.name in INNER:
      continue
    focusable = atspi.FOCUSABLE in item.states
    if item.role == "image" and not focusable:
      continue # for the eye; what it stands beside says it
    if item.role in ("list", "list item", "row") and not focusable:
      continue
    if item.role == "list" and "list item" in item.parents:
      continue # of a row that unfolds, which has the name
    if not is_named(item.name) or (item.role == "image" and not item.description):
      yield item


class Checker(unittest.TestCase):
  def test_a_control_without_a_name_is_found(self):
    item = atspi.Object
    items = [item("button", "Apply"), item("button", ""), item("button", "GtkButton"), item("button", "_Try Again Try Again"),
             item("image", "Latency of sda", "Read 3 ms"), item("image", "Latency of sda"), item("image", "GtkImage", states=frozenset()),
             item("list", "GtkListBox"), item("list", "GtkListBox", parents=("list", "list item")), item("group", ""), item("list item", "")]
    self.assertEqual([items[i] for i in (1, 2, 3, 5, 7, 10)], list(find_nameless(items)))


class Window(unittest.TestCase):
  """Each test has a daemon and a window of its own."""

  scenario = "desktop.json"

  def setUp(self):
    directory = self.enter(tempfile.TemporaryDirectory(prefix="brio-a11y-test-"))
    self.bus, self.a11y = self.enter(brio.Bus()), self.enter(atspi.Bus())
    daemon = self.start([f"{SOURCE}/tests/lib/fake-daemon.py", "--bus", self.bus.address, "--scenario",
                         f"{SOURCE}/tests/lib/scenarios/{self.scenario}"], stdout=subprocess.PIPE, text=True)
    self.assertEqual("ready\n", daemon.stdout.readline())
    self.connection = self.bus.connect()
    self.addCleanup(self.connection.close_sync, None)
    self.stderr = self.enter(open(os.path.join(directory, "stderr"), "w+", encoding="utf-8"))
    self.application = self.start([str(brio.BUILD / "gui/brio"), "--bus", self.bus.address], stderr=self.stderr, env={
      **os.environ, "AT_SPI_BUS_ADDRESS": self.a11y.address, "DBUS_SESSION_BUS_ADDRESS": self.bus.address, "GTK_A11Y": "atspi",
      "G_DEBUG": "", "XDG_CONFIG_HOME": directory, "XDG_CACHE_HOME": directory, "XDG_STATE_HOME": directory})
    self.root = self.wait_for(lambda: next(iter(self.a11y.applications()), None), "the application")
    self.wait_for(lambda: self.calls("OpenSampleStream"), "the window's samples")
    self.press("button", "Go On") # from the first page
    self.wait_for(lambda: self.a11y.press_key(TAB), "the window's taking keys")

  def tearDown(self):
    self.assertIsNone(self.application.poll(), "the application ended")
    self.stderr.seek(0)
    self.assertNotRegex(self.stderr.read(), "CRITICAL|WARNING")

  def enter(self, context):
    value = context.__enter__()
    self.addCleanup(context.__exit__, None, None, None)
    return value

  def start(self, command, **arguments):
    process = subprocess.Popen(command, preexec_fn=brio.die_with_parent, **arguments)

    def end():
      process.kill()
      process.wait()
      if process.stdout:
        process.stdout.close()
    self.addCleanup(end)
    return process

  def wait_for(self, condition, what):
    def check():
      self.assertIsNone(self.application.poll(), "the application ended")
      return condition()
    return brio.wait_for(check, what, PATIENCE_S)

  def control(self, method, *arguments):
    return self.connection.call_sync(brio.NAME, "/org/brio/FakeControl", "org.brio.FakeControl", method,
                                     GLib.Variant("(" + "s" * len(arguments) + ")", arguments), None, Gio.DBusCallFlags.NONE, -1, None).unpack()

  def calls(self, method):
    return [arguments for name, arguments in json.loads(self.control("Calls")[0]) if name == method]

  def find_all(self, role, begin):
    return [item for item in self.a11y.look(self.root) if item.role == role and item.name.startswith(begin)]

  def find(self, role, begin):
    """The last one: where a button stands in another one, the inner one is what can be pressed."""
    return self.wait_for(lambda: self.find_all(role, begin), f"{role} “{begin}”")[-1]

  def press(self, role, begin):
    """As somebody who cannot see would: with its action where it has one, else with the focus and Enter."""
    item = self.find(role, begin)
    if "Click" in self.a11y.actions(item.address):
      self.assertTrue(self.a11y.do(item.address, "Click"))
    else:
      self.focus(item)
      self.a11y.press_key(RETURN, 0)

  def stops(self):
    """What has the focus as somebody goes through the window with Tab, once around; through the list of pages from its first row on, since
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

  def check_names(self):
    """What a chart has to say comes with the first samples."""
    nameless = None

    def check():
      nonlocal nameless
      nameless = list(find_nameless(self.a11y.look(self.root)))
      return not nameless
    try:
      self.wait_for(check, "names")
    except AssertionError:
      self.fail(f"without a name: {nameless}")

  def show_page(self, name):
    self.press("list item", name)
    self.wait_for(lambda: self.title() == name, f"the page {name}")

  def show_start(self):
    self.show_page("Start-ups")
    self.press("list item", "Firefox, ")
    self.wait_for(lambda: self.title() == "Firefox", "the application's starts")

  def title(self):
    """What the header bar says. Its labels stand below the two window titles; the other one is the sidebar's."""
    items = self.a11y.look(self.root)
    begins = [i for i, item in enumerate(items) if item.name == "AdwWindowTitle"]
    titles = [next((item.name for item in items[i:] if item.role == "label"), "") for i in begins]
    return next((title for title in titles if title != "Brio"), "")


class Loaded(Window):
  REACHED = {
    "Overview": ["image Latency of sda", "image Throughput of sda", "image Queue depth of sda", "image Latency of nvme0n1",
                 "list item Other Settings", "list item slice_idle_us"],
    "Start-ups": ["button Order", "button Search", "list item Firefox, 4.72 s", "list item import-photos, 12.3 s"],
    "Streams": ["list item mpv on sda", "list item tracker-miner-f on sda", "list item gnome-calls on sda", "button Ask the Kernel"],
    "Processes": ["button Search", "row rsync", "row firefox"],
    "Decisions": ["button Drive", "button Search", "list item wbt_lat_usec: 2000", "button Undo Priority of rsync",
                  "button Undo slice_idle_us: 5000"],
    "Policies and Mode": ["list item What Brio May Do", "button Mode: Automatic", "list item Nobody holds", "button Apply wbt_lat_usec",
                          "list item Seagate", "list item 10-hdd"],
  }
  EVERYWHERE = ["button Main Menu", "button Mode: Automatic", *(f"list item {name}" for name in PAGES)]

  def check_reached(self, wanted):
    reached = [f"{item.role} {item.name}" for item in self.reached()]
    for begin in wanted:
      self.assertTrue(any(name.startswith(begin) for name in reached), f"{begin} is not among {reached}")

  def test_every_control_and_chart_has_a_name_and_every_control_is_reached_with_the_keyboard(self):
    for name in PAGES:
      self.show_page(name)
      self.check_names()
      self.check_reached(self.REACHED[name] + self.EVERYWHERE)

  def test_how_a_start_went_is_reached_and_has_names(self):
    self.show_start()
    self.find("image", "Timeline of a start of Firefox")
    self.check_names()
    self.check_reached(["button Back", "button Show as a Table", "image Timeline of a start of Firefox"])

  def test_what_is_decided_and_advised_is_pressed_by_its_name(self):
    self.show_page("Decisions")
    self.press("button", "Undo Priority of rsync")
    self.wait_for(lambda: self.calls("Undo") == [["d3"]], "the decision being undone")
    self.show_page("Policies and Mode")
    self.press("button", "Apply wbt_lat_usec")
    self.wait_for(lambda: self.calls("Apply") == [["a1"]], "the advice being applied")
    self.press("button", "Mode: Automatic")
    self.press("list item", "Advise")
    self.wait_for(lambda: self.calls("SetMode") == [["advise"]], "the mode being set")
    self.press("list item", "Seagate")
    self.find("list item", "idle-limit, On")

  def test_starts_and_streams_are_opened_by_their_names(self):
    self.show_page("Start-ups")
    self.check_reached(self.REACHED["Start-ups"] + self.EVERYWHERE)
    self.press("button", "Search")
    self.wait_for(lambda: any(atspi.FOCUSED in item.states for item in self.a11y.look(self.root) if item.role in ("search box", "text")), "the search")
    self.press("button", "Search")
    self.press("list item", "Firefox, ")
    self.wait_for(lambda: self.title() == "Firefox", "the application's starts")
    self.press("button", "Show as a Table")
    self.find("row", "")
    self.press("button", "Back")
    self.wait_for(lambda: self.title() == "Start-ups", "the list")
    self.show_page("Streams")
    self.press("button", "Ask the Kernel")
    self.wait_for(lambda: self.calls("GetKernelVerdicts"), "the kernel being heard")
    self.press("list item", "mpv on sda")
    self.find("image", "How mpv asks")

  def test_the_menu_and_what_it_opens(self):
    self.press("button", "Main Menu")
    self.press("menu item", "About Brio")
    self.find("window", "About")


class Refusing(Window):
  scenario = "refusing.json"

  def test_what_failed_is_tried_again_by_name(self):
    self.show_page("Decisions")
    self.control("SetErrors", "{}")
    self.press("button", "Try Again")
    self.wait_for(lambda: self.calls("GetDecisions"), "the decisions being asked for again")
    self.check_names()


if __name__ == "__main__":
  unittest.main()
