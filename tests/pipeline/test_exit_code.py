"""The worst thing that happened decides."""

from __future__ import annotations

import pytest

from lve.pipeline.exit_code import SessionFacts, exit_code


@pytest.mark.parametrize(
    ("facts", "strict", "expected"),
    [
        (SessionFacts(done=3), False, 0),
        (SessionFacts(), False, 5),
        (SessionFacts(skipped_tests=1), False, 0),
        (SessionFacts(done=3, failed_tests=1), False, 1),
        (SessionFacts(done=3, inconclusive_tests=1), False, 0),
        (SessionFacts(done=3, inconclusive_tests=1), True, 4),
        (SessionFacts(done=3, inconclusive_tests=1, failed_tests=1), True, 1),
        (SessionFacts(done=3, errors=1, failed_tests=1), False, 3),
        (SessionFacts(done=3, errors=1, invalid_tests=1, failed_tests=1), False, 2),
        (SessionFacts(invalid_tests=1), False, 2),
        (SessionFacts(done=3, invalid_tests=1, budget_reached=True), False, 6),
        (SessionFacts(budget_reached=True), False, 6),
        (SessionFacts(done=3, budget_reached=True, interrupted=True, failed_tests=9), True, 130),
    ],
)
def test_exit_code(facts: SessionFacts, strict: bool, expected: int) -> None:
    assert exit_code(facts, strict=strict) == expected
