"""Every folder in tests/cases/invalid is an invalid test, with the expected messages beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from spec.invalid_cases import problem_lines

CASES = Path(__file__).parent.parent / "cases" / "invalid"


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_a_broken_test_is_explained(folder: Path) -> None:
    expected = (folder / "expected.txt").read_text(encoding="utf-8").splitlines()
    assert expected, "a broken test must say what is wrong"
    assert problem_lines(folder) == expected
