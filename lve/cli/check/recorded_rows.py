"""Checks for `lve check --recorded` that every row has a recorded answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lve.data.instance_files import args_key
from lve.data.problems import row_problem
from lve.errors import Problem
from lve.pipeline.choosing.choice import chooses_instances
from lve.pipeline.choosing.select import select_instances
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
    answers = Counter[str]()
    is_empty = True
    for item in select_instances(spec, options, settings):
        is_empty = False
        if not isinstance(item, Instance):
            continue
        if item.recorded is not None:
            answers[args_key(item.args)] += 1
        else:
            message = "has no recorded answer"
            yield row_problem(spec, item, message, hint=command, code="not_recorded")
    few = {count for count in answers.values() if count < (spec.repeats or 1)}
    if few and not chooses_instances(options):
        message = f"has {min(few)} recorded answers of a row, and `repeats` is {spec.repeats}"
        yield Problem(message, display_path(spec.file), hint=command, code="not_recorded")
    if is_empty:
        file = display_path(spec.file)
        yield Problem("has no recorded answer", file, hint=command, code="not_recorded")
