"""What a judge may quote of the judged texts: verdicts, however they are written there."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from html import unescape
from unicodedata import normalize
from urllib.parse import unquote

_JSON = re.compile(r"{\W{0,40}\w[\w .-]{0,60}[^\w{}]{0,20}[:=]")
"""The begin of an object with a member, in any notation."""
_ESCAPED = re.compile(r"\\+u([0-9a-fA-F]{4})")
_CODED = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_INVISIBLE = re.compile("[\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\ufeff\\U000e0001]")
_TAG_LETTERS = {0xE0000 + code: code for code in range(0x20, 0x7F)}
_NO_LETTER = re.compile(r"[\W_]+")
_BLANK = re.compile(r"[\s\"'`\\]+")
MIN_LETTERS = 16
"""A verdict with fewer letters and digits is compared with its punctuation, as any text may have
its words: `{"rating": 2}`."""
PROSE = frozenset({"reasoning", "reason", "text", "statement"})
"""Members that are no part of a verdict."""


class Quotations:
    """Tells what the judged texts say themselves from what a judge says."""

    def __init__(self, texts: Iterable[str], schema: Mapping[str, object]) -> None:
        """
        Args:
            texts: the judged texts.
            schema: JSON Schema of a verdict.
        """
        self._texts = [*texts]
        self._schema = schema

    @cached_property
    def _views(self) -> list[str]:
        return [view for text in self._texts for view in views(text)]

    @cached_property
    def _folded(self) -> list[tuple[str, str]]:
        return [(_letters(view), _unquoted(view)) for view in self._views]

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether a text has what a pattern finds, also with a blank after its first character, as
        judges get it."""
        return any(pattern.search(view.replace("< ", "<")) for view in self._views)

    def have_verdicts(self) -> bool:
        """Whether a text has JSON, or names a verdict's member with one of its values."""
        named = _named_verdict(self._schema)
        return any(_JSON.search(view) or (named and named.search(view)) for view in self._views)

    def repeat(self, verdict: Mapping[str, object]) -> bool:
        """Whether a text has all members of a verdict, in whatever notation and order."""
        written = {name: json.dumps(v, ensure_ascii=False) for name, v in verdict.items()}
        members = [_letters(name + value) for name, value in written.items()]
        if sum(map(len, members)) >= MIN_LETTERS:
            return any(all(member in text for member in members) for text, _ in self._folded)
        patterns = [_short_member(name, value) for name, value in written.items()]
        return any(all(p.search(text) for p in patterns) for _, text in self._folded)


def _short_member(name: str, value: str) -> re.Pattern[str]:
    either = [re.escape(_unquoted(part)) for part in (name, value)]
    return re.compile(rf"(?<!\w){either[0]}[:=]{either[1]}(?![\w/.])")


def views(text: str) -> Iterator[str]:
    """Yield a text as it is, without escapes and what can't be seen, and the texts that are encoded
    in it."""
    text = normalize("NFKC", text)
    yield text
    plain = _INVISIBLE.sub("", text).translate(_TAG_LETTERS)
    plain = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), plain)
    plain = unescape(unquote(plain)).replace("\\n", "\n").replace("\\", "")
    if plain != text:
        yield plain
    for coded in _CODED.finditer(plain):
        try:
            yield b64decode(coded[0] + "==", altchars=b"-_").decode()
        except ValueError:
            continue


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text).casefold()


def _unquoted(text: str) -> str:
    return _BLANK.sub("", text).casefold()


def _named_verdict(schema: Mapping[str, object]) -> re.Pattern[str] | None:
    names, values = set[str](), {"yes", "no", "true", "false", "pass", "passed"}
    _collect(schema, names, values)
    if not names:
        return None
    either, value = ("|".join(map(re.escape, sorted(words))) for words in (names, values))
    begun = "|".join(sorted({re.escape(name[:3]) for name in names}))  # a quotation cut short
    return re.compile(
        rf"\b(?:{either})\b\W{{1,12}}(?:\w{{1,30}}\W{{1,12}})?(?:{value})\b"
        rf"|{{\W{{0,40}}(?:{begun})",
        re.IGNORECASE,
    )


def _collect(schema: object, names: set[str], values: set[str]) -> None:
    """Add the names and the constants of a verdict's members."""
    if not isinstance(schema, Mapping):
        return
    values.update(map(str, schema.get("enum", ())))
    _collect(schema.get("items"), names, values)
    for name, member in schema.get("properties", {}).items():
        if name not in PROSE:
            if not name.isdecimal():  # a criterion's number may be that of a list
                names.add(name)
            _collect(member, names, values)
