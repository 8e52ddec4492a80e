"""Reads prompts from the test document or from a `.prompt` file, with the positions of messages.

A file is plain text, one JSON message, or one JSON message per line (docs/prompts.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

from lve.documents.json_text import json_places, parse_json
from lve.documents.position_types import JsonPath, LineIndex, Position, TextError, spell_path
from lve.documents.read import DocumentPosition, read_text
from lve.documents.schema import complaints_about
from lve.effort_limit import checkpoint
from lve.errors import Problem, SpecError
from lve.files.inside import DOCUMENT_BYTES
from lve.messages import FILE_KINDS, Message
from lve.named_tuples import NamedTuple
from lve.problem_limits import first_problems
from lve.spec.rules import PLACEHOLDER
from lve.spec.spec import PromptSource
from lve.workspace import display_path

MAX_TRIED = 100
"""Parts of a message among which the one that names a file is looked for."""
_ARRAY_HINT = "write one JSON object per line, without brackets and commas around them"
_NO_JSON = object()


class Snippet(NamedTuple):
    """A JSON object in a prompt file: one line of it, or all of it."""

    text: str
    line: int
    """Line of the file where it begins, from 1."""

    def place(self, path: JsonPath) -> tuple[int, int]:
        """Return line and column of a value in the file, from 1."""
        line, column = json_places(self.text).of(path) or (1, 1)
        return self.line + line - 1, column

    def place_of(self, field: str, part: str) -> tuple[int, int]:
        """Return line and column of `part` in a field's value; those of the value if `part` isn't
        found, because it is written with escapes."""
        line, column = self.place((field,))
        lines = LineIndex(self.text)
        for match in re.finditer(re.escape(part), self.text):
            match_place = lines.place(match.start())
            if (self.line + match_place[0] - 1, match_place[1]) >= (line, column):
                return self.line + match_place[0] - 1, match_place[1]
        return line, column


class ParsedPrompt(NamedTuple):
    """The messages of a prompt file and their positions."""

    file: Path
    messages: tuple[Message, ...]
    snippets: tuple[Snippet, ...]
    """One per message; the whole file for plain text."""
    is_text: bool
    """Whether the file is plain text."""

    def position(self, index: int, field: str, *, part: str, offset: int) -> Position:
        """Return the position of a part of a message's field.

        Args:
            index: of the message.
            field: `content` or `image_url`.
            part: the text to find, as in the value.
            offset: of `part` in the value, in characters.
        """
        snippet = self.snippets[index]
        if self.is_text:
            place = LineIndex(snippet.text).place(offset)
        else:
            place = snippet.place_of(field, part)
        return Position(self.file, *place)


def read_prompt_file(path: Path, *, folder: Path) -> ParsedPrompt:
    """Read a prompt file of at most 1 MB, UTF-8.

    Args:
        path: of the file.
        folder: that the file must be in, after links are followed.

    Raises:
        SpecError: it can't be read, or is not a prompt file.
    """
    hint = "is this really a prompt?"
    text = read_text(path, folder=folder, max_bytes=DOCUMENT_BYTES, hint=hint)
    return parse_prompt_file(text, display_path(path))


def parse_prompt_file(text: str, file: Path) -> ParsedPrompt:
    """Parse the text of a prompt file.

    Args:
        text: the content, with any line ends, and with or without a byte order mark.
        file: path of the file, for error messages.

    Raises:
        SpecError: it isn't filled in, is a list, mixes messages and text, or has invalid messages;
            has all problems.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if text.strip() in ("", PLACEHOLDER):
        message = "the prompt has not been filled in"
        raise SpecError(
            [Problem(message, file, hint="write the prompt into this file", code="prompt_file")]
        )
    snippets = _snippets(text, file)
    if snippets is None:
        return ParsedPrompt(file, (Message(text),), (Snippet(text, 1),), is_text=True)
    problems = first_problems(
        problem for snippet in snippets for problem in _problems(snippet, file)
    )
    if problems:
        raise SpecError(problems)
    messages = tuple(Message.from_json(json.loads(snippet.text)) for snippet in snippets)
    return ParsedPrompt(file, messages, tuple(snippets), is_text=False)


def _snippets(text: str, file: Path) -> Sequence[Snippet] | None:
    """Return the messages of a file as JSON objects; None if the file is plain text."""
    whole = _parsed(text)
    if isinstance(whole, dict):
        return [Snippet(text, 1)]
    if isinstance(whole, list):
        raise SpecError(
            [
                Problem(
                    "the prompt is a JSON array", file, 1, 1, hint=_ARRAY_HINT, code="prompt_file"
                )
            ]
        )
    lines = [Snippet(t, n) for n, t in enumerate(text.split("\n"), 1) if t.strip()]
    values = [_parsed(line.text) for line in lines]
    objects = [isinstance(value, dict) for value in values]
    if all(objects):
        return lines
    if any(objects):
        raise SpecError([_mixed(lines[objects.index(False)], lines[objects.index(True)], file)])
    if all(isinstance(value, list) for value in values):
        raise SpecError(
            [
                Problem(
                    "a line is a JSON array",
                    file,
                    lines[0].line,
                    1,
                    hint=_ARRAY_HINT,
                    code="prompt_file",
                )
            ]
        )
    return None


def _parsed(text: str) -> object:
    # Most prompts are prose: don't parse a line that can't be an object.
    if text.lstrip()[:1] not in ("{", "["):
        return _NO_JSON
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NO_JSON


def _mixed(other: Snippet, message: Snippet, file: Path) -> Problem:
    reason = _why_no_object(other.text)
    return Problem(
        f"line {message.line} is a JSON message, but line {other.line} is not{reason}",
        file,
        other.line,
        1,
        hint="a prompt file is either all text or has one JSON object per line; in a text, write "
        "{{ and }} for braces that are meant literally",
        code="prompt_file",
    )


def _why_no_object(line: str) -> str:
    if not line.lstrip().startswith("{"):
        return ""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return f" ({error.msg} in column {error.colno})"
    except (ValueError, RecursionError):
        return ""
    return ""


def _problems(snippet: Snippet, file: Path) -> list[Problem]:
    checkpoint("validating its prompt file")
    try:
        data = parse_json(snippet.text)
    except TextError as error:  # duplicate keys, NaN, half a surrogate pair, nested too deeply
        return [
            Problem(f.message, file, snippet.line + f.line - 1, f.column, hint=f.hint, code=f.code)
            for f in error.findings
        ]
    complaints, more = complaints_about(data, "test/message")
    problems = [
        Problem(c.message, file, *snippet.place(c.path), _spelt(c.path), c.hint, code=c.code)
        for c in complaints
    ]
    return first_problems(problems, more, file)


def _spelt(path: JsonPath) -> str | None:
    return spell_path(path) if path else None


class PromptText(NamedTuple):
    """The messages of a prompt and their positions, for error messages."""

    source: PromptSource
    messages: tuple[Message, ...]
    parsed: ParsedPrompt | None = None
    """The prompt file, if the messages come from one."""

    def position(
        self, index: int, field: str | None = None, *, part: str = "", offset: int = 0
    ) -> Position:
        """Return the position of a message, or of a part of one of its fields.

        Args:
            index: of the message.
            field: `content`, `image_url`, `variable`, or the kind of a file; None for the message.
            part: the text to find, as in the value.
            offset: of `part` in the value, in characters.
        """
        if self.parsed is not None:
            return self.parsed.position(index, field or "", part=part, offset=offset)
        positions = self.source.message_positions
        if index >= len(positions):
            return _position(self.source.position)
        place = positions[index]
        if field in FILE_KINDS:
            return self._place_of_file(place, index, field, part)
        if field is None:
            return _position(place)
        if field == "content" and not _is_there(place.below((field,)), place):
            field = self.messages[index].role.value  # the short form, `user: Hello`
        return Position(place.file, place.line, place.column, f"{place.path}.{field}")

    def _place_of_file(
        self, message: DocumentPosition, index: int, kind: str, part: str
    ) -> Position:
        """Return the position of a file's name: under a key of the message, or in a part of it."""
        paths: Iterator[JsonPath] = (
            ("content", number, kind)
            for number, content_part in enumerate(self.messages[index].content or ())
            if isinstance(content_part, Mapping) and part in str(content_part.get(kind, ""))
        )
        at = map(message.below, chain([(kind,)], islice(paths, MAX_TRIED)))
        return _position(next((place for place in at if _is_there(place, message)), message))


def _is_there(place: DocumentPosition, holder: DocumentPosition) -> bool:
    """Whether a value exists. One that doesn't has the position of its `holder`."""
    return (place.line, place.column) != (holder.line, holder.column)


def _position(place: DocumentPosition) -> Position:
    return Position(place.file, place.line, place.column, place.path)


def read_prompt_text(source: PromptSource, folder: Path) -> PromptText:
    """Return the messages of a prompt, from its file if it has one.

    Args:
        source: the prompt in the test document.
        folder: the test folder, in which the file must be.

    Raises:
        SpecError: the file can't be read or is invalid.
    """
    if source.file is None:
        return PromptText(source, tuple(source.messages or ()))
    parsed = read_prompt_file(source.file, folder=folder)
    return PromptText(source, parsed.messages, parsed)
