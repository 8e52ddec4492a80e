"""A comparison as JSON (schemas/comparison.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lve.comparison.compared import ComparedTest, Comparison, Difference
from lve.comparison.gate_verdict import GateDecision, GateVerdict, decide_gate
from lve.comparison.side import SideFacts
from lve.escape import excerpt
from lve.sessions.instance_result import InstanceResult
from lve.verdicts.rates.clusters import Estimate

VERSION = 1
MAX_TEXT = 2000
"""The most characters of an answer or a reason. Longer ones end in `...`."""


def comparison_json(found: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON, with the answers of its flips.

    Raises:
        SessionError: a side can't be read any more.
    """
    decision = decide_gate(found)
    return {
        "version": VERSION,
        "before": _side(found.before),
        "now": _side(found.now),
        "alpha": found.alpha,
        "threshold": found.threshold,
        "gate": _gate(decision),
        "regressed": decision.verdict is GateVerdict.regressed,
        "regressions": [{"test": one.test, "model": one.model_now} for one in found.regressions],
        "unjudged": [{"test": one.test, "model": one.model_now} for one in found.unjudged],
        "tests": [_test(one) for one in found.tests],
        "overall": _difference(found.overall),
        "broken": found.broken,
        "fixed": found.fixed,
        "flips": list(_flips(found)),
    }


def _gate(decision: GateDecision) -> dict[str, Any]:
    return {
        "verdict": decision.verdict.name,
        "exit_code": int(decision.verdict.value),
        "mode": "significant" if decision.max_broken is None else "any",
        "max_broken": decision.max_broken,
        "reasons": [*decision.reasons],
        "rows": decision.rows._asdict(),
    }


def _side(facts: SideFacts) -> dict[str, Any]:
    return {
        "name": facts.name,
        "started": facts.started or None,
        "commit": facts.commit,
        "models": [*facts.models],
        "left_out": facts.left_out,
    }


def _test(one: ComparedTest) -> dict[str, Any]:
    return {
        "test": one.test,
        "model_before": one.model_before,
        "model_now": one.model_now,
        "difference": _difference(one.difference),
        "no_verdict": one.no_verdict,
        "new": one.new,
        "gone": one.gone,
        "advisory": one.is_advisory,
        "changes": [cause._asdict() for cause in one.changes],
    }


def _difference(found: Difference | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "standing": found.standing,
        "pairs": found.counts.pairs,
        "fixed": found.counts.fixed,
        "broken": found.counts.broken,
        "clusters": found.clusters,
        "before": _estimate(found.before),
        "now": _estimate(found.now),
        "change": _estimate(found.change),
        "p": found.p.p,
        "method": found.p.method,
        "p_adjusted": found.adjusted,
        "detectable": found.detectable,
    }


def _estimate(found: Estimate) -> dict[str, float]:
    return {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "confidence": found.confidence,
    }


def _flips(found: Comparison) -> Iterator[dict[str, Any]]:
    for flip in found.flips:
        before, now = found.results_of(flip)
        yield {
            "kind": flip.kind,
            "test": flip.test,
            "model_before": flip.model_before,
            "model_now": flip.model_now,
            "source": flip.source,
            "line": flip.line,
            "repeat": flip.repeat,
            "causes": [{"name": one.name, "detail": one.detail} for one in flip.causes],
            "before": _result(before),
            "now": _result(now),
        }


def _result(result: InstanceResult | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {
        "verdict": result.verdict,
        "reason": _short(result.reason),
        "responses": [
            _short(one) if isinstance(one, str) else {name: _short(one[name]) for name in one}
            for one in result.responses
        ],
    }


def _short(text: str) -> str:
    return excerpt(text, MAX_TEXT)
