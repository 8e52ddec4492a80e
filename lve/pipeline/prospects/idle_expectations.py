"""Finds expectations that probably don't say what their author means: no results of the test can
fail them (`at_least: 0`), or a number that looks like a share (`at_least: 1`)."""

from __future__ import annotations

from collections.abc import Iterator

from lve.errors import Problem
from lve.options.run_options import DEFAULTS
from lve.pipeline.choosing.repeats import repeats_of
from lve.plurals import amount
from lve.settings.settings import Settings
from lve.spec.spec import Expectation, Spec
from lve.verdicts.expectations.counted_expectation import always_met
from lve.verdicts.expectations.sample_size import higher_is_better


def idle_expectation(spec: Spec, instances: int, settings: Settings) -> Iterator[Problem]:
    """Yield warnings about a test's expectation.

    Args:
        spec: the test.
        instances: of the test, or at least `rows_to_tell` of them.
        settings: the workspace's settings.
    """
    expect, position = spec.expect, spec.expect_position
    if expect.kind != "rate" or position is None or not instances:
        return
    results, key = instances * repeats_of(spec, DEFAULTS, settings), _key(expect)
    message = None
    if expect.comparison == "<=" and (expect.number or 0) >= results:
        message = f"tells nothing: there are {amount(results, 'result')}, so no more can pass"
        hint = "a share, such as `at_most: 10%`, grows with the test"
    elif always_met(expect, results):
        worst = "no result passes" if higher_is_better(expect) else "all results pass"
        message = f"can't fail: it is met even if {worst}"
        hint = "choose a bound that some results don't meet"
    elif expect.number == 1 and expect.comparison == ">=" and results > 1:
        message = "1 is one result, whatever the number of rows"
        hint = "1.0 or 100% is every result"
    if message is not None:
        where = position.below((key,))
        yield where.problem(message, hint, severity="warning", code="suspicious")
    if expect.max_errors >= results:
        message = f"every result may be an error: there are {amount(results, 'result')}"
        where = position.below(("max_errors",))
        hint = "allow fewer errors than results"
        yield where.problem(message, hint, severity="warning", code="suspicious")


def rows_to_tell(spec: Spec, settings: Settings) -> int:
    """Return with how many instances it is certain whether `idle_expectation` has a warning."""
    if spec.expect.kind != "rate":
        return 0
    results = max(spec.expect.number or 0, spec.expect.max_errors) + 1
    return -(-results // repeats_of(spec, DEFAULTS, settings))


def _key(expect: Expectation) -> str:
    """Return the key of the document that has the bound."""
    if expect.claim != "results":
        return "pass_rate"
    return "at_least" if higher_is_better(expect) else "at_most"
