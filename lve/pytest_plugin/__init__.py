"""The pytest plugin: test folders as native pytest items.

Every pytest run of everyone who has lve installed imports this module, so it imports nothing but
pytest and its own tables; the rest comes when the first test folder is collected.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lve.conventions import DOCUMENT_NAMES
from lve.pytest_plugin import options, origin
from lve.pytest_plugin.finding import closing, folders
from lve.pytest_plugin.lve_items import is_lve_item
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
    """Declare the options and their ini twins."""
    options.add_to(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Close the folders of tests before pytest looks for Python in them."""
    closing.close_conftests(early_config)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """`--lve-fail-fast N` is `--maxfail=N` that can also stand in the environment and the ini file.
    pytest-xdist takes note of it when it is configured, so that comes after."""
    limit = options.read(config).run.fail_fast
    if limit is not None and not config.option.maxfail:
        config.option.maxfail = limit


def pytest_sessionstart(session: pytest.Session) -> None:
    """Refuse reports that can't be written, before anything runs."""
    if options.read(session.config).output:
        from lve.pytest_plugin import output

        output.plan(session.config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave alone what lies in a test's folder and isn't a test's document."""
    return closing.is_closed(collection_path, config) or None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a test document."""
    if file_path.name not in TEST_FILES:
        return None
    from lve.pytest_plugin import collect

    return collect.document(file_path, parent)


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a folder that holds test folders and no Python tests in one go, which is several
    times faster than one collector per folder."""
    tree = None
    if folders.is_astray(path):
        from lve.pytest_plugin import collect

        return collect.nothing(path, parent)
    if folders.may_hold_tests(path, parent.config):
        from lve.pytest_plugin import collect

        tree = collect.tree(path, parent)
    if tree is None and closing.is_test_folder(path, parent.config):
        from lve.pytest_plugin import collect

        return collect.folder(path, parent)
    return tree


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse what would make the results of tests of models wrong."""
    ours = {item.nodeid: item for item in reversed(items) if is_lve_item(item)}
    if not ours:
        return
    # Before pytest 9, a file that is given twice has its items twice.
    items[:] = [item for item in items if ours.get(item.nodeid, item) is item]
    from lve.errors import with_code
    from lve.pytest_plugin import marks
    from lve.pytest_plugin.session import gating, workers

    with workers.refusing(config):
        marks.refuse_reruns(config, list(ours.values()))
        if problems := options.refused(config):
            raise pytest.UsageError(with_code("; ".join(problems), "usage"))
        gating.prepare(config)
        if options.read(config).run.shard is not None:
            from lve.pytest_plugin.session import sharding

            sharding.take_part(config, items)
        if not options.looks_only(config):
            gating.refuse_unwritable(config)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Take note of lve's items that had their turn, and let pytest-xdist send their reports,
    whatever their folders are called."""
    report = yield
    if is_lve_item(item):
        item.had_turn = True
        if hasattr(item.session.config, "workerinput"):
            from lve.pytest_plugin.session import workers

            # The names of all folders above are among them, also of those that pytest looks into.
            report.keywords = dict.fromkeys(workers.sendable(report.keywords), 1)
    return report


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """Stop sending and write what is left, once pytest-xdist has ended its workers and before the
    terminal's summary. A run whose record can't be written has failed."""
    config = session.config
    has_workers = config.stash.get(HAS_WORKERS, False)
    if has_workers and session.exitstatus == pytest.ExitCode.INTERRUPTED:
        from lve.pytest_plugin.session import workers

        with workers.ending(session):
            yield
    else:
        yield
    if options.read(config).run.shard is not None:
        from lve.pytest_plugin.session import sharding

        if sharding.lacks_session(session):
            from lve.pytest_plugin.session.bridge import bridge_of

            bridge_of(session)
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and (CLOSE in config.stash or has_workers):
        from lve.pytest_plugin import equal_errors

        if equal_errors.is_wanted(terminal):
            config.pluginmanager.register(equal_errors.EqualErrors())
    ends: list[SessionEnd] = []
    if (close := config.stash.get(CLOSE, None)) is not None:
        ends.append(close())
        if ends[0].was_interrupted:
            session.exitstatus = pytest.ExitCode.INTERRUPTED
    if has_workers:
        from lve.pytest_plugin.session import workers

        ends.append(workers.merge(session))
    if options.read(config).output:
        from lve.pytest_plugin import output

        ends.append(output.write(config, next((one.folder for one in ends if one.folder), None)))
    lines = [line for end in ends for line in end.lines]
    is_empty = session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
    outside = folders.left_out(config, is_empty=is_empty)
    config.stash[LAST_LINES] = [*lines, *_notices(config), *outside]
    if session.exitstatus == pytest.ExitCode.OK and any(one.has_failed for one in ends):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _notices(config: pytest.Config) -> list[str]:
    """Return what was left out because it came with the tests. A worker sends it to its
    controller."""
    files = [*config.stash.get(closing.CLOSED, {})]
    notes = [*config.stash.get(closing.NOTES, {})]
    if (output := getattr(config, "workeroutput", None)) is not None:
        from lve.pytest_plugin.session import workers

        output[closing.REPORT] = [workers.sendable(files), workers.sendable(notes)]
        return []
    ignored = origin.ignored(config)
    return [*([ignored] if ignored else []), *closing.lines(files), *notes]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what pass rates have passed with, and where the session's results are."""
    if lines := [*rate_lines(terminalreporter), *config.stash.get(LAST_LINES, [])]:
        from lve.escape import escape_line
        from lve.redaction import own_redactor

        redact = own_redactor()
        for line in lines:
            terminalreporter.write_line(escape_line(redact(line)))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """pytest-xdist starts a worker."""
    from lve.pytest_plugin.session import workers

    node.config.stash[HAS_WORKERS] = True
    workers.configure(node)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    """A worker of pytest-xdist has ended."""
    from lve.pytest_plugin.session import workers

    workers.refuse_as(node)
    workers.take_report(node)
    told = getattr(node, "workeroutput", {}).get(closing.REPORT, [[], []])
    for key, lines in zip((closing.CLOSED, closing.NOTES), told, strict=True):
        node.config.stash.setdefault(key, {}).update(dict.fromkeys(lines))


@pytest.fixture
def lve_model(request: pytest.FixtureRequest) -> str:
    """The model of `--lve-model` (its first use), `lve_model` in the ini or `LVE_MODEL`."""
    models = options.read(request.config).run.tested
    if not models:
        pytest.skip("no model: give --lve-model NAME, or set lve_model in the ini")
    return models[0]


@pytest.fixture
def lve_run(request: pytest.FixtureRequest) -> Runner:
    """`lve_run(path, model=...)` runs the tests below a path with this session's options."""
    from lve.pytest_plugin.fixtures import Runner

    return Runner(options.read(request.config), origin.base_of(request.config))
