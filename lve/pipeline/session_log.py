"""What a background session writes: its folder, its journal, and what `session.json` says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lve.errors import SessionError
from lve.pipeline.engine import BUDGET, Engine
from lve.pipeline.resume import stored_options
from lve.pipeline.select import looks_of
from lve.pipeline.share import Share
from lve.pipeline.spent import Spending
from lve.results.breakdown import Breakdown
from lve.results.journal import Journal
from lve.results.parts import journal_of_part, write_part
from lve.results.prompt_changes import PromptChange, prompt_changes
from lve.results.provenance import GitQuestion, hashes_of, versions
from lve.results.records import InstanceResult
from lve.results.redact import redactor
from lve.results.session import SessionFolder, Status
from lve.results.summary import Summary
from lve.spec.model import Spec


@dataclass(frozen=True, slots=True)
class Part:
    """One of several processes that run a session together (pytest-xdist)."""

    session: str
    """The session's id, the same for all."""
    name: str
    """Of this process: `gw0`."""
    share: Share
    """What this process may take."""


class SessionLog:
    """The record of a background session. Lives in the session's thread."""

    def __init__(self, engine: Engine, *, keep: bool, part: Part | None = None) -> None:
        """Make the session's folder and open its journal, if anything is to be kept.

        Raises:
            SessionError: the folder can't be written.
        """
        self._engine = engine
        self._part = part
        self.summary = Summary()
        self.hashes: dict[str, dict[str, str]] = {}
        """Test -> sums over its files."""
        self._paths: list[str] = []
        self._models: dict[str, None] = {}
        self._spending = Spending()
        self._spending.begin(engine)
        self._git: GitQuestion | None = None
        self.folder: SessionFolder | None = None
        self._journal: Journal | None = None
        if keep:
            self.folder, self._journal = self._open()

    def _open(self) -> tuple[SessionFolder, Journal]:
        redact = redactor(self._engine.workspace)
        state, info = self._engine.state, self._info()
        if self._part is not None:
            folder = SessionFolder.share(state, self._part.session, info, redact=redact)
            return folder, journal_of_part(folder, self._part.name)
        folder = SessionFolder.create(state, info, redact=redact)
        self._git = GitQuestion.ask(self._engine.workspace.root)
        return folder, folder.open_journal()

    def _info(self) -> dict[str, Any]:
        options = stored_options(self._engine.options)
        return {"versions": versions(), "options": options, "paths": []}

    def begin(self, spec: Spec, model: str) -> None:
        """Take note of a test that is about to run."""
        tally = self.summary.expect(spec.path, model, spec.expect, numbers=Breakdown.of(spec))
        options = self._engine.options
        is_replay = self._engine.is_replay(model)
        looks = looks_of(spec, options, self._engine.settings, is_replay=is_replay)
        tally.looks = len(looks)
        self._models[model] = None
        if spec.path not in self.hashes:
            self.hashes[spec.path] = hashes_of(spec)
            self._paths.append(str(spec.file))

    def append(self, result: InstanceResult) -> None:
        """Write a result.

        Raises:
            SessionError: the disk is full or broken.
        """
        if self._journal is not None:
            self._journal.append(result)
        self._spending.keep(result)
        self.summary.add(result)

    def prompt_changes(self) -> Iterator[PromptChange]:
        """Yield the tests whose prompt object isn't the one they last ran with. To be asked before
        the session is closed: afterwards this session is the last one."""
        if self.folder is not None:
            yield from prompt_changes(self._engine.state, self.hashes)

    def close(self, *, is_finished: bool, has_failed: bool = False) -> None:
        """Write what is left.

        Args:
            is_finished: whether everything that was submitted has its result.
            has_failed: whether something went wrong that the session doesn't survive.

        Raises:
            SessionError: the disk is full or broken.
        """
        if self.folder is None or self._journal is None:
            return
        try:
            self._journal.close()
        except SessionError:
            with suppress(SessionError):  # what went wrong first says more
                self._end(self.folder, "failed")
            raise
        self._end(self.folder, "failed" if has_failed else self._status(is_finished))

    def _end(self, folder: SessionFolder, status: Status) -> None:
        """Write how it ended."""
        for tally in self.summary.tallies.values():
            tally.is_complete = status == "complete"
        known: dict[str, Any] = {"tests": self.hashes, "models": list(self._models)}
        known["paths"] = self._paths
        known |= self._spending.to_json(self._engine)
        if self._part is not None:
            write_part(folder, self._part.name, status, self.summary, known)
            return
        if self._git is not None:
            known["git"] = self._git.answer()
        folder.end(status, summary=self.summary.to_json(), **known)

    def _status(self, is_finished: bool) -> Status:
        if self._engine.brake.reason == BUDGET:
            return "budget"
        return "complete" if is_finished else "interrupted"
