# SPDX-License-Identifier: GPL-3.0-or-later
"""The labelled corpus of `./dev bench accuracy`: what it is made of, how it is recorded, and how verdicts are held against it."""


class AccuracyError(Exception):
  """Something could not be recorded or replayed; the text says why in one line."""
