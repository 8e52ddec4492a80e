"""Changes that show a brittle test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lve.extensions.mutate.changes import CHANGES
from lve.extensions.mutate.flips import LONGER_NUMBER, revealing_changes, with_longer_numbers

ROOT = Path(__file__).parents[3]


def test_a_test_may_allow_every_change_and_no_other() -> None:
    schema = json.loads((ROOT / "schemas" / "test.schema.json").read_text(encoding="utf-8"))
    allowed = schema["properties"]["allow_changes"]["items"]["enum"]
    assert allowed == [*CHANGES, LONGER_NUMBER]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("^Yes", ("markdown", "think")),
        ("(?i)^yes", ("markdown", "think")),
        (r"\AYes", ("markdown", "think")),
        ("^(?:Yes|No)", ("markdown", "think")),
        ("^Answer: ", ("markdown", "think", "label")),
        ("Answer:", ("label",)),
        ("```json", ("fence_label",)),
        (r"^\d", ()),
        ("^Yes$", ()),
        ("(?m)^Yes", ()),
        ("(?im)^Answer: ", ()),
        ("Yes", ()),
    ],
)
def test_a_pattern_says_what_may_reveal_it(pattern: str, names: tuple[str, ...]) -> None:
    assert revealing_changes("regex", {"regex": pattern}) == names
    assert revealing_changes("RegexChecker", {"pattern": pattern}) == names


def test_other_checks() -> None:
    assert revealing_changes("starts_with", {"starts_with": "Yes"}) == (
        "markdown",
        "think",
        "label",
    )
    assert revealing_changes("contains", {"contains": "Yes"}) == ()
    assert "label" in revealing_changes("contains_all", {"contains_all": ["a", "b: c"]})
    assert revealing_changes("text", {"text": "a: b"}) == ()
    assert revealing_changes("not_regex", {"not_regex": "^Yes"}) == ()


@pytest.mark.parametrize(
    ("name", "sought", "text", "forms"),
    [
        ("contains", "18", "It is 18.", ["It is 187.", "It is 718."]),
        ("contains", 18, "It is 18.", ["It is 187.", "It is 718."]),
        ("contains", "{n}", "It is 18.", ["It is 187.", "It is 718."]),
        ("regex", "is 18", "It is 18.", ["It is 187.", "It is 718."]),
        ("contains", "18", "It is 18 of 20.", []),
        ("contains", "18", "It is 18.5", []),
        ("contains", "18", "It is 1,18", []),
        ("contains", "{m}", "It is 18.", []),
        ("contains", "18 m", "It is 18 m.", []),
        ("regex", "[0-9]+ of 18", "It is 18.", []),
        ("number", 18, "It is 18.", []),
    ],
)
def test_longer_numbers(name: str, sought: object, text: str, forms: list[str]) -> None:
    assert [*with_longer_numbers(name, {name: sought}, {"n": 18}, text)] == forms
