"""Finds expectations that want more results to pass than a test has (`at_least: 42`)."""

from __future__ import annotations

from lve.errors import Problem
from lve.spec.model import Spec
from lve.verdicts.wording import amount


def unmeetable_count(spec: Spec, results: int) -> Problem | None:
    """Return the problem of a test that wants more results to pass than it has; None if it doesn't.

    Args:
        spec: a test that counts results.
        results: its instances times repeats.
    """
    expect = spec.expect
    if expect.comparison == "<=" or expect.number is None or expect.number <= results:
        return None
    assert spec.expect_position is not None
    message = (
        f"can't be met: {expect.number:,} must pass, and there are {amount(results, 'result')}"
    )
    hint = "a share, such as `at_least: 0.9`, grows with the test"
    return spec.expect_position.problem(message, hint, code="expectation")


def instances_for_count(spec: Spec, repeats: int) -> int:
    """Return with how many instances a test has enough results.

    Args:
        spec: a test that counts results.
        repeats: of every instance.
    """
    wanted = spec.expect.number if spec.expect.comparison == ">=" else None
    return max(1, -(-(wanted or 1) // repeats))
