"""`.xlsx`: the table of results for Excel and others (needs the extra `lve[xlsx]`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import BinaryIO

from lve.errors import UsageError
from lve.escape import head
from lve.extensions.reports.columns import Value, columns_of, rows
from lve.verdicts.recorded_session import RecordedSession

MAX_CELL = 32_000
"""The most characters of a cell; the format has 32,767."""
MAX_ROWS = 1_048_575
"""The most rows of the format, below its heads."""
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML doesn't have."""


def write_xlsx(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    """Write a row per instance and repeat; one is in memory at a time. No text is a formula.

    Raises:
        UsageError: there are more results than a sheet can have.
    """
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    if sum(tally.total for session in sessions for tally in session.tallies) > MAX_ROWS:
        message = f"a sheet has {MAX_ROWS:,} rows at most: write .csv or .parquet"
        raise UsageError(message, code="output_file")
    book = Workbook(write_only=True)
    sheet = book.create_sheet("results")
    sheet.freeze_panes = "A2"
    columns = columns_of(sessions)

    def cells(values: Sequence[Value]) -> list[object]:
        written = []
        for value in values:
            cell = WriteOnlyCell(sheet, value=_writable(value))
            if isinstance(value, str):  # otherwise `=...` is a formula, and `#N/A` an error
                cell.data_type = "s"
            written.append(cell)
        return written

    sheet.append(cells([column.name for column in columns]))
    for row in rows(sessions):
        sheet.append(cells([column.value(row) for column in columns]))
    book.save(file)


def _writable(value: Value) -> Value:
    if not isinstance(value, str):
        return value
    text = _UNWRITABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", value)
    return head(text, MAX_CELL)
