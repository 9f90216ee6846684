#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How `./dev bench accuracy` holds verdicts against labels.

usage: test-bench-accuracy.py BENCH_DIR [unittest argument]..."""
import importlib.machinery
import importlib.util
import re
import struct
import sys
import tempfile
import time
import types
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(sys.argv.pop(1))
sys.path[:0] = [str(BENCH), str(BENCH / "accuracy")]
import boundaries  # noqa: E402
from lib import display  # noqa: E402
from lib.accuracy import AccuracyError, content, detectors, fifth, fourth, labels, memory, proportion, replay, scenario, scenarios, sixth, score, witness  # noqa: E402

S = 1000000
PLAYER, READER, STRANGER = 100, 200, 999


def load_check():
  loader = importlib.machinery.SourceFileLoader("check", str(BENCH / "accuracy/check"))
  module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
  loader.exec_module(module)
  return module


def program(role, pid, begin=0, end=30 * S, kind="kind", period=0):
  return labels.Program(f"program {pid}", kind, role, 0, period, begin, end, [labels.Lived(pid, begin, end), labels.Lived(pid + 1, begin, end)])


def truth(*programs, **verdicts):
  programs = programs or (program(labels.STREAM, PLAYER, kind="player"), program(labels.BULK, READER, kind="reader"))
  return labels.Labels("a", "hdd", "hdd-7200", "bfq", "ext4", "6.1", 250, 1, "abc", 0, verdicts, list(programs))


def line(kind, t, verdict="soft-rt", pid=PLAYER, culprit=0):
  more = {"culprit": {"pid": culprit, "name": "c", "permille": 900}} if culprit else {}
  subject = {"process": {"pid": pid, "name": "p"}} if pid else {}
  return {"type": kind, "time_usec": t, "device": "loop0", "verdict": verdict, "sentence": f"{verdict} it is", "confidence": 1000, "severity": 1, "evidence": {},
          **subject, **more}


def found(*lines, span=30 * S):
  return replay.found([*lines, {"type": "summary", "span_usec": span}])


def stands(begin, end, *arguments):
  return line("verdict-begins", begin, *arguments), line("verdict-ends", end, *arguments)


class Proportions(unittest.TestCase):
  def test_wilsons_interval_is_that_of_the_tables(self):
    for right, n, low, high in ((8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (49, 50, 0.8950, 0.9965)):
      interval = proportion.Proportion(right, n).interval()
      self.assertAlmostEqual(low, interval[0], 4)
      self.assertAlmostEqual(high, interval[1], 4)

  def test_nothing_has_no_proportion(self):
    self.assertEqual((None, None, "-"), (proportion.Proportion().value, proportion.Proportion().interval(), proportion.Proportion().text()))

  def test_the_text_has_counts_and_interval(self):
    self.assertEqual("0.98 (49 of 50; 0.90 – 1.00)", proportion.Proportion(49, 50).text())


class Replays(unittest.TestCase):
  def test_a_verdict_stands_from_its_beginning_to_its_end(self):
    verdict, = found(*stands(S, 5 * S)).verdicts
    self.assertEqual(("soft-rt", PLAYER, S, 5 * S), (verdict.kind, verdict.pid, verdict.begin, verdict.end))

  def test_one_that_still_stands_lasts_to_the_end_of_the_recording(self):
    verdict, = found(line("verdict-begins", S), span=9 * S).verdicts
    self.assertEqual(9 * S, verdict.end)

  def test_verdicts_about_several_processes_are_several(self):
    self.assertEqual({PLAYER, READER, 0}, {v.pid for v in found(line("verdict-begins", 1), line("verdict-begins", 1, "soft-rt", READER),
                                                                line("verdict-begins", 1, "burst", 0)).verdicts})

  def test_every_culprit_is_kept_in_turn(self):
    verdict, = found(line("verdict-begins", 1, "victim", PLAYER, 7), line("verdict-changes", 2, "victim", PLAYER, 7),
                     line("verdict-changes", 3, "victim", PLAYER, 8), line("verdict-ends", 4, "victim", PLAYER)).verdicts
    self.assertEqual([7, 8], verdict.culprits)


class Scores(unittest.TestCase):
  def judge(self, *lines, of=None, **verdicts):
    return score.judge(of or truth(**verdicts), found(*lines))

  def counts(self, proportion_):
    return proportion_.right, proportion_.n

  def test_a_stream_that_is_found_for_half_of_its_steady_time_is_found(self):
    self.assertEqual((1, 1), self.counts(self.judge(*stands(20 * S, 30 * S)).streams))
    self.assertEqual((0, 1), self.counts(self.judge(*stands(21 * S, 30 * S)).streams))

  def test_verdicts_over_each_other_count_once(self):
    both = (*stands(12 * S, 18 * S), *stands(13 * S, 19 * S, "soft-rt", PLAYER + 1))
    self.assertEqual((0, 1), self.counts(self.judge(*both).streams))

  def test_what_a_stream_is_told_to_be_in_its_first_seconds_does_not_count(self):
    self.assertEqual((0, 1), self.counts(self.judge(*stands(0, 14 * S)).streams))

  def test_a_short_stream_is_judged_from_its_middle_on(self):
    short = truth(program(labels.STREAM, PLAYER, 10 * S, 18 * S))
    self.assertEqual((1, 1), self.counts(self.judge(*stands(15 * S, 17 * S), of=short).streams))
    self.assertEqual((0, 1), self.counts(self.judge(*stands(17 * S, 18 * S), of=short).streams))

  def test_a_stream_with_a_long_period_is_judged_from_its_sixth_on(self):
    slow = truth(program(labels.STREAM, PLAYER, 0, 40 * S, period=3 * S))
    self.assertEqual((1, 1), self.counts(self.judge(*stands(29 * S, 40 * S), of=slow).streams))
    self.assertEqual((0, 1), self.counts(self.judge(*stands(18 * S, 28 * S), of=slow).streams))

  def test_one_moment_makes_a_false_stream(self):
    result = self.judge(*stands(20 * S, 20 * S + 1, "soft-rt", READER))
    self.assertEqual((0, 1), self.counts(result.confirmed))
    self.assertEqual((1, 2), self.counts(result.false_by_kind["reader"]))
    self.assertIn(f"process {READER} (p) of 'program {READER}' is taken for a stream", " ".join(result.mistakes))

  def test_a_process_that_no_load_began_is_no_stream(self):
    self.assertEqual((0, 1), self.counts(self.judge(*stands(S, 2 * S, "soft-rt", STRANGER)).confirmed))

  def test_a_process_counts_once_however_often_it_is_confirmed(self):
    self.assertEqual((1, 1), self.counts(self.judge(*stands(S, 2 * S), *stands(5 * S, 29 * S)).confirmed))

  def test_a_verdict_may_begin_a_moment_after_its_process_has_ended(self):
    ended = truth(program(labels.STREAM, PLAYER, 0, 10 * S))
    for late, right in ((S, 1), (3 * S, 0)):
      self.assertEqual((right, 1), self.counts(self.judge(*stands(10 * S + late, 20 * S), of=ended).confirmed), late)

  def test_bulk_is_held_against_the_label_both_ways(self):
    result = self.judge(*stands(S, 9 * S, "bulk", READER), *stands(S, 9 * S, "bulk", PLAYER))
    self.assertEqual(((1, 1), (1, 2)), (self.counts(result.bulk), self.counts(result.bulk_named)))

  def test_what_works_in_many_steps_may_be_bulk_or_not(self):
    result = self.judge(*stands(S, 9 * S, "bulk", READER), of=truth(program(labels.OTHER, READER)))
    self.assertEqual((0, 0), self.counts(result.bulk_named))

  def test_a_culprit_is_one_that_does_harm(self):
    for culprit, right in ((READER, 1), (PLAYER + 1, 0), (STRANGER, 0)):
      lines = (line("verdict-begins", S, "victim", PLAYER, culprit), line("verdict-ends", 2 * S, "victim", PLAYER))
      self.assertEqual((right, 1), self.counts(self.judge(*lines).culprits), culprit)

  def start(self, latency, culprits=(), pid=PLAYER, others=()):
    begun = program(labels.START, PLAYER, 4 * S, 6 * S)
    begun.ready_usec = 6 * S
    line_ = {"type": "startup", "pid": pid, "begun_usec": 4 * S, "latency_usec": latency, "culprits": [{"pid": p} for p in culprits]}
    return score.judge(truth(begun, *others), found(line_))

  def test_the_end_of_a_start_is_right_within_a_tenth_or_100_ms(self):
    for latency, right in ((2 * S, 1), (1800000, 1), (2200000, 1), (1790000, 0), (2210000, 0)):
      self.assertEqual((right, 1), self.counts(self.start(latency).start_ends), latency)
    self.assertEqual([-500000], self.start(1500000).end_errors_us)

  def test_a_start_that_is_not_told_has_no_end(self):
    result = self.start(2 * S, pid=STRANGER)
    self.assertEqual(((0, 1), (0, 0)), (self.counts(result.starts), self.counts(result.start_ends)))

  def test_the_culprit_of_a_start_is_bulk_that_ran_and_none_where_nothing_did(self):
    bulk, gone = program(labels.BULK, READER), program(labels.BULK, READER, 0, S)
    for culprits, others, right in (([READER], [bulk], 1), ([], [bulk], 0), ([STRANGER], [bulk], 0), ([], [], 1), ([], [gone], 1), ([READER], [gone], 0)):
      self.assertEqual((right, 1), self.counts(self.start(2 * S, culprits, others=others).start_culprits), (culprits, others))

  def test_a_kind_of_verdict_is_judged_where_there_is_a_label_for_it(self):
    result = self.judge(*stands(S, 2 * S, "burst", 0), burst=False, writeback=True)
    self.assertEqual({"burst": (0, 1), "writeback": (0, 1)}, {kind: self.counts(p) for kind, p in result.verdicts.items()})
    self.assertEqual((1, 1), self.counts(self.judge(*stands(S, 2 * S, "burst", 0), burst=True).verdicts["burst"]))

  def test_scores_add_up(self):
    total = score.Score()
    for lines in (stands(10 * S, 30 * S), ()):
      total.add(self.judge(*lines))
    self.assertEqual(((1, 2), (1, 1)), (self.counts(total.streams), self.counts(total.confirmed)))
    self.assertEqual((1, 2), self.counts(total.streams_by_kind["player"]))


class Labels(unittest.TestCase):
  def test_what_is_written_is_read(self):
    with tempfile.TemporaryDirectory() as directory:
      path = Path(directory) / "a.json"
      labels.write(path, truth(bulk=True))
      self.assertEqual(truth(bulk=True), labels.read(path))
      self.assertIn('{"pid": 100, "from_usec": 0, "until_usec": 30000000}', path.read_text())

  def test_another_version_is_refused(self):
    with tempfile.TemporaryDirectory() as directory:
      path = Path(directory) / "a.json"
      path.write_text('{"format": 0}')
      with self.assertRaisesRegex(AccuracyError, "another version of the corpus: record it anew"):
        labels.read(path)

  def test_a_process_belongs_to_a_program_while_it_lives(self):
    both = truth(program(labels.STREAM, PLAYER, 0, 10), program(labels.BULK, PLAYER, 20, 30))
    self.assertEqual([labels.STREAM, None, labels.BULK], [getattr(both.of(PLAYER, t), "role", None) for t in (5, 15, 25)])

  def test_a_recording_begins_with_its_first_events(self):
    def block(kind, body, t):
      return struct.pack("<4sHBxIIQ", b"RBLK", len(body), kind, 1, 0, t) + body
    data = bytes(16) + block(1, b"kernel=1\n", 0) + block(3, b"xxx", 77000)
    self.assertEqual(77, labels.recording_begin(data))
    with self.assertRaises(AccuracyError):
      labels.recording_begin(data[:60])


class Witnesses(unittest.TestCase):
  def message(self, what, t_us, *numbers):
    return bytes(36) + struct.pack("=IIQ", what, 0, t_us * 1000) + struct.pack(f"={len(numbers)}i", *numbers)

  def setUp(self):
    self.seen = witness.Witness()
    self.time = 0

  def tell(self, what, *numbers):
    self.time += 10
    self.seen.take(self.message(what, self.time, *numbers))

  def test_a_family_is_all_that_came_from_a_process(self):
    self.tell(witness.EVENT_FORK, 1, 1, 5, 5)
    self.tell(witness.EVENT_FORK, 5, 5, 6, 5)      # a thread
    self.tell(witness.EVENT_EXEC, 5, 5)
    self.tell(witness.EVENT_FORK, 6, 5, 7, 7)
    self.tell(witness.EVENT_FORK, 7, 7, 8, 8)
    self.tell(witness.EVENT_FORK, 1, 1, 9, 9)      # a stranger
    self.tell(witness.EVENT_EXIT, 8, 8, 0, 17)
    self.assertEqual([(5, [30]), (7, []), (8, [])], [(life.pid, life.execs) for life in self.seen.family(5, 0)])
    self.assertEqual([None, None, 70], [life.end for life in self.seen.family(5, 0)])

  def test_a_pid_that_is_used_again_is_another_process(self):
    self.tell(witness.EVENT_FORK, 1, 1, 5, 5)
    self.tell(witness.EVENT_EXIT, 5, 5, 0, 17)
    self.tell(witness.EVENT_FORK, 1, 1, 5, 5)
    self.tell(witness.EVENT_FORK, 5, 5, 6, 6)
    self.assertEqual([5], [life.pid for life in self.seen.family(5, 0)])
    self.assertEqual([5, 6], [life.pid for life in self.seen.family(5, 25)])

  def test_what_is_cut_short_is_passed_over(self):
    self.seen.take(bytes(30))
    self.assertEqual([], self.seen.lives)


class Corpus(unittest.TestCase):
  def test_what_is_held_out_are_twenty_five_scenarios_at_least_that_no_set_for_tuning_has(self):
    secret = scenarios.held_out()
    self.assertEqual({each.name for each in (*fourth.ALL, *fifth.ALL, *sixth.ALL)}, secret)
    self.assertGreaterEqual(len(secret), 25)

  def test_both_halves_have_streams_and_greedy_ones_and_what_is_held_out_has_each_class_of_drive(self):
    secret = scenarios.held_out()
    self.assertEqual(set(scenario.MODELS), {scenarios.ALL[name].drive for name in secret})
    for names in (secret, set(scenarios.ALL) - secret):
      self.assertLessEqual({"hdd", "ssd", "sd-card"}, {scenarios.ALL[name].drive for name in names})
      self.assertTrue(names & set(scenarios.STREAMS) and names & set(scenarios.GREEDY))

  def test_every_part_begins_within_its_scenario(self):
    for each in scenarios.ALL.values():
      for part in each.parts:
        self.assertLess(part.at, each.seconds, each.name)

  def test_seed_003s_workload_is_in_it(self):
    self.assertGreaterEqual(len(detectors.SEED003), 3)


class Windows(unittest.TestCase):
  """When a window is there."""

  def test_a_picture_changes_since_it_was_looked_at_last_and_since_it_was_looked_at_first(self):
    memory = bytearray(display.EACH_BYTE * 1000)
    picture = display.Picture(memory)
    memory[:len(memory) // 4] = b"x" * (len(memory) // 4)
    self.assertEqual((0.25, 0.25, 0, 0.25), (picture.painted(), picture.changed(), picture.changed(), picture.painted()))

  def test_a_window_is_complete_with_the_last_change_that_is_more_than_a_cursors(self):
    calls, changes = [], [0, 0.5, 0.01, boundaries.STILL / 2]

    def changed():
      calls.append(time.monotonic())
      return changes.pop(0) if changes else 0
    shown = boundaries.Shown(None, types.SimpleNamespace(changed=changed), 1.0, 2.0, 2.0)
    boundaries.until_settled(shown, 0.5, lambda: None)
    self.assertTrue(calls[2] <= shown.settled <= calls[3])
    self.assertEqual(2.0, shown.framed)

  def test_how_near_the_end_comes_is_told_for_each_of_the_three(self):
    start = boundaries.Start("ssd", "idle", "p", True, False, 1.5, 1.51, None, None, None, mapped=1.0, framed=1.3, settled=1.5)
    line_, = filter(None, boundaries.windows_lines([start]))
    self.assertIn("mapped before their first frame by (median, p95) 300 ms", line_)
    self.assertIn("510 ms, 510 ms from the mapping, 210 ms, 210 ms from the first frame, 10 ms, 10 ms from the last change", line_)


class Memory(unittest.TestCase):
  """Seed 003's workload, side by side."""

  def compare(self, **by_way):
    start = program(labels.START, STRANGER, 4 * S, 10 * S)
    start.ready_usec = 10 * S
    of = truth(program(labels.BULK, READER), program(labels.STREAM, PLAYER), start)
    return memory.compare(of, {way: found(*by_way.get(way.replace("-", "_"), ())) for way in memory.WAYS})

  def test_streams_that_are_none_count_by_process_and_for_how_long_they_stood_with_and_without_the_memory(self):
    sides, taken = self.compare(no_memory=(*stands(2 * S, 6 * S, "soft-rt", READER), *stands(20 * S, 21 * S, "soft-rt", READER), *stands(5 * S, 7 * S, "soft-rt", READER + 1)),
                                kernel=stands(2 * S, 6 * S, "soft-rt", READER), brio=stands(2 * S, 29 * S, "soft-rt", PLAYER))
    self.assertEqual([(2, 3, 7 * S, 4 * S, 2), (1, 1, 4 * S, 2 * S, 1), (0, 0, 0, 0, 0)],
                     [(s.processes, s.verdicts, s.us, s.starting_us, s.at_once) for s in (sides[way] for way in memory.WAYS)])
    self.assertEqual([(READER, {"no-memory": 5 * S, "kernel": 4 * S}), (READER + 1, {"no-memory": 2 * S})], [(one.pid, one.us) for one in taken])

  def test_a_process_that_is_not_known_is_taken_wrongly_too(self):
    _sides, taken = self.compare(brio=stands(2 * S, 3 * S, "soft-rt", 77))
    self.assertEqual([(77, "none of ours")], [(one.pid, one.program) for one in taken])

  def test_brio_may_take_none_and_the_memory_must_not_make_it_worse(self):
    result = self.compare(kernel=stands(2 * S, 3 * S, "soft-rt", READER), brio=stands(2 * S, 3 * S, "soft-rt", READER))
    outcome = memory.outcome({"a": (truth(), None)}, {"a": result}, "there")
    self.assertEqual([False, False], [aim.met for aim in outcome.aims])
    self.assertRegex("\n".join(outcome.lines), r"\| processes taken for streams wrongly \| +0 \| +1 \| +1 \|")

  def test_without_a_record_the_figures_of_the_tree_are_shown(self):
    with tempfile.TemporaryDirectory() as empty:
      recorded, place = memory.recorded(empty)
    self.assertEqual((memory.IN_TREE, True), (place, set(recorded) <= set(detectors.SEED003)))


class Project(unittest.TestCase):
  def test_it_has_each_file_that_it_includes(self):
    sources = content.sources_of_project()
    included = {name for file in sources for name in re.findall(r'#include "(.*)"', file.read_text(encoding="utf-8"))}
    self.assertEqual(set(), included - {file.name for file in sources})
    self.assertLess(80, sum(file.suffix == ".c" for file in sources))


class CommandLine(unittest.TestCase):
  def test_unknown_scenarios_are_refused_with_those_that_there_are(self):
    self.assertEqual(["video-hdd"], load_check().several("video-hdd, video-hdd"))
    with self.assertRaisesRegex(Exception, "'nonsense' is none of video-hdd, "):
      load_check().several("nonsense")

  def test_the_quick_corpus_lies_apart(self):
    args = load_check().parse_arguments(["--quick", "--build-dir", "/b"])
    self.assertEqual((Path("/b/accuracy-quick"), 2), (args.corpus, len(args.scenarios)))


class Outcomes(unittest.TestCase):
  def outcome(self, right, false, held_out=False):
    each = score.judge(truth(bulk=True), found(*(stands(0, 30 * S) if right else ()), *(stands(0, S, "soft-rt", READER) if false else ())))
    scores = {("brio", half): each for half in (detectors.TRAINING, detectors.HELD_OUT, detectors.BOTH)} | {("brio", detectors.SEED003_HALF): each}
    args = types.SimpleNamespace(held_out=held_out, mistakes=True)
    return detectors.outcome(scores, {"brio": ((), "Brio")}, {"a": (truth(), None)}, args)

  def met(self, outcome):
    return {aim.name.partition(" (")[0]: aim.met for aim in outcome.aims}

  def test_aims_are_met_by_those_that_are_right(self):
    self.assertEqual({"soft-rt, precision": True, "soft-rt, recall": True, "processes taken for streams on seed 003's workload": True},
                     self.met(self.outcome(True, False)))
    self.assertEqual({"soft-rt, precision": False, "soft-rt, recall": False, "processes taken for streams on seed 003's workload": False},
                     self.met(self.outcome(False, True)))

  def test_what_is_held_out_has_columns_of_its_own_and_only_when_asked_for(self):
    self.assertNotIn("held out", "\n".join(self.outcome(True, False).lines))
    self.assertRegex("\n".join(self.outcome(True, False, held_out=True).lines), r"\| +Brio, training \| +Brio, held out \| +Brio, both \|")

  def test_a_corpus_that_is_all_held_out_says_so(self):
    args = types.SimpleNamespace(held_out=False, mistakes=False, corpus="there")
    with self.assertRaisesRegex(AccuracyError, "what is in there is held out: --held-out judges that, too"):
      detectors.outcome({}, {"brio": ((), "Brio")}, {}, args)

  def test_mistakes_name_scenario_process_and_sentence(self):
    self.assertIn("- a: process 200 (p) of 'program 200' is taken for a stream: soft-rt it is", "\n".join(self.outcome(False, True).lines))


if __name__ == "__main__":
  unittest.main()
