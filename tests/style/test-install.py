#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`meson install` places every file, and each is right by the lights of the program that reads it."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

BUILD = os.environ["BRIO_BUILD"]
PARTS = os.environ["BRIO_PARTS"].split()
EXPOSURE_MAX = 19  # systemd-analyze's tenths: 1.9, of which 0.2 are for openat2() (docs/safety.md)

# where below the prefix (or beside it): a glob each
ALWAYS = {
    "the daemon": "**/libexec/briod",
    "the command": "**/bin/brioctl",
    "the unit": "**/systemd/system/briod.service",
    "the slice": "**/systemd/system/brio.slice",
    "the socket for drives": "**/systemd/system/briod-drives.socket",
    "the socket for processes": "**/systemd/system/briod-processes.socket",
    "the session's service": "**/libexec/brio-session",
    "the session's unit": "**/systemd/user/brio-session.service",
    "the bus policy": "**/dbus-1/system.d/org.brio.Brio1.conf",
    "the bus activation": "**/dbus-1/system-services/org.brio.Brio1.service",
    "the bus interface": "**/dbus-1/interfaces/org.brio.Brio1.xml",
    "the polkit policy": "**/polkit-1/actions/org.brio.Brio1.policy",
    "the udev rule": "**/udev/rules.d/60-brio.rules",
    "the settings": "**/etc/brio/briod.conf",
    "the policies": "**/lib/brio/policies.d/10-hdd.conf",
    "the alerts": "**/share/brio/prometheus/brio.rules.yml",
    "the test of the alerts": "**/share/brio/prometheus/brio.rules.test.yml",
    "Grafana's dashboard": "**/share/brio/grafana/brio.json",
    "the completion for bash": "**/bash-completion/completions/brioctl",
    "the completion for zsh": "**/zsh/site-functions/_brioctl",
    "the completion for fish": "**/fish/vendor_completions.d/brioctl.fish",
}
OF_PART = {
    "docs": {
        "briod's manual page": "**/man8/briod.8",
        "brioctl's manual page": "**/man1/brioctl.1",
        "the policies' manual page": "**/man5/brio.policy.5",
        "the recordings' manual page": "**/man5/brio.recording.5",
    },
    "gui": {
        "the dashboard": "**/bin/brio",
        "the desktop entry": "**/applications/org.brio.Brio.desktop",
        "the metainfo": "**/metainfo/org.brio.Brio.metainfo.xml",
        "the toggle in GNOME Shell": "**/gnome-shell/extensions/brio@org.brio/extension.js",
        "the applet in Plasma": "**/plasma/plasmoids/org.brio.Brio/contents/ui/main.qml",
        "its parts": "**/plasma/plasmoids/org.brio.Brio/contents/ui/Panel.qml",
        "its words": "**/plasma/plasmoids/org.brio.Brio/contents/ui/words.js",
        "what Plasma knows of it": "**/plasma/plasmoids/org.brio.Brio/metadata.json",
        "what GNOME Shell knows of it": "**/gnome-shell/extensions/brio@org.brio/metadata.json",
        "the toggle's icon": "**/gnome-shell/extensions/brio@org.brio/org.brio.Brio-symbolic.svg",
        "the icon": "**/icons/hicolor/scalable/apps/org.brio.Brio.svg",
        "the icon for programs that read no SVG": "**/icons/hicolor/48x48/apps/org.brio.Brio.png",
        "the dashboard's manual page": "**/man1/brio.1",
        "the manual page of the session's service": "**/man8/brio-session.8",
    },
}


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="brio-install-"))
        result = run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", cls.root)
        if result.returncode:
            raise RuntimeError(result.stdout + result.stderr)

    def find(self, pattern):
        found = glob.glob(os.path.join(self.root, pattern), recursive=True)
        self.assertEqual(len(found), 1, "%s: %s" % (pattern, found))
        return found[0]

    def read(self, pattern):
        with open(self.find(pattern), encoding="utf-8") as file:
            return file.read()

    def test_every_file_is_there(self):
        wanted = dict(ALWAYS)
        for part in PARTS:
            wanted.update(OF_PART[part])
        missing = [what + ": " + pattern for what, pattern in wanted.items()
                   if not glob.glob(os.path.join(self.root, pattern), recursive=True)]
        self.assertEqual(missing, [])

    def test_no_template_word_is_left(self):
        for pattern in ("**/briod.service", "**/system-services/org.brio.Brio1.service"):
            self.assertNotRegex(self.read(pattern), r"@\w+@")

    def test_the_unit_starts_what_is_installed(self):
        program = re.search(r"^ExecStart=(\S+)", self.read(ALWAYS["the unit"]), re.MULTILINE).group(1)
        self.assertTrue(os.access(self.root + program, os.X_OK), program)

    def test_the_unit_verifies(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze here")
        # The program is where it will be, but below another root: systemd looks for it at its path.
        text = re.sub(r"^(ExecStart=|ExecStopPost=)(/\S+)", lambda m: m.group(1) + self.root + m.group(2), self.read(ALWAYS["the unit"]), flags=re.M)
        unit = os.path.join(self.root, "briod.service")
        with open(unit, "w", encoding="utf-8") as file:
            file.write(text)
        sockets = [shutil.copy(self.find(ALWAYS[what]), self.root) for what in ("the socket for drives", "the socket for processes")]
        result = run("systemd-analyze", "verify", "--man=no", unit, *sockets)
        # It exits 0 on a key that it does not know; its complaints name the file.
        complaints = [line for line in result.stderr.splitlines() if "briod" in line]
        self.assertEqual((result.returncode, complaints), (0, []), result.stderr)

    def test_what_reads_ahead_goes_to_a_slice_that_the_unit_wants_and_may_write_to_and_that_bounds_no_memory(self):
        with open(os.environ["BRIO_SOURCE"] + "/daemon/child-task.c", encoding="utf-8") as file:
            path, name = re.search(r'^#define CGROUP_FILE "(/sys/fs/cgroup/([^/]+)/cgroup\.procs)"$', file.read(), re.MULTILINE).groups()
        lines = self.read(ALWAYS["the unit"]).splitlines()
        for line in ("ReadWritePaths=-" + path, "Wants=" + name, "After=" + name):
            self.assertIn(line, lines)
        self.assertEqual(name, os.path.basename(self.find(ALWAYS["the slice"])))
        self.assertNotRegex(self.read(ALWAYS["the slice"]), "(?m)^Memory")

    def test_what_a_killed_daemon_left_is_put_back_by_the_unit(self):
        program = re.search(r"^ExecStopPost=(\S+) --restore$", self.read(ALWAYS["the unit"]), re.MULTILINE).group(1)
        self.assertTrue(os.access(self.root + program, os.X_OK), program)

    def test_the_unit_is_hardened(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze here")
        result = run("systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=%d" % EXPOSURE_MAX,
                     self.find(ALWAYS["the unit"]))
        self.assertIn("Overall exposure level", result.stdout, result.stderr)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_each_capability_of_the_unit_has_its_reason_in_the_documents(self):
        kept = set(re.search(r"^CapabilityBoundingSet=(.*)$", self.read(ALWAYS["the unit"]), re.MULTILINE).group(1).split())
        with open(os.environ["BRIO_SOURCE"] + "/docs/safety.md", encoding="utf-8") as file:
            named = re.findall(r"^- (.*?): ", file.read().split("## What briod may do")[1], re.MULTILINE)
        self.assertEqual(kept, set(re.findall(r"CAP_\w+", " ".join(named))))

    def test_no_process_can_be_written_to(self):
        unit = self.read(ALWAYS["the unit"])
        self.assertRegex(unit, r"(?m)^ReadOnlyPaths=(.* )?/proc( |$)")
        holes = re.findall(r"^ReadWritePaths=(.*)$", unit, re.MULTILINE)
        self.assertEqual([hole for line in holes for hole in line.split() if hole.lstrip("-").startswith("/proc")], ["-/proc/pressure"])
        self.assertRegex(unit, r"(?m)^SystemCallFilter=~.*\bprocess_vm_writev\b")

    def test_the_alias_is_what_the_bus_and_udev_start(self):
        alias = re.search(r"^Alias=(\S+)$", self.read(ALWAYS["the unit"]), re.MULTILINE).group(1)
        self.assertIn("SystemdService=%s\n" % alias, self.read(ALWAYS["the bus activation"]))
        self.assertIn('ENV{SYSTEMD_WANTS}+="%s"' % alias, self.read(ALWAYS["the udev rule"]))

    def test_the_udev_rule_parses(self):
        rule = self.find(ALWAYS["the udev rule"])
        if run("udevadm", "verify", "--help").returncode != 0:
            # Before systemd 254: every line is a list of KEY op "value".
            token = r'[A-Z_]+(\{[A-Za-z_/]+\})?(==|!=|=|\+=|-=|:=)"[^"]*"'
            for line in self.read(ALWAYS["the udev rule"]).splitlines():
                if line and not line.startswith("#"):
                    self.assertRegex(line, "^%s(, %s)*$" % (token, token))
            return
        result = run("udevadm", "verify", rule)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_rule_sets_nothing(self):
        rules = [line for line in self.read(ALWAYS["the udev rule"]).splitlines() if line and not line.startswith("#")]
        for rule in rules:
            self.assertNotRegex(rule, r'(ATTR|SYSCTL)\{[^}]*\}="|RUN|PROGRAM|IMPORT')

    def test_the_bus_lets_callers_reach_every_interface(self):
        interfaces = {i.get("name") for i in ElementTree.fromstring(self.read(ALWAYS["the bus interface"])).findall("interface")}
        policy = ElementTree.fromstring(self.read(ALWAYS["the bus policy"]))
        root = {rule.get("own") for rule in policy.findall("policy[@user='root']/allow")}
        anyone = policy.findall("policy[@context='default']/allow")
        self.assertEqual(root, {"org.brio.Brio1"})
        self.assertEqual([rule.get("own") for rule in anyone if rule.get("own")], [])
        self.assertLessEqual(interfaces, {rule.get("send_interface") for rule in anyone})

    def test_polkit_knows_the_actions_that_the_daemon_asks_about(self):
        defaults = {}
        for action in ElementTree.fromstring(self.read(ALWAYS["the polkit policy"])).findall("action"):
            self.assertTrue(action.findtext("message"))
            defaults[action.get("id")] = [action.findtext("defaults/allow_" + session) for session in ("any", "inactive", "active")]
        with open(os.environ["BRIO_SOURCE"] + "/common/names.h", encoding="utf-8") as file:
            asked = re.findall(r'POLKIT_ACTION_\w+ "([\w.]+)"', file.read())
        self.assertEqual(set(asked), set(defaults))
        self.assertEqual(defaults["org.brio.Brio1.hold"], ["no", "no", "yes"])
        self.assertEqual(defaults["org.brio.Brio1.manage"], ["auth_admin_keep"] * 3)

    def test_manual_pages_have_no_errors(self):
        pages = glob.glob(os.path.join(self.root, "**/man[158]/*"), recursive=True)
        self.assertEqual(bool(pages), "docs" in PARTS)
        for page in pages:
            result = run("mandoc", "-T", "lint", "-W", "error", page)
            self.assertEqual((result.returncode, result.stdout), (0, ""), page)

    def test_manual_pages_refer_to_pages_that_exist(self):
        pages = glob.glob(os.path.join(self.root, "**/man[158]/*"), recursive=True)
        ours = {re.sub(r"\.(\d)$", r"(\1)", os.path.basename(page)) for page in pages}
        for page in pages:
            text = run("mandoc", "-T", "utf8", page).stdout
            text = re.sub(r".\x08", "", text)
            for name in re.findall(r"\b(brio[\w.]*\(\d\))", text):
                self.assertIn(name, ours, page)


if __name__ == "__main__":
    unittest.main()
