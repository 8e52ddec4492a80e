"""A test and a model it runs against, and how far that has come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lve.error_kinds import NOT_ASKED
from lve.pipeline.choosing.select import RepeatPlan
from lve.pipeline.execute import PreparedTest
from lve.results.records import InstanceResult
from lve.spec.model import Instance, Spec
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

if TYPE_CHECKING:
    from lve.verdicts.rates.corrected import JudgeErrors


@dataclass(slots=True, repr=False, eq=False)
class TestRun:
    """A test, or some of its instances, with a model, and how far that has come."""

    __test__ = False  # so that pytest collects no class of that name

    spec: Spec
    model: str
    plan: RepeatPlan
    instances: Sequence[Instance] | None = None
    """Those that were submitted. None: those that the options select, read one at a time."""
    tally: Tally = field(init=False)
    """What came out of the test so far, once it is announced. All that is submitted of a test
    shares one."""
    repeats: int = 0
    """How many repeats of every instance have been taken up."""
    rounds: dict[int, list[int]] = field(default_factory=dict)
    """Repeat -> [passed, passed or failed, errors], where a pass rate is expected."""
    pending: int = 0
    """Instances (times repeats) that are under way."""
    is_exhausted: bool = False
    """Whether all its instances have been taken up."""
    is_refused: bool = False
    """Whether the model isn't asked any more, because it refused everything: repeats won't help."""
    is_given_up: bool = False
    """Whether an error in the test itself ended it."""
    has_gaps: bool = False
    """Whether instances were left out that can't have a result: their lines are wrong."""
    left_out: int = 0
    """Instances (times repeats) without a result that didn't run, because only errors run again."""
    prepared: PreparedTest | None = None
    """While it runs."""

    @property
    def judged_by(self) -> Callable[[], str] | None:
        """What gives the sum of its checkers, while it runs."""
        return self.prepared.judged_by if self.prepared else None

    @property
    def is_done(self) -> bool:
        """Whether nothing of it is left to do."""
        return self.is_exhausted and self.pending == 0

    def announce(
        self, summary: Summary, *, failures_only: bool, errors: JudgeErrors | None
    ) -> None:
        """Have the test in a summary, even if nothing of it runs.

        Args:
            summary: of the session.
            failures_only: whether only what failed before runs.
            errors: what is known of the errors in its verdicts.
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

    def next_repeats(self) -> range:
        """Take up the repeats until the next look at the pass rate, and return them."""
        before = self.repeats
        self.repeats = self._next_look() or before
        return range(before, self.repeats)

    def count_round(self, result: InstanceResult) -> None:
        """Count a result for the decision whether more repeats are needed."""
        if self.spec.expect.kind == "rate":
            counts = self.rounds.setdefault(result.repeat, [0, 0, 0])
            counts[0] += result.verdict == "passed"
            counts[1] += result.verdict in ("passed", "failed")
            counts[2] += result.verdict == "error"
            self.is_refused |= result.error_kind == NOT_ASKED

    def needs_more(self) -> bool:
        """Whether more repeats are allowed, and the statistics can't tell yet."""
        if self.is_refused or self.is_given_up:
            return False
        return self._next_look() is not None

    def _next_look(self) -> int | None:
        """Return after how many repeats to look at the pass rate next; None for never."""
        if not self.plan.is_sequential:
            return None if self.repeats else self.plan.most
        from lve.verdicts.looks import next_look  # late: few tests end early

        # Only what these repeats gave: a resumed session must decide as one that went through.
        counted = [counts for repeat, counts in self.rounds.items() if repeat < self.repeats]
        passed, total, errors = (sum(counts[i] for counts in counted) for i in (0, 1, 2))
        return next_look(
            self.spec.expect,
            passed,
            total,
            errors=errors,
            repeats_done=self.repeats,
            max_repeats=self.plan.most,
        )
