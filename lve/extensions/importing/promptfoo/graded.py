"""Converts assertions that ask a model for a grade."""

from __future__ import annotations

from collections.abc import Callable

from lve.extensions.importing.promptfoo.check_texts import CheckTexts
from lve.extensions.importing.promptfoo.source import UnsupportedError
from lve.extensions.importing.promptfoo.thresholds import NOT, Check, number

GRADED = 0.7
"""promptfoo's default threshold of `g-eval`."""


def judge(checks: CheckTexts, assertion: Check) -> Check:
    """Return the check of a rubric, with a scale if there is a threshold."""
    is_graded = assertion["type"].removeprefix(NOT) == "g-eval"
    value = assertion.get("value")
    texts = checks.texts(value) if isinstance(value, list) else checks.text(value)
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


def grounded(name: str, default: float) -> Callable[[CheckTexts, Check], Check]:
    """Return a maker of a check that asks about the variables `query` and `context`."""

    def make(checks: CheckTexts, assertion: Check) -> Check:
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
