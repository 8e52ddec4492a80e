"""The worst thing that happened decides."""

from __future__ import annotations

from typing import Any

import pytest

from lve.exit_code import exit_code_of


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"done": 3}, 0),
        ({}, 5),
        ({"skipped_tests": 1}, 0),
        ({"done": 3, "failed_tests": 1}, 1),
        ({"done": 3, "inconclusive_tests": 1}, 4),
        ({"inconclusive_tests": 1}, 5),
        ({"done": 3, "inconclusive_tests": 1, "failed_tests": 1}, 1),
        ({"done": 3, "errors": 1, "failed_tests": 1}, 3),
        ({"done": 3, "errors": 1, "invalid_tests": 1, "failed_tests": 1}, 2),
        ({"invalid_tests": 1}, 2),
        ({"done": 3, "invalid_tests": 1, "budget_reached": True}, 6),
        ({"budget_reached": True}, 6),
        ({"done": 3, "budget_reached": True, "interrupted": True, "failed_tests": 9}, 130),
    ],
)
def test_exit_code(facts: dict[str, Any], expected: int) -> None:
    assert exit_code_of(**facts) == expected
