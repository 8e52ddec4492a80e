"""Every folder in tests/cases/valid is a test in a shape that occurs in the wild.

Its `expects.yaml` has what the case is about: path -> the value that lve must find there.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from spec.valid_cases import CASES, at, understood


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_a_test_is_understood(folder: Path) -> None:
    expected = yaml.safe_load((folder / "expects.yaml").read_text(encoding="utf-8"))
    found = understood(folder)
    assert {path: at(found, path) for path in expected} == expected
