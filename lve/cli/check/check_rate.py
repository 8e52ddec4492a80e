"""Checks for `lve check` what a test's pass rate can decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from lve.errors import Problem
from lve.pipeline.choosing.loading import models_named
from lve.pipeline.choosing.select import select_instances
from lve.pipeline.estimate.rate_prospects import Prospect, SampleSize, prospect, unmeetable_rate
from lve.pipeline.model_args import for_model
from lve.reporting.prospects import prospect_json, prospect_lines
from lve.run_options import DEFAULTS
from lve.settings.settings import Settings
from lve.spec.model import Spec


class CheckedRate(NamedTuple):
    """What a pass rate can decide (`prospect`), or why it can't be decided (`problem`). Neither if
    there are no instances, or more than were counted."""

    problem: Problem | None = None
    prospect: Prospect | None = None

    def lines(self) -> Iterator[str]:
        """Yield what it can decide, as lines of text."""
        return prospect_lines(self.prospect) if self.prospect else iter(())

    def to_json(self) -> dict[str, Any] | None:
        """Return what it can decide, as JSON."""
        return prospect_json(self.prospect) if self.prospect else None


def checked_rate(spec: Spec, settings: Settings, max_rows: int | None) -> CheckedRate:
    """Return what a test's pass rate can decide.

    Args:
        spec: a test with a pass rate.
        settings: the workspace's settings.
        max_rows: how many instances to count at most; None: all.

    Raises:
        LveError: its instances can't be read.
    """
    found = iter(select_instances(spec, DEFAULTS, settings))
    size = SampleSize.of(spec, islice(found, max_rows))
    is_cut = next(found, None) is not None
    if is_cut or not size.instances:
        return CheckedRate()
    models = models_named(spec, DEFAULTS, settings)
    tests = [for_model(spec, model, DEFAULTS, settings) for model in models or ("",)]
    specs = [one for one in tests if one.expect.kind == "rate"]
    if not specs:
        return CheckedRate()
    for tested in specs:
        if problem := unmeetable_rate(tested, size, settings):
            break
    else:
        rates = [tested for tested in specs if not tested.expect.counts_results]
        return CheckedRate(None, prospect(rates[-1], size, settings) if rates else None)
    if models or unmeetable_rate(spec, size, settings):
        return CheckedRate(problem)
    # Only a warning: without a model, the temperature may differ from lve's default.
    return CheckedRate(replace(problem, severity="warning"), prospect(spec, size, settings))
