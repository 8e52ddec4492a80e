"""What makes a file of one kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import BinaryIO, NamedTuple

from lve.verdicts.recorded import RecordedSession

Write = Callable[[Sequence[RecordedSession], BinaryIO], None]
"""Writes a report of some sessions, at least one."""


class Writer(NamedTuple):
    """Makes the files of a suffix."""

    write: Write
    what: str
    """It makes, in words."""
    needs: str = ""
    """The package that it can't do without."""
    extra: str = ""
    """That brings the package."""
