"""Support for pytest-xdist: one session in several processes.

The controller gives every worker the same session ID. Each worker writes a part of the session, and
the controller merges the parts. No item is sent to a model twice: a worker sends only items of its
own queue.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lve.pytest_plugin.lve_items import LveItem, lve_items
from lve.pytest_plugin.options import options_of
from lve.pytest_plugin.session.session_end import SessionEnd, warning_lines

if TYPE_CHECKING:
    from lve.pipeline.resources.share import SessionPart
    from lve.sessions.session_folder import SessionFolder
    from lve.workspace import Workspace

SESSION = "lve_session"
REPORT = "lve_report"
REFUSAL = "lve_refusal"
MAY_STEAL = "lve_may_steal"
PATIENCE_S = 3.0
"""Seconds that an interrupted worker waits for pending requests. pytest-xdist interrupts workers
after five seconds and kills them after ten."""
_SESSION_ID: pytest.StashKey[str] = pytest.StashKey()
_WORKER: pytest.StashKey[Any] = pytest.StashKey()
_REPORTS: pytest.StashKey[list[dict[str, Any]]] = pytest.StashKey()


def configure(node: Any) -> None:
    """Controller: send the session's ID to a starting worker."""
    stash = node.config.stash
    if _SESSION_ID not in stash:
        from lve.sessions.session_file import new_id

        stash[_SESSION_ID] = new_id(datetime.now(UTC))
    node.workerinput[SESSION] = stash[_SESSION_ID]
    # Sent along, because `dist` is always "no" in a worker.
    node.workerinput[MAY_STEAL] = node.config.getoption("dist") == "worksteal"


def take_report(node: Any) -> None:
    """Controller: store the report of a worker that has ended. A crashed worker sends none."""
    report = getattr(node, "workeroutput", {}).get(REPORT)
    if report is not None:
        node.config.stash.setdefault(_REPORTS, []).append(report)


@contextmanager
def refusing(config: pytest.Config) -> Iterator[None]:
    """Worker: note the usage error that ends the session, for the controller.

    Only workers collect tests, so only they find errors in options that depend on the tests;
    pytest-xdist doesn't pass on the error of a worker.
    """
    try:
        yield
    except pytest.UsageError as error:
        if is_worker(config):
            config.workeroutput[REFUSAL] = sendable([str(error)])[0]  # type: ignore[attr-defined]
        raise


def refuse_as(node: Any) -> None:
    """Controller: end the session if a usage error ended the worker.

    Raises:
        pytest.UsageError: the worker's error, as without pytest-xdist.
    """
    refusal = getattr(node, "workeroutput", {}).get(REFUSAL)
    if refusal is not None:
        raise pytest.UsageError(refusal)


@contextmanager
def ending(session: pytest.Session) -> Iterator[None]:
    """Controller, after an interrupt: wait for the workers, which get the terminal's Ctrl-C, too.
    Another Ctrl-C must not end the controller, because it has to merge their parts."""
    if _folder_of(session.config) is None:
        yield
        return
    from lve.pytest_plugin.session.session_end import on_interrupt, print_waiting

    with on_interrupt(lambda: None):
        print_waiting(session)
        yield


def _folder_of(config: pytest.Config) -> Path | None:
    """Controller: return the session's folder if a worker has made it. It is searched here because
    a worker that pytest-xdist kills can't report it."""
    from lve.errors import LveError
    from lve.sessions.session_file import RUNS_FOLDER

    session_dir = options_of(config).run.state
    if session_dir is None:
        try:
            session_dir = _workspace_of(config).session_dir
        except LveError:  # the workers have reported it
            return None
    folder = session_dir / RUNS_FOLDER / config.stash[_SESSION_ID]
    return folder if folder.is_dir() else None


def _workspace_of(config: pytest.Config) -> Workspace:
    """Controller: return the workspace of the tests.

    Raises:
        LveError: its settings can't be used.
    """
    from lve.pipeline.choosing.loading import choose_workspace

    places = [argument.partition("::")[0] for argument in config.args]
    return choose_workspace(places, cwd=config.invocation_params.dir)


def merge(session: pytest.Session) -> SessionEnd:
    """Controller: merge the parts of the session."""
    reports = session.config.stash.get(_REPORTS, [])
    is_interrupted = session.exitstatus == pytest.ExitCode.INTERRUPTED
    place = Path(os.fsdecode(reports[0]["folder"])) if reports else None
    if place is None and is_interrupted:
        place = _folder_of(session.config)
    if place is None:
        return SessionEnd([])
    from lve.errors import LveError
    from lve.pipeline.merging import merge_parts
    from lve.sessions.session_folder import SessionFolder
    from lve.sessions.storage import storage_of
    from lve.verdicts.replayed import replay_remarks
    from lve.workspace import display_path

    folder = SessionFolder(place)
    warnings = sorted({warning for report in reports for warning in report["warnings"]})
    remarks: list[str] = []
    failures = [failure for report in reports for failure in report["failures"]]
    try:
        # A worker doesn't know the items that xdist hasn't given to it yet.
        summary = merge_parts(folder, is_interrupted=is_interrupted)
        remarks = [f"lve: {remark.text}" for remark in replay_remarks(summary)]
        storage = storage_of(_workspace_of(session.config).settings.cache)
        storage.upload(folder.path, warn=warnings.append)
    except LveError as error:
        failures.append(error.message_with_code)
    lines = [
        *warning_lines([*failures, *warnings]),
        *remarks,
        f"lve: session {display_path(folder.path)}",
    ]
    gated = _gated(session.config, folder)
    has_failed = bool(failures) or gated.has_failed
    return SessionEnd([*lines, *gated.lines], has_failed=has_failed, folder=place)


def _gated(config: pytest.Config, folder: SessionFolder) -> SessionEnd:
    """Controller: compare the whole session with the baseline, if one is given."""
    run_options = options_of(config).run
    if run_options.baseline is None:
        return SessionEnd([])
    from lve.errors import LveError
    from lve.pipeline.gate import Gate
    from lve.pytest_plugin.session.gating import gated_end

    try:
        gate = Gate.of(run_options, _workspace_of(config).settings)
    except LveError as error:  # the workers have reported it
        return SessionEnd([f"lve: not compared: {error.message_with_code}"], has_failed=True)
    return (
        SessionEnd([])
        if gate is None
        else gated_end(gate, folder, allows_inconclusive=run_options.allow_inconclusive)
    )


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is a worker of pytest-xdist."""
    return hasattr(config, "workerinput")


def part_of(config: pytest.Config) -> SessionPart | None:
    """Worker: return which part of the session this process runs; None without pytest-xdist."""
    input_of_worker = _input(config)
    if SESSION not in input_of_worker:
        return None
    from lve.pipeline.resources.share import SessionPart, Share

    return SessionPart(
        input_of_worker[SESSION],
        str(input_of_worker["workerid"]),
        Share(int(input_of_worker["workercount"])),
    )


def tell_controller(
    config: pytest.Config,
    folder: Path,
    failures: list[str],
    warnings: list[str],
) -> None:
    """Worker: report the session's folder, what could not be written, and warnings."""
    output = getattr(config, "workeroutput", None)
    if output is not None:
        output[REPORT] = {
            "folder": os.fsencode(folder),
            "failures": sendable(failures),
            "warnings": sendable(warnings),
        }


def sendable(texts: Iterable[str]) -> list[str]:
    """Return texts that pytest-xdist can send. The name of a file may contain bytes that aren't
    UTF-8; sending it would crash the worker and lose its results."""
    return [text.encode("utf-8", "backslashreplace").decode() for text in texts]


def next_items(session: pytest.Session) -> Iterator[LveItem]:
    """Worker: yield the items that this process will certainly run, in order; none without xdist.

    Only private attributes of xdist have the queue; without them items are sent one by one, which
    is slow but correct. With `--dist worksteal` another worker may take over queued items, so only
    the next item is certain.
    """
    if not is_worker(session.config):
        return
    stash = session.config.stash
    if _WORKER not in stash:
        stash[_WORKER] = _find(session.config)
    worker = stash[_WORKER]
    indexes = [getattr(worker, "nextitem_index", None)]
    if not _input(session.config).get(MAY_STEAL):
        indexes += _queue(worker)
    items = session.items
    yield from lve_items(items[index] for index in indexes if isinstance(index, int))


def _find(config: pytest.Config) -> Any:
    """Return xdist's object that runs the items of this worker. It is registered without a name."""
    for plugin in config.pluginmanager.get_plugins():
        if hasattr(plugin, "torun") and hasattr(plugin, "nextitem_index"):
            return plugin
    return None


def _queue(worker: Any) -> list[Any]:
    """Return the indexes of the items that xdist has queued here."""
    lock = getattr(getattr(worker, "torun", None), "lock", None)
    if lock is None:
        return []
    with lock() as indexes:
        return list(indexes)


def _input(config: pytest.Config) -> dict[str, Any]:
    return getattr(config, "workerinput", {})
