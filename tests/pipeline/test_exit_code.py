"""The worst thing that happened decides."""

from __future__ import annotations

from typing import Any

import pytest

from lve.pipeline.result import exit_code


@pytest.mark.parametrize(
    ("facts", "strict", "expected"),
    [
        ({"done": 3}, False, 0),
        ({}, False, 5),
        ({"skipped_tests": 1}, False, 0),
        ({"done": 3, "failed_tests": 1}, False, 1),
        ({"done": 3, "inconclusive_tests": 1}, False, 0),
        ({"done": 3, "inconclusive_tests": 1}, True, 4),
        ({"done": 3, "inconclusive_tests": 1, "failed_tests": 1}, True, 1),
        ({"done": 3, "errors": 1, "failed_tests": 1}, False, 3),
        ({"done": 3, "errors": 1, "invalid_tests": 1, "failed_tests": 1}, False, 2),
        ({"invalid_tests": 1}, False, 2),
        ({"done": 3, "invalid_tests": 1, "budget_reached": True}, False, 6),
        ({"budget_reached": True}, False, 6),
        ({"done": 3, "budget_reached": True, "interrupted": True, "failed_tests": 9}, True, 130),
    ],
)
def test_exit_code(facts: dict[str, Any], strict: bool, expected: int) -> None:
    assert exit_code(**facts, strict=strict) == expected
