# SPDX-License-Identifier: GPL-3.0-or-later
"""The five documents that Brio comes from, each as a benchmark: its module's experiments(build_dir, quick) describes it."""
import dataclasses

from . import seed000, seed001, seed002, seed003, seed004

ALL = {"000": seed000, "001": seed001, "002": seed002, "003": seed003, "004": seed004}
# What a guest in virtual time has the programs for, and with how many readers 000 is run there.
VIRTUAL = ("000", "001", "002", "003")
VIRTUAL_PROCESSES = (200, 300, 500)
NUMBERED = {"000": "processes", "001": "readers"}  # the option and the parameter that say how many


def experiments(args):
  """Those that a command line asks for. Virtual time is short: it need not outlast what else the machine does."""
  short = args.quick or not args.real
  found = []
  for number in args.seed:
    for variant in variants(number, args):
      asked = {"seed": [number], **{key: [value] for key, value in variant.items()}}
      found += [dataclasses.replace(each, asked=asked) for each in ALL[number].experiments(args.build_dir, short, **variant)]
  return found


def variants(number, args):
  """Of a seed that is run with several numbers of processes, or readers."""
  return [{NUMBERED[number]: value} for value in getattr(args, NUMBERED[number])] if number in NUMBERED else [{}]
