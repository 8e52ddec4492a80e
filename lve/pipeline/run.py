"""Runs tests: what `lve run` and `lve.run` do, from paths and options to a `RunResult`.

`Run` joins the rooms of this package. It makes an `Engine`, which sends requests, and a
`SessionLog`, which writes the journal, and hands both to a `Session`, which runs the tests.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.error_boundary import error_boundary
from lve.errors import LveError, MissingKeyError, SettingsError, SpecError
from lve.extension_table import extension_part
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.failures import failures_to_run
from lve.pipeline.choosing.instances import check_selection
from lve.pipeline.choosing.limits_and_filters import chosen_variants
from lve.pipeline.choosing.loading import (
    InvalidTest,
    LoadedTests,
    all_models,
    choose_workspace,
    complete_spec,
    load_tests,
    models_of,
)
from lve.pipeline.engine import Engine
from lve.pipeline.fail_fast import FailFast
from lve.pipeline.interrupts import handle_interrupts
from lve.pipeline.outcome import KeptResults, result_of, run_to_end, status_of
from lve.pipeline.result import RunResult
from lve.pipeline.session import Session, Watcher
from lve.pipeline.session_log import SessionLog
from lve.sessions.prompt_changes import PromptChange
from lve.sessions.provenance import hashes_of
from lve.sessions.resume import PreviousRun
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo, Status
from lve.settings.settings import NO_CLUSTER
from lve.spec.spec import Spec
from lve.workspace import Workspace

if TYPE_CHECKING:
    from lve.pipeline.gate import Gate

TICK_S = 0.1
"""Seconds between two calls of `Watcher.on_tick`."""


async def run_tests(
    tests: Sequence[str | Path | Spec],
    options: RunOptions,
    *,
    warn: Callable[[str], None],
    say: Callable[[str], None] | None = None,
    keep_results: bool = False,
) -> RunResult:
    """Run tests in a new session.

    Args:
        tests: paths or loaded tests.
        options: the run's options.
        warn: called with each warning.
        say: called with notices for the user. If given, Ctrl-C ends the session in good order.
        keep_results: whether the result holds the results of all instances in memory.

    Raises:
        SpecError: the only test is invalid, and no `say` was given.
        UsageError: a path doesn't exist, a test has no model, or a model can't be used.
        SessionError: the session can't be written.
    """
    paths = [test for test in tests if not isinstance(test, Spec)]
    specs = [test for test in tests if isinstance(test, Spec)]
    workspace = choose_workspace([*paths, *(spec.folder for spec in specs)])
    options, previous_of = failures_to_run(options, workspace)
    loaded = load_tests(paths, workspace, warn=warn, options=options) if paths else LoadedTests()
    if len(tests) == 1 and not loaded.specs and len(loaded.invalid) == 1 and say is None:
        raise SpecError(loaded.invalid[0].problems)
    for spec in specs:
        completed = complete_spec(spec, workspace.settings)
        loaded.specs += chosen_variants(completed, options, workspace.settings)
    targets = [*map(str, paths), *(str(spec.file) for spec in specs)]

    def execute(warn: Callable[[str], None]) -> Coroutine[Any, Any, RunResult]:
        run = Run(workspace, options, loaded, previous=previous_of(loaded.specs), warn=warn)
        return run.execute(targets, say=say, keep_results=keep_results)

    if (options.ray or workspace.settings.ray or NO_CLUSTER) == NO_CLUSTER:
        return await execute(warn)
    workspace.note_keys()  # the child does, too, but what it returns is shown here
    result: RunResult = await extension_part("result of a cluster's driver")(execute, warn)
    return result


class Run:
    """One run: a new session, or the continuation of one."""

    def __init__(
        self,
        workspace: Workspace,
        options: RunOptions,
        loaded: LoadedTests,
        *,
        warn: Callable[[str], None],
        folder: SessionFolder | None = None,
        previous: PreviousRun | None = None,
    ) -> None:
        """Args:
        workspace: has the settings and the folder of sessions.
        options: the run's options.
        loaded: the tests. Those that turn out to be invalid move to `loaded.invalid`.
        warn: called with each warning.
        folder: the session to continue; None for a new one.
        previous: results of an earlier run, which decide what runs now; None: everything runs.
        """
        self._workspace = workspace
        self._options = options
        self._loaded = loaded
        self._warn = warn
        self._folder = folder
        self._previous = previous
        self._prompt_changes: tuple[PromptChange, ...] = ()
        """Found when the session begins, however often it is resumed."""

    async def execute(
        self,
        paths: Sequence[str],
        *,
        watchers: Sequence[Watcher] = (),
        say: Callable[[str], None] | None = None,
        keep_results: bool = False,
    ) -> RunResult:
        """Run the tests, and return what came out.

        Args:
            paths: as the user gave them; kept for resuming.
            watchers: called with everything that happens.
            say: called with notices for the user. If given, Ctrl-C ends the session in good order.
            keep_results: whether the result holds all results of this run in memory.

        Raises:
            UsageError: a test has no model, or a model can't be used. Nothing was sent.
            SessionError: the session can't be written (any more).
        """
        engine = Engine(self._workspace, self._options, warn=self._warn)
        memory = KeptResults() if keep_results else None
        all_watchers = [memory, *watchers] if memory else [*watchers]
        if self._options.fail_fast is not None:
            all_watchers.append(FailFast(self._options.fail_fast))
        with handle_interrupts(engine, say) if say else nullcontext():
            return await self._execute(engine, paths, all_watchers, say, memory)

    async def _execute(
        self,
        engine: Engine,
        paths: Sequence[str],
        watchers: Sequence[Watcher],
        say: Callable[[str], None] | None,
        memory: KeptResults | None,
    ) -> RunResult:
        """Refuse what can't run, open the session, do its work, and collect what came out."""
        started, gate = time.monotonic(), self._gate()
        self._prepare_models(engine)
        if self._options.ray or self._workspace.settings.ray:
            await extension_part("cluster")(engine, warn=self._warn)
        log = self._open_log(engine, paths)
        if self._options.batch:
            engine.models.batching.begin(log.folder and log.folder.path, say or self._warn)
        session = Session(engine, log, warn=self._warn, watchers=watchers, previous=self._previous)
        status = await run_to_end(session, lambda: self._work(session, watchers, say))
        return result_of(
            session,
            status,
            seconds=time.monotonic() - started,
            prompt_changes=self._prompt_changes,
            gated=gate.compared(log.folder, self._warn) if gate and log.folder else None,
            results=tuple(memory.results) if memory else None,
        )

    def _gate(self) -> Gate | None:
        """Read the baseline that the options name, if any, before anything is paid for."""
        if self._options.baseline is None and not self._options.names_two_gates:
            return None
        from lve.pipeline.gate import Gate  # few runs need it

        return Gate.of(self._options, self._workspace.settings)

    def _prepare_models(self, engine: Engine) -> None:
        """Make the models of all tests ready, and check the options against the tests.

        This happens before the session's folder is made: a session that never ran would be the one
        that `last` names.

        A test whose model can't be used or has no key is invalid, and the others run, if there are
        any. If the user named a model that can't be used, or with `strict_models`, nothing runs.

        Raises:
            UsageError: nothing can run, or an option doesn't fit a test.
        """
        ready = False
        refused: list[InvalidTest] = []
        reason: LveError | None = None
        for spec in self._loaded.specs:
            if spec.skip is not None:
                continue
            try:
                self._prepare_models_of(spec, engine)
            except LveError as error:
                if self._options.strict_models or self._is_for_user(spec, error):
                    raise
                reason = reason or error
                refused.append(InvalidTest.of(spec.path, spec.file, error))
            else:
                ready = True
            check_selection(spec, self._options)
        if reason is not None and not ready:
            raise reason
        self._loaded.refuse(refused)

    def _prepare_models_of(self, spec: Spec, engine: Engine) -> None:
        with error_boundary("making the model ready"):
            for model in models_of(spec, self._options, self._workspace.settings):
                engine.prepare_model(model)

    def _is_for_user(self, spec: Spec, error: LveError) -> bool:
        """Whether it is the user's mistake, not the test's, that a model can't be used: settings
        are wrong, or they or options choose the model. A key may be missing for some tests."""
        is_set = self._workspace.settings.model is not None and not spec.models
        is_chosen = bool(self._options.tested or is_set) and not isinstance(error, MissingKeyError)
        return is_chosen or isinstance(error, SettingsError)

    def _open_log(self, engine: Engine, paths: Sequence[str]) -> SessionLog:
        """Make the folder and journal of a new session, or open those of the continued one."""
        if self._folder is not None:
            return SessionLog.resume(engine, self._folder)
        return SessionLog.begin(engine, **(self._test_fields(paths) if self._options.keep else {}))

    def _test_fields(self, paths: Sequence[str]) -> SessionInfo:
        """Return what `session.json` says of the tests when the session begins."""
        tests = self._hashes()  # first, as it may move tests to the invalid ones
        specs = self._loaded.specs
        return {
            "paths": [os.path.abspath(path) for path in paths],  # noqa: PTH100 (keeps globs)
            "failures_of": self._previous.failures_of if self._previous else None,
            "models": all_models(specs, self._options, self._workspace.settings),
            "tests": tests,
        }

    def _hashes(self) -> dict[str, dict[str, str]]:
        """Return test path -> hashes of its files. A test that can't be hashed is invalid."""
        hashes: dict[str, dict[str, str]] = {}
        refused: list[InvalidTest] = []
        for spec in self._loaded.specs:
            try:
                with error_boundary("hashing the test's files"):
                    hashes[spec.path] = hashes_of(spec)
            except LveError as error:
                refused.append(InvalidTest.of(spec.path, spec.file, error))
        self._loaded.refuse(refused)
        return hashes

    async def _work(
        self, session: Session, watchers: Sequence[Watcher], say: Callable[[str], None] | None
    ) -> Status:
        """Hand the session all tests and earlier results, run it, and return its status."""
        self._prompt_changes = tuple(session.log.prompt_changes())
        session.log.hashes = {}  # they are in `session.json`: 800 bytes per test
        if say is not None and self._folder is None:
            for change in self._prompt_changes:
                say(str(change))
        session.add(self._loaded.specs.drain())
        for test in self._loaded.invalid:
            session.invalid.add(test)
        if self._previous is not None:
            session.count_previous(session.log.previous_results(self._previous, warn=self._warn))
        ticker = asyncio.create_task(_tick(watchers))
        try:
            session.start()
            await session.engine.join()
        except asyncio.CancelledError:
            session.engine.cancel()
            raise
        finally:
            ticker.cancel()
        return status_of(session)


async def _tick(watchers: Sequence[Watcher]) -> None:
    while True:
        await asyncio.sleep(TICK_S)
        for watcher in watchers:
            watcher.on_tick()
