# SPDX-License-Identifier: GPL-3.0-or-later
"""What the comparing benchmarks' command lines have in common, and what they compare unasked. No guest in virtual time has a part in it."""
import argparse
from pathlib import Path

from . import alternatives, arguments, debian, drive, others


def add_arguments(parser, name, runs=3):
  """What every comparing benchmark has in common; --quick is one short run of each arm."""
  parser.formatter_class = argparse.RawDescriptionHelpFormatter
  parser.add_argument("--real", action="store_true", help="on this machine and its clock, not in guests in virtual time")
  arguments.add_guests(parser)
  parser.add_argument("--quick", action="store_true", help="one short run of each arm")
  parser.add_argument("--runs", type=arguments.positive, metavar="N", help=f"of each arm (default: {runs}, with --quick 1); in virtual time each with the next seed")
  parser.add_argument("--runtime", type=arguments.positive, metavar="S", help="of each run (default: the benchmark's own)")
  parser.add_argument("--random-seed", type=arguments.random_seed, default=1, metavar="N", help="of the order; in virtual time of the first run (default: %(default)s)")
  parser.add_argument("--build-dir", default=drive.ROOT / "build", type=Path)
  parser.add_argument("--output", type=arguments.figures_file, metavar="FILE", help=f"the figures as JSON; .md, .svg and .png go beside it (default: BUILD_DIR/bench-{name}.json)")
  parser.add_argument("--strict", action="store_true", help="exit 1 where an aim is missed")


def add_against(parser):
  parser.add_argument("--against", type=arguments.several(others.NAMES), metavar="NAME,...",
                      help=f"arms besides the benchmark's own, of {', '.join(others.NAMES)} (default: all; with --quick and in virtual time none)")


def against(args):
  if args.against is not None:
    return args.against
  if args.quick or not args.real:
    return []
  return arguments.present(others.NAMES, lambda name: alternatives.why_not(name, args.build_dir) if name in others.WITH_TUNED else None)


def unasked():
  """The names of those that are compared by default."""
  return arguments.present(alternatives.ALL, lambda name: debian.missing() if isinstance(alternatives.ALL[name], alternatives.WithTuned) else None)
