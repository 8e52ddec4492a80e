"""Functions are bounded, and few."""

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
        ("sum([[1], [2]], [])", [1, 2]),
        ("max(1, 3)", 3),
        ("math.ceil(1.2)", 2),
        ("dict([(1, 2)], a=3)", {1: 2, "a": 3}),
    ],
)
def test_values(tmp_path: Path, expression: str, value: object) -> None:
    assert value_of(tmp_path, expression) == value


@pytest.mark.parametrize(
    "expression", ['int("1" * 5000)', "sorted([1], key=2)", "dict([1])", 'f"{1:>99999}"']
)
def test_refused(tmp_path: Path, expression: str) -> None:
    with pytest.raises(NotDataError):
        value_of(tmp_path, expression)
