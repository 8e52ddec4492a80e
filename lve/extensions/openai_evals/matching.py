"""The check that compares an answer with ideal answers as OpenAI's basic eval classes do."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Mapping
from itertools import islice
from typing import ClassVar, Literal

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.escape import quoted

MAX_JSON = 1_000_000
"""The most characters of an answer that is read as JSON."""
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class EvalsMatch(AnswerCheck):
    """Passes if the answer matches an ideal answer as a basic class of OpenAI's `evals` says.

    It is as strict as they are: white space, quotes and Markdown count. For a new test,
    `starts_with`, `contains_any`, `text` and `json` are better.
    """

    work_per_character: ClassVar[int] = 100

    evals_match: str | tuple[str, ...]
    """The ideal answer, or a list, one of which must match."""
    compare: Literal["match", "includes", "fuzzy_match", "json_match"] = "match"
    """The class: `match` (the answer begins with the ideal), `includes`, `fuzzy_match` (without
    case, punctuation and articles, one contains the other), `json_match` (both are the same
    JSON)."""
    ignore_case: bool = False
    """For `includes`: whether upper and lower case are equal."""

    examples: ClassVar = (
        CheckExample({"evals_match": "Paris"}, ("Paris", "Paris."), (" Paris", "It is Paris.")),
        CheckExample(
            {"evals_match": ["La Paz", "Sucre"], "compare": "includes", "ignore_case": True},
            ("It is SUCRE.",),
            ("Lima",),
        ),
        CheckExample(
            {"evals_match": "The Eiffel Tower", "compare": "fuzzy_match"},
            ("an eiffel tower!", "Tower"),
            ("Louvre", ""),
        ),
        CheckExample(
            {"evals_match": '["a", 1]', "compare": "json_match"},
            ('[ "a", 1.0 ]',),
            ('[1, "a"]', '```json\n["a", 1]\n```', "none"),
        ),
    )

    def __post_init__(self) -> None:
        if not self.values():
            raise ArgumentError("evals_match", "'evals_match' is empty: no answer could match")
        if self.ignore_case and self.compare != "includes":
            raise ArgumentError("ignore_case", "'ignore_case' goes with `compare: includes`")
        for text in self.values() if self.compare == "json_match" else ():
            if _parsed(text) is _NO_JSON:
                raise ArgumentError("evals_match", f"{quoted(text)} isn't JSON")

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        ideals = " or ".join(map(quoted, islice(self.values(), 5)))
        if self._matches_any(response):
            return judged(True, f"{self.compare}: found {ideals}")
        return judged(False, f"{self.compare}: expected {ideals}, found {quoted(response)}")

    def _matches_any(self, answer: str) -> bool:
        return any(self._matches(answer, ideal) for ideal in self.values())

    def _matches(self, answer: str, ideal: str) -> bool:
        match self.compare:
            case "match":
                return answer.startswith(ideal)
            case "includes" if self.ignore_case:
                return ideal.lower() in answer.lower()
            case "includes":
                return ideal in answer
            case "fuzzy_match":
                return _is_similar(_bare(answer), _bare(ideal))
            case "json_match":
                return _is_same(_parsed(answer), _parsed(ideal))


def _bare(text: str) -> str:
    """Return a text in lower case, without punctuation, articles and repeated white space."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def _is_similar(answer: str, ideal: str) -> bool:
    if not answer or not ideal:
        return answer == ideal
    return answer in ideal or ideal in answer


_NO_JSON = object()


def _parsed(text: str) -> object:
    """Return the value of a JSON text, as Python's own parser reads it; `_NO_JSON` without one."""
    try:
        return json.loads(text) if len(text) <= MAX_JSON else _NO_JSON
    except (ValueError, RecursionError):
        return _NO_JSON


def _is_same(answer: object, ideal: object) -> bool:
    """Return whether two values are the same JSON. `null` is never the same, also inside."""
    if answer is None or ideal is None or _NO_JSON in (answer, ideal):
        return False
    if isinstance(answer, Mapping):
        if not isinstance(ideal, Mapping):
            return False
        return all(_is_same(answer.get(key), ideal.get(key)) for key in {*answer, *ideal})
    if isinstance(answer, list):
        if not isinstance(ideal, list) or len(answer) != len(ideal):
            return False
        return all(map(_is_same, answer, ideal))
    return bool(answer == ideal)
