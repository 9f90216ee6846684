# SPDX-License-Identifier: GPL-3.0-or-later
"""brioctl metrics as Prometheus, promtool and node_exporter read it, and what is shipped for a fleet: units, alerts, dashboard."""
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import urllib.request

from harness import BRIOCTL, BUILD, Bus, DEADLINE_S, SCENARIO, SOURCE, environment, main, read_until, stop

LABEL = r'([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"'
SAMPLE = re.compile(r'([a-z0-9_]+)(?:\{((?:%s,?)*)\})? (\S+)' % re.sub(r"\((?!\?)", "(?:", LABEL))
ODD = ["", "cciss!c0d0", "sd\"q", "sd\\b", "sd\\", "a b\tc", "two\nlines", "x\"} 1\nbrio_forged 1", "# TYPE x", "\x1b[31mred", "\u202ertl", "é😀磁",
       "{x=\"y\"}", "%n%s", "\r\nbrio_forged 2", "NaN", ",", "\\n", "\u2028"]
RULES = os.path.join(SOURCE, "data", "prometheus", "brio.rules.yml")
DASHBOARD = os.path.join(SOURCE, "data", "grafana", "brio.json")
HOW_TO = os.path.join(SOURCE, "docs", "how-to", "fleet.md")
GRAFANAS = {"$__rate_interval": "5m", "$instance": ".*"}  # its variables, as it fills them in


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def samples(text, prefix="brio_"):
    """The samples of a text: by name and labels, the value."""
    found = {}
    for line in text.split("\n"):
        if line.startswith(prefix):
            name, labels, value = SAMPLE.fullmatch(line).groups()
            series = (name, frozenset(re.findall(LABEL, labels or "")))
            assert series not in found, series
            found[series] = float(value)
    return found


def expressions():
    """Of the dashboard: what each panel asks for."""
    for panel in json.loads(read(DASHBOARD))["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"]
            for variable, value in GRAFANAS.items():
                expression = expression.replace(variable, value)
            yield panel["title"], expression


def node_exporter(directory, log):
    """On an address of its own choice, which it logs."""
    # pylint: disable=consider-using-with
    return subprocess.Popen([tool("prometheus-node-exporter"), "--collector.disable-defaults", "--collector.textfile",
                             "--collector.textfile.directory=" + directory, "--web.listen-address=127.0.0.1:0"],
                            stdout=log, stderr=subprocess.STDOUT)


def tool(name):
    """./dev test unpacks it where it is not installed."""
    return shutil.which(name, path=os.path.join(BUILD, "unpacked", "usr", "bin") + ":" + os.environ["PATH"])


def odd_scenario():
    """The usual one, and of its first drive one more for each odd name; of those, one sample in each state."""
    scenario = json.loads(read(SCENARIO))
    states = ("ignored", "observing", "trial", "holding", "reverting", "manual", "later")
    scenario["drives"] += [{**scenario["drives"][0], "name": "odd%d" % i + name, "model": name, "class": name, "scheduler": name,
                            "state": states[i % len(states)]} for i, name in enumerate(ODD)]
    scenario["version"] = '1"\\\n~'
    return scenario


class Fleet(Bus):
    """With a directory to write into, and the scripted daemon with odd names."""

    def setUp(self):
        super().setUp()
        self.directory = self.enterContext(tempfile.TemporaryDirectory(prefix="brio-metrics-"))

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def start_odd_daemon(self):
        self.start_daemon(scenario=self.write("scenario.json", json.dumps(odd_scenario())))

    def metrics(self):
        """As bytes leave brioctl: a carriage return in a name ends no line."""
        result = subprocess.run([BRIOCTL, "metrics"], capture_output=True, timeout=DEADLINE_S, check=False, env=environment(BRIO_BUS=self.address))
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        return result.stdout.decode()

    def promtool(self, *arguments, text=""):
        """It must do well; returns what it printed."""
        if not tool("promtool"):
            self.skipTest("promtool is not installed")
        result = subprocess.run([tool("promtool"), *arguments], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                timeout=4 * DEADLINE_S, check=False)
        self.assertEqual(result.returncode, 0, result.stdout.decode())
        return result.stdout.decode()


class Metrics(Fleet):
    def test_each_family_has_its_help_and_type_once_before_its_samples(self):
        self.start_odd_daemon()
        families, kind, family = set(), None, None
        lines = self.metrics().split("\n")
        self.assertEqual(lines.pop(), "")
        for i, line in enumerate(lines):
            if line.startswith("# HELP "):
                family = line.split(" ")[2]
                self.assertNotIn(family, families)
                families.add(family)
                self.assertTrue(lines[i + 1].startswith("# TYPE %s " % family), line)
            elif line.startswith("# TYPE "):
                kind = line.split(" ")[3]
                self.assertIn(kind, ("counter", "gauge", "histogram"))
                self.assertEqual(kind == "counter", family.endswith("_total"), family)
            else:
                self.assertRegex(line, r"\A%s%s[ {]" % (family, "_(bucket|sum|count)" if kind == "histogram" else ""))
        self.assertGreater(len(families), 40)

    def test_values_are_in_base_units(self):
        self.start_daemon()
        found = {(name, dict(labels).get("device")): value for (name, labels), value in samples(self.metrics()).items()}
        for name, value in (("read_latency_seconds", 0.064), ("read_latency_p99_seconds", 0.950272), ("utilisation_ratio", 0.98),
                            ("read_bytes_per_second", 9300000), ("settings_held", 1), ("queue_depth_requests", 31.4)):
            self.assertEqual(found["brio_drive_" + name, "sda"], value, name)
        self.assertEqual((found["brio_uptime_seconds", None], found["brio_writes_total", None]), (512.5, 2))

    def test_what_is_not_there_is_not_told_as_zero(self):
        self.start_daemon()
        found = samples(self.metrics())
        told = {(name, device) for name in ("brio_drive_read_latency_seconds", "brio_drive_write_latency_p99_seconds") for device in ("sda", "cciss!c0d0")
                if (name, frozenset([("device", device)])) in found}
        self.assertEqual(told, {("brio_drive_read_latency_seconds", "sda"), ("brio_drive_write_latency_p99_seconds", "cciss!c0d0")})

    def test_of_several_words_one_is_in_force(self):
        self.start_daemon()
        found = samples(self.metrics())
        self.assertEqual({dict(labels)["mode"]: value for (name, labels), value in found.items() if name == "brio_mode"},
                         {"auto": 1, "advise": 0, "off": 0})
        self.assertEqual({dict(labels)["state"] for (name, labels), value in found.items()
                          if name == "brio_drive_state" and ("device", "sda") in labels and value == 1}, {"holding"})

    def test_cold_starts_are_a_histogram(self):
        self.start_daemon()
        buckets = {dict(labels)["le"]: value for (name, labels), value in samples(self.metrics()).items()
                   if name == "brio_cold_start_duration_seconds_bucket"}
        self.assertEqual(buckets, {"0.5": 0, "1": 2, "2": 8, "5": 11, "10": 13, "20": 14, "60": 14, "+Inf": 14})
        self.assertIn("brio_cold_start_duration_seconds_sum 43.2\n", self.metrics())

    def test_each_documented_counter_is_exported(self):
        documented = re.search(r"Totals since the start: (.*?)\.</doc", read(os.path.join(SOURCE, "data/org.brio.Brio1.xml")), re.DOTALL).group(1)
        self.start_daemon()
        text = self.metrics()
        families = {"uptime_usec": "uptime_seconds", "processes_known": "processes_known", "stepped_back": "processes_stepped_back",
                    "cold_starts": "cold_start_duration_seconds_count", "cold_starts_usec": "cold_start_duration_seconds_sum"}
        for name in re.findall(r'"(\w+)"', documented):
            bound = re.fullmatch(r"cold_starts_within_(\d+)ms", name)
            family = r'cold_start_duration_seconds_bucket\{le="%g"\}' % (int(bound.group(1)) / 1000) if bound else families.get(name, name + "_total")
            self.assertRegex(text, r"(?m)^brio_%s " % family)

    def test_no_process_and_no_application_is_named(self):
        scenario = json.loads(read(SCENARIO))
        secret = {"name": "s3cret", "process": "s3cret", "application": "s3cret"}
        for kind in ("processes", "streams", "startups", "decisions"):
            scenario[kind] = [{**entry, **{key: value for key, value in secret.items() if key in entry}} for entry in scenario[kind]]
        for verdict in scenario["drives"][0]["verdicts"]:
            verdict["name"] = "s3cret"
        self.start_daemon(scenario=self.write("scenario.json", json.dumps(scenario)))
        self.assertIn("s3cret", self.ok("startups"))
        self.assertNotIn("s3cret", self.metrics())

    def test_an_odd_name_makes_no_series_of_its_own(self):
        self.start_odd_daemon()
        found = samples(self.metrics())
        self.assertFalse([name for name, _ in found if "forged" in name])
        self.assertEqual(sum(name == "brio_drive_info" for name, _ in found), 2 + len(ODD))


class Readers(Fleet):
    def test_promtool_has_no_complaint(self):
        self.start_odd_daemon()
        self.assertEqual(self.promtool("check", "metrics", text=self.metrics()), "")

    def test_node_exporter_passes_each_series_on_with_its_value(self):
        if not tool("prometheus-node-exporter"):
            self.skipTest("prometheus-node-exporter is not installed")
        self.start_odd_daemon()
        text = self.metrics()
        self.write("brio.prom", text)
        read_end, write_end = os.pipe()
        self.addCleanup(os.close, read_end)
        exporter = node_exporter(self.directory, write_end)
        self.addCleanup(stop, exporter)
        os.close(write_end)
        log = read_until(read_end, "TLS is disabled")
        port = re.search(r"address=127\.0\.0\.1:([1-9]\d*)", log).group(1)
        with urllib.request.urlopen("http://127.0.0.1:%s/metrics" % port, timeout=DEADLINE_S) as answer:
            scraped = answer.read().decode()
        self.assertEqual(samples(scraped, "node_textfile_scrape_error"), {("node_textfile_scrape_error", frozenset()): 0})
        file = frozenset([("file", os.path.join(self.directory, "brio.prom"))])  # what BrioSilent asks for
        self.assertIn(("node_textfile_mtime_seconds", file), samples(scraped, "node_textfile_mtime_seconds"))
        self.assertEqual(samples(scraped), samples(text))
        told = {line for line in text.split("\n") if line.startswith("# ")}  # what it says of a family, too
        self.assertEqual(told - set(scraped.split("\n")), set())


class Shipped(Fleet):
    def test_the_alerts_come_when_they_should_and_only_then(self):
        self.promtool("check", "rules", RULES)
        self.promtool("test", "rules", RULES.replace(".yml", ".test.yml"))

    def test_alerts_and_dashboard_name_only_families_that_there_are(self):
        self.start_daemon()
        names = {name for name, _ in samples(self.metrics())}
        asked = [("rules", expression) for expression in re.findall(r"expr: (.*)", read(RULES))] + list(expressions())
        self.assertGreater(len(asked), 12)
        for what, expression in asked:
            families = re.findall(r"\b(?:brio|node)_\w+", expression)
            self.assertTrue(families, what)
            self.assertEqual([name for name in families if name not in names and name != "node_textfile_mtime_seconds"], [], what)

    def test_each_panel_shows_something_of_a_busy_daemon(self):
        self.start_daemon()
        lines = [line.rsplit(" ", 1) for line in self.metrics().splitlines() if not line.startswith("#")]
        lines.append(['node_textfile_mtime_seconds{file="brio.prom"}', "0"])
        series = [{"series": re.sub(r"^(\w+)(?:\{(.*)\})?$", lambda m: '%s{%s}' % (m.group(1), ",".join(filter(None, [m.group(2), 'instance="a"']))),
                                    name), "values": value + "x60"} for name, value in lines if "model=" not in name or '\\"' not in name]
        tests = [{"expr": "count(%s) > bool 0" % expression, "eval_time": "30m", "exp_samples": [{"labels": "{}", "value": 1}]}
                 for _, expression in expressions()]
        path = self.write("panels.yml", json.dumps({"evaluation_interval": "1m", "tests": [{"interval": "1m", "input_series": series,
                                                                                            "promql_expr_test": tests}]}))
        self.promtool("test", "rules", path)

    def test_the_dashboard_has_what_grafana_needs_to_import_it(self):
        dashboard = json.loads(read(DASHBOARD))
        self.assertEqual((dashboard["title"], dashboard["uid"]), ("Brio", "brio"))
        self.assertIsNone(dashboard["id"])
        ids = [panel["id"] for panel in dashboard["panels"]]
        self.assertEqual(len(set(ids)), len(ids))
        fields = {(x, y) for panel in dashboard["panels"] for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
                  for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])}
        self.assertEqual(len(fields), sum(panel["gridPos"]["w"] * panel["gridPos"]["h"] for panel in dashboard["panels"]), "none covers another")
        self.assertLessEqual(max(x for x, _ in fields), 23)
        variables = {"${%s}" % variable["name"] for variable in dashboard["templating"]["list"]}
        self.assertLessEqual({panel["datasource"]["uid"] for panel in dashboard["panels"]}, variables)

    def units(self):
        """Of the page for a fleet, by name: the text of each unit."""
        return dict(re.findall(r"```ini\n# \S*/(\S+)\n(.*?)```", read(HOW_TO), re.DOTALL))

    def test_the_units_of_the_page_verify(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze here")
        units = self.units()
        self.assertEqual(sorted(units), ["brio-metrics.service", "brio-metrics.timer"])
        paths = [self.write(name, text) for name, text in units.items()]
        result = subprocess.run(["systemd-analyze", "verify", "--man=no", *paths], capture_output=True, text=True, check=False)
        self.assertEqual([line for line in result.stderr.splitlines() if "brio-metrics" in line], [])

    def run_unit(self):
        """What the service of the page starts, here."""
        command = re.search(r"^ExecStart=(.*)$", self.units()["brio-metrics.service"], re.MULTILINE).group(1)
        path = os.path.dirname(BRIOCTL) + ":" + os.environ["PATH"]
        return subprocess.run(shlex.split(command), cwd=self.directory, capture_output=True, text=True, timeout=DEADLINE_S, check=False,
                              env=environment(BRIO_BUS=self.address, PATH=path)).returncode

    def test_the_service_of_the_page_leaves_the_old_file_where_briod_does_not_run(self):
        self.start_daemon()
        self.assertEqual(self.run_unit(), 0)
        whole = read(os.path.join(self.directory, "brio.prom"))
        self.assertEqual(whole, self.metrics())
        self.assertEqual(os.stat(os.path.join(self.directory, "brio.prom")).st_mode & 0o777, 0o644)
        self.stop_daemon()
        self.assertNotEqual(self.run_unit(), 0)
        self.assertEqual(read(os.path.join(self.directory, "brio.prom")), whole)


if __name__ == "__main__":
    main()
