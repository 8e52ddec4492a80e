"""What the answers of all APIs have in common: token counts, labels, lists, limits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lve.errors import PermanentModelError, TransientModelError
from lve.messages import Usage
from lve.models.chat_model import MAX_TOKEN_COUNT
from lve.models.http import answers as module
from lve.models.http.answers import (
    MAX_CALLS,
    MAX_LABEL_CHARS,
    arguments_text,
    check_calls,
    label,
    parse_models,
    parse_object,
    token_usage,
)
from lve.models.http.keys import Secret


@pytest.mark.parametrize(
    ("prompt", "completion", "parts", "usage"),
    [
        ((5,), (3,), {}, Usage(5, 3)),
        ((5, None, 2), (3, None), {"cached": 2}, Usage(7, 3, 2)),
        ((5,), (3, 2), {"reasoning": 2}, Usage(5, 5, 0, 2)),
        ((5,), (3,), {"cached": 6, "reasoning": 4}, Usage(5, 3)),
        ((5,), (3,), {"cached": None, "reasoning": "2"}, Usage(5, 3, 0, 2)),
        ((MAX_TOKEN_COUNT,), (0,), {}, Usage(MAX_TOKEN_COUNT, 0)),
        ((MAX_TOKEN_COUNT, 1), (0,), {}, None),
        ((5,), (MAX_TOKEN_COUNT, 1), {}, None),
        ((-1, 2), (3,), {}, None),
        ((5,), ("3",), {}, Usage(5, 3)),
        ((5.0,), ("3",), {}, Usage(5, 3)),
        ((5,), ("three",), {}, None),
        ((5,), ("²",), {}, None),
        ((5,), (3.5,), {}, None),
        ((5,), ("9" * 30,), {}, None),
        ((True,), (3,), {}, None),
        ((5,), (3,), {"cached": True}, Usage(5, 3)),
    ],
)
def test_token_counts(prompt: Any, completion: Any, parts: Any, usage: Usage | None) -> None:
    assert token_usage(prompt, completion, **parts) == usage


def test_what_is_no_object_is_quoted_without_the_key() -> None:
    with pytest.raises(TransientModelError, match=r"cut short: '<html>\*\*\* is wrong'"):
        parse_object(b"<html>sk-12345678 is wrong", secret=Secret("sk-12345678"))
    with pytest.raises(TransientModelError, match="a JSON object was expected, not list"):
        parse_object(b"[]")


def test_a_label_is_a_short_text() -> None:
    assert label("m" * MAX_LABEL_CHARS) == "m" * MAX_LABEL_CHARS
    assert label("m" * (MAX_LABEL_CHARS + 1)) == "m" * MAX_LABEL_CHARS + "..."
    assert label(5) is label(None) is None


def test_models_are_listed_once_in_order_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps({"data": [{"id": "b"}, {"id": "a"}, {"id": "b"}, {"id": 5}, "c"]}).encode()
    assert parse_models(body) == ["a", "b"]
    monkeypatch.setattr(module, "MAX_LISTED_MODELS", 1)
    assert parse_models(body) == ["a"]
    with pytest.raises(TransientModelError, match="a list of models was expected"):
        parse_models(b'{"data": {}}')


def test_arguments_become_json_and_what_is_none_stays() -> None:
    assert arguments_text({"city": "Zürich"}) == '{"city": "Zürich"}'
    assert arguments_text("{half") == "{half"


def test_calls_have_a_limit() -> None:
    check_calls(MAX_CALLS)
    with pytest.raises(PermanentModelError) as caught:
        check_calls(MAX_CALLS + 1)
    assert caught.value.kind == "too_many_calls"
