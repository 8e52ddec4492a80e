"""JSON in the texts of models. `tests/cases/lenient_json/texts.json` has, for each text, the values
that three of its users get: the checks of JSON, `output_schema`, judges. Where they had a reader of
their own that gave others, it has those values (`before`) and why the new ones are right."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.documents import lenient_json
from lve.documents.lenient_json import SearchEndedError, json_values, why_no_json
from lve.documents.mended_json import DuplicateKeyError, Mend

USERS: Mapping[str, Mapping[str, Any]] = {
    "checks": {"mend": Mend.habits, "with_nan": True},
    "output_schema": {"mend": Mend.breaks, "fences_first": True},
    "judges": {"mend": Mend.slips, "unique_keys": True},
}
_TEXTS = Path(__file__).parents[1] / "cases" / "lenient_json" / "texts.json"
ROWS = json.loads(_TEXTS.read_bytes())
MEGABYTE = 1_000_000


def values_of(text: str, **options: Any) -> list[Any]:
    """Return the values in a text, and how the search ended if not at the end of the text."""
    values: list[Any] = []
    try:
        values.extend(json_values(text, **options))
    except SearchEndedError:
        values.append("<ended>")
    except DuplicateKeyError:
        values.append("<duplicate key>")
    return values


def as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: as_json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_json(inner) for inner in value]
    is_infinite = isinstance(value, float) and not math.isfinite(value)
    return f"<{value}>" if is_infinite else value


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_each_user_gets_its_values(row: Mapping[str, Any], user: str) -> None:
    values = values_of(row["text"], **USERS[user])
    assert json.dumps(as_json(values)) == json.dumps(row[user])


def test_every_change_has_a_reason() -> None:
    for row in ROWS:
        assert bool(row.get("before")) is bool(row.get("why")), row["name"]
        assert all(values != row[user] for user, values in row.get("before", {}).items())


def test_values_before_the_end_of_a_search_come_first() -> None:
    search = json_values('{"a": 1} [2, ', Mend.breaks)
    assert next(search) == {"a": 1}
    with pytest.raises(SearchEndedError, match="in the middle of a JSON value"):
        next(search)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{" * 1001, "too many brackets"),
        ("[" * 102 + "]" * 102, "too many brackets: more than 100 levels"),
        ('{"a": "x', "in the middle"),
        ('{"a": 1,', "in the middle"),
        ('{"a": tru', "in the middle"),
        ("{'a': [1], 'b':", "in the middle"),
    ],
)
def test_why_a_search_ends(text: str, message: str) -> None:
    with pytest.raises(SearchEndedError, match=message):
        list(json_values(text, Mend.habits))


def test_nan_is_read_on_demand_only() -> None:
    for mend in (Mend.slips, Mend.habits):
        assert values_of("[NaN, -Infinity,]", mend=mend) == []
        values = values_of("[NaN, -Infinity,]", mend=mend, with_nan=True)
        assert as_json(values) == [["<nan>", "<-inf>"]]


def test_a_hundred_levels_are_read() -> None:
    for mend, comma in ((Mend.breaks, ""), (Mend.slips, ",")):
        text = "[" * 100 + f"[0{comma}]" + "]" * 100  # a list in a hundred others
        (value,) = json_values(text, mend)
        for _ in range(101):
            (value,) = value
        assert value == 0


@pytest.mark.parametrize(
    "text",
    [
        "It is {a's and [b's: {\"a\": 1}",
        'Use [ to open. Then: {"a": 1}',
        '[\'tis the season] {"a": 1}',
        '["so] {"a": 1}',
        '{http://example.org} {"a": 1}',
        '[x](y) [ ] {"a": 1}',
    ],
)
def test_prose_with_brackets_and_apostrophes_hides_no_value(text: str) -> None:
    assert {"a": 1} in values_of(text, mend=Mend.habits)


def test_fences_that_came_first_do_not_come_again() -> None:
    text = 'As [0] says:\n```\n{"a": 1}\n```\nor [2]\n```\n[3,]\n```\nand\n```\n4\n``` [5]'
    values = values_of(text, mend=Mend.slips, fences_first=True)
    assert values == [{"a": 1}, 4, [0], [2], [3], [5]]


@pytest.mark.parametrize("mend", Mend)
@pytest.mark.parametrize(
    "text",
    [
        "[" * MEGABYTE,
        "{" * MEGABYTE,
        '{"a":' * (MEGABYTE // 5),
        "{a:" * (MEGABYTE // 3),
        "[" * (MEGABYTE // 2) + "]" * (MEGABYTE // 2),
        "[1," * (MEGABYTE // 3),
        "{/*" * (MEGABYTE // 3),
        "[#\n" * (MEGABYTE // 3),
        "``` " + " " * MEGABYTE,
        "[" + "1" * MEGABYTE,
        "[" + "1," * (MEGABYTE // 2),
    ],
    ids=lambda text: text[:6],
)
def test_a_hostile_megabyte_takes_a_moment(text: str, mend: Mend) -> None:
    start = time.process_time()
    values_of(text, mend=mend, fences_first=True)
    assert time.process_time() - start < 0.4  # 0.15 s on a slow machine


@pytest.mark.parametrize(
    "text",
    [
        "[" * 90 + "1," * (MEGABYTE // 20) + "x",
        "[" + '"[",' * (MEGABYTE // 40) + "x",
        "[" + "{a:'b'}," * (MEGABYTE // 80) + "x",
        '["a" b ' * (MEGABYTE // 80),
    ],
    ids=lambda text: text[:6],
)
def test_work_grows_with_the_length_alone(text: str) -> None:
    start = time.process_time()
    values_of(text, mend=Mend.habits)
    assert time.process_time() - start < 3  # 0.5 s on a slow machine; without limits, minutes


def test_a_value_after_a_mistake_in_many_brackets_is_read() -> None:
    text = "[" * 90 + "1," * 1000 + "x] " + '{"a": 1}'
    assert values_of(text, mend=Mend.habits) == [{"a": 1}]


def test_a_text_is_read_as_often_as_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"a": {"b": {"c": {"d": x [1]'
    assert values_of(text, mend=Mend.breaks) == [[1]]
    monkeypatch.setattr(lenient_json, "MAX_PASSES", 1)
    assert values_of(text, mend=Mend.breaks) == ["<ended>"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (" ", "it is empty"),
        ("none", "Expecting value at line 1 column 1"),
        ('So:\n{"a" 1}', "Expecting ':' delimiter at line 1 column 6"),
        ('{"a": NaN}', "`NaN` is not a number in JSON"),
        ("[" * 200 + "]" * 200, "nested more than 100 levels deep"),
        ("[" * 200_000, "nested more than 100 levels deep"),
    ],
)
def test_why_there_is_no_json(text: str, why: str) -> None:
    assert why_no_json(text) == why


@given(st.text(), st.sampled_from(Mend))
def test_any_text_can_be_searched(text: str, mend: Mend) -> None:
    values_of(text, mend=mend, fences_first=True, unique_keys=True)


def spelled(value: Any) -> Iterator[str]:
    """Yield the pieces of a value as a careless model writes it."""
    if isinstance(value, dict):
        yield "{ // an object\n"
        for key, inner in value.items():
            yield from (json.dumps(key), ":", *spelled(inner), ", ")
        yield "}"
    elif isinstance(value, list):
        yield "[/* a list */"
        for inner in value:
            yield from (*spelled(inner), " ,\n")
        yield "]"
    else:
        yield json.dumps(value)


SCALARS = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.none()
CONTAINERS = st.recursive(
    SCALARS | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
).filter(lambda value: isinstance(value, dict | list))


@given(CONTAINERS)
def test_what_is_written_carelessly_is_read_exactly(value: Any) -> None:
    assert values_of("x " + "".join(spelled(value)), mend=Mend.slips) == [value]


@given(before=st.text(st.characters(exclude_characters="{}[]`")), value=CONTAINERS)
def test_json_after_prose_is_read_exactly(before: str, value: Any) -> None:
    for mend in Mend:
        assert list(islice(json_values(f"x{before}{json.dumps(value)} x", mend), 2)) == [value]


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert values_of("\ufeff3", mend=Mend.habits) == [3]
