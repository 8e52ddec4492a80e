"""Checks for `lve check --recorded` that every row has a recorded answer."""

from __future__ import annotations

from collections.abc import Iterator

from lve.data.problems import row_problem
from lve.errors import Problem
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.choosing.option_filters import chooses_instances
from lve.pipeline.recorded_repeats import RecordedRepeats
from lve.run_options import RunOptions
from lve.settings.settings import Settings
from lve.spec.model import Instance, Spec
from lve.workspace import display_path


def not_recorded(spec: Spec, options: RunOptions, settings: Settings) -> Iterator[Problem]:
    """Yield a problem for each row without a recorded answer, one if a test has no rows, and one if
    rows have fewer answers than the test has repeats.

    Args:
        spec: the test.
        options: which rows to look at.
        settings: the workspace's settings.
    """
    if spec.skip is not None:
        return
    command = f"`lve record {display_path(spec.folder)}` asks a model and keeps its answers"
    repeats = RecordedRepeats(spec)
    is_empty = True
    for item in select_instances(spec, options, settings):
        is_empty = False
        if not isinstance(item, Instance):
            continue
        repeats.add(item)
        if item.recorded is None:
            message = "has no recorded answer"
            yield row_problem(spec, item, message, hint=command, code="not_recorded")
    if not chooses_instances(options) and (problem := repeats.problem("error")):
        yield problem
    if is_empty:
        file = display_path(spec.file)
        yield Problem("has no recorded answer", file, hint=command, code="not_recorded")
