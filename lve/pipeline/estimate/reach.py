"""What the pass rates of tests can decide, before anything is paid for; a rate that can never be
shown is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lve.errors import Problem, SpecError
from lve.escape import escape_line
from lve.execution.workers import WaitFor
from lve.pipeline.choosing.loading import models_named
from lve.pipeline.choosing.select import RepeatPlan, repeat_plan, repeats_of
from lve.pipeline.model_args import for_model
from lve.results.records import REPLAY
from lve.run_options import DEFAULTS, PICKING, RunOptions
from lve.settings.settings import Settings
from lve.spec.model import Expectation, Instance, Spec
from lve.verdicts.power import (
    OutcomeProbabilities,
    instances_for_power,
    outcome_probabilities,
    rates_around_threshold,
    repeats_for_power,
)
from lve.verdicts.rates.population import MAX_CLUSTERS, cluster_of
from lve.verdicts.sample_size import (
    BestCase,
    best_case,
    higher_is_better,
    instances_needed,
    repeats_needed,
)
from lve.verdicts.wording import amount, bound

CHOICES = (*PICKING, "parameters", "repeats")
"""Options that make a run smaller than its test is, or larger. Then it may decide nothing, and the
test isn't to blame."""
POWER = 0.8
"""A test that decides less often at a telling rate gets a suggestion."""
FURTHER = 10
"""Times as many runs are thought of for it."""


@dataclass(slots=True)
class Size:
    """How many instances a test has, and how many clusters they make if its rate counts those."""

    instances: int = 0
    column: str | None = None
    """That makes the clusters; None: each instance counts."""
    clusters: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, spec: Spec, found: Iterable[object] = ()) -> Size:
        """Return the size of a test.

        Args:
            spec: the test.
            found: its instances; anything else among them doesn't count.
        """
        expect = spec.expect
        size = cls(column=expect.cluster if expect.claim == "population" else None)
        for one in found:
            if isinstance(one, Instance):
                size.add(one)
        return size

    def add(self, instance: Instance) -> None:
        """Count an instance."""
        self.instances += 1
        if self.column is not None and len(self.clusters) < MAX_CLUSTERS:
            self.clusters.add(cluster_of(instance.args, self.column))

    @property
    def units(self) -> int:
        """How many independent results its rate can have from one repeat."""
        return self.instances if self.column is None else len(self.clusters)

    @property
    def noun(self) -> str:
        """What is counted."""
        return "instance" if self.column is None else "cluster"

    def __str__(self) -> str:
        by = "" if self.column is None else f" by {escape_line(self.column)}"
        return f"{amount(self.units, self.noun)}{by}"


class Prospect(NamedTuple):
    """What a test's pass rate can decide."""

    expect: Expectation
    size: Size
    reach: BestCase
    chances: tuple[OutcomeProbabilities, ...]
    """For some true rates, the best first."""
    enough_repeats: int | None = None
    """`max_repeats` with which the test decides with a chance of `POWER` at the second of these
    rates. None: it does so already, or no number that the settings allow does."""
    enough_instances: int | None = None
    """About how many instances, or clusters, would do so, if no number of repeats does."""


def is_as_written(options: RunOptions) -> bool:
    """Whether a run has all the instances and repeats that its tests say."""
    return all(getattr(options, name) == getattr(DEFAULTS, name) for name in CHOICES)


def prospect(
    spec: Spec, size: Size, settings: Settings, options: RunOptions = DEFAULTS
) -> Prospect:
    """Return what a test's pass rate can decide.

    Args:
        spec: a test with a pass rate, as it is for the model (`for_model`).
        size: its own.
        settings: the maintainer's.
        options: the user's.
    """
    expect = spec.expect
    repeats, sequential = _counting(spec, options, settings)
    units = size.units
    chances = tuple(
        outcome_probabilities(expect, units, repeats, sequential=sequential, rate=rate)
        for rate in rates_around_threshold(expect)
    )
    if not sequential:
        runs = size.instances * repeats_of(spec, options, settings)
        chances = tuple(one._replace(runs=runs) for one in chances)
    found = Prospect(
        expect, size, best_case(expect, units, repeats, sequential=sequential), chances
    )
    rate = chances[1].rate
    if chances[1].decided >= POWER:
        return found
    if not sequential:
        enough = instances_for_power(expect, repeats, rate=rate, power=POWER)
        return found._replace(enough_instances=enough)
    most = FURTHER * repeats
    enough = repeats_for_power(expect, units, most, rate=rate, power=POWER)
    if enough is None:
        return found
    if enough <= settings.caps.repeats:
        return found._replace(enough_repeats=enough)
    return found._replace(enough_instances=-(-enough * units // repeats))


def unreachable(spec: Spec, size: Size, settings: Settings) -> Problem | None:
    """Return what is wrong with a pass rate that can't be met; None if it can, or there is none, or
    there are no instances.

    Args:
        spec: the test.
        size: its own.
        settings: the maintainer's.
    """
    if spec.expect.kind != "rate" or not size.instances:
        return None
    repeats, sequential = _counting(spec, DEFAULTS, settings)
    found = best_case(spec.expect, size.units, repeats, sequential=sequential)
    if found.can_pass:
        return None
    assert spec.expect_position is not None
    message = _message(spec.expect, size, found)
    hint = _hint(spec, size, found, settings, sequential)
    return spec.expect_position.problem(message, hint, code="expectation")


def reach_problems(
    spec: Spec, size: Size, options: RunOptions, settings: Settings
) -> list[Problem]:
    """Return what is wrong with a test's pass rate if it runs as it is written.

    Args:
        spec: the test.
        size: its own.
        options: the user's. What they make smaller is not refused, and neither is a replay.
        settings: the maintainer's.
    """
    if options.models == (REPLAY,) or not is_as_written(options):
        return []
    problem = unreachable(spec, size, settings)
    return [problem] if problem else []


def reach_problems_for_all(
    spec: Spec, size: Size, options: RunOptions, settings: Settings
) -> list[Problem]:
    """Return `reach_problems` of a test whose pass rate can't be met with any of its models. Where
    it can with some, its runs against the others say so.

    Args:
        spec: the test as it was loaded.
        size: its own.
        options: the user's.
        settings: the maintainer's.
    """
    models = models_named(spec, options, settings)
    specs = [for_model(spec, model, options, settings) for model in models] or [spec]
    found = [reach_problems(one, size, options, settings) for one in specs]
    return found[0] if all(found) else []


def check_reach(
    spec: Spec, settings: Settings, found: Iterable[Instance | Problem | WaitFor]
) -> Iterator[WaitFor]:
    """Refuse a test whose pass rate can't be met. Reads no more instances than it takes to know.

    Args:
        spec: a test with a pass rate.
        settings: the maintainer's.
        found: its instances.

    Yields:
        What to wait for.

    Raises:
        SpecError: the pass rate can't be met.
    """
    repeats, sequential = _counting(spec, DEFAULTS, settings)
    enough = instances_needed(spec.expect, repeats, sequential=sequential)
    size = Size.of(spec)
    for one in found if enough != 1 else ():
        if isinstance(one, WaitFor):
            yield one
        elif isinstance(one, Instance):
            size.add(one)
            if size.units == enough:
                return
    if problem := unreachable(spec, size, settings):
        raise SpecError([problem])


def _counting(spec: Spec, options: RunOptions, settings: Settings) -> RepeatPlan:
    """Return how many repeats count. What all instances say about their population is sure only as
    if each had run once: repeats may all give the same."""
    if spec.expect.counts_clusters:
        return RepeatPlan()
    return repeat_plan(spec, options, settings, is_replay=False)


def _message(expect: Expectation, size: Size, found: BestCase) -> str:
    what, side, end = "pass", "low", found.best.low
    if not higher_is_better(expect):
        what, side, end = "fail", "high", found.best.high
    repeats = f" and at most {amount(found.repeats, 'repeat')}"
    if expect.claim == "these" and expect.has_alike_repeats:
        repeats = ", whose repeats hardly differ (temperature 0, or a seed)"
    have = f"{size}{repeats}"
    runs = f"{found.best.total} runs" if size.column is None else "runs"
    return (
        f"can't be met with {have}: even if all {runs} {what}, the true rate "
        f"could be as {side} as {bound(end)} (confidence {expect.confidence:g})"
    )


def _hint(spec: Spec, size: Size, found: BestCase, settings: Settings, sequential: bool) -> str:
    expect = spec.expect
    instances = instances_needed(expect, found.repeats, sequential=sequential)
    if instances is None:
        wanted = "pass" if higher_is_better(expect) else "fail"
        return f"no number of runs can; use `expect: {wanted}`"
    if expect.claim == "population":
        return f"{amount(instances, size.noun)} would do; repeats say nothing about others"
    if expect.has_alike_repeats:
        warmer = "set `default_model_args: {temperature: 1}`, no seed, so that repeats count"
        return f"{warmer}, or {amount(instances, 'instance')} would do"
    repeats = repeats_needed(expect, found.instances, sequential=sequential)
    words = [f"{amount(instances, 'instance')} would do"]
    if repeats is not None and repeats <= settings.caps.repeats:
        words.insert(0, f"`{'max_repeats' if sequential else 'repeats'}: {repeats}`")
    return ", or ".join(words)
