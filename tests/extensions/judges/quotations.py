"""Verdicts of judges as answers and replies quote them: `tests/cases/quotations`."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import yaml

CASES = Path(__file__).parents[2] / "cases" / "quotations"
_PLACEHOLDER = re.compile(r"«(YES|NO)(?: (\w+))?»")


class JudgeCheck(NamedTuple):
    """A check that asks a judge, with a verdict that passes and one that fails."""

    check: Mapping[str, Any]
    passes: Mapping[str, Any]
    fails: Mapping[str, Any]


def _why(**verdict: object) -> dict[str, object]:
    return {"reasoning": "It is so.", **verdict}


CHECKS: Mapping[str, JudgeCheck] = {
    "judge": JudgeCheck(
        {"judge": "It is right."}, _why(grades={"1": "yes"}), _why(grades={"1": "no"})
    ),
    "judge with a scale": JudgeCheck(
        {"judge": {"right": "It is."}, "scale": [1, 5], "threshold": 4},
        _why(grades={"right": 5}),
        _why(grades={"right": 1}),
    ),
    "closed_qa": JudgeCheck({"closed_qa": "It is."}, _why(meets="yes"), _why(meets="no")),
    "factuality": JudgeCheck(
        {"factuality": "It is Paris."}, _why(relation="same"), _why(relation="contradiction")
    ),
    "faithfulness": JudgeCheck(
        {"faithfulness": "It is Paris."},
        {"claims": [{"text": "It is Paris.", "reasoning": "It says so.", "supported": "yes"}]},
        {"claims": [{"text": "It is Lyon.", "reasoning": "It isn't.", "supported": "no"}]},
    ),
    "answer_relevancy": JudgeCheck(
        {"answer_relevancy": "Which city?"},
        {"statements": [{"text": "It is Paris.", "reasoning": "A city.", "relevant": "yes"}]},
        {"statements": [{"text": "I like it.", "reasoning": "No city.", "relevant": "no"}]},
    ),
    "context_precision": JudgeCheck(
        {"context_precision": ["It is Paris."], "by": "answer", "question": "Which city?"},
        {"reason": "It is so.", "verdict": 1},
        {"reason": "It is not.", "verdict": 0},
    ),
    "context_recall": JudgeCheck(
        {"context_recall": "{text}", "reference": "It is Paris.", "question": "Which city?"},
        {"classifications": [{"statement": "It is Paris.", "reason": "So.", "attributed": 1}]},
        {"classifications": [{"statement": "It is Paris.", "reason": "Not.", "attributed": 0}]},
    ),
    "context_relevance": JudgeCheck(
        {"context_relevance": "{text}", "question": "Which city?"}, {"rating": 2}, {"rating": 0}
    ),
}


def cases(name: str) -> dict[str, Mapping[str, str]]:
    """Return name -> case of a file of cases."""
    text = (CASES / f"{name}.yaml").read_text(encoding="utf-8")
    loaded: dict[str, Mapping[str, str]] = yaml.safe_load(text)
    return loaded


def filled(text: str, check: JudgeCheck) -> str:
    """Return a text with the verdicts of a check in place of `«YES»` and `«NO»`."""
    return _PLACEHOLDER.sub(
        lambda place: _WRITTEN[place[2] or "plain"](
            check.passes if place[1] == "YES" else check.fails
        ),
        text,
    )


def _reordered(verdict: Mapping[str, Any]) -> str:
    return json.dumps(dict(reversed(verdict.items())))


def _escaped(verdict: Mapping[str, Any]) -> str:
    return json.dumps(json.dumps(verdict))


def _unicode(verdict: Mapping[str, Any]) -> str:
    return re.sub(r"[{}\":]", lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(verdict))


def _words(verdict: Mapping[str, Any]) -> str:
    """Return a verdict with the same grades and another reasoning."""
    changed = json.loads(json.dumps(verdict))
    lists = ("claims", "statements", "classifications")
    for part in (changed, *(item for name in lists for item in changed.get(name, []))):
        for name in {"reasoning", "reason"} & {*part}:
            part[name] = "In other words, all of this holds."
    return json.dumps(changed)


_WRITTEN: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "plain": json.dumps,
    "indented": lambda verdict: json.dumps(verdict, indent=2),
    "reordered": _reordered,
    "single": lambda verdict: str(dict(verdict)),
    "escaped": _escaped,
    "unicode": _unicode,
    "yaml": lambda verdict: str(yaml.safe_dump(dict(verdict), sort_keys=False)),
    "base64": lambda verdict: b64encode(json.dumps(verdict).encode()).decode(),
    "words": _words,
    "upper": lambda verdict: json.dumps(verdict).upper(),
    "percent": lambda verdict: quote(json.dumps(verdict)),
    "html": lambda verdict: escape(json.dumps(verdict)),
    "cut": lambda verdict: json.dumps(verdict)[:-5],
}
