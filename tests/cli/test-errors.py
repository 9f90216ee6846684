# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong: bad command lines, no daemon, refused calls, answers of other types, policies with mistakes."""
import json
import os
import re
import tempfile

from harness import Bus, NO_JSON, OPERANDS, SOURCE, VERBS, main

WITHOUT_DAEMON = ("policy", "replay", "version", "help")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


class Usage(Bus):
    def test_mistakes_end_with_2_and_a_way_to_help(self):
        for arguments in ([], ["nonsense"], ["status", "too-much"], ["explain"], ["explain", "a", "b"], ["--json"], ["status", "--follow"],
                          ["status", "-x"], ["status", "--bus"], ["metrics", "--json"], ["hold", "pause", "--json", "--", "true"],
                          ["hold", "pause"], ["hold", "fast", "--", "true"], ["mode", "fast"], ["mode", "auto", "off"], ["mode", "--default", "auto"], ["lower", "cp"], ["lower"], ["program", "nonsense"], ["program", "never"],
                          ["program", "never", ""], ["program", "never", "a", "b"], ["policy"], ["prefetch", "nonsense"], ["prefetch", "show"],
                          ["prefetch", "forget"], ["prefetch", "off", ""], ["prefetch", "on", ""], ["prefetch", "off", "a", "b"], ["prefetch", "list", "--all"],
                          ["policy", "nonsense"], ["policy", "show"], ["policy", "check"], ["policy", "list", "x"], ["restore", ""],
                          ["decisions", "--lines", "-1"], ["top", "--interval", "1"], ["top", "--interval", "99ms"], ["top", "-n0", "--batch"],
                          ["top", "--sort", "nonsense"], ["top", "--sort", ""], ["top", "--sort", "WAIT"], ["top", "--sort"], ["top", "-d"],
                          ["top", "--interval", "11s"], ["record", "--duration", "0s"], ["record", "-d", "30"],
                          ["record", "--json", "-o", "-"], ["replay"], ["replay", "a", "b"], ["help", "nonsense"], ["status", "--json=yes"], ["--json", "metrics"]):
            with self.subTest(arguments):
                self.assertIn("Try: brioctl help", self.fails(2, *arguments))

    def test_what_is_missing_or_too_much_is_said_in_plain_words(self):
        for arguments, words in ((["status", "extra"], "status takes no arguments."), (["explain"], "explain needs a drive, such as sda."),
                                 (["explain", "a", "b"], 'explain takes DEV, and no "b" after it.'), (["undo"], "undo needs an id of `brioctl decisions`."),
                                 (["policy", "show"], "policy show needs a policy's name."), (["top", "-d"], "-d needs an argument.")):
            with self.subTest(arguments):
                self.assertEqual("brioctl: " + words, self.fails(2, *arguments).split("\n")[0])

    def test_a_verb_without_json_says_no_more_than_that(self):
        for arguments in (["metrics"], ["hold", "pause", "--", "true"]):
            self.assertEqual(self.fails(2, "--json", *arguments).split("\n")[0], "brioctl: %s takes no --json." % arguments[0])

    def test_an_unknown_verb_names_the_nearest(self):
        for typo, verb in (("sttatus", "status"), ("dev", "devices"), ("exlpain", "explain"), ("STATUS", "status"), ("startup", "startups")):
            self.assertIn('Did you mean "%s"?' % verb, self.fails(2, typo))

    def test_a_verb_that_is_like_none_is_given_no_hint(self):
        for word in ("bogus", "", "x", "fortissimo"):
            self.assertNotIn("Did you mean", self.fails(2, word))

    def test_a_bus_that_is_no_address_is_a_usage_error(self):
        self.assertIn("nonsense", self.fails(2, "--bus", "nonsense", "status"))


class NoDaemon(Bus):
    def check(self, **changes):
        for verb in VERBS:
            if verb in WITHOUT_DAEMON:
                continue
            with self.subTest(verb):
                said = self.fails(3, verb, *OPERANDS.get(verb, []), **changes)
                self.assertIn("systemctl start briod", said)
                self.assertIn("./dev run", said)

    def test_a_bus_without_the_daemon(self):
        self.check()

    def test_no_bus(self):
        self.check(BRIO_BUS="unix:path=/nonexistent/bus")

    def test_what_needs_none(self):
        self.assertEqual(json.loads(self.ok("version", "--json"))["briod"], None)
        self.assertIn("is not running", self.ok("version"))
        self.assertIn("brioctl", self.ok("--version"))
        self.assertIn("status", self.ok("help"))
        result = self.brioctl("policy", "list")
        self.assertEqual(result.returncode, 0)
        self.assertIn("not running", result.stderr)

    def test_a_held_command_does_not_start(self):
        with tempfile.TemporaryDirectory() as directory:
            self.fails(3, "hold", "pause", "--", "touch", directory + "/started")
            self.assertEqual(os.listdir(directory), [])


class Refused(Bus):
    def setUp(self):
        super().setUp()
        self.start_daemon()

    def test_not_authorized_says_sudo(self):
        for name in ("org.brio.Brio1.Error.NotAuthorized", "org.freedesktop.DBus.Error.AccessDenied"):
            self.control("SetErrors", json.dumps({m: [name, "not for you"] for m in ("SetMode", "ResetMode", "Restore", "Apply", "Undo", "Hold", "OpenRecording")}))
            for arguments in (["mode", "off"], ["mode", "--default"], ["restore"], ["apply", "a1"], ["undo", "sda-1"], ["hold", "pause", "--", "true"],
                              ["record", "-o", "-"]):
                self.assertIn("not for you.\nTry again with sudo.", self.fails(1, *arguments))

    def test_limits_and_failures_are_passed_on(self):
        self.control("SetErrors", json.dumps({"OpenSampleStream": ["LimitReached", "there are 16 streams already"],
                                              "GetDecisions": ["Failed", "broken"]}))
        self.assertIn("16 streams already.\nEnd one", self.fails(1, "top", "--batch", "-n1"))
        self.assertIn("broken.", self.fails(1, "decisions"))

    def test_another_version_is_named(self):
        self.control("SetErrors", json.dumps({"GetAdvice": ["org.freedesktop.DBus.Error.UnknownMethod", "no such method"]}))
        self.assertIn("brioctl version", self.fails(1, "advise"))

    def test_names_that_are_not_there(self):
        for name in ("sdz", "no such/../drive", "ä", "x" * 300, ""):
            for verb in ("explain", "devices"):
                self.assertIn("brioctl devices", self.fails(1, verb, name))
        for arguments in (["top", "-bn1", "--device"], ["decisions", "--device"], ["decisions", "--follow", "--device"], ["streams", "--device"],
                          ["streams", "--follow", "--device"], ["record", "-o", "-", "sda"], ["restore"]):
            for name in ("sdz", "") if arguments != ["restore"] else ("sdz",):
                with self.subTest(arguments, name=name):
                    self.assertEqual(self.fails(1, "explain", name), self.fails(1, *arguments, name))
        self.fails(1, "apply", "nonsense")
        self.fails(1, "undo", "nonsense")
        self.fails(1, "apply", "")

    def decisions(self, **decision):
        """What `brioctl decisions` says of one."""
        self.stop_daemon()
        whole = {"sequence": 1, "id": "d1", "time_usec": 1767182400000000, "device": "sda", "unit": "", "law": "none", "reason": "another program wrote it"}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as scenario:
            json.dump({"decisions": [whole | decision]}, scenario)
            scenario.flush()
            self.start_daemon(scenario=scenario.name)
        return self.ok("decisions")

    def test_what_another_program_wrote_is_shown_whether_anything_was_wanted_or_not(self):
        for wanted in ("", "mq-deadline"):
            text = self.decisions(tunable="scheduler", old="bfq", new=wanted, observed="kyber", result="foreign")
            self.assertIn("scheduler bfq → kyber  foreign", text)
            self.assertIn("d1: another program wrote it", text)

    def test_of_a_process_that_has_ended_no_new_value_is_shown(self):
        text = self.decisions(tunable="ioprio", pid=4711, process="tar", old="BE/7", new="", observed="", result="gone", law="step-back", reason="it has ended")
        self.assertIn("ioprio of tar (4711) BE/7  gone", text)
        self.assertIn("d1, step-back: it has ended", text)

    def test_a_trial_that_came_to_nothing_says_why(self):
        decision = {"tunable": "slice_idle_us", "old": "8000", "new": "0", "observed": "0", "result": "applied", "law": "idle-limit", "outcome": "unproven"}
        self.assertIn("A trial came to nothing, since the load changed meanwhile.", self.decisions(**decision, effect="the load changed meanwhile"))
        self.assertNotIn("trial", self.decisions(**decision, effect=""))

    def test_a_drive_may_be_named_by_its_device_file(self):
        self.assertEqual(self.ok("explain", "/dev/sda"), self.ok("explain", "sda"))
        self.assertEqual(json.loads(self.ok("devices", "/dev/sda", "--json"))["name"], "sda")
        self.assertIn("sda", self.ok("decisions", "--device", "/dev/sda"))
        self.fails(2, "restore", "/dev/")
        self.brioctl("restore", "/dev/sda")
        self.assertIn(["Restore", ["sda"]], self.calls())

    def test_no_drives_are_no_failure(self):
        self.stop_daemon()
        self.start_daemon(scenario=None)
        for verb in ("status", "devices", "decisions", "advise", "holds", "metrics", "probe"):
            self.ok(verb)
        self.assertIn("looks after no drive", self.ok("status"))
        self.assertEqual(json.loads(self.ok("devices", "--json")), [])
        self.ok("top", "--batch", "-n1", "-i100ms")


class Odd(Bus):
    def test_answers_of_other_types_are_survived(self):
        self.start_daemon(scenario=None, program="tests/cli/odd-daemon.py")
        for verb in VERBS:
            for json_too in ([], ["--json"]) if verb not in NO_JSON else ([],):
                with self.subTest(verb, json=json_too):
                    result = self.brioctl(*json_too, verb, *OPERANDS.get(verb, []))
                    self.assertIn(result.returncode, (0, 1), result.stderr)
                    self.assertNotIn("Sanitizer", result.stderr)
                    if json_too and result.returncode == 0 and verb != "top":
                        json.loads(result.stdout)


class EndsMeanwhile(Bus):
    """A daemon that does what it is asked for, and is gone when it is asked what holds then."""

    def after(self, method, *arguments):
        self.start_daemon("--ends-after", method, scenario=None, program="tests/cli/odd-daemon.py")
        result = self.brioctl(*arguments)
        self.stop_daemon()
        return result

    def test_a_mode_that_was_set_is_set_whatever_comes_then(self):
        result = self.after("SetMode", "mode", "off")
        self.assertEqual((result.returncode, result.stdout), (0, "off\n"))
        self.assertIn("The mode is set to off, but whether it is kept could not be asked.", result.stderr)
        result = self.after("SetMode", "--json", "mode", "off")
        self.assertEqual((result.returncode, json.loads(result.stdout)), (0, {"mode": "off"}))

    def test_a_mode_that_was_dropped_leaves_one_that_is_not_known(self):
        result = self.after("ResetMode", "mode", "--default")
        self.assertIn(result.returncode, (1, 3))
        self.assertEqual(result.stdout, "")
        self.assertIn("The mode that was set is dropped, but which one holds now could not be asked.", result.stderr)


class Policy(Bus):
    GOOD = "[Policy]\nDescription = For tests\nClass = hdd\n\n[Scheduler]\nPrefer = bfq\n\n[IdleLimit]\nEnabled = yes\nGroupSlice = 250ms\n\n" \
           "[StepBack]\nNever = firefox, Web Content\nAlways = updatedb\n\n[Limits]\nbfq.slice_idle_us = 500..8000\n"

    def setUp(self):
        super().setUp()
        self.directory = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.directory.cleanup)

    def write(self, name, text):
        path = os.path.join(self.directory.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_check_accepts_the_shipped_ones(self):
        shipped = [os.path.join(SOURCE, "policies", f) for f in sorted(os.listdir(SOURCE + "/policies")) if f.endswith(".conf")]
        self.assertGreater(len(shipped), 5)
        self.assertEqual(self.ok("policy", "check", *shipped), "")

    def test_check_names_file_and_line(self):
        good, bad = self.write("good.conf", self.GOOD), self.write("bad.conf", self.GOOD + "slice_idle_us = 9..1\nnonsense = 1\n")
        result = self.brioctl("policy", "check", good, bad, "/nonexistent.conf")
        self.assertEqual(result.returncode, 1)
        lines = result.stdout.splitlines()
        self.assertRegex(lines[0], "^%s:18: error: ." % bad)
        self.assertRegex(lines[1], "^%s:19: error: ." % bad)
        self.assertRegex(lines[-1], "^/nonexistent.conf: error: No such file")
        findings = json.loads(self.brioctl("policy", "check", "--json", bad).stdout)
        self.assertEqual([(f["file"], f["line"], f["severity"]) for f in findings], [(bad, 18, "error"), (bad, 19, "error")])

    def test_show_prints_what_check_accepts_and_loads_as_the_same(self):
        self.write("50-test.conf", self.GOOD)
        shown = self.ok("policy", "show", "50-test", "--policy-dir", self.directory.name)
        self.assertIn("GroupSlice = 250ms", shown)
        self.assertIn("bfq.slice_idle_us = 500..8000", shown)
        self.ok("policy", "check", self.write("50-test.conf", shown))
        self.assertEqual(self.ok("policy", "show", "50-test", "--policy-dir", self.directory.name), shown)
        as_json = json.loads(self.ok("policy", "show", "50-test", "--policy-dir", self.directory.name, "--json"))
        self.assertEqual(as_json["IdleLimit"]["Enabled"], "yes")
        self.assertEqual(as_json["file"], self.directory.name + "/50-test.conf")

    def test_show_has_every_key_that_a_policy_can_have(self):
        self.write("50-test.conf", self.GOOD)
        shown = json.loads(self.ok("policy", "show", "50-test", "--policy-dir", self.directory.name, "--json"))
        manual = read("docs/brio.policy.5.scd")
        for section in ("Policy", "Scheduler", "IdleLimit", "SliceShare", "StartupGuard", "HoleFiller", "Throughput", "StepBack", "Trial", "Timing"):
            for key in shown[section]:
                self.assertRegex(manual, r"\*%s\b" % key)
        for line in re.findall(r"K\(\"(\w+)\", \"(\w+)\"", read("core/policy-keys.c")):
            self.assertIn(line[1], shown[line[0]])

    def test_list_reads_the_directory(self):
        self.write("50-test.conf", self.GOOD)
        listed = json.loads(self.ok("policy", "list", "--json", "--policy-dir", self.directory.name))
        self.assertEqual([(p["name"], p["description"]) for p in listed], [("50-test", "For tests")])
        self.assertIn("there is no policy", self.fails(1, "policy", "show", "none", "--policy-dir", self.directory.name))

    def test_a_directory_that_is_none_is_a_failure(self):
        for directory, why in (("/nonexistent", "No such file"), (self.write("50-test.conf", self.GOOD), "Not a directory")):
            for arguments in (["list"], ["show", "50-test"]):
                said = self.fails(1, "policy", *arguments, "--policy-dir", directory)
                self.assertEqual((said.count(directory), said.count(why)), (1, 1), said)

    def test_show_finds_what_list_shows_where_the_daemon_has_a_directory_of_its_own(self):
        file = self.write("50-test.conf", self.GOOD)
        scenario = self.write("scenario.json", json.dumps({"policies": [["50-test", file, "For tests"]]}))
        self.assertIn("there is no policy", self.fails(1, "policy", "show", "50-test"))
        self.start_daemon(scenario=scenario)
        self.assertIn(file, self.ok("policy", "show", "50-test"))
        self.assertIn("there is no policy", self.fails(1, "policy", "show", "50-test", "--policy-dir", SOURCE + "/policies"))


if __name__ == "__main__":
    main()
