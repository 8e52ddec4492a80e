"""JSON is parsed like in the standard library, but more strictly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from documents.documents import JSON_VALUES, all_paths
from hypothesis import given

from lve.documents.json_text import json_places, parse_json
from lve.documents.position_types import TextError


def test_brackets_inside_texts_are_no_nesting() -> None:
    assert parse_json(json.dumps("[{" * 500)) == "[{" * 500


def test_a_pair_of_surrogate_escapes_is_one_character() -> None:
    assert parse_json('"\\ud83d\\ude00"') == "😀"


def test_a_number_with_too_many_digits_is_refused() -> None:
    with pytest.raises(TextError, match="too many digits"):
        parse_json("[" + "9" * 5000 + "]")


@given(JSON_VALUES)
def test_json_means_what_the_standard_library_says(value: Any) -> None:
    text = json.dumps(value, indent=1)
    assert parse_json(text) == value
    assert len(json_places(text)) == len(list(all_paths(value)))
