#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dashboard as a screen reader and a keyboard have it: the real application, on a display and an accessibility bus of its own, against a
scripted daemon. Every control and chart has a name, and what has a name can be pressed.

What GTK 4.8 does not tell: whether something is on the screen (SHOWING is for windows alone, and what a stack hides stays VISIBLE), where it
is on the screen, and actions of rows and of what opens (they are pressed with keys here). Later versions tell these."""
import os
import sys
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests/lib"))

import atspi  # noqa: E402
import dashboard  # noqa: E402
from dashboard import PAGES  # noqa: E402

# Without a name of its own, GTK gives a widget the name of its type.
TYPE_PREFIXES = ("Gtk", "Adw", "Brio")
CONTROLS = {"button", "toggle button", "push button", "checkbox", "check box", "radio button", "entry", "search box", "text", "combo box", "list", "list item",
            "menu item", "switch", "slider", "column header", "tree grid", "row", "image"}
# What toolkits make of their own, below something that has the name; they cannot be reached, or only on the way to what has one.
INNER = {"GtkColumnListView", "GtkImage", "GtkBuiltinIcon"}


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
    if item.role == "list" and {"list item", "tree grid"} & set(item.parents):
      continue # of a row that unfolds, or of a table, which has the name
    if not is_named(item.name) or (item.role == "image" and not item.description):
      yield item


class Checker(unittest.TestCase):
  def test_a_control_without_a_name_is_found(self):
    item = atspi.Object
    items = [item("button", "Apply"), item("button", ""), item("button", "GtkButton"), item("button", "_Try Again Try Again"),
             item("image", "Latency of sda", "Read 3 ms"), item("image", "Latency of sda"), item("image", "GtkImage", states=frozenset()),
             item("list", "GtkListBox"), item("list", "GtkListBox", parents=("list", "list item")), item("group", ""), item("list item", "")]
    self.assertEqual([items[i] for i in (1, 2, 3, 5, 7, 10)], list(find_nameless(items)))


class Window(dashboard.Dashboard):
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

  def show_start(self):
    self.show_page("Start-ups")
    self.press("list item", "Firefox, ")
    self.wait_for(lambda: self.title() == "Firefox", "the application's starts")


class Loaded(Window):
  REACHED = {
    "Overview": ["button The Last 5 Minutes", "button Show as a Table: sda", "image Read latency of sda", "image Write latency of sda",
                 "image Throughput of sda", "image Queue depth of sda", "image Read latency of nvme0n1",
                 "list item Other Settings", "list item Wait for the next read"],
    "Start-ups": ["button Order", "button Search", "list item Firefox, 4.72 s", "list item mpv"],
    "Streams": ["list item mpv on sda", "list item tracker-miner-f on sda", "list item gnome-calls on sda", "button Ask the Kernel"],
    "Processes": ["button Search", "row rsync", "row Firefox"],
    "Decisions": ["button Drive", "button Search", "list item Brake for writes: 2000", "button Undo: rsync lets others",
                  "button Undo: Wait for the next read: 5000"],
    "Policies and Mode": ["list item What Brio May Do", "button Mode: Automatic", "list item Where It Comes From", "list item No requests", "button Apply Brake for writes",
                          "list item Seagate", "list item 10-hdd"],
  }
  EVERYWHERE = ["button Main Menu", "button Mode: Automatic", *(f"list item {name}" for name in PAGES)]

  def show_drive(self):
    """The other drive has the card that is there at once."""
    self.press("button", "Show All of This Drive: sda")
    self.find("image", "Read latency of sda")

  def check_reached(self, wanted):
    reached = [f"{item.role.removeprefix('toggle ')} {item.name}" for item in self.reached()]
    for begin in wanted:
      self.assertTrue(any(name.startswith(begin) for name in reached), f"{begin} is not among {reached}")

  def test_every_control_and_chart_has_a_name_and_every_control_is_reached_with_the_keyboard(self):
    self.show_drive()
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
    self.press("button", "Undo: rsync lets others")
    self.wait_for(lambda: self.daemon.calls("Undo") == [["d3"]], "the decision being undone")
    self.show_page("Policies and Mode")
    self.press("button", "Apply Brake for writes")
    self.wait_for(lambda: self.daemon.calls("Apply") == [["a1"]], "the advice being applied")
    self.press("button", "Mode: Automatic")
    self.press("list item", "Advise")
    self.wait_for(lambda: self.daemon.calls("SetMode") == [["advise"]], "the mode being set")
    self.press("list item", "Seagate")
    self.find("list item", "Waits for readers, On")

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
    self.wait_for(lambda: self.daemon.calls("GetKernelVerdicts"), "the kernel being heard")
    self.press("list item", "mpv on sda")
    self.find("image", "How mpv asks")
    self.check_reached(["image How mpv asks", "button Show as a Table: mpv"])
    self.press("button", "Show as a Table: mpv")
    self.find("row", "1, 501 ms, 78.5 ms, ")

  def pressed(self):
    return {item.name for item in self.a11y.look(self.root) if atspi.PRESSED in item.states}

  def test_the_time_of_the_plots_is_chosen_with_buttons_and_with_keys(self):
    self.wait_for(lambda: "The Last Minute" in self.pressed(), "the time at the beginning")
    self.press("button", "The Last 5 Minutes")
    self.wait_for(lambda: "The Last 5 Minutes" in self.pressed() and "The Last Minute" not in self.pressed(), "five minutes")
    self.a11y.press_control(ord("3"))
    self.wait_for(lambda: "The Last 30 Minutes" in self.pressed(), "half an hour")
    self.a11y.press_control(ord("-"))
    self.a11y.press_control(ord("+"))
    self.wait_for(lambda: not {name for name in self.pressed() if name.startswith("The Last")}, "ten minutes, which no button is for")
    self.focus(self.find("image", "Read latency of nvme0n1"))
    self.a11y.press_key(ord("+"), 0)
    self.wait_for(lambda: "The Last 5 Minutes" in self.pressed(), "five minutes again")

  def test_each_plot_has_a_table_with_a_name(self):
    self.show_drive()
    self.press("button", "Show as a Table: sda")
    for name in ("Read latency", "Write latency", "Throughput", "Queue depth"):
      self.wait_for(lambda: any(item.name == f"{name} of sda" and item.role != "image" for item in self.a11y.look(self.root)), f"the table: {name}")
    self.check_names()
    self.wait_for(lambda: any(" ms" in item.name for item in self.a11y.look(self.root) if item.role == "row"), "rows with figures")

  def test_the_menu_and_what_it_opens(self):
    self.press("button", "Main Menu")
    self.press("menu item", "About Brio" if self.find_all("menu item", "About") else "") # GTK 4.18 names no item; it is the last
    self.find("window", "About")


class Refusing(Window):
  scenario = "refusing.json"

  def test_what_failed_is_tried_again_by_name(self):
    self.show_page("Decisions")
    self.daemon.control("SetErrors", "{}")
    self.press("button", "Try Again")
    self.wait_for(lambda: self.daemon.calls("GetDecisions"), "the decisions being asked for again")
    self.check_names()


if __name__ == "__main__":
  unittest.main()
