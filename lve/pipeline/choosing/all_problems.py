"""All problems of a test together: what is wrong in one part doesn't hide what is wrong in the
others."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from lve.border import unexpected
from lve.documents.schema import in_file_order
from lve.errors import LveError, Problem, SpecError
from lve.workspace import display_path


def problems_of(file: Path, error: LveError) -> tuple[Problem, ...]:
    """Return what an error says of the test in a file: its problems, or the one it is."""
    if isinstance(error, SpecError):
        return error.problems
    return (Problem(str(error), display_path(file), code=error.code),)


class gathered:  # a class, as `border` is one: every test enters several
    """Context manager that lets what goes wrong in the block be problems of one test.

    Args:
        file: the test's document.
        problems: gets them.
        doing: what the block does for the test, as for `lve.border`.
    """

    __slots__ = ("_doing", "_file", "_problems")

    def __init__(self, file: Path, problems: list[Problem], doing: str) -> None:
        self._file = file
        self._problems = problems
        self._doing = doing

    def __enter__(self) -> None:
        return

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if error is None:  # nearly always
            return False
        if isinstance(error, Exception) and not isinstance(error, LveError):
            error = unexpected(error, self._doing)
        if not isinstance(error, LveError):
            return False
        self._problems += problems_of(self._file, error)
        return True


def with_all_problems(error: SpecError, file: Path, root: Path | None = None) -> SpecError:
    """Return the error of an invalid test with the problems of its other parts, too.

    Args:
        error: what is known to be wrong with it.
        file: its document, or its folder.
        root: the workspace root; by default found from `file`.
    """
    more: list[Problem] = []
    with gathered(file, more, "looking for more problems"):
        more += _more_problems(file, root)
    problems = in_file_order([*error.problems, *more])
    own = error.problems[0].file
    return SpecError(sorted(problems, key=lambda problem: problem.file != own))


def _more_problems(file: Path, root: Path | None) -> list[Problem]:
    # Imported here, because few tests are invalid.
    from lve.checkers.static import argument_problems, check_statically
    from lve.prompts.plan import build_plan
    from lve.spec.rest import rest_of

    try:
        rest = rest_of(file, root)
    except SpecError:  # nothing of it can be read, and that is known
        return []
    if rest is None:
        return []
    spec, problems = rest.spec, list[Problem]()
    if not rest.has_prompts:
        return argument_problems(spec)
    with gathered(spec.file, problems, "building the prompts"):
        build_plan(spec)
    with gathered(spec.file, problems, "checking the checkers"):
        problems += check_statically(spec)
    return problems
