# SPDX-License-Identifier: GPL-3.0-or-later
"""The five documents that Brio comes from, each as a benchmark: experiments(build_dir, quick) describes it."""
from . import seed000, seed001, seed002, seed003, seed004

ALL = {"000": seed000, "001": seed001, "002": seed002, "003": seed003, "004": seed004}
