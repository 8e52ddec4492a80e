"""Continues an earlier session: decides which instances still have to run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from lve.data_classes import dataclass, field
from lve.documents.json_lines import canonical_json, fast_written_value, json_line
from lve.error_boundary import error_boundary
from lve.errors import LveError, UsageError
from lve.files.file_text import file_text
from lve.models.error_kinds import MODEL_WIDE_KINDS, NOT_ASKED
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import InstanceResult, ResultId, result_id
from lve.sessions.provenance import ASKED_PARTS, PARTS_OF_DOCUMENT, hashes_of
from lve.sessions.session_info import SessionInfo
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace, is_below

SHOWN_MISSING = 20
"""Most missing tests that warnings name: a forged session may name a million."""
Place = tuple[str, int]
"""File and line of an instance."""
Item = TypeVar("Item")
_ALWAYS_RETRIED = MODEL_WIDE_KINDS | {NOT_ASKED}
"""Kinds of errors that every resumed session runs again, because they aren't the instance's
fault."""


class Turn(NamedTuple):
    """What becomes of an instance and repeat in a run that continues an earlier one."""

    instance: Instance | None
    """The instance to run; None: it doesn't run."""
    is_left_out: bool = False
    """Whether it has never run and still doesn't, because only errors run again."""


@dataclass(slots=True, repr=False, eq=False)
class PreviousRun:
    """The results of an earlier run, by their ids (about 100 bytes each). It decides what runs
    again.

    An instance is identified by its file and line, or by its args if the test has changed, because
    rows may have moved. `take` removes what it finds, so that equal rows are counted correctly.
    """

    finished: Counter[ResultId] = field(default_factory=Counter)
    errors: dict[ResultId, list[Place]] = field(default_factory=dict)
    """Id of an error or stale answer that runs again -> the places of its instances in the
    journal."""
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
    stale: Callable[[InstanceResult], object] | None = None
    """Says of a result whether its prompt is another one today, so that its instance runs again;
    None: all are as they were."""

    def add(self, result: InstanceResult) -> bool:
        """Add an earlier result. Return True if it stays, False if its instance runs again."""
        is_error = result.verdict == "error"
        is_retried = is_error and (self.retry_errors or result.error_kind in _ALWAYS_RETRIED)
        key = self._id(result)
        if is_retried or (self.stale is not None and self.stale(result)):
            place = (result.source, result.line)
            self.errors.setdefault(key, []).append(place)
            if is_error:  # it stays one if it doesn't run again after all
                self.unretried.add((key, place))
            return False
        self.finished[key] += 1
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

    def add_selected(self, info: SessionInfo) -> None:
        """Restrict the session to the instances that pytest had selected.

        Args:
            info: the content of `session.json`.
        """
        for test in info.get("selected") or ():
            places = {
                (source, line) for source, lines in test["instances"].items() for line in lines
            }
            self.selected[test["test"], test["model"]] = places

    def among(self, items: Iterable[Item], test: str, model: str) -> Iterator[Item]:
        """Yield the instances that are part of the session, and everything that isn't an
        instance."""
        places = self.selected.get((test, model))
        for item in items:
            if (
                places is None
                or not isinstance(item, Instance)
                or (item.source, item.line) in places
            ):
                yield item

    def take(self, test: str, model: str, instance: Instance, repeat: int) -> Turn:
        """Return whether an instance runs. One that ended in an error gets the file and line that
        it had then, so that the new result replaces the old one."""
        wanted = self.id_of(test, model, instance, repeat)
        if self.only is not None and not _remove_one(self.only, wanted):
            return Turn(None)
        if _remove_one(self.finished, wanted):
            return Turn(None)
        if places := self.errors.get(wanted):
            source, line = places.pop(0)
            moved = line != instance.line
            return Turn(replace(instance, source=source, line=line) if moved else instance)
        return Turn(None, is_left_out=True) if self.only_errors else Turn(instance)

    def id_of(self, test: str, model: str, row: Instance | InstanceResult, repeat: int) -> ResultId:
        """Return the id of a result: by the row's place, or by its args if the test has changed."""
        if test not in self.changed:
            return result_id(test, model, row.source, row.line, repeat)
        return result_id(test, model, written_args(row.args), 0, repeat)

    def _id(self, result: InstanceResult) -> ResultId:
        return self.id_of(result.test, result.model, result, result.repeat)


def written_args(args: Mapping[str, object]) -> str:
    """Return an instance's args as a text that is the same before and after the journal."""
    return canonical_json(fast_written_value(file_text(json_line(args)).encode()))


def _remove_one(counted: Counter[ResultId], result: ResultId) -> bool:
    """Remove one result from the counter; return False if it has none."""
    if counted.get(result, 0) < 1:
        return False
    counted[result] -= 1
    return True


def changed_tests(info: SessionInfo, specs: Iterable[Spec]) -> dict[str, str]:
    """Return test path -> warning, for the tests that have changed since their session began.

    Args:
        info: the content of `session.json`.
        specs: the tests as they are now.
    """
    changes = changed_parts(info, specs, lambda part: part not in PARTS_OF_DOCUMENT)
    return {
        path: f"{path} has changed since the session began ({', '.join(parts)}): what is missing "
        "or was answered for another prompt runs as the test is now, the rest stays as it is; a "
        "new session, without --resume, runs all of it"
        for path, parts in changes
    }


def asked_otherwise(info: SessionInfo, specs: Iterable[Spec]) -> Iterator[str]:
    """Yield a warning for each test that would ask something else today than the session did, or
    has other rows. Its checks may have changed.

    Args:
        info: the content of `session.json`.
        specs: the tests as they are now.
    """
    for path, parts in changed_parts(info, specs, lambda part: part in ASKED_PARTS):
        yield (
            f"{path} has changed since the session ({', '.join(parts)}): the session's rows of "
            "then are judged, without those that were answered for another prompt; `lve run` asks "
            "for new answers"
        )


def changed_parts(
    info: SessionInfo, specs: Iterable[Spec], counts: Callable[[str], bool] = bool
) -> Iterator[tuple[str, list[str]]]:
    """Yield the path of each test that has changed since its session began, and the parts that
    have, of those that count; a part that can't be compared is the reason why.

    Args:
        info: the content of `session.json`.
        specs: the tests as they are now.
        counts: whether a part of `hashes_of` counts; all do.
    """
    began_with = info.get("tests") or {}
    for spec in specs:
        before = began_with.get(spec.path)
        if before is None:
            continue
        try:
            with error_boundary("hashing the test's files"):
                now = hashes_of(spec)
        except LveError as error:
            yield spec.path, [str(error)]
            continue
        if "inputs" not in before:  # written by an lve that didn't know this part
            now.pop("inputs", None)
        names = filter(counts, {**before, **now})
        if parts := [name for name in names if before.get(name) != now.get(name)]:
            yield spec.path, parts


def missing_tests(tests: Iterable[str]) -> Iterator[str]:
    """Yield a warning for each of the first tests that are gone, and one for the rest."""
    missing = sorted(tests)
    for path in missing[:SHOWN_MISSING]:
        yield f"{path} is in the session, but there is no such test any more"
    if len(missing) > SHOWN_MISSING:
        yield f"and {len(missing) - SHOWN_MISSING} more tests of the session"


def session_paths(
    info: SessionInfo, workspace: Workspace, named: Sequence[str | Path] = ()
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
