"""Reads matrices, vectors and determinants in LaTeX."""

from __future__ import annotations

import re

from lve.named_tuples import NamedTuple

_MATRIX = re.compile(
    r"^\s*[\[(]?\s*\\begin\s*\{(?P<kind>[pbBvV]?(?:small)?matrix|array)\}"
    r"(?:\s*\{[lcr|\s]*\})?(?P<rows>.*?)\\end\s*\{(?P=kind)\}\s*[\])]?\s*$",
    re.DOTALL,
)
_ROW_END = re.compile(r"\\\\(?:\[[^\]]*\])?")
MAX_CELLS = 100
"""The most cells of a matrix. A larger one is compared as text."""
_MAX_DETERMINANT = 4


class Matrix(NamedTuple):
    """A matrix, or a vector as a matrix of one row or column."""

    rows: tuple[tuple[str, ...], ...]
    is_determinant: bool

    @property
    def cells(self) -> tuple[str, ...]:
        """All cells, row by row."""
        return tuple(cell for row in self.rows for cell in row)

    @property
    def is_vector(self) -> bool:
        """Whether there is only one row or column."""
        return len(self.rows) == 1 or len(self.rows[0]) == 1


def matrix_in(text: str) -> Matrix | None:
    """Return the matrix of which a text consists; None if it is something else."""
    match = _MATRIX.match(text)
    if match is None:
        return None
    lines = [line for line in _ROW_END.split(match["rows"]) if line.strip()]
    rows = tuple(tuple(cell.strip() for cell in line.split("&")) for line in lines)
    if not rows or len({len(row) for row in rows}) > 1 or len(rows) * len(rows[0]) > MAX_CELLS:
        return None
    is_determinant = match["kind"][0] in "vV" and len(rows) == len(rows[0])
    return Matrix(rows, is_determinant and len(rows) <= _MAX_DETERMINANT)


def determinant(rows: tuple[tuple[str, ...], ...]) -> str:
    """Return the determinant of a small matrix as a term."""
    if len(rows) == 1:
        return f"({rows[0][0]})"
    parts = []
    for column, cell in enumerate(rows[0]):
        minor = tuple(row[:column] + row[column + 1 :] for row in rows[1:])
        sign = "-" if column % 2 else "+"
        parts.append(f"{sign}({cell})*({determinant(minor)})")
    return "".join(parts)
