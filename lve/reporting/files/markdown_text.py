"""Writes untrusted text in Markdown, only as code: spans, fenced blocks, and `<code>` in HTML.

Code isn't interpreted: the text can't end its span or block, ping a user or become a link.
"""

from __future__ import annotations

import re
from html import escape as escape_html

from lve.escape import escape, one_line

MAX_CODE = 200
"""Columns of a code span; longer texts are cut."""
NOTHING = "(empty)"
_TICKS = re.compile("`+")


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
    """Return a text as a fenced code block whose fence is longer than any run of backticks in the
    text."""
    text = escape(value)
    fence = "`" * max(max(map(len, _TICKS.findall(text)), default=0) + 1, 3)
    return f"{fence}text\n{text}\n{fence}\n"
