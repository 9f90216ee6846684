# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of `./dev bench events`. Each says what is missing for it, measures, and returns figures, aims and the lines to print."""
from dataclasses import dataclass, field


@dataclass
class Outcome:
  """What a part found. figures: for the JSON; lines: for people."""
  figures: dict
  aims: list = field(default_factory=list)
  lines: list = field(default_factory=list)
