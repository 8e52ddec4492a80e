"""Descriptions of the checkers that ship with lve."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import pytest

from lve.checkers import describe as describing
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


@dataclass
class Outer:
    """One of two classes of a module."""

    on: str
    """What it is on."""

    @dataclass
    class Inner:
        at: str
        """Where it is."""


def test_fields_are_described_of_inner_and_local_classes_and_their_bases() -> None:
    @dataclass
    class Local(Outer.Inner, Outer):
        on: str
        """What it is now."""

    assert describing._field_docs(Local) == {"on": "What it is now.", "at": "Where it is."}


def test_the_source_of_a_module_is_read_once_for_all_its_classes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It took three seconds to list all checkers."""
    parsed: list[str] = []
    parse = ast.parse

    def parse_and_tell(text: str) -> ast.Module:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(ast, "parse", parse_and_tell)
    describing._docs_by_class.cache_clear()
    for name in NAMES:
        describe(name)
    assert 10 < len(parsed) == len(set(parsed)) <= len(NAMES)
