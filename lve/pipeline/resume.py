"""Continuing an earlier session: what it ran, and what of that is left to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lve.border import border
from lve.errors import MODEL_WIDE_KINDS, NOT_ASKED, LveError, UsageError
from lve.pipeline.loading import is_below, models_of
from lve.results.provenance import hashes_of
from lve.results.records import InstanceResult, ResultId
from lve.results.session import SessionFolder, Status
from lve.run_options import RunOptions
from lve.spec.model import Spec
from lve.verdicts.summary import Summary
from lve.workspace import Settings, Workspace

_NO_FAULT_OF_ITS_OWN = MODEL_WIDE_KINDS | {NOT_ASKED}
"""Kinds of errors that run again in every resumed session: others would have met them, too."""


@dataclass(slots=True)
class PreviousRun:
    """What an earlier run left, by the ids of its results (about 70 bytes each)."""

    finished: set[ResultId] = field(default_factory=set)
    errors: set[ResultId] = field(default_factory=set)
    """Results that are errors and have to run again. Each is removed once it has."""
    retry_errors: bool = False
    """Whether results that are errors run again."""
    only_errors: bool = False
    """Whether what has never run is left out."""
    only: set[ResultId] | None = None
    """Run just these."""
    only_pairs: set[tuple[str, str]] | None = None
    """Tests and models that have any of `only`; the others aren't part of the session."""
    failures_of: str | None = None
    """Id of the session that `only` comes from."""

    @classmethod
    def of_failed(cls, session: SessionFolder, specs: Iterable[Spec]) -> PreviousRun:
        """Return a run of just the instances that went against their tests' expectations.

        Args:
            session: the earlier one.
            specs: the tests as they are now. Results of other tests are left out.

        Raises:
            SessionError: its results can't be read.
        """
        unwanted = {spec.path: spec.expect.unwanted for spec in specs}
        only, pairs = set(), set()
        for result in session.results():
            if result.verdict == unwanted.get(result.test):
                only.add(result.id)
                pairs.add((result.test, result.model))
        return cls(only=only, only_pairs=pairs, failures_of=session.id)

    def add(self, result: InstanceResult) -> bool:
        """Record an earlier result. Return whether it counts, so that it needn't run again."""
        asks_again = self.retry_errors or result.error_kind in _NO_FAULT_OF_ITS_OWN
        if result.verdict == "error" and asks_again:
            self.errors.add(result.id)
            return False
        self.finished.add(result.id)
        return True

    def concerns(self, test: str, model: str) -> bool:
        """Whether a test is part of the session against this model."""
        return self.only_pairs is None or (test, model) in self.only_pairs

    def wants(self, result: ResultId) -> bool:
        """Whether an instance is to be executed."""
        if self.only is not None and result not in self.only:
            return False
        return result not in self.finished and (not self.only_errors or result in self.errors)

    def leaves_gap(self, result: ResultId) -> bool:
        """Whether an instance that isn't wanted has no result either."""
        return (self.only is None or result in self.only) and result not in self.finished


def changed_tests(info: Mapping[str, Any], specs: Iterable[Spec]) -> Iterator[str]:
    """Yield a warning for every test that isn't what it was when its session began.

    Args:
        info: the content of `session.json`.
        specs: the tests as they are now.
    """
    began_with = info.get("tests") or {}
    for spec in specs:
        before = began_with.get(spec.path)
        if before is None:
            continue
        try:
            with border("hashing the test's files"):
                now = hashes_of(spec)
        except LveError as error:
            yield f"{spec.path}: {error}"
            continue
        changed = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        if changed:
            yield (
                f"{spec.path} has changed since the session began ({', '.join(changed)}): what is "
                "done stays as it is, what is missing runs as the test is now; a new session, "
                "without --resume, runs all of it"
            )


def session_paths(
    info: Mapping[str, Any], workspace: Workspace, named: Sequence[str | Path] = ()
) -> list[str]:
    """Return the paths that a session ran.

    Its file may have come with somebody's folder: what lies outside of the workspace counts only
    when the user names it, too.

    Args:
        info: the content of `session.json`.
        workspace: that the session is continued in.
        named: what the user names.

    Raises:
        UsageError: the session ran something else.
    """
    paths = [str(path) for path in info["paths"]]
    for path in paths:
        if not any(is_below(path, place) for place in (workspace.root, *named)):
            raise UsageError(
                f"session {info['session']} ran {path}, which lies outside of {workspace.root}: "
                "name it, too, to go on with it"
            )
    return paths


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Tests of a session, each with its model, that aren't through."""

    status: Status
    """What the session ended with; `running` also after a crash."""
    pairs: frozenset[tuple[str, str]]
    is_exact: bool
    """Whether all others are through. What was killed can't tell: then no test is."""
    has_failures_only: bool = False
    """Whether the session ran only what failed in another one."""

    @classmethod
    def of(cls, info: Mapping[str, Any], specs: Iterable[Spec], settings: Settings) -> Unfinished:
        """Read it.

        Args:
            info: the content of `session.json`.
            specs: the tests as they are now.
            settings: the workspace's.
        """
        status: Status = info["status"]
        noted, failures_only = info.get("unfinished"), bool(info.get("failures_of"))
        if status == "running" or (noted is None and status != "complete"):
            pairs = frozenset(_all(info, specs, settings))
            return cls(status, pairs, is_exact=False, has_failures_only=failures_only)
        pairs = frozenset((one["test"], one["model"]) for one in noted or ())
        return cls(status, pairs, is_exact=True, has_failures_only=failures_only)

    def has(self, test: str, model: str) -> bool:
        """Whether a test isn't known to be through against a model."""
        return not self.is_exact or (test, model) in self.pairs

    def status_of(self, summary: Summary) -> Status:
        """Return the status to report for some of the session's tests."""
        if all(tally.is_complete for tally in summary.tallies.values()):
            return "complete"
        return "interrupted" if self.status == "running" else self.status


def unfinished_of(summary: Summary) -> list[dict[str, str]]:
    """Return what `session.json` says of a session's tests that aren't through."""
    return [
        {"test": tally.test, "model": tally.model}
        for tally in summary.tallies.values()
        if not tally.is_complete
    ]


def _all(
    info: Mapping[str, Any], specs: Iterable[Spec], settings: Settings
) -> Iterable[tuple[str, str]]:
    """Yield all tests of a session with their models."""
    if info.get("failures_of"):
        return  # Only some of them are part of it, and its file doesn't say which.
    options = RunOptions(models=tuple(info["options"].get("models", ())))
    began_with = info.get("tests") or {}
    for spec in specs:
        if spec.path not in began_with or spec.skip is not None:
            continue
        try:
            models = models_of(spec, options, settings)
        except UsageError:  # It had a model then.
            continue
        yield from ((spec.path, model) for model in models)
