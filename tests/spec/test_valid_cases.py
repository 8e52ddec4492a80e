"""Every folder in tests/cases/valid is a test in a shape that occurs in the wild, with what lve
must understand beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.valid_cases import understood

CASES = Path(__file__).parent.parent / "cases" / "valid"


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_a_test_is_understood(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert understood(folder) == expected
