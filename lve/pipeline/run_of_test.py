"""The state of one test that runs against one model: its jobs, its counts, its repeats.

The tallies of many tests share what they have alike: of 2,500 bytes each, 300 remain.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from lve.data_classes import dataclass, field
from lve.pipeline.choosing.repeats import Rounds
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.sessions.instance_result import InstanceResult
from lve.spec import many
from lve.spec.many import packed, whole
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

    stored: Spec | bytes
    """The test; packed while it waits among many others."""
    model: str
    rounds: Rounds
    """How often its instances run."""
    instances: Sequence[Instance] | None = None
    """The submitted instances. None: those that the options select, read one at a time."""
    tally: Tally = field(init=False)
    """The results so far; set when the session announces the test. All submissions of a test share
    one tally."""
    pending: int = 0
    """Jobs (instances times repeats) without a result yet."""
    is_exhausted: bool = False
    """Whether all its jobs were given to the engine."""
    is_given_up: bool = False
    """Whether an error in the test itself ended it."""
    has_gaps: bool = False
    """Whether instances can't run because their lines are wrong."""
    left_out: int = 0
    """Instances (times repeats) that never ran and don't run now, because only errors run again."""
    prepared: PreparedTest | None = None
    """The test as it is executed; None before and after."""

    path: str = field(init=False)
    """`Spec.path`."""
    variant: str | None = field(init=False)
    """`Spec.variant`."""

    def __post_init__(self) -> None:
        self.path, self.variant = self.spec.path, self.spec.variant

    @property
    def spec(self) -> Spec:
        """The test."""
        return self.prepared.spec if self.prepared else whole(self.stored)

    def announce(
        self, summary: Summary, *, failures_only: bool, errors: JudgeErrors | None
    ) -> None:
        """Set the tally: the summary's for this test and model, or a new one that is added to it.

        Args:
            summary: the session's.
            failures_only: whether only instances run that failed in an earlier session.
            errors: the known error rates of the test's check, if it was calibrated.
        """
        spec = self.spec
        self.tally = summary.expect(
            self.path,
            self.model,
            spec.expect,
            numbers=Breakdown.of(spec),
            sequential=self.rounds.plan.is_sequential,
            failures_only=failures_only,
            errors=errors,
        )

    def replayable(self, items: Iterable[Item], *, counts: bool = True) -> Iterator[Item]:
        """Yield what can run, as `BoundAnswers.replayable`, if answers are replayed."""
        bound = self.prepared.bound_answers if self.prepared else None
        if bound is None:
            return iter(items)
        return bound.replayable(
            items, self.tally.coverage.not_recorded, reads=self.rounds.plan.most, counts=counts
        )

    def count(self, result: InstanceResult) -> None:
        """Count a result in the tally, and towards the decision whether more repeats are needed."""
        self.tally.add(result)
        if self.tally.expect.kind == "rate":
            self.rounds.count(result)

    def needs_more(self) -> bool:
        """Whether more repeats are needed, and the test goes on."""
        return not self.is_given_up and self.rounds.needs_more()


class TestRuns(dict[tuple[str, str], TestRun]):
    """(test path, model) -> the run of a whole test. If they are many, those that wait or have run
    take little memory."""

    __test__ = False

    def __init__(self, *, shares: bool) -> None:
        """Args:
        shares: whether equal parts of tallies may be shared, as no earlier results come.
        """
        super().__init__()
        self._shares = shares
        self._alike: SharedParts | None = None

    def add(self, test_run: TestRun) -> None:
        """Add a test that waits."""
        self[test_run.path, test_run.model] = test_run
        are_many_now = len(self) == many.MANY + 1
        for waiting in self.values() if are_many_now else (test_run,):
            self.shrink(waiting)

    def shrink(self, test_run: TestRun) -> None:
        """Make a test small that waits, or has run."""
        if len(self) > many.MANY and test_run.instances is None:
            test_run.stored = packed(test_run.stored)
            if self._shares:
                self._shared_parts().share(test_run.tally)

    def _shared_parts(self) -> SharedParts:
        self._alike = self._alike or SharedParts()
        return self._alike


MAX_PARTS = 10_000
"""Different parts that are kept to be shared."""
MAX_RESULTS = 64
"""Results of a test whose tally is compared with others."""
_PARTS = [
    "numbers",
    "coverage",
    "answers",
    "asked",
    "error_kinds",
    "agreement",
    "examples",
    "calibration",
    "instances",
]


class SharedParts:
    """The parts of the tallies of a session that are alike."""

    def __init__(self) -> None:
        self._parts: dict[Hashable, object] = {}

    def share(self, tally: Tally) -> None:
        """Replace parts of a tally with equal ones of other tallies. It must not be changed any
        more: `Summary.expect` returns a new one."""
        tally.is_shared = tally.total <= MAX_RESULTS
        for name in _PARTS if tally.is_shared else ():
            part = getattr(tally, name)
            key = name, _content(part)
            if len(self._parts) < MAX_PARTS:
                self._parts.setdefault(key, part)
            setattr(tally, name, self._parts.get(key, part))


def _content(value: object) -> Hashable:
    """Return all that an object holds."""
    if isinstance(value, dict):
        return tuple([(key, _content(item)) for key, item in value.items()])
    if isinstance(value, list | tuple | set):
        return tuple(map(_content, value))
    if isinstance(value, array | bytearray):
        return bytes(value)
    names = getattr(value, "__slots__", None)
    return value if names is None else tuple([_content(getattr(value, name)) for name in names])
