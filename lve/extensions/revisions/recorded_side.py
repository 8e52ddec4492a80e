"""Recorded instances at a git revision as one side of a comparison.

dulwich reads git's objects, because lve doesn't start git here (`lve.files.git` says why).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from lve.comparison.side import CODES, REVISION_PREFIX, Hash, Row, SideFacts, hash_args, stable_hash
from lve.data.instance_files import iter_values
from lve.documents.validation.schema import is_valid
from lve.errors import LveError, MissingExtraError, UsageError, with_code
from lve.escape import excerpt
from lve.extensions.revisions.object_sizes import limit_objects
from lve.extensions.revisions.revision_files import MAX_FILE_BYTES, RevisionFile, RevisionFiles
from lve.file_names import DOCUMENT_NAMES
from lve.files.atomic_file import replace_file
from lve.files.git import git_folder, odd_file, shared_folder
from lve.files.inside import reason_of
from lve.sandbox.removal import temporary_folder
from lve.sessions.instance_result import REPLAY, InstanceResult
from lve.spec.recorded_row import row_key
from lve.workspace import Workspace, display_path

UNNAMED = "(recorded)"
"""Model of a recorded answer without a model in its `run_info`."""
MAX_RESULTS = 1_000_000
MAX_TIME = 253_402_300_799
"""The end of the year 9999, in Unix time. The author of a commit chooses its time."""
MAX_STEPS = 10_000
"""The largest N in `~N`."""
_NO_REVISION = (KeyError, ValueError, IndexError, OSError)
"""What dulwich raises for a revision that doesn't exist."""
_REVISION = re.compile(r"(.+?)((?:[~^]\d{0,5})*)")


class RecordedSide:
    """Recorded verdicts as one side of a comparison."""

    def __init__(self, revision: str, workspace: Workspace, *, warn: Callable[[str], None]) -> None:
        """Read all recorded instances of a workspace.

        Args:
            revision: a git revision: `HEAD~1`, a branch, a tag, a commit.
            workspace: the workspace of the tests.
            warn: called with the number of unreadable instances, if any.

        Raises:
            UsageError: there is no such revision, or no repository.
            MissingExtraError: dulwich is missing.
        """
        self._results: list[InstanceResult] = []
        self._handwritten = 0
        self._repeats = Counter[tuple[str, int]]()
        sums: dict[str, dict[str, str]] = {}
        commit, began, files = _files_at(revision, workspace.root)
        unreadable = 0
        with temporary_folder("lve-compare-") as folder:
            for file in files:
                if file.name in DOCUMENT_NAMES:
                    text = file.name.encode() + b"\0" + file.content + b"\0"
                    sums[file.test] = {"document": sha256(text).hexdigest()}
                else:
                    unreadable += self._add(file, folder)
        if unreadable:
            message = f"{REVISION_PREFIX}{revision}: {unreadable:,} recorded answers can't be read"
            warn(with_code(message, "left_out"))
        for result in self._results:
            if result.variant is not None:
                folder_of_test = result.test.removesuffix(f"@{result.variant}")
                sums[result.test] = sums.get(folder_of_test, {})
        self.facts = SideFacts(
            name=f"recorded answers at {revision}",
            short=f"{REVISION_PREFIX}{revision}",
            started=began,
            commit=commit,
            models=tuple(dict.fromkeys(result.model for result in self._results)),
            sums=sums,
            known_sums=frozenset({"document"}),
            left_out=self._handwritten,
        )

    def as_replayed(self) -> RecordedSide:
        """Change the model of all verdicts to `replay`, to compare them with a session of it."""
        for index, result in enumerate(self._results):
            self._results[index] = replace(result, model=REPLAY)
        self.facts = replace(self.facts, models=(REPLAY,))
        return self

    def rows(self, hash_of: Hash = stable_hash) -> Iterator[Row]:
        """Yield the results."""
        for where, result in enumerate(self._results):
            args, code = hash_args(result.args, hash_of), CODES[result.verdict]
            yield Row(
                result.test,
                result.model,
                result.source,
                result.line,
                result.repeat,
                args,
                code,
                where,
            )

    def result(self, where: int) -> InstanceResult | None:
        """Return a result, without its conversation."""
        return self._results[where]

    def _add(self, file: RevisionFile, folder: Path) -> int:
        """Add the verdicts of a file; return how many of its instances can't be read.

        Args:
            file: the file.
            folder: an empty folder, or one that a file before it was written to.
        """
        unreadable = 0
        place = folder / "instances.jsonl"
        replace_file(place, file.content)
        for line, value in iter_values(place, folder):
            if not is_valid(value, "instance"):
                unreadable += 1
            elif len(self._results) >= MAX_RESULTS:
                raise UsageError(
                    f"more than {MAX_RESULTS:,} recorded answers: too many", code="over_limit"
                )
            else:
                self._add_instance(file, line, value)
        return unreadable

    def _add_instance(self, file: RevisionFile, line: int, value: Mapping[str, Any]) -> None:
        passed, run_info = value.get("passed", value.get("is_safe")), value.get("run_info") or {}
        if "response" not in value:
            return
        variant = value.get("variant")
        test = file.test if variant is None else f"{file.test}@{variant}"
        row = (test, row_key(value["args"]))
        repeat = self._repeats[row]
        self._repeats[row] += 1
        if passed is None:
            return
        if run_info.get("source") == "handwritten":
            self._handwritten += 1
            return
        response = value["response"]
        self._results.append(
            InstanceResult(
                test=test,
                variant=variant,
                model=str(run_info.get("model") or UNNAMED),
                source=file.name,
                line=line,
                repeat=repeat,
                args=value["args"],
                verdict="passed" if passed else "failed",
                reason="",
                responses=tuple(response) if isinstance(response, list) else (response,),
            )
        )


def _files_at(revision: str, root: Path) -> tuple[str, str, Iterator[RevisionFile]]:
    """Return commit, date and files of a revision: test documents and recorded instances."""
    try:
        from dulwich.errors import NotGitRepository
        from dulwich.repo import Repo
    except ImportError as error:
        raise MissingExtraError(
            "reading a revision needs dulwich: pip install 'lve[git]'"
        ) from error
    try:
        with _damage_told(root, NotGitRepository, *_NO_REVISION), ExitStack() as opened:
            _check_files(root)
            repository = opened.enter_context(closing(Repo.discover(root)))
            limit_objects(repository.object_store, MAX_FILE_BYTES)
            commit = _commit(repository, revision)
            open_repository = opened.pop_all()  # until the files have been read
    except NotGitRepository:
        raise UsageError(f"{display_path(root)} is in no git repository", code="git") from None
    except _NO_REVISION as error:
        raise UsageError(f"git has no revision '{excerpt(revision)}' here", code="git") from error
    inner = root.resolve().relative_to(Path(repository.path).resolve()).as_posix()
    prefix = "" if inner == "." else f"{inner}/"

    def files() -> Iterator[RevisionFile]:
        with open_repository:
            yield from RevisionFiles(repository.object_store, prefix).read(commit.tree)

    moment = datetime.fromtimestamp(min(commit.commit_time, MAX_TIME), UTC)
    return commit.id.decode("ascii"), moment.isoformat(), _told(root, files())


def _check_files(root: Path) -> None:
    """Refuse a repository that dulwich would wait for, or read for minutes.

    Raises:
        UsageError: it is one.
    """
    for place in (root.resolve(), *root.resolve().parents):
        try:
            git = git_folder(place)
            folders = {git, shared_folder(git)} if git else set()
        except OSError as error:
            message = f"the git repository of {display_path(root)} can't be read: "
            raise UsageError(message + reason_of(error), code="git") from None
        for folder in folders:
            if (file := odd_file(folder)) is not None:
                message = f"{display_path(file)} isn't as git makes it: the repository isn't read"
                raise UsageError(message, code="git")
        if folders:
            return


def _told(root: Path, files: Iterator[RevisionFile]) -> Iterator[RevisionFile]:
    with _damage_told(root):
        yield from files


@contextmanager
def _damage_told(root: Path, *others: type[Exception]) -> Iterator[None]:
    """Make an error of anything that dulwich raises for a damaged or forged repository.

    Args:
        root: the root of the workspace.
        others: exceptions that mean something else.

    Raises:
        UsageError: the repository can't be read.
    """
    problem = None
    expected: tuple[type[Exception], ...] = (LveError, *others)
    try:
        yield
    except expected:
        raise
    except Exception as error:  # dulwich has no common class
        problem = type(error).__name__
    # Raised here, where the error no longer refers to dulwich's open files.
    if problem is not None:
        raise UsageError(
            f"the git repository of {display_path(root)} can't be read ({problem}): `git fsck` "
            "says more",
            code="git",
        )


def _commit(repository: Any, revision: str) -> Any:
    """Return the commit of a revision such as `main~2^1`."""
    from dulwich.objectspec import parse_commit

    match = _REVISION.fullmatch(revision)
    if match is None:
        raise ValueError(revision)
    commit = parse_commit(repository, match[1].encode("utf-8", "surrogateescape"))
    for sign, digits in re.findall(r"([~^])(\d*)", match[2]):
        number = int(digits or 1)
        if sign == "^":
            commit = repository[commit.parents[number - 1]] if number else commit
            continue
        if number > MAX_STEPS:
            raise ValueError(revision)
        for _ in range(number):
            commit = repository[commit.parents[0]]
    return commit
