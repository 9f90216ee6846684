# SPDX-License-Identifier: GPL-3.0-or-later
"""A start on a line of time, as SVG: a lane for the program, with what it waits for, and one for each process that the drive served meanwhile."""
from . import chart, timeline

LABEL, WIDTH, RIGHT = 190, 900, 20
HEAD, LANE, BAR, FOOT, GAP = 64, 24, 14, 54, 2
LANES = 10  # of other processes, those that had the drive longest
BEFORE_S = 0.3  # shown of the time before the call
STYLE = """
  .queue { fill: #f6d32d } .inside { fill: #e66100 } .drive { fill: #1a5fb4 } .reads { fill: #77767b } .writes { fill: #c64600 }
  .decided { stroke: #26a269; stroke-width: 1.5; fill: none } .said { stroke: #9141ac; stroke-width: 1.5; stroke-dasharray: 3 3; fill: none }
  @media (prefers-color-scheme: dark) { .queue { fill: #e5a50a } .drive { fill: #78aeed } .reads { fill: #9a9996 } .writes { fill: #ffa348 } }
"""
KEYS = (("queue", "in the scheduler's queue"), ("inside", "in the drive's queue"), ("drive", "served"), ("reads", "others' reads"), ("writes", "writes"),
        ("decided", "decided by Brio"), ("said", "raised by bfq, with --detail"))


class Axis:
  def __init__(self, begin, end):
    self.begin, self.end = begin, end

  def x(self, at):
    return LABEL + WIDTH * (min(max(at, self.begin), self.end) - self.begin) / (self.end - self.begin)

  def seconds(self):
    step = next(s for s in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20) if (self.end - self.begin) / s <= 12)
    return [step * i for i in range(int((self.end - self.begin) / step) + 1)]


def bar(axis, y, begin, end, kind):
  """At least a hair wide."""
  x = axis.x(begin)
  return chart.element("rect", class_=kind, x=round(x, 1), y=y, width=round(max(axis.x(end) - x, 0.4), 1), height=BAR)


def others(story):
  """Process → its requests between begin and end, those first that the drive was busy with longest."""
  found = {}
  own = {timeline.name_of(bio) for wait in story.waits for bio in wait.bios}
  for one in story.log.requests:
    name = timeline.name_of(one.owner)
    if one.sectors and one.done and one.done > story.begin - BEFORE_S and one.taken < story.end and name not in own:
      found.setdefault(name, []).append(one)
  longest = sorted(found.items(), key=lambda item: -sum(r.done - r.taken for r in item[1]))
  return dict(longest[:LANES])


def marks(story, axis):
  """What is no request: a kind, its time, and words."""
  yield from (("decided", at, decision["reason"]) for at, decision in story.decisions if axis.begin <= at <= axis.end)
  yield from (("said", at, text) for at, text in timeline.telling(story.log, axis.begin, axis.end) if timeline.RAISES.search(text))


def svg(title, story):
  axis = Axis(story.begin - BEFORE_S, story.end)
  of_others = others(story)
  height = HEAD + LANE * (len(of_others) + 1) + FOOT
  body = [chart.element("style", chart.STYLE + STYLE), chart.element("rect", class_="back", width=LABEL + WIDTH + RIGHT, height=height),
          chart.element("text", title, class_="text title", x=GAP, y=18), *legend()]
  bottom = HEAD + LANE * (len(of_others) + 1)
  for second in axis.seconds():
    x = axis.x(story.begin + second)
    body += [chart.element("line", class_="grid", x1=x, x2=x, y1=HEAD - 6, y2=bottom),
             chart.element("text", f"{second:g} s", class_="dim", x=x, y=bottom + 18, text_anchor="middle")]
  body.append(chart.element("text", "the program", class_="text", x=GAP, y=HEAD + BAR - 2, font_weight="bold"))
  for kind, spans in (("queue", story.queued), ("inside", story.inside), ("drive", story.served)):
    body += [bar(axis, HEAD, a, b, kind) for a, b in spans]
  for i, (name, requests) in enumerate(of_others.items(), 1):
    y = HEAD + LANE * i
    body.append(chart.element("text", name, class_="text", x=GAP, y=y + BAR - 2))
    for writes in (False, True):
      spans = timeline.joined((r.taken, r.done) for r in requests if timeline.is_write(r.flags) == writes)
      body += [bar(axis, y, a, b, "writes" if writes else "reads") for a, b in spans]
  for kind, at, words in marks(story, axis):
    x = axis.x(at)
    body.append(f'<g><title>{chart.escape(words)}</title>{chart.element("line", class_=kind, x1=x, x2=x, y1=HEAD - 6, y2=bottom)}</g>')
  head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + WIDTH + RIGHT}" height="{height}" viewBox="0 0 {LABEL + WIDTH + RIGHT} {height}" role="img">'
  return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, chart.element("title", title), *body, "</svg>"]) + "\n"


def legend():
  x, parts = LABEL, []
  for kind, words in KEYS:
    parts += [chart.element("rect", class_=kind, x=x, y=30, width=10, height=10), chart.element("text", words, class_="dim", x=x + 14, y=39)]
    x += 30 + 6.4 * len(words)
  return parts
