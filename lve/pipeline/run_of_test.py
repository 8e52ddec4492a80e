"""The state of one test that runs against one model: its jobs, its counts, its repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from lve.error_kinds import NOT_ASKED
from lve.pipeline.choosing.repeats import RepeatPlan
from lve.pipeline.prepared_test import PreparedTest
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Instance, Spec
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

if TYPE_CHECKING:
    from lve.verdicts.rates.corrected import JudgeErrors

Item = TypeVar("Item")


@dataclass(slots=True, repr=False, eq=False)
class TestRun:
    """A test, or some of its instances, that runs against a model."""

    __test__ = False  # pytest must not collect it

    spec: Spec
    model: str
    plan: RepeatPlan
    instances: Sequence[Instance] | None = None
    """The submitted instances. None: those that the options select, read one at a time."""
    tally: Tally = field(init=False)
    """The results so far; set when the session announces the test. All submissions of a test share
    one tally."""
    repeats: int = 0
    """How many repeats of every instance were given to the engine, or are about to be."""
    rounds: dict[int, list[int]] = field(default_factory=dict)
    """Repeat -> [passed, passed or failed, errors]; only for tests that expect a pass rate."""
    pending: int = 0
    """Jobs (instances times repeats) without a result yet."""
    is_exhausted: bool = False
    """Whether all its jobs were given to the engine."""
    is_refused: bool = False
    """Whether the model isn't asked any more because it refused everything: repeats won't help."""
    is_given_up: bool = False
    """Whether an error in the test itself ended it."""
    has_gaps: bool = False
    """Whether instances can't run because their lines are wrong."""
    left_out: int = 0
    """Instances (times repeats) that never ran and don't run now, because only errors run again."""
    prepared: PreparedTest | None = None
    """The test as it is executed; None before and after."""

    @property
    def judged_by(self) -> Callable[[], str] | None:
        """Returns the hash of the test's checkers; None before and after it runs."""
        return self.prepared.judged_by if self.prepared else None

    @property
    def is_done(self) -> bool:
        """Whether all its jobs were given to the engine and have results."""
        return self.is_exhausted and self.pending == 0

    def announce(
        self, summary: Summary, *, failures_only: bool, errors: JudgeErrors | None
    ) -> None:
        """Set the tally: the summary's for this test and model, or a new one that is added to it.

        Args:
            summary: the session's.
            failures_only: whether only instances run that failed in an earlier session.
            errors: the known error rates of the test's check, if it was calibrated.
        """
        self.tally = summary.expect(
            self.spec.path,
            self.model,
            self.spec.expect,
            numbers=Breakdown.of(self.spec),
            sequential=self.plan.is_sequential,
            failures_only=failures_only,
            errors=errors,
        )

    def replayable(self, items: Iterable[Item], *, counts: bool = True) -> Iterator[Item]:
        """Yield what can run, as `BoundAnswers.replayable`, if answers are replayed."""
        bound = self.prepared.bound_answers if self.prepared else None
        if bound is None:
            return iter(items)
        return bound.replayable(
            items, self.tally.coverage.not_recorded, reads=self.plan.most, counts=counts
        )

    def numbers(self, instance: Instance, repeats: range) -> range:
        """Return the numbers of an instance's next repeats. It may itself be a repeat, if its
        answers are replayed or a model is asked for them once more."""
        before = instance.repeat * self.plan.most
        return range(before + repeats.start, before + repeats.stop)

    def next_repeats(self) -> range:
        """Return the repeats to run before the pass rate is checked next; count them as begun."""
        before = self.repeats
        self.repeats = self._next_interim_analysis() or before
        return range(before, self.repeats)

    def count(self, result: InstanceResult) -> None:
        """Count a result in the tally and in its round."""
        self.tally.add(result)
        self.count_round(result)

    def count_round(self, result: InstanceResult) -> None:
        """Count a result towards the decision whether more repeats are needed."""
        if self.spec.expect.kind == "rate":
            counts = self.rounds.setdefault(result.repeat, [0, 0, 0])
            counts[0] += result.verdict == "passed"
            counts[1] += result.verdict in ("passed", "failed")
            counts[2] += result.verdict == "error"
            self.is_refused |= result.error_kind == NOT_ASKED

    def needs_more(self) -> bool:
        """Whether the pass rate can't be decided yet and more repeats are allowed."""
        if self.is_refused or self.is_given_up:
            return False
        return self._next_interim_analysis() is not None

    def _next_interim_analysis(self) -> int | None:
        """Return after how many repeats to check the pass rate next; None if never again."""
        if not self.plan.is_sequential:
            return None if self.repeats else self.plan.most
        from lve.verdicts.interim import next_interim_analysis  # late: few tests end early

        # A resumed session may have results of later repeats. It must decide without them, as a
        # session that was never interrupted does.
        counted = [counts for repeat, counts in self.rounds.items() if repeat < self.repeats]
        passed, total, errors = (sum(counts[i] for counts in counted) for i in (0, 1, 2))
        return next_interim_analysis(
            self.spec.expect,
            passed,
            total,
            errors=errors,
            repeats_done=self.repeats,
            max_repeats=self.plan.most,
        )
