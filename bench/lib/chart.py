# SPDX-License-Identifier: GPL-3.0-or-later
"""Dot plots as SVG: a panel for each comparison, a line for each of what is compared.

The dot is the median, the line through it the 95 % interval, the small mark the p95; an arrow means "more than that". Figures that lie far apart
have a logarithmic axis, others one that begins at 0. The colours follow the reader's light or dark setting; a picture made from it is light.
"""
import math
import shutil
import subprocess
from dataclasses import dataclass
from xml.sax.saxutils import escape

from . import censored

STYLE = """
  .back { fill: #ffffff } .text { fill: #1e1e1e } .dim { fill: #5e5c64 } .grid { stroke: #deddda } .other { stroke: #77767b; fill: #77767b }
  .brio { stroke: #1a5fb4; fill: #1a5fb4 } .idle { stroke: #26a269; fill: #26a269 } .idletext { fill: #1b7a4e }
  text { font-family: "Adwaita Sans", Cantarell, "DejaVu Sans", sans-serif; font-size: 12px } .title { font-size: 13px; font-weight: bold }
  .grid, .idle { stroke-width: 1; fill: none } .idle { stroke-dasharray: 4 3 } .bar { stroke-width: 2; fill: none } .mark { stroke: none }
  @media (prefers-color-scheme: dark) {
    .back { fill: #1e1e1e } .text { fill: #f6f5f4 } .dim { fill: #c0bfbc } .grid { stroke: #3d3846 } .other { stroke: #9a9996; fill: #9a9996 }
    .brio { stroke: #78aeed; fill: #78aeed } .idle { stroke: #57e389; fill: none } .idletext { fill: #57e389 }
  }
"""
LABELS, PLOT, VALUES = 190, 300, 70  # widths
WIDTH = LABELS + PLOT + VALUES
DIGITS = ((1, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))  # that get a line of the grid: the first of these whose labels have room
TOP, LINE, BOTTOM, GAP, FOOT = 46, 22, 30, 24, 20  # heights
FAR_APART = 3  # times the least
TICKS = 5  # of a linear axis, about
DOT, ARROW = 4.5, 8
PALE = 0.4
CHARACTER = 8  # width of one, at most


@dataclass(frozen=True)
class Row:
  """A line of a panel. mark: a further figure, or None. ours: it is Brio's. judged: else it is pale."""
  title: str
  figure: censored.Figure
  interval: censored.Interval
  mark: censored.Figure | None
  ours: bool
  judged: bool = True

  def values(self):
    return [f.value for f in (self.figure, self.interval.low, self.interval.high, self.mark) if f]


@dataclass(frozen=True)
class Panel:
  """reference: a name and a value that all lines are held against, or None."""
  title: str
  unit: str
  rows: tuple[Row, ...]
  reference: tuple[str, float] | None = None

  def values(self):
    return [value for row in self.rows for value in row.values()] + ([self.reference[1]] if self.reference else [])


class Logarithmic:
  """Figures to pixels, over a range that holds all of them."""

  def __init__(self, values):
    self.low = min(values) / 1.3
    self.high = max(max(values) * 1.15, self.low * 2)

  def x(self, value):
    return LABELS + PLOT * math.log(value / self.low) / math.log(self.high / self.low)

  def ticks(self, unit=""):
    decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
    for digits in DIGITS:
      every = [round(digit * 10.0 ** d, 6) for d in decades for digit in digits]
      inside = [t for t in every if self.low <= t <= self.high]
      if self.has_room(inside, unit):
        break
    return inside

  def has_room(self, ticks, unit):
    """For their labels, one character apart."""
    return all(self.x(b) - self.x(a) >= CHARACTER * ((len(label(a, unit)) + len(label(b, unit))) / 2 + 1) for a, b in zip(ticks, ticks[1:]))


class Linear:
  """From 0, in steps of 1, 2 or 5."""

  def __init__(self, values):
    self.high = max(values) * 1.15 or 1.0

  def x(self, value):
    return LABELS + PLOT * value / self.high

  def ticks(self, _unit=""):
    rough = self.high / TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * digit for digit in (1, 2, 5, 10) if unit * digit >= rough)
    return [step * i for i in range(math.floor(self.high / step) + 1)]


def axis_of(values):
  return Logarithmic(values) if 0 < min(values) * FAR_APART < max(values) else Linear(values)


def element(name, text=None, **attributes):
  """class_ is class, x_y is x-y."""
  pairs = "".join(f' {k.rstrip("_").replace("_", "-")}="{escape(shown(v), {chr(34): "&quot;"})}"' for k, v in attributes.items())
  return f"<{name}{pairs}/>" if text is None else f"<{name}{pairs}>{escape(text)}</{name}>"


def shown(value):
  return f"{value:.1f}" if isinstance(value, float) else str(value)


def svg(title, panels, columns, legend):
  """Panels stand in that many columns."""
  columns = min(columns, len(panels))
  heights = [max(map(panel_height, panels[i:i + columns])) + GAP for i in range(0, len(panels), columns)]
  width, height = columns * (WIDTH + GAP) + GAP, sum(heights) + GAP + FOOT
  body = [element("style", STYLE), element("rect", class_="back", width=width, height=height)]
  for i, one in enumerate(panels):
    x, y = GAP + i % columns * (WIDTH + GAP), GAP + sum(heights[:i // columns])
    body += [f'<g transform="translate({x} {y})">', *draw_panel(one), "</g>"]
  if not all(row.judged for one in panels for row in one.rows):
    legend += "; pale: not judged, the processor was busy"
  body.append(element("text", legend, class_="dim", x=GAP, y=height - GAP))
  head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
  return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, element("title", title), *body, "</svg>"]) + "\n"


def panel_height(panel):
  return TOP + LINE * len(panel.rows) + BOTTOM


def draw_panel(panel):
  axis = axis_of(panel.values())
  bottom = TOP + LINE * len(panel.rows)
  parts = [element("text", panel.title, class_="text title", x=0, y=14)]
  for tick in axis.ticks(panel.unit):
    x = axis.x(tick)
    parts += [element("line", class_="grid", x1=x, x2=x, y1=TOP - 6, y2=bottom),
              element("text", label(tick, panel.unit), class_="dim", x=x, y=bottom + 18, text_anchor="middle")]
  if panel.reference:
    name, value = panel.reference
    x = axis.x(value)
    parts += [element("line", class_="idle", x1=x, x2=x, y1=TOP - 6, y2=bottom),
              element("text", name, class_="idletext", x=x, y=TOP - 12, text_anchor="middle")]
  for i, row in enumerate(panel.rows):
    drawn = draw_row(row, panel.unit, axis, TOP + LINE * i + LINE / 2)
    parts += drawn if row.judged else [f'<g opacity="{PALE}">', *drawn, "</g>"]
  return parts


def label(tick, unit):
  return with_unit(f"{tick:g}", unit)


def with_unit(text, unit):
  return f"{text} {unit}".rstrip()


def draw_row(row, unit, axis, y):
  kind = "brio" if row.ours else "other"
  weight = "bold" if row.ours else "normal"
  parts = [element("text", row.title, class_="text", x=0, y=y + 4, font_weight=weight)]
  x = axis.x(row.figure.value)
  low, high = axis.x(row.interval.low.value), axis.x(row.interval.high.value)
  parts.append(element("line", class_=f"bar {kind}", x1=low, x2=high, y1=y, y2=y))
  if row.figure.exact:
    parts.append(element("circle", class_=f"mark {kind}", cx=x, cy=y, r=DOT))
  else:
    parts.append(element("path", class_=f"mark {kind}", d=f"M{x:.1f} {y - ARROW / 2} l{ARROW} {ARROW / 2} l-{ARROW} {ARROW / 2} z"))
  if row.mark and row.mark.exact:
    mark = axis.x(row.mark.value)
    parts.append(element("line", class_=f"bar {kind}", x1=mark, x2=mark, y1=y - DOT, y2=y + DOT))
  parts.append(element("text", with_unit(str(row.figure), unit), class_="text", x=WIDTH, y=y + 4, text_anchor="end", font_weight=weight))
  return parts


def write(path, text):
  """Writes the SVG, and beside it a PNG where a converter is installed. Returns what was written."""
  path.write_text(text)
  picture = path.with_suffix(".png")
  for converter in (["rsvg-convert", "--zoom=2", f"--output={picture}", str(path)], ["convert", "-density", "192", str(path), str(picture)]):
    if shutil.which(converter[0]) and subprocess.run(converter, capture_output=True, check=False).returncode == 0:
      return [path, picture]
  return [path]


# Of the table, and of the chart twice.
BESIDE = (".md", ".svg", ".png")


def write_beside(output, text, title, panels, columns, legend):
  """The table and the chart lie beside the figures' file, if that is one."""
  if output.is_char_device():  # /dev/null has nothing beside it
    return
  table = output.with_suffix(BESIDE[0])
  table.write_text(text)
  pictures = write(output.with_suffix(BESIDE[1]), svg(title, panels, columns, legend)) if panels else []
  print(f"table: {table}\nchart: {', '.join(map(str, pictures))}" if pictures else f"table: {table}")
