"""Makes answers to judge: of what the checks of a test look for, and some that any test may get."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from lve.documents.json_text import decode_json
from lve.extensions.importing.promptfoo.thresholds import Check
from lve.files.inside import DOCUMENT_BYTES, read_inside
from lve.json_types import JsonValue
from lve.prompts.fill_texts import as_literal

CODE = ("expression", "promptfoo_script", "script")
"""Keys of checks whose value is a program."""
SCHEMA = "json_schema"
UNSAID = frozenset(
    (
        *("type", "written_in", "form", "function", "on_error", "answer", "closed_qa", "judge"),
        *("max_latency", "finish_reason", "normalise"),
    )
)
"""Keys of checks whose value says nothing about answers."""
USUAL = (
    *("I'm sorry, but I can't help with that.", "42", "words " * 300),
    *("<a><b>c</b></a>", "SELECT a FROM b WHERE c = 1", '```json\n{{"a": 1}}\n```', '[1, "a"]'),
)
"""Answers, as templates."""
MOST = 6
"""Texts of checks of which answers are made."""
MAX_TEXT = 5_000
MAX_DEPTH = 8
_LITERAL = re.compile(
    r"""'([^'\\\n]{1,80})'|"([^"\\\n]{1,80})"|`([^`$\\]{1,80})`|/([^/\n]{2,80})/"""
)


def _digits(match: re.Match[str]) -> str:
    return "7" * int(match[1] or 1)


_PATTERNS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\(\?[a-z]+\)|\\[bBAZ]|\^|\$"), ""),
    (re.compile(r"\\d(?:\{\{?(\d)(?:,\d*)?\}\}?|[+*])?"), _digits),
    (re.compile(r"\\w(?:\+|\*|\{\{?\d+(?:,\d*)?\}\}?)?"), "word"),
    (re.compile(r"\\s[+*?]?|\.[+*]\??"), " "),
    (re.compile(r"\((?:\?:)?([^()|]*)(?:\|[^()]*)?\)[?*+]?"), r"\1"),
    (re.compile(r"\[([^\]\\^])[^\]]*\][+*?]?"), r"\1"),
    (re.compile(r"\\(.)|([^\\])[?+*]"), r"\1\2"),
)
"""Parts of a regular expression -> a text that they may fit."""


def forms_of(checks: Sequence[Check], folder: Path) -> list[str | None]:
    """Return answers, as templates of the variables; None is the prompt itself.

    Args:
        checks: the checks of a test.
        folder: the folder of the test, which has their files.
    """
    every = [text for text in _texts(checks, folder) if text.strip() and len(text) <= MAX_TEXT]
    texts = list(islice(dict.fromkeys(every), MOST))
    forms: list[str | None] = ["", None]
    if texts:
        whole, first = " ".join(texts), texts[0]
        # Variables keep their names.
        upper = re.sub(r"(?<![{\w])\w+(?![\w}])", lambda word: word[0].upper(), whole)
        cut = [first[:-1]] if first[-1] not in "{}" else []
        forms = [whole, first, *forms, upper, *cut, f" {first}\n", *texts[1:]]
        forms += [f"The answer is {first}.", f"```json\n{first}\n```"]
    return list(dict.fromkeys([*forms, *USUAL]))


def _texts(value: object, folder: Path, key: str = "") -> Iterator[str]:
    """Yield the texts that a check looks for."""
    if isinstance(value, str) and key == SCHEMA:
        with suppress(OSError, ValueError):
            schema = decode_json(read_inside(folder, value, DOCUMENT_BYTES).decode())
            yield as_literal(json.dumps(_fitting(schema)))
    elif isinstance(value, str) and key in CODE:
        for match in _LITERAL.finditer(value):
            text = next(filter(None, match.groups()))
            yield as_literal(_match_of(text) if match[4] else text)
    elif isinstance(value, str):
        yield _match_of(value) if key == "regex" else value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in UNSAID:
                yield from _texts(inner, folder, str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, folder, key)


def _match_of(pattern: str) -> str:
    """Return a text that a regular expression probably fits."""
    for part, text in _PATTERNS:
        pattern = part.sub(text, pattern)
    return pattern.partition("|")[0]


def _fitting(schema: object, depth: int = 0) -> JsonValue:
    """Return a value that a JSON Schema probably fits."""
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return None
    for key in ("const", "default", "enum", "examples", "anyOf", "oneOf", "allOf"):
        value = schema.get(key)
        first = value[0] if isinstance(value, list) and value else value
        if value:
            return _fitting(first, depth + 1) if key.endswith("Of") else first
    kind = schema.get("type")
    properties = schema.get("properties")
    if isinstance(properties, dict):
        return {name: _fitting(inner, depth + 1) for name, inner in properties.items()}
    usual: Mapping[str, JsonValue] = {
        "string": "text",
        "integer": 1,
        "number": 1.5,
        "boolean": True,
        "object": {},
        "array": [_fitting(schema.get("items"), depth + 1)],
    }
    return usual.get(str(kind[0] if isinstance(kind, list) and kind else kind))
