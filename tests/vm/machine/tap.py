# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs claims one after the other and tells each result as a line of the Test Anything Protocol as soon as it stands."""
import fnmatch
import importlib
import re
import time
import unittest

PLAN = re.compile(r"1\.\.(\d+)")
# "ok 3 - service: the unit is active (4.1 s) # SKIP why"
LINE = re.compile(r"(?P<not>not )?ok \d+ - (?P<name>.*?)(?: # SKIP (?P<reason>.*))?")


def title(test):
  """A claim as people read it: its module and its method's name."""
  words = re.sub(r"^test_(\d_)?", "", test.id().rpartition(".")[2]).replace("_", " ")
  return f"{type(test).__module__.rpartition('.')[2]}: {words}"


def claims(modules, patterns):
  """The tests of these modules in the order in which they are written; with patterns, those whose title one is found in."""
  found = []
  for name in modules:
    module = importlib.import_module(f"claims.{name}")
    for suite in unittest.defaultTestLoader.loadTestsFromModule(module):
      found += sorted(suite, key=lambda test: getattr(test, test.id().rpartition(".")[2]).__code__.co_firstlineno)
  return [test for test in found if not patterns or any(fnmatch.fnmatch(title(test), f"*{p}*") for p in patterns)]


class Result(unittest.TestResult):
  """Prints TAP, with a failure's reason as comments below it."""

  def __init__(self, say):
    super().__init__()
    self.say = say
    self.begin = 0.0
    self.failed = 0

  def startTest(self, test):
    super().startTest(test)
    self.begin = time.monotonic()

  def tell(self, word, test, more=""):
    self.say(f"{word} {self.testsRun} - {title(test)} ({time.monotonic() - self.begin:.1f} s){more}")

  def addSuccess(self, test):
    super().addSuccess(test)
    self.tell("ok", test)

  def addSkip(self, test, reason):
    super().addSkip(test, reason)
    self.tell("ok", test, f" # SKIP {reason}")

  def addError(self, test, err):
    super().addError(test, err)
    self.fail(test, self.errors[-1][1])

  def addFailure(self, test, err):
    super().addFailure(test, err)
    self.fail(test, self.failures[-1][1])

  def fail(self, test, text):
    self.failed += 1
    self.tell("not ok", test)
    for line in text.rstrip().splitlines():
      self.say(f"#   {line}")


def run(tests, say):
  """Returns how many failed."""
  say(f"1..{len(tests)}")
  result = Result(say)
  for test in tests:
    test(result)
  return result.failed
