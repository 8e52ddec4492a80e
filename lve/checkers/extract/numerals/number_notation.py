"""Removes notation around numbers that has no meaning, and turns "below zero" into a sign."""

from __future__ import annotations

import re

from lve.checkers.extract.numerals.quantities import quantities_in
from lve.checkers.extract.plain_text import without_marks

_SAYS_SOMETHING = re.compile(r"\d|\w{3}")
_FENCE = re.compile(r"```[^\n]*\n.*?(?:```|\Z)", re.DOTALL)
_FONTS = "text|textrm|textit|mathrm|mathbf|textbf|mathit|mathsf|operatorname|emph|mbox|unit|si"
_LATEX = re.compile(
    rf"""
    (?<=\d) \{{ (?P<mark> [,.] ) \}} (?=\d)
    | (?<=\d) (?P<comma> \\!?,\\! ) (?=\d{{3}}) | (?<=\d) , \\! (?=\d{{3}})
    | \\(?:{_FONTS})\s* \{{ (?P<content> [^{{}}]* ) \}} (?P<power> (?=[ ]?\^) )?
    | (?P<degree> \^[ ]?\{{?[ ]?\\circ[ ]?\}}? | \\(?:degree|circ|textdegree)(?![a-z]) )
    | (?P<close> \\approx | \\simeq | \\sim(?![a-z]) ) | (?P<pm> \\pm(?![a-z]) )
    | (?P<dot> \\cdot(?![a-z]) ) | (?P<micro> \\mu(?![a-z]) ) | (?P<ohm> \\Omega(?![a-z]) )
    | \{{[ ]?-[ ]?(?P<minus> \d[\d.,]* ) [ ]?\}} (?<![\^_}}] )
    | \\(?P<escaped> [%$#] (?=\s*\d)? )
    | \\(?:left|right|displaystyle|quad|qquad|[,;:!{{}}()\[\] ])
    """,
    re.VERBOSE,
)
_MATH = re.compile(r"\$\$|(?<!\\)\$(?=\S)([^$\n]*[^\s$\\])\$(?!\d)")
"""The marks of LaTeX formulas. Other dollar signs are money."""
_SIGNS = {"degree": "°", "close": "≈", "pm": "±", "dot": "·", "micro": "μ", "ohm": "Ω"}
_BELOW_ZERO = re.compile(
    r"(?i)(?<![\w.,-])([\d.,]*\d|[a-z]+(?:-[a-z]+)?)"
    r"(\s?(?:°\s?[cf]?|degrees?)(?: (?:celsius|centigrade|fahrenheit))?)? below zero\b"
)
_NOTES = re.compile(
    r"(?m)^[ \t]*\[\^?\w{1,20}\][: ].*$|\[\^\w{1,20}\]"
    r"|^[ \t]*(?:references|sources|works cited|footnotes|quellen|参考文献)\W*\n(?s:.*)",
    re.IGNORECASE,
)
"""Footnotes, references, and their marks."""
_LIST_MARK = re.compile(
    r"(?m)(^[ \t]*(?:[-*•][ \t]+)?|(?<=[\s:,;，：]))(\d{1,2})([.)）]|\.\))(?=[ \t]+\S)"
)
"""The number of an item in a list: `1.` or `1)`."""


def cleaned(text: str) -> str:
    """Return a text without Markdown, LaTeX layout, code fences, footnotes and numbers of list
    items, and with "below zero" as a sign. Code fences stay if there is little else."""
    if "```" in text:
        outside = _FENCE.sub("\n", text)
        text = outside if _SAYS_SOMETHING.search(outside) else text
    if "[" in text or "ferences" in text or "ources" in text:
        text = _with_content(_NOTES.sub("", text), text)
    text = without_marks(text)
    if "\\" in text or "$" in text or "{" in text:
        text = _LATEX.sub(_plain, _MATH.sub(r" \1 ", text) if "$" in text else text)
    if "below zero" in text:
        text = _BELOW_ZERO.sub(_negative, text)
    return _without_list_marks(text)


def _with_content(text: str, otherwise: str) -> str:
    return text if re.search(r"\w", text) else otherwise


def _plain(match: re.Match[str]) -> str:
    if match["mark"]:
        return match["mark"]
    if match["content"] is not None:
        return f" {match['content']}" if match["power"] is not None else f" {match['content']} "
    if match["minus"]:
        return f"-{match['minus']}"
    if match["escaped"]:
        return match["escaped"]
    kind = match.lastgroup
    if kind in _SIGNS:
        return _SIGNS[kind]
    return "," if match["comma"] or match[0].startswith(",") else " "


def _without_list_marks(text: str) -> str:
    """Return a text without the numbers of list items, if there are an item 1 and an item 2."""
    if "1." not in text and "1)" not in text:
        return text
    marks = [*_LIST_MARK.finditer(text)]
    numbers = [int(mark[2]) for mark in marks]
    if 1 not in numbers or 2 not in numbers:
        return text
    return _LIST_MARK.sub(lambda mark: f"{mark[1]}", text)


def _negative(match: re.Match[str]) -> str:
    is_number = bool(quantities_in(match[1]))
    return f"minus {match[1]}{match[2] or ''}" if is_number else match[0]
