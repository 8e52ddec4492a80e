"""Expressions are computed."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.extensions.importing.opencompass.configuration import Configuration
from lve.extensions.importing.opencompass.package import Package
from lve.extensions.importing.opencompass.reading_cost import NotDataError


def value_of(folder: Path, expression: str) -> object:
    """Return the value of an expression of a configuration."""
    (folder / "own.py").write_text(f"import math\nx = {expression}\n")
    return Configuration(Package(folder), folder / "own.py").names()["x"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("[*range(2)]", [0, 1]),
        ("{1, 1}", {1}),
        ("1 if 0 else 2", 2),
        ("[a for a in (1, 2) if a > 1]", [2]),
    ],
)
def test_values(tmp_path: Path, expression: str, value: object) -> None:
    assert value_of(tmp_path, expression) == value


@pytest.mark.parametrize("expression", ["(lambda: 1)()", "1()", "{}.x"])
def test_refused(tmp_path: Path, expression: str) -> None:
    with pytest.raises(NotDataError):
        value_of(tmp_path, expression)
