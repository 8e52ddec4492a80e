"""Changes that show a brittle test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lve.extensions.mutate.brittle import LONGER_NUMBER, number_changes, revealing_changes
from lve.extensions.mutate.changes import CHANGES

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
        ("contains", "18 m", "It is 18 m.", ["It is 187 m.", "It is 718 m."]),
        ("contains", "$18", "It is $18.", ["It is $187.", "It is $718."]),
        ("contains", "1,234", "It is 1,234.", ["It is 1,234,567.", "It is 71,234."]),
        ("contains", "18.5", "It is 18.5.", ["It is 18.57.", "It is 718.5."]),
        ("not_contains", "18", "18", ["187", "718"]),
        ("expression", "'18' in r", "18 m", ["187 m", "718 m"]),
        ("expression", "str(n) in r", "18 m", ["187 m", "718 m"]),
        ("expression", "n in r and len(r) < 9", "18 m", ["187 m", "718 m"]),
        ("expression", "float(r) >= 18", "18", []),
        ("expression", "'18' in", "18", []),
        ("contains", "GPT-4", "GPT-4", []),
        ("contains", "2026-11-29", "2026-11-29", []),
        ("contains", "10:30", "At 10:30.", []),
        ("any", [{"contains": "18"}, {"contains": "x"}], "18 m", ["187 m", "718 m"]),
        ("all", [{"not": {"contains": "18"}}], "18 m", ["187 m", "718 m"]),
        ("regex", "[0-9]+ of 18", "It is 18.", []),
        ("number", 18, "It is 18.", []),
    ],
)
def test_longer_numbers(name: str, sought: object, text: str, forms: list[str]) -> None:
    changes = [*number_changes(name, {name: sought}, {"n": 18}, text)]
    assert [longer for _, others in changes for longer in others] == forms
    assert not any(number in another for another, _ in changes for number in ("18", "234"))


def test_checks_inside_others_are_looked_at() -> None:
    parts = [{"starts_with": "Yes"}, {"not": {"contains": "b: c"}, "weight": 2}, {"unknown": 1}, 3]
    revealing = ("markdown", "think", "label", "fence_label")
    assert revealing_changes("any", {"any": parts}) == revealing
    assert revealing_changes("all", {"all": [{"any": parts}]}) == revealing
    assert revealing_changes("consistency", {"consistency": "text"}) == ()
