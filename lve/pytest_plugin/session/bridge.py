"""From pytest's one-after-the-other to the engine's many-at-once.

The first item that runs submits all selected items that surely run (`ahead.py`), in collection
order, to an engine in a thread of its own; each item then only waits for its own result. An xdist
worker submits what is in its queue (`workers.py`).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import replace
from hashlib import sha256

import pytest

from lve.conventions import DEFAULT_MAX_CONNECTIONS, DEFAULT_MAX_TESTS
from lve.error_kinds import CHECKER_ERROR
from lve.errors import LveError, UnavailableError, UsageError
from lve.pipeline.background import BackgroundSession
from lve.pipeline.model_args import for_model
from lve.pytest_plugin import options
from lve.pytest_plugin.lve_items import OF_ALL_SHARDS, LveItem, lve_items
from lve.pytest_plugin.session import workers
from lve.pytest_plugin.session.ahead import Ahead
from lve.pytest_plugin.session.beginning import begun_with
from lve.pytest_plugin.session.gating import gate_of, gated_end
from lve.pytest_plugin.session.session_end import (
    CLOSE,
    SessionEnd,
    on_interrupt,
    tell_waiting,
    warning_lines,
)
from lve.results.records import InstanceResult
from lve.run_options import RunOptions
from lve.settings.settings import Settings
from lve.spec.model import Expectation, Spec
from lve.verdicts.rates.corrected import JudgeErrors
from lve.verdicts.wording import judge_again
from lve.workspace import display_path

Results = list[InstanceResult]
_BRIDGE: pytest.StashKey[Bridge] = pytest.StashKey()
SILENT_S = 0.3
"""A wait for what is under way that is shorter needs no words."""


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
        self._ahead = Ahead(config)
        self._futures: dict[str, Future[Results]] = {}
        self._warnings: dict[str, None] = {}
        self._prompt_hashes: dict[str, str] = {}
        self._failure: LveError | None = None
        """Why the session couldn't begin."""
        workspace, asked = config.stash[options.WORKSPACE], _run_options(config)
        items = list(lve_items(session.items))
        of_all_shards = config.stash.get(OF_ALL_SHARDS, items)
        self._background = BackgroundSession(
            workspace,
            asked,
            warn=self._warn,
            part=workers.part_of(config),
            begun_with=lambda: begun_with(of_all_shards, asked, workspace.settings),
        )
        try:
            self._background.start()
        except LveError as error:
            self._failure = error
            return
        if not workers.is_worker(config):
            self._submit_ahead(items)

    @property
    def session_id(self) -> str | None:
        """Of the session's record."""
        folder = None if self._failure else self._background.session.log.folder
        return folder.id if folder else None

    def results_of(self, item: LveItem) -> Results:
        """Return an item's results, one per instance and repeat, as soon as they are there.

        Raises:
            LveError: the test or the model can't be used, or the session has stopped.
        """
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        if item.nodeid not in self._futures:
            self._submit(item)
        self._submit_ahead(workers.next_items(item.session))
        future = self._futures.pop(item.nodeid)
        if isinstance(error := future.exception(), LveError):
            # Many items may share it, and each raise makes its traceback longer.
            raise error.with_traceback(None)
        results = future.result()
        if any(one.error_kind == CHECKER_ERROR for one in results) and self.session_id:
            self._warn(judge_again(self._words_of_session()))
        return results

    def _words_of_session(self) -> str:
        """Return what `lve score` needs to find the session, and to run its checkers."""
        asked = options.read(self._config).run
        place = ["--session-dir", str(display_path(asked.state))] if asked.state else []
        return shlex.join([self.session_id or "", *place, *["--trust"] * asked.trust])

    def rate_of(self, item: LveItem) -> tuple[Expectation, bool]:
        """Return the pass rate that an item expects, and whether every repeat was looked at."""
        assert item.model is not None
        session = self._background.session
        engine = session.engine
        spec = for_model(item.spec, item.model, engine.options, engine.settings)
        return spec.expect, session.repeat_plan(spec, item.model).is_sequential

    def prompt_hash(self, spec: Spec) -> str:
        """Return a short sum over a test's document and prompt files, for reports."""
        known = self._prompt_hashes
        if spec.path not in known:
            sums = self._background.session.log.hashes[spec.path]
            text = "".join(sums.get(part, "") for part in ("document", "prompts", "prompt_object"))
            known[spec.path] = sha256(text.encode()).hexdigest()[:16]
        return known[spec.path]

    def note_skipped(self, spec: Spec, error: UnavailableError) -> None:
        """Have the end of the output say that a test was skipped: pytest itself only counts it."""
        self._warn(f"skipped {spec.path}: {error.message_with_code}")

    def errors_of(self, spec: Spec) -> JudgeErrors | None:
        """Return what is known of the errors in a test's verdicts."""
        statuses = self._background.session.statuses
        return statuses.errors(spec) if statuses else None

    def note(self, text: str) -> None:
        """Have the end of the output say something."""
        self._warn(text)

    def close(self) -> SessionEnd:
        """Stop sending, wait for what is under way, write it. Ctrl-C ends the wait."""
        if self._failure is not None:  # each item has reported it
            return SessionEnd(warning_lines(self._warnings))
        if not workers.is_worker(self._config):
            self._background.is_cut_short = not all(
                item.had_turn for item in lve_items(self._session.items)
            )
        with on_interrupt(self._background.cancel) as interrupts:
            failure = self._close()
        lines = warning_lines([*failure, *self._warnings])
        folder = self._background.session.log.folder
        if folder is not None:
            workers.tell_controller(self._config, folder.path, failure, list(self._warnings))
            lines.append(f"lve: session {display_path(folder.path)}")
        has_failed = bool(failure)
        gate = gate_of(self._config)
        if gate is not None and folder is not None and not workers.is_worker(self._config):
            gated = gated_end(gate, folder)
            lines += gated.lines
            has_failed = has_failed or gated.has_failed
        place = folder.path if folder else None
        return SessionEnd(lines, has_failed, was_interrupted=bool(interrupts), folder=place)

    def _close(self) -> list[str]:
        """Wait for the session's end; return what went wrong."""
        self._background.stop()
        if not self._background.ends_within(SILENT_S):
            tell_waiting(self._session)
            self._hurry()
        try:
            self._background.close()
        except LveError as error:
            return [error.message_with_code]
        return []

    def _hurry(self) -> None:
        """Give up what a worker waits for while there is time to write: pytest-xdist kills it."""
        is_interrupted = self._session.exitstatus == pytest.ExitCode.INTERRUPTED
        if not (is_interrupted and workers.is_worker(self._config)):
            return
        if not self._background.ends_within(workers.PATIENCE_S):
            self._background.cancel()

    def _warn(self, text: str) -> None:
        self._warnings[text] = None

    def _submit_ahead(self, items: Iterable[LveItem]) -> None:
        for item in items:
            is_known = item.nodeid in self._futures or item.verdict
            if not is_known and self._ahead.surely_runs(item):
                self._submit(item)

    def _submit(self, item: LveItem) -> None:
        if item.model is None:
            future: Future[Results] = Future()
            future.set_exception(_no_model(item.spec))
        else:
            future = self._background.submit(item.spec, item.model, item.instances)
        self._futures[item.nodeid] = future


def _run_options(config: pytest.Config) -> RunOptions:
    """Return the options for the engine."""
    asked = options.read(config).run
    # Each item is a source of work of its own.
    widest = _widest(asked, config.stash[options.WORKSPACE].settings)
    # What failed in another session was picked when the items were collected.
    return replace(asked, max_tests=max(DEFAULT_MAX_TESTS, widest), failed_in=None)


def _widest(asked: RunOptions, settings: Settings) -> int:
    """Return how many connections a model has at most."""
    if asked.max_connections is not None:
        return asked.max_connections
    own = (entry.max_connections or 0 for entry in settings.models.values())
    return max(DEFAULT_MAX_CONNECTIONS, max(own, default=0))


def _no_model(spec: Spec) -> UsageError:
    return UsageError(
        f"{spec.path} names no model: give one with --lve-model (openai/NAME, or use "
        "--lve-replay for the recorded completions), or set `model:` in lve.yaml",
        code="no_model",
    )
