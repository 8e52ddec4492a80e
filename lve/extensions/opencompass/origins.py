"""Texts with the origin of each character: which template, column, example or meta template.

`Traced` is a `str`, so the same code renders a test with traced templates, rows and meta template,
and gives the same characters. `origins` then lists where they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, SupportsIndex

from lve.data_classes import dataclass
from lve.documents.position_types import JsonPath, spell_path

Span = tuple[int, "Origin"]
"""Number of consecutive characters, and their origin."""
Place = Callable[[JsonPath], "tuple[int, int] | None"]
"""Path in a document -> line and column, from 1."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where characters come from."""

    kind: str
    """`template`, `row`, `example`, `meta_template`, or `default`: added by lve itself, such as a
    newline between two messages."""
    file: str | None = None
    line: int | None = None
    path: str | None = None
    """Path in the document: `$.infer_cfg.prompt_template.template`."""
    row: int | None = None
    """Position of the row or example, from 0."""
    column: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the fields that aren't None."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in fields.items() if value is not None}


DEFAULT = Origin("default")


class Traced(str):
    """A text with the origins of its characters. Only operations that templates use keep them."""

    spans: tuple[Span, ...]

    def __new__(cls, text: str, spans: Iterable[Span] | Origin) -> Traced:
        piece = super().__new__(cls, text)
        piece.spans = _joined([(len(text), spans)] if isinstance(spans, Origin) else spans)
        return piece

    def __str__(self) -> str:
        return self

    def __deepcopy__(self, memo: object) -> Traced:
        return self

    def __add__(self, other: str) -> Traced:
        return Traced(str.__add__(self, other), (*self.spans, *spans_of(other)))

    def __radd__(self, other: str) -> Traced:
        return Traced(str.__add__(other, self), (*spans_of(other), *self.spans))

    def __getitem__(self, key: SupportsIndex | slice) -> Traced:
        text = str.__getitem__(self, key)
        if not isinstance(key, slice):
            start = range(len(self))[key]
            return Traced(text, _cut(self.spans, start, start + 1))
        start, stop, step = key.indices(len(self))
        if step != 1:
            return Traced(text, DEFAULT)
        return Traced(text, _cut(self.spans, start, max(start, stop)))

    def replace(self, old: str, new: str, count: SupportsIndex = -1) -> Traced:
        """Do the same as `str.replace`; `new` keeps its own origins."""
        if not old or old not in self:
            return self if old else Traced(str.replace(self, old, new, count), DEFAULT)
        text, spans = str.replace(self, old, new, count), list[Span]()
        left, at, own = int(count), 0, _Reader(self.spans)
        while left != 0 and (start := self.find(old, at)) >= 0:
            spans += [*own.read(start - at), *spans_of(new)]
            own.read(len(old))
            at, left = start + len(old), left - 1
        return Traced(text, [*spans, *own.read(len(self) - at)])

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[Any]:
        """Do the same as `str.split`; the pieces keep their origins."""
        pieces, at, own = [], 0, _Reader(self.spans)
        for piece in str.split(self, sep, maxsplit):
            start = self.index(piece, at)
            own.read(start - at)
            pieces.append(Traced(piece, own.read(len(piece))))
            own.read(len(sep) if sep else 0)
            at = start + len(piece) + (len(sep) if sep else 0)
        return pieces

    def removeprefix(self, prefix: str, /) -> Traced:
        """Return the text without the prefix."""
        return self[len(prefix) :] if prefix and self.startswith(prefix) else self


def traced(
    value: object, origin: Origin, keys: JsonPath = (), *, place: Place | None = None
) -> Any:
    """Return a JSON value with all its texts traced to `origin`, each with its own path and line.

    Args:
        value: the value.
        origin: of all its texts.
        keys: path of the value in its document.
        place: gives line and column of a path; None if the document has none.
    """
    if isinstance(value, Traced):
        return value
    if isinstance(value, str):
        line = (place(keys) or (None,))[0] if place is not None else None
        return Traced(value, replace(origin, path=spell_path(keys) if keys else None, line=line))
    if isinstance(value, Mapping):
        return {k: traced(v, origin, (*keys, k), place=place) for k, v in value.items()}
    if isinstance(value, list):
        return [traced(v, origin, (*keys, n), place=place) for n, v in enumerate(value)]
    return value


def traced_row(row: Mapping[str, object], origin: Origin) -> dict[str, object]:
    """Return a row with its cells as texts that are traced to their columns."""
    cells = {}
    for column, value in row.items():
        place = replace(origin, column=column)
        nested = isinstance(value, list | dict)
        cells[column] = _nested(value, place) if nested else Traced(str(value), place)
    return cells


def join(separator: str, parts: Sequence[str]) -> str:
    """Do the same as `separator.join(parts)`; the result is traced if any text is."""
    text = separator.join(parts)
    if type(separator) is str and Traced not in map(type, parts):
        return text
    between = spans_of(separator)
    spans: list[Span] = []
    for number, part in enumerate(parts):
        spans += [*(between if number else ()), *spans_of(part)]
    return Traced(text, spans)


def spans_of(text: str) -> tuple[Span, ...]:
    """Return the origins of a text; that of a plain one is `default`."""
    if isinstance(text, Traced):
        return text.spans
    return ((len(text), DEFAULT),) if text else ()


def origins(text: str) -> list[dict[str, Any]]:
    """Return the origins as `{start, end, kind, ...}`, in order and without gaps."""
    result, at = [], 0
    for length, origin in spans_of(text):
        result.append({"start": at, "end": at + length, **origin.to_json()})
        at += length
    return result


class _Reader:
    """Reads spans from the beginning, some characters at a time."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._rest = iter(spans)
        self._span: Span = (0, DEFAULT)

    def read(self, characters: int) -> list[Span]:
        """Return the spans of the next characters; fewer at the end."""
        result: list[Span] = []
        while characters > 0:
            length, origin = self._span if self._span[0] else next(self._rest, (0, DEFAULT))
            if not length:
                break
            size = min(length, characters)
            result.append((size, origin))
            self._span = (length - size, origin)
            characters -= size
        return result


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    result: list[Span] = []
    for length, origin in spans:
        if not length:
            continue
        if result and result[-1][1] == origin:
            result[-1] = (result[-1][0] + length, origin)
        else:
            result.append((length, origin))
    return tuple(result)


def _cut(spans: Iterable[Span], start: int, stop: int) -> list[Span]:
    result, at = [], 0
    for length, origin in spans:
        low, high = max(start, at), min(stop, at + length)
        if low < high:
            result.append((high - low, origin))
        at += length
    return result


def _nested(value: object, origin: Origin) -> object:
    """Return a cell that is a list or object with all its texts traced to `origin`."""
    if isinstance(value, str):
        return Traced(value, origin)
    if isinstance(value, Mapping):
        return {key: _nested(inner, origin) for key, inner in value.items()}
    return [_nested(inner, origin) for inner in value] if isinstance(value, list) else value
