"""The names that placeholders may have, and the messages about other names."""

from __future__ import annotations

import pytest

from lve.prompts.fill import parse_template
from lve.prompts.messages.parameters import Parameters, is_known, unknown_name

DECLARED = Parameters(("city", "n"), answers=("first",), later_answers=("second",))


def said(text: str, parameters: Parameters) -> tuple[str, str | None] | None:
    (placeholder,) = parse_template(text).placeholders()
    return unknown_name(placeholder, parameters)


@pytest.mark.parametrize("name", ["city", "n", "first"])
def test_a_parameter_and_an_earlier_answer_are_known(name: str) -> None:
    assert is_known(name, DECLARED)
    assert said(f"{{{name}}}", DECLARED) is None


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("{ctiy}", "{ctiy} is not a declared parameter", "did you mean `city`?"),
        ("{zebra}", "{zebra} is not a declared parameter", "declare it in `prompt_parameters`"),
        ("{second}", "{second} is an answer that comes later", "only answers above"),
        ('{"k"}', '{"k"} is not a declared parameter', "this is no name: write {{ and }}"),
    ],
)
def test_another_name_is_explained(text: str, message: str, hint: str) -> None:
    found = said(text, DECLARED)
    assert found is not None
    assert found[0] == message
    assert (found[1] or "").startswith(hint)


def test_a_name_with_two_meanings_is_refused() -> None:
    both = Parameters(("x",), answers=("x",))
    assert said("{x}", both) == (
        "{x} is both a parameter and an answer above",
        "give the answer another name",
    )


def test_columns_are_called_so() -> None:
    columns = Parameters(("q",), are_columns=True)
    found = said("{zebra}", columns)
    assert found is not None
    assert found[0] == "{zebra} is no column of the data set"


def test_any_name_may_be_one_where_none_is_declared() -> None:
    assert is_known("anything", Parameters(None))
    assert not is_known('"key": 1', Parameters(None))
