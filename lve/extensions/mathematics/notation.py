"""Compares mathematical expressions in LaTeX or plain notation.

Two terms are equal if they have the same values at a few points. Expressions that can't be computed
are compared as text.
"""

from __future__ import annotations

import re

from lve.extensions.mathematics.math_terms import same_term

MAX_LENGTH = 500
"""The most characters of an expression; the rest is ignored."""
MAX_PARTS = 50
"""The most elements of a tuple or set. A longer one is compared as one term."""
_PLAIN: tuple[tuple[str, str], ...] = (
    (r"\\(?:left|right|displaystyle|limits|bigl?|bigr?|Bigl?|Bigr?|middle)(?![a-zA-Z])", ""),
    (r"\\(?:text(?:rm|bf)?|math(?:rm|bf|it)|mbox|operatorname|emph)\s*\{([^{}]*)\}", r" \1 "),
    (r"\\[dtc]frac", r"\\frac"),
    (r"\\[,;:! ]|~|\\quad|\\qquad|&nbsp;", " "),
    (r"(?<=\d)\{,\}(?=\d)", ","),
    (r"\^\s*\{?\s*\\circ\s*\}?|\\degree|°", " "),
    (r"\\(?:leq|le)(?![a-z])|≤", "<="),
    (r"\\(?:geq|ge)(?![a-z])|≥", ">="),
    (r"\\(?:neq|ne)(?![a-z])|≠", "!="),
    (r"\\lt(?![a-z])", "<"),
    (r"\\gt(?![a-z])", ">"),
    (r"\\(?:cdot|times|ast)(?![a-z])|×|·|⋅", "*"),
    (r"\*\*(?!\*)", "^"),
    (r"\\div(?![a-z])|÷", "/"),
    (r"\\infty(?![a-z])|∞", "inf"),
    (r"π", r"\\pi "),
    (r"√", r"\\sqrt "),
    (r"\\(?:cup|bigcup)(?![a-z])|∪", "U"),
    (r"\\in(?![a-z])|∈", "="),
    (r"\\\{", "{{"),
    (r"\\\}", "}}"),
    (r"\\?\$|\\[()\[\]]|\\?%|\\mathbb|[.。]\s*$", ""),
)  # fmt: skip
_UNITS = re.compile(
    r"(?<=[\d)}])\s*(?:km/h|m/s|mph|cm|mm|km|kg|mg|ml|percent|degrees?|meters?|metres?|inch(?:es)?"
    r"|feet|foot|ft|hours?|minutes?|seconds?|days?|years?|weeks?|months?|dollars?|cents?|euros?"
    r"|units?|square \w+|cubic \w+|apples?|people|students?|ways?|points?|miles?|pounds?|liters?"
    r"|litres?|grams?|meters? per second)(?:\s*\^\s*\{?[23]\}?)?\s*$",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"^\s*(?:[a-zA-Z](?:_\{?\w+\}?)?(?:\([a-z]\))?|\\[a-z]+|[A-Za-z]+(?:\([a-z]\))?)\s*=(?!=)\s*"
)
_GROUPS = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?!\d)")


def same_math(first: str, second: str) -> bool:
    """Return whether two expressions are mathematically equal: numbers, terms, tuples, sets,
    intervals, equations or inequalities, in LaTeX or plain notation."""
    a, b = plain_math(first), plain_math(second)
    if _squeezed(a) == _squeezed(b):
        return bool(_squeezed(a))
    (kind_a, parts_a), (kind_b, parts_b) = _parts(a), _parts(b)
    if len(parts_a) != len(parts_b) or len(parts_a) > MAX_PARTS:
        return same_term(a, b)
    if len(parts_a) == 1 and kind_a == kind_b == "":
        return _same_relation(a, b)
    if kind_a != kind_b and {kind_a, kind_b} != {"", "{}"}:
        return False
    if kind_a in ("{}", "") or kind_b == "{}":
        return _same_set(parts_a, parts_b)
    return all(map(same_math, parts_a, parts_b))


def plain_math(text: str) -> str:
    """Return an expression in plain notation, without layout, units and the name before `=`."""
    text = text[:MAX_LENGTH].strip()
    for pattern, instead in _PLAIN:
        text = re.sub(pattern, instead, text)
    text = _UNITS.sub("", text.strip())
    if "=" in text and not re.search(r"[<>!]=", text) and _NAME.match(text):
        text = _NAME.sub("", text, count=1)
    return _GROUPS.sub(lambda m: m[0].replace(",", ""), text.strip())


def _squeezed(text: str) -> str:
    return re.sub(r"[\s{}]", "", text).casefold()


def _parts(text: str) -> tuple[str, list[str]]:
    """Return the brackets of a tuple, set or interval (empty if there are none) and its
    elements."""
    text = text.strip()
    kind = ""
    if text.startswith("{{") and text.endswith("}}"):
        kind, text = "{}", text[2:-2]
    elif (
        text[:1] in "([" and text[-1:] in ")]" and _split(text[1:-1])[1:] and len(_split(text)) == 1
    ):
        kind, text = text[0] + text[-1], text[1:-1]
    return kind, _split(text)


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and character in ",;":
            parts.append(text[start:place])
            start = place + 1
    last = re.sub(r"^\s*(?:and|or)\s+", "", text[start:])
    parts.append(last)
    words = [word for part in parts for word in re.split(r"\s+(?:and|or)\s+", part)]
    return [
        _NAME.sub("", word.strip(), count=1) if len(words) > 1 else word.strip() for word in words
    ]


def _same_set(first: list[str], second: list[str]) -> bool:
    left = list(second)
    for part in first:
        match = next((candidate for candidate in left if same_math(part, candidate)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def _same_relation(a: str, b: str) -> bool:
    for sign in ("<=", ">=", "!=", "=", "<", ">"):
        if sign in a and sign in b:
            sides_a, sides_b = a.split(sign), b.split(sign)
            if len(sides_a) != len(sides_b):
                return False
            straight = all(map(same_term, sides_a, sides_b))
            return straight or (sign == "=" and all(map(same_term, sides_a, sides_b[::-1])))
        if sign in a or sign in b:
            return False
    return same_term(a, b)
