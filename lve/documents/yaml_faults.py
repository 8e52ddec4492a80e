"""Explains what is wrong with a text that isn't valid YAML."""

from __future__ import annotations

import re
from typing import Any

from lve.documents.places import Finding, LineIndex

_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def is_printable(text: str) -> bool:
    """Return whether YAML allows all characters of a text."""
    return (text.isascii() and text.isprintable()) or _FORBIDDEN.search(text) is None


def unprintable(text: str) -> Finding:
    """Return a finding about the first character that YAML doesn't allow."""
    match = _FORBIDDEN.search(text)
    assert match is not None
    message = f"the control character U+{ord(match[0]):04X} is not allowed in YAML"
    hint = 'write it as an escape inside double quotes, such as "\\x07"'
    return Finding(message, *LineIndex(text).place(match.start()), None, hint)


def syntax_finding(err: Any, text: str) -> Finding:
    """Return the parser's error as a finding."""
    mark = getattr(err, "problem_mark", None) or getattr(err, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = text.split("\n")
    at_tab = line <= len(lines) and lines[line - 1][column - 1 : column] == "\t"
    problem = getattr(err, "problem", None) or "this can't be read"
    context = getattr(err, "context", None)
    said = f"{context}, {problem}" if context else problem
    hint = "indent with blanks, not with tabs" if at_tab else None
    return Finding(f"not valid YAML: {said}", line, column, None, hint)
