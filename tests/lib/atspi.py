# SPDX-License-Identifier: GPL-3.0-or-later
"""What a screen reader is told, over a private bus of at-spi2: no libatspi, whose caches would hide what the application says."""
import os
import subprocess
import time

import brio
from gi.repository import Gio, GLib

REGISTRYD = "/usr/libexec/at-spi2-registryd"
REGISTRY = "org.a11y.atspi.Registry"
REGISTRY_PATH = "/org/a11y/atspi/registry"
ROOT = "/org/a11y/atspi/accessible/root"
CONTROLLER = "/org/a11y/atspi/registry/deviceeventcontroller"
ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
EVENT = "org.a11y.atspi.Event.Object"
PROPERTIES = "org.freedesktop.DBus.Properties"
CALLS_MAX = 32  # under way at a time: a bus has its limits
KEY_PRESS, KEY_RELEASE = 0, 1  # by the number on the keyboard
KEY_SYM = 3  # press and release, by the symbol
CONTROL_KEY = 37  # Control_L's, with evdev's numbers, which every X server has today
TIMEOUT_MS = 10000
FOCUS_MOVES_S = 10  # on a loaded machine; where nothing can take it, one waits in vain

# AtspiStateType
FOCUSABLE, FOCUSED, PRESSED, VISIBLE = 11, 12, 20, 30


class Object:
  """What was said of an object, when it was looked at. parents: the roles above it, from the window on."""

  def __init__(self, role, name, description="", states=frozenset({FOCUSABLE, VISIBLE}), parents=(), address=None):
    self.role, self.name, self.description, self.states, self.parents, self.address = role, name, description, states, parents, address

  def __repr__(self):
    return f"{self.role} “{self.name}” ({self.description})"


class Look:
  """Asks an application for all that is below an object, of much at a time: one by one it would take seconds."""

  def __init__(self, bus, address):
    self.bus, self.first, self.pending, self.waiting, self.found = bus, address, 0, [], {}
    self.below(address, ())
    while self.pending or self.waiting:
      while self.waiting and self.pending < CALLS_MAX:
        self.send(*self.waiting.pop())
      GLib.MainContext.default().iteration(True)

  def ask(self, *question):
    self.waiting.append(question)

  def send(self, address, interface, method, parameters, then):
    def on_reply(connection, result):
      self.pending -= 1
      try:
        then(*connection.call_finish(result).unpack())
      except GLib.Error:
        pass # it has gone meanwhile
    self.pending += 1
    self.bus.connection.call(*address, interface, method, parameters, None, Gio.DBusCallFlags.NONE, TIMEOUT_MS, None, on_reply)

  def below(self, address, parents):
    item = Object("", "", parents=parents, address=address)
    item.children = []

    def on_states(states):
      item.states = {i for i in range(64) if (states[0] | states[1] << 32) >> i & 1}
      if parents and VISIBLE not in item.states:
        return # and nothing below it
      self.found[address] = item
      self.ask(address, PROPERTIES, "GetAll", GLib.Variant("(s)", (ACCESSIBLE,)), on_properties)

    def on_properties(properties):
      item.name, item.description = properties["Name"], properties["Description"]
      item.n_children = properties["ChildCount"]
      if address in self.bus.roles:
        on_role(self.bus.roles[address])
      else:
        self.ask(address, ACCESSIBLE, "GetRoleName", None, on_role)

    def on_role(role):
      item.role = self.bus.roles[address] = role
      if item.n_children > 0:
        self.ask(address, ACCESSIBLE, "GetChildren", None, on_children)

    def on_children(children):
      item.children = [tuple(child) for child in children]
      for child in item.children:
        self.below(child, (*parents, item.role))
    self.ask(address, ACCESSIBLE, "GetState", None, on_states)

  def objects(self, address=None):
    """From top to bottom."""
    item = self.found.get(address or self.first)
    if item:
      yield item
      for child in item.children:
        yield from self.objects(child)


class Bus(brio.Bus):
  """A bus with at-spi2's registry. Applications get it in AT_SPI_BUS_ADDRESS."""

  def __enter__(self):
    super().__enter__()
    self.connection = self.connect()
    self.roles = {}  # by address: what an object is it remains
    self.focused = None  # the address of what has told last that it has the focus
    self.connection.signal_subscribe(None, EVENT, "StateChanged", None, "focused", Gio.DBusSignalFlags.NONE, self.on_focused)
    self.registry = subprocess.Popen([REGISTRYD], env={**os.environ, "AT_SPI_BUS_ADDRESS": self.address}, preexec_fn=brio.die_with_parent)
    brio.wait_for(self.has_registry, "at-spi2's registry")
    # Since 4.16, GTK tells of the focus only where a program listens by the registry, as a screen reader does.
    self.call((REGISTRY, REGISTRY_PATH), REGISTRY, "RegisterEvent", "(sass)", "object:state-changed:focused", [], "")
    return self

  def __exit__(self, *_):
    self.registry.kill()
    self.registry.wait()
    self.connection.close_sync(None)
    super().__exit__()

  def on_focused(self, _connection, sender, path, _interface, _signal, parameters):
    if parameters.unpack()[1] == 1:
      self.focused = (sender, path)

  def has_registry(self):
    return self.call(("org.freedesktop.DBus", "/org/freedesktop/DBus"), "org.freedesktop.DBus", "NameHasOwner", "(s)", REGISTRY)[0]

  def call(self, address, interface, method, signature="()", *arguments):
    return self.connection.call_sync(*address, interface, method, GLib.Variant(signature, arguments), None, Gio.DBusCallFlags.NONE,
                                     TIMEOUT_MS, None).unpack()

  def applications(self):
    """Their addresses."""
    return [tuple(child) for child in self.call((REGISTRY, ROOT), ACCESSIBLE, "GetChildren")[0]]

  def look(self, address):
    """Each Object that is below that one, and it itself; what is hidden by a property is left out."""
    return list(Look(self, address).objects())

  def actions(self, address):
    if ACTION not in self.call(address, ACCESSIBLE, "GetInterfaces")[0]:
      return []
    return [name for name, _description, _key in self.call(address, ACTION, "GetActions")[0]]

  def do(self, address, action):
    return self.call(address, ACTION, "DoAction", "(i)", self.actions(address).index(action))[0]

  def generate(self, key, kind):
    self.call((REGISTRY, CONTROLLER), "org.a11y.atspi.DeviceEventController", "GenerateKeyboardEvent", "(isu)", key, "", kind)

  def press_control(self, symbol):
    """A key while Control is held."""
    self.generate(CONTROL_KEY, KEY_PRESS)
    self.generate(symbol, KEY_SYM)
    self.generate(CONTROL_KEY, KEY_RELEASE)

  def press_key(self, symbol, patience_s=FOCUS_MOVES_S):
    """As the keyboard would, to whatever has the focus. Returns the address of what takes the focus with it; None: nothing does."""
    self.focused = None
    self.generate(symbol, KEY_SYM)
    end = time.monotonic() + patience_s
    while not self.focused and time.monotonic() < end:
      if not GLib.MainContext.default().iteration(False):
        time.sleep(0.01)
    return self.focused
