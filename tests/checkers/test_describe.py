"""Descriptions of the checkers that ship with lve."""

from __future__ import annotations

import pytest

from lve.checkers.describe import NAMES, describe


@pytest.mark.parametrize("name", NAMES)
def test_each_checker_and_argument_is_described(name: str) -> None:
    found = describe(name)
    assert found is not None
    assert found.name == name
    assert found.summary.endswith(".")
    assert [argument.name for argument in found.arguments if not argument.kind] == []
    if found.is_check:
        assert [argument.name for argument in found.arguments if not argument.description] == []


def test_defaults_and_tiers() -> None:
    contains, expression = describe("contains"), describe("expression")
    assert contains is not None
    assert expression is not None
    assert [argument.default for argument in contains.arguments] == [..., False]
    assert (contains.tier, expression.tier) == ("data", "expr")


def test_an_unknown_name_has_none() -> None:
    assert describe("nope") is None
