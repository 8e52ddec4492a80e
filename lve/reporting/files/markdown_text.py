"""Writes Markdown: untrusted text, rows of tables, and pages of limited length.

Untrusted text is written as code (spans, fenced blocks, and `<code>` in HTML) or escaped: it can't
end its span or block, ping a user or become a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape as escape_html

from lve.escape import escape, escape_line, excerpt, keyless, one_line

MAX_BYTES = 65_536
"""Bytes of the longest comment that GitHub accepts; GitLab accepts more."""
NOTE_BYTES = 200
"""Bytes reserved for the note that something is left out."""
MAX_CODE = 200
"""Columns of a code span; longer texts are cut."""
NOTHING = "(empty)"
_TICKS = re.compile("`+")
_SPECIAL = re.compile(r"([\\`*_\[\]|~#@])")


class Page:
    """A text of limited length."""

    def __init__(self, max_bytes: int) -> None:
        """Args:
        max_bytes: the most bytes of the text in UTF-8.
        """
        self._left = max_bytes
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(self, part: str) -> bool:
        """Add a part if it fits; return whether it does."""
        size = len(part.encode("utf-8", "replace"))
        if size > self._left:
            return False
        self._left -= size
        self._parts.append(part)
        return True

    def end(self, part: str) -> None:
        """Add a part for which space was reserved."""
        self._parts.append(part)


def row(cells: Iterable[str]) -> str:
    """Return a row of a table, of cells that are Markdown already."""
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in cells) + "\n"


def table_head(cells: Sequence[str], rule: str = "---") -> str:
    """Return the first two rows of a table: its heads, and what aligns the columns."""
    return f"{row(cells)}|{f'{rule}|' * len(cells)}\n"


def details(summary: str, body: str) -> str:
    """Return a collapsed section. Its summary is HTML."""
    return f"<details><summary>{summary}</summary>\n\n{body}</details>\n\n"


def escaped(value: str, limit: int) -> str:
    """Return a text as text on one line, shortened to `limit` characters."""
    line = escape_html(escape_line(excerpt(" ".join(keyless(value).split()), limit)), quote=False)
    return _SPECIAL.sub(r"\\\1", line)


def code(value: str, width: int = MAX_CODE) -> str:
    """Return a text as a code span on one line, for use outside of tables."""
    text = one_line(value, width)
    if not text:
        return NOTHING
    ticks = "`" * (max(map(len, _TICKS.findall(text)), default=0) + 1)
    pad = " " if "`" in (text[0], text[-1]) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def code_cell(value: str, width: int = MAX_CODE) -> str:
    """Return a text as a code span on one line, for a cell of a table. A `|` after a backslash
    can't be escaped there: it becomes `¦`."""
    return code(value.replace("|", "\\|" if "\\" not in value else "¦"), width)


def html_code(value: str, width: int = MAX_CODE) -> str:
    """Return a text as a `<code>` element on one line, for use in HTML blocks."""
    return f"<code>{escape_html(one_line(value, width))}</code>"


def fenced(value: str) -> str:
    """Return a text as a code block, escaped."""
    return fence(escape(value), "text")


def fence(text: str, language: str) -> str:
    """Return a text, as it is, in a fence that is longer than any run of backticks in the text."""
    ticks = "`" * max(max(map(len, _TICKS.findall(text)), default=0) + 1, 3)
    return f"{ticks}{language}\n{text}\n{ticks}\n"
