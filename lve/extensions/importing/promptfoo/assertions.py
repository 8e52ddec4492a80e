"""Converts promptfoo's assertions to checks. Those without a counterpart are reported."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lve.data_classes import dataclass, field
from lve.documents.position_types import TextError
from lve.documents.yaml_text import parse_yaml
from lve.errors import CheckerError
from lve.escape import excerpt
from lve.extensions.importing.promptfoo.scripts.javascript import to_lambda
from lve.extensions.importing.promptfoo.scripts.python import python_lambda
from lve.extensions.importing.promptfoo.source import FILE, Source, UnsupportedError
from lve.extensions.importing.promptfoo.templates import (
    escape_braces,
    is_template,
    to_placeholders,
    value_text,
)
from lve.regexes.patterns import compile_pattern

Check = dict[str, Any]
NOT = "not-"
SCRIPTS = ("javascript", "python")
CODE = (*SCRIPTS, "ruby", "webhook")
"""Types of assertions that are code or call a server."""
KNOWN_KEYS = frozenset({"type", "value", "threshold", "metric", "weight"})
"""Keys of an assertion that are converted, or don't matter. Any other would change the verdict."""
ASKING = ("llm-rubric", "model-graded-closedqa", "factuality", "similar")
"""Types of assertions that ask a model. The user chooses that model, never a test."""
SIMILAR = 0.75
"""promptfoo's default threshold of `similar`, a cosine."""
MAX_LATENCY_MS = 1e9


@dataclass(slots=True)
class Checks:
    """Converts the assertions of a test, and collects what their checks need."""

    source: Source
    names: dict[str, None] = field(default_factory=dict)
    """Variables in the texts of the checks."""
    files: dict[str, str] = field(default_factory=dict)
    """Name -> content of files beside the document."""

    def convert(self, assertion: Any) -> Check:
        """Return an assertion as a check.

        Raises:
            UnsupportedError: the assertion has no counterpart.
        """
        self.source.step()
        assertion = self.source.resolved(assertion)
        if isinstance(assertion, str):
            assertion = {"type": "equals", "value": assertion}
        kind = assertion.get("type") if isinstance(assertion, dict) else None
        if not isinstance(kind, str):
            raise UnsupportedError("left out: an assertion without a type")
        name = kind.removeprefix(NOT)
        if name in CODE and (name not in SCRIPTS or _is_file(assertion.get("value"))):
            raise UnsupportedError(f"left out: {name} is code, and imported tests have none")
        make = MAKERS.get(name)
        if make is None:
            raise UnsupportedError(f"left out: lve has no check for {excerpt(kind)}")
        if name in ASKING and "provider" in assertion:
            assertion = {key: value for key, value in assertion.items() if key != "provider"}
            self.source.tell(
                f"{name} asks the judge that you name: --role judge=MODEL, or in lve.yaml"
            )
        if others := set(assertion) - KNOWN_KEYS:
            raise UnsupportedError(f"left out: {name} with {excerpt(', '.join(sorted(others)))}")
        check = make(self, assertion)
        if kind.startswith(NOT):
            check.pop("on_error", None)  # a script that throws has failed here, too
            return {"not": check}
        return check

    def text(self, value: Any) -> str:
        """Return a value as a text with lve's placeholders. A `file://` value is read.

        Raises:
            UnsupportedError: the value isn't a text.
        """
        if isinstance(value, str) and value.startswith(FILE):
            value = self._of_file(value)
        if value is None or isinstance(value, dict | list):
            raise UnsupportedError("left out: its value isn't a text")
        return to_placeholders(value_text(value), self.names)

    def texts(self, value: object) -> list[str]:
        """Return a value as a list of texts. A single text is split at its commas.

        Raises:
            UnsupportedError: the value isn't a list of texts.
        """
        if isinstance(value, str) and not value.startswith(FILE):
            value = [part.strip() for part in value.split(",")]
        if not isinstance(value, list) or not value:
            raise UnsupportedError("left out: its value isn't a list of texts")
        return [self.text(text) for text in value]

    def schema(self, schema: Any) -> str:
        """Add a file with a JSON Schema to `files`, and return its name.

        Raises:
            UnsupportedError: the value isn't a JSON Schema.
        """
        if isinstance(schema, str) and schema.startswith(FILE):
            schema = self.source.data(schema)
        elif isinstance(schema, str) and not is_template(schema):
            with suppress(TextError):
                schema = parse_yaml(schema)
        if not isinstance(schema, dict):
            raise UnsupportedError("left out: its value isn't a JSON Schema")
        name = f"schema_{len(self.files) + 1}.json"
        self.files[name] = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        return name

    def _of_file(self, name: str) -> str:
        if not name.endswith((".txt", ".md", ".json")):
            raise UnsupportedError(f"left out: {excerpt(name)} isn't a text")
        return self.source.text(name)


def number(
    assertion: Check,
    default: float | None = None,
    *,
    above: float = -sys.float_info.max,
    highest: float = sys.float_info.max,
) -> float:
    """Return the threshold of an assertion.

    Args:
        assertion: the assertion.
        default: what counts where it has none.
        above: lve takes only higher ones.
        highest: lve takes no higher one.

    Raises:
        UnsupportedError: it isn't such a number, or is missing and there is no default.
    """
    value = assertion.get("threshold", default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnsupportedError("left out: its threshold isn't a number")
    if not abs(value) <= sys.float_info.max:
        raise UnsupportedError("left out: its threshold isn't a number")
    if not above < value <= highest:
        limits = f"above {above:g} and at most {highest:,.10g}"
        raise UnsupportedError(f"left out: its threshold is {value:g}; lve has {limits}")
    return value


def _text(name: str, **further: Any) -> Callable[[Checks, Check], Check]:
    return lambda checks, assertion: {name: checks.text(assertion.get("value")), **further}


def _texts(name: str, **further: Any) -> Callable[[Checks, Check], Check]:
    return lambda checks, assertion: {name: checks.texts(assertion.get("value")), **further}


def _plain(name: str) -> Callable[[Checks, Check], Check]:
    def make(_: Checks, assertion: Check) -> Check:
        if assertion.get("value") is not None:
            raise UnsupportedError(f"left out: {assertion['type']} with a value")
        return {name: True}

    return make


def _json(name: str) -> Callable[[Checks, Check], Check]:
    """Return a maker of a check for JSON; with a schema, it makes two checks."""

    def make(checks: Checks, assertion: Check) -> Check:
        if assertion.get("value") is None:
            return {name: True}
        return {"all": [{name: True}, {"json_schema": checks.schema(assertion["value"])}]}

    return make


def _regex(checks: Checks, assertion: Check) -> Check:
    text = checks.text(assertion.get("value"))
    if not is_template(value_text(assertion["value"])):
        try:
            compile_pattern(value_text(assertion["value"]))
        except CheckerError as error:
            raise UnsupportedError(f"left out: {error}") from None
    return {"regex": text}


def _is_file(value: object) -> bool:
    return not isinstance(value, str) or value.startswith(FILE)


def _script(checks: Checks, assertion: Check) -> Check:
    """Return the check for a script of one expression."""
    script = assertion["value"]
    if is_template(script):
        raise UnsupportedError("left out: its script is a template")
    threshold = number(assertion) if "threshold" in assertion else None
    if assertion["type"].removeprefix(NOT) == "python":
        source, names = python_lambda(script, threshold=threshold)
    else:
        try:
            source, names = to_lambda(script, is_object=False, threshold=threshold)
        except UnsupportedError:
            if checks.source.answers != "json":
                raise
            source, names = to_lambda(script, is_object=True, threshold=threshold)
    checks.names.update(dict.fromkeys(names))
    return {"expression": escape_braces(source), "on_error": "failed"}


def _judge(checks: Checks, assertion: Check) -> Check:
    if "threshold" in assertion:
        raise UnsupportedError("left out: llm-rubric with a threshold; write a judge with a scale")
    return {"judge": checks.text(assertion.get("value"))}


def _similar(checks: Checks, assertion: Check) -> Check:
    value = assertion.get("value")
    texts = checks.texts(value) if isinstance(value, list) else checks.text(value)
    return {"similar": texts, "threshold": number(assertion, SIMILAR, above=-1, highest=1)}


def _latency(_: Checks, assertion: Check) -> Check:
    text = f"{number(assertion, above=0, highest=MAX_LATENCY_MS):.6f}"
    return {"max_latency": f"{text.rstrip('0').rstrip('.')} ms"}


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
    "latency": _latency,
    "cost": lambda _, assertion: {"max_cost": number(assertion)},
    "similar": _similar,
    "llm-rubric": _judge,
    "model-graded-closedqa": _text("closed_qa"),
    "factuality": _text("factuality"),
    "javascript": _script,
    "python": _script,
}
"""Type of an assertion -> function that makes its check."""
