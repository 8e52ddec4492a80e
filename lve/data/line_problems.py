"""What is wrong with the lines of a data file: told at length as long as anybody reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lve.documents.json_decode import decode_json
from lve.documents.json_text import scan_json
from lve.documents.places import spell_path
from lve.errors import Problem
from lve.problem_limits import MAX_ROW_PROBLEMS
from lve.workspace import display_path


class LineProblems:
    """The problems of one file. Looking for the place of one takes ten times as long as reading a
    line, so that is done for the first ones; of the others it is said only that they are there."""

    def __init__(self, file: Path) -> None:
        """Args:
        file: as it was opened.
        """
        self._file = file
        self._count = 0

    def value(self, line: str, number: int) -> Any:
        """Return the JSON value of a line, or a `Problem`."""
        try:
            return decode_json(line)
        except ValueError:
            return self.told(number, lambda: line_problem(line, self._file, number))

    def told(self, number: int, look: Callable[[], Problem | None]) -> Problem | None:
        """Return what is wrong with a line that looks wrong; None if it isn't.

        Args:
            number: of the line, from 1.
            look: finds out what it is.
        """
        if self._count >= MAX_ROW_PROBLEMS:
            return Problem("is wrong, as many lines before it", display_path(self._file), number)
        found = look()
        self._count += found is not None
        return found


def line_problem(line: str, file: Path, number: int | None) -> Problem:
    """Return what is wrong with a JSON text that is line `number` of a file (None: that has the
    lines of the file)."""
    finding = scan_json(line).problems()[0]
    path = spell_path(finding.path) if finding.path else None
    line_number = finding.line if number is None else number
    return Problem(
        finding.message, display_path(file), line_number, finding.column, path, finding.hint
    )
