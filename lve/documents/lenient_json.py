"""Finds JSON in the texts of models: alone, in a code fence or in prose, also with the mistakes
that models make. How far mistakes are mended is the caller's choice (`Mend`).

A value that never ends is no value, and what is inside it isn't either: an answer that was cut off
doesn't pass with a part of what it was to be. Nor is anything a value that is nested more than
`MAX_NESTING` levels deep, or that follows it.

The parser of the standard library reads what is JSON; `mended_json` reads what is mended.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from lve.documents.json_text import is_too_deep
from lve.documents.mended_json import (
    DuplicateKeyError,
    Mend,
    MendedReader,
    NotJsonError,
    TooDeepError,
    UnendedError,
)
from lve.documents.position_types import MAX_NESTING, TOO_DEEP
from lve.json_types import JsonValue

MAX_STARTS = 1000
"""Opening brackets at which parsing is tried."""
MAX_PASSES = 8
"""Characters that may be parsed, as a multiple of the text's length: each attempt at nested
brackets that are followed by a mistake reads up to the mistake."""
MENDING_COST = 4
"""A character that is read by `mended_json` counts as so many."""
_LABEL = r"```[ \t]*+[\w-]*+[ \t]*+\r?"
_FENCE = re.compile(rf"{_LABEL}\n(.*?)```", re.DOTALL)
_WHOLE_FENCE = re.compile(rf"{_LABEL}\n?(.*)```", re.DOTALL)
_OPENING = re.compile(r"[{\[]")


class SearchEndedError(ValueError):
    """The search for JSON ended before the end of the text."""


def json_values(
    text: str,
    mend: Mend,
    *,
    fences_first: bool = False,
    unique_keys: bool = False,
    with_nan: bool = False,
) -> Iterator[JsonValue]:
    """Yield the JSON values in a text. A text that is JSON as a whole, or in one code fence, gives
    that value alone. Otherwise, the outermost objects and lists come in the order of the text.

    Half a surrogate pair is kept. Of a key that occurs twice, the last value counts.

    Args:
        text: of a model.
        mend: which mistakes are mended.
        fences_first: whether the contents of code fences that are JSON come before all others.
        unique_keys: whether a key that occurs twice in one object is an error.
        with_nan: whether NaN and Infinity are read, which JSON doesn't have.

    Raises:
        DuplicateKeyError: an object has a key twice, and `unique_keys` is set.
        SearchEndedError: a value never ends, is nested too deeply, or there are too many brackets
            that open no value. Raised after the values before it.
    """
    text = text.strip().removeprefix("\ufeff").strip()
    decoder = _decoder(unique_keys=unique_keys, with_nan=with_nan)
    fence = _WHOLE_FENCE.fullmatch(text)
    for candidate in (text, *([fence[1]] if fence else [])):
        value = _whole(candidate, decoder)
        if value is not ...:
            yield value
            return
    fences: list[tuple[int, int]] = []
    for fence in _FENCE.finditer(text) if fences_first else ():
        value = _whole(fence[1], decoder)
        if value is not ...:
            fences.append(fence.span())
            yield value
    reader = None
    if mend > Mend.breaks:
        reader = MendedReader(text, mend, unique_keys=unique_keys, with_nan=with_nan)
    for value, _, _ in _Search(text, decoder, reader, fences):
        yield value


def json_spans(text: str, mend: Mend) -> Iterator[tuple[JsonValue, int, int]]:
    """Yield the outermost objects and lists in a text, each with its start and end. NaN is none.

    Args:
        text: of a model.
        mend: which mistakes are mended: more than `Mend.breaks`.

    Raises:
        DuplicateKeyError, SearchEndedError: as `json_values`.
    """
    reader = MendedReader(text, mend, unique_keys=True, with_nan=False)
    yield from _Search(text, _decoder(unique_keys=True, with_nan=False), reader, [])


def why_no_json(text: str) -> str:
    """Return why reading stopped at the first value of a text in which there is none."""
    if not text.strip():
        return "it is empty"
    start = _OPENING.search(text)
    try:
        _decoder(unique_keys=False, with_nan=False).decode(text[start.start() :] if start else text)
    except json.JSONDecodeError as error:
        return f"{error.msg} at line {error.lineno} column {error.colno}"
    except RecursionError:
        return TOO_DEEP
    except ValueError as error:
        return str(error)
    return TOO_DEEP


@lru_cache(maxsize=8)
def _decoder(*, unique_keys: bool, with_nan: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        strict=False,  # line breaks and tabs in texts
        parse_constant=None if with_nan else _no_constant,
        object_pairs_hook=_unique if unique_keys else None,
    )


def _no_constant(word: str) -> None:
    raise NotJsonError(f"`{word}` is not a number in JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise DuplicateKeyError
    return members


def _whole(text: str, decoder: json.JSONDecoder) -> Any:
    """Return the value of a text that is JSON; `...` if it isn't."""
    try:
        value = decoder.decode(text)
    except (ValueError, RecursionError):
        return ...
    return ... if _is_deep(text, 0, len(text), value) else value


def _is_deep(text: str, start: int, end: int, value: object) -> bool:
    brackets = text.count("[", start, end) + text.count("{", start, end)
    return brackets > MAX_NESTING and is_too_deep(value)


class _Search:
    """The outermost objects and lists in a text."""

    def __init__(
        self,
        text: str,
        decoder: json.JSONDecoder,
        reader: MendedReader | None,
        fences: Sequence[tuple[int, int]],
    ) -> None:
        """
        Args:
            text: of a model.
            decoder: reads JSON.
            reader: reads what has to be mended, if anything may be.
            fences: start and end of the parts that are left out, in order.
        """
        self._text = text
        self._decoder = decoder
        self._reader = reader
        self._fences = deque(fences)
        self._left = MAX_PASSES * len(text)
        """Characters that may still be parsed."""

    def __iter__(self) -> Iterator[tuple[JsonValue, int, int]]:
        starts, place = 0, 0
        while start := self._next_start(place):
            if self._left < 0 or starts == MAX_STARTS:
                raise SearchEndedError("it has too many brackets")
            starts += 1
            try:
                value, place = self._value_at(start.start())
            except NotJsonError:
                place = start.end()
            except UnendedError:
                raise SearchEndedError("it ends in the middle of a JSON value") from None
            except TooDeepError:
                raise SearchEndedError(
                    f"it has too many brackets: more than {MAX_NESTING} levels"
                ) from None
            else:
                yield value, start.start(), place

    def _next_start(self, place: int) -> re.Match[str] | None:
        """Return the next bracket that may open a value."""
        while start := _OPENING.search(self._text, place):
            place = start.end()
            while self._fences and self._fences[0][1] <= start.start():
                self._fences.popleft()
            if self._fences and self._fences[0][0] < start.start():
                place = self._fences[0][1]
            elif self._reader is None or start.start() not in self._reader.mistaken:
                return start
        return None

    def _value_at(self, start: int) -> tuple[Any, int]:
        """Return the value at an opening bracket, and its end.

        Raises:
            NotJsonError: there is none.
            UnendedError: the text ends before it does.
            TooDeepError: it is nested too deeply.
            DuplicateKeyError: as `json_values`.
        """
        try:
            value, end = self._decoder.raw_decode(self._text, start)
        except RecursionError:
            raise TooDeepError from None
        except ValueError as error:
            stop = self._stopped_at(error)
            self._left -= stop - start
            if stop == len(self._text):
                raise UnendedError from None
            if self._reader is None:
                raise NotJsonError from None
        else:
            if _is_deep(self._text, start, end, value):
                raise TooDeepError
            return value, end
        try:
            return self._reader.value_at(start)
        except NotJsonError:
            self._left -= MENDING_COST * (self._reader.place - start)
            raise

    def _stopped_at(self, error: ValueError) -> int:
        """Return the position at which decoding stopped."""
        if isinstance(error, json.JSONDecodeError) and not error.msg.startswith("Unterminated"):
            return min(error.pos, len(self._text))
        return len(self._text) if isinstance(error, json.JSONDecodeError) else len(self._text) - 1
