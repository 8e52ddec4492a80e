"""Support for pytest-xdist: one session in several processes.

The controller gives every worker the same session ID. Each worker writes a part of the session, and
the controller merges the parts (`joining`). No item is sent to a model twice: a worker sends only
items of its own queue. Each pytest run loads this module, so it imports little.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lve.pytest_plugin.item_protocol import LveItem, lve_items
from lve.pytest_plugin.session.session_end import end_at_sigterm

SESSION = "lve_session"
REPORT = "lve_report"
REFUSAL = "lve_refusal"
MAY_STEAL = "lve_may_steal"
PATIENCE_S = 3.0
"""Seconds that an interrupted worker waits for pending requests. pytest-xdist interrupts workers
after five seconds and kills them after ten."""
SESSION_ID: pytest.StashKey[str] = pytest.StashKey()
_WORKER: pytest.StashKey[Any] = pytest.StashKey()
REPORTS: pytest.StashKey[list[dict[str, Any]]] = pytest.StashKey()


def configure(node: Any) -> None:
    """Controller: send the session's ID to a starting worker."""
    stash = node.config.stash
    if SESSION_ID not in stash:
        from lve.sessions.session_file import new_id

        stash[SESSION_ID] = new_id(datetime.now(UTC))
        end_at_sigterm(node.config)
    node.workerinput[SESSION] = stash[SESSION_ID]
    # Sent along, because `dist` is always "no" in a worker.
    node.workerinput[MAY_STEAL] = node.config.getoption("dist") == "worksteal"


def take_report(node: Any) -> None:
    """Controller: store the report of a worker that has ended. A crashed worker sends none."""
    report = getattr(node, "workeroutput", {}).get(REPORT)
    if report is not None:
        node.config.stash.setdefault(REPORTS, []).append(report)


def has_parts(session: pytest.Session) -> bool:
    """Controller: whether there may be parts of a session to join. A worker that is killed after
    Ctrl-C sends no report."""
    is_interrupted = session.exitstatus == pytest.ExitCode.INTERRUPTED
    return is_interrupted or bool(session.config.stash.get(REPORTS, []))


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


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is a worker of pytest-xdist."""
    return hasattr(config, "workerinput")


def tell_controller(
    config: pytest.Config, folder: Path, failures: list[str], warnings: list[str]
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
    if not input_of(session.config).get(MAY_STEAL):
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


def input_of(config: pytest.Config) -> dict[str, Any]:
    """Worker: return what the controller sent; nothing without xdist."""
    return getattr(config, "workerinput", {})
