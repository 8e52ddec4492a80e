"""Reads the verdict that a judge's reply gives itself.

A judge may quote the judged text, and that may have verdicts of its own. So a verdict counts only
if the reply is complete, says nothing else in JSON, and doesn't repeat what a judged text says.
Where a judged text has anything like a verdict, nothing may stand before or after it: a quotation
that the judge has written differently looks like its own verdict. Elsewhere a remark may follow
that takes nothing back, and the verdict may be in the notation of another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from lve.checkers.shape.passages import corrected_from
from lve.checkers.shape.patterns import pattern
from lve.documents.lenient_json import SearchEndedError, json_spans
from lve.documents.mended_json import DuplicateKeyError, Mend
from lve.extensions.judges.quotations import Quotations
from lve.messages import Completion
from lve.prompts.answers.answer_format import MAX_CANDIDATES, mismatch

MAX_REPLY = 100_000
"""The most characters of a reply."""
Reply = Mapping[str, Any]
Schema = Mapping[str, Any]
_OPEN = re.compile(pattern("judge_reasoning_opens"), re.IGNORECASE)
_CLOSE = re.compile(pattern("judge_reasoning_closes"), re.IGNORECASE)
_FENCE_START = re.compile(r"```[\w-]*\s*")
_TURN_END = re.compile(r"(?:\s*(?:<\|[\w-]{1,30}\|>|</s>))+\Z")
"""Marks of the end of a turn that a server didn't remove."""
_REMARK = re.compile(pattern("remark_after_verdict"))
"""Prose that may follow a verdict."""
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
        body = _TURN_END.sub("", body).removesuffix("```").rstrip()
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
        for value, _, _ in objects:
            verdict = fitted(value, self._schema)
            why = mismatch(self._schema, verdict)
            if why is not None:
                problem = f"it does not fit the schema: {why}"
            elif verdict not in verdicts:
                verdicts.append(verdict)
        if len(verdicts) > 1:
            return "it has several JSON objects that differ"
        if not verdicts:
            return problem
        return self._why_not_own(body, objects[0][1], objects[-1], verdicts[0]) or verdicts[0]

    def _why_not_own(
        self, body: str, start: int, last: tuple[Any, int, int], verdict: Reply
    ) -> str | None:
        """Return why a verdict may not be the judge's own."""
        value, last_start, end = last
        rest = body[end:]
        is_remark = _REMARK.fullmatch(rest) and not corrected_from(rest)
        is_last = not rest or (is_remark and not self._quotations.have_verdicts())
        if fitted(value, self._schema) != verdict or not is_last:
            return "something follows the JSON object"
        if self._quotations.repeat(value) or self._quotations.repeat(verdict):
            return "it repeats what one of the texts says"
        is_alone = start == last_start and not _FENCE_START.sub("", body[:start], count=1)
        if not is_alone and self._quotations.have_verdicts():
            return (
                "something stands before the JSON object, which may be quoted from one of the texts"
            )
        return None


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
