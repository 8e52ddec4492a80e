"""Reads prompts from the test document or from a `.prompt` file, with the positions of messages.

A file is plain text, one JSON message, or one JSON message per line (docs/prompts.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from lve.documents.json_text import json_places, parse_json
from lve.documents.position_types import JsonPath, LineIndex, Position, TextError, spell_path
from lve.documents.read import read_text
from lve.documents.validation.schema import complaints_about
from lve.errors import Problem, SpecError
from lve.extension_table import extension_part
from lve.files.inside import DOCUMENT_BYTES
from lve.limits.effort import checkpoint
from lve.limits.problems import first_problems
from lve.messages import Message
from lve.named_tuples import NamedTuple
from lve.spec.location import PLACEHOLDER
from lve.spec.spec import Braces
from lve.workspace import display_path

TEXT_SUFFIXES = (".txt", ".md")
JINJA_SUFFIXES = (".j2", ".jinja")
_ARRAY_HINT = "write one JSON object per line, without brackets and commas around them"


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
    """The messages of a prompt file, as they are written, and their positions."""

    file: Path
    messages: tuple[Message, ...]
    snippets: tuple[Snippet, ...]
    """One per message; the whole file for plain text."""
    is_text: bool
    """Whether the file is plain text."""
    text: str | None = None
    """The text with lve's own placeholders; None if it has these, or isn't a text."""
    place_of: Callable[[int], tuple[int, int]] | None = None
    """Returns line and column, from 1, of an offset in `text`."""

    def position(self, index: int, field: str, *, part: str, offset: int) -> Position:
        """Return the position of a part of a message's field.

        Args:
            index: of the message.
            field: `content` or `image_url`.
            part: the text to find, as in the value.
            offset: of `part` in the value, in characters.
        """
        snippet = self.snippets[index]
        if self.place_of is not None:
            place = self.place_of(offset)
        elif self.is_text:
            place = LineIndex(snippet.text).place(offset)
        else:
            place = snippet.place_of(field, part)
        return Position(self.file, *place)


def read_prompt_file(path: Path, *, folder: Path, braces: Braces = "single") -> ParsedPrompt:
    """Read a prompt file of at most 1 MB, UTF-8.

    Args:
        path: of the file.
        folder: that the file must be in, after links are followed.
        braces: of its placeholders.

    Raises:
        SpecError: it can't be read, or is not a prompt file.
    """
    hint = "is this really a prompt?"
    text = read_text(path, folder=folder, max_bytes=DOCUMENT_BYTES, hint=hint)
    return parse_prompt_file(text, display_path(path), braces)


def parse_prompt_file(text: str, file: Path, braces: Braces = "single") -> ParsedPrompt:
    """Parse the text of a prompt file.

    Args:
        text: the content, with any line ends, and with or without a byte order mark.
        file: path of the file, for error messages. Its ending tells what it is: only a `.prompt`
            file may have messages.
        braces: of its placeholders.

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
    if file.suffix in JINJA_SUFFIXES:
        return _from_template(text, file)
    is_double = braces == "double"
    snippets = _snippets(text, file, is_double) if file.suffix not in TEXT_SUFFIXES else None
    if snippets is None and is_double:
        return _from_template(text, file)
    if snippets is None:
        return ParsedPrompt(file, (Message(text),), (Snippet(text, 1),), is_text=True)
    problems = first_problems(
        problem for snippet in snippets for problem in _problems(snippet, file)
    )
    if problems:
        raise SpecError(problems)
    messages = tuple(Message.from_json(json.loads(snippet.text)) for snippet in snippets)
    return ParsedPrompt(file, messages, tuple(snippets), is_text=False)


def _from_template(text: str, file: Path) -> ParsedPrompt:
    kind = "jinja prompt" if file.suffix in JINJA_SUFFIXES else "prompt with double braces"
    template = extension_part(kind)(text, file)
    as_written = (Message(text),), (Snippet(text, 1),)
    return ParsedPrompt(file, *as_written, True, template.text, template.place)


def _snippets(text: str, file: Path, is_double: bool) -> Sequence[Snippet] | None:
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
    if any(objects) and is_double:  # a text with JSON in it
        return None
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
    if text.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return None


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
