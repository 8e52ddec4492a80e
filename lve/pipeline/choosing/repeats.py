"""How often each instance of a test runs, and whether its repeats may end early."""

from __future__ import annotations

from typing import NamedTuple

from lve.run_options import DEFAULTS, RunOptions
from lve.settings.settings import Settings
from lve.spec.spec import Spec


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
