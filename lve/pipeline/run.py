"""From tests and options to results: what `lve run` and `lve.run` do."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from lve.border import border
from lve.errors import LveError, SessionError, SpecError
from lve.pipeline.engine import Engine
from lve.pipeline.interrupt import handle_interrupts
from lve.pipeline.loading import InvalidTest, LoadedTests, all_models, choose_workspace, load_tests
from lve.pipeline.options import RunOptions
from lve.pipeline.outcome import failed_attempts, left_of, requests_of, status_of, stopped_by
from lve.pipeline.result import RunResult
from lve.pipeline.resume import Earlier
from lve.pipeline.select import check_selection
from lve.pipeline.session import Pairing, Session, Watcher
from lve.pipeline.session_options import stored_options
from lve.pipeline.spent import Spending
from lve.pipeline.unfinished import unfinished_of
from lve.results.checkout import checkout_of
from lve.results.journal import Journal
from lve.results.prompt_changes import PromptChange, prompt_changes
from lve.results.provenance import hashes_of, versions
from lve.results.records import InstanceResult
from lve.results.redact import redactor
from lve.results.session import SessionFolder, Status
from lve.spec.model import Spec
from lve.workspace import Workspace

TICK_S = 0.1


async def run_tests(
    tests: Sequence[str | Path | Spec],
    options: RunOptions,
    *,
    watchers: Sequence[Watcher] = (),
    warn: Callable[[str], None],
    say: Callable[[str], None] | None = None,
    keep_results: bool = False,
) -> RunResult:
    """Run tests in a new session.

    Args:
        tests: paths or loaded tests.
        options: how.
        watchers: are told what happens.
        warn: is told what is worth knowing and stops nothing.
        say: is told what the user should know at once; given, Ctrl-C stops the session in order.
        keep_results: whether the result holds all instances' results in memory.

    Raises:
        UsageError: a path doesn't exist, a test has no model, or a model can't be used.
        SessionError: the session can't be written.
    """
    paths = [test for test in tests if not isinstance(test, Spec)]
    specs = [test for test in tests if isinstance(test, Spec)]
    workspace = choose_workspace([*paths, *(spec.folder for spec in specs)])
    loaded = load_tests(paths, workspace, warn=warn) if paths else LoadedTests()
    if len(tests) == 1 and not loaded.specs and len(loaded.invalid) == 1 and say is None:
        raise SpecError(loaded.invalid[0].problems)
    loaded.specs += specs
    run = Run(workspace, options, loaded, watchers=watchers, warn=warn, say=say)
    return await run.execute([str(path) for path in paths], keep_results=keep_results)


class _Keeper(Watcher):
    """Keeps all results."""

    def __init__(self) -> None:
        self.results: list[InstanceResult] = []

    def on_result(self, pairing: Pairing, result: InstanceResult) -> None:
        self.results.append(result)


class Run:
    """One run: new, or the continuation of an earlier one."""

    def __init__(
        self,
        workspace: Workspace,
        options: RunOptions,
        loaded: LoadedTests,
        *,
        watchers: Sequence[Watcher] = (),
        warn: Callable[[str], None],
        say: Callable[[str], None] | None = None,
        folder: SessionFolder | None = None,
        earlier: Earlier | None = None,
        retry_errors: bool = False,
    ) -> None:
        """Args:
        workspace: settings and place of the session.
        options: how.
        loaded: the tests.
        watchers: are told what happens.
        warn: is told what stops nothing.
        say: is told what the user should know at once; given, Ctrl-C stops in order.
        folder: of the session that is continued; None for a new one.
        earlier: what of it (or of another) decides what runs.
        retry_errors: whether instances of `folder` that ended in an error run again.

        Raises:
            SessionError: `session.json` of `folder` can't be read.
        """
        self._workspace = workspace
        self._options = options
        self._loaded = loaded
        self._watchers = watchers
        self._warn = warn
        self._say = say
        self._folder = folder
        self._earlier = earlier
        self._retry_errors = retry_errors
        self._prompt_changes: tuple[PromptChange, ...] = ()
        before = folder.info() if folder is not None else None
        self._status_before: Status | None = before["status"] if before else None
        self._spending = Spending(before)

    def watch(self, watcher: Watcher, *, say: Callable[[str], None]) -> None:
        """Add a watcher that talks to the user: from now on Ctrl-C stops the session in order."""
        self._watchers = [*self._watchers, watcher]
        self._say = say

    async def execute(self, paths: Sequence[str], *, keep_results: bool = False) -> RunResult:
        """Run, and return what came out.

        Args:
            paths: as the user gave them, for resuming.
            keep_results: whether the result holds all results of this run in memory.

        Raises:
            UsageError: a test has no model, or a model can't be used. Nothing was sent.
            SessionError: the session can't be written (any more).
        """
        engine = Engine(self._workspace, self._options, warn=self._warn)
        with handle_interrupts(engine, self._say) if self._say else nullcontext():
            return await self._execute(engine, paths, keep_results=keep_results)

    async def _execute(
        self, engine: Engine, paths: Sequence[str], *, keep_results: bool
    ) -> RunResult:
        started = time.monotonic()
        keeper = _Keeper()
        watchers = [self._spending, *([keeper] if keep_results else []), *self._watchers]
        self._check(engine)
        folder, journal = self._open(engine, paths)
        session = Session(
            engine, warn=self._warn, journal=journal, watchers=watchers, earlier=self._earlier
        )
        status: Status = "failed"
        try:
            session.add(self._loaded.specs)
            session.add_invalid(self._loaded.invalid)
            self._count_earlier(session)
            self._spending.begin(engine)
            await self._run(session)
            status = status_of(session, self._status_before)
        finally:
            await self._close(session, journal, folder, status)
        return RunResult(
            summary=session.summary,
            status=status,
            folder=folder,
            invalid=tuple(session.invalid.values()),
            stopped_by=stopped_by(session),
            seconds=time.monotonic() - started,
            requests=requests_of(engine),
            failed_attempts=failed_attempts(engine),
            prompt_changes=self._prompt_changes,
            left=left_of(session),
            kept=tuple(keeper.results) if keep_results else None,
        )

    def _check(self, engine: Engine) -> None:
        """Refuse what can't run before there is a session: it would be the last one."""
        for model in all_models(self._loaded.specs, self._options, self._workspace.settings):
            engine.prepare_model(model)
        for spec in self._loaded.specs:
            if spec.skip is None:
                check_selection(spec, self._options)

    def _open(
        self, engine: Engine, paths: Sequence[str]
    ) -> tuple[SessionFolder | None, Journal | None]:
        """Return the session's folder and journal."""
        folder = self._folder
        if folder is not None:
            # Told when the session began, and part of its report however often it is resumed.
            began_with = folder.info().get("tests") or {}
            changes = prompt_changes(engine.state, began_with, before=folder.id)
            self._prompt_changes = tuple(changes)
            journal = folder.open_journal()
            try:
                folder.begin_again()
            except BaseException:
                journal.close()
                raise
            return folder, journal
        if not self._options.keep:
            return None, None
        state, info = engine.state, self._info(paths)
        self._prompt_changes = tuple(prompt_changes(state, info["tests"]))
        if self._say is not None:
            for change in self._prompt_changes:
                self._say(str(change))
        folder = SessionFolder.create(state, info, redact=redactor(self._workspace))
        return folder, folder.open_journal()

    def _info(self, paths: Sequence[str]) -> dict[str, Any]:
        """Return what `session.json` says of how the session began."""
        tests = self._hashes()
        specs = self._loaded.specs
        return {
            "versions": versions(),
            "git": checkout_of(self._workspace.root),
            "paths": [os.path.abspath(path) for path in paths],  # noqa: PTH100 (keeps globs)
            "options": stored_options(self._options),
            "failures_of": self._earlier.failures_of if self._earlier else None,
            "models": all_models(specs, self._options, self._workspace.settings),
            "tests": tests,
        }

    def _hashes(self) -> dict[str, dict[str, str]]:
        """Return the sums over each test's files. A test that can't have them is invalid."""
        hashes: dict[str, dict[str, str]] = {}
        for spec in list(self._loaded.specs):
            try:
                with border("hashing the test's files"):
                    hashes[spec.path] = hashes_of(spec)
            except LveError as error:
                self._loaded.specs.remove(spec)
                self._loaded.invalid.append(InvalidTest.of(spec.path, spec.file, error))
        return hashes

    def _count_earlier(self, session: Session) -> None:
        """Count what the continued session has already."""
        if self._folder is None or self._earlier is None:
            return
        for result in self._folder.results(warn=self._warn):
            stands = self._earlier.add(result, retry_errors=self._retry_errors)
            self._spending.add_earlier(result, stands=stands)
            if stands:
                session.add_earlier(result)

    async def _run(self, session: Session) -> None:
        """Start, and wait for the end; tick meanwhile."""
        engine = session.engine
        ticker = asyncio.create_task(_tick(session))
        try:
            session.start()
            await engine.join()
        except asyncio.CancelledError:
            engine.cancel()
            raise
        finally:
            ticker.cancel()

    async def _close(
        self,
        session: Session,
        journal: Journal | None,
        folder: SessionFolder | None,
        status: Status,
    ) -> None:
        """Write what is left, whatever happened."""
        ended: Status = "failed"
        try:
            try:
                await session.engine.close()
            finally:
                if journal is not None:
                    journal.close()
            self._count_unretried(session)
            ended = status
        finally:
            if folder is not None:
                self._end(folder, session, ended)

    def _end(self, folder: SessionFolder, session: Session, status: Status) -> None:
        """Note how the session ended, and what it has spent."""
        known: dict[str, Any] = self._spending.to_json(session.engine)
        known["unfinished"] = unfinished_of(session.summary)
        try:
            folder.end(status, summary=session.summary.to_json(), **known)
        except SessionError:
            if status != "failed":  # what it failed with says more, and is on its way
                raise

    def _count_unretried(self, session: Session) -> None:
        """Count earlier errors that were to run again and didn't get their turn."""
        if self._folder is not None and self._earlier is not None and self._earlier.errors:
            for result in self._folder.results():
                if result.id in self._earlier.errors:
                    self._spending.keep(result)
                    session.add_earlier(result)


async def _tick(session: Session) -> None:
    while True:
        await asyncio.sleep(TICK_S)
        session.tick()
