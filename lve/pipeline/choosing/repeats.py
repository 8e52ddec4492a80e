"""How often each instance of a test runs, and whether its repeats may end early."""

from __future__ import annotations

from lve.data_classes import dataclass, field
from lve.models.error_kinds import NOT_ASKED
from lve.named_tuples import NamedTuple
from lve.options.run_options import DEFAULTS, RunOptions
from lve.sessions.instance_result import InstanceResult
from lve.settings.settings import Settings
from lve.spec.spec import Expectation, Instance, Spec


def repeats_of(spec: Spec, options: RunOptions, settings: Settings) -> int:
    """Return how often each instance runs at most. The settings' cap limits what a test asks
    for."""
    if options.repeats is not None:
        return options.repeats
    repeats = spec.expect.max_repeats if is_adaptive(spec, options) else spec.repeats
    return min(repeats, settings.caps.repeats)


def is_adaptive(spec: Spec, options: RunOptions) -> bool:
    """Whether repeats end as soon as the pass rate can be decided: the test expects a pass rate,
    and neither test nor options fix the number of repeats.

    A rate about a population isn't adaptive: for it, repeats say less than more instances would.
    """
    expect = spec.expect
    if expect.kind != "rate" or expect.claim == "population" or expect.counts_results:
        return False
    return spec.repeats == 1 and options.repeats is None


def stays_whole(spec: Spec, options: RunOptions, settings: Settings) -> bool:
    """Whether a test belongs to one shard as a whole: all its results are needed to know when its
    repeats end."""
    return is_adaptive(spec, options) and repeats_of(spec, options, settings) > 1


class RepeatPlan(NamedTuple):
    """How often every instance of a test runs."""

    most: int = 1
    """Most repeats."""
    is_sequential: bool = False
    """Whether repeats end as soon as the pass rate can be decided. Otherwise there are `most`."""


def repeat_plan(
    spec: Spec, options: RunOptions, settings: Settings, *, is_replay: bool
) -> RepeatPlan:
    """Return how often every instance of a test runs.

    Args:
        spec: the test.
        options: the run's options.
        settings: the workspace's settings.
        is_replay: whether the model only repeats recorded answers. Then each is read once, whatever
            the options say: reading the same recording twice gives no second observation.
    """
    if is_replay:
        return RepeatPlan(is_sequential=is_adaptive(spec, DEFAULTS))
    repeats = repeats_of(spec, options, settings)
    return RepeatPlan(repeats, is_sequential=repeats > 1 and is_adaptive(spec, options))


@dataclass(slots=True, repr=False, eq=False)
class Rounds:
    """The repeats of a test's instances: after each round, the pass rate may decide that there are
    no more."""

    expect: Expectation
    plan: RepeatPlan
    begun: int = 0
    """How many repeats of every instance were given to the engine, or are about to be."""
    ahead: int = 0
    """About how many results the round has that was begun last; 0 for the first one. The fewer, the
    sooner the pass rate may be decided."""
    counts: dict[int, list[int]] = field(default_factory=dict)
    """Repeat -> [passed, passed or failed, errors]; only for tests that expect a pass rate."""
    is_refused: bool = False
    """Whether the model isn't asked any more because it refused everything: repeats won't help."""

    def numbers(self, instance: Instance, repeats: range) -> range:
        """Return the numbers of an instance's next repeats. It may itself be a repeat, if its
        answers are replayed or a model is asked for them once more."""
        if not instance.repeat:
            return repeats
        before = instance.repeat * self.plan.most
        return range(before + repeats.start, before + repeats.stop)

    def begin(self) -> range:
        """Return the repeats to run before the pass rate is checked next; count them as begun."""
        before = self.begun
        self.begun = self._next_interim_analysis() or before
        if before:
            results = sum(counts[1] + counts[2] for counts in self.counts.values())
            self.ahead = max(1, (self.begun - before) * results // before)
        return range(before, self.begun)

    def count(self, result: InstanceResult) -> None:
        """Count a result of a test that expects a pass rate."""
        counts = self.counts.setdefault(result.repeat, [0, 0, 0])
        counts[0] += result.verdict == "passed"
        counts[1] += result.verdict in ("passed", "failed")
        counts[2] += result.verdict == "error"
        self.is_refused |= result.error_kind == NOT_ASKED

    def needs_more(self) -> bool:
        """Whether the pass rate can't be decided yet and more repeats are allowed."""
        return not self.is_refused and self._next_interim_analysis() is not None

    def _next_interim_analysis(self) -> int | None:
        """Return after how many repeats to check the pass rate next; None if never again."""
        if not self.plan.is_sequential:
            return None if self.begun else self.plan.most
        # late: few tests end early
        from lve.verdicts.expectations.interim import next_interim_analysis

        # A resumed session may have results of later repeats. It must decide without them, as a
        # session that was never interrupted does.
        counted = [counts for repeat, counts in self.counts.items() if repeat < self.begun]
        passed, total, errors = (sum(counts[i] for counts in counted) for i in (0, 1, 2))
        return next_interim_analysis(
            self.expect,
            passed,
            total,
            errors=errors,
            repeats_done=self.begun,
            max_repeats=self.plan.most,
        )
