#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The start-up benchmark's parts that need no device.

usage: test-bench-startup.py BENCH_DIR [unittest argument]..."""
import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.dont_write_bytecode = True
STATE = tempfile.TemporaryDirectory(prefix="brio-test-")
os.environ["BRIO_BENCH_STATE"] = os.path.join(STATE.name, "state")
sys.path.insert(0, sys.argv.pop(1))
from lib import alternatives, censored, chart, debian, fio, loads, matrix, onset, programs, settings, state, summary, sweep, trees, tuned, walker  # noqa: E402


def load_startup():
  loader = SourceFileLoader("startup", os.path.join(sys.path[0], "startup"))
  module = module_from_spec(spec_from_loader("startup", loader))
  loader.exec_module(module)
  return module


STARTUP = load_startup()


def figures(*seconds, cut_off=()):
  return [censored.Figure(s) for s in seconds] + [censored.Figure(s, exact=False) for s in cut_off]


class Programs(unittest.TestCase):
  def until_exit(self, script, timeout_s, **kwargs):
    return programs.until_exit(None, ["/bin/sh", "-c", script], {"PATH": "/usr/bin:/bin"}, timeout_s, **kwargs)

  def test_one_that_ends_in_time_has_ended(self):
    self.assertTrue(self.until_exit(":", 60).ended)

  def test_one_that_does_not_counts_as_longer_than_the_limit(self):
    start = self.until_exit("exec sleep 1000", 0.1)
    self.assertFalse(start.ended)
    self.assertEqual(start.seconds, 0.1)

  def test_one_that_is_late_is_killed_while_its_drive_takes_no_time(self):
    steps = []

    @contextlib.contextmanager
    def late():
      steps.append("at once")
      yield
      steps.append("as before")

    self.assertFalse(self.until_exit("trap '' TERM; sleep 1000", 0.1, late=late).ended)
    self.assertEqual(steps, ["at once", "as before"])

  def test_one_that_fails_is_not_a_slow_one(self):
    self.assertRaisesRegex(programs.ProgramError, "no disk", self.until_exit, "echo no disk >&2; exit 3", 60)


class Trees(unittest.TestCase):
  def setUp(self):
    directory = tempfile.TemporaryDirectory(prefix="brio-test-")
    self.addCleanup(directory.cleanup)
    self.build_dir = Path(directory.name)
    self.made = []

  def make(self, tree):
    self.made.append(tree)
    (tree / "file").write_text("x")

  def test_a_tree_is_made_once(self):
    first = trees.kept(self.build_dir, "a", "recipe", self.make)
    self.assertEqual(trees.kept(self.build_dir, "a", "recipe", self.make), first)
    self.assertEqual(len(self.made), 1)
    self.assertEqual((first / "file").read_text(), "x")

  def test_another_recipe_makes_another_tree(self):
    trees.kept(self.build_dir, "a", "recipe", self.make)
    trees.kept(self.build_dir, "a", "other", self.make)
    self.assertEqual(len(self.made), 2)

  def test_one_that_fails_leaves_nothing(self):
    def fail(tree):
      self.make(tree)
      raise trees.TreeError("no network")
    self.assertRaises(trees.TreeError, trees.kept, self.build_dir, "a", "recipe", fail)
    self.assertFalse((self.build_dir / "bench-trees").exists())

  def make_debian(self, script):
    """With a mmdebstrap that does what the script says. Returns what is then in the directory for temporary files."""
    temporary = self.build_dir / "temporary"
    temporary.mkdir()
    program = self.build_dir / "mmdebstrap"
    program.write_text(f'#!/bin/sh\nmkdir "$TMPDIR/mmdebstrap.gpghome.1" || exit 1\n{script}\n')
    program.chmod(0o755)
    environment = {"PATH": f"{self.build_dir}:{os.environ['PATH']}", "TMPDIR": str(temporary)}
    with mock.patch.dict(os.environ, environment), mock.patch.object(debian, "mirror", return_value=[]), \
         mock.patch.object(debian, "mounted", lambda *_: contextlib.nullcontext()), contextlib.redirect_stderr(io.StringIO()):
      try:
        return debian.tuned(self.build_dir)
      except trees.TreeError:
        return None
      finally:
        self.assertEqual([], list(temporary.iterdir()))

  def test_a_mmdebstrap_that_is_killed_leaves_nothing(self):
    self.assertIsNone(self.make_debian("kill -KILL $$"))
    self.assertFalse((self.build_dir / "bench-trees").exists())

  def test_what_mmdebstrap_leaves_does_not_come_into_the_tree(self):
    self.assertEqual([], list(self.make_debian("exit 0").iterdir()))
    self.assertEqual(1, len(list((self.build_dir / "bench-trees").iterdir())))

  def test_packages_of_the_same_files_have_the_same_bytes_whenever_they_are_made(self):
    source, made = self.build_dir / "source", []
    source.mkdir()
    self.make(source)
    for made_at_s in (1_000_000_000, 2_000_000_000):
      for path in (source, *source.rglob("*")):
        os.utime(path, (made_at_s, made_at_s))
      directory = self.build_dir / str(made_at_s)
      directory.mkdir()
      trees.make_packages(directory, source)
      made.append([path.read_bytes() for path in sorted(directory.iterdir())])
    self.assertEqual(trees.PACKAGES, len(made[0]))
    self.assertEqual(*made)

  def test_joined_trees_stand_side_by_side_and_go(self):
    tree = trees.kept(self.build_dir, "a", "recipe", self.make)
    with trees.joined(self.build_dir, {"one": tree, "two": tree}) as directory:
      self.assertEqual(sorted(str(p.relative_to(directory)) for p in directory.rglob("file")), ["one/file", "two/file"])
    self.assertFalse(directory.exists())
    self.assertTrue((tree / "file").exists())


class Loads(unittest.TestCase):
  def test_what_writes_pages_out_ends_with_its_file_system(self):
    with tempfile.TemporaryDirectory() as gone:
      pass
    subprocess.run(["sh", "-c", loads.SYNC, gone], stderr=subprocess.DEVNULL, check=False, timeout=60)

  def argv(self, name, seed=0):
    return next(iter(loads.ALL[name](SimpleNamespace(path=Path("/m"), big_file=lambda n: f"/m/big/file{n:02}"), seed).commands()))

  def test_each_flow_is_a_job_of_its_own(self):
    for name, patterns in (("readers", ["read"] * 10), ("readers-writers", ["read"] * 5 + ["write"] * 5), ("writers", ["write"] * 10),
                           ("random-readers", ["randread"] * 16)):
      argv = self.argv(name)
      self.assertEqual(sorted(a.removeprefix("--rw=") for a in argv if a.startswith("--rw=")), patterns)
      self.assertEqual(sum(a.startswith("--name=") for a in argv), len(patterns))

  def test_jobs_start_together_unless_the_load_says_otherwise(self):
    self.assertEqual({a for a in self.argv("readers") if a.startswith("--startdelay=")}, {"--startdelay=0ms"})
    self.assertIn("--startdelay=1800ms", self.argv("readers-apart"))

  def test_sequential_readers_share_no_file(self):
    files = [a for a in self.argv("readers") if a.startswith("--filename=")]
    self.assertEqual(len(set(files)), 10)

  def test_what_readers_read_at_random_the_order_of_a_loads_jobs_and_how_long_they_think_are_of_the_seed(self):
    for name, option in (("random-readers", "--randseed="), ("readers-writers", "--rw="), ("readers-apart", "--filename="), ("browser", "--thinktime=")):
      with self.subTest(name):
        of_seeds = [[a for a in self.argv(name, seed) if a.startswith(option)] for seed in (1, 1, 2)]
        self.assertEqual(of_seeds[0], of_seeds[1])
        self.assertNotEqual(of_seeds[0], of_seeds[2])

  def test_direct_readers_begin_one_by_one_and_ask_past_the_page_cache(self):
    argv = self.argv("readers-direct")
    self.assertEqual(10, argv.count("--direct=1"))
    self.assertIn("--startdelay=2700ms", argv)

  def test_a_browser_is_one_process_with_fifty_threads(self):
    argv = self.argv("browser")
    self.assertEqual((50, 50), (argv.count("--thread"), argv.count("--rw=randread")))

  def test_what_walks_goes_through_each_small_file(self):
    with tempfile.TemporaryDirectory() as place:
      source, target = Path(place, "small"), Path(place, "walked")
      target.mkdir()
      for number in range(3):
        path = source / str(number) / "file.py"
        path.parent.mkdir(parents=True)
        path.write_bytes(loads.Compile.text(None))
      files = sorted(source.rglob("*.py"))
      walker.backup(files, target)
      walker.index(files, target)
      walker.compiled(files, target)
      self.assertEqual(sum(path.stat().st_size for path in files), (target / "archive").stat().st_size)
      self.assertEqual(3, len((target / "index").read_text().splitlines()))
      self.assertEqual({"archive", "index", "0", "1", "2"}, {path.name for path in target.iterdir()})

  def test_a_load_that_ends_by_itself_is_an_error(self):
    class Broken(loads.Idle):
      def commands(self):
        return [["sh", "-c", "echo no space >&2; exit 1"]]
    load = Broken(SimpleNamespace(path=None, emulated=SimpleNamespace(at_once=lambda: tempfile.TemporaryDirectory())))
    with load:
      load.children[0].popen.wait()
      self.assertRaisesRegex(loads.LoadError, "no space", load.check)

  def test_the_throughput_leaves_out_what_others_read(self):
    self.assertEqual(loads.rates_between((10, 20), (10 + 3000000, 20 + 4000000), 2, 1000000), loads.Rates(1.0, 2.0))

  def test_what_others_read_is_never_more_than_all(self):
    self.assertEqual(loads.rates_between((0, 0), (100, 0), 1, 200).read_mbps, 0)


class Fio(unittest.TestCase):
  def test_options_belong_to_the_job_before_them(self):
    self.assertEqual(fio.command_of_jobs({"a": {"rw": "read"}, "b": {"rw": "write"}}), ["fio", "--name=a", "--rw=read", "--name=b", "--rw=write"])


class Censored(unittest.TestCase):
  def test_the_median_of_what_ended(self):
    self.assertEqual(censored.median(figures(3, 1, 2)), censored.Figure(2))
    self.assertEqual(censored.median(figures(4, 1, 2, 3)), censored.Figure(2.5))

  def test_a_cut_off_duration_is_the_longest_whatever_its_limit(self):
    self.assertEqual(censored.median(figures(9, 10, cut_off=[8])), censored.Figure(10))

  def test_a_median_that_was_cut_off_is_a_lower_bound(self):
    self.assertEqual(censored.median(figures(3, cut_off=[8, 8])), censored.Figure(8, exact=False))
    self.assertEqual(str(censored.median(figures(3, cut_off=[8]))), "> 5.50")

  def test_the_95th_percentile_is_the_nearest_rank(self):
    self.assertEqual(censored.percentile(figures(*range(1, 21)), 95).value, 19)
    self.assertEqual(censored.percentile(figures(*range(1, 101)), 95).value, 95)
    self.assertEqual(censored.percentile(figures(1, 2, 3), 95).value, 3)
    self.assertFalse(censored.percentile(figures(1, 2, cut_off=[3]), 95).exact)

  def test_the_interval_is_that_of_the_tables(self):
    # Ranks and coverage as in any table of order statistics for the median.
    for count, rank, confidence in ((5, 1, 0.9375), (6, 1, 0.96875), (9, 2, 0.9609), (10, 2, 0.9785), (20, 6, 0.9586), (25, 8, 0.9567)):
      interval = censored.median_interval(figures(*range(1, count + 1)))
      self.assertEqual((interval.low.value, interval.high.value), (rank, count + 1 - rank), count)
      self.assertAlmostEqual(interval.confidence, confidence, places=4)

  def test_the_interval_holds_the_median_as_often_as_it_says(self):
    # All outcomes of six figures, each below or above the true median with equal odds.
    outside = sum(len(set(sides)) == 1 for sides in itertools.product((0, 2), repeat=6))
    self.assertEqual(1 - outside / 2 ** 6, censored.median_interval(figures(*range(6))).confidence)

  def test_one_run_has_no_interval(self):
    self.assertEqual(summary.interval_text(censored.median_interval(figures(1))), "–")

  def test_a_ratio_over_a_lower_bound_is_unknown(self):
    self.assertIsNone(censored.Figure(4).over(censored.Figure(2, exact=False)))
    self.assertEqual(censored.Figure(4, exact=False).over(censored.Figure(2)), censored.Figure(2, exact=False))


class Settings(unittest.TestCase):
  def setUp(self):
    directory = tempfile.TemporaryDirectory(prefix="brio-test-")
    self.addCleanup(directory.cleanup)
    self.directory = Path(directory.name)

  def file(self, name, text):
    path = self.directory / name
    path.write_text(text)
    return path

  def test_what_was_changed_comes_back(self):
    path = self.file("swappiness", "60")
    with settings.Kept([path, self.directory / "missing"]):
      path.write_text("10")
    self.assertEqual(path.read_text(), "60")
    self.assertEqual(state.orphans(settings.KIND), [])

  def test_the_cleared_one_of_two_writeback_limits_is_not_written(self):
    ratio, in_bytes = self.file("dirty_ratio", "0"), self.file("dirty_bytes", "1000")
    with settings.Kept([ratio, in_bytes]):
      ratio.write_text("40")
      in_bytes.write_text("0")
    self.assertEqual((ratio.read_text(), in_bytes.read_text()), ("40", "1000"))

  def test_the_next_run_puts_back_what_a_killed_one_left(self):
    path = self.file("swappiness", "10")
    left = state.DIRECTORY / "settings-4194305-1-abc"
    left.mkdir(parents=True)
    settings.save(left, {str(path): "60"})
    self.assertEqual(settings.restore_orphans(), [left])
    self.assertEqual(path.read_text(), "60")
    self.assertFalse(left.exists())


class Tuned(unittest.TestCase):
  def test_the_profile_is_tuneds_own_on_our_drive_alone(self):
    text = tuned.derived_profile("desktop", "loop7")
    self.assertIn("include=desktop\n", text)
    self.assertIn("[disk]\ndevices=loop7\n", text)
    for unit in ("cpu", "modules", "scsi_host"):
      self.assertIn(f"[{unit}]\nenabled=False\n", text)

  def test_the_machines_own_sysctls_are_not_applied_anew(self):
    text = tuned.own_config("daemon = 1\nreapply_sysctl = 1\n")
    self.assertEqual([line for line in text.splitlines() if line], ["daemon = 1", "reapply_sysctl = 0"])


class Alternatives(unittest.TestCase):
  def chosen(self, drive_class):
    return {name: a.scheduler(drive_class) for name, a in alternatives.ALL.items() if isinstance(a, alternatives.Static)}

  def test_each_rule_chooses_by_the_class_of_the_drive(self):
    same = {"none": "none", "kyber": "kyber"}
    self.assertEqual(self.chosen("hdd"), {"kernel": "mq-deadline", "fedora": "bfq", "cachyos": "bfq"} | same)
    self.assertEqual(self.chosen("ssd"), {"kernel": "mq-deadline", "fedora": "bfq", "cachyos": "mq-deadline"} | same)
    self.assertEqual(self.chosen("nvme"), {"kernel": "none", "fedora": "none", "cachyos": "none"} | same)

  def test_what_runs_a_daemon_is_never_taken_for_a_static_choice(self):
    for name in ("tuned-desktop", "tuned-throughput", "brio"):
      self.assertEqual(alternatives.ALL[name].treatment("hdd"), name)


class Matrix(unittest.TestCase):
  def args(self, *argv):
    return STARTUP.parse_arguments(["--real", "--drives", "hdd", "--programs", "python3", *argv])

  def test_figures_do_not_go_where_the_table_and_the_chart_go(self):
    for name in ("figures.md", "figures.svg", "figures.png"):
      with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
        self.args("--output", f"/tmp/{name}")
      self.assertIn("JSON", said.getvalue())

  def test_a_round_has_each_cell_once(self):
    args = self.args("--loads", "readers,copy", "--runs", "3")
    order = matrix.plan("hdd", args)
    each = len(matrix.cells("hdd", args))
    for i in range(3):
      of_round = order[i * each:(i + 1) * each]
      self.assertEqual({r.round for r in of_round}, {i})
      self.assertEqual(len({r.cell for r in of_round}), each)

  def test_alternatives_that_are_the_same_on_the_drive_share_a_cell(self):
    args = self.args("--loads", "readers", "--alternatives", "fedora,cachyos,brio")
    self.assertEqual([c.treatment for c in matrix.cells("hdd", args)], ["mq-deadline", "bfq", "brio"])

  def test_the_idle_drive_is_always_measured(self):
    idle = [c for c in matrix.cells("hdd", self.args("--loads", "readers", "--alternatives", "brio")) if c.load == "idle"]
    self.assertEqual(idle, [matrix.reference("hdd", "python3")])

  def test_the_seed_decides_the_order(self):
    plans = [[r.cell for r in matrix.plan("hdd", self.args("--random-seed", seed, "--runs", "2"))] for seed in ("1", "1", "2")]
    self.assertEqual(plans[0], plans[1])
    self.assertNotEqual(plans[0], plans[2])

  def test_a_run_under_load_takes_its_lead_longer(self):
    args = self.args("--loads", "readers", "--lead", "30", "--runs", "1")
    times = {r.cell.load: matrix.typical_s(r, args) for r in matrix.plan("hdd", args)}
    self.assertGreaterEqual(times["readers"] - times["idle"], 30)


class Arguments(unittest.TestCase):
  def setUp(self):
    """Every program that a benchmark needs is there, whatever this machine has."""
    patch = mock.patch("shutil.which", return_value="/usr/bin/true")
    patch.start()
    self.addCleanup(patch.stop)

  def error(self, *argv):
    with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit) as stop:
      STARTUP.parse_arguments(argv)
    self.assertEqual(stop.exception.code, 2)
    return err.getvalue()

  def test_an_unknown_name_is_said_with_those_that_are_known(self):
    self.assertIn("'floppy' is none of hdd, ssd", self.error("--drives", "hdd,floppy"))
    self.assertIn("'vi' is none of python3", self.error("--programs", "vi"))
    self.assertIn("'cfq' is none of kernel", self.error("--alternatives", "cfq"))

  def test_numbers_have_bounds(self):
    self.error("--runs", "0")
    for text in ("0", "-1", "nan", "inf", "soon"):
      self.assertIn("no number of seconds", self.error("--lead", text))

  def test_quick_repeats_no_cell_that_was_cut_off_throughout(self):
    cell = matrix.reference("hdd", "python3")
    ended, cut = (matrix.Record(cell, 0, 1.0, e, 0, 0, "bfq", {}) for e in (True, False))
    self.assertEqual([STARTUP.cut_off(cell, r) for r in ([], [cut], [cut, ended], [ended])], [False, True, False, False])

  def test_quick_is_a_set_of_defaults(self):
    args = STARTUP.parse_arguments(["--real", "--quick", "--runs", "7"])
    self.assertEqual((args.drives, args.loads, args.runs), (["hdd", "ssd"], ["readers"], 7))
    self.assertEqual(args.alternatives, list(alternatives.ALL))


class Sweep(unittest.TestCase):
  """What runs where it is not said how often."""

  def args(self, *argv):
    with mock.patch("shutil.which", return_value="/usr/bin/true"):
      return STARTUP.parse_arguments(["--real", *argv])

  def done(self, args, seconds_of, name="hdd"):
    """Runs until there is nothing more to run: seconds_of(cell, number of the run) is what a start takes, None where it is given up."""
    found = []
    while batch := sweep.next_runs(name, args, found):
      for one in batch:
        seconds = seconds_of(one.cell, sum(r.cell == one.cell for r in found))
        found.append(matrix.Record(one.cell, one.round, seconds or 9.0, seconds is not None, 0, 0, "bfq", {}))
    return found

  def counts(self, found, load="readers"):
    counted = {}
    for r in found:
      if (r.cell.program, r.cell.load) == ("python3", load):
        counted[r.cell.treatment] = counted.get(r.cell.treatment, 0) + 1
    return counted

  def test_each_drive_has_each_load_with_one_program_and_every_alternative_somewhere(self):
    args = self.args()
    loaded = [load for _, load, _ in args.groups]
    self.assertEqual((["hdd", "ssd", "sd-card"], len(loaded)), (args.drives, len(set(loaded))))
    self.assertEqual(set(programs.SUITE), {program for program, _, _ in args.groups})
    for drive_name in args.drives:
      self.assertEqual({a.treatment(matrix.drive_class(drive_name)) for a in alternatives.ALL.values()},
                       {c.treatment for c in matrix.cells(drive_name, args) if c.load == "readers"})
      for _, load, _ in args.groups:
        self.assertLessEqual({"brio", "mq-deadline", "bfq"}, {c.treatment for c in matrix.cells(drive_name, args) if c.load == load})

  def test_it_takes_no_longer_than_an_hour_and_says_so(self):
    args = self.args()
    least_s = sum(matrix.typical_s(one, args) for name in args.drives for one in sweep.least(name, args, []))
    self.assertTrue(30 <= least_s / 60 <= 60, least_s / 60)
    self.assertTrue(45 <= args.minutes <= 60)
    self.assertRegex(STARTUP.estimate(args), r"^\d+ starts at most to have each cell twice, about \d+ minutes, and more up to \d+ minutes in all")
    everything = ("--programs", ",".join(programs.SUITE), "--loads", ",".join(loads.SUITE), "--runs", "5")
    self.assertRegex(STARTUP.estimate(self.args(*everything)), r"^\d{4} starts, about \d+ minutes\.$")

  def test_a_program_that_cannot_be_had_leaves_its_loads_to_another(self):
    self.assertEqual({"readers", "writers", "random-readers", "upgrade", "copy", "readers-writers"}, {load for _, load, _ in sweep.groups(["python3"], ["brio"])})

  def test_what_is_named_is_all_combined(self):
    args = self.args("--programs", "python3,gtk4", "--loads", "copy,writers", "--alternatives", "none,brio")
    self.assertEqual([(p, load, ["none", "brio"]) for p in ("python3", "gtk4") for load in ("copy", "writers")], args.groups)
    self.assertEqual([("python3", "idle", "mq-deadline"), ("gtk4", "idle", "mq-deadline")],
                     [(c.program, c.load, c.treatment) for c in matrix.cells("ssd", args) if c.load == "idle"])

  def test_the_idle_drive_comes_first_for_it_says_when_a_start_is_given_up(self):
    args = self.args("--drives", "hdd")
    first = sweep.next_runs("hdd", args, [])
    self.assertEqual(({"idle"}, 3 * len(programs.SUITE)), ({r.cell.load for r in first}, len(first)))
    self.assertEqual([30.0, 12.5, 3.0, 30.0], [sweep.limit_s(figures(*idle), 30.0) for idle in ((), (2.0, 2.5, 9.0), (0.4,), (7.0,))])
    self.assertEqual(30.0, sweep.limit_s(figures(cut_off=[30.0]), 30.0))

  def test_what_is_given_up_is_not_tried_again_unless_it_is_brios(self):
    args = self.args("--programs", "python3", "--loads", "readers", "--alternatives", "kernel,fedora,brio")
    lost = self.counts(self.done(args, lambda cell, _: {"bfq": 3.0, "brio": 2.0}.get(cell.treatment)))
    self.assertEqual({"mq-deadline": 1, "bfq": 3, "brio": 3}, lost)
    self.assertGreaterEqual(self.counts(self.done(args, lambda cell, _: 2.0 if cell.treatment == "bfq" or cell.load == "idle" else None))["brio"], 2)

  def test_two_that_cannot_be_told_apart_run_more_often_and_the_others_do_not(self):
    args = self.args("--programs", "python3", "--loads", "readers", "--alternatives", "kernel,fedora,none,brio")
    same = lambda cell, number: {"bfq": 3.0, "brio": 3.0}.get(cell.treatment, 6.0) + number % 2 * 0.2
    self.assertEqual({"mq-deadline": 2, "none": 2, "bfq": sweep.RUNS_MAX, "brio": sweep.RUNS_MAX}, self.counts(self.done(args, same)))
    apart = lambda cell, number: {"bfq": 3.0, "brio": 2.0}.get(cell.treatment, 6.0)
    self.assertEqual({"mq-deadline": 2, "none": 2, "bfq": 3, "brio": 3}, self.counts(self.done(args, apart)))

  def test_one_that_was_late_once_is_told_apart_in_the_end(self):
    ours, theirs = (matrix.Record(matrix.reference("hdd", "python3"), 0, s, True, 0, 0, "bfq", {}) for s in (2.0, 3.0))
    late = matrix.Record(ours.cell, 0, 9.0, True, 0, 0, "bfq", {})
    self.assertTrue(sweep.is_open([late] + [ours] * 7, [theirs] * 8))
    self.assertFalse(sweep.is_open([late] + [ours] * (sweep.RUNS_MAX - 1), [theirs] * sweep.RUNS_MAX))

  def test_where_neither_ever_ends_there_is_nothing_to_tell(self):
    cut = [matrix.Record(matrix.reference("hdd", "python3"), i, 9.0, False, 0, 0, "bfq", {}) for i in range(3)]
    self.assertFalse(sweep.is_open(cut, cut))

  def test_the_estimate_counts_down_to_nothing(self):
    args = self.args("--drives", "hdd")
    found, before = [], len(sweep.least("hdd", args, []))
    while sweep.least("hdd", args, found):
      for one in sweep.next_runs("hdd", args, found):
        found.append(matrix.Record(one.cell, one.round, 1.0, True, 0, 0, "bfq", {}))
        left = len(sweep.least("hdd", args, found))
        self.assertEqual(before - 1, left)
        before = left

  def test_when_the_time_is_over_only_the_least_is_run(self):
    args = self.args("--drives", "hdd")
    found = []
    for one in STARTUP.runs("hdd", 0, args, found):
      found.append(matrix.Record(one.cell, one.round, 1.0, True, 0, 0, "bfq", {}))
    self.assertEqual(len(sweep.least("hdd", args, [])), len(found))

  def test_what_comes_now_is_the_first_of_what_is_left(self):
    one, other, third = (matrix.Run(matrix.Cell("hdd", "python3", "readers", t), 0, None) for t in ("a", "b", "c"))
    self.assertEqual([other, one], STARTUP.first(other, [one, matrix.Run(other.cell, 0, None)]))
    self.assertEqual([third, one, other], STARTUP.first(third, [one, other]))

  def test_without_a_network_what_was_not_asked_for_is_left_out_and_named(self):
    def fail(_build_dir):
      raise trees.TreeError("mmdebstrap: no network")
    said = io.StringIO()
    with mock.patch.object(debian, "programs", fail), mock.patch.object(debian, "tuned", fail), \
        mock.patch("shutil.which", return_value="/usr/bin/true"), contextlib.redirect_stderr(said):
      args = self.args()
      STARTUP.leave_out(args)
      asked = self.args("--programs", "gtk4", "--alternatives", "tuned-desktop")
      STARTUP.leave_out(asked)
    self.assertEqual(["python3"], args.programs)
    self.assertNotIn("tuned-desktop", args.alternatives)
    self.assertIn("Left out, since its tree cannot be made: mmdebstrap: no network: libreoffice, gtk4.", said.getvalue())
    self.assertEqual((["gtk4"], ["tuned-desktop"]), (asked.programs, asked.alternatives))


def records(load, by_treatment, drive="hdd"):
  return [matrix.Record(matrix.Cell(drive, "python3", load, treatment), i, f.value, f.exact, 50.0, 1.0, treatment, {})
          for treatment, of_cell in by_treatment.items() for i, f in enumerate(of_cell)]


class Onset(unittest.TestCase):
  class Briod:
    def __init__(self, startups, decisions):
      self.answers = {"startups": startups, "decisions": decisions}

    def brioctl(self, verb, *_):
      return json.dumps(self.answers[verb])

  def look(self, times, **changed):
    now = time.time()
    start = programs.Start(2.0, True, 0, time.monotonic() - 5.5, 7)
    decisions = [{"law": "startup-guard", "result": "applied", "time_usec": int((now - 5 + t) * 1e6)} | changed for t in times]
    return onset.look(self.Briod([{"pid": 6, "time_usec": 0}, {"pid": 7, "time_usec": int((now - 5) * 1e6)}], decisions), start)

  def test_it_is_counted_from_the_call_to_the_last_of_those_in_the_way_then(self):
    found = self.look([-1, 0.02, 0.04, 1.5])
    self.assertEqual((0.5, 0.52, 0.54, 2), (round(found.noticed_s, 1), round(found.first_s, 2), round(found.last_s, 2), found.changes))

  def test_where_no_process_was_in_the_way_there_is_none(self):
    self.assertIsNone(self.look([]))
    self.assertIsNone(self.look([0.02], law="step-back"))
    self.assertIsNone(self.look([0.02], result="restored"))


class Summary(unittest.TestCase):
  def rows(self, *names):
    runs = records("idle", {"mq-deadline": figures(2, 2, 2)})
    runs += records("readers", {"mq-deadline": figures(cut_off=[9, 9, 9]), "bfq": figures(3, 4, 5), "brio": figures(2, 3, 4)})
    return summary.rows(runs, names or ("kernel", "fedora", "cachyos", "brio"))

  def test_each_alternative_has_its_row(self):
    rows = {(r.load, r.alternative): r for r in self.rows()}
    self.assertEqual(str(rows["readers", "kernel"].ratio), "> 4.50")
    self.assertEqual(rows["readers", "fedora"].median, rows["readers", "cachyos"].median)
    self.assertEqual(rows["readers", "brio"].ratio, censored.Figure(1.5))

  def test_the_idle_drive_alone_has_one_row(self):
    self.assertEqual([r.alternative for r in self.rows("fedora", "brio") if r.load == "idle"], ["kernel"])

  def test_each_row_says_how_far_it_is_from_the_best_static_choice_of_its_cell(self):
    rows = {(r.load, r.alternative): r for r in self.rows()}
    self.assertEqual({"kernel": "> 2.25", "fedora": "1.00", "brio": "0.75"},
                     {name: str(rows["readers", name].best_ratio) for name in ("kernel", "fedora", "brio")})
    self.assertIn("× best static", summary.markdown(list(rows.values())))

  def test_the_aims_are_those_of_brio_in_its_worst_cell(self):
    aims = {a.name.split(" (")[0]: (round(a.value, 2), a.met) for a in summary.aims(self.rows())}
    self.assertEqual(aims, {"hdd: start under load over idle drive, median": (1.5, False),
                            "hdd: start under load over idle drive, p95": (2.0, False), "hdd: over the best static choice, median": (0.75, True)})

  def test_the_onset_is_told_for_the_starts_that_a_process_stood_in_the_way_of(self):
    runs = records("readers", {"brio": figures(2, 3, 4)})
    self.assertEqual([], summary.onset_aims(runs))
    runs[0].onset, runs[2].onset = ({"noticed_s": 0.1, "first_s": 0.01, "last_s": s, "changes": 10} for s in (0.03, 0.07))
    self.assertEqual([("hdd: program called to all processes in the way stepped back, median of 2", 50.0, True), ("hdd: program called to all processes in the way stepped back, p95 of 2", 70.0, False)],
                     [(a.name, round(a.value, 3), a.met) for a in summary.onset_aims(runs)])
    runs[1].idle_share = 0.29
    self.assertEqual([], summary.onset_aims(runs), "the guest's processor was busy")

  def test_a_lower_bound_never_meets_an_aim(self):
    aim = summary.AtMost("a", 1.0, 1.1, "", False, exact=False)
    self.assertFalse(aim.met)
    self.assertIn("a: > 1 (aim", aim.line())

  def test_without_the_idle_drive_no_ratio_is_told(self):
    rows = summary.rows(records("readers", {"brio": figures(1)}), ("brio",))
    self.assertIsNone(rows[0].ratio)
    self.assertEqual(summary.aims(rows), [])
    json.dumps([r.as_dict() for r in rows])

  def test_the_table_is_markdown(self):
    lines = [line for line in summary.markdown(self.rows()).splitlines() if line.startswith("|")]
    self.assertEqual(len({line.count("|") for line in lines}), 1)
    self.assertIn("Fedora rule and CachyOS rule are the same", summary.markdown(self.rows()))

  def test_the_chart_is_xml_with_a_line_for_each_row(self):
    text = chart.svg("x", summary.panels(self.rows()), 2, "")
    root = ElementTree.fromstring(text)
    texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    for title in ("kernel default", "Fedora rule", "Brio", "> 9.00 s"):
      self.assertIn(title, texts)

  def test_labels_of_an_axis_do_not_touch(self):
    for low, high in ((90, 2100), (44, 2300), (600, 20000), (0.2, 60), (3, 11), (1, 1e4)):
      for unit in ("", "s"):
        with self.subTest(low=low, high=high, unit=unit):
          rows = tuple(chart.Row("", one, censored.Interval(one, one, 100), None, False) for one in figures(low, high))
          root = ElementTree.fromstring(chart.svg("x", [chart.Panel("", unit, rows)], 1, ""))
          labels = [(float(e.get("x")), len(e.text)) for e in root.iter("{http://www.w3.org/2000/svg}text") if e.get("text-anchor") == "middle"]
          self.assertGreater(len(labels), 1)
          for (x, n), (after, m) in zip(labels, labels[1:]):
            self.assertGreater(after - x, 8 * (n + m) / 2)

  def test_what_stands_in_the_chart_stays_inside(self):
    root = ElementTree.fromstring(chart.svg("x", summary.panels(self.rows()), 1, ""))
    for circle in root.iter("{http://www.w3.org/2000/svg}circle"):
      self.assertTrue(chart.LABELS <= float(circle.get("cx")) <= chart.LABELS + chart.PLOT)


if __name__ == "__main__":
  unittest.main()
