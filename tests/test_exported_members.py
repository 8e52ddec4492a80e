"""`lve.__all__` is sorted and complete, and `import lve` imports nothing else."""

from __future__ import annotations

import runpy
from pathlib import Path

import lve

ROOT = Path(__file__).parents[1]


def test_all_is_sorted_and_importable() -> None:
    assert lve.__all__ == sorted(lve.__all__)
    for name in lve.__all__:
        assert getattr(lve, name).__doc__, f"{name} has no docstring"


def test_type_checkers_see_the_same_names() -> None:
    generated = runpy.run_path(str(ROOT / "docs" / "generate_names.py"))
    written = generated["STUB"].read_text(encoding="utf-8")
    assert written == generated["stub"](), "run `make docs`"


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(lve, "nothing_of_that_name")
