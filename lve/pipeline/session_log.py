"""Writes a session's folder: its journal, and `session.json` when it begins and ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Unpack

from lve.error_boundary import error_boundary
from lve.errors import SessionError
from lve.files.git import checkout_of
from lve.models.registry import is_builtin_provider
from lve.pipeline.engine import Engine
from lve.pipeline.resources.share import SessionPart
from lve.pipeline.roles.roles import roles_of
from lve.plugins import plugin_versions
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import Journal
from lve.sessions.prompt_changes import PromptChange, prompt_changes
from lve.sessions.provenance import hashes_of, versions
from lve.sessions.resume import PreviousRun
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo, Status
from lve.sessions.session_tests import MAX_WAITING, SessionTest, append_tests
from lve.sessions.spending import Ledger, Spending, amount_in_ledger, ledger_file
from lve.sessions.stored_options import stored_options, stored_sandbox, stored_settings
from lve.spec.spec import Spec
from lve.verdicts.description import part_of, refused, unfinished_of
from lve.verdicts.summary import Summary


class SessionLog:
    """The folder and journal of a session: new, continued, or a part; nothing if it isn't kept."""

    def __init__(
        self,
        engine: Engine,
        info: SessionInfo,
        folder: SessionFolder | None = None,
        journal: Journal | None = None,
        *,
        part: SessionPart | None = None,
    ) -> None:
        """Use `begin` or `resume` instead. `info` is the content of `session.json`."""
        self.folder = folder
        self.spending = Spending(engine.models.budget, engine.models.completers, info)
        self.status_before: Status | None = info.get("status")
        """How the session ended before it is continued; None for a new one."""
        self.hashes: dict[str, dict[str, str]] = info.get("tests") or {}
        """Test path -> hashes of its files, when the session began or the test was added."""
        self._sent_before: Mapping[str, Mapping[str, object]] = info.get("sent") or {}
        self._lists_tests = self.status_before is None and "tests" not in info
        self._models: dict[str, None] = {}
        self._paths: dict[str, None] = {}
        self._noted: set[str] = set()
        self._undescribed: list[SessionTest] = []
        self._engine, self._journal, self._part = engine, journal, part
        engine.hold = journal.hold if journal else engine.hold
        self.is_part = part is not None
        self._ledger = self._open_ledger()
        models = (*engine.models.completers, *engine.options.tested)
        self._notes_costs = not engine.models.budget.is_capped and engine.models.prices.any(models)

    def _open_ledger(self) -> Ledger | None:
        """Open the file that says after `kill -9` what was spent."""
        if self.folder is None:
            return None
        file = ledger_file(self.folder.path, self._part.name if self._part else None)
        self.spending.at_least(amount_in_ledger(file))
        ledger, budget = Ledger(file, self.spending.committed), self._engine.models.budget
        budget.on_change = ledger.write if budget.is_capped else ledger.count
        return ledger

    @classmethod
    def begin(
        cls,
        engine: Engine,
        *,
        part: SessionPart | None = None,
        begun_with: Callable[[], SessionInfo] | None = None,
        **tests: Unpack[SessionInfo],
    ) -> SessionLog:
        """Begin a new session: make its folder and open its journal, if anything is to be kept.

        Args:
            engine: the session's engine.
            part: which part of the session this process runs; None: all of it.
            begun_with: returns fields of `session.json` about tests that will be added with `note`.
            tests: fields of `session.json` about the tests, if they are known at the beginning.
                Other tests are added with `note` as they come, and written at the end.

        Raises:
            SessionError: the folder can't be written.
        """
        if not engine.options.keep:
            return cls(engine, tests)
        info: SessionInfo = {
            "versions": {**plugin_versions(_plugins_named(engine)), **versions()},
            "git": checkout_of(engine.workspace.root),
            "options": stored_options(engine.options),
            "roles": dict(engine.roles),
            **stored_sandbox(engine.options, engine.settings),
            **stored_settings(engine.options, engine.settings),
            **tests,
        }
        place = engine.models.session_dir
        if part is None:
            folder = SessionFolder.create(place, info)
            log = cls(engine, info, folder, folder.open_journal())
        else:
            from lve.sessions.worker_parts import journal_of_part

            folder, is_new = SessionFolder.share(place, part.session, info)
            log = cls(engine, info, folder, journal_of_part(folder, part.name), part=part)
            begun_with = begun_with if is_new else None
        if begun_with is not None and (planned := begun_with()):
            folder.update(**planned)
            log.hashes.update(planned["tests"])
            log._models.update(dict.fromkeys(planned["models"]))
            log._paths.update(dict.fromkeys(planned["paths"]))
        return log

    @classmethod
    def resume(cls, engine: Engine, folder: SessionFolder) -> SessionLog:
        """Continue an earlier session.

        Raises:
            SessionError: its files can't be read or written, or another process has them open.
        """
        if folder.has_parts:
            from lve.pipeline.merging import merge_parts

            merge_parts(folder, is_interrupted=True)
        info = folder.info()
        journal = folder.open_journal()
        try:
            folder.begin_again(stored_options(engine.options))
        except BaseException:
            journal.close()
            raise
        return cls(engine, info, folder, journal)

    def previous_results(
        self, previous: PreviousRun, *, warn: Callable[[str], None]
    ) -> Iterator[InstanceResult]:
        """Yield the results of the session that is continued, except those that run again. The cost
        of all of them is counted."""
        for result in self._journal_results(warn):
            is_final = previous.add(result)
            self.spending.add_previous(result, is_final=is_final)
            if is_final:
                yield result

    def errors_not_retried(self, previous: PreviousRun) -> Iterator[InstanceResult]:
        """Yield the errors of the session that is continued which should have run again and did
        not, because the session was stopped before."""
        for result in self._journal_results() if previous.unretried else ():
            if previous.is_unretried(result):
                self.spending.add(result)
                yield result

    def _journal_results(
        self, warn: Callable[[str], None] | None = None
    ) -> Iterator[InstanceResult]:
        if self.folder is not None and self.status_before is not None:
            yield from self.folder.results(warn=warn)

    def note(self, spec: Spec, model: str) -> bool:
        """Add a test that came while the session runs; return whether it is new."""
        if spec.path not in self.hashes:
            with error_boundary("hashing the test's files"):
                self.hashes[spec.path] = hashes_of(spec)
        is_new = spec.path not in self._noted
        self._noted.add(spec.path)
        self._paths[str(spec.file)] = None
        self._models[model] = None
        return is_new

    def describe(self, test: SessionTest) -> None:
        """Add a test's description, which the next `write_tests` writes."""
        self._undescribed.append(test)
        if len(self._undescribed) >= MAX_WAITING:
            self.write_tests()

    def write_tests(self) -> None:
        """Write the collected descriptions of tests, for reports.

        Raises:
            SessionError: they can't be written.
        """
        if self.folder is not None:
            append_tests(self.folder.path, self._undescribed)
        self._undescribed.clear()

    def start(self) -> None:
        """Write the collected descriptions of tests, and start the budgets with what earlier runs
        of the session spent, once all their results were added."""
        self.write_tests()
        self.spending.begin()
        if self._ledger is not None:
            self._ledger.sent = self.spending.before.requests
        self._engine.models.role_budgets.add_previous(self.spending.of_roles)

    def append(
        self, result: InstanceResult, judged_by: Callable[[], str] | None = None
    ) -> InstanceResult:
        """Write a result to the journal, and return what was written: an error in place of a result
        that can't be written.

        Args:
            result: the result.
            judged_by: as for `Journal.append`.

        Raises:
            SessionError: the disk is full or broken.
        """
        if self._journal is not None:
            result = self._journal.append(result, judged_by)
        if not result.cached or result.asked:
            self.spending.add(result)
            if self._ledger is not None and self._notes_costs:
                self._ledger.write()
        return result

    def prompt_changes(self) -> Iterator[PromptChange]:
        """Yield the tests whose prompt object has changed since they last ran."""
        if self.folder is not None:
            yield from prompt_changes(
                self._engine.models.session_dir, self.hashes, before=self.folder.id
            )

    def finish(self) -> None:
        """Write the rest of the journal. It stays locked until `end`, so that no other process can
        continue the session before `session.json` says how it ended.

        Raises:
            SessionError: the disk is full or broken.
        """
        if self._journal is not None:
            self._journal.finish()

    def end(self, status: Status, summary: Summary) -> None:
        """Write how the session ended and what it has spent, and close its files.

        Raises:
            SessionError: that can't be written, and the session itself has not failed.
        """
        try:
            if self.folder is not None:
                self._write_end(self.folder, status, summary)
        finally:
            if self._journal is not None:
                with suppress(SessionError):  # `finish` has raised it
                    self._journal.close()

    def _write_end(self, folder: SessionFolder, status: Status, summary: Summary) -> None:
        self._undescribed += refused(summary)
        fields = self._known(status, summary) | self.spending.to_json()
        if sent := {**self._sent_before, **self._engine.models.changed_requests()}:
            fields["sent"] = sent
        try:
            self.write_tests()
            if self._part is None:
                fields["summary"] = summary.to_json()
                folder.end(status, **fields)
            else:
                from lve.sessions.worker_parts import write_part

                write_part(folder, self._part.name, part_of(summary, {"status": status, **fields}))
        except SessionError:
            if self._ledger is not None:
                self._ledger.close(delete=False)
            if status != "failed":
                raise
        else:
            if self._ledger is not None:
                self._ledger.close(delete=self.spending.is_known)

    def _known(self, status: Status, summary: Summary) -> SessionInfo:
        """Return the fields of `session.json` about the tests at the end."""
        if not self._lists_tests:
            return {"unfinished": unfinished_of(summary)}
        if status == "complete":
            summary.complete()
        return {"tests": self.hashes, "models": list(self._models), "paths": list(self._paths)}


def _plugins_named(engine: Engine) -> Iterator[str]:
    """Yield the names of the plugins that the settings name, and of providers of the session's
    models that may be plugins."""
    settings, options = engine.settings, engine.options
    yield from settings.plugins
    if options.base_url is not None:
        return
    models = (*options.tested, *roles_of(options, settings).values(), settings.model or "")
    for name in models:
        entry = settings.models.get(name)
        provider = entry.provider if entry else name.partition("/")[0]
        if provider and not is_builtin_provider(provider):
            yield provider
