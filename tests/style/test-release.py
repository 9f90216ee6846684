#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a release says of itself is the same everywhere: version, date, addresses, pictures, pages."""
import datetime
import email.utils
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

SOURCE = os.environ["BRIO_SOURCE"]


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def fields(path):
    """Key: value lines, of the first paragraph."""
    return dict(re.findall(r"^([A-Z][\w-]+): (.+)$", read(path).split("\n\n", maxsplit=1)[0], re.MULTILINE))


def addresses():
    """what: address, as docs/how-to/release.md lists them."""
    return dict(re.findall(r"^\| ([^|]+) \| `([^`]+)` \|$", read("docs/how-to/release.md"), re.MULTILINE))


class Release(unittest.TestCase):
    def setUp(self):
        self.metainfo = ElementTree.fromstring(read("data/org.brio.Brio.metainfo.xml.in"))
        self.version = re.search(r"^project\(.*?version: '([^']+)'", read("meson.build"), re.MULTILINE | re.DOTALL).group(1)

    def test_version_and_date_agree(self):
        news = re.search(r"^## (\S+) \((.+)\)$", read("NEWS.md"), re.MULTILINE).groups()
        release = self.metainfo.find("releases/release")
        changelog = read("debian/changelog")
        date = email.utils.parsedate_to_datetime(re.search(r"^ -- .*>  (.+)$", changelog, re.MULTILINE).group(1)).date()
        spec, pkgbuild = read("packaging/rpm/brio.spec"), read("packaging/arch/PKGBUILD")
        self.assertEqual([re.search(r"^Version: +(\S+)$", spec, re.MULTILINE).group(1), re.search(r"^pkgver=(\S+)$", pkgbuild, re.MULTILINE).group(1)],
                         [self.version] * 2)
        logged = re.search(r"^%changelog\n\* \w+ (\w+ \d+ \d+) .* - (\S+)-1$", spec, re.MULTILINE).groups()
        self.assertEqual((str(datetime.datetime.strptime(logged[0], "%b %d %Y").date()), logged[1]), (news[1], self.version))
        self.assertEqual({"NEWS.md": news, "metainfo": (release.get("version"), release.get("date")),
                          "debian/changelog": (re.search(r"\((.+?)\)", changelog).group(1), str(date))},
                         dict.fromkeys(("NEWS.md", "metainfo", "debian/changelog"), (self.version, news[1])))
        self.assertRegex(news[1], r"^\d{4}-\d\d-\d\d$")
        self.assertIn("v" + self.version, read("docs/how-to/release.md"))

    def test_every_address_is_a_listed_one(self):
        listed = set(addresses().values())
        self.assertGreater(len(listed), 5)
        directories = tuple(listed - {addresses()["home page"]} - {a for a in listed if not a.endswith("/")})
        found = subprocess.run(["git", "grep", "-I", "-h", "-o", "-E", r"[^][ \"'`<>()|]*brio\.invalid[^][ \"'`<>()|,;]*"],
                               cwd=SOURCE, capture_output=True, text=True, check=True).stdout.split()
        strange = {address for address in (a.rstrip(".:") for a in found)
                   if address not in listed and not address.startswith(directories)}
        self.assertEqual(strange - {"brio.invalid", r"brio\.invalid"}, set())

    def test_each_field_has_the_address_that_it_is_for(self):
        of = addresses()
        control = fields("debian/control")
        self.assertEqual([control[key] for key in ("Homepage", "Vcs-Git", "Vcs-Browser")],
                         [of["home page"], of["repository, to clone"], of["repository, to look at"]])
        self.assertIn("<%s>" % of["mail"], control["Maintainer"])
        self.assertEqual(fields("debian/upstream/metadata"), {
            "Bug-Database": of["bugs"], "Repository": of["repository, to clone"], "Repository-Browse": of["repository, to look at"]})
        self.assertEqual({url.get("type"): url.text for url in self.metainfo.findall("url")}, {
            "homepage": of["home page"], "bugtracker": of["bugs"], "vcs-browser": of["repository, to look at"]})

    def test_each_screenshot_is_a_picture_of_the_tree(self):
        pictures = [image.text for image in self.metainfo.findall("screenshots/screenshot/image")]
        self.assertGreater(len(pictures), 0)
        base = next(address for what, address in addresses().items() if what.startswith("pictures"))
        for picture in pictures:
            self.assertTrue(picture.startswith(base), picture)
            self.assertTrue(os.path.isfile(os.path.join(SOURCE, "docs/images", picture[len(base):])), picture)

    def test_the_pages_of_the_dashboard_are_named(self):
        window = ElementTree.fromstring(read("gui/window.ui"))
        pages = [page.findtext("property[@name='title']") for page in window.iter("object") if page.get("class") == "AdwViewStackPage"]
        self.assertGreater(len(pages), 1)
        said = [line.text.split(":")[0] for line in self.metainfo.findall("releases/release[1]/description/ul/li")]
        self.assertEqual(said, pages)
        news = read("NEWS.md").split("\n## ")[1]
        self.assertEqual([page for page in pages if page not in news], [])


if __name__ == "__main__":
    unittest.main()
