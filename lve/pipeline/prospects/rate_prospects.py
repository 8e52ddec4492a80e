"""Computes what the pass rate of a test can decide, before anything is paid for. A pass rate that
no result could meet is refused.

Finds expectations that no results of a test can meet: it has fewer than must pass (`at_least:
42`), or no share is like that (`pass_rate: ">1"`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lve.errors import Problem, SpecError
from lve.execution.workers import WaitFor
from lve.named_tuples import NamedTuple
from lve.options.run_options import DEFAULTS, PICKING, RunOptions
from lve.pipeline.choosing.loading import models_named
from lve.pipeline.choosing.repeats import RepeatPlan, repeat_plan, repeats_of
from lve.pipeline.prospects.idle_expectations import idle_expectation, rows_to_tell
from lve.pipeline.prospects.row_count import RowCount
from lve.pipeline.spec_for_model import for_model
from lve.plurals import amount
from lve.settings.settings import Settings
from lve.spec.spec import Expectation, Instance, Spec
from lve.verdicts.expectations.counted_expectation import can_be_met
from lve.verdicts.expectations.power import (
    OutcomeProbabilities,
    instances_for_power,
    outcome_probabilities,
    rates_around_threshold,
    repeats_for_power,
)
from lve.verdicts.expectations.sample_size import (
    BestCase,
    best_case,
    higher_is_better,
    instances_needed,
    repeats_needed,
)
from lve.verdicts.wording import bound

SIZE_OPTIONS = (*PICKING, "parameters", "repeats")
"""Options that change the number of instances or repeats. With one of them, an undecided rate isn't
the test's fault."""
POWER = 0.8
"""A test gets a suggestion if the probability that it decides is lower than this."""
MAX_FACTOR = 10
"""Suggestions have at most so many times the repeats of the test."""


class Prospect(NamedTuple):
    """What a test's pass rate can decide."""

    expect: Expectation
    size: RowCount
    best_case: BestCase
    chances: tuple[OutcomeProbabilities, ...]
    """Probabilities of the outcomes for several true rates, the best rate first."""
    enough_repeats: int | None = None
    """The `max_repeats` with which the test decides with probability `POWER` at the second of these
    rates. None: it has enough repeats, or would need more than the settings allow."""
    enough_instances: int | None = None
    """About how many instances, or clusters, would be enough, if repeats aren't."""


def has_own_size(options: RunOptions) -> bool:
    """Whether the options leave the number of instances and repeats as the tests say."""
    return all(getattr(options, name) == getattr(DEFAULTS, name) for name in SIZE_OPTIONS)


def prospect(
    spec: Spec, size: RowCount, settings: Settings, options: RunOptions = DEFAULTS
) -> Prospect:
    """Return what a test's pass rate can decide.

    Args:
        spec: a test with a pass rate, from `for_model`.
        size: the test's size.
        settings: the workspace's settings.
        options: the run's options.
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
        chances = tuple(chance._replace(runs=runs) for chance in chances)
    outlook = Prospect(
        expect, size, best_case(expect, units, repeats, sequential=sequential), chances
    )
    rate = chances[1].rate
    if chances[1].decided >= POWER:
        return outlook
    if not sequential:
        enough = instances_for_power(expect, repeats, rate=rate, power=POWER)
        return outlook._replace(enough_instances=enough)
    most = MAX_FACTOR * repeats
    enough = repeats_for_power(expect, units, most, rate=rate, power=POWER)
    if enough is None:
        return outlook
    if enough <= settings.caps.repeats:
        return outlook._replace(enough_repeats=enough)
    return outlook._replace(enough_instances=-(-enough * units // repeats))


def unmeetable_rate(spec: Spec, size: RowCount, settings: Settings) -> Problem | None:
    """Return the problem of a pass rate that can't be met, whatever the results; None if it can be
    met, or there is no pass rate, or there are no instances.

    Args:
        spec: the test.
        size: the test's size.
        settings: the workspace's settings.
    """
    if spec.expect.kind != "rate" or not size.instances:
        return None
    if spec.expect.counts_results:
        return unmeetable_count(spec, size.instances * repeats_of(spec, DEFAULTS, settings))
    repeats, sequential = _counting(spec, DEFAULTS, settings)
    best = best_case(spec.expect, size.units, repeats, sequential=sequential)
    if best.can_pass:
        return None
    assert spec.expect_position is not None
    message = _message(spec.expect, size, best)
    hint = _hint(spec, size, best, settings, sequential)
    return spec.expect_position.problem(message, hint, code="expectation")


def rate_problems(
    spec: Spec, size: RowCount, options: RunOptions, settings: Settings
) -> list[Problem]:
    """Return the problems of a test's expectation; none if the options change the test's size.

    Args:
        spec: the test.
        size: the test's size.
        options: the run's options.
        settings: the workspace's settings.
    """
    if not has_own_size(options):
        return []
    problem = unmeetable_rate(spec, size, settings)
    return [problem] if problem else []


def rate_problems_for_all_models(
    spec: Spec, size: RowCount, options: RunOptions, settings: Settings
) -> list[Problem]:
    """Return `rate_problems` if the pass rate can't be met with any of the test's models. If it can
    with some, the runs against the others report the problem.

    Args:
        spec: the test, as it was loaded.
        size: the test's size.
        options: the run's options.
        settings: the workspace's settings.
    """
    models = models_named(spec, options, settings)
    specs = [for_model(spec, model, options, settings) for model in models or ("",)]
    problems = [rate_problems(spec_for_model, size, options, settings) for spec_for_model in specs]
    return problems[0] if all(problems) else []


def check_rate(
    spec: Spec,
    settings: Settings,
    instances: Iterable[Instance | Problem | WaitFor],
    warn: Callable[[str], None],
) -> Iterator[WaitFor]:
    """Refuse a test whose pass rate can't be met, and warn of one that is always met. Reads only as
    many instances as are needed to know.

    Args:
        spec: a test with a pass rate.
        settings: the workspace's settings.
        instances: the test's instances.
        warn: called with each warning.

    Yields:
        What to wait for.

    Raises:
        SpecError: the pass rate can't be met.
    """
    enough, to_tell = enough_instances(spec, settings), rows_to_tell(spec, settings)
    size = RowCount.of(spec)
    for instance in instances:
        if isinstance(instance, WaitFor):
            yield instance
        elif isinstance(instance, Instance):
            size.add(instance)
            if enough is not None and size.units >= enough and size.instances >= to_tell:
                break
    if problem := unmeetable_rate(spec, size, settings):
        raise SpecError([problem])
    for warning in idle_expectation(spec, size.instances, settings):
        warn(warning.message_with_code)


def enough_instances(spec: Spec, settings: Settings) -> int | None:
    """Return with how many instances a rate can be met for certain; None if with no number."""
    if spec.expect.counts_results:
        return instances_for_count(spec, repeats_of(spec, DEFAULTS, settings))
    repeats, sequential = _counting(spec, DEFAULTS, settings)
    return instances_needed(spec.expect, repeats, sequential=sequential)


def _counting(spec: Spec, options: RunOptions, settings: Settings) -> RepeatPlan:
    """Return how many repeats count. For a rate about a population only one does, because the
    repeats of an instance may all give the same result."""
    if spec.expect.claim == "population":
        return RepeatPlan()
    return repeat_plan(spec, options, settings, is_replay=False)


def _message(expect: Expectation, size: RowCount, case: BestCase) -> str:
    what, side, end = "pass", "low", case.best.low
    if not higher_is_better(expect):
        what, side, end = "fail", "high", case.best.high
    have = f"{size} and at most {amount(case.repeats, 'repeat')}"
    runs = "runs" if size.column or case.best.total == 1 else f"{case.best.total} runs"
    return (
        f"can't be met with {have}: even if all {runs} {what}, the true rate "
        f"could be as {side} as {bound(end)} (confidence {expect.confidence:g})"
    )


def _hint(spec: Spec, size: RowCount, case: BestCase, settings: Settings, sequential: bool) -> str:
    expect = spec.expect
    instances = instances_needed(expect, case.repeats, sequential=sequential)
    if instances is None:
        outcome = "pass" if higher_is_better(expect) else "fail"
        return f"no number of runs can; use `expect: {outcome}`"
    if expect.claim == "population":
        return f"{amount(instances, size.noun)} would do; repeats say nothing about others"
    repeats = repeats_needed(expect, case.instances, sequential=sequential)
    words = [f"{amount(instances, 'row')} would do"]
    if repeats is not None and repeats <= settings.caps.repeats:
        words.insert(0, f"`{'max_repeats' if sequential else 'repeats'}: {repeats}`")
    return ", or ".join(words)


def unmeetable_count(spec: Spec, results: int) -> Problem | None:
    """Return the problem of a test whose results can't meet its expectation; None if they can.

    Args:
        spec: a test that counts results.
        results: its instances times repeats.
    """
    expect = spec.expect
    if can_be_met(expect, results):
        return None
    assert spec.expect_position is not None
    if expect.number is None:
        message = f"can't be met: no share is {expect.wanted_rate}"
        hint = f"use `expect: {'pass' if expect.comparison == '>' else 'fail'}`"
    else:
        have = amount(results, "result")
        message = f"can't be met: {expect.number:,} must pass, and there are {have}"
        hint = "a share, such as `at_least: 90%`, grows with the test"
    return spec.expect_position.problem(message, hint, code="expectation")


def instances_for_count(spec: Spec, repeats: int) -> int | None:
    """Return with how many instances a test has enough results; None if no number is enough.

    Args:
        spec: a test that counts results.
        repeats: of every instance.
    """
    number = (spec.expect.number or 1) if spec.expect.comparison == ">=" else 1
    return max(1, -(-number // repeats)) if can_be_met(spec.expect, number) else None
