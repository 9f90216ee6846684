# SPDX-License-Identifier: GPL-3.0-or-later
"""What people see: golden text at several widths, colour, and harmless output. BRIO_UPDATE_GOLDEN=1 writes the files anew."""
import json
import os
import pty
import re
import subprocess
import unicodedata

from harness import BRIOCTL, Bus, SOURCE, VERBS, environment, main, read_until

GOLDEN = os.path.join(SOURCE, "tests", "cli", "golden")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def columns(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class Golden(Bus):
    def setUp(self):
        super().setUp()
        self.start_daemon()

    def check(self, name, *arguments, **changes):
        text = self.ok(*arguments, **changes)
        path = os.path.join(GOLDEN, name + ".txt")
        if os.environ.get("BRIO_UPDATE_GOLDEN"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(text, file.read())
        return text

    def test_verbs(self):
        for verb, arguments in {"probe": [], "advise": [], "holds": [], "program": [], "mode": [], "version": [], "help": [], "metrics": [],
                                "policy-list": ["policy", "list"], "devices-sda": ["devices", "sda"], "explain-raid": ["explain", "cciss!c0d0"],
                                "startups-one": ["startups", "texteditor"], "prefetch": [], "prefetch-show": ["prefetch", "show", "org.gnome.TextEditor"],
                                "decisions-sda": ["decisions", "--device", "sda", "-n1"], "restore": []}.items():
            with self.subTest(verb):
                self.check(verb, *(arguments or [verb]))

    def test_widths(self):
        for verb in ("status", "devices", "startups", "explain", "streams", "decisions"):
            for width in (40, 80, 200):
                with self.subTest(verb, width=width):
                    arguments = [verb, "sda"] if verb == "explain" else [verb]
                    self.check("%s-%d" % (verb, width), *arguments, COLUMNS=str(width))

    def test_tables_fit_the_width_and_stay_aligned(self):
        for width in (60, 80, 100, 200):
            lines = self.ok("devices", COLUMNS=str(width)).splitlines()
            self.assertEqual(len(lines), 3)
            for line in lines:
                self.assertLessEqual(columns(line), width, line)
            self.assertEqual(len({columns(line) for line in lines}), 1, "the last column is aligned at its right edge")

    def test_paragraphs_are_wrapped_and_lose_nothing(self):
        reason = "min(8000, 300000 / 150) = 2000 µs: 150 readers take their turns within 300 ms."
        for width in (40, 80):
            text = self.ok("explain", "sda", COLUMNS=str(width))
            self.assertIn(reason, " ".join(text.split()))

    def test_without_advice_a_drive_that_waits_for_its_switch_back_says_so(self):
        self.ok("apply", "a1")
        self.ok("mode", "advise")
        self.assertEqual("Nothing to advise.\n", self.ok("advise"))
        self.control("SetDrive", "sda", json.dumps({"state": "reverting", "reason": "scheduler: the switch waits"}))
        self.assertEqual("Nothing to advise.\nsda: scheduler: the switch waits\n", self.ok("advise"))

    def test_where_no_start_was_learnt_from_it_says_which_ones_are(self):
        self.ok("prefetch", "forget", "--all")
        self.assertEqual("No start was learnt from yet. Those that a launcher makes are, not those of a shell.\n", self.ok("prefetch"))

    def test_what_went_with_its_scheduler_is_said_to_have_the_schedulers_default(self):
        decision = {"device": "sda", "tunable": "nr_requests", "unit": "requests", "law": "restore", "result": "restored", "reason": "The mode was set."}
        self.control("AddDecision", json.dumps({**decision, "old": "1024", "new": "128"}))
        self.control("AddDecision", json.dumps({**decision, "old": "1024", "new": ""}))
        text = self.ok("decisions", "-n2")
        self.assertIn("nr_requests 1024 → 128 requests  restored\n", text)
        self.assertIn("nr_requests 1024 requests → the scheduler's default  restored\n", text)

    def test_each_workload_and_state_has_a_line_in_the_help_and_in_the_manual(self):
        names = read("core/names.c")
        words = re.findall(r'\[DEVICE_STATE_\w+\] = "([\w-]+)"', names) + ["idle", "busy"]
        workloads = re.findall(r"case VERDICT_(\w+):", read("core/detector.c").split("bool verdict_is_workload")[1].split("return true")[0])
        words += [re.search(r'\[VERDICT_%s\] = "([\w-]+)"' % kind, names).group(1) for kind in workloads]
        self.assertGreaterEqual(len(words), 15)
        help_text, manual = self.ok("help", "status"), read("docs/brioctl.1.scd")
        for word in words:
            self.assertRegex(help_text, r"(?m)^  %s +\w" % word)
            self.assertRegex(manual, r"(?m)^\*%s\*\n\t\w" % word)

    def test_status_says_which_drives_are_left_alone_and_why(self):
        laws = [{"law": "idle-limit", "enabled": False}]
        for name, kind in (("nvme0n1", "nvme"), ("nvme1n1", "nvme"), ("vda", "virtual"), ("sdx", "hdd")):
            self.control("AddDrive", json.dumps({"name": name, "class": kind, "policy": ["" if kind == "hdd" else "10-" + kind, ""], "laws": laws}))
        text = " ".join(self.ok("status", COLUMNS="200").split())
        self.assertIn("nvme0n1, nvme1n1: left alone: NVMe drives are faster without a scheduler.", text)
        self.assertIn("vda: left alone: the host of this virtual machine schedules its drives.", text)
        self.assertIn("sdx: left alone: no policy is for drives of its class.", text)
        self.assertNotIn("sda: left", text)

    def test_a_process_that_never_steps_back_keeps_its_priority_and_the_reason_is_said(self):
        self.assertEqual("brioctl: process 977 keeps its I/O priority: it is a kernel thread, which works for others.\n", self.fails(1, "lower", "977"))
        self.assertEqual("brioctl: no process 1 is seen to read or write.\n", self.fails(1, "lower", "1"))
        self.assertRegex(self.ok("lower", "4242"), r"^Process 4242 lets others go first\. `brioctl undo d\d+` takes it back\.\n$")

    def test_the_mode_that_was_not_set_is_the_default(self):
        self.assertEqual("auto (default)\n", self.ok("mode", "--default"))

    def test_each_verb_has_help(self):
        for verb in VERBS:
            text = self.ok(verb, "--help")
            self.assertTrue(text.startswith("Usage: brioctl " + verb), verb)
            self.assertEqual(text, self.ok("help", verb))
            self.assertIn("--help", text)

    def test_another_locale_changes_no_number_and_no_alignment(self):
        self.assertEqual(self.ok("devices"), self.ok("devices", LC_ALL="C"))
        self.assertEqual(self.ok("metrics"), self.ok("metrics", LC_ALL="de_DE.UTF-8"))


class Colour(Bus):
    def setUp(self):
        super().setUp()
        self.start_daemon()

    def on_terminal(self, *arguments, **changes):
        main_fd, terminal = pty.openpty()
        with subprocess.Popen([BRIOCTL, *arguments], stdin=terminal, stdout=terminal, stderr=terminal,
                              env=environment(BRIO_BUS=self.address, **changes)) as process:
            os.close(terminal)
            text = ""
            try:
                read_until(main_fd, "never there")
            except AssertionError as end:
                text = str(end)
            process.wait()
        os.close(main_fd)
        return text

    def test_a_terminal_gets_colour(self):
        self.assertIn("\\x1b[32mholding", self.on_terminal("status"))

    def test_no_color_and_dumb_terminals_get_none(self):
        self.assertNotIn("\\x1b", self.on_terminal("status", NO_COLOR="1"))
        self.assertNotIn("\\x1b", self.on_terminal("status", TERM="dumb"))
        self.assertIn("\\x1b[", self.on_terminal("status", NO_COLOR=""))

    def test_a_pipe_gets_none(self):
        self.assertNotIn("\x1b", self.ok("status"))

    def test_names_of_processes_cannot_steer_the_terminal(self):
        text = self.ok("top", "--batch", "-n1", "-i100ms")
        self.assertIn(r"\x1b[31mev?il\x07", text)
        self.assertIsNone(re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text))


if __name__ == "__main__":
    main()
