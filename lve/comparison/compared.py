"""The result of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lve.comparison.side import Side, SideFacts
from lve.data_classes import dataclass
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import InstanceResult
from lve.settings.settings import ComparisonSettings
from lve.verdicts.rates.clusters import Estimate
from lve.verdicts.rates.difference import PairCounts
from lve.verdicts.rates.paired import PValue

Standing = Literal["worse", "better", "undecided", "blind"]
"""`worse`, `better`: significant. `undecided`: not significant. `blind`: no result could have been
significant, because there are too few instances."""
Kind = Literal["broken", "fixed"]
"""Kind of flip. `broken`: passed before and fails now. `fixed`: failed before and passes now."""


class Cause(NamedTuple):
    """A change that may have caused a flip."""

    name: str
    """One of `CAUSES`."""
    detail: str = ""
    """What exactly changed, such as names of args, or both models."""

    def __str__(self) -> str:
        return f"{self.name} ({self.detail})" if self.detail else self.name


CAUSES: Mapping[str, str] = {
    "prompt": "other messages were sent",
    "parameters": "the row has other parameters",
    "model args": "temperature and the like are others",
    "model": "another model was asked",
    "served model": "the server answered as another model",
    "checker": "the checks, or their arguments or code, are others",
    "judge": "another model judges, or it said something else about the same answer",
    "data": "the test's data is another",
    "document": "the test document is another, not known in what",
    "lve": "another version of lve ran it",
    "answer": "nothing of the test changed; the answer did",
    "unknown": "nothing known of the test changed; the baseline keeps no answers, so whether they "
    "changed can't be known",
    "nothing": "nothing known changed",
}
"""Cause -> what it means."""
NOTHING = Cause("nothing")
UNKNOWN = Cause("unknown", "the baseline keeps no answers")
ANSWER = Cause("answer")
"""Nothing of the test changed, but the answer did."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two pass rates of the same instances differ."""

    counts: PairCounts
    """Counts of pairs with a verdict on both sides."""
    clusters: int
    """Number of independent units: instances."""
    before: Estimate
    now: Estimate
    change: Estimate
    """The rate now minus the rate before."""
    p: PValue
    adjusted: float
    """The p value, adjusted for all differences of the comparison."""
    detectable: float | None
    """The smallest drop that is found with a chance of 80 %; None if no drop could be found."""
    standing: Standing


@dataclass(frozen=True, slots=True)
class ComparedTest:
    """One test against one model, before and now."""

    test: str
    model_before: str
    model_now: str
    difference: Difference | None
    """None if no pair has a verdict on both sides."""
    no_verdict: int = 0
    """Pairs with an error or an inconclusive result on either side, which don't count."""
    new: int = 0
    """Results that only the later side has."""
    gone: int = 0
    """Results that only the earlier side has."""
    lost: int = 0
    """Pairs that had a verdict before and have none now."""
    is_advisory: bool = False
    """Whether its checks are advisory, so that it is never a regression."""
    changes: tuple[Cause, ...] = ()
    """What is known to have changed of the test, whether or not a verdict flipped."""

    @property
    def model(self) -> str:
        """The model's name, or `BEFORE → NOW`."""
        same = self.model_before == self.model_now
        return self.model_now if same else f"{self.model_before} → {self.model_now}"


@dataclass(frozen=True, slots=True)
class Flip:
    """A pair of results with different verdicts."""

    kind: Kind
    test: str
    model_before: str
    model_now: str
    source: str
    """The instance's file now; empty if unknown."""
    line: int
    repeat: int
    causes: tuple[Cause, ...]
    before_at: int
    """Positions of the results, for `Side.result`."""
    now_at: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, compared instance by instance."""

    sides: tuple[Side, Side]
    """Before and now."""
    settings: ComparisonSettings
    tests: tuple[ComparedTest, ...]
    """In the order of the earlier side."""
    overall: Difference | None
    """All tests together, row by row; None if there is only one test."""
    flips: tuple[Flip, ...]
    """The first flips, broken ones first."""
    broken: int
    """Number of all broken flips."""
    fixed: int
    has_repeats: bool
    """Whether an instance has several results, so that flips are expected."""

    @property
    def alpha(self) -> float:
        """The chance of a false alarm among all tests, if nothing has changed."""
        return self.settings.alpha

    @property
    def threshold(self) -> float:
        """A smaller drop isn't a regression, even if it is significant."""
        return self.settings.threshold

    @property
    def before(self) -> SideFacts:
        """The earlier side."""
        return self.sides[0].facts

    @property
    def now(self) -> SideFacts:
        """The later side."""
        return self.sides[1].facts

    @property
    def regressions(self) -> tuple[ComparedTest, ...]:
        """Tests that are significantly worse by more than the threshold, without advisory ones."""
        return tuple(
            test for test in self.tests if not test.is_advisory and self._is_drop(test.difference)
        )

    @property
    def has_significant_drop(self) -> bool:
        """Whether a test, or all tests together, are significantly worse."""
        return bool(self.regressions) or self._is_drop(self.overall)

    @property
    def whole(self) -> Difference | None:
        """The difference of all binding tests together; that of the only one if there is one."""
        if self.overall is not None:
            return self.overall
        binding = [test.difference for test in self.tests if not test.is_advisory]
        compared = [difference for difference in binding if difference is not None]
        return compared[0] if len(compared) == 1 else None

    @property
    def unjudged(self) -> tuple[ComparedTest, ...]:
        """Tests that may hide a regression: results that had a verdict have none now. All tests,
        if nothing could be compared."""
        binding = [test for test in self.tests if not test.is_advisory]
        if all(test.difference is None for test in binding):
            return tuple(binding)
        return tuple(test for test in binding if test.lost)

    def results_of(self, flip: Flip) -> tuple[InstanceResult | None, InstanceResult | None]:
        """Return the whole results before and now; None if a side doesn't keep them.

        Raises:
            SessionError: a side can't be read any more.
        """
        before, now = self.sides
        return before.result(flip.before_at), now.result(flip.now_at)

    def _is_drop(self, difference: Difference | None) -> bool:
        return (
            difference is not None
            and difference.standing == "worse"
            and -difference.change.value > self.threshold
        )
