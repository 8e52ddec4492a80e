"""What a background session writes: its folder, its journal, and what `session.json` says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lve.border import border
from lve.errors import SessionError
from lve.pipeline.engine import BUDGET, Engine
from lve.pipeline.parts import journal_of_part, write_part
from lve.pipeline.select import looks_of
from lve.pipeline.session_options import stored_options
from lve.pipeline.share import Share
from lve.pipeline.spent import Spending
from lve.results.checkout import checkout_of
from lve.results.journal import Journal
from lve.results.prompt_changes import PromptChange, prompt_changes
from lve.results.provenance import hashes_of, versions
from lve.results.records import InstanceResult
from lve.results.redact import redactor
from lve.results.session import SessionFolder, Status
from lve.spec.model import Spec
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary


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
        return folder, folder.open_journal()

    def _info(self) -> dict[str, Any]:
        options = stored_options(self._engine.options)
        git = checkout_of(self._engine.workspace.root)
        return {"versions": versions(), "git": git, "options": options, "paths": []}

    def begin(self, spec: Spec, model: str) -> None:
        """Take note of a test that is about to run."""
        tally = self.summary.expect(spec.path, model, spec.expect, numbers=Breakdown.of(spec))
        options = self._engine.options
        is_replay = self._engine.is_replay(model)
        looks = looks_of(spec, options, self._engine.settings, is_replay=is_replay)
        tally.expect_looks(len(looks))
        self._models[model] = None
        if spec.path not in self.hashes:
            with border("hashing the test's files"):
                self.hashes[spec.path] = hashes_of(spec)
            self._paths.append(str(spec.file))

    def append(self, result: InstanceResult) -> InstanceResult:
        """Write a result, and return what was written: an error where it can't be.

        Raises:
            SessionError: the disk is full or broken.
        """
        if self._journal is not None:
            result = self._journal.append(result)
        self._spending.keep(result)
        self.summary.add(result)
        return result

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
        if status == "complete":
            self.summary.complete()
        known: dict[str, Any] = {"tests": self.hashes, "models": list(self._models)}
        known["paths"] = self._paths
        known |= self._spending.to_json(self._engine)
        if self._part is not None:
            write_part(folder, self._part.name, status, self.summary, known)
            return
        folder.end(status, summary=self.summary.to_json(), **known)

    def _status(self, is_finished: bool) -> Status:
        if self._engine.brake.reason == BUDGET:
            return "budget"
        return "complete" if is_finished else "interrupted"
