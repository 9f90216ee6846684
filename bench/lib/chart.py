# SPDX-License-Identifier: GPL-3.0-or-later
"""Dot plots as SVG: a panel for each drive, program and load, a line for each alternative, seconds on a logarithmic axis.

The dot is the median, the line through it the 95 % interval, the small mark the p95; an arrow means "longer than that".
The colours follow the reader's light or dark setting; a picture made from it is light.
"""
import math
import shutil
import subprocess
from xml.sax.saxutils import escape

from . import alternatives, loads

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
DIGITS = (1, 2, 3, 5, 7)  # that get a line of the grid
TOP, LINE, BOTTOM, GAP, FOOT = 46, 22, 30, 24, 20  # heights
LEGEND = "dot: median; line: its 95 % interval; bar: p95; arrow: longer than that"
DOT, ARROW = 4.5, 8


class Axis:
  """Seconds to pixels, over a range that holds all of them."""

  def __init__(self, seconds):
    self.low = min(seconds) / 1.3
    self.high = max(max(seconds) * 1.15, self.low * 2)

  def x(self, seconds):
    return LABELS + PLOT * math.log(seconds / self.low) / math.log(self.high / self.low)

  def ticks(self):
    decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
    every = [round(digit * 10.0 ** d, 6) for d in decades for digit in DIGITS]
    return [t for t in every if self.low <= t <= self.high]


def element(name, text=None, **attributes):
  """class_ is class, x_y is x-y."""
  pairs = "".join(f' {k.rstrip("_").replace("_", "-")}="{escape(shown(v), {chr(34): "&quot;"})}"' for k, v in attributes.items())
  return f"<{name}{pairs}/>" if text is None else f"<{name}{pairs}>{escape(text)}</{name}>"


def shown(value):
  return f"{value:.1f}" if isinstance(value, float) else str(value)


def svg(groups, columns):
  """groups: (drive, program, load) → rows, as summary.groups() gives. Panels stand in that many columns. What has one row only, the idle
  drive mostly, is left out."""
  panels = [(key, rows) for key, rows in groups.items() if len(rows) > 1] or list(groups.items())
  columns = min(columns, len(panels))
  heights = [max(panel_height(rows) for _, rows in panels[i:i + columns]) + GAP for i in range(0, len(panels), columns)]
  width, height = columns * (WIDTH + GAP) + GAP, sum(heights) + GAP + FOOT
  body = [element("style", STYLE), element("rect", class_="back", width=width, height=height)]
  for i, (key, rows) in enumerate(panels):
    x, y = GAP + i % columns * (WIDTH + GAP), GAP + sum(heights[:i // columns])
    body += [f'<g transform="translate({x} {y})">', *panel(key, rows), "</g>"]
  body.append(element("text", LEGEND, class_="dim", x=GAP, y=height - GAP))
  head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
  return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, element("title", "Cold starts of programs"), *body, "</svg>"]) + "\n"


def panel_height(rows):
  return TOP + LINE * len(rows) + BOTTOM


def panel(key, rows):
  drive, program, load = key
  idle = idle_seconds(rows)
  axis = Axis([f.value for r in rows for f in (r.median, r.p95, r.interval.low, r.interval.high)] + ([idle] if idle else []))
  bottom = TOP + LINE * len(rows)
  parts = [element("text", f"{program} on {drive}: {loads.ALL[load].title}", class_="text title", x=0, y=14)]
  for tick in axis.ticks():
    x = axis.x(tick)
    parts += [element("line", class_="grid", x1=x, x2=x, y1=TOP - 6, y2=bottom),
              element("text", f"{tick:g} s", class_="dim", x=x, y=bottom + 18, text_anchor="middle")]
  if idle:
    x = axis.x(idle)
    parts += [element("line", class_="idle", x1=x, x2=x, y1=TOP - 6, y2=bottom),
              element("text", "idle drive", class_="idletext", x=x, y=TOP - 12, text_anchor="middle")]
  for i, row in enumerate(rows):
    parts += line(row, axis, TOP + LINE * i + LINE / 2)
  return parts


def idle_seconds(rows):
  """The idle drive's median, which each row knows by its ratio."""
  known = [r for r in rows if r.ratio]
  return known[0].median.value / known[0].ratio.value if known else None


def line(row, axis, y):
  kind = "brio" if row.alternative == alternatives.Brio.name else "other"
  weight = "bold" if kind == "brio" else "normal"
  parts = [element("text", row.title, class_="text", x=0, y=y + 4, font_weight=weight)]
  x = axis.x(row.median.value)
  low, high = axis.x(row.interval.low.value), axis.x(row.interval.high.value)
  parts.append(element("line", class_=f"bar {kind}", x1=low, x2=high, y1=y, y2=y))
  if row.median.exact:
    parts.append(element("circle", class_=f"mark {kind}", cx=x, cy=y, r=DOT))
  else:
    parts.append(element("path", class_=f"mark {kind}", d=f"M{x:.1f} {y - ARROW / 2} l{ARROW} {ARROW / 2} l-{ARROW} {ARROW / 2} z"))
  if row.p95.exact:
    p95 = axis.x(row.p95.value)
    parts.append(element("line", class_=f"bar {kind}", x1=p95, x2=p95, y1=y - DOT, y2=y + DOT))
  parts.append(element("text", f"{row.median} s", class_="text", x=WIDTH, y=y + 4, text_anchor="end", font_weight=weight))
  return parts


def write(path, text):
  """Writes the SVG, and beside it a PNG where a converter is installed. Returns what was written."""
  path.write_text(text)
  picture = path.with_suffix(".png")
  for converter in (["rsvg-convert", "--zoom=2", f"--output={picture}", str(path)], ["convert", "-density", "192", str(path), str(picture)]):
    if shutil.which(converter[0]) and subprocess.run(converter, capture_output=True, check=False).returncode == 0:
      return [path, picture]
  return [path]
