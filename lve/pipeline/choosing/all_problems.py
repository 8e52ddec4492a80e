"""Reports all problems of a test together: an error in one part of it doesn't hide errors in
others."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from lve.documents.position_types import SYNTAX
from lve.documents.validation.schema import in_file_order
from lve.error_boundary import unexpected
from lve.errors import LveError, Problem, SpecError
from lve.file_names import DOCUMENT_NAMES
from lve.limits.effort import Effort
from lve.prompts.plan import build_plan
from lve.settings.settings import AppFiles
from lve.workspace import display_path


def problems_of(file: Path, error: LveError) -> tuple[Problem, ...]:
    """Return the problems of the test in `file` that an error reports."""
    if isinstance(error, SpecError):
        return error.problems
    return (Problem(str(error), display_path(file), code=error.code),)


class collect_problems:  # a class, as `error_boundary` is one: every test enters several
    """Context manager that adds an error of its block to a list of problems, instead of raising it.

    Args:
        file: the test's document.
        problems: the list.
        doing: what the block does for the test, as for `lve.error_boundary`.
        effort: limits the time of the block.
    """

    __slots__ = ("_doing", "_effort", "_file", "_problems")

    def __init__(
        self, file: Path, problems: list[Problem], doing: str, effort: Effort | None = None
    ) -> None:
        self._file = file
        self._problems = problems
        self._doing = doing
        self._effort = effort

    def __enter__(self) -> None:
        if self._effort is not None:
            self._effort.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if self._effort is not None:
            self._effort.__exit__(kind, error, traceback)
        if error is None:  # nearly always
            return False
        if isinstance(error, Exception) and not isinstance(error, LveError):
            error = unexpected(error, self._doing)
        if not isinstance(error, LveError):
            return False
        self._problems += problems_of(self._file, error)
        return True


def with_all_problems(
    error: SpecError, file: Path, root: Path | None = None, files: AppFiles | None = None
) -> SpecError:
    """Return an error with the problems of an invalid test's other parts added.

    Args:
        error: the problems that are known.
        file: the test's document, or its folder.
        root: the workspace root; by default found from `file`.
        files: the files of the application that it may use.
    """
    if _is_unreadable(error, file):
        return error
    more: list[Problem] = []
    with collect_problems(file, more, "looking for more problems"):
        more += _more_problems(file, root, files)
    problems = in_file_order([*error.problems, *more])
    own = error.problems[0].file
    return SpecError(sorted(problems, key=lambda problem: problem.file != own))


def _is_unreadable(error: SpecError, file: Path) -> bool:
    """Return whether the document isn't JSON or YAML: no use in reading it again."""
    first = error.problems[0]
    documents = {display_path(path) for path in (file, *(file / name for name in DOCUMENT_NAMES))}
    return first.code == SYNTAX and first.file in documents


def _more_problems(file: Path, root: Path | None, files: AppFiles | None) -> list[Problem]:
    # Imported late, because few tests are invalid.
    from lve.checkers.static import argument_problems, check_statically
    from lve.spec.partial_spec import load_partial_spec

    try:
        rest = load_partial_spec(file, root, files)
    except SpecError:  # the document can't be read at all, which `error` reports already
        return []
    if rest is None:
        return []
    spec, problems = rest.spec, list[Problem]()
    if not rest.has_prompts:
        return argument_problems(spec)
    with collect_problems(spec.file, problems, "building the prompts"):
        build_plan(spec)
    with collect_problems(spec.file, problems, "checking the checkers"):
        problems += check_statically(spec)
    return problems
