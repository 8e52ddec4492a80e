"""A pytest plugin for `mutation.py`: records which test runs which line of some rooms.

Each process (pytest's workers too) writes `PID.json` into the folder LVE_REACHED: for
`module:line` the tests that ran it and passed, and their seconds.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

ROOT = Path.cwd()


class Recorder:
    """Switches coverage's context from test to test."""

    def __init__(self, folder: Path, rooms: list[str]) -> None:
        """Measure some rooms of lve from now on; write into a folder at the end."""
        self.folder = folder
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        source = [str(ROOT / "lve" / ("" if "." in rooms else room)) for room in rooms]
        self.coverage = coverage.Coverage(data_file=None, source=source, config_file=False)
        # A process that reaches nothing, such as that of xdist itself, is no reason to fail.
        self.coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Count the lines that one test runs, from set-up to tear-down."""
        begin = time.perf_counter()
        self.coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.coverage.switch_context("")
            self.seconds[item.nodeid] = time.perf_counter() - begin

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Leave out a test that fails without any fault."""
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write what was recorded. Later xdist gives its workers only ten seconds."""
        self.coverage.stop()
        data = self.coverage.get_data()
        reached: dict[str, dict[str, float]] = defaultdict(dict)
        for file in data.measured_files():
            module = Path(file).relative_to(ROOT).as_posix()
            for line, tests in data.contexts_by_lineno(file).items():
                for test in set(tests) & self.seconds.keys() - self.failed:
                    reached[f"{module}:{line}"][test] = self.seconds[test]
        (self.folder / f"{os.getpid()}.json").write_text(json.dumps(reached))


def pytest_configure(config: pytest.Config) -> None:
    """Start recording in this process."""
    rooms = os.environ["LVE_REACHED_ROOMS"].split(":")
    config.pluginmanager.register(Recorder(Path(os.environ["LVE_REACHED"]), rooms))
