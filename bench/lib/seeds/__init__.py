# SPDX-License-Identifier: GPL-3.0-or-later
"""The five documents that Brio comes from, each as a benchmark: its module's experiments(build_dir, quick) describes it."""
from . import seed000, seed001, seed002, seed003, seed004

ALL = {"000": seed000, "001": seed001, "002": seed002, "003": seed003, "004": seed004}
# What a guest in virtual time has the programs for, and with how many readers 000 is run there.
VIRTUAL = ("000", "001", "002", "003")
VIRTUAL_PROCESSES = (200, 300, 500)


def experiments(args):
  """Those that a command line asks for. Virtual time is short: it need not outlast what else the machine does."""
  short = args.quick or not args.real
  found = []
  for number in args.seed:
    if number == "000":
      found += [each for processes in args.processes for each in seed000.experiments(args.build_dir, short, processes)]
    elif number == "001":
      found += [each for readers in args.readers for each in seed001.experiments(args.build_dir, short, readers)]
    else:
      found += ALL[number].experiments(args.build_dir, short)
  return found
