"""Says in words what changed of compared tests, whether or not a verdict flipped, and what the gate
says of that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from lve.comparison.compared import ANSWER, UNKNOWN, ComparedTest, Comparison
from lve.comparison.gate_verdict import GateDecision, GateVerdict, decide_gate
from lve.escape import first_names, one_line
from lve.plurals import amount
from lve.reporting.terminal import Terminal
from lve.verdicts.wording import points_text

SHOWN_TESTS = 5


def gate_line(comparison: Comparison, terminal: Terminal) -> str:
    """Return what the gate says of a comparison, with the tests that made it say so."""
    decision = decide_gate(comparison)
    reasons = "; ".join(decision.reasons)
    match decision.verdict:
        case GateVerdict.regressed:
            names = _names(_culprits(comparison, decision))
            where = f": {names}" if names else ", all tests together"
            return terminal.paint(f"regressed{where} ({reasons})", "red")
        case GateVerdict.unjudged | GateVerdict.undecided:
            names = _names(_incomplete(comparison))
            where = f": {names}" if names else ""
            return terminal.paint(f"can't tell{where} ({reasons})", "yellow")
        case GateVerdict.passed:
            return passed_text(comparison, decision)


def passed_text(comparison: Comparison, decision: GateDecision) -> str:
    """Return what a gate that lets a comparison pass says, with what it could have seen."""
    rows = decision.rows
    if decision.max_broken is None:
        at_least = (
            f" of more than {100 * comparison.threshold:g} points" if comparison.threshold else ""
        )
        whole = comparison.whole
        detectable = whole.detectable if whole is not None else None
        noticed = "or more would be noticed 4 times in 5"
        power = f"; a drop of {points_text(detectable)} {noticed}" if detectable else ""
        return f"no significant regression{at_least} (alpha {comparison.alpha:g}){power}"
    compared = amount(rows.compared, "result")
    if not rows.broken:
        return f"no regression: none of {compared} broke"
    return f"no regression: {rows.broken:,} of {compared} broke, and {decision.max_broken:,} may"


def _culprits(comparison: Comparison, decision: GateDecision) -> Sequence[ComparedTest]:
    """Return the tests that made the gate say that the run has regressed."""
    if decision.max_broken is None:
        return comparison.regressions
    return [
        test
        for test in comparison.tests
        if not test.is_advisory and test.difference and test.difference.counts.broken
    ]


def _incomplete(comparison: Comparison) -> Sequence[ComparedTest]:
    """Return the tests with results that are gone or have lost their verdict."""
    return [test for test in comparison.tests if not test.is_advisory and (test.lost or test.gone)]


def _names(tests: Sequence[ComparedTest]) -> str:
    return first_names([one_line(test.test or ".") for test in tests], SHOWN_TESTS)


_COUNTED: Mapping[str, str] = {
    ANSWER.name: f"only the {ANSWER.name} {{}}",
    UNKNOWN.name: f"can't be known {{}} ({UNKNOWN.detail})",
}
"""Cause -> how it is counted, if not as `cause N`."""


def changes_of_tests(comparison: Comparison) -> str:
    """Return what changed of the tests, with their names; empty if nothing is known."""
    tests: dict[str, dict[str, None]] = {}
    for compared in comparison.tests:
        for cause in compared.changes:
            tests.setdefault(one_line(str(cause)), {})[one_line(compared.test or ".")] = None
    parts = [f"{cause} ({first_names([*names], SHOWN_TESTS)})" for cause, names in tests.items()]
    return f"what changed of the tests: {'; '.join(parts)}" if parts else ""


def causes_of_flips(comparison: Comparison) -> str:
    """Return how often which cause is known of a flip; empty without a flip."""
    causes = Counter(cause.name for flip in comparison.flips for cause in flip.causes)
    counts = ", ".join(
        _COUNTED.get(name, f"{name} {{}}").format(f"{count:,}")
        for name, count in causes.most_common()
    )
    return f"what changed, in {amount(len(comparison.flips), 'flip')}: {counts}" if counts else ""
