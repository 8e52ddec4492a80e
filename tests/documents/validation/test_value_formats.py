"""The formats of JSON Schema."""

from __future__ import annotations

import pytest

from lve.documents.validation.value_formats import FORMATS, has_format
from lve.prompts.answers.answer_format import mismatch


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", "2024-02-29", "2023-02-29"),
        ("date-time", "2026-11-27T10:00:00Z", "2026-11-27"),
        ("time", "10:00:00Z", "25:00:00Z"),
        ("duration", "P1DT2H", "a day"),
        ("email", "jo@example.org", "jo at example.org"),
        ("hostname", "example.org", "-a-.org"),
        ("ipv4", "10.0.0.1", "10.0.0.256"),
        ("ipv6", "2001:db8::1", "2001:db8:::1"),
        ("uri", "https://example.org/a?b", "example.org"),
        ("uuid", "3e4666bf-d5e5-4aa7-b8ce-cefe41c7568a", "3e4666bf"),
        ("json-pointer", "/a/0", "a/0"),
        ("regex", "^a+$", "(a"),
    ],
)
def test_a_text_has_its_format(name: str, good: str, bad: str) -> None:
    assert has_format(good, name)
    assert not has_format(bad, name)
    assert mismatch({"format": name}, good) is None
    assert mismatch({"format": name}, bad) == f"$: {bad!r} is not a {name!r}"


def test_each_format_is_held() -> None:
    held = {name for name in FORMATS if not has_format("%( \\\n", name)}
    assert held == FORMATS


def test_other_formats_and_other_values_are_accepted() -> None:
    assert has_format("x", "int32")
    assert mismatch({"format": "date"}, 5) is None
    assert mismatch({"format": "colour"}, "x") is None


def test_half_a_surrogate_pair_has_no_format() -> None:
    assert not has_format("\ud83d", "date")
