"""Finds the JSON in a model's answer: alone, in a code fence, or in the middle of prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count

from lve.json_types import JsonValue

MAX_STARTS = 1000
"""Opening brackets at which parsing is tried."""
MAX_PASSES = 8
"""Characters that may be parsed, as a multiple of the answer's length: each attempt at nested
brackets that are never closed reads nearly the whole answer."""

MAX_CANDIDATES = 20
"""JSON values of one answer that are held against a schema."""
_FENCE = re.compile(r"```[\w-]*[ \t]*\r?\n(.*?)```", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
LENIENT = json.JSONDecoder(strict=False)
"""Accepts unescaped line breaks and tabs in strings: models forget to escape them."""


class SearchEndedError(ValueError):
    """The search for JSON was ended before the end of the text, because it took too much work."""


def json_candidates(
    text: str, decoder: json.JSONDecoder = LENIENT, *, all_or_error: bool = False
) -> Iterator[JsonValue]:
    """Yield the JSON values in an answer, the likeliest first: the whole answer, the content of
    each code fence, then every outermost object or array in the text, from left to right.

    Args:
        text: the answer.
        decoder: parses each value.
        all_or_error: whether to raise an error if the search ends before the end of the text.

    Raises:
        SearchEndedError: it does, and `all_or_error` is set.
    """
    text = text.strip().removeprefix("\ufeff")
    for candidate in (text, *_FENCE.findall(text)):
        try:
            yield decoder.decode(candidate)
        except (ValueError, RecursionError):
            continue
    yield from _embedded(text, decoder, all_or_error)


def find_json(text: str) -> JsonValue:
    """Return the likeliest JSON value of an answer.

    Raises:
        ValueError: there is none; the message says where plain parsing stopped.
    """
    for value in json_candidates(text):
        return value
    raise ValueError(f"no JSON in the answer ({_why_not_json(text)})")


def _embedded(text: str, decoder: json.JSONDecoder, all_or_error: bool) -> Iterator[JsonValue]:
    position, left = 0, MAX_PASSES * len(text)
    for number in count():
        start = _OPENING.search(text, position)
        if start is None:
            return
        if left < 0 or number == MAX_STARTS:
            if all_or_error:
                raise SearchEndedError("it has too many brackets")
            return
        try:
            value, position = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError) as error:
            left -= _stopped_at(error, text) - start.start()
            position = start.end()
        else:
            yield value


def _stopped_at(error: Exception, text: str) -> int:
    """Return the position at which decoding stopped; the end of the text if it isn't known."""
    if isinstance(error, json.JSONDecodeError) and not error.msg.startswith("Unterminated"):
        return error.pos
    return len(text)


def _why_not_json(text: str) -> str:
    if not text.strip():
        return "it is empty"
    start = _OPENING.search(text)
    try:
        LENIENT.decode(text[start.start() :] if start else text)
    except json.JSONDecodeError as error:
        return f"{error.msg} at line {error.lineno} column {error.colno}"
    except (ValueError, RecursionError) as error:
        return str(error)
    return "it can't be read"
