"""Finds expectations that no results of a test can meet: it has fewer than must pass (`at_least:
42`), or no share is like that (`pass_rate: ">1"`)."""

from __future__ import annotations

from lve.errors import Problem
from lve.spec.spec import Spec
from lve.verdicts.counted_expectation import can_be_met
from lve.verdicts.wording import amount


def unmeetable_count(spec: Spec, results: int) -> Problem | None:
    """Return the problem of a test whose results can't meet its expectation; None if they can.

    Args:
        spec: a test that counts results.
        results: its instances times repeats.
    """
    expect = spec.expect
    if can_be_met(expect, results):
        return None
    assert spec.expect_position is not None
    if expect.number is None:
        message = f"can't be met: no share is {expect.wanted_rate}"
        hint = f"use `expect: {'pass' if expect.comparison == '>' else 'fail'}`"
    else:
        have = amount(results, "result")
        message = f"can't be met: {expect.number:,} must pass, and there are {have}"
        hint = "a share, such as `at_least: 90%`, grows with the test"
    return spec.expect_position.problem(message, hint, code="expectation")


def instances_for_count(spec: Spec, repeats: int) -> int | None:
    """Return with how many instances a test has enough results; None if no number is enough.

    Args:
        spec: a test that counts results.
        repeats: of every instance.
    """
    number = (spec.expect.number or 1) if spec.expect.comparison == ">=" else 1
    return max(1, -(-number // repeats)) if can_be_met(spec.expect, number) else None
