#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file has a licence and a copyright, and every licence its text, by the rules of reuse.software.

What has no line of its own is under what debian/copyright says, which .reuse/dep5 leads to.
"""
import os
import shutil
import subprocess
import unittest

SOURCE = os.environ["BRIO_SOURCE"]


class Licences(unittest.TestCase):
    def test_reuse_finds_nothing(self):
        if not shutil.which("reuse"):
            self.skipTest("reuse is not installed")
        result = subprocess.run(["reuse", "lint"], cwd=SOURCE, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn("ERROR", result.stderr)

    def test_each_is_written_down_once(self):
        for link, target in (("LICENSE", "LICENSES/GPL-3.0-or-later.txt"), (".reuse/dep5", "debian/copyright")):
            path = os.path.join(SOURCE, link)
            self.assertTrue(os.path.islink(path), link)
            self.assertEqual(os.path.realpath(path), os.path.realpath(os.path.join(SOURCE, target)))


if __name__ == "__main__":
    unittest.main()
