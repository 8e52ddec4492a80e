"""Adds up the results of a test, one at a time. To keep memory small, it has counts, the first few
failures and changes, and a few bytes per instance (`per_instance`)."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from typing import TYPE_CHECKING

from lve.checkers.contract import Outcome
from lve.data_classes import dataclass, field
from lve.sessions.instance_result import REPLAY, InstanceResult
from lve.spec.spec import Expectation
from lve.verdicts.agreement import Agreement
from lve.verdicts.answer_counts import AnswerCounts, CheckerUsage
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.calibration_status import CalibrationStatus
from lve.verdicts.coverage import Coverage
from lve.verdicts.per_instance import PerInstance
from lve.verdicts.rates.clusters import Counts, Estimate, population_rate
from lve.verdicts.rates.population import ClusterCounts, observed_rate
from lve.verdicts.rates.statistics import Rate
from lve.verdicts.short_result import ShortResult

if TYPE_CHECKING:
    from lve.verdicts.figures import Figures
    from lve.verdicts.rates.at_k import AtK

MAX_EXAMPLES = 5
"""Failures and errors of a test that are kept as examples."""


@dataclass(slots=True, repr=False, eq=False)
class ResultCounts:
    """The results of one test against one model so far."""

    test: str
    model: str
    expect: Expectation = field(default_factory=Expectation)
    numbers: Breakdown = field(default_factory=Breakdown)
    """Verdicts and mean score, in total and by category."""
    is_sequential: bool = False
    """Whether repeats end as soon as the pass rate can be decided."""
    coverage: Coverage = field(default_factory=Coverage)
    """How much of the test has run."""
    answers: AnswerCounts = field(default_factory=AnswerCounts)
    """What the tested model's answers took, and where they come from."""
    asked: CheckerUsage = field(default_factory=CheckerUsage)
    """Tokens and cost of the models that checkers ask, which `answers` doesn't include."""
    error_kinds: Counter[str] = field(default_factory=Counter)
    agreement: Agreement = field(default_factory=Agreement)
    """The recorded verdicts and the new ones."""
    examples: list[ShortResult] = field(default_factory=list)
    """The results that failed or ended in an error, the first ones in the order of rows."""
    variant: str | None = None
    """The variant of its test's prompt that it is; None if there are none, or no result yet."""
    repeats: int = 0
    """The most repeats that an instance has so far."""
    calibration: CalibrationStatus = field(default_factory=CalibrationStatus)
    """Whether its verdict counts, and the error rates of its judge."""
    instances: PerInstance = field(default_factory=PerInstance)
    """The results of every instance."""
    is_shared: bool = False
    """Whether its parts may also be those of other tests, so that it must not change."""
    clusters: ClusterCounts | None = field(init=False)
    """The results by the value of `expect.cluster`; None if the test has no such column."""

    def __post_init__(self) -> None:
        column = self.expect.cluster
        self.clusters = None if column is None else ClusterCounts(column)

    @property
    def counts(self) -> Counter[Outcome]:
        """Verdict -> number of results."""
        return self.numbers.whole.counts

    @property
    def total(self) -> int:
        """Number of results so far (instances times repeats)."""
        return sum(self.counts.values())

    @property
    def unexpected(self) -> int:
        """Number of results without the verdict that the test expects."""
        return self.total - self.counts[self.expect.wanted]

    @property
    def judged(self) -> int:
        """Number of results that passed or failed."""
        return self.numbers.whole.judged

    @property
    def rate(self) -> Rate:
        """The pass rate without errors: with an interval, or, if the test expects a rate, with the
        bounds that decide. Of repeats that are alike, each instance counts once."""
        passed, counts = self.counts["passed"], self.instances.counts
        sequential = self.ended_early
        return observed_rate(self.expect, passed, self.judged, counts, sequential=sequential)

    @property
    def ended_early(self) -> bool:
        """Whether repeats may have ended because the pass rate could be decided. It is judged more
        strictly then (`statistics.judge_rate`)."""
        return self.is_sequential and (self.model != REPLAY or self.repeats > 1)

    @property
    def is_advisory(self) -> bool:
        """Whether its verdict can't fail a session."""
        return self.calibration.is_advisory

    def corrected(self) -> Estimate | None:
        """Return the pass rate corrected for the error rates of the judge; None if they aren't
        known, or for a single result. It is about the same as the raw rate (`Expectation.claim`).
        """
        errors = self.calibration.known_errors
        if errors is None or self.judged < 2 or self.coverage.has_failures_only:
            return None
        from lve.verdicts.rates.corrected import corrected_for_clusters, corrected_for_results

        passed, confidence = self.counts["passed"], self.expect.confidence
        if self.expect.claim == "population":
            return corrected_for_clusters(self.cluster_counts(), errors, confidence=confidence)
        return corrected_for_results(
            passed, self.judged, errors, confidence=confidence, sequential=self.ended_early
        )

    def cluster_counts(self) -> Counts:
        """Return the results by cluster: by instance, unless `expect.cluster` names a column."""
        return self.instances.counts() if self.clusters is None else self.clusters.counts()

    def population(self) -> Estimate | None:
        """Return the pass rate of the population of the instances; None without results. It has the
        bounds that decide if the test makes a claim about the population, else an interval."""
        is_claimed = self.expect.kind == "rate" and self.expect.claim == "population"
        confidence = self.expect.confidence
        return population_rate(self.cluster_counts(), confidence=confidence, has_bounds=is_claimed)

    def figures(self) -> Figures:
        """Return the statistics of the repeats of all rows."""
        from lve.verdicts.figures import Figures  # Late, like others here: few callers need it.

        rate, confidence = self.population(), self.expect.confidence
        return Figures.of(self.instances, rate, confidence, has_shares=self.numbers.has_shares)

    def at_k(self, k: int, *, share: float = 0.75) -> AtK | None:
        """Return the statistics of k answers to the same question; None if no instance has so many.

        Args:
            k: from 1.
            share: that must pass for G-Pass@k, above 0 and up to 1.
        """
        from lve.verdicts.rates.at_k import at_k

        return at_k(self.instances.counts(), k, share=share, confidence=self.expect.confidence)

    def add(self, result: InstanceResult) -> None:
        """Count a result."""
        self.variant = result.variant
        self.numbers.add(result)
        self.instances.add(result)
        if result.repeat >= self.repeats:
            self.repeats = result.repeat + 1
        if self.clusters is not None:
            self.clusters.add(result)
        if result.error_kind is not None:
            self.error_kinds[result.error_kind] += 1
        if result.verdict != "passed" or self.expect.kind == "fail":
            self.note(result)
        if result.advisory or result.asked:
            self.calibration.add(result)
            if result.asked:
                self.asked.add(result.asked)
        if result.recorded is not None:
            self.agreement.add(result)
        self.answers.add(result)

    def note(self, result: InstanceResult) -> None:
        """Keep a result as an example if it is one of the first that fail."""
        if result.verdict == self.expect.wanted:
            return
        if len(self.examples) < MAX_EXAMPLES or ShortResult.order(result) < self.examples[-1][:3]:
            insort(self.examples, ShortResult.of(result), key=ShortResult.order)
            del self.examples[MAX_EXAMPLES:]
        if result.verdict == self.expect.unwanted and not result.advisory:
            self.calibration.has_binding_failure = True

    def errors_text(self) -> str:
        """Return how many results ended in an error, in words."""
        return f"{self.counts['error']} of {self.total} ended in an error"

    def so_far(self, reason: str) -> str:
        """Return a reason, and that the test is unfinished if it is."""
        return reason if self.coverage.is_complete else f"{reason}; {self.unfinished_text()}"

    def unfinished_text(self) -> str:
        """Return how much is done and why not more, in words."""
        return self.coverage.unfinished_text(self.total)
