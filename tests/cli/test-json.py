# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs see: --json, its documentation, completions."""
import json
import os
import re
import subprocess

from harness import BRIOCTL, Bus, NO_JSON, OPERANDS, SOURCE, VERBS, environment, main

# Keys that are names of settings, sections or counters rather than keys of ours.
NAMES_WITHIN = ("tunables", "counters", "Policy", "Scheduler", "IdleLimit", "SliceShare", "StartupGuard", "HoleFiller", "Throughput", "StepBack", "Trial", "Timing", "Limits")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def keys(value):
    if isinstance(value, list):
        for item in value:
            yield from keys(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in NAMES_WITHIN:
                yield from keys(item)
            elif key == "tunables" and isinstance(item, dict):
                yield from keys(list(item.values()))
            if key[0].islower():
                yield key


class Json(Bus):
    def setUp(self):
        super().setUp()
        self.start_daemon()

    def json(self, *arguments):
        return json.loads(self.ok(*arguments))

    def test_each_verb_prints_what_the_manual_documents(self):
        manual = read("docs/brioctl.1.scd").split("# JSON")[1].split("# EXIT CODES")[0].replace("\\", "")
        for verb in VERBS:
            if verb in NO_JSON:
                continue
            with self.subTest(verb):
                value = self.json(verb, *OPERANDS.get(verb, []), "--json")
                found = set(keys(value))
                self.assertTrue(found or value == [])
                self.assertEqual([key for key in found if "*%s*" % key not in manual], [])

    def test_a_drive_has_all_that_the_bus_says(self):
        drives = self.json("devices", "--json")
        self.assertEqual([drive["name"] for drive in drives], ["cciss!c0d0", "sda"])
        sda = self.json("devices", "sda", "--json")
        self.assertEqual(sda, drives[1])
        for name in re.findall(r'<property name="(\w+)"', read("data/org.brio.Brio1.xml").split("Brio1.Device")[1]):
            self.assertIn(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(), sda)
        self.assertEqual(sda["tunables"]["slice_idle_us"], {"initial": "8000", "wanted": "2000", "current": "2000", "owner": "brio"})
        self.assertEqual(sda["policy"], {"name": "10-hdd", "file": "/usr/lib/brio/policies.d/10-hdd.conf"})
        self.assertEqual(sda["verdicts"][0]["evidence"][0], {"name": "readers", "value": 150, "limit": 8, "unit": "processes"})
        self.assertEqual(sda["read_latency_usec"], 64000)
        self.assertEqual(sda["requests"]["read_latency_p99_usec"], 950272)

    def test_each_property_has_its_key_and_value(self):
        sda = self.json("devices", "sda", "--json")
        for name, value in (("Name", "sda"), ("Model", 'Müller "Drehscheibe" 2\\1 磁気'), ("Class", "hdd"),
                            ("ClassReason", "rotational, 7200 rpm"), ("Scheduler", "bfq"),
                            ("Schedulers", ["mq-deadline", "kyber", "bfq", "none"]), ("AwaitedScheduler", ""), ("Workload", "many-sync"), ("State", "holding"),
                            ("Reason", "idle-limit: 150 readers share a group slice of 300 ms, so slice_idle is min(8000, 300000 / 150) = 2000 µs."),
                            ("ReadLatencyUSec", 64000), ("WriteLatencyUSec", 21000), ("ReadBytesPerSecond", 9300000),
                            ("WriteBytesPerSecond", 2100000), ("UtilisationPermille", 980), ("QueueDepthMilli", 31400), ("Readers", 150),
                            ("AttentionReason", "many-sync: 150 processes read a little each at the same time (4.1 kB a read)")):
            self.assertEqual(sda[re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()], value, name)

    def test_laws_have_their_line_and_what_their_trial_found(self):
        """The property Laws."""
        laws = self.json("explain", "sda", "--json")["drive"]["laws"]
        self.assertEqual([(law["law"], law["enabled"], law["line"], law["trial"], law["tunables"]) for law in laws],
                         [("idle-limit", True, 15, "kept", ["slice_idle_us"]), ("slice-share", True, 2, "barred", []), ("startup-guard", True, 33, "none", []),
                          ("step-back", False, 0, "none", [])])
        self.assertIn("p95 read 470 ms → 120 ms; decided on mean read 310 ms → 84 ms", laws[0]["effect"])
        figures = {"measure": "mean read", "before": 310000, "after": 84000, "samples_before": 24, "samples_after": 6, "confidence_permille": 995,
                   "p95_before_usec": 470000, "p95_after_usec": 120000}
        self.assertEqual({key: laws[0][key] for key in figures}, figures)
        decision = self.json("decisions", "--json")[0]
        self.assertEqual({key: decision[key] for key in figures}, figures)
        self.assertFalse(set(figures) & set(laws[1])) # of what is not told nothing is made up

    def test_status_has_the_manager_and_the_drives(self):
        status = self.json("status", "--json")
        self.assertEqual(status["mode"], "auto")
        self.assertEqual(status["sources"][1]["state"], "reduced")
        self.assertEqual(status["attention_level"], 2)
        self.assertIn("150 processes", status["attention_reason"])
        self.assertEqual((status["presence"], status["presence_reason"]), ("somebody", "session 2 (wayland) on seat0 is in use"))
        self.assertEqual(status["counters"]["uptime_usec"], 512500000)
        self.assertEqual(len(status["drives"]), 2)

    def test_explain_has_the_failure(self):
        explained = self.json("explain", "sda", "--json")
        self.assertEqual([d["error"] for d in explained["decisions"]], ["", "EACCES"])

    def test_acting_changes_the_daemon(self):
        self.assertEqual(self.json("apply", "a1", "--json"), {"applied": "a1"})
        self.assertEqual(self.json("undo", "sda-1", "--json"), {"undone": "sda-1"})
        self.assertEqual(self.json("restore", "sda", "--json"), {"restored": 1, "failed": 0})
        self.assertEqual(self.json("lower", "4242", "--json")["lowered"], 4242)
        self.assertEqual(self.json("program", "always", "cp", "--json"), {"always": "cp"})
        self.assertIn({"program": "cp", "rule": "always", "file": ""}, self.json("program", "--json"))
        self.assertEqual(self.json("program", "forget", "cp", "--json"), {"forget": "cp"})
        self.assertNotIn("cp", [rule["program"] for rule in self.json("program", "--json")])
        self.assertEqual(self.json("mode", "--json"), {"mode": "auto", "mode_origin": "default"})
        self.assertEqual(self.json("mode", "advise", "--json"), {"mode": "advise", "mode_origin": "kept"})
        self.assertEqual(self.json("mode", "--json"), {"mode": "advise", "mode_origin": "kept"})
        self.assertEqual(self.json("mode", "--default", "--json"), {"mode": "auto", "mode_origin": "default"})
        self.assertEqual(self.json("--json", "restore"), {"restored": 0, "failed": 0})
        self.assertEqual([c for c in self.calls() if not c[0].startswith("Get")],
                         [["Apply", ["a1"]], ["Undo", ["sda-1"]], ["Restore", ["sda"]], ["LowerPriority", [4242]], ["SetProgramRules", [[["cp", "always"]]]],
                          ["SetProgramRules", [[["cp", ""]]]], ["SetMode", ["advise"]], ["ResetMode", []],
                          ["Restore", [""]]])

    def test_a_full_disk_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([BRIOCTL, "status"], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                                    env=environment(BRIO_BUS=self.address))
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left", result.stderr)


class Documents(Bus):
    def test_the_manual_names_each_verb_and_option(self):
        manual = read("docs/brioctl.1.scd")
        for verb in json.loads(self.ok("help", "--json")):
            self.assertRegex(manual, r"(?m)^\*%s[* ]" % verb["name"])
            for option in verb["options"]:
                self.assertIn("*--%s*" % option["name"], manual)
                if option["letter"]:
                    self.assertIn("*-%s*, *--%s*" % (option["letter"], option["name"]), manual)

    def test_bash_completes_verbs_and_options(self):
        verbs = json.loads(self.ok("help", "--json"))
        self.assertEqual([verb["name"] for verb in verbs], VERBS)
        self.assertLessEqual(set(VERBS), set(self.bash(["brioctl", ""])))
        for verb in verbs:
            self.assertEqual(set(self.bash(["brioctl", verb["name"], "--"])), {"--" + option["name"] for option in verb["options"]})

    def test_bash_completes_drives_processes_programs_and_commands(self):
        self.start_daemon()
        self.assertEqual(self.bash(["brioctl", "explain", ""]), ["cciss!c0d0", "sda"])
        self.assertEqual(self.bash(["brioctl", "apply", ""]), ["a1"])
        self.assertEqual(self.bash(["brioctl", "mode", "a"]), ["auto", "advise"])
        self.assertEqual(self.bash(["brioctl", "lower", ""]), ["4242", "977", "31337"])
        self.assertEqual(self.bash(["brioctl", "program", "always", "f"]), ["fio"])
        self.assertEqual(self.bash(["brioctl", "program", "forget", "u"]), ["updatedb"])
        self.assertEqual(self.bash(["brioctl", "policy", "show", "10-h"]), ["10-hdd"])
        self.stop_daemon()
        names = sorted(name[:-len(".conf")] for name in os.listdir(os.path.join(SOURCE, "policies")) if name.endswith(".conf"))
        self.assertEqual(self.bash(["brioctl", "policy", "--policy-dir", os.path.join(SOURCE, "policies"), "show", ""]), names)
        self.assertIn("true", self.bash(["brioctl", "hold", "pause", "--", "tru"]))

    def bash(self, words):
        script = ("source %s/data/completions/brioctl.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _brioctl; printf '%%s\\n' "
                  "\"${COMPREPLY[@]}\"" % SOURCE)
        path = os.path.dirname(BRIOCTL) + ":" + os.environ["PATH"]
        result = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, check=True,
                                env=environment(BRIO_BUS=self.address, PATH=path))
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_zsh_and_fish_have_the_same_verbs_and_options(self):
        zsh, fish = read("data/completions/_brioctl"), read("data/completions/brioctl.fish")
        for verb in json.loads(self.ok("help", "--json")):
            self.assertIn("'%s:" % verb["name"], zsh)
            self.assertRegex(fish, r"__fish_use_subcommand -a %s " % verb["name"])
            for option in verb["options"]:
                self.assertIn("--" + option["name"], zsh)
                self.assertIn(" -l " + option["name"], fish)


if __name__ == "__main__":
    main()
