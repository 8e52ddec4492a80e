"""Checks for `lve check` what a test's pass rate can decide."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lve.errors import Problem
from lve.named_tuples import NamedTuple
from lve.options.run_options import DEFAULTS
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.choosing.loading import models_named
from lve.pipeline.prospects.idle_expectations import idle_expectation, rows_to_tell
from lve.pipeline.prospects.rate_prospects import (
    Prospect,
    enough_instances,
    prospect,
    unmeetable_rate,
)
from lve.pipeline.prospects.row_count import RowCount
from lve.pipeline.spec_for_model import for_model
from lve.reporting.prospects import counted_line, prospect_json, prospect_lines
from lve.settings.settings import Settings
from lve.spec.spec import Spec


class CheckedRate(NamedTuple):
    """What a pass rate can decide (`prospect`). None if it can't be met, if it is a count, if there
    are no instances, or more than were looked at."""

    problems: tuple[Problem, ...] = ()
    """Why it can't be met, or can't fail."""
    prospect: Prospect | None = None
    counted: str = ""
    """How it is decided, if it is counted although it is a pass rate."""

    def lines(self) -> Iterator[str]:
        """Yield what it can decide, as lines of text."""
        if self.prospect:
            yield from prospect_lines(self.prospect)
        elif self.counted:
            yield self.counted

    def to_json(self) -> dict[str, object] | None:
        """Return what it can decide, as JSON."""
        return prospect_json(self.prospect) if self.prospect else None


def checked_rate(spec: Spec, settings: Settings, max_rows: int | None) -> CheckedRate:
    """Return what a test's pass rate can decide.

    Args:
        spec: a test with a pass rate.
        settings: the workspace's settings.
        max_rows: how many instances to count; None: all. More are if the rate needs more.

    Raises:
        LveError: its instances can't be read.
    """
    models = models_named(spec, DEFAULTS, settings) or ("",)
    tests = [for_model(spec, model, DEFAULTS, settings) for model in models]
    specs = [test for test in tests if test.expect.kind == "rate"]
    instances = iter(select_instances(spec, DEFAULTS, settings, once=True))
    size = RowCount.of(spec, islice(instances, max_rows))
    warnings = list[Problem]()
    for tested in specs:
        size.add_enough(instances, enough_instances(tested, settings) or 0)
        if problem := unmeetable_rate(tested, size, settings):
            return CheckedRate((problem,))
        size.add_enough(instances, rows_to_tell(tested, settings))
        warnings += idle_expectation(tested, size.instances, settings)
    problems = tuple(dict.fromkeys(warnings))
    rates = [tested for tested in specs if not tested.expect.counts_results]
    is_cut = next(instances, None) is not None
    if is_cut or not rates or not size.instances:
        counted = "" if rates or not specs else counted_line(specs[-1].expect)
        return CheckedRate(problems, counted=counted)
    return CheckedRate(problems, prospect(rates[-1], size, settings))
