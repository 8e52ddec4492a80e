"""Continuing an earlier session: what it ran, and what of that is left to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from lve.documents.json_lines import canonical_json, fast_written_value, json_line
from lve.error_boundary import error_boundary
from lve.error_kinds import MODEL_WIDE_KINDS, NOT_ASKED
from lve.errors import LveError, UsageError
from lve.pipeline.choosing.loading import is_below, models_of
from lve.results.provenance import PARTS_OF_DOCUMENT, hashes_of
from lve.results.records import InstanceResult, ResultId, result_id
from lve.results.session import Status
from lve.run_options import RunOptions
from lve.settings.settings import Settings
from lve.spec.model import Instance, Spec
from lve.verdicts.summary import Summary
from lve.workspace import Workspace

SHOWN_MISSING = 20
"""Most missing tests that are named: a forged session may name a million."""
Place = tuple[str, int]
"""File and line of an instance."""
Item = TypeVar("Item")
_NO_FAULT_OF_ITS_OWN = MODEL_WIDE_KINDS | {NOT_ASKED}
"""Kinds of errors that run again in every resumed session: others would have met them, too."""


@dataclass(slots=True, repr=False, eq=False)
class PreviousRun:
    """What an earlier run left, by the ids of its results (about 100 bytes each).

    An instance is known by its place, or by its content where the test has changed: rows may have
    moved. What is asked for once is taken out, so that equal rows are told apart by their number.
    """

    finished: Counter[ResultId] = field(default_factory=Counter)
    errors: dict[ResultId, list[Place]] = field(default_factory=dict)
    """Results that are errors and have to run again, with the places they have in the journal."""
    unretried: set[tuple[ResultId, Place]] = field(default_factory=set)
    """Those of them that have no new result yet."""
    retry_errors: bool = False
    """Whether results that are errors run again."""
    only_errors: bool = False
    """Whether what has never run is left out."""
    only: Counter[ResultId] | None = None
    """Run just these. What has been asked for is taken out."""
    only_total: int = 0
    """How many these were."""
    only_pairs: set[tuple[str, str]] | None = None
    """Tests and models that have any of `only`; the others aren't part of the session."""
    failures_of: str | None = None
    """Id of the session that `only` comes from."""
    selected: dict[tuple[str, str], set[tuple[str, int]]] = field(default_factory=dict)
    """Test and model -> places of the instances that are part of the session, where not all are."""
    changed: Collection[str] = ()
    """Tests that have changed since."""
    redact: Callable[[str], str] = str
    """Takes secrets out of args, as the journal does."""

    def add(self, result: InstanceResult) -> bool:
        """Record an earlier result. Return whether it counts, so that it needn't run again."""
        asks_again = self.retry_errors or result.error_kind in _NO_FAULT_OF_ITS_OWN
        known = self._id(result)
        if result.verdict == "error" and asks_again:
            place = (result.source, result.line)
            self.errors.setdefault(known, []).append(place)
            self.unretried.add((known, place))
            return False
        self.finished[known] += 1
        return True

    def has_run(self, result: InstanceResult) -> None:
        """Take note of a new result."""
        self.unretried.discard((self._id(result), (result.source, result.line)))

    def is_unretried(self, result: InstanceResult) -> bool:
        """Whether an earlier result is an error that was to run again, and hasn't."""
        return (self._id(result), (result.source, result.line)) in self.unretried

    def concerns(self, test: str, model: str) -> bool:
        """Whether a test is part of the session against this model."""
        if not self.selected.get((test, model), True):
            return False
        return self.only_pairs is None or (test, model) in self.only_pairs

    def add_selected(self, info: Mapping[str, Any]) -> None:
        """Take note of what pytest had selected.

        Args:
            info: the content of `session.json`.
        """
        for one in info.get("selected") or ():
            places = {
                (source, line) for source, lines in one["instances"].items() for line in lines
            }
            self.selected[one["test"], one["model"]] = places

    def among(self, found: Iterable[Item], test: str, model: str) -> Iterator[Item]:
        """Yield what of a test's instances is part of the session, and all that is no instance."""
        places = self.selected.get((test, model))
        for one in found:
            if places is None or not isinstance(one, Instance) or (one.source, one.line) in places:
                yield one

    def take(
        self, test: str, model: str, instance: Instance, repeat: int
    ) -> Instance | Literal["done", "left out"]:
        """Return an instance if it is to be executed, and otherwise whether it is done. One whose
        result was an error stands where it stood then: so its new result replaces the old one."""
        source, line = instance.source, instance.line
        known = self._id_of(test, model, source, line, repeat, instance.args)
        if (self.only is not None and not _taken(self.only, known)) or _taken(self.finished, known):
            return "done"
        if places := self.errors.get(known):
            source, line = places.pop(0)
            return (
                instance if line == instance.line else replace(instance, source=source, line=line)
            )
        return "left out" if self.only_errors else instance

    def id_of(self, result: InstanceResult, model: str, repeat: int) -> ResultId:
        """Return the id of the same instance with another model or repeat."""
        return self._id_of(result.test, model, result.source, result.line, repeat, result.args)

    def _id(self, result: InstanceResult) -> ResultId:
        return self.id_of(result, result.model, result.repeat)

    def _id_of(
        self, test: str, model: str, source: str, line: int, repeat: int, args: Mapping[str, Any]
    ) -> ResultId:
        if test not in self.changed:
            return result_id(test, model, source, line, repeat)
        return result_id(test, model, written_args(args, self.redact), 0, repeat)


def written_args(args: Mapping[str, Any], redact: Callable[[str], str]) -> str:
    """Return an instance's args as a text that is the same for those that the journal has."""
    return canonical_json(fast_written_value(redact(json_line(args)).encode()))


def _taken(counted: Counter[ResultId], result: ResultId) -> bool:
    """Take a result out, if it is there; return whether it was."""
    if counted.get(result, 0) < 1:
        return False
    counted[result] -= 1
    return True


def changed_tests(info: Mapping[str, Any], specs: Iterable[Spec]) -> dict[str, str]:
    """Return the tests that aren't what they were when their session began, with a warning each.

    Args:
        info: the content of `session.json`.
        specs: the tests as they are now.
    """
    began_with = info.get("tests") or {}
    found: dict[str, str] = {}
    for spec in specs:
        before = began_with.get(spec.path)
        if before is None:
            continue
        try:
            with error_boundary("hashing the test's files"):
                now = hashes_of(spec)
        except LveError as error:
            found[spec.path] = f"{spec.path}: {error}"
            continue
        names = [name for name in {**before, **now} if name not in PARTS_OF_DOCUMENT]
        changed = [name for name in names if before.get(name) != now.get(name)]
        if changed:
            found[spec.path] = (
                f"{spec.path} has changed since the session began ({', '.join(changed)}): what is "
                "done stays as it is, what is missing runs as the test is now; a new session, "
                "without --resume, runs all of it"
            )
    return found


def missing_tests(tests: Iterable[str]) -> Iterator[str]:
    """Yield a warning for tests of a session that are gone, the first of them by name."""
    missing = sorted(tests)
    for path in missing[:SHOWN_MISSING]:
        yield f"{path} is in the session, but there is no such test any more"
    if len(missing) > SHOWN_MISSING:
        yield f"and {len(missing) - SHOWN_MISSING} more tests of the session"


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
    if not paths:
        raise UsageError(
            f"session {info['session']} doesn't say which tests it ran, so nothing of it can be "
            "continued or judged again: start a new one, or name the tests",
            code="session_options",
        )
    for path in paths:
        if not any(is_below(path, place) for place in (workspace.root, *named)):
            raise UsageError(
                f"session {info['session']} ran {path}, which lies outside of {workspace.root}: "
                "name it, too, to go on with it",
                code="session_options",
            )
    return paths


class Unfinished(NamedTuple):
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
    selected = info.get("selected") or ()
    left_out = {(one["test"], one["model"]) for one in selected if not one["instances"]}
    for spec in specs:
        if spec.path not in began_with or spec.skip is not None:
            continue
        try:
            models = models_of(spec, options, settings)
        except UsageError:  # It had a model then.
            continue
        pairs = ((spec.path, model) for model in models)
        yield from (pair for pair in pairs if pair not in left_out)
