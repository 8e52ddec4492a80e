"""A check whose arguments all have defaults works without any."""

from __future__ import annotations

import dataclasses

import pytest

from lve.checkers.arguments import argument_errors, build
from lve.checkers.by_name import load_builtin
from lve.spec.check_names import CHECKS


def has_defaults(kind: type) -> bool:
    missing = dataclasses.MISSING
    return all(
        field.default is not missing or field.default_factory is not missing
        for field in dataclasses.fields(kind)
    )


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_is_built_without_arguments_or_says_which_it_needs(name: str) -> None:
    kind = load_builtin(name)
    assert kind is not None
    assert (argument_errors(kind, {}) == []) is has_defaults(kind)
    if has_defaults(kind):
        build(kind, {})
