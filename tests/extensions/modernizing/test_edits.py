"""Edits of a text at the places of its keys: everything else stays as it was written."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from lve.extensions.modernizing.edits import (
    CannotEditError,
    Edit,
    Source,
    applied,
    items_of,
    pairs_of,
    text_of,
)


def composed(text: str) -> Any:
    return yaml.compose(text, yaml.SafeLoader)


def without(text: str, *gone: int, is_json: bool = False) -> str:
    """Return a mapping's text without some of its pairs."""
    return applied(text, Source(text, is_json=is_json).without(composed(text), gone))


def test_edits_are_applied_in_the_order_of_the_text() -> None:
    edits = [Edit(4, 5, "E"), Edit(0, 1, ""), Edit(2, 2, "-")]
    assert applied("abcdef", edits) == "b-cdEf"


def test_edits_of_the_same_part_are_refused() -> None:
    with pytest.raises(CannotEditError):
        applied("abc", [Edit(0, 2, ""), Edit(1, 3, "")])


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("{a: 1, b: 2, c: 3}", (0,), "{b: 2, c: 3}"),
        ("{a: 1, b: 2, c: 3}", (1,), "{a: 1, c: 3}"),
        ("{a: 1, b: 2, c: 3}", (2,), "{a: 1, b: 2}"),
        ("{a: 1, b: 2, c: 3}", (0, 2), "{b: 2}"),
        ("{a: 1, b: 2, c: 3}", (1, 2), "{a: 1}"),
        ("a: 1\nb: 2\nc: 3\n", (1,), "a: 1\nc: 3\n"),
        ("a: 1\nb: 2 # two\nc: 3\n", (0, 2), "b: 2 # two\n"),
        ("a: |\n  x\nb: 2\n", (1,), "a: |\n  x\n"),
    ],
)
def test_pairs_go_and_the_rest_stays(text: str, gone: tuple[int, ...], left: str) -> None:
    assert without(text, *gone) == left


@pytest.mark.parametrize(
    ("text", "gone"), [("{a: 1}", 0), ("a: 1 # one\nb: 2\n", 0), ("{a: 1, # one\n b: 2}", 0)]
)
def test_neither_a_comment_nor_the_last_pair_goes(text: str, gone: int) -> None:
    with pytest.raises(CannotEditError):
        without(text, gone)


def test_a_json_text_has_no_comments_and_keeps_its_commas() -> None:
    text = '{\n  "a": "x # y",\n  "b": 2\n}\n'
    assert without(text, 1, is_json=True) == '{\n  "a": "x # y"\n}\n'
    assert without(text, 0, is_json=True) == '{\n  "b": 2\n}\n'


@pytest.mark.parametrize(
    ("name", "is_json", "key"),
    [
        ("contains", False, "contains"),
        ("contains", True, '"contains"'),
        ("on", False, '"on"'),
        ("a b", False, '"a b"'),
        ("Prüfer", True, '"Prüfer"'),
    ],
)
def test_a_key_is_written_as_the_document_needs_it(name: str, is_json: bool, key: str) -> None:
    assert Source("", is_json=is_json).key(name) == key


def test_only_mappings_have_pairs_and_only_lists_items() -> None:
    mapping, items, text = composed("{a: 1}"), composed("[a]"), composed("a")
    assert [len(pairs_of(node)) for node in (mapping, items, text)] == [1, 0, 0]
    assert [len(items_of(node)) for node in (mapping, items, text)] == [0, 1, 0]
    assert [text_of(node) for node in (mapping, items, text)] == [None, None, "a"]
