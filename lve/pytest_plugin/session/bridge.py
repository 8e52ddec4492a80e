"""Connects pytest, which runs one item after the other, to the engine, which runs many at once.

The first item that runs submits all selected items that will certainly run (`prefetch.py`), in
collection order, to an engine in a thread of its own; each item then only waits for its own
results. An xdist worker submits the items of its queue (`workers.py`).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import replace
from hashlib import sha256

import pytest

from lve.errors import LveError, UnavailableError, UsageError
from lve.extension_table import extension_part
from lve.models.error_kinds import CHECKER_ERROR, NOT_RECORDED
from lve.options.model_options import DEFAULT_MAX_CONNECTIONS, DEFAULT_MAX_TESTS
from lve.options.run_options import RunOptions
from lve.pipeline.background import BackgroundSession
from lve.pipeline.resources.share import SessionPart, Share
from lve.pipeline.spec_for_model import for_model
from lve.pytest_plugin.item_protocol import DESELECTED, ITEMS_OF_ALL_SHARDS, LveItem, lve_items
from lve.pytest_plugin.options import WORKSPACE, options_of
from lve.pytest_plugin.session import workers
from lve.pytest_plugin.session.gating import gate_of, gated_end
from lve.pytest_plugin.session.initial_info import initial_info
from lve.pytest_plugin.session.prefetch import PrefetchPolicy
from lve.pytest_plugin.session.session_end import (
    CLOSE,
    SessionEnd,
    on_interrupt,
    print_waiting,
    warning_lines,
)
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation, Spec
from lve.verdicts.coverage import NotRecorded
from lve.verdicts.rates.corrected import JudgeErrors
from lve.verdicts.replayed import replay_remarks
from lve.verdicts.wording import judge_again
from lve.workspace import display_path

Results = list[InstanceResult]
_BRIDGE: pytest.StashKey[Bridge] = pytest.StashKey()
SILENT_S = 0.3
"""Seconds to wait for pending requests before a message says so."""


def bridge_of(session: pytest.Session) -> Bridge:
    """Return the bridge of a pytest session; the first call starts it."""
    stash = session.config.stash
    if _BRIDGE not in stash:
        bridge = stash[_BRIDGE] = Bridge(session)
        stash[CLOSE] = bridge.close
    return stash[_BRIDGE]


class Bridge:
    """One engine for all items of a pytest session."""

    def __init__(self, session: pytest.Session) -> None:
        config = session.config
        self._session = session
        self._config = config
        self._policy = PrefetchPolicy(config)
        self._futures: dict[str, Future[Results]] = {}
        self._warnings: dict[str, None] = {}
        self._prompt_hashes: dict[str, str] = {}
        self._failure: LveError | None = None
        """Why the session could not start."""
        workspace, run_options = config.stash[WORKSPACE], _run_options(config)
        items = list(lve_items(session.items))
        of_all_shards = config.stash.get(ITEMS_OF_ALL_SHARDS, items)
        try:
            if any(item.has_target for item in of_all_shards):
                bind = extension_part("lve_target of all items")
                run_options = bind(of_all_shards, run_options, workspace.settings)
            self._background = BackgroundSession(
                workspace,
                run_options,
                warn=self.note,
                part=_part_of(config),
                begun_with=lambda: initial_info(
                    of_all_shards,
                    run_options,
                    workspace.settings,
                    deselected=config.stash.get(DESELECTED, 0),
                ),
            )
            self._background.start()
        except LveError as error:
            self._failure = error
            return
        if not workers.is_worker(config):
            self._prefetch(items)

    @property
    def session_id(self) -> str | None:
        """The session's ID; None if the session isn't kept or could not start."""
        folder = None if self._failure else self._background.session.log.folder
        return folder.id if folder else None

    def results_of(self, item: LveItem) -> Results:
        """Wait for an item's results and return them, one per instance and repeat.

        Raises:
            LveError: the test or the model can't be used, or the session has stopped.
        """
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        if item.nodeid not in self._futures:
            self._submit(item)
        self._prefetch(workers.next_items(item.session))
        future = self._futures.pop(item.nodeid)
        if isinstance(error := future.exception(), LveError):
            # Many items may share the error, and each raise makes its traceback longer.
            raise error.with_traceback(None)
        results = future.result()
        if any(result.error_kind == CHECKER_ERROR for result in results) and self.session_id:
            self.note(judge_again(self._session_args()))
        return results

    def _session_args(self) -> str:
        """Return the arguments with which `lve score` finds the session and runs its checkers."""
        run_options = options_of(self._config).run
        place = ["--session-dir", str(display_path(run_options.state))] if run_options.state else []
        return shlex.join([self.session_id or "", *place, *["--trust"] * run_options.trust])

    def rate_of(self, item: LveItem) -> tuple[Expectation, bool]:
        """Return the pass rate that an item expects, and whether its repeats stop as soon as the
        rate is decided."""
        assert item.model is not None
        session = self._background.session
        engine = session.engine
        spec = for_model(item.spec, item.model, engine.options, engine.settings)
        return spec.expect, session.repeat_plan(spec, item.model).is_sequential

    def not_recorded(self, item: LveItem) -> NotRecorded:
        """Return what a replay left out of an item with all rows of a test, which has run."""
        assert item.model is not None
        return self._background.session.summary.tallies[
            item.spec.path, item.model
        ].coverage.not_recorded

    def prompt_hash(self, spec: Spec) -> str:
        """Return a short hash of a test's document and prompt files, for reports."""
        hashes = self._prompt_hashes
        if spec.path not in hashes:
            sums = self._background.session.log.hashes[spec.path]
            text = "".join(sums.get(part, "") for part in ("document", "prompts", "prompt_object"))
            hashes[spec.path] = sha256(text.encode()).hexdigest()[:16]
        return hashes[spec.path]

    def note_skipped(self, item: LveItem, error: UnavailableError) -> None:
        """Add the skipped test to the lines at the end; pytest itself only counts it. If the item
        has only some of its rows, others may have recorded answers."""
        is_part = error.code == NOT_RECORDED and len(item.selected) < item.collected
        what = "rows of " if is_part else ""
        self.note(f"skipped {what}{item.spec.path}: {error.message_with_code}")

    def errors_of(self, spec: Spec) -> JudgeErrors | None:
        """Return the known error rates of a test's checker; None if it isn't calibrated."""
        statuses = self._background.session.statuses
        return statuses.errors(spec) if statuses else None

    def close(self) -> SessionEnd:
        """End the session: send nothing more, wait for pending requests, write the results. Ctrl-C
        ends the wait."""
        if self._failure is not None:  # each item has reported it
            return SessionEnd(warning_lines(self._warnings))
        if not workers.is_worker(self._config):
            self._background.is_cut_short = not all(
                item.had_turn for item in lve_items(self._session.items)
            )
        with on_interrupt(self._background.cancel) as interrupts:
            failure = self._close()
        more = [remark.text for remark in replay_remarks(self._background.session.summary)]
        lines = [*warning_lines([*failure, *self._warnings]), *(f"lve: {line}" for line in more)]
        folder = self._background.session.log.folder
        if folder is not None:
            workers.tell_controller(self._config, folder.path, failure, [*self._warnings])
            lines.append(f"lve: session {display_path(folder.path)}")
        has_failed = bool(failure)
        gate = gate_of(self._config)
        if gate is not None and folder is not None and not workers.is_worker(self._config):
            allows = options_of(self._config).run.allow_inconclusive
            gated = gated_end(gate, folder, allows_inconclusive=allows)
            lines += gated.lines
            has_failed = has_failed or gated.has_failed
        place = folder.path if folder else None
        return SessionEnd(lines, has_failed, was_interrupted=bool(interrupts), folder=place)

    def _close(self) -> list[str]:
        """Wait for the session's end; return the error that ended it, if any, as a list."""
        self._background.stop()
        if not self._background.ends_within(SILENT_S):
            print_waiting(self._session)
            self._cancel_in_time()
        try:
            self._background.close()
        except LveError as error:
            return [error.message_with_code]
        return []

    def _cancel_in_time(self) -> None:
        """In an interrupted worker, cancel pending requests after a while: pytest-xdist kills the
        worker soon, and its results must be written before."""
        is_interrupted = self._session.exitstatus == pytest.ExitCode.INTERRUPTED
        if not (is_interrupted and workers.is_worker(self._config)):
            return
        if not self._background.ends_within(workers.PATIENCE_S):
            self._background.cancel()

    def note(self, text: str) -> None:
        """Add a line to the end of the output."""
        self._warnings[text] = None

    def _prefetch(self, items: Iterable[LveItem]) -> None:
        for item in items:
            is_new = not (item.nodeid in self._futures or item.verdict)
            if is_new and self._policy.surely_runs(item):
                self._submit(item)

    def _submit(self, item: LveItem) -> None:
        if item.model is None:
            self._futures[item.nodeid] = unnamed = Future[Results]()
            unnamed.set_exception(_no_model(item.spec))
        else:
            submit = self._background.submit
            self._futures[item.nodeid] = submit(item.spec, item.model, item.instances)


def _run_options(config: pytest.Config) -> RunOptions:
    """Return the options for the engine."""
    run_options = options_of(config).run
    models = config.stash[WORKSPACE].settings.models.values()
    own = (entry.max_connections or 0 for entry in models)
    widest = run_options.max_connections or max([DEFAULT_MAX_CONNECTIONS, *own])
    # The engine treats each item as a test of its own, so as many may run as there are connections.
    # `failed_in` was applied when the items were collected.
    return replace(run_options, max_tests=max(DEFAULT_MAX_TESTS, widest), failed_in=None)


def _no_model(spec: Spec) -> UsageError:
    return UsageError(
        f"{spec.path} names no model: give one with --lve-model (openai/NAME, or use "
        "--lve-replay for the recorded answers), or set `model:` in lve.yaml",
        code="no_model",
    )


def _part_of(config: pytest.Config) -> SessionPart | None:
    """Return which part of the session this worker runs; None without pytest-xdist."""
    sent = workers.input_of(config)
    if workers.SESSION not in sent:
        return None
    share = Share(int(sent["workercount"]))
    return SessionPart(sent[workers.SESSION], str(sent["workerid"]), share)
