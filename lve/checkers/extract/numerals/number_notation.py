"""Removes notation around numbers that has no meaning, and turns "below zero" into a sign."""

from __future__ import annotations

import re

from lve.checkers.extract.numerals.number_tokens import numbers_in
from lve.checkers.extract.plain_text import without_marks

_SAYS_SOMETHING = re.compile(r"\d|\w{3}")
_FENCE = re.compile(r"```[^\n]*\n.*?(?:```|\Z)", re.DOTALL)
_FONTS = "text|mathrm|mathbf|textbf|mathit|operatorname|emph"
_LATEX = (
    (re.compile(r"(?<=\d)\{([,.])\}(?=\d)"), r"\1"),
    (re.compile(r"(?<=\d)\\[,;: !](?=\d{3})"), " "),
    (re.compile(r"(?<=\d)\\!?,\\!(?=\d{3})"), ","),
    (re.compile(rf"\\(?:{_FONTS})\s*\{{([^{{}}]*)\}}"), r" \1 "),
    (re.compile(r"\\(?:left|right|displaystyle|quad|qquad|[,;:! ])"), " "),
    (re.compile(r"\\[()\[\]]|\$\$?(?!\d)|(?<=\d)\$"), " "),
    (re.compile(r"\$(?=\d[^$\n]*\$)"), " "),
    (re.compile(r"\\(?:approx|simeq)"), "≈"),
)  # fmt: skip
_CLOCK = re.compile(r"(?<![\d.,])\d{1,2}:\d{2}(?::\d{2})?(?![\d.,]\d)")
_BELOW_ZERO = re.compile(
    r"(?i)(?<![\w.,-])([\d.,]*\d|[a-z]+(?:-[a-z]+)?)"
    r"(\s?(?:°\s?[cf]?|degrees?)(?: (?:celsius|centigrade|fahrenheit))?)? below zero\b"
)


def cleaned(text: str) -> str:
    """Return a text without Markdown, LaTeX layout, code fences and times of day, and with "below
    zero" as a sign. Code fences stay if there is little else."""
    if "```" in text:
        outside = _FENCE.sub("\n", text)
        text = outside if _SAYS_SOMETHING.search(outside) else text
    text = without_marks(text)
    if "\\" in text or "$" in text or "{" in text:
        for pattern, instead in _LATEX:
            text = pattern.sub(instead, text)
    if "below zero" in text:
        text = _BELOW_ZERO.sub(_negative, text)
    return _CLOCK.sub(" ", text) if ":" in text else text


def _negative(match: re.Match[str]) -> str:
    is_number = bool(numbers_in(match[1]))
    return f"minus {match[1]}{match[2] or ''}" if is_number else match[0]
