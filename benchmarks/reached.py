"""A pytest plugin for `mutation.py`: records which test runs which statement, in any process, and
which test reads the text of a module.

Each process of pytest (its workers, too) writes `PID.json` into the folder LVE_REACHED: for the
number of each mark (see marking.py) the tests that set it and passed, and their seconds; and for
the text of each module the tests that read it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(os.environ["LVE_REACHED"])
FILE = FOLDER / f"{os.getpid()}.marks"
FILE.touch()
TEXTS = f"{Path.cwd()}/lve/"
os.environ["PYTHON_LVE_REACHED"] = str(FILE)  # before any module of lve asks for its marks
from reached_marks import MARKS  # noqa: E402


class Recorder:
    """Reads and clears the marks after each test."""

    def __init__(self) -> None:
        """Begin with nothing, and look at what is opened."""
        sys.addaudithook(self.look_at)
        self.tests: dict[int, list[str]] = defaultdict(list)
        self.readers: dict[str, set[str]] = defaultdict(set)
        self.test = ""
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note what one test runs, from set-up to tear-down."""
        begin = time.perf_counter()
        MARKS[:] = bytes(len(MARKS))
        self.test = item.nodeid
        try:
            return (yield)
        finally:
            self.test = ""
            self.seconds[item.nodeid] = time.perf_counter() - begin
            mark = -1
            while (mark := MARKS.find(b"\1", mark + 1)) >= 0:
                self.tests[mark].append(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Iterator[None]:
        """Note what a file of tests reads when it is imported: all of its tests look at that."""
        self.test = collector.nodeid if isinstance(collector, pytest.Module) else ""
        try:
            return (yield)
        finally:
            self.test = ""

    def look_at(self, event: str, arguments: tuple[object, ...]) -> None:
        """Note that a test opens a module's text. To import the module, Python reads bytecode."""
        if event == "open" and self.test and str(arguments[0]).startswith(TEXTS):
            self.readers[str(arguments[0])[len(TEXTS) - 4 :]].add(self.test)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Leave out a test that fails without any fault."""
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write what was recorded. Later xdist gives its workers only ten seconds."""
        passed = self.seconds.keys() - self.failed
        of_file: dict[str, set[str]] = defaultdict(set)
        for test in passed:
            of_file[test.partition("::")[0]].add(test)
        written = {
            "seconds": {test: self.seconds[test] for test in passed},
            "marks": {mark: [*passed.intersection(tests)] for mark, tests in self.tests.items()},
            "readers": {
                module: [*passed & names.union(*(of_file[name] for name in names & of_file.keys()))]
                for module, names in self.readers.items()
            },
        }
        (FOLDER / f"{os.getpid()}.json").write_text(json.dumps(written))


def pytest_configure(config: pytest.Config) -> None:
    """Start recording: this process and those that it starts have marks of their own."""
    # Workers share servers that fork their commands: those would mark for one of the workers.
    if run := os.environ.get("PYTEST_XDIST_TESTRUNUID"):
        os.environ["PYTEST_XDIST_TESTRUNUID"] = f"{run}-{os.getpid()}"
    config.pluginmanager.register(Recorder())
