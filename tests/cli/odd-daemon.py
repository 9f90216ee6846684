#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A daemon whose members have the right names and other types: what a client of another version may meet.

  odd-daemon.py --bus ADDRESS [--ends-after METHOD]
"""
import signal
import sys

from gi.repository import Gio, GLib

XML = '''<node>
<interface name="org.brio.Brio1.Manager">
  <property name="Version" type="b" access="read"/>
  <property name="Mode" type="d" access="read"/>
  <property name="AttentionLevel" type="s" access="read"/>
  <property name="Sources" type="as" access="read"/>
  <property name="ActiveHolds" type="u" access="read"/>
  <property name="Policies" type="a(u)" access="read"/>
  <property name="Counters" type="a{sas}" access="read"/>
  <method name="Hold"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="out"/></method>
  <method name="ReleaseHold"><arg type="u" direction="in"/></method>
  <method name="SetMode"><arg type="s" direction="in"/><arg type="s" direction="out"/></method>
  <method name="ResetMode"/>
  <method name="Restore"><arg type="s" direction="in"/><arg type="s" direction="out"/></method>
  <method name="Apply"><arg type="s" direction="in"/><arg type="a{us}" direction="out"/></method>
  <method name="Undo"><arg type="s" direction="in"/><arg type="s" direction="out"/></method>
  <method name="GetDecisions"><arg type="t" direction="in"/><arg type="a{us}" direction="out"/></method>
  <method name="GetAdvice"><arg type="aav" direction="out"/></method>
  <method name="GetProcesses"><arg type="u" direction="in"/><arg type="s" direction="out"/></method>
  <method name="OpenSampleStream"><arg type="u" direction="in"/><arg type="s" direction="out"/></method>
</interface>
<interface name="org.freedesktop.DBus.ObjectManager"><method name="GetManagedObjects">
  <arg type="a{oa{sa{sv}}}" direction="out"/></method></interface>
<interface name="org.brio.Brio1.Device">
  <property name="Name" type="s" access="read"/>
  <property name="Class" type="i" access="read"/>
  <property name="Policy" type="(u)" access="read"/>
  <property name="Tunables" type="a{sv}" access="read"/>
  <property name="Verdicts" type="aas" access="read"/>
  <property name="ReadLatencyUSec" type="s" access="read"/>
  <property name="Readers" type="x" access="read"/>
</interface></node>'''

DEVICE = {"Name": GLib.Variant("s", "sda"), "Class": GLib.Variant("i", -1), "Policy": GLib.Variant("(u)", (7,)),
          "Tunables": GLib.Variant("a{sv}", {"slice_idle_us": GLib.Variant("u", 3)}), "Verdicts": GLib.Variant("aas", [["x"]]),
          "ReadLatencyUSec": GLib.Variant("s", "soon"), "Readers": GLib.Variant("x", -5)}
MANAGER = {"Version": GLib.Variant("b", True), "Mode": GLib.Variant("d", 0.5), "AttentionLevel": GLib.Variant("s", "high"),
           "Sources": GLib.Variant("as", ["disk", "psi"]), "ActiveHolds": GLib.Variant("u", 3), "Policies": GLib.Variant("a(u)", [(1,), (2,)]),
           "Counters": GLib.Variant("a{sas}", {"events": ["many"]})}
ANSWERS = {"Hold": GLib.Variant("(s)", ("cookie",)), "ReleaseHold": None, "SetMode": GLib.Variant("(s)", ("",)), "ResetMode": None,
           "Restore": GLib.Variant("(s)", ("all",)), "Apply": GLib.Variant("(a{us})", ({1: "x"},)), "Undo": GLib.Variant("(s)", ("",)),
           "GetDecisions": GLib.Variant("(a{us})", ({1: "x"},)), "GetAdvice": GLib.Variant("(aav)", ([[GLib.Variant("s", "x")], []],)),
           "GetProcesses": GLib.Variant("(s)", ("none",)), "OpenSampleStream": GLib.Variant("(s)", ("no",)),
           "GetManagedObjects": GLib.Variant("(a{oa{sa{sv}}})", ({"/org/brio/Brio1/device/sda": {"org.brio.Brio1.Device": DEVICE},
                                                                 "/": {}},))}


def main():
    connection = Gio.DBusConnection.new_for_address_sync(
        sys.argv[2], Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
    connection.set_exit_on_close(False)
    loop = GLib.MainLoop()
    ends_after = sys.argv[4] if sys.argv[3:4] == ["--ends-after"] else None
    connection.connect("closed", lambda *_: loop.quit())
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)
    node = Gio.DBusNodeInfo.new_for_xml(XML)

    def on_call(_connection, _sender, _path, _interface, method, _parameters, invocation):
        invocation.return_value(ANSWERS[method])
        if method == ends_after:
            connection.flush_sync(None)
            connection.close_sync(None)

    objects = (("/org/brio/Brio1", MANAGER), ("/org/brio/Brio1", {}), ("/org/brio/Brio1/device/sda", DEVICE))
    for index, (path, values) in enumerate(objects):
        connection.register_object(path, node.interfaces[index], on_call, lambda _c, _s, _p, _i, name, values=values: values[name], None)
    Gio.bus_own_name_on_connection(connection, "org.brio.Brio1", Gio.BusNameOwnerFlags.DO_NOT_QUEUE,
                                   lambda *_: print("ready", flush=True), lambda *_: loop.quit())
    loop.run()


if __name__ == "__main__":
    main()
