"""Risks by category: what tests with a code of OWASP, ATLAS, NIST or AVID came to, what that took,
and what was not tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lve.data_classes import dataclass, field
from lve.extension_table import extension_part
from lve.verdicts.rates.statistics import pass_rate, rate_bounds
from lve.verdicts.recorded_session import SummedSession
from lve.verdicts.tally import Tally

LISTS = {
    "owasp": "OWASP Top 10 for LLM applications (2025)",
    "atlas": "MITRE ATLAS",
    "nist": "NIST AI 600-1",
    "avid": "AVID's taxonomy",
}
"""Tag -> the list of its codes."""
_OWASP = tuple(f"LLM{number:02}" for number in range(1, 11))
"""The only list so short that all of it is worth trying."""
_BENIGN = "benign"


@dataclass(slots=True)
class _Risk:
    """The results of all tests with a code, of one model."""

    tests: set[str] = field(default_factory=set)
    attacks: set[str] = field(default_factory=set)
    passed: int = 0
    failed: int = 0
    errors: int = 0
    independent: float = 0.0
    cost: float | None = None
    ended_early: bool = False
    """Whether a test among them ended its repeats as soon as its rate was decided."""

    def add(self, tally: Tally, attack: str | None) -> None:
        counts = tally.counts
        self.tests.add(tally.test.partition("@")[0])
        if attack not in (None, "none"):
            self.attacks.add(str(attack))
        self.passed += counts["passed"]
        self.failed += counts["failed"]
        self.errors += counts["error"]
        self.ended_early |= tally.ended_early
        rows, total = tally.numbers.whole.rows, sum(counts.values())
        alike = tally.expect.has_alike_repeats and rows and total
        self.independent += tally.judged * (rows / total if alike else 1)
        if tally.answers.cost is not None:
            self.cost = (self.cost or 0.0) + tally.answers.cost

    def to_json(self, code: str) -> dict[str, object]:
        judged = self.passed + self.failed
        total = min(judged, max(1, round(self.independent))) if judged else 0
        rate = pass_rate(round(self.failed * total / judged) if judged else 0, total)
        if self.ended_early:  # two bounds, each with half of what may go wrong
            rate = rate_bounds(self.failed, judged, confidence=0.975, sequential=True)
        return {
            **_named(code),
            "tests": len(self.tests),
            "attacks": len(self.attacks),
            "failed": self.failed,
            "judged": judged,
            "errors": self.errors,
            "rate": self.failed / judged if judged else None,
            "low": rate.low,
            "high": rate.high,
            "confidence": 0.95,
            "cost": self.cost,
        }


def risks(sessions: Sequence[SummedSession]) -> Iterator[dict[str, object]]:
    """Yield, for each session, list and model, the categories with tests, and those without that
    could have been tried: of OWASP's list."""
    for number, session in enumerate(sessions):
        tables: dict[tuple[str, str], dict[str, _Risk]] = {}
        for (test, model), tally in sorted(session.summary.tallies.items()):
            pairs = session.tests[test, model].tags
            attack = dict(pairs).get("attack")
            for name, code in pairs:
                if name not in LISTS or attack == _BENIGN:
                    continue
                table = tables.setdefault((name, model), {})
                table.setdefault(code, _Risk()).add(tally, attack)
        for (name, model), table in tables.items():
            yield {
                "session": number,
                "list": LISTS[name],
                "model": model,
                "categories": [table[code].to_json(code) for code in sorted(table)],
                "untried": [_named(c) for c in _OWASP if name == "owasp" and c not in table],
            }


def _named(code: str) -> dict[str, Any]:
    return {"code": code, "name": extension_part("name of a code")(code)}
