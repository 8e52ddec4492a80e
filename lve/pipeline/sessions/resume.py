"""Continues an earlier session: decides which instances still have to run."""

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
"""Most missing tests that warnings name: a forged session may name a million."""
Place = tuple[str, int]
"""File and line of an instance."""
Item = TypeVar("Item")
_ALWAYS_RETRIED = MODEL_WIDE_KINDS | {NOT_ASKED}
"""Kinds of errors that every resumed session runs again, because they aren't the instance's
fault."""


@dataclass(slots=True, repr=False, eq=False)
class PreviousRun:
    """The results of an earlier run, by their ids (about 100 bytes each). It decides what runs
    again.

    An instance is identified by its file and line, or by its args if the test has changed, because
    rows may have moved. `take` removes what it finds, so that equal rows are counted correctly.
    """

    finished: Counter[ResultId] = field(default_factory=Counter)
    errors: dict[ResultId, list[Place]] = field(default_factory=dict)
    """Id of an error that runs again -> the places of its instances in the journal."""
    unretried: set[tuple[ResultId, Place]] = field(default_factory=set)
    """The errors that run again and have no new result yet."""
    retry_errors: bool = False
    """Whether all errors run again."""
    only_errors: bool = False
    """Whether instances that have never run are left out."""
    only: Counter[ResultId] | None = None
    """Run only these results' instances; None: all. `take` removes what it finds."""
    only_total: int = 0
    """How many `only` had at first."""
    only_pairs: set[tuple[str, str]] | None = None
    """(test, model) pairs that have any of `only`; the others aren't part of the session."""
    failures_of: str | None = None
    """Id of the session that `only` comes from."""
    selected: dict[tuple[str, str], set[tuple[str, int]]] = field(default_factory=dict)
    """(test, model) -> places of the instances that are part of the session, if not all are."""
    changed: Collection[str] = ()
    """Paths of the tests that have changed since."""
    redact: Callable[[str], str] = str
    """Removes secrets from args, as the journal does."""

    def add(self, result: InstanceResult) -> bool:
        """Add an earlier result. Return True if it stays, False if its instance runs again."""
        runs_again = self.retry_errors or result.error_kind in _ALWAYS_RETRIED
        known = self._id(result)
        if result.verdict == "error" and runs_again:
            place = (result.source, result.line)
            self.errors.setdefault(known, []).append(place)
            self.unretried.add((known, place))
            return False
        self.finished[known] += 1
        return True

    def has_run(self, result: InstanceResult) -> None:
        """Record that an instance has a new result."""
        self.unretried.discard((self._id(result), (result.source, result.line)))

    def is_unretried(self, result: InstanceResult) -> bool:
        """Whether an earlier result is an error that should run again and didn't yet."""
        return (self._id(result), (result.source, result.line)) in self.unretried

    def concerns(self, test: str, model: str) -> bool:
        """Whether a test is part of the session against this model."""
        if not self.selected.get((test, model), True):
            return False
        return self.only_pairs is None or (test, model) in self.only_pairs

    def add_selected(self, info: Mapping[str, Any]) -> None:
        """Restrict the session to the instances that pytest had selected.

        Args:
            info: the content of `session.json`.
        """
        for one in info.get("selected") or ():
            places = {
                (source, line) for source, lines in one["instances"].items() for line in lines
            }
            self.selected[one["test"], one["model"]] = places

    def among(self, found: Iterable[Item], test: str, model: str) -> Iterator[Item]:
        """Yield the instances that are part of the session, and everything that isn't an
        instance."""
        places = self.selected.get((test, model))
        for one in found:
            if places is None or not isinstance(one, Instance) or (one.source, one.line) in places:
                yield one

    def take(
        self, test: str, model: str, instance: Instance, repeat: int
    ) -> Instance | Literal["done", "left out"]:
        """Return an instance if it runs, else why it doesn't. One that ended in an error gets the
        file and line that it had then, so that the new result replaces the old one."""
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
    """Return an instance's args as a text that is the same before and after the journal."""
    return canonical_json(fast_written_value(redact(json_line(args)).encode()))


def _taken(counted: Counter[ResultId], result: ResultId) -> bool:
    """Remove one result from the counter; return False if it has none."""
    if counted.get(result, 0) < 1:
        return False
    counted[result] -= 1
    return True


def changed_tests(info: Mapping[str, Any], specs: Iterable[Spec]) -> dict[str, str]:
    """Return test path -> warning, for the tests that have changed since their session began.

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
    """Yield a warning for each of the first tests that are gone, and one for the rest."""
    missing = sorted(tests)
    for path in missing[:SHOWN_MISSING]:
        yield f"{path} is in the session, but there is no such test any more"
    if len(missing) > SHOWN_MISSING:
        yield f"and {len(missing) - SHOWN_MISSING} more tests of the session"


def session_paths(
    info: Mapping[str, Any], workspace: Workspace, named: Sequence[str | Path] = ()
) -> list[str]:
    """Return the paths that a session ran.

    The session's folder isn't trusted. So paths outside of the workspace count only if the user
    names them, too.

    Args:
        info: the content of `session.json`.
        workspace: the workspace that the session is continued in.
        named: paths that the user names.

    Raises:
        UsageError: the session ran another path, or doesn't say which.
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
    """The tests of a session that aren't finished, each with its model."""

    status: Status
    """How the session ended; `running` also after a crash."""
    pairs: frozenset[tuple[str, str]]
    """(test, model) of the unfinished tests."""
    is_exact: bool
    """Whether all other tests are finished. False after a crash: then no test counts as
    finished."""
    has_failures_only: bool = False
    """Whether the session ran only what failed in another session."""

    @classmethod
    def of(cls, info: Mapping[str, Any], specs: Iterable[Spec], settings: Settings) -> Unfinished:
        """Return the unfinished tests of a session.

        Args:
            info: the content of `session.json`.
            specs: the tests as they are now.
            settings: the workspace's settings.
        """
        status: Status = info["status"]
        noted, failures_only = info.get("unfinished"), bool(info.get("failures_of"))
        if status == "running" or (noted is None and status != "complete"):
            pairs = frozenset(_all(info, specs, settings))
            return cls(status, pairs, is_exact=False, has_failures_only=failures_only)
        pairs = frozenset((one["test"], one["model"]) for one in noted or ())
        return cls(status, pairs, is_exact=True, has_failures_only=failures_only)

    def has(self, test: str, model: str) -> bool:
        """Whether a test may be unfinished against a model."""
        return not self.is_exact or (test, model) in self.pairs

    def status_of(self, summary: Summary) -> Status:
        """Return the status to report for the tests in a summary."""
        if all(tally.is_complete for tally in summary.tallies.values()):
            return "complete"
        return "interrupted" if self.status == "running" else self.status


def unfinished_of(summary: Summary) -> list[dict[str, str]]:
    """Return the field `unfinished` of `session.json`."""
    return [
        {"test": tally.test, "model": tally.model}
        for tally in summary.tallies.values()
        if not tally.is_complete
    ]


def _all(
    info: Mapping[str, Any], specs: Iterable[Spec], settings: Settings
) -> Iterable[tuple[str, str]]:
    """Yield all (test, model) pairs of a session."""
    if info.get("failures_of"):
        return  # only some tests are part of it, and `session.json` doesn't say which
    options = RunOptions(models=tuple(info["options"].get("models", ())))
    began_with = info.get("tests") or {}
    selected = info.get("selected") or ()
    left_out = {(one["test"], one["model"]) for one in selected if not one["instances"]}
    for spec in specs:
        if spec.path not in began_with or spec.skip is not None:
            continue
        try:
            models = models_of(spec, options, settings)
        except UsageError:  # it had a model when the session ran
            continue
        pairs = ((spec.path, model) for model in models)
        yield from (pair for pair in pairs if pair not in left_out)
