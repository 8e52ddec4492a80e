"""One value with the mistakes that models make: what each step of `Mend` adds, and where reading
stops. `tests/cases/lenient_json` has whole texts."""

from __future__ import annotations

import pytest

from lve.documents.mended_json import (
    DuplicateKeyError,
    Mend,
    MendedReader,
    NotJsonError,
    UnendedError,
)


def reader(text: str, mend: Mend = Mend.habits, *, unique_keys: bool = False) -> MendedReader:
    return MendedReader(text, mend, unique_keys=unique_keys, with_nan=False)


@pytest.mark.parametrize(
    "text",
    [
        "{a: 1}", "{'a': 1}", "{a = 1}", "{1: 2}", "[True]", "[+1]", "[.5]", "[1_000]", "[0x1f]",
        "[007]", '{"a": 1,000}', "[`a`]", '["a"b"]', "[NaN]",
    ],
)  # fmt: skip
def test_slips_have_one_meaning(text: str) -> None:
    """What is a guess is refused there, and read as a habit, except for NaN."""
    with pytest.raises(NotJsonError):
        reader(text, Mend.slips).value_at(0)
    if text != "[NaN]":
        reader(text).value_at(0)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[-1.5e+3, 0, 12,]", [-1500.0, 0, 12]),
        ("[true, false, null,]", [True, False, None]),
        ('["\\"\\/\\b\\f\\n\\r\\t\\u0041\\\\",]', ['"/\b\f\n\r\tA\\']),
        ('["\\ud83d\\ude00\\ud83d",]', ["\U0001f600\ud83d"]),
        ('["\\alpha \\_ \\$ \\u00",]', ["\\alpha _ $ \\u00"]),
        ('{"a": {}, "b": [], /* { */ # ]\n}', {"a": {}, "b": []}),
    ],
)
def test_slips_are_read(text: str, value: object) -> None:
    for mend in (Mend.slips, Mend.habits):
        assert reader(text, mend).value_at(0) == (value, len(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[+.5, -1., 1_000, 0X1F, -0x10, 1e3]", [0.5, -1.0, 1000, 31, -16, 1000.0]),
        ("{a: 1,234,567, b: 12,34: 5}", {"a": 1234567, "b": 12, "34": 5}),
        ("{a-b$: None, é: ‘x’}", {"a-b$": None, "é": "x"}),
        ("['it\\'s', `a`, “b”]", ["it's", "a", "b"]),
        ('["a" // one\n, "say "so", he said"]', ["a", 'say "so", he said']),
    ],
)
def test_habits_are_read(text: str, value: object) -> None:
    assert reader(text).value_at(0) == (value, len(text))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[1 2]", "no `,` at character 4"),
        ('{"a" 1}', "a text without"),
        ("{a 1}", "no `:` at character 4"),
        ("{:1}", "no key at character 2"),
        ("[*]", "no value at character 2"),
        ("[" + "1" * 5000 + "]", "no number at character 2"),
        ("[1 // x", "nothing at character 8"),
    ],
)
def test_where_reading_stops(text: str, problem: str) -> None:
    with pytest.raises(NotJsonError, match=problem):
        reader(text).value_at(0)


def test_the_brackets_around_a_mistake_are_remembered() -> None:
    lists = reader("[[1], [2, [3 x")
    with pytest.raises(NotJsonError):
        lists.value_at(0)
    assert lists.mistaken == {0, 6, 10}
    assert lists.value_at(1) == ([1], 4)


def test_a_key_that_occurs_twice() -> None:
    text = '{"a": 1, "a": 2,}'
    assert reader(text).value_at(0) == ({"a": 2}, len(text))
    with pytest.raises(DuplicateKeyError):
        reader(text, unique_keys=True).value_at(0)


@pytest.mark.parametrize("text", ["[", "[1", "[1,", '["a', "{", '{"a"', '{"a":', "[tru", "[[1]"])
def test_a_value_that_never_ends(text: str) -> None:
    for mend in (Mend.slips, Mend.habits):
        with pytest.raises(UnendedError):
            reader(text, mend).value_at(0)
