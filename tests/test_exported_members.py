"""`lve.__all__` is sorted, complete, and importing it imports nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import lve


def test_all_is_sorted_and_importable() -> None:
    assert lve.__all__ == sorted(lve.__all__)
    for name in lve.__all__:
        assert getattr(lve, name).__doc__, f"{name} has no docstring"


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(str(lve.__file__)).read_text(encoding="utf-8"))
    branches = (node for node in tree.body if isinstance(node, ast.If))
    guarded = next(node for node in branches if ast.unparse(node.test) == "TYPE_CHECKING")
    imported = [alias.asname for node in guarded.body for alias in getattr(node, "names", [])]
    assert sorted(map(str, imported)) == lve.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(lve, "nothing_of_that_name")
