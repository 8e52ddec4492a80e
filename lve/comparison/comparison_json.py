"""A comparison as JSON (schemas/comparison.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator

from lve.comparison.compared import ComparedTest, Comparison, Difference
from lve.comparison.gate_verdict import GateDecision, GateVerdict, decide_gate
from lve.comparison.side import SideFacts
from lve.escape import excerpt
from lve.json_types import JsonValue
from lve.sessions.instance_result import InstanceResult
from lve.verdicts.rates.clusters import Estimate

VERSION = 1
MAX_TEXT = 2000
"""The most characters of an answer or a reason. Longer ones end in `...`."""


def comparison_json(comparison: Comparison) -> dict[str, JsonValue]:
    """Return a comparison as JSON, with the answers of its flips.

    Raises:
        SessionError: a side can't be read any more.
    """
    decision = decide_gate(comparison)
    return {
        "version": VERSION,
        "before": _side(comparison.before),
        "now": _side(comparison.now),
        "alpha": comparison.alpha,
        "threshold": comparison.threshold,
        "gate": _gate(decision),
        "regressed": decision.verdict is GateVerdict.regressed,
        "regressions": [
            {"test": test.test, "model": test.model_now} for test in comparison.regressions
        ],
        "unjudged": [{"test": test.test, "model": test.model_now} for test in comparison.unjudged],
        "tests": [_test(test) for test in comparison.tests],
        "overall": _difference(comparison.overall),
        "broken": comparison.broken,
        "fixed": comparison.fixed,
        "flips": list(_flips(comparison)),
    }


def _gate(decision: GateDecision) -> dict[str, JsonValue]:
    return {
        "verdict": decision.verdict.name,
        "exit_code": int(decision.verdict.value),
        "mode": "significant" if decision.max_broken is None else "any",
        "max_broken": decision.max_broken,
        "reasons": [*decision.reasons],
        "rows": decision.rows._asdict(),
    }


def _side(facts: SideFacts) -> dict[str, JsonValue]:
    return {
        "name": facts.name,
        "started": facts.started or None,
        "commit": facts.commit,
        "models": [*facts.models],
        "left_out": facts.left_out,
    }


def _test(test: ComparedTest) -> dict[str, JsonValue]:
    return {
        "test": test.test,
        "model_before": test.model_before,
        "model_now": test.model_now,
        "difference": _difference(test.difference),
        "no_verdict": test.no_verdict,
        "new": test.new,
        "gone": test.gone,
        "advisory": test.is_advisory,
        "changes": [cause._asdict() for cause in test.changes],
    }


def _difference(difference: Difference | None) -> dict[str, JsonValue] | None:
    if difference is None:
        return None
    counts = ("pairs", "fixed", "broken")
    estimates = ("before", "now", "change")
    return {
        "standing": difference.standing,
        **{name: getattr(difference.counts, name) for name in counts},
        "clusters": difference.clusters,
        **{name: _estimate(getattr(difference, name)) for name in estimates},
        "p": difference.p.p,
        "method": difference.p.method,
        "p_adjusted": difference.adjusted,
        "detectable": difference.detectable,
    }


def _estimate(estimate: Estimate) -> dict[str, float]:
    return {name: getattr(estimate, name) for name in ("value", "low", "high", "confidence")}


_OF_FLIP = ("kind", "test", "model_before", "model_now", "source", "line", "repeat")


def _flips(comparison: Comparison) -> Iterator[dict[str, JsonValue]]:
    for flip in comparison.flips:
        before, now = comparison.results_of(flip)
        yield {
            **{name: getattr(flip, name) for name in _OF_FLIP},
            "causes": [cause._asdict() for cause in flip.causes],
            "before": _result(before),
            "now": _result(now),
        }


def _result(result: InstanceResult | None) -> dict[str, JsonValue] | None:
    if result is None:
        return None
    return {
        "verdict": result.verdict,
        "reason": _short(result.reason),
        "responses": [
            _short(response)
            if isinstance(response, str)
            else {name: _short(response[name]) for name in response}
            for response in result.responses
        ],
    }


def _short(text: str) -> str:
    return excerpt(text, MAX_TEXT)
