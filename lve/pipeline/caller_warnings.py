"""Python warnings that point at the line that called lve."""

from __future__ import annotations

from lve.errors import UsageError
from lve.escape import escape_line


def warn_caller(text: str) -> None:
    """Give a Python warning at the innermost line outside of lve.

    Raises:
        UsageError: Python's filters turn warnings into errors.
    """
    import warnings

    try:
        warnings.warn(escape_line(text), stacklevel=_callers_level())
    except UserWarning as error:  # `-W error`
        raise UsageError(
            f"{error} (Python's filters make warnings errors)", code="warning_as_error"
        ) from None


def _callers_level() -> int:
    """Return the `stacklevel` of the innermost line outside of lve and of the event loop, for
    `warnings.warn` in the calling function."""
    import sys
    import traceback

    ours = ("lve", "asyncio", "concurrent", "contextlib", "threading", "uvloop")
    frames = (frame for frame, _ in traceback.walk_stack(sys._getframe(1)))
    names = (str(frame.f_globals.get("__name__", "")) for frame in frames)
    outside = (n for n, name in enumerate(names, 1) if name.partition(".")[0] not in ours)
    return next(outside, 2)
