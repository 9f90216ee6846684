#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Guests in virtual time, without one: what they are handed, and what it depends on.

usage: test-bench-virtual.py BENCH_DIR [unittest argument]..."""
import contextlib
import importlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
BENCH = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(BENCH))
from lib import ablation, alternatives, arguments, arms, chart, matrix, others, prefetch, summary, throughput, trees  # noqa: E402
from lib.virtual import arm, batch, cells, experiments, handed, machine, pairs, start, states, system, window  # noqa: E402

IMPORTED = "import importlib, sys; sys.path.insert(0, sys.argv[1]); [importlib.import_module(f'lib.{name}') for name in sys.argv[2:]]; print(*sys.modules)"


def load(name):
  loader = SourceFileLoader(f"{name}_program", str(BENCH / name))
  module = module_from_spec(spec_from_loader(f"{name}_program", loader))
  loader.exec_module(module)
  return module


STARTUP = load("startup")


class Scratch(unittest.TestCase):
  def setUp(self):
    directory = tempfile.TemporaryDirectory(prefix="brio-test-")
    self.addCleanup(directory.cleanup)
    self.place = Path(directory.name)


class Archives(Scratch):
  def make(self, name, mode):
    directory = self.place / name
    (directory / "below").mkdir(parents=True)
    (directory / "below" / "program").write_text("text")
    (directory / "below" / "program").chmod(mode)
    (directory / "link").symlink_to("below/program")
    os.link(directory / "below" / "program", directory / "below" / "second")
    return handed.archive(handed.below(Path("there"), directory))

  def test_equal_files_give_equal_bytes_whichever_user_made_them_and_when(self):
    self.assertEqual(self.make("a", 0o755), self.make("b", 0o700))

  def test_another_seed_makes_them_in_another_order(self):
    self.make("a", 0o755)
    found = [handed.archive(handed.below(Path("there"), self.place / "a"), seed) for seed in range(8)]
    self.assertGreater(len(set(found)), 1)
    self.assertEqual(found[1], handed.archive(handed.below(Path("there"), self.place / "a"), 1))

  def test_a_program_is_no_plain_file(self):
    self.assertNotEqual(self.make("a", 0o755), self.make("b", 0o644))

  def test_the_time_of_a_source_stays_so_that_its_compiled_form_is_believed(self):
    for name in ("a.py", "a.pyc"):
      (self.place / name).touch()
      os.utime(self.place / name, (1e9, 1e9))
    archive = handed.archive({handed.CONTENT / name: self.place / name for name in ("a.py", "a.pyc")})
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
      times = {Path(member.name).name: member.mtime for member in tar.getmembers()}
    self.assertEqual((1e9, 0), (times["a.py"], times["a.pyc"]))


REQUESTS = [{"module": "start"}, {"module": "prefetch"}, *({"module": "arm", "benchmark": name} for name in handed.BENCHMARKS)]


class Modules(unittest.TestCase):
  def imports(self, *names):
    """What Python itself imports then: ours, and all."""
    found = subprocess.run([sys.executable, "-B", "-c", IMPORTED, BENCH, *names], capture_output=True, text=True, check=True).stdout.split()
    return {name for name in found if name.partition(".")[0] == "lib"}, set(found)

  def as_imported(self, names):
    return {f"lib.{name.replace('/', '.')}".removesuffix(".__init__") for name in names}

  def test_a_guest_is_handed_what_it_imports_and_nothing_else(self):
    prepares = handed.imported(handed.PREPARES)
    self.assertEqual(self.imports("virtual.inside")[0], self.as_imported(prepares))
    for request in REQUESTS:
      with self.subTest(request):
        ours, _ = self.imports("virtual.inside", f"virtual.{request['module']}", *([request["benchmark"]] if "benchmark" in request else []))
        self.assertEqual(ours, self.as_imported(prepares | set(handed.modules(request))))

  def test_charts_command_lines_and_other_benchmarks_do_not_change_what_a_start_is_handed(self):
    for request in REQUESTS:
      self.assertFalse({"chart", "arguments", "comparing", "summary", "gui", "virtual/machine"} & set(handed.modules(request)))
    self.assertFalse({"stream", "day", "throughput", "others"} & set(handed.modules({"module": "start"})))

  def test_what_a_guest_may_run_is_named(self):
    """Else Python's library would not be in its saved state."""
    runs = {path.stem for path in (BENCH / "lib/virtual").glob("*.py") if "def run(asked, emulated, fs, build_dir):" in path.read_text(encoding="utf-8")}
    self.assertEqual(runs, set(handed.RUN))

  def test_python_s_library_is_in_the_saved_state_before_a_run_needs_it(self):
    for request in REQUESTS:
      ours = {name for module in handed.modules(request) for name in handed.of_source(module)[1]}
      self.assertEqual(set(), ours - set(handed.standard_library()))


class Window(Scratch):
  def fill(self, archive):
    window.write(self.place / "window", archive)
    return bytearray((self.place / "window").read_bytes())

  def test_what_the_host_writes_the_guest_unpacks(self):
    (self.place / "file").write_text("text")
    window.unpack(self.fill(handed.with_request({"model": "hdd"}, handed.archive({Path("brio/file"): self.place / "file"}))), self.place)
    self.assertEqual("text", (self.place / "brio" / "file").read_text())
    self.assertEqual('{"model": "hdd"}', (self.place / handed.REQUEST).read_text())

  def test_what_the_guest_answers_the_host_reads(self):
    memory = self.fill(b"x")
    self.assertIsNone(window.answered(self.place / "window"))
    window.answer(memory, "ä told")
    (self.place / "window").write_bytes(memory)
    self.assertEqual("ä told", window.answered(self.place / "window"))

  def test_the_host_says_whether_it_wants_the_log_where_nothing_is_handed_in(self):
    wanted = []
    for log in (False, True):
      window.write(self.place / "window", bytes(1000), log)
      memory = (self.place / "window").read_bytes()
      wanted.append((window.log_is_wanted(memory), memory[:window.LOG_AT]))
    self.assertEqual([False, True], [log for log, _ in wanted])
    self.assertEqual(wanted[0][1], wanted[1][1])

  def test_its_size_does_not_depend_on_what_is_in_it(self):
    self.assertEqual(len(self.fill(b"x")), len(self.fill(b"y" * 1000)))

  def test_what_does_not_fit_is_refused(self):
    with self.assertRaises(window.WindowError):
      window.write(self.place / "window", bytes(window.BYTES))


class Systems(Scratch):
  def test_what_is_no_graphical_guest_has_nothing_of_a_display(self):
    plain, graphical = (system.tree("12", kind) for kind in (False, True))
    self.assertEqual({"xvfb", "x11-utils"}, {name for name in graphical["packages"] if "x11" in name or "xvfb" in name})
    self.assertEqual({"xvfb", "x11-utils", "coreutils"}, set(graphical["packages"]) - set(plain["packages"]))
    self.assertNotEqual(plain["name"], graphical["name"])

  def test_the_tree_of_programs_is_packed_where_the_file_system_is_filled_from_and_stays_as_it_was(self):
    program = self.place / "programs" / "fonts" / "font"
    program.parent.mkdir(parents=True)
    program.write_text("text")
    for path in (program, program.parent):
      os.utime(path, (1e9, 1e9))
    with open(self.place / "archive", "wb") as output:
      system.pack_content({"debian": self.place / "programs"}, self.place, output)
    listed = subprocess.run(["cpio", "--quiet", "--list", "--verbose", "--file", self.place / "archive"], env=os.environ | {"TZ": "UTC", "LC_ALL": "C"},
                            capture_output=True, text=True, check=True).stdout.splitlines()
    years = {words[-1]: words[-2] for words in map(str.split, listed)}
    self.assertEqual(("1970", "2001"), (years[f"{handed.CONTENT}/debian/fonts"], years[f"{handed.CONTENT}/debian/fonts/font"]))
    self.assertEqual(1e9, program.parent.stat().st_mtime)


class Runs(Scratch):
  """Of a batch, of which each run tells its seed, and an end where a batch is interrupted."""

  def setUp(self):
    super().setUp()
    (self.place / "system").mkdir()
    for name in (system.KERNEL, system.INITRAMFS):
      (self.place / "system" / name).write_text(name)
    self.made = []

  def measured(self, *seeds, build=b"build", again=False, end=None, state="guest-hdd-1"):
    jobs = [(self.place / state, self.place / "system", {"module": "start", "seed": seed}) for seed in seeds]
    told = {}

    def run_all(left, _tested, begun, ended, _tick):
      for number, (_, _, request) in enumerate(left):
        begun(number)
        if request["seed"] == end:
          raise KeyboardInterrupt
        self.made.append(request["seed"])
        ended(number, {"seed": request["seed"], "log": "long"})

    with mock.patch.object(machine, "run_all", run_all), mock.patch.object(machine, "under_test", lambda jobs, _: {machine.kind_of(job): build for job in jobs}), \
         contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(KeyboardInterrupt):
      batch.run(jobs, ["label"] * len(jobs), [1.0] * len(jobs), mock.Mock(build_dir=self.place, again=again), told)
    return told

  def test_what_was_measured_before_is_told_again_without_a_guest(self):
    self.measured(1, 2)
    self.assertEqual({0: {"seed": 2}, 1: {"seed": 3}, 2: {"seed": 1}}, self.measured(2, 3, 1))
    self.assertEqual([1, 2, 3], self.made)

  def test_where_it_is_asked_for_all_is_measured_again(self):
    self.measured(1)
    self.assertEqual({0: {"seed": 1}}, self.measured(1, again=True))
    self.assertEqual([1, 1], self.made)

  def test_with_another_build_state_or_system_it_is_another_run(self):
    self.measured(1)
    self.measured(1, build=b"other")
    self.measured(1, state="guest-hdd-2")
    (self.place / "system" / system.KERNEL).write_text("other")
    self.measured(1)
    self.assertEqual([1, 1, 1, 1], self.made)

  def test_what_runs_without_brio_is_handed_the_same_whatever_is_built(self):
    treated = arms.Brio("Brio", None, "build", "hdd"), arms.Plain("bfq", None)
    experiment = mock.Mock(asked={}, title="a film")
    requests = [experiments.request("stream", experiment, each, 1, 12.0) for each in treated] + [{"module": "start", "alternative": name} for name in ("brio", "fedora")] + \
      [prefetch.Run("hdd", "python3", "idle", arm, 1).request() for arm in prefetch.ARMS]
    self.assertEqual([True, False, True, False, True, True, False], [handed.has_brio(request) for request in requests])
    self.assertEqual(handed.BRIO_ITSELF, alternatives.Brio.name)
    names = handed.modules(requests[1])
    self.assertEqual(handed.archive(handed.placed(names)), handed.run("no/build", self.place, names, False))

  def test_what_was_measured_before_an_interruption_is_kept(self):
    self.measured(1, 2, end=2)
    self.measured(1, 2)
    self.assertEqual([1, 2], self.made)


class Trees(Scratch):
  def make(self, recipe, name="guest-hdd"):
    return trees.kept(self.place, name, recipe, lambda tree: (tree / "file").touch(), only=True)

  def test_a_state_of_another_recipe_goes_and_no_other(self):
    first, other = self.make("a"), self.make("a", "guest-ssd")
    second = self.make("b")
    self.assertFalse(first.exists())
    self.assertTrue(second.exists() and other.exists())


def records(treatment, *seconds):
  """One for each seed; None is a start that was given up after 30 s."""
  return [matrix.Record(matrix.Cell("hdd", "python3", "readers", treatment), seed, s or 30.0, s is not None, 0, 0, treatment, {}, idle_share=0.5)
          for seed, s in enumerate(seconds)]


class Pairs(unittest.TestCase):
  def pair(self, ours, theirs):
    return pairs.pairs(records("bfq", *theirs) + records("brio", *ours), ["fedora", "brio"])

  def test_starts_are_compared_seed_by_seed(self):
    found, = self.pair((2.0, 4.0, 1.0), (3.0, 4.0, 1.0))
    self.assertEqual((1.5, 1.0, 1.0), tuple(ratio.value for ratio in found.ratios))
    self.assertEqual("1.000", found.cells()[1])

  def test_a_start_that_was_given_up_took_longer_than_that(self):
    found, = self.pair((2.0,), (None,))
    self.assertEqual("> 15.000", found.cells()[1])

  def test_where_brio_s_was_given_up_nothing_is_known(self):
    self.assertEqual([], self.pair((None,), (3.0,)))

  def test_a_pair_is_not_judged_where_the_processor_was_busy_in_a_run_of_either(self):
    for busy, text in ((0.31, "31 %"), (0.29, "29 %: not judged")):
      ours, theirs = records("brio", 2.0, 2.0), records("bfq", 3.0, 3.0)
      theirs[1].idle_share = busy
      found, = pairs.pairs(theirs + ours, ["fedora", "brio"])
      self.assertEqual((text, busy > 0.3), (found.cells()[-1], found.as_dict()["judged"]))

  def test_seeds_that_only_one_has_do_not_count(self):
    self.assertEqual(1, len(self.pair((2.0,), (3.0, 4.0))[0].ratios))


class Tables(unittest.TestCase):
  def rows(self, idle_share):
    of_brio = records("brio", 2.0, 2.0)
    of_brio[0].idle_share = idle_share
    return summary.rows(of_brio, ["brio"])

  def test_a_figure_has_the_share_of_its_busiest_run_beside_it(self):
    self.assertIn("processor idle", summary.markdown(self.rows(0.42)))
    self.assertIn(" 42 % ", summary.markdown(self.rows(0.42)))

  def test_where_the_processor_was_busy_nothing_is_judged(self):
    self.assertIn("29 %: not judged", summary.markdown(self.rows(0.29)))
    self.assertEqual([], [row for row in self.rows(0.29) if row.judged])

  def test_a_chart_shows_pale_what_is_not_judged_and_says_so(self):
    for share, pale in ((0.31, False), (0.29, True)):
      picture = chart.svg("x", summary.panels(self.rows(share)), 1, "legend")
      self.assertEqual((pale, pale), ('<g opacity="0.4">' in picture, "legend; pale: not judged" in picture))


class Arguments(unittest.TestCase):
  def parse(self, *argv):
    return STARTUP.parse_arguments(argv)

  def test_seeds_are_the_rounds_from_the_one_that_is_asked_for_on(self):
    args = self.parse("--random-seed", "7", "--runs", "2", "--drives", "hdd", "--loads", "readers", "--alternatives", "fedora")
    # The idle drive, for reference, and the readers.
    self.assertEqual([7, 7, 8, 8], [one.round for one in cells.plan(args)])

  def test_what_a_guest_is_asked_for_names_the_cell_and_the_seed(self):
    args = self.parse("--loads", "readers", "--alternatives", "brio", "--runs", "1")
    asked = [cells.run_of(one, args).request for one in cells.plan(args)]
    self.assertIn({"module": "start", "drive": "hdd", "program": "python3", "load": "readers", "alternative": "brio", "seed": 1, "lead_s": 8.0,
                   "limit_s": 12.0, "detail": False}, asked)

  def places(self, *argv):
    """Of a plan, and what was made for it."""
    args, made = self.parse("--drives", "hdd", "--loads", "idle", "--alternatives", "fedora", *argv), []

    def prepared(model, _build, _begun, _tick, release, place, graphical):
      made.append((model, place, graphical))
      return made[-1]

    with mock.patch.object(machine, "prepared", prepared), mock.patch.object(batch, "run"), mock.patch.object(system, "is_made", return_value=True), \
         mock.patch.object(machine, "at_a_time", return_value=1), contextlib.redirect_stderr(io.StringIO()):
      return states.states([cells.run_of(one, args) for one in cells.plan(args)], args), made

  def test_a_program_of_the_debian_tree_has_a_guest_of_its_own_kind_for_each_place_and_the_others_have_theirs(self):
    found, made = self.places("--programs", "python3,libreoffice,gtk4", "--runs", "3")
    self.assertEqual({(program in ("libreoffice", "gtk4"), place) for program in ("python3", "gtk4") for place in (0, 1)},
                     {(graphical, place) for _, place, graphical in made})
    self.assertEqual(9, len(found))
    self.assertEqual(4, len(made), "a state was made more than once")

  def test_it_says_before_that_packages_come_from_the_network_where_some_program_needs_them(self):
    for made, named, said in (((False,), "python3", False), ((False,), "python3,gtk4", True), ((False, True), "python3,gtk4", False), ((), "python3", True)):
      with self.subTest(made=made, named=named), mock.patch.object(system, "is_made", lambda _build, _release, graphical: graphical in made):
        args = self.parse("--programs", named)
        self.assertEqual(said, "network" in states.first_time([cells.run_of(one, args) for one in cells.plan(args)], args))

  def test_a_guest_is_told_of_where_it_has_to_be_made(self):
    args = self.parse()
    for begins in (False, True):
      with self.subTest(begins=begins), contextlib.redirect_stderr(io.StringIO()) as said, \
           mock.patch.object(machine, "prepared", side_effect=lambda _model, _build, begun, _tick, **_: begun() if begins else None):
        states.prepared("hdd-7200", False, 0, args)
      self.assertEqual(begins, "guest with a drive hdd-7200" in said.getvalue())

  def test_what_it_takes_is_said_before_the_first_state_is_made(self):
    said, args = io.StringIO(), self.parse("--runs", "1", "--loads", "idle")
    with mock.patch.object(system, "is_made", return_value=False), mock.patch.object(machine, "prepared", side_effect=KeyboardInterrupt), \
         contextlib.redirect_stderr(said), self.assertRaises(KeyboardInterrupt):
      batch.measure([cells.run_of(one, args) for one in cells.plan(args)], args, {}, "starts")
    self.assertRegex(said.getvalue().splitlines()[0], r"^6 starts in virtual time, \d+ at a time, about 1 minute\. First, once, Debian's packages are fetched from the network")

  def test_it_takes_no_longer_than_an_hour_and_quick_than_six_minutes(self):
    for most_min, argv in ((60, ()), (6, ("--quick",))):
      args = self.parse(*argv)
      with mock.patch.object(machine, "at_a_time", return_value=2):
        self.assertLessEqual(sum(cells.run_of(one, args).expected_s for one in cells.plan(args)) / 60, most_min)

  def test_a_guest_has_a_kernel_of_this_release_or_a_later_one(self):
    with mock.patch.object(system, "own", return_value="13"), mock.patch("platform.machine", return_value="x86_64"):
      self.assertIn("built on Debian 13 does not run in a guest with Debian 12", system.missing("build", "12"))

  def test_each_benchmark_in_virtual_time_takes_a_release_whose_guests_it_has_then(self):
    for name in ("ablation", "day", "prefetch", "seeds", "startup", "stream", "throughput"):
      with self.subTest(name):
        args = load(name).parse_arguments(["--debian", "13"])
        with mock.patch.object(machine, "prepared", return_value=("state", "system")) as prepared:
          states.prepared("hdd-7200", False, 0, args)
        self.assertEqual("13", prepared.call_args.kwargs["release"])
    for name in ("day", "seeds", "startup", "stream", "throughput"):
      with self.subTest(name), contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
        load(name).parse_arguments(["--real", "--debian", "13"])
      self.assertIn("--real has none", said.getvalue())

  def test_what_does_not_go_together_is_said_before_anything_is_installed(self):
    for name, *argv in (("startup", "--minutes", "3"), ("seeds", "--seed", "004"), ("stream", "--real", "--store", "2"), ("stream", "--real", "--rate", "12"),
                        ("trace", "hdd,python3,readers,fedora", "--off", "readahead")):
      with self.subTest(argv=argv), mock.patch.dict(os.environ, {arguments.ONLY: "yes"}), contextlib.redirect_stderr(io.StringIO()), \
           self.assertRaises(SystemExit) as ended:
        program = load(name)
        program.make_parser().parse_args(argv) if name == "trace" else program.parse_arguments(argv)
      self.assertEqual(2, ended.exception.code)

  def test_what_no_guest_has_is_refused(self):
    for argv in (("--minutes", "3"), ("--real", "--debian", "13"), ("--debian", "11"), ("--alternatives", "tuned-desktop")):
      with self.subTest(argv=argv), contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
        self.parse(*argv)


class Requests(unittest.TestCase):
  """Of the benchmarks that compare arms: one runtime, else a run would be another."""
  # Name, and command lines of which the first is a part of each other.
  LINES = {
    "stream": (("--quick", "--loads", "readers"),
               ("--drives", "ssd,hdd", "--rate", "1,12", "--loads", "writers,readers", "--runs", "4", "--off", "stream-guard", "--sound", "--priority", "RT/4", "--against", "none")),
    "throughput": (("--quick", "--drives", "hdd", "--loads", "copy"), ("--runs", "2", "--again", "--strict")),
    "day": (("--quick",), ("--drives", "ssd,hdd", "--programs", "python3", "--runs", "2")),
    "seeds": (("--seed", "000", "001", "003", "--processes", "300"), ("--quick", "--runs", "4", "--seed", "003", "002", "000", "001", "--processes", "200,300", "--readers", "8,32", "--against", "kyber")),
  }

  def requests(self, name, *argv):
    program, module = load(name), importlib.import_module(f"lib.{name}")
    args = program.parse_arguments(["--runtime", "7", *argv])
    described = [others.added(each, getattr(args, "against", None) or (), args.build_dir) for each in module.experiments(args)]
    planned = [experiments.run_of(name, described[number], treated, seed, args) for number, treated, seed in experiments.plan(described, args)]
    return [json.loads(json.dumps(one.request)) for one in planned]

  def test_what_a_guest_is_asked_for_does_not_depend_on_what_else_is_measured(self):
    for name, (some, more) in self.LINES.items():
      with self.subTest(name):
        few, many = self.requests(name, *some), self.requests(name, *more)
        self.assertTrue(few)
        self.assertGreater(len(many), len(few))
        for asked in few:
          if asked["seed"] == 1:
            self.assertIn(asked, many)

  def test_each_run_has_a_request_of_its_own_which_a_guest_knows_again(self):
    for name, (_, more) in self.LINES.items():
      with self.subTest(name):
        every = self.requests(name, *more)
        self.assertEqual(len(every), len({json.dumps(asked, sort_keys=True) for asked in every}))
        for asked in every:
          experiment, its_arm = arm.described(asked, Path("/elsewhere"))
          self.assertEqual((asked["experiment"], asked["arm"]), (experiment.title, its_arm.name))


class Seeds(unittest.TestCase):
  def test_a_seed_chooses_the_drive_whichever_benchmark_has_it(self):
    made = []
    with mock.patch.object(states, "prepared", lambda model, graphical, place, _args: made.append(place) or (place, "system")):
      for name, module in (("ablation", ablation), ("prefetch", prefetch)):
        args = load(name).parse_arguments(["--runs", "2", "--loads", "readers"])
        planned = [one.in_guest() for one in module.plan(args)]
        self.assertEqual([one.request["seed"] % machine.PLACES for one in planned], [place for place, _ in states.states(planned, args)])
      args = load("throughput").parse_arguments(["--runs", "2", "--drives", "hdd"])
      each = throughput.experiments(args)[0]
      planned = [experiments.run_of("throughput", each, each.arms[0], seed, args) for seed in (1, 2)]
      self.assertEqual([1, 0], [place for place, _ in states.states(planned, args)])
    self.assertEqual({0, 1}, set(made))

  def test_one_seed_gives_one_phase_and_another_another(self):
    self.assertEqual(start.phases_s(1), start.phases_s(1))
    self.assertNotEqual(start.phases_s(1), start.phases_s(2))
    self.assertTrue(all(0 <= s <= start.PHASE_S for s in start.phases_s(3)))


if __name__ == "__main__":
  unittest.main()
