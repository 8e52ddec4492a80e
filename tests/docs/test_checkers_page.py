"""The pages about checkers describe every checker, argument and function that there is."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from lve.checkers.by_name import BUILTIN_CHECKERS, load_builtin
from lve.checkers.expression.functions import FUNCTIONS
from lve.checkers.extract.first_or_last_number import EXTRACTS

DOCS = Path(__file__).parents[2] / "docs"
PAGE, LVE, LAMBDAS = (
    (DOCS / f"{name}.md").read_text(encoding="utf-8")
    for name in ("checkers", "lve-format", "lambdas")
)


@pytest.mark.parametrize("name", BUILTIN_CHECKERS)
def test_checker_and_its_arguments_are_described(name: str) -> None:
    headings = [line for line in LVE.splitlines() if line.startswith("### ")]
    assert any(name in heading for heading in headings)
    kind = load_builtin(name)
    assert kind is not None
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if field.init:
            assert f"`{field.name}`" in LVE


def test_functions_of_lambdas_are_listed() -> None:
    listed = re.search(r"functions: `([^`]*)`", LAMBDAS)
    assert listed is not None
    assert sorted(listed[1].split()) == sorted({*FUNCTIONS, "isinstance"})


def test_extracts_are_listed() -> None:
    assert all(f"`{extract}`" in PAGE for extract in EXTRACTS)


def test_example_of_a_custom_checker_works() -> None:
    from lve.checkers.base import CheckContext
    from lve.messages import Message, Role, Transcript

    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    names: dict[str, object] = {}
    exec(code[1], names)
    checker = names["PalindromeChecker"]()  # type: ignore[operator]
    answer = Transcript((Message("anna otto bern", Role.assistant),), filled=(0,))
    assert checker.check(CheckContext((answer,))).reason == "'bern' is no palindrome"
