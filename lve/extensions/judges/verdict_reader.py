"""Reads the verdict that a judge's reply gives itself, however it is written there."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import unescape
from itertools import islice
from typing import Any
from unicodedata import normalize
from urllib.parse import unquote

from lve.checkers.shape.patterns import pattern
from lve.documents.lenient_json import SearchEndedError, json_spans
from lve.documents.mended_json import DuplicateKeyError, Mend
from lve.messages import Completion
from lve.prompts.answers.answer_format import MAX_CANDIDATES, mismatch

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


MAX_REPLY = 100_000
"""The most characters of a reply."""
Reply = Mapping[str, Any]
Schema = Mapping[str, Any]
_OPEN = re.compile(pattern("judge_reasoning_opens"), re.IGNORECASE)
_CLOSE = re.compile(pattern("judge_reasoning_closes"), re.IGNORECASE)
_FENCE_START = re.compile(r"```[\w-]*\s*")
_MARKS = re.compile(pattern("marks_after_verdict"))
"""What may follow a verdict: marks, and no word, as a word may take it back."""
_LEAD = re.compile(pattern("lead_to_verdict"))
"""What may stand before a verdict: lines of their own, or only its name."""
_OPENED = re.compile(rf"{_JSON.pattern}|[{{\[]\s*[\"'“]")
"""The begin of an object or list, in prose or outside."""
_ENDS_CUT = "it ends inside the reasoning"
_SYNONYMS: Mapping[str, tuple[object, ...]] = {
    "yes": ("yes", 1), "true": ("yes", 1), "1": ("yes",),
    "no": ("no", 0), "false": ("no", 0), "0": ("no",),
}  # fmt: skip


def object_schema(**properties: object) -> Schema:
    """Return the JSON Schema of an object with exactly these properties, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


class VerdictReader:
    """Reads replies about the same texts."""

    def __init__(self, schema: Schema, texts: Iterable[str]) -> None:
        """
        Args:
            schema: JSON Schema of a verdict.
            texts: the judged texts, which a reply may quote.
        """
        self._schema = schema
        self._quotations = Quotations(texts, schema)

    def read(self, completion: Completion) -> Reply | str:
        """Return the verdict in a judge's reply, or why it has none."""
        text = completion.text
        if completion.finish_reason == "length":
            return "it is cut off (finish_reason: length); write less before the verdict"
        if len(text) > MAX_REPLY:
            return f"it has more than {MAX_REPLY:,} characters"
        body = self._without_reasoning(text)
        if body is None:
            return _ENDS_CUT
        try:
            # no guesses: a quotation from a judged text must not end where it says so itself
            read = self._last(body, Mend.slips)
            if not isinstance(read, str) or "{" not in body or self._quotations.have_verdicts():
                return read
            mended = self._last(body, Mend.habits)
            return read if isinstance(mended, str) else mended
        except DuplicateKeyError:
            return "a key occurs twice in one object"
        except SearchEndedError as error:  # the judge's own verdict may be in the rest
            return str(error)

    def _without_reasoning(self, text: str) -> str | None:
        """Return what follows the reasoning; None if that never ends."""
        text = text.strip()
        if text.startswith("{"):
            return text  # a tag in it is part of a text
        closed = [*_CLOSE.finditer(text)]
        if closed and self._quotations.has(_CLOSE):
            return None  # any of the ends may be quoted
        rest = text[closed[-1].end() :].strip() if closed else text
        if closed:
            first = text[closed[0].end() :].strip()
            rest = first if first.startswith("{") else rest
        return None if _OPEN.search(rest.partition("{")[0]) else rest

    def _last(self, body: str, mend: Mend) -> Reply | str:
        """Return the verdict with which a reply ends, or why it doesn't end with one.

        Raises:
            DuplicateKeyError, SearchEndedError: as `json_spans`.
        """
        spans = json_spans(body, mend)
        objects = [*islice((s for s in spans if isinstance(s[0], dict)), MAX_CANDIDATES + 1)]
        if len(objects) > MAX_CANDIDATES:
            return f"it has more than {MAX_CANDIDATES} JSON objects"
        problem = "there is no JSON object in it"
        verdicts: list[Reply] = []
        places: list[tuple[int, int]] = []
        for value, start, end in objects:
            verdict = fitted(value, self._schema)
            why = mismatch(self._schema, verdict)
            if why is not None:
                problem = f"it does not fit the schema: {why}"
                continue
            places.append((start, end))
            if verdict not in verdicts:
                verdicts.append(verdict)
        if len(verdicts) > 1:
            return "it has several JSON objects that differ"
        if not verdicts:
            return problem
        return self._why_not_own(body, places, objects) or verdicts[0]

    def _why_not_own(
        self, body: str, places: Sequence[tuple[int, int]], objects: Sequence[tuple[Any, int, int]]
    ) -> str | None:
        """Return why a verdict may not be the judge's own.

        Args:
            body: the reply without its reasoning.
            places: start and end of the verdict, each time that it is there.
            objects: all objects, each with its start and end.
        """
        nexts = [start for start, _ in places[1:]] + [len(body)]
        rests = [body[end:following] for (_, end), following in zip(places, nexts, strict=True)]
        if not all(map(_MARKS.fullmatch, rests)):
            return "something follows the JSON object"
        value = objects[-1][0]
        if any(map(self._quotations.repeat, (value, fitted(value, self._schema)))):
            return "it repeats what one of the texts says"
        start = objects[0][1]
        if not self._leads(body, places[0][0], objects):
            return "the JSON object stands inside of other text"
        is_alone = len(objects) == 1 and not _FENCE_START.sub("", body[:start], count=1)
        if not is_alone and self._quotations.have_verdicts():
            return (
                "something stands before the JSON object, which may be quoted from one of the texts"
            )
        return None

    @staticmethod
    def _leads(body: str, start: int, objects: Sequence[tuple[Any, int, int]]) -> bool:
        """Return whether what stands before a verdict ends there, so that the verdict is no object
        of its last sentence, and no part of a value that was cut off or can't be read."""
        ends = [0, *(end for _, begin, end in objects if begin < start)]
        begins = [*(begin for _, begin, _ in objects if begin < start), start]
        outside = (body[e:b] for e, b in zip(ends, begins, strict=True))
        return not any(map(_OPENED.search, outside)) and bool(_LEAD.search(body[:start]))


def fitted(value: Any, schema: Any) -> Any:
    """Return a value with the constants that a schema wants: `true`, "Yes" and "yes." for "yes",
    "4" and 4.0 for 4. What fits none stays as it is."""
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return {name: fitted(member, properties.get(name)) for name, member in value.items()}
    if isinstance(value, list):
        return [fitted(element, schema.get("items")) for element in value]
    return _constant(value, schema["enum"]) if "enum" in schema else value


def _constant(value: Any, enum: list[Any]) -> Any:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    name = str(value).strip().strip(".!*`'\"").casefold()
    for constant in enum:
        if name == str(constant).casefold():
            return constant
    return next((c for c in _SYNONYMS.get(name, ()) if c in enum), value)
