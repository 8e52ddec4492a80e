"""Converts promptfoo's assertions to checks. Those without a counterpart are reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.escape import excerpt
from lve.extensions.importing.promptfoo.check_texts import CheckTexts
from lve.extensions.importing.promptfoo.graded import (
    RUBRIC_PROMPT,
    closed_qa,
    factuality,
    grounded,
    judge,
)
from lve.extensions.importing.promptfoo.scripts.checks import script_check
from lve.extensions.importing.promptfoo.scripts.files import transforms_of
from lve.extensions.importing.promptfoo.source import UnsupportedError
from lve.extensions.importing.promptfoo.templates import (
    is_template,
    value_text,
)
from lve.extensions.importing.promptfoo.thresholds import NOT, Check, number
from lve.regexes.patterns import compile_pattern

SCRIPTS = ("javascript", "python")
CODE = (*SCRIPTS, "ruby", "webhook")
"""Types of assertions that are code or call a server."""
KNOWN_KEYS = frozenset({"type", "value", "threshold", "metric", "weight", "transform"})
"""Keys of an assertion that are converted, or don't matter. Any other would change the verdict."""
ASKING = (
    *("llm-rubric", "model-graded-closedqa", "factuality", "similar", "g-eval"),
    *("answer-relevance", "context-faithfulness", "context-recall", "context-relevance"),
)
"""Types of assertions that ask a model. The user chooses that model, never a test."""
ALWAYS = frozenset(
    (
        *("model-graded-closedqa", "factuality", "answer-relevance", "context-faithfulness"),
        *("context-recall", "context-relevance", "is-valid-openai-tools-call"),
        *("is-valid-openai-function-call", "is-valid-function-call"),
    )
)
"""Types whose `not-` promptfoo 0.121 ignores."""
VALID = "valid_calls"
GOOGLE = ("google", "live")
OBJECTS: Check = {"anyOf": [{"type": "object"}, {"type": "array", "contains": {"type": "object"}}]}
"""What `contains-json` finds."""
SIMILAR = 0.75
"""promptfoo's default threshold of `similar`, a cosine."""
MAX_LATENCY_MS = 1e9


@dataclass(slots=True)
class Checks(CheckTexts):
    """Converts the assertions of a test, and collects what their checks need."""

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
        if name in CODE and (name not in SCRIPTS or not isinstance(assertion.get("value"), str)):
            raise UnsupportedError(f"left out: {name} is code, and imported tests have none")
        make = MAKERS.get(name)
        if make is None:
            raise UnsupportedError(f"left out: lve has no check for {excerpt(kind)}")
        if name in ALWAYS and kind != name:
            raise UnsupportedError(f"left out: promptfoo ignores the `not-` of {name}")
        if name in ASKING and "provider" in assertion:
            assertion = {key: value for key, value in assertion.items() if key != "provider"}
            self.source.tell(
                f"{name} asks the judge that you name: --role judge=MODEL, or in lve.yaml"
            )
        own = {"config"} if name in SCRIPTS else {RUBRIC_PROMPT} if name in ASKING else set()
        if others := set(assertion) - KNOWN_KEYS - own:
            raise UnsupportedError(f"left out: {name} with {excerpt(', '.join(sorted(others)))}")
        whole = self.transforms
        try:
            self.transforms = [*whole, *transforms_of(self.source, assertion)]
            check = make(self, assertion)
            parts = check.get("all") or check.get("any") or [check]
            for part in parts if self.transforms else ():
                part |= {} if VALID in part else {"extract": self.transforms}
        finally:
            self.transforms = whole
        if kind.startswith(NOT) and "promptfoo_judge" in check:
            return {**check, "inverse": True}
        if kind.startswith(NOT):
            check.pop("on_error", None)  # a script that throws has failed here, too
            return {"not": check}
        return check


def _text(name: str, **further: Any) -> Callable[[CheckTexts, Check], Check]:
    return lambda checks, assertion: {name: checks.text(assertion.get("value")), **further}


def _starting(checks: CheckTexts, assertion: Check) -> Check:
    """Return the check of an answer's beginning, before which no white space may be."""
    check = {"starts_with": checks.text(assertion.get("value"))}
    return {"all": [check, {"regex": r"^\S"}]}


def _texts(name: str, **further: Any) -> Callable[[CheckTexts, Check], Check]:
    return lambda checks, assertion: {name: checks.texts(assertion.get("value")), **further}


def _plain(name: str, pattern: str = "") -> Callable[[CheckTexts, Check], Check]:
    """Return a maker of a check without arguments, of answers that fit a pattern: lve's is found in
    a code fence, too."""

    def make(_: CheckTexts, assertion: Check) -> Check:
        if assertion.get("value") is not None:
            raise UnsupportedError(f"left out: {assertion['type']} with a value")
        return {"all": [{name: True}, {"regex": pattern}]} if pattern else {name: True}

    return make


def _refusal(checks: CheckTexts, assertion: Check) -> Check:
    check = _plain("refusal")(checks, assertion)
    return {"any": [check, {"regex": r"(?i)^\s*(?:\{{\}}|null|undefined)?\s*$"}]}


def _json(name: str, kind: object = True) -> Callable[[CheckTexts, Check], Check]:
    """Return a maker of a check for JSON, of a kind; with a schema, it makes two checks."""

    def make(checks: CheckTexts, assertion: Check) -> Check:
        if assertion.get("value") is None:
            return {name: kind}
        if name == "json":
            checks.source.tell("contains-json with a schema: lve judges the last of several values")
        return {"all": [{name: kind}, {"json_schema": checks.schema(assertion["value"])}]}

    return make


def _regex(checks: CheckTexts, assertion: Check) -> Check:
    text = checks.text(assertion.get("value"))
    if not is_template(value_text(assertion["value"])):
        try:
            compile_pattern(value_text(assertion["value"]))
        except CheckerError as error:
            raise UnsupportedError(f"left out: {error}") from None
    return {"regex": text}


def _similar(checks: CheckTexts, assertion: Check) -> Check:
    value = assertion.get("value")
    texts = checks.texts(value) if isinstance(value, list) else checks.text(value)
    return {"similar": texts, "threshold": number(assertion, SIMILAR, above=-1, highest=1)}


def _latency(_: CheckTexts, assertion: Check) -> Check:
    text = f"{number(assertion, above=0, highest=MAX_LATENCY_MS):.6f}"
    return {"max_latency": f"{text.rstrip('0').rstrip('.')} ms"}


def _valid(*forms: str) -> Callable[[CheckTexts, Check], Check]:
    """Return a maker of a check that calls fit the tools; promptfoo accepts calls of these forms
    only."""

    def make(checks: CheckTexts, assertion: Check) -> Check:
        if checks.calls is None or checks.calls.name not in forms:
            raise UnsupportedError("left out: no answer of these models passes it in promptfoo")
        if not checks.calls.schemas:
            raise UnsupportedError("left out: its models have several tools, or unusual ones")
        if len(checks.transforms) > 1:
            raise UnsupportedError("left out: calls after a transform")
        is_google = checks.calls.name in GOOGLE
        schemas = checks.calls.schemas.items()
        return {VALID: {tool: _strict(schema, is_google) for tool, schema in schemas}}

    return make


def _strict(schema: Any, is_google: bool) -> object:
    """Return the schema that promptfoo means: with Gemini, a tool gets arguments if it has one,
    and none otherwise; with OpenAI, it must have one."""
    if is_google:
        return {"minProperties": 1, **schema} if schema else {"maxProperties": 0}
    return schema or {"not": {}}


MAKERS: dict[str, Callable[[CheckTexts, Check], Check]] = {
    "equals": _text("exact_match", normalise="none"),
    "contains": _text("contains"),
    "icontains": _text("contains", ignore_case=True),
    "contains-any": _texts("contains_any"),
    "icontains-any": _texts("contains_any", ignore_case=True),
    "contains-all": _texts("contains_all"),
    "icontains-all": _texts("contains_all", ignore_case=True),
    "starts-with": _starting,
    "regex": _regex,
    "is-json": _json("is_json"),
    "contains-json": _json("json", {"schema": OBJECTS}),
    "is-xml": _plain("is_xml", r"^\s*<"),
    "is-sql": _plain("is_sql", r"^\s*[^`\s]"),
    "is-refusal": _refusal,
    "finish-reason": _text("finish_reason"),
    "latency": _latency,
    "cost": lambda _, assertion: {"max_cost": number(assertion)},
    "similar": _similar,
    "llm-rubric": judge,
    "model-graded-closedqa": closed_qa,
    "factuality": factuality,
    "g-eval": judge,
    "answer-relevance": grounded("answer_relevancy", 0),
    "context-faithfulness": grounded("faithfulness", 0),
    "context-recall": grounded("context_recall", 0),
    "context-relevance": grounded("context_relevance", 0),
    "is-valid-openai-tools-call": _valid("chat"),
    "is-valid-openai-function-call": _valid("function", *GOOGLE),
    "is-valid-function-call": _valid("function", *GOOGLE),
    "javascript": script_check,
    "python": script_check,
}
"""Type of an assertion -> function that makes its check."""
