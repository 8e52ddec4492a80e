"""The numbers of a session: what its tests' tallies add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lve.checkers.contract import Outcome
from lve.messages import Usage
from lve.results.records import InstanceResult
from lve.spec.model import Expectation
from lve.verdicts.agreement import Agreement
from lve.verdicts.asked import Asked
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.rates.clusters import Estimate, population_rate
from lve.verdicts.tally import Tally
from lve.verdicts.wording import instances_text, tests_text
from lve.verdicts.worth import Worth

if TYPE_CHECKING:
    from lve.verdicts.rates.corrected import JudgeErrors


@dataclass(slots=True)
class Summary:
    """The numbers of a session."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    """(test, model) -> its tally, in the order in which they began."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Test -> why it is skipped."""
    unavailable: set[str] = field(default_factory=set)
    """Skipped tests that should have run: their checker is not trusted, or its package or model is
    not installed."""
    invalid: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Test -> what is wrong with it, as `file:line:column: ...`."""

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
        """Announce a test, so that it is in the summary even if none of its instances runs.

        Args:
            test: its path.
            model: it runs against.
            expectation: what should come out.
            numbers: how its results are broken down; None for not at all.
            sequential: whether its repeats end as soon as the pass rate can be decided.
            failures_only: whether only what failed before runs.
            errors: what is known of the errors in its verdicts.
        """
        tally = self.tallies.get((test, model))
        if tally is None:
            tally = Tally(
                test,
                model,
                expectation,
                numbers or Breakdown(),
                sequential,
                has_failures_only=failures_only,
                worth=Worth(errors),
            )
            self.tallies[test, model] = tally
        return tally

    def skip_unavailable(self, test: str, model: str, reason: str) -> None:
        """Mark a test as skipped because something isn't installed or trusted. That is no mistake
        of its own, so it has no verdict."""
        self.skipped[test] = reason
        self.unavailable.add(test)
        self.drop(test, model)

    def drop(self, test: str, model: str) -> None:
        """Remove a test that was announced and can't run."""
        self.tallies.pop((test, model), None)

    def add(self, result: InstanceResult) -> Tally:
        """Count a result and return the tally that it belongs to."""
        tally = self.tallies.get((result.test, result.model))
        if tally is None:
            tally = self.expect(result.test, result.model, Expectation())
        tally.add(result)
        return tally

    def complete(self) -> None:
        """Mark all tests as complete: all their instances have run."""
        for tally in self.tallies.values():
            tally.complete()

    def verdicts(self) -> Counter[Outcome]:
        """Return how many tests (times models) have which verdict. An invalid test has none, even
        if some of its instances ran."""
        return Counter(verdict for verdict, tally in self._judged() if not _advises(verdict, tally))

    def advisory(self) -> Counter[Outcome]:
        """Return how many tests (times models) have which verdict that is only reported. An error
        counts as one, whoever is asked."""
        return Counter(verdict for verdict, tally in self._judged() if _advises(verdict, tally))

    def _judged(self) -> Iterator[tuple[Outcome, Tally]]:
        for tally in self.tallies.values():
            if tally.test not in self.invalid:
                yield tally.verdict()[0], tally

    def instances(self) -> Counter[Outcome]:
        """Return how many instances (times repeats) have which verdict."""
        return sum((tally.counts for tally in self.tallies.values()), Counter())

    def expected_failures(self) -> int:
        """Return how many instances failed in tests that say `expect: fail`."""
        return sum(
            tally.counts["failed"] for tally in self.tallies.values() if tally.expect.kind == "fail"
        )

    def population(self) -> Estimate | None:
        """Return the pass rate of tests like these: the results of one test, against all its
        models, count as one. None without results."""
        tests: dict[str, list[int]] = {}
        for tally in self.tallies.values():
            counts = tests.setdefault(tally.test, [0, 0])
            counts[0] += tally.counts["passed"]
            counts[1] += tally.judged
        return population_rate(Counter((passed, judged) for passed, judged in tests.values()))

    def tests_text(self) -> str:
        """Return how many tests have which verdict, in words."""
        ran = [key for key in self.tallies if key[0] not in self.invalid]
        return tests_text(
            self.verdicts(),
            advisory=self.advisory(),
            tests=len({test for test, _ in ran}),
            models=len({model for _, model in ran}),
            skipped=len(self.skipped),
            invalid=len(self.invalid),
        )

    def instances_text(self) -> str:
        """Return how many instances have which verdict, in words."""
        return instances_text(self.instances(), expected_failures=self.expected_failures())

    def error_kinds(self) -> Counter[str]:
        """Return how often which kind of error ended an instance."""
        return sum((tally.error_kinds for tally in self.tallies.values()), Counter())

    def agreement(self) -> Agreement:
        """Return how recorded and new verdicts agree, over all tests."""
        total = Agreement()
        for tally in self.tallies.values():
            total.merge(tally.agreement)
        return total

    def served(self) -> dict[str, list[str]]:
        """Return model -> the ids that its server reported."""
        ids: dict[str, set[str]] = {}
        for tally in self.tallies.values():
            ids.setdefault(tally.model, set()).update(tally.served)
        return {model: sorted(found) for model, found in ids.items() if found}

    def usage(self) -> Usage:
        """Return the tokens of all completions, those from the cache included."""
        return sum((tally.usage for tally in self.tallies.values()), start=Usage())

    def first_token_s(self) -> float | None:
        """Return the mean time until streamed answers began, in seconds. None if none was streamed;
        answers from the cache don't count."""
        streamed = sum(tally.streamed for tally in self.tallies.values())
        seconds = sum(tally.first_tokens_s for tally in self.tallies.values())
        return seconds / streamed if streamed else None

    def cost(self) -> float | None:
        """Return the cost in US dollars, judges included; None if no model has a price."""
        costs = [cost for one in self.tallies.values() for cost in (one.cost, one.asked.cost)]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known else None

    def asked(self) -> Asked:
        """Return what the models took that checkers asked."""
        total = Asked()
        for tally in self.tallies.values():
            total.merge(tally.asked)
        return total

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as in `lve run --json` (schemas/report.schema.json)."""
        usage, agreement = self.usage(), self.agreement()
        first_token_s = self.first_token_s()
        return {
            "tests": {
                **_counts(self.verdicts()),
                "skipped": len(self.skipped),
                "invalid": len(self.invalid),
                "advisory": self.advisory().total(),
            },
            "instances": _counts(self.instances()),
            "population": _population(self.population()),
            "agreement": {
                "compared": agreement.compared,
                "same": agreement.same,
                "now_failed": agreement.now_failed,
                "now_passed": agreement.now_passed,
            },
            "error_kinds": dict(self.error_kinds().most_common()),
            "usage": {
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
            },
            "cost": self.cost(),
            "asked": self.asked().to_json(),
            "first_token_s": None if first_token_s is None else round(first_token_s, 6),
            "served_models": self.served(),
            "cached": sum(tally.cached for tally in self.tallies.values()),
        }


def _population(found: Estimate | None) -> dict[str, Any] | None:
    return None if found is None else found.to_json("tests")


def _advises(verdict: Outcome, tally: Tally) -> bool:
    return tally.is_advisory and verdict != "error"


def _counts(counter: Counter[Outcome]) -> dict[str, int]:
    outcomes: tuple[Outcome, ...] = ("passed", "failed", "error", "inconclusive")
    return {"total": sum(counter.values()), **{outcome: counter[outcome] for outcome in outcomes}}
