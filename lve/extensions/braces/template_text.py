"""Texts whose placeholders have two braces: Jinja files, and prompts with `braces: double`.

They become texts with lve's own placeholders, so that one thing fills all prompts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lve.documents.position_types import LineIndex
from lve.errors import Problem, SpecError
from lve.escape import excerpt
from lve.limits.problems import first_problems
from lve.named_tuples import NamedTuple
from lve.prompts.fill_texts import as_literal
from lve.spec.simulated_user import KEY

_DOUBLE = re.compile(r'\{{4}([^{}\n"]*)\}{4}|\{\{([^{}\n"]*)\}\}|[{}]|[^{}]+')
_OPENING = re.compile(r"\{\{|\{%|\{#")
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}"}
_PLAIN = re.compile(r"[{}]|[^{}]+")
_NAME = re.compile(r"\s*([^\W\d]\w*)\s*")
_HINT = "lve runs no logic of templates: write it without, or test the application that fills it"
_REASONS = {
    "{%": "is logic of the template",
    "|": "has a filter",
    ".": "looks into a value",
    "[": "looks into a value",
    "-": "trims the space around it",
}


class Piece(NamedTuple):
    """A part of a template."""

    start: int
    """Its offset in the original text, in characters."""
    text: str
    """The part with lve's placeholders."""


class Template(NamedTuple):
    """A text with lve's placeholders, and what it was made from."""

    text: str
    original: str
    starts: tuple[int, ...]
    """The offset in `text` of each part."""
    original_starts: tuple[int, ...]
    """Its offset in `original`."""

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column in the original, from 1, of an offset in `text`."""
        part = max(bisect_right(self.starts, offset) - 1, 0)
        inside = offset - self.starts[part] if self.starts else 0
        at = (self.original_starts[part] if self.starts else 0) + inside
        return LineIndex(self.original).place(at)


def from_double_braces(text: str, file: Path | None = None) -> Template:
    """Return a text in which `{{name}}` is a placeholder, single braces are literal, and
    `{{{{name}}}}` stands for a literal `{{name}}`. (Its file doesn't matter.)"""
    return _template(text, (_double(match) for match in _DOUBLE.finditer(text)))


def single_braces(text: str) -> str:
    """Return the text of `from_double_braces`."""
    return from_double_braces(text).text if "{" in text or "}" in text else text


def document_with_single_braces(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a test document with `braces: double` with lve's own placeholders in its mocks and in
    the instructions of its simulated user. (`lve.prompts` does the same with the messages.)"""
    changed = dict(data)
    if isinstance(data.get("mocks"), dict):
        changed["mocks"] = _texts_changed(data["mocks"])
    if isinstance(data.get(KEY), dict):
        instructions = single_braces(data[KEY]["instructions"])
        changed[KEY] = {**data[KEY], "instructions": instructions}
    return changed


def _texts_changed(value: Any) -> Any:
    if isinstance(value, str):
        return single_braces(value)
    if isinstance(value, dict):
        return {key: _texts_changed(inner) for key, inner in value.items()}
    return [_texts_changed(inner) for inner in value] if isinstance(value, list) else value


def from_jinja(text: str, file: Path) -> Template:
    """Return the text of a Jinja template that only has `{{ name }}` and comments.

    Args:
        text: the template. As in Jinja, a line end at its end is dropped.
        file: path of the file, for error messages.

    Raises:
        SpecError: it has logic, filters or the like; has all problems, with their lines.
    """
    problems: list[Problem] = []
    pieces = list(_jinja(text.removesuffix("\n"), file, problems))
    if problems:
        raise SpecError(first_problems(problems))
    return _template(text, iter(pieces))


def _template(original: str, pieces: Iterator[Piece]) -> Template:
    texts, starts, original_starts, length = list[str](), list[int](), list[int](), 0
    for piece in pieces:
        texts.append(piece.text)
        starts.append(length)
        original_starts.append(piece.start)
        length += len(piece.text)
    return Template("".join(texts), original, tuple(starts), tuple(original_starts))


def _double(match: re.Match[str]) -> Piece:
    literal, name = match.groups()
    if literal is not None:
        return Piece(match.start(), as_literal(f"{{{{{literal}}}}}"))
    is_placeholder = name is not None and name.strip()
    return Piece(match.start(), f"{{{name.strip()}}}" if is_placeholder else as_literal(match[0]))


def _jinja(text: str, file: Path, problems: list[Problem]) -> Iterator[Piece]:
    lines, at = LineIndex(text), 0
    while match := _OPENING.search(text, at):
        yield from _literal(text, at, match.start())
        end = text.find(_CLOSING[match[0]], match.end())
        if end < 0:
            message = f"`{match[0]}` is never closed"
            problems.append(_problem(message, file, lines.place(match.start())))
            return
        inner, at = text[match.end() : end], end + 2
        name = _NAME.fullmatch(inner) if match[0] == "{{" else None
        if name is not None:
            yield Piece(match.start(), f"{{{name[1]}}}")
        elif match[0] != "{#":
            message = f"`{excerpt(text[match.start() : at])}` {_why_refused(match[0], inner)}"
            problems.append(_problem(message, file, lines.place(match.start())))
    yield from _literal(text, at, len(text))


def _literal(text: str, start: int, end: int) -> Iterator[Piece]:
    for match in _PLAIN.finditer(text, start, end):
        yield Piece(match.start(), as_literal(match[0]))


def _why_refused(opening: str, inner: str) -> str:
    marks = (opening, *(mark for mark in "-|.[" if mark in inner))
    return next((_REASONS[mark] for mark in marks if mark in _REASONS), "is no name")


def _problem(message: str, file: Path, place: tuple[int, int]) -> Problem:
    return Problem(message, file, *place, hint=_HINT, code="template_logic")
