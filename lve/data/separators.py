"""Tables whose columns aren't separated by commas, as some spreadsheets write them."""

from __future__ import annotations

from collections.abc import Collection

SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}
"""What separates columns in files that are no CSV as lve reads it."""


def separator_hint(columns: Collection[str]) -> str | None:
    """Return what to do about a table that seems to have one column, because something else than
    commas separates its columns; None about others.

    Args:
        columns: their names, as they were read.
    """
    only = next(iter(columns)) if len(columns) == 1 else ""
    sign = next((sign for sign in SEPARATORS if sign in only), None)
    return None if sign is None else f"its columns are separated by {SEPARATORS[sign]}: use commas"
