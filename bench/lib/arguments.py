# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmarks' command lines have in common: types for argparse, whose errors say what would be right."""
import argparse
import os
import sys
from pathlib import Path

from . import chart
from .virtual import system

# Set by ./dev bench: look at the arguments, and end. So what is wrong with them is said before anything is installed for them.
ONLY = "BRIO_BENCH_ARGUMENTS_ONLY"


class Parser(argparse.ArgumentParser):
  """That of each benchmark's command line. why_not(args): what of them does not go together, in one line; None where all does."""

  def __init__(self, *args, why_not=lambda _: None, **options):
    super().__init__(*args, **options)
    self.why_not = why_not

  def parse_args(self, *args, **options):
    parsed = super().parse_args(*args, **options)
    if getattr(parsed, "real", False) and getattr(parsed, "debian", None):
      self.error("--debian is of guests, and --real has none")
    if why := self.why_not(parsed):
      self.error(why)
    if os.environ.get(ONLY):
      sys.exit(0)
    return parsed


def whole_number(least, most=2 ** 31 - 1):
  """Numbers from least to most."""
  def parse(text):
    if not (text.isascii() and text.isdecimal() and least <= int(text[:20]) <= most):
      raise argparse.ArgumentTypeError(f"'{text}' is no whole number from {least} to {most}")
    return int(text)
  return parse


def seconds(text):
  """A number above 0."""
  try:
    value = float(text)
  except ValueError:
    value = 0
  if not 0 < value <= 3600:
    raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds from above 0 to 3600")
  return value


positive = whole_number(1)
random_seed = whole_number(0)


def several(known):
  """Names with commas between, each one of `known`, each once."""
  def parse(text):
    names = [name.strip() for name in text.split(",")]
    for name in names:
      if name not in known:
        raise argparse.ArgumentTypeError(f"'{name}' is none of {', '.join(known)}")
    return list(dict.fromkeys(names))
  return parse


def numbers(least, most):
  """Whole numbers with commas between, each once."""
  one = whole_number(least, most)
  return lambda text: list(dict.fromkeys(one(part.strip()) for part in text.split(",")))


def present(names, why_missing):
  """Of what a benchmark runs unasked, what can run here; the rest is named on stderr. why_missing(name): one line, None where it can. Where none can, all:
  then it is the benchmark that cannot run."""
  reasons = {name: why_missing(name) for name in names}
  found = [name for name in names if not reasons[name]]
  if not found:
    return list(names)
  for reason in dict.fromkeys(filter(None, reasons.values())):
    print(f"Left out, since {reason}: {', '.join(name for name in names if reasons[name] == reason)}.", file=sys.stderr)
  return found


def output_file(text):
  """Where figures can be written, found out before hours of measuring."""
  path = Path(text)
  if path.is_dir() or not path.parent.is_dir():
    raise argparse.ArgumentTypeError(f"'{text}' is no file in a directory that exists")
  if not os.access(path if path.exists() else path.parent, os.W_OK):
    raise argparse.ArgumentTypeError(f"'{text}' cannot be written")
  return path


def add_release(parser):
  parser.add_argument("--debian", choices=system.RELEASES, help="which one's kernel the guests have (default: this machine's)")


def add_guests(parser):
  """Of the benchmarks in virtual time."""
  add_release(parser)
  parser.add_argument("--again", action="store_true", help="measure also what was measured before with the same build, whose figures are kept in BUILD_DIR/bench-runs")


def figures_file(text):
  """As output_file(), where a table and a chart are written beside the figures."""
  path = output_file(text)
  if path.suffix in chart.BESIDE:
    raise argparse.ArgumentTypeError(f"it is for the figures, as JSON; {path.name} is the name of what is written beside them")
  return path
