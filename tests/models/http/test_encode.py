"""Bodies of requests."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from lve.errors import PermanentModelError
from lve.models.http.encode import encode

CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


def test_a_body_is_compact_ascii() -> None:
    assert encode({"a": ["ä", "\ud800", 1.5, None]}) == rb'{"a":["\u00e4","\ud800",1.5,null]}'


@pytest.mark.parametrize("value", [float("nan"), datetime.date(2026, 1, 2), CIRCLE])
def test_what_json_does_not_have_is_an_error_of_the_request(value: object) -> None:
    with pytest.raises(PermanentModelError, match="a model arg can't be sent as JSON") as caught:
        encode({"temperature": value})
    assert caught.value.kind == "bad_request"
