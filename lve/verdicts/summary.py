"""Adds up the tallies of a session's tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lve.checkers.contract import Outcome
from lve.data_classes import dataclass, field
from lve.messages import Usage
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation
from lve.verdicts.agreement import Agreement
from lve.verdicts.answer_counts import AnsweringModels, CheckerUsage, tokens_json
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.calibration_status import CalibrationStatus
from lve.verdicts.coverage import Coverage, NotRecorded
from lve.verdicts.per_instance import PerInstance, rows_of
from lve.verdicts.rates.clusters import Estimate, population_rate
from lve.verdicts.tally import Tally
from lve.verdicts.wording import results_text, tests_text

if TYPE_CHECKING:
    from lve.verdicts.rates.corrected import JudgeErrors

_AGREEMENT = ("compared", "same", "now_failed", "now_passed")


@dataclass(slots=True)
class Summary:
    """The numbers of a session."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    """(test, model) -> tally, in the order in which the tests started."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Test -> why it is skipped."""
    unavailable: set[str] = field(default_factory=set)
    """Tests that are skipped because a checker isn't trusted, or a package or model isn't
    installed."""
    unrecorded: dict[tuple[str, str], NotRecorded] = field(default_factory=dict)
    """(test, model) -> its rows, of tests that are skipped because none of them is recorded."""
    invalid: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Test -> its problems, as `file:line:column: ...`."""

    def expect(
        self,
        test: str,
        model: str,
        expectation: Expectation,
        *,
        numbers: Breakdown | None = None,
        sequential: bool = False,
        failures_only: bool = False,
        errors: JudgeErrors | None = None,
    ) -> Tally:
        """Add a test, so that it is in the summary even if none of its instances runs. If it is
        there, only a tally that is shared is replaced.

        Args:
            test: its path.
            model: that it runs against.
            expectation: of the test.
            numbers: for its results; None: without categories.
            sequential: whether its repeats end as soon as the pass rate can be decided.
            failures_only: whether only instances run that failed before.
            errors: measured error rates of its judge.
        """
        tally = self.tallies.get((test, model))
        if tally is None or tally.is_shared:
            rates = errors if tally is None else tally.calibration.errors
            tally = Tally(
                test,
                model,
                expectation,
                numbers or Breakdown(),
                sequential,
                Coverage(has_failures_only=failures_only),
                calibration=CalibrationStatus(rates),
            )
            self.tallies[test, model] = tally
        return tally

    def skip_unavailable(self, test: str, model: str, reason: str) -> None:
        """Record that a test is skipped because something isn't installed or trusted. It has no
        verdict, because the test itself is fine."""
        self.skipped[test] = reason
        self.unavailable.add(test)
        tally = self.tallies.get((test, model))
        if tally is not None and tally.coverage.not_recorded.results:
            self.unrecorded[test, model] = tally.coverage.not_recorded
        self.drop(test, model)

    def drop(self, test: str, model: str) -> None:
        """Remove a test that can't run."""
        self.tallies.pop((test, model), None)

    def add(self, result: InstanceResult) -> Tally:
        """Count a result and return the tally of its test."""
        pair = result.test, result.model
        tally = self.tallies.get(pair) or self.expect(*pair, Expectation())
        tally.add(result)
        return tally

    def complete(self) -> None:
        """Record that all instances of all tests have run."""
        for tally in self.tallies.values():
            tally.coverage.complete()

    @property
    def is_broken_down(self) -> bool:
        """Whether there are rates by column or tag, labels, or metrics over all results."""
        numbers = [tally.numbers for tally in self.tallies.values()]
        return any(n.by or n.labels or n.parts or n.overall or n.member_of for n in numbers)

    def verdicts(self) -> Counter[Outcome]:
        """Return verdict -> number of tests (times models), without advisory verdicts. An invalid
        test has no verdict, even if some of its instances ran."""
        return Counter(verdict for verdict, tally in self._judged() if not _advises(verdict, tally))

    def advisory(self) -> Counter[Outcome]:
        """Return verdict -> number of tests (times models) whose verdict is advisory. Errors are
        never advisory."""
        return Counter(verdict for verdict, tally in self._judged() if _advises(verdict, tally))

    def _judged(self) -> Iterator[tuple[Outcome, Tally]]:
        for tally in self.tallies.values():
            if tally.test not in self.invalid:
                yield tally.verdict()[0], tally

    def results(self) -> Counter[Outcome]:
        """Return verdict -> number of results (instances times repeats times models)."""
        return sum((tally.counts for tally in self.tallies.values()), Counter())

    def binding_errors(self) -> int:
        """Return how many results are errors, without those that their test allows."""
        counts = ((tally.expect, tally.counts["error"]) for tally in self.tallies.values())
        return sum(errors for expect, errors in counts if not expect.allows_errors(errors))

    def rows(self) -> int:
        """Return how many instances of all tests have a result. One that several models answered
        counts once."""
        tests: dict[str, list[PerInstance]] = {}
        for tally in self.tallies.values():
            tests.setdefault(tally.test, []).append(tally.instances)
        return sum(map(rows_of, tests.values()))

    def expected_failures(self) -> int:
        """Return how many results failed in tests with `expect: fail`."""
        return sum(
            tally.counts["failed"] for tally in self.tallies.values() if tally.expect.kind == "fail"
        )

    def population(self) -> Estimate | None:
        """Return the pass rate of the population of the tests; None without results. The results of
        a test against all its models are one cluster."""
        tests: dict[str, list[int]] = {}
        for tally in self.tallies.values():
            counts = tests.setdefault(tally.test, [0, 0])
            counts[0] += tally.counts["passed"]
            counts[1] += tally.judged
        return population_rate(Counter((passed, judged) for passed, judged in tests.values()))

    def tests_text(self) -> str:
        """Return the numbers of tests by verdict as a text."""
        ran = [key for key in self.tallies if key[0] not in self.invalid]
        return tests_text(
            self.verdicts(),
            advisory=self.advisory(),
            tests=len({test for test, _ in ran}),
            models=len({model for _, model in ran}),
            skipped=len(self.skipped),
            invalid=len(self.invalid),
        )

    def results_text(self) -> str:
        """Return the numbers of results by verdict as a text, with the rows that they are of."""
        ran = [tally for tally in self.tallies.values() if tally.total]
        return results_text(
            self.results(),
            expected_failures=self.expected_failures(),
            rows=self.rows(),
            models=len({tally.model for tally in ran}),
            repeats=max((tally.repeats for tally in ran), default=1),
        )

    def error_kinds(self) -> Counter[str]:
        """Return kind of error -> number of results."""
        return sum((tally.error_kinds for tally in self.tallies.values()), Counter())

    def agreement(self) -> Agreement:
        """Return the comparison of recorded and new verdicts over all tests."""
        total = Agreement()
        for tally in self.tallies.values():
            total.merge(tally.agreement)
        return total

    @property
    def unbound(self) -> int:
        """Number of replayed answers that don't say which prompt they are for."""
        return sum(tally.answers.unbound for tally in self.tallies.values())

    def answering(self) -> AnsweringModels:
        """Return how many of the replayed answers each recorded model gave."""
        total = AnsweringModels()
        for tally in self.tallies.values():
            total.merge(tally.answers.answering)
        return total

    def not_recorded(self) -> NotRecorded:
        """Return the rows that a replay left out because no answer of theirs is recorded."""
        total = NotRecorded()
        for tally in self.tallies.values():
            total.merge(tally.coverage.not_recorded)
        return total

    def served(self) -> dict[str, list[str]]:
        """Return model -> ids that its server returned."""
        ids: dict[str, set[str]] = {}
        for tally in self.tallies.values():
            ids.setdefault(tally.model, set()).update(tally.answers.served)
        return {model: sorted(served) for model, served in ids.items() if served}

    def usage(self) -> Usage:
        """Return the tokens of all completions, including those from the cache."""
        return sum((tally.answers.usage for tally in self.tallies.values()), start=Usage())

    def first_token_s(self) -> float | None:
        """Return the mean time in seconds until streamed answers began, without those from the
        cache; None if none was streamed."""
        streamed = sum(tally.answers.streamed for tally in self.tallies.values())
        seconds = sum(tally.answers.first_tokens_s for tally in self.tallies.values())
        return seconds / streamed if streamed else None

    def cost(self) -> float | None:
        """Return the cost in US dollars, including judges; None if no model has a price."""
        costs = [
            cost
            for tally in self.tallies.values()
            for cost in (tally.answers.cost, tally.asked.cost)
        ]
        priced = [cost for cost in costs if cost is not None]
        return sum(priced) if priced else None

    def asked(self) -> CheckerUsage:
        """Return tokens and cost of the models that checkers ask."""
        total = CheckerUsage()
        for tally in self.tallies.values():
            total.merge(tally.asked)
        return total

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as in `lve run --json` (schemas/report.schema.json)."""
        results, agreement = verdict_counts(self.results()), self.agreement()
        first_token_s = self.first_token_s()
        return {
            "tests": {
                **verdict_counts(self.verdicts()),
                "skipped": len(self.skipped),
                "invalid": len(self.invalid),
                "advisory": self.advisory().total(),
            },
            "instances": results,
            "results": results,
            "rows": self.rows(),
            "population": _population(self.population()),
            "agreement": {name: getattr(agreement, name) for name in _AGREEMENT},
            "unbound": self.unbound,
            "not_recorded": self.not_recorded().count,
            "error_kinds": dict(self.error_kinds().most_common()),
            "usage": tokens_json(self.usage()),
            "cost": self.cost(),
            "asked": self.asked().to_json(),
            "first_token_s": None if first_token_s is None else round(first_token_s, 6),
            "served_models": self.served(),
            "cached": sum(tally.answers.cached for tally in self.tallies.values()),
        }


def _population(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate.to_json("tests")


def _advises(verdict: Outcome, tally: Tally) -> bool:
    return tally.is_advisory and verdict != "error"


def verdict_counts(counter: Counter[Outcome]) -> dict[str, int]:
    """Return numbers by verdict as in reports, with their total."""
    outcomes: tuple[Outcome, ...] = ("passed", "failed", "error", "inconclusive")
    return {"total": sum(counter.values()), **{outcome: counter[outcome] for outcome in outcomes}}
