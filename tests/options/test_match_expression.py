"""The expressions of `-k`."""

from __future__ import annotations

import pytest

from lve.options.match_expression import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    ExpressionError,
    parse_expression,
)

KNOWN = {"yes": True, "no": False}


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("yes", True),
        ("no", False),
        ("YES and not NO", True),
        ("not yes", False),
        ("not not yes", True),
        ("yes or no and no", True),
        ("(yes or no) and no", False),
        ("not (no or no)", True),
        ("not no and no", False),
        ("yes and(no or'yes')", True),
        ('"yes"', True),
        # What isn't known only matters where it decides.
        ("open", None),
        ("not open", None),
        ("open and no", False),
        ("open and yes", None),
        ("yes or open", True),
        ("open or no", None),
        # Quoted, a joining word is a word.
        ("'and'", None),
        ("'two words' or yes", True),
    ],
)
def test_what_an_expression_says(expression: str, answer: bool | None) -> None:
    assert parse_expression(expression)(KNOWN.get) is answer


def test_words_are_handed_on_in_lower_case() -> None:
    seen: list[str] = []

    def has_word(word: str) -> bool:
        seen.append(word)
        return False

    parse_expression("name=Ana or 'Ana María' or a/b-c.d[1]")(has_word)
    assert seen == ["name=ana", "ana maría", "a/b-c.d[1]"]


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("", "ends where a word should come"),
        ("a and", "ends where a word should come"),
        ("a b", "has 'b' at character 3, not and, or, or the end"),
        ("(a", "ends where ')' should come"),
        ("a)", "has ')' at character 2, not and, or, or the end"),
        ("or a", "has 'or' at character 1, not a word"),
        ("a and or", "has 'or' at character 7, not a word"),
        ("a and 'b", "has a quote at character 7 that isn't closed"),
        ("a or ''", "has an empty word at character 6"),
        ("a" * (MAX_CHARACTERS + 1), "has more than 1,000 characters"),
        ("(" * (MAX_DEPTH + 2), f"is nested more than {MAX_DEPTH} levels deep"),
        ("not " * (MAX_DEPTH + 2) + "a", f"is nested more than {MAX_DEPTH} levels deep"),
    ],
)
def test_what_is_no_expression_says_where(expression: str, told: str) -> None:
    with pytest.raises(ExpressionError) as error:
        parse_expression(expression)
    assert str(error.value).endswith(f": it {told}")


def test_an_expression_may_be_as_deep_as_is_said() -> None:
    assert parse_expression("(" * MAX_DEPTH + "yes" + ")" * MAX_DEPTH)(KNOWN.get) is True
