"""Converts assertions that ask a model for a grade."""

from __future__ import annotations

import json
from collections.abc import Callable

from lve.documents.json_text import parse_json
from lve.documents.position_types import TextError
from lve.extensions.importing.promptfoo.check_texts import CheckTexts
from lve.extensions.importing.promptfoo.prompts import messages_of
from lve.extensions.importing.promptfoo.source import FILE, UnsupportedError
from lve.extensions.importing.promptfoo.templates import to_placeholders
from lve.extensions.importing.promptfoo.thresholds import NOT, Check, number

GRADED = 0.7
"""promptfoo's default threshold of `g-eval`."""
RUBRIC_PROMPT = "rubricPrompt"
"""Key of an assertion, or option of a test: the judge's template."""
OWN_NAMES = {
    "llm-rubric": ("rubric", "output"),
    "factuality": ("ideal", "completion", "input"),
    "model-graded-closedqa": ("criteria", "completion", "input"),
}
"""Assertion -> what its template calls its value, the answer and the prompt."""
FACTS = {
    "subset": ("A", "subset"),
    "superset": ("B", "superset"),
    "agree": ("C", "same"),
    "disagree": ("D", "contradiction"),
    "differButFactual": ("E", "immaterial"),
}
"""What promptfoo calls a judge's choice -> its letter, and lve's name."""
ACCEPTED = frozenset(FACTS) - {"disagree"}
"""What promptfoo accepts by default."""


def judge(checks: CheckTexts, assertion: Check) -> Check:
    """Return the check of a rubric, with a scale if there is a threshold."""
    is_graded = assertion["type"].removeprefix(NOT) == "g-eval"
    value = assertion.get("value")
    if not is_graded and checks.rubric_prompt(assertion):
        return _own_judge(checks, assertion)
    texts = checks.texts(value) if isinstance(value, list) else checks.text(value)
    if is_graded and checks.rubric_prompt(assertion):
        raise UnsupportedError("left out: rubricPrompt of g-eval")
    if not is_graded and "threshold" not in assertion:
        return {"judge": texts}
    lowest = number(assertion, GRADED, above=-1, highest=1)
    if lowest <= 0:
        raise UnsupportedError("left out: its threshold is 0, which every grade reaches")
    if isinstance(value, list):
        checks.source.tell(
            "g-eval with several criteria: each must reach the threshold, not a mean"
        )
    return {"judge": texts, "scale": [0, 10], "threshold": round(10 * lowest, 6)}


def closed_qa(checks: CheckTexts, assertion: Check) -> Check:
    """Return the check of a criterion."""
    if checks.rubric_prompt(assertion):
        return _own_judge(checks, assertion)
    return {"closed_qa": checks.text(assertion.get("value"))}


def factuality(checks: CheckTexts, assertion: Check) -> Check:
    """Return the check of facts, with what the test's options accept."""
    scores = checks.options.get("factuality") or {}
    if not isinstance(scores, dict) or not all(map(_is_score, scores.items())):
        raise UnsupportedError("left out: its option factuality has other keys than scores")
    if checks.rubric_prompt(assertion):
        check = _own_judge(checks, assertion)
        return {**check, "scores": {FACTS[name][0]: n for name, n in scores.items()}}
    check = {"factuality": checks.text(assertion.get("value"))}
    if scores:
        accepted = [name for name in FACTS if scores.get(name, name in ACCEPTED) > 0]
        check["accept"] = [FACTS[name][1] for name in accepted]
    return check


def _is_score(item: tuple[object, object]) -> bool:
    name, number = item
    return name in FACTS and isinstance(number, int | float) and not isinstance(number, bool)


def _own_judge(checks: CheckTexts, assertion: Check) -> Check:
    """Return the check that asks the judge with the caller's own template.

    Raises:
        UnsupportedError: lve would fill it in, or read it, differently.
    """
    kind = assertion["type"].removeprefix(NOT)
    names: dict[str, None] = {}
    template = _template(checks, checks.rubric_prompt(assertion), names)
    own = OWN_NAMES[kind]
    if columns := {name: None for name in names if name not in own}:
        if not checks.has_texts:
            raise UnsupportedError("left out: its rubricPrompt has variables that aren't texts")
        checks.names.update(columns)
    check: Check = {"promptfoo_judge": template, "kind": kind}
    if assertion.get("value") is not None:
        check["rubric"] = checks.text(assertion["value"])
    elif own[0] in names or kind != "llm-rubric":
        raise UnsupportedError("left out: an assertion without a value")
    if kind == "llm-rubric" and "threshold" in assertion:
        check["threshold"] = number(assertion)
    if own[-1] in names and kind != "llm-rubric":
        checks.source.tell("{{input}}: the judge sees a chat as text; promptfoo shows its JSON")
    return check


def _template(checks: CheckTexts, written: object, names: dict[str, None]) -> object:
    """Return a judge's template in lve's format: a text, or a list of messages."""
    text = written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)
    if text.startswith(FILE):
        text = checks.source.text(text)
    try:
        parse_json(text)
        is_json = True
    except TextError:
        is_json = False
    messages = messages_of(text, lambda part: to_placeholders(part, names))
    is_text = len(messages) == 1 and messages[0] == {
        "role": "user",
        "content": to_placeholders(text, {}),
    }
    if is_json is is_text:
        raise UnsupportedError("left out: its rubricPrompt is neither a text nor a chat in JSON")
    return messages[0]["content"] if is_text else messages


def grounded(name: str, default: float) -> Callable[[CheckTexts, Check], Check]:
    """Return a maker of a check that asks about the variables `query` and `context`."""

    def make(checks: CheckTexts, assertion: Check) -> Check:
        if checks.rubric_prompt(assertion):
            raise UnsupportedError(f"left out: rubricPrompt of {assertion['type']}")
        lowest = number(assertion, default, above=-1, highest=1)
        if lowest <= 0:
            lowest = 0.001  # promptfoo passes any answer then; lve, nearly any
        check: Check = {name: True, "threshold": lowest}
        if name != "answer_relevancy":
            check[name] = checks.text("{{context}}")
        if name == "context_recall":
            check["reference"] = checks.text(assertion.get("value"))
        if name in ("answer_relevancy", "context_relevance") and "query" in checks.variables:
            question = checks.text("{{query}}")
            check |= {name: question} if name == "answer_relevancy" else {"question": question}
        if name != "answer_relevancy" and "context" not in checks.variables:
            raise UnsupportedError("left out: the variable context is missing")
        return check

    return make
