"""Texts in XML: hostile ones are spelled, so that every reader takes the document."""

from __future__ import annotations

from xml.sax.saxutils import escape as escape_markup
from xml.sax.saxutils import quoteattr

from lve.escape import escape
from lve.reporting.files.plain_text import cut

MAX_ATTRIBUTE = 500
"""Characters of an attribute."""
_ILLEGAL = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}
"""XML has none of them; `escape` spells the control characters, which it hasn't either."""


def text(value: str) -> str:
    """Return a text as the content of an element."""
    return escape_markup(_legal(value))


def attributes(**values: object) -> str:
    """Return attributes, each with a blank before it; None is left out."""
    known = ((name, value) for name, value in values.items() if value is not None)
    return "".join(
        f" {name}={quoteattr(_legal(cut(str(value), MAX_ATTRIBUTE)))}" for name, value in known
    )


def _legal(value: str) -> str:
    return escape(value).translate(_ILLEGAL)
