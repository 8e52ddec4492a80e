"""Texts of strangers in Markdown: they break out of nothing, mention nobody and link nowhere.

They only ever stand in code, where nothing is looked for: in spans, between fences, and, where
Markdown itself is HTML, in its element.
"""

from __future__ import annotations

import re
from html import escape as escape_html

from lve.escape import escape, one_line

MAX_CODE = 200
"""Columns of a text on one line."""
NOTHING = "(empty)"
_TICKS = re.compile("`+")


def code(value: str, width: int = MAX_CODE) -> str:
    """Return a text of one line as a span of code, outside of tables."""
    text = one_line(value, width)
    if not text:
        return NOTHING
    ticks = "`" * (max(map(len, _TICKS.findall(text)), default=0) + 1)
    pad = " " if "`" in (text[0], text[-1]) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def code_cell(value: str, width: int = MAX_CODE) -> str:
    """Return a text of one line as a span of code in a cell of a table. A bar behind a backslash
    can't be written there: it becomes a broken bar."""
    return code(value.replace("|", "\\|" if "\\" not in value else "¦"), width)


def html_code(value: str, width: int = MAX_CODE) -> str:
    """Return a text of one line as code in a block of HTML."""
    return f"<code>{escape_html(one_line(value, width))}</code>"


def fenced(value: str) -> str:
    """Return a text of many lines between fences that are longer than any in it."""
    text = escape(value)
    fence = "`" * max(max(map(len, _TICKS.findall(text)), default=0) + 1, 3)
    return f"{fence}text\n{text}\n{fence}\n"
