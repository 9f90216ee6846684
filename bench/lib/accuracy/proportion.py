# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts of what was right, with the interval that they leave open."""
import math
from dataclasses import dataclass

Z95 = 1.959964


@dataclass
class Proportion:
  """right of n."""
  right: int = 0
  n: int = 0

  def add(self, right):
    self.right += bool(right)
    self.n += 1

  def __add__(self, other):
    return Proportion(self.right + other.right, self.n + other.n)

  @property
  def value(self):
    return self.right / self.n if self.n else None

  def interval(self):
    """Wilson's, of 95 % (E. B. Wilson, Probable inference, 1927): it holds for few, and for all or none."""
    if not self.n:
      return None
    p, z2n = self.value, Z95 ** 2 / self.n
    middle = (p + z2n / 2) / (1 + z2n)
    half = Z95 * math.sqrt(p * (1 - p) / self.n + z2n / (4 * self.n)) / (1 + z2n)
    return max(0.0, middle - half), min(1.0, middle + half)

  def text(self):
    """"0.98 (49 of 50; 0.90 - 1.00)"."""
    if not self.n:
      return "-"
    low, high = self.interval()
    return f"{self.value:.2f} ({self.right} of {self.n}; {low:.2f} – {high:.2f})"

  def as_dict(self):
    return {"right": self.right, "n": self.n, "value": self.value, "interval": self.interval()}
