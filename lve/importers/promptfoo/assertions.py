"""Assertions as checks. What has no counterpart is left out, by name."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lve.errors import CheckerError
from lve.escape import excerpt
from lve.importers.promptfoo.source import FILE, Source, UnsayableError
from lve.importers.promptfoo.templates import is_template, to_placeholders, value_text
from lve.regexes.patterns import compile_pattern

Check = dict[str, Any]
NOT = "not-"
CODE = ("javascript", "python", "ruby", "webhook")
"""Assertions that are code, or call somebody's server."""
IGNORED = frozenset({"type", "value", "threshold", "metric", "weight"})
"""Keys that are dealt with, or name a figure in a report. All others change what is judged."""
ASKING = ("llm-rubric", "model-graded-closedqa", "factuality", "similar")
"""Assertions that ask a model. Which one is for the user to say, never for a test."""
SIMILAR = 0.75
"""The cosine that `similar` needs if it says none."""


@dataclass(slots=True)
class Checks:
    """The checks of a test, and what they need."""

    source: Source
    names: dict[str, None] = field(default_factory=dict)
    """Variables in their texts."""
    files: dict[str, str] = field(default_factory=dict)
    """Files beside the document."""

    def of(self, given: Any) -> Check:
        """Return the check that an assertion is.

        Raises:
            UnsayableError: it can't be said.
        """
        self.source.step()
        given = self.source.resolved(given)
        if isinstance(given, str):
            given = {"type": "equals", "value": given}
        kind = given.get("type") if isinstance(given, dict) else None
        if not isinstance(kind, str):
            raise UnsayableError("left out: an assertion without a type")
        name = kind.removeprefix(NOT)
        if name in CODE:
            raise UnsayableError(f"left out: {name} is code, and imported tests have none")
        make = MAKERS.get(name)
        if make is None:
            raise UnsayableError(f"left out: no check is like {excerpt(kind)}")
        if name in ASKING and "provider" in given:
            given = {key: value for key, value in given.items() if key != "provider"}
            self.source.note(f"the model that {name} asks: name one with --role or in lve.yaml")
        if others := set(given) - IGNORED:
            raise UnsayableError(f"left out: {name} with {excerpt(', '.join(sorted(others)))}")
        check = make(self, given)
        return {"not": check} if kind.startswith(NOT) else check

    def text(self, given: Any) -> str:
        """Return a text for a check: with placeholders, read from its file.

        Raises:
            UnsayableError: it isn't a text.
        """
        if isinstance(given, str) and given.startswith(FILE):
            given = self._of_file(given)
        if given is None or isinstance(given, dict | list):
            raise UnsayableError("left out: its value isn't a text")
        return to_placeholders(value_text(given), self.names)

    def texts(self, given: Any) -> list[str]:
        """Return a list of texts; a text alone has them between commas.

        Raises:
            UnsayableError: it isn't one.
        """
        if isinstance(given, str) and not given.startswith(FILE):
            given = [part.strip() for part in given.split(",")]
        if not isinstance(given, list) or not given:
            raise UnsayableError("left out: its value isn't a list of texts")
        return [self.text(one) for one in given]

    def schema(self, given: Any) -> str:
        """Keep a JSON Schema, and return the name of its file.

        Raises:
            UnsayableError: it isn't one.
        """
        if isinstance(given, str) and given.startswith(FILE):
            given = self.source.data(given)
        if not isinstance(given, dict):
            raise UnsayableError("left out: its value isn't a JSON Schema")
        name = f"schema_{len(self.files) + 1}.json"
        self.files[name] = json.dumps(given, indent=2, ensure_ascii=False) + "\n"
        return name

    def _of_file(self, name: str) -> str:
        if not name.endswith((".txt", ".md", ".json")):
            raise UnsayableError(f"left out: {excerpt(name)} isn't a text")
        return self.source.text(name)


def number(given: Check, default: float | None = None) -> float:
    """Return the threshold of an assertion.

    Raises:
        UnsayableError: it has none.
    """
    value = given.get("threshold", default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UnsayableError("left out: its threshold isn't a number")
    return value


def _text(name: str, **further: Any) -> Callable[[Checks, Check], Check]:
    return lambda checks, given: {name: checks.text(given.get("value")), **further}


def _texts(name: str, **further: Any) -> Callable[[Checks, Check], Check]:
    return lambda checks, given: {name: checks.texts(given.get("value")), **further}


def _plain(name: str) -> Callable[[Checks, Check], Check]:
    def make(_: Checks, given: Check) -> Check:
        if given.get("value") is not None:
            raise UnsayableError(f"left out: {given['type']} with a value")
        return {name: True}

    return make


def _json(name: str) -> Callable[[Checks, Check], Check]:
    """A check for JSON; with a schema it is two."""

    def make(checks: Checks, given: Check) -> Check:
        if given.get("value") is None:
            return {name: True}
        return {"all": [{name: True}, {"json_schema": checks.schema(given["value"])}]}

    return make


def _regex(checks: Checks, given: Check) -> Check:
    text = checks.text(given.get("value"))
    if not is_template(value_text(given["value"])):
        try:
            compile_pattern(value_text(given["value"]))
        except CheckerError as error:
            raise UnsayableError(f"left out: {error}") from None
    return {"regex": text}


def _judge(checks: Checks, given: Check) -> Check:
    if "threshold" in given:
        raise UnsayableError("left out: llm-rubric with a threshold; write a judge with a scale")
    return {"judge": checks.text(given.get("value"))}


def _similar(checks: Checks, given: Check) -> Check:
    value = given.get("value")
    texts = checks.texts(value) if isinstance(value, list) else checks.text(value)
    return {"similar": texts, "threshold": number(given, SIMILAR)}


MAKERS: dict[str, Callable[[Checks, Check], Check]] = {
    "equals": _text("equals"),
    "contains": _text("contains"),
    "icontains": _text("contains", ignore_case=True),
    "contains-any": _texts("contains_any"),
    "icontains-any": _texts("contains_any", ignore_case=True),
    "contains-all": _texts("contains_all"),
    "icontains-all": _texts("contains_all", ignore_case=True),
    "starts-with": _text("starts_with"),
    "regex": _regex,
    "is-json": _json("is_json"),
    "contains-json": _json("json"),
    "is-xml": _plain("is_xml"),
    "is-sql": _plain("is_sql"),
    "is-refusal": _plain("refusal"),
    "finish-reason": _text("finish_reason"),
    "latency": lambda _, given: {"max_latency": f"{number(given):g} ms"},
    "cost": lambda _, given: {"max_cost": number(given)},
    "similar": _similar,
    "llm-rubric": _judge,
    "model-graded-closedqa": _text("closed_qa"),
    "factuality": _text("factuality"),
}
"""Type of an assertion -> what makes its check."""
