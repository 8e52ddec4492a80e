"""Rows with more columns, and longer ones, than anybody reads in a failure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


def test_a_failure_shows_a_part_of_a_wide_row(pytester: pytest.Pytester, write_test: Write) -> None:
    row: dict[str, Any] = {"country": "France", "long": "y" * 300_000}
    row |= {f"k{n}": n for n in range(20_000)}
    write_test("wide", [], dataset=[row], prompt_parameters=None, model="dummy/dummy")
    result = pytester.runpytest("repository", "-v")
    said = result.stdout.str()
    assert "country = France" in said
    assert "... and 19,952 more" in said
    assert len(said) < 50_000
