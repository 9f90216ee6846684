#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bus interface is documented member by member, and each member has a test."""
import glob
import os
import re
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE = os.environ["BRIO_SOURCE"]
DOC = "{http://www.freedesktop.org/dbus/1.0/doc.dtd}"
SIGNATURE = re.compile(r"^(a*([ybnqiuxtdsogvh]|\((?:[ybnqiuxtdsogv]|a|\(|\)|\{|\})+\)|\{[ybnqiuxtdsog].+\}))$")


def members():
    tree = ElementTree.parse(SOURCE + "/data/org.brio.Brio1.xml")
    for interface in tree.getroot().findall("interface"):
        for kind in ("method", "signal", "property"):
            for member in interface.findall(kind):
                yield interface.get("name") + "." + member.get("name"), kind, member


class BusXml(unittest.TestCase):
    def test_there_are_members(self):
        self.assertGreater(len(list(members())), 20)

    def test_each_member_says_what_it_is(self):
        for name, _, member in members():
            with self.subTest(name):
                text = member.findtext(DOC + "doc/" + DOC + "description/" + DOC + "para") or ""
                self.assertGreater(len(text.split()), 2, name)

    def test_each_argument_has_a_name_and_a_type(self):
        for name, kind, member in members():
            with self.subTest(name):
                for item in [member] if kind == "property" else member.findall("arg"):
                    self.assertTrue(item.get("name"))
                    self.assertRegex(item.get("type"), SIGNATURE)

    def test_properties_are_read_only(self):
        for name, kind, member in members():
            if kind == "property":
                self.assertEqual(member.get("access"), "read", name)

    def test_each_member_is_named_by_a_test(self):
        words = set()
        for path in glob.glob(SOURCE + "/tests/bus/*") + glob.glob(SOURCE + "/tests/cli/*"):
            if path.endswith((".py", ".c")):
                with open(path, encoding="utf-8") as file:
                    words.update(re.findall(r"\w+", file.read()))
        self.assertEqual([name for name, _, member in members() if member.get("name") not in words], [])


if __name__ == "__main__":
    unittest.main()
