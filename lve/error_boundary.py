"""Turns an unexpected exception into an error of one test, so that the other tests go on.

A test is contributed data and may trigger anything: infinite recursion, a number that is too
large, an exception that a library doesn't document.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from lve.errors import LveError, UnexpectedError
from lve.escape import escape, one_line

Item = TypeVar("Item")

TRACEBACK_VARIABLE = "LVE_TRACEBACK"
"""Environment variable; set to show the traceback of an error of lve's own."""
SHOWN_COLUMNS = 120
"""Terminal columns of an exception's message that are shown."""
_PACKAGE = Path(__file__).parent


class error_boundary:  # a class is faster than a generator, and every test enters several
    """Context manager that turns any exception but an `LveError` into an `UnexpectedError`.

    `KeyboardInterrupt`, `SystemExit` and `CancelledError` pass through: they end the process or the
    task.

    Args:
        doing: what the block does for a test, such as `filling the prompts`.

    Raises:
        UnexpectedError: the block raised an exception that lve doesn't raise on purpose.
    """

    __slots__ = ("_doing",)

    def __init__(self, doing: str) -> None:
        self._doing = doing

    def __enter__(self) -> None:
        return

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, LveError):
            raise unexpected(error, self._doing) from error


def with_error_boundary(items: Iterable[Item], doing: str) -> Iterator[Item]:
    """Yield the items of an iterable. The boundary is around making an item, not around its use.

    Raises:
        UnexpectedError: as `error_boundary`.
    """
    with error_boundary(doing):
        yield from items


def unexpected(error: Exception, doing: str) -> UnexpectedError:
    """Return an error that describes an unexpected exception in one line.

    With `LVE_TRACEBACK=1`, the traceback is also written to stderr.

    Args:
        error: the exception.
        doing: as for `error_boundary`.
    """
    if wants_traceback():
        import traceback  # costs start-up time

        text = "".join(traceback.format_exception(error))
        sys.stderr.write(escape(text))
    message = one_line(_message(error), SHOWN_COLUMNS)
    return UnexpectedError(
        f"an unexpected {type(error).__name__} while {doing}, in {_place(error)}"
        f"{f' ({message})' if message else ''}: this is a bug in lve, please report it; "
        "LVE_TRACEBACK=1 shows more"
    )


def wants_traceback() -> bool:
    """Whether the user set `LVE_TRACEBACK` to see where an error comes from."""
    return os.environ.get(TRACEBACK_VARIABLE, "0") not in ("", "0")


def _message(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # `__str__` of a foreign class may fail
        return ""


def _place(error: Exception) -> str:
    """Return `lve/x/y.py:12`, the innermost line of lve in an exception's traceback."""
    place, step = "", error.__traceback__
    while step is not None:
        file = Path(step.tb_frame.f_code.co_filename)
        if file.is_relative_to(_PACKAGE):
            place = f"lve/{file.relative_to(_PACKAGE).as_posix()}:{step.tb_lineno}"
        step = step.tb_next
    return place or "code outside of lve"
