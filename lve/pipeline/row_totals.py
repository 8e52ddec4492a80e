"""Estimates how many instances a run will have, for progress displays, and counts those that a
session which has ended early lacks, for expectations that count results.

Instances are read only when they are needed, so the exact number isn't known. Counting lines is
quick.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from lve.data.instance_files import instance_files
from lve.error_boundary import error_boundary
from lve.errors import LveError, SpecError
from lve.files.inside import open_inside
from lve.options.run_options import DEFAULTS, PICKING, RunOptions
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.choosing.repeats import repeat_plan
from lve.pipeline.run_of_test import TestRun
from lve.pipeline.session import Session
from lve.sessions.instance_result import REPLAY
from lve.settings.settings import Settings
from lve.spec.spec import Instance, Spec, splits_in
from lve.verdicts.expectations.rate_verdict import may_be_lost

BLOCK = 1 << 20
MAX_COUNTED_BYTES = 64_000_000
MAX_ROWS = 100_000
"""Rows of a test that are read to know how many are left."""
UNPREDICTABLE = set(PICKING) - {"instances", "index", "limit", "sample"}
"""Options whose effect on the number of instances only shows when the instances are read."""


def estimate_total(
    tests: Iterable[tuple[Spec, str]], options: RunOptions, settings: Settings
) -> int:
    """Return about how many instances (times repeats) these tests have, each with its model."""
    counted: dict[tuple[str, str | None], int] = {}
    total = 0
    for spec, model in tests:
        key = (spec.path, model if options.shard else None)
        if key not in counted:
            counted[key] = _instances(spec, model, options, settings)
        bounds = (counted[key], settings.caps.rows, options.limit, options.sample)
        count = min(bound for bound in bounds if bound is not None)
        plan = repeat_plan(spec, options, settings, is_replay=model == REPLAY)
        total += count * plan.most
    return total


class RowTotals:
    """Counts the rows that a session has, or lacks if it has ended early."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._options, self._settings = session.engine.options, session.engine.settings

    def total(self) -> int:
        """Return about how many instances (times repeats) the session has."""
        session = self._session
        if session.previous is not None and session.previous.only is not None:
            return session.previous.only_total
        tests = ((test_run.spec, test_run.model) for test_run in session.test_runs.values())
        total = estimate_total(tests, self._options, self._settings)
        return max(total - session.summary.not_recorded().count, 0)

    def note_left(self) -> None:
        """Note on the tallies of unfinished tests that count their results how many are left, at
        most."""
        for test_run in self._session.test_runs.values():
            tally = test_run.tally
            has_whole_test = test_run.instances is None and not test_run.has_gaps
            if has_whole_test and not tally.coverage.is_complete and may_be_lost(tally):
                rows = self._rows_of(test_run)
                planned = None if rows is None else rows * test_run.rounds.plan.most
                tally.coverage.left = None if planned is None else max(planned - tally.total, 0)

    def has_run_all(self) -> bool:
        """Whether each selected row of a session that was stopped has its results, though nobody
        has read yet that there are no more rows. False if that isn't known."""
        previous = self._session.previous
        if previous is not None and previous.only is not None:
            return False
        return all(map(self._has_run_all, self._session.test_runs.values()))

    def _has_run_all(self, test_run: TestRun) -> bool:
        tally = test_run.tally
        if tally.coverage.is_complete or (test_run.is_given_up and not tally.total):
            return True
        is_partial = test_run.instances is not None or test_run.has_gaps or test_run.left_out
        if is_partial or not test_run.rounds.begun or test_run.needs_more():
            return False
        rows = self._rows_of(test_run)
        return (
            rows is not None
            and rows * test_run.rounds.begun == tally.total + tally.coverage.not_recorded.count
        )

    def _rows_of(self, test_run: TestRun) -> int | None:
        return _exact_rows(test_run.spec, test_run.model, self._options, self._settings)


def _exact_rows(spec: Spec, model: str, options: RunOptions, settings: Settings) -> int | None:
    """Return how many instances are selected; None if there are too many, or some are unusable."""
    rows = 0
    try:
        with error_boundary("counting the rows that are left"):
            once = model != REPLAY
            for instance in select_instances(spec, options, settings, model=model, once=once):
                rows += 1
                if rows > MAX_ROWS or not isinstance(instance, Instance):
                    return None
    except LveError:  # the run has reported it
        return None
    return rows


def _instances(spec: Spec, model: str, options: RunOptions, settings: Settings) -> int:
    if any(getattr(options, name) != getattr(DEFAULTS, name) for name in UNPREDICTABLE):
        instances = select_instances(spec, options, settings, model=model, once=model != REPLAY)
        return sum(isinstance(instance, Instance) for instance in instances)
    parameters = set(options.parameters)
    if options.index is not None or (parameters and parameters == set(spec.parameters)):
        return 1
    try:
        files = instance_files(spec.folder, options.instances or None)
    except SpecError:
        return 0
    return (sum(_rows(file, spec.folder) for file in files) + _dataset_rows(spec)) or 1


def _dataset_rows(spec: Spec) -> int:
    """Return about how many rows a test's data set has, before any are selected; 0 if it isn't a
    file, nor in the test document."""
    data = splits_in(spec.dataset).get("test", spec.dataset)
    if isinstance(data, Mapping):
        data = data.get("rows", data.get("path"))
    if isinstance(data, list):
        return len(data)
    return _rows(spec.folder / data, spec.folder) if isinstance(data, str) else 0


def _rows(file: Path, folder: Path) -> int:
    """Return about how many rows a file has: the lines, but for the header of a table."""
    lines = _lines(file, folder)
    return max(lines - 1, 0) if file.suffix in (".csv", ".tsv") else lines


def _lines(file: Path, folder: Path) -> int:
    """Return how many lines a file has, counting a last one without line end; 0 if it can't be
    read. Of a file beyond `MAX_COUNTED_BYTES`, the number is extrapolated."""
    lines, read, last = 0, 0, b"\n"
    try:
        with open_inside(folder, file) as stream:
            while read < MAX_COUNTED_BYTES and (block := stream.read(BLOCK)):
                lines += block.count(b"\n")
                read += len(block)
                last = block[-1:]
            size = os.fstat(stream.fileno()).st_size
    except OSError:
        return 0
    return lines * size // read if size > read > 0 else lines + (last != b"\n")
