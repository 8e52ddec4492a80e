"""The border around everything that is done for one test.

A test is somebody else's data, and data finds what nobody has thought of: a recursion without end,
a number that is too large, a library that raises what it doesn't document. Whatever it is, it is
the error of that one test (or of that one instance), and the others go on.
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

SHOWN_COLUMNS = 120
"""Of the message of an exception."""
_PACKAGE = Path(__file__).parent


class border:  # a class as `contextlib.suppress` is one: every test passes several
    """Let nothing out of the block but what lve raises on purpose.

    Args:
        doing: what is done for a test, such as `filling the prompts`.

    Raises:
        UnexpectedError: for any other exception; not for what ends the process or the task
            (`KeyboardInterrupt`, `SystemExit`, `CancelledError`).
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
        # Of any kind: that is what a border is for.
        if isinstance(error, Exception) and not isinstance(error, LveError):
            raise unexpected(error, self._doing) from error


def bordered(items: Iterable[Item], doing: str) -> Iterator[Item]:
    """Yield what an iterable yields, with the border around the making of each item: what is done
    with it stays outside.

    Raises:
        UnexpectedError: as `border`.
    """
    with border(doing):
        yield from items


def unexpected(error: Exception, doing: str) -> UnexpectedError:
    """Return what is told of an exception that nobody has thought of, in one line. With
    `LVE_TRACEBACK=1` its traceback is written to stderr.

    Args:
        error: as it was caught.
        doing: as for `border`.
    """
    if os.environ.get("LVE_TRACEBACK", "0") not in ("", "0"):
        import traceback  # costs start-up time

        sys.stderr.write(escape("".join(traceback.format_exception(error))))
    said = one_line(_message(error), SHOWN_COLUMNS)
    return UnexpectedError(
        f"an unexpected {type(error).__name__} while {doing}, in {_place(error)}"
        f"{f' ({said})' if said else ''}: this is a bug in lve, please report it; "
        "LVE_TRACEBACK=1 shows more"
    )


def _message(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # somebody else's class, or a value that can't be written as text
        return ""


def _place(error: Exception) -> str:
    """Return `lve/x/y.py:12`, the innermost line of ours on the way to an exception."""
    place, step = "", error.__traceback__
    while step is not None:
        file = Path(step.tb_frame.f_code.co_filename)
        if file.is_relative_to(_PACKAGE):
            place = f"lve/{file.relative_to(_PACKAGE).as_posix()}:{step.tb_lineno}"
        step = step.tb_next
    return place or "somebody else's code"
