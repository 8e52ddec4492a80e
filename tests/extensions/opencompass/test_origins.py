"""Traced texts behave like other texts and keep the origins of their characters."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lve.extensions.opencompass.origins import (
    Origin,
    Traced,
    join,
    origins,
    spans_of,
    traced,
    traced_row,
)

A, B = Origin("template"), Origin("row", row=1)
pieces = st.lists(st.tuples(st.text("ab{}", max_size=4), st.sampled_from([A, B])), max_size=5)


def made(parts: list[tuple[str, Origin]]) -> Traced:
    spans = [(len(text), origin) for text, origin in parts]
    return Traced("".join(text for text, _ in parts), spans)


def shown(text: str) -> str:
    """Return `t`, `r` or `-` (default) for the origin of each character."""
    letters = {"template": "t", "row": "r", "default": "-"}
    return "".join(letters[origin.kind] * length for length, origin in spans_of(text))


ONE = made([("ab", A), ("cd", B)])


def test_adding_keeps_both_origins() -> None:
    assert (ONE + "x", shown(ONE + "x")) == ("abcdx", "ttrr-")
    assert ("x" + ONE, shown("x" + ONE)) == ("xabcd", "-ttrr")
    assert shown(ONE + ONE) == "ttrrttrr"


def test_a_slice_has_the_origins_of_its_characters() -> None:
    assert [shown(ONE[n]) for n in (0, 1, 2, -1)] == ["t", "t", "r", "r"]
    assert [shown(ONE[1:3]), shown(ONE[:0]), shown(ONE[3:1])] == ["tr", "", ""]
    assert (ONE[::-1], shown(ONE[::-1])) == ("dcba", "----")


def test_what_is_put_in_keeps_its_own_origin() -> None:
    fill = Traced("xyz", B)
    filled = made([("a{q}b", A)]).replace("{q}", fill)
    assert (filled, shown(filled)) == ("axyzb", "trrrt")
    assert shown(ONE.replace("b", "")) == "trr"
    assert shown(made([("{q}{q}", A)]).replace("{q}", fill, 1)) == "rrrttt"
    assert ONE.replace("none", "x") is ONE


@given(pieces, st.text("ab{}", max_size=2), st.text("ab", max_size=3), st.integers(-1, 3))
def test_replacing_gives_what_a_text_gives(
    parts: list[tuple[str, Origin]], old: str, new: str, count: int
) -> None:
    text = made(parts)
    result = text.replace(old, new, count)
    assert str.__eq__(result, str.replace(str.__str__(text), old, new, count))
    assert sum(length for length, _ in result.spans) == len(result)


@given(pieces, st.text("ab{}", min_size=1, max_size=2), st.integers(-1, 3))
def test_splitting_gives_what_a_text_gives(
    parts: list[tuple[str, Origin]], sep: str, most: int
) -> None:
    text = made(parts)
    found = text.split(sep, most)
    assert found == str.split(text, sep, most)
    assert [sum(length for length, _ in piece.spans) for piece in found] == [*map(len, found)]


@given(pieces, st.integers(-6, 25), st.integers(-6, 25))
def test_cutting_gives_what_a_text_gives(
    parts: list[tuple[str, Origin]], start: int, stop: int
) -> None:
    text = made(parts)
    assert text[start:stop] == str.__str__(text)[start:stop]
    assert shown(text[start:stop]) == shown(text)[start:stop]


def test_joined_texts_are_traced_if_any_is() -> None:
    assert type(join("-", ["a", "b"])) is str
    assert shown(join("-", ["x", ONE, ONE[:1]])) == "--ttrr-t"
    assert shown(join(ONE[:1], ["x", "y"])) == "-t-"


def test_a_prefix_is_taken_away() -> None:
    assert shown(ONE.removeprefix("ab")) == "rr"
    assert ONE.removeprefix("x") is ONE
    assert ONE.removeprefix("") is ONE


def test_copies_and_str_are_the_text_itself() -> None:
    assert str(ONE) is ONE
    assert copy.deepcopy([ONE])[0] is ONE


def test_origins_have_no_gaps() -> None:
    assert origins("x" + ONE) == [
        {"start": 0, "end": 1, "kind": "default"},
        {"start": 1, "end": 3, "kind": "template"},
        {"start": 3, "end": 5, "kind": "row", "row": 1},
    ]
    assert origins("") == []


def test_every_text_of_a_document_knows_its_path() -> None:
    value: Any = {"a": ["x", {"b": "y"}], "n": 5, "t": ONE}
    found = traced(value, A, ("root",), place=lambda keys: (len(keys), 1))
    assert found == value
    assert found["a"][1]["b"].spans[0][1] == Origin("template", path="$.root.a[1].b", line=4)
    assert found["t"] is ONE
    assert traced("x", A).spans == ((1, A),)


def test_cells_of_a_row_know_their_column() -> None:
    row = traced_row({"q": "x", "n": 5, "l": ["a", 1]}, Origin("row", row=3))
    assert (row["q"], row["n"]) == ("x", "5")
    assert row["n"].spans[0][1] == Origin("row", row=3, column="n")
    assert str(row["l"]) == "['a', 1]"


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    )
)
def test_a_cell_with_parts_is_the_same_and_all_its_texts_are_traced(cell: Any) -> None:
    row: Any = traced_row({"c": [cell, {"k": cell}]}, Origin("row", row=3))
    assert row == {"c": [cell, {"k": cell}]}
    assert {type(text) for text in texts_in(row["c"])} <= {Traced}


def texts_in(value: object) -> list[str]:
    """Return the texts of a value, but for keys."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [value] if isinstance(value, str) else []
    return own + [text for part in inner for text in texts_in(part)]
