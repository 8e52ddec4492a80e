"""The check of JSON in an answer, and what checks of JSON share."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged, only_true
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judging_limits import ACTIVE, NeedsProcessError
from lve.checkers.shape.answer_parts import answer_as_written
from lve.checkers.shape.introduction import without_preamble
from lve.checkers.shape.patterns import pattern
from lve.checkers.shape.reasoning import without_next_turn
from lve.data_classes import dataclass
from lve.documents.lenient_json import SearchEndedError, json_values
from lve.documents.mended_json import Mend
from lve.escape import quoted
from lve.models.http.json_body import is_finite
from lve.prompts.answers.answer_format import QUICK_PATTERN_S, QUICK_STEPS, mismatch
from lve.prompts.answers.answer_schema import clipped, schema_problems
from lve.prompts.answers.schema_meter import Meter, TooManyStepsError, best_error
from lve.regexes import PatternTimeoutError
from lve.suggest import did_you_mean

_KEYS = ("schema", "equals")


def check_schema(argument: str, schema: object) -> None:
    """Check that a value is a JSON Schema.

    Raises:
        ArgumentError: the value is no usable schema.
    """
    for problem in schema_problems(schema):
        raise ArgumentError(argument, f"not a usable JSON Schema: {problem}")


def why_unfit(schema: Any, value: object) -> str | None:
    """Return why a value doesn't fit a schema; None if it does.

    Raises:
        NeedsProcessError: validating may take too long for this process.
        CheckerError: validating takes too long in another process, too.
    """
    if not is_finite(value):  # Python's parser reads them, and no schema speaks of them
        return "NaN and Infinity are no numbers in JSON"
    if ACTIVE.limits.are_final:
        return mismatch(schema, value)
    try:
        error = best_error(schema, value, Meter(QUICK_STEPS, QUICK_PATTERN_S))
    except (TooManyStepsError, RecursionError, PatternTimeoutError):
        raise NeedsProcessError from None
    return None if error is None else f"{error.json_path}: {clipped(error.message)}"


def differs(value: object, expected: object, path: str = "$") -> str | None:
    """Return where a JSON value differs from `expected`, None if it doesn't. Its objects may have
    further keys.

    Args:
        value: the JSON value of an answer.
        expected: the expected value.
        path: the place of both, for the message.
    """
    if isinstance(expected, Mapping):
        if not isinstance(value, Mapping):
            return f"{path} is {shown(value)}, not an object"
        for key, inner in expected.items():
            if key not in value:
                return f"{path}.{key} is missing"
            if (difference := differs(value[key], inner, f"{path}.{key}")) is not None:
                return difference
        return None
    if isinstance(expected, list | tuple):
        if not isinstance(value, list) or len(value) != len(expected):
            return f"{path} is {shown(value)}, expected {shown(expected)}"
        pairs = enumerate(zip(value, expected, strict=True))
        differences = (
            differs(element, inner, f"{path}[{index}]") for index, (element, inner) in pairs
        )
        return next(filter(None, differences), None)
    same = value == expected and isinstance(value, bool) is isinstance(expected, bool)
    return None if same else f"{path} is {shown(value)}, expected {shown(expected)}"


def shown(value: object) -> str:
    """Return a JSON value as reasons show it."""
    return quoted(json.dumps(value, ensure_ascii=False, default=str), limit=60).strip("'")


@dataclass(frozen=True, slots=True)
class Json(AnswerCheck):
    """Passes if the answer contains JSON that meets the conditions.

    The JSON may stand in a code fence or in prose. Comments, trailing commas and similar deviations
    are accepted. If there are several values, the last one counts.
    """

    work_per_character: ClassVar[int] = 3000

    json: bool | Mapping[str, object] = True
    """`true` for any JSON, or an object with `schema` (a JSON Schema) and `equals` (the expected
    value, whose objects may have further keys)."""

    examples: ClassVar = (
        CheckExample({"json": True}, ('Here: ```json\n{"a": 1}\n```', "[1, 2]"), ("a: 1", "")),
        CheckExample(
            {
                "json": {
                    "schema": {"type": "object", "required": ["sea"]},
                    "equals": {"sea": "Black Sea"},
                }
            },
            ('{"sea": "Black Sea"}', "{sea: 'Black Sea', km: 2,850,}"),
            ('{"sea": "Black Sea"} No wait: {"sea": "Red Sea"}', '{"a": {"sea": "Black Sea"}}'),
        ),
    )

    def __post_init__(self) -> None:
        only_true("json", self.json, or_else="an object")
        for key in self._conditions():
            if key not in _KEYS:
                hint = did_you_mean(key, _KEYS)
                raise ArgumentError("json", f"'json' has no key '{key}'", hint=hint)
        if "schema" in self._conditions():
            check_schema("json", self._conditions()["schema"])

    def _conditions(self) -> Mapping[str, object]:
        return self.json if isinstance(self.json, Mapping) else {}

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        values, conditions = values_in(response), self._conditions()
        schema = conditions.get("schema", True)
        value = _last_of_type(values, schema, conditions.get("equals"))
        if value is _NONE:
            return judged(False, f"no JSON in the answer: {quoted(response)}")
        why = None if schema is True else why_unfit(schema, value)
        if why is None and "equals" in conditions:
            why = differs(value, conditions["equals"])
        return judged(why is None, f"found {shown(value)}" if why is None else why)


_NONE = object()
_FENCE = re.compile(pattern("json_fence"), re.DOTALL)
"""A code block, or JSON that a sentence mentions."""
_JSON_FENCE = re.compile(r"(?i)(?:```|~~~)[ \t]*(?:json[5cl]?|ndjson|geojson)\b")
_PLAIN_LANGUAGES = frozenset({"", "text", "txt", "plain", "plaintext", "output"})
_CITATION = re.compile(r"(?<=[\w.,;)])[ ]\[\d{1,3}\](?![ ]*[,\]}:])")


def values_in(answer: str) -> list[object]:
    """Return the JSON values in an answer, without the model's reasoning, introduction and next
    turn, in the order of the text. Those before a value that never ends count.

    If a code fence is labelled as JSON, those in another language are examples of its use."""
    written = answer_as_written(answer)
    values, is_whole = _values_of(without_next_turn(written))
    if not is_whole and not values:  # what looks like a next turn is part of the JSON
        values, _ = _values_of(written)
    return values


def _values_of(text: str) -> tuple[list[object], bool]:
    """Return the JSON values in a text, and whether the search reached its end."""
    text = without_preamble(text)
    values: list[object] = []
    if _JSON_FENCE.search(text):
        text = _CITATION.sub("", _FENCE.sub(_without_other_code, text))
    try:
        values.extend(json_values(text, Mend.habits, with_nan=True))
    except SearchEndedError:
        return values, False
    return values, True


def _without_other_code(fence: re.Match[str]) -> str:
    language = fence[2].lower() if fence[1] else "mentioned"
    is_kept = language in _PLAIN_LANGUAGES or _JSON_FENCE.match(fence[0]) is not None
    return fence[0] if is_kept else ""


def _last_of_type(values: list[object], schema: object, equals: object) -> object:
    """Return the last value of the expected type (a list, or by default an object); else the last
    value, else `_NONE`."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    wants_list = kind == "array" or (kind is None and isinstance(equals, list))
    alike = [value for value in values if isinstance(value, list if wants_list else dict)]
    return (alike or values or [_NONE])[-1]
