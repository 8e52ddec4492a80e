"""The pytest plugin: collects test folders as pytest items.

Every pytest run imports this module wherever lve is installed. So it imports only pytest and the
plugin's own tables; the rest of lve is imported when the first test folder is collected.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lve.escape import escape_line
from lve.file_names import DOCUMENT_NAMES
from lve.pytest_plugin import foreign_ini, imports, options
from lve.pytest_plugin.finding import blocked_python, folders
from lve.pytest_plugin.item_protocol import is_lve_item, note_deselected
from lve.pytest_plugin.session import workers
from lve.pytest_plugin.session.session_end import (
    CLOSE,
    HAS_WORKERS,
    LAST_LINES,
    SessionEnd,
    rate_lines,
)

if TYPE_CHECKING:
    from lve.pytest_plugin.fixtures import Runner

TEST_FILES = frozenset(DOCUMENT_NAMES)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options and the ini values of the same names."""
    options.add_to(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Block Python in test folders before pytest imports a `conftest.py` there, and leave lve's own
    modules as they are."""
    imports.leave_unchanged(early_config)
    blocked_python.block_conftests(early_config)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Apply `--lve-fail-fast N`, which is `--maxfail=N` that may also be set in the environment and
    the ini file. Runs first because pytest-xdist reads `maxfail` when it is configured."""
    limit = options.options_of(config).run.fail_fast
    if limit is not None and not config.option.maxfail:
        config.option.maxfail = limit


def pytest_sessionstart(session: pytest.Session) -> None:
    """Refuse report files that can't be written, before any test runs."""
    if options.options_of(session.config).output:
        from lve.pytest_plugin import output

        output.plan(session.config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignore files in a test folder other than the test document."""
    return blocked_python.is_blocked(collection_path, config) or None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a test document."""
    return _collector(file_path, parent) if file_path.name in TEST_FILES else None


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a tree of test folders without Python tests with one collector, which is several
    times faster than one collector per folder."""
    if (
        folders.is_link_to_skip(path)
        or folders.may_hold_tests(path, parent.config)
        or blocked_python.is_test_folder(path, parent.config)
    ):
        return _collector(path, parent, is_folder=True)
    return None


def _collector(
    path: Path, parent: pytest.Collector, *, is_folder: bool = False
) -> pytest.Collector | None:
    from lve.pytest_plugin import collect  # late, as all that only tests of lve need

    return (collect.directory if is_folder else collect.document)(path, parent)


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Note that the session doesn't run everything, for its comparison with a baseline."""
    note_deselected(items)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse options that would make results wrong, and select the items of this shard."""
    unique = {item.nodeid: item for item in reversed(items) if is_lve_item(item)}
    if not unique:
        return
    # Before pytest 9, a file that is given twice is collected twice.
    items[:] = [item for item in items if unique.get(item.nodeid, item) is item]
    from lve.pytest_plugin import admission

    admission.admit(config, items, list(unique.values()))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let an item forget its results after its last report: a suite may have a million of them."""
    try:
        return (yield)
    finally:
        if is_lve_item(item):
            item.forget_results()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note which of lve's items have had their turn, and what went wrong with them, and make their
    reports sendable for pytest-xdist, whatever the names of their folders."""
    report = yield
    if is_lve_item(item):
        item.had_turn = True
        if report.failed and item.verdict is not None:
            vars(report)["lve_cause"] = item.verdict.cause
        if hasattr(item.session.config, "workerinput"):
            # Keywords include the names of all parent folders, which may not be valid UTF-8.
            report.keywords = dict.fromkeys(workers.sendable(report.keywords), 1)
    return report


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """End lve's session: after pytest-xdist has ended its workers, and before the terminal's
    summary. A run whose session can't be written fails."""
    config = session.config
    ends: list[SessionEnd] = []
    if _has_work_left(config):
        from lve.pytest_plugin import finishing

        ends = yield from finishing.finish(session)
    else:
        yield
    lines = options.unused_variables() if ends else []
    lines += [line for end in ends for line in end.lines]
    is_empty = session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
    outside = folders.left_out(config, is_empty=is_empty)
    config.stash[LAST_LINES] = [*lines, *_notices(config), *outside]
    if session.exitstatus == pytest.ExitCode.OK and any(part.has_failed for part in ends):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _has_work_left(config: pytest.Config) -> bool:
    """Whether there is a session of lve to end, or a report to write."""
    chosen = options.options_of(config)
    if chosen.output or chosen.run.shard is not None:
        return True
    return CLOSE in config.stash or config.stash.get(HAS_WORKERS, False)


def _notices(config: pytest.Config) -> list[str]:
    """Return lines about Python files and ini settings that were ignored because they came with the
    tests. A worker of pytest-xdist sends them to its controller instead."""
    files = [*config.stash.get(blocked_python.BLOCKED_FILES, {})]
    notes = [*config.stash.get(blocked_python.NOTES, {})]
    if (output := getattr(config, "workeroutput", None)) is not None:
        output[blocked_python.REPORT] = [workers.sendable(files), workers.sendable(notes)]
        return []
    ignored = foreign_ini.ignored_message(config)
    return [*([ignored] if ignored else []), *blocked_python.lines(files), *notes]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the pass rates of passed tests, and where the session is."""
    if lines := [*rate_lines(terminalreporter), *config.stash.get(LAST_LINES, [])]:
        for line in lines:
            terminalreporter.write_line(escape_line(line))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass the session's ID to a worker that pytest-xdist starts."""
    node.config.stash[HAS_WORKERS] = True
    workers.configure(node)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take the report of a worker of pytest-xdist that has ended."""
    workers.refuse_as(node)
    workers.take_report(node)
    sent = getattr(node, "workeroutput", {}).get(blocked_python.REPORT, [[], []])
    for key, lines in zip((blocked_python.BLOCKED_FILES, blocked_python.NOTES), sent, strict=True):
        node.config.stash.setdefault(key, {}).update(dict.fromkeys(lines))


@pytest.fixture
def lve_model(request: pytest.FixtureRequest) -> str:
    """The first model of `--lve-model`, `LVE_MODEL` or the ini's `lve_model`."""
    models = options.options_of(request.config).run.tested
    if not models:
        pytest.skip("no model: give --lve-model NAME, or set lve_model in the ini")
    return models[0]


@pytest.fixture(scope="session")
def lve_target() -> object:
    """What `lve_run` and collected folders test unless the command line names a model. Override it
    in conftest.py: a function of the application, or a name."""
    return None


@pytest.fixture
def lve_run(request: pytest.FixtureRequest, lve_target: object) -> Runner:
    """A function: `lve_run(path, model=...)` runs the tests below a path with the options of this
    pytest session."""
    from lve.pytest_plugin.fixtures import Runner

    config = request.config
    target = None if options.is_model_chosen(config) else lve_target
    return Runner(options.options_of(config), foreign_ini.base_folder(config), target)
