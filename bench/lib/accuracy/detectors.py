# SPDX-License-Identifier: GPL-3.0-or-later
"""The part `detectors` of `./dev bench accuracy`: every recording of the corpus replayed in several ways, and held against its labels."""
import statistics
from pathlib import Path

from .. import daemon, report
from ..events import Outcome
from . import AccuracyError, labels, replay, scenarios, score

TRAINING, HELD_OUT = "training", "held out"
BOTH = "both"
SEED003_HALF = "seed 003"
# Way → what brioctl replay is told, and its title. The first is Brio as it comes: the aims are for it.
MAIN, PROC = "brio", "proc"
WAYS = {MAIN: ((), "Brio"),
        "kernel": (("--kernel-rule",), "bfq's rule alone"),
        "no-memory": (("--no-memory",), "bfq's rule before 2017"),
        "turns": (("--kernel-turns",), "bfq itself"),
        PROC: (("--proc-only",), "from /proc alone")}
PRECISION_AIM, RECALL_AIM, END_AIM, CULPRIT_AIM = 0.98, 0.95, 0.95, 0.95
SEED003 = tuple(name for name in scenarios.ALL if name.startswith("writer-") and "mixed" in name)
US_PER_S = 1e6


def corpus(directory):
  """Name → labels and path of what has been recorded, of the scenarios that there are."""
  found = {}
  for name in scenarios.ALL:
    path = Path(directory) / f"{name}.recording"
    if path.exists() and path.with_suffix(".json").exists():
      found[name] = labels.read(path.with_suffix(".json")), path
  return found


def ways(build_dir):
  """Those that this build's replay knows."""
  known = replay.options_known(build_dir)
  return {key: way for key, way in WAYS.items() if all(option in known for option in way[0])}


def expected_s(args):
  return 0.5 * len(scenarios.ALL) * len(WAYS)


def missing(args):
  program = daemon.executable(args.build_dir, "brioctl")
  return None if program.exists() else f"{program} is not built"


def measure(args, tick):
  """Judges every recording in every way. Returns the Outcome."""
  recorded = corpus(args.corpus)
  if not recorded:
    raise AccuracyError(f"there are no recordings in {args.corpus}: --record makes them")
  secret, known = scenarios.held_out(), ways(args.build_dir)
  scores = {}
  for name, (truth, path) in recorded.items():
    half = HELD_OUT if name in secret else TRAINING
    tick()
    if half == HELD_OUT and not args.held_out:
      continue
    for way, (options, _title) in known.items():
      one = score.judge(truth, replay.run(args.build_dir, path, options))
      for key in (half, BOTH):
        scores.setdefault((way, key), score.Score()).add(one)
      if name in SEED003:
        scores.setdefault((way, SEED003_HALF), score.Score()).add(one)
  return outcome(scores, known, recorded, args)


def halves(args):
  return (TRAINING, HELD_OUT, BOTH) if args.held_out else (TRAINING,)


def outcome(scores, known, recorded, args):
  judged = [half for half in halves(args) if (MAIN, half) in scores]
  if not judged:
    raise AccuracyError(f"what is in {args.corpus} is held out: --held-out judges that, too")
  last = judged[-1]
  main = scores[MAIN, last]
  lines = ["Streams:", streams(scores, known, judged), "", "Other verdicts:", others(scores, known, judged), "",
           f"Streams by kind of program ({last}): of the streams, how many were found; of the processes that are none, how many were taken for one:",
           kinds(scores, known, last), "", f"Kinds of verdicts, of the recordings in which they should stand or must not ({last}):",
           report.markdown(["kind", "right"], [[kind, p.text()] for kind, p in sorted(main.verdicts.items())])]
  if (MAIN, SEED003_HALF) in scores:
    false = ", ".join(f"{title} {false_streams(scores[way, SEED003_HALF])}" for way, (_options, title) in known.items())
    lines += ["", f"Processes taken for streams on seed 003's workload: {false}."]
  if main.first_us:
    lines += ["", f"A stream was confirmed {statistics.median(main.first_us) / US_PER_S:.1f} s after its beginning (median of those found)."]
  if args.mistakes:
    lines += ["", *(f"- {mistake}" for mistake in main.mistakes)]
  figures = {f"{way}, {half}": as_dict(each) for (way, half), each in scores.items()}
  return Outcome(figures | {"recordings": {name: truth.commit for name, (truth, _path) in recorded.items()}}, aims(scores, last), lines)


def false_streams(each):
  return each.confirmed.n - each.confirmed.right


def streams(scores, known, judged):
  rows = [[f"{title}, {half}", scores[way, half].streams.text(), scores[way, half].confirmed.text()] for half in judged for way, (_o, title) in known.items()]
  return report.markdown(["", "streams found (recall)", "confirmed ones that are streams (precision)"], rows)


def others(scores, known, judged):
  """bfq's rule knows nothing of these."""
  columns = [(way, half) for way in known if way in (MAIN, PROC) for half in (judged if way == MAIN else judged[-1:])]
  rows = [("bulk programs named", "bulk"), ("processes named bulk that are", "bulk_named"), ("culprits of victims that do harm", "culprits"),
          ("starts told", "starts"), ("their ends within 10 % or 100 ms", "start_ends"), ("their culprits right", "start_culprits")]
  return report.markdown(["", *(f"{known[way][1]}, {half}" for way, half in columns)],
                         [[title, *(getattr(scores[column], key).text() for column in columns)] for title, key in rows])


def kinds(scores, known, half):
  """A row for each kind of program: its streams that were found, or its processes that were taken for streams."""
  names = sorted({k for way in known for k in scores[way, half].streams_by_kind}) + sorted({k for way in known for k in scores[way, half].false_by_kind})
  rows = []
  for name in names:
    one = scores[MAIN, half]
    is_stream = name in one.streams_by_kind
    cells = [(scores[way, half].streams_by_kind if is_stream else scores[way, half].false_by_kind)[name] for way in known]
    rows.append([name, "found" if is_stream else "taken for one", *(cell.text() if is_stream else f"{cell.right} of {cell.n}" for cell in cells)])
  return report.markdown(["program", "streams", *(title for _options, title in known.values())], rows)


def aims(scores, half):
  main = scores[MAIN, half]
  wanted = [("soft-rt, precision", main.confirmed, PRECISION_AIM), ("soft-rt, recall", main.streams, RECALL_AIM),
            ("culprits of victims", main.culprits, CULPRIT_AIM), ("ends of starts within 10 % or 100 ms", main.start_ends, END_AIM),
            ("culprits of starts", main.start_culprits, CULPRIT_AIM)]
  found = [report.Aim(f"{name} ({p.right} of {p.n}, {half})", p.value, aim, "", True) for name, p, aim in wanted if p.n]
  if (MAIN, SEED003_HALF) in scores:
    found.append(report.Aim("processes taken for streams on seed 003's workload", false_streams(scores[MAIN, SEED003_HALF]), 0, "", False))
  return found


def as_dict(each):
  by_kind = {key: {kind: p.as_dict() for kind, p in getattr(each, key).items()} for key in ("streams_by_kind", "false_by_kind", "verdicts")}
  lists = {key: getattr(each, key) for key in ("first_us", "end_errors_us", "mistakes")}
  return {key: getattr(each, key).as_dict() for key in score.PROPORTIONS} | by_kind | lists
