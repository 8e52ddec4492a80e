"""Compares mathematical expressions in LaTeX or plain notation.

Two terms are equal if they have the same values at a few points. Expressions that can't be computed
are compared as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lve.checkers.extract.quantities.units import units_named
from lve.checkers.shape.patterns import pattern
from lve.extensions.mathematics.math_terms import same_equation, same_term
from lve.extensions.mathematics.matrices import determinant, matrix_in

MAX_LENGTH = 500
"""The most characters of an expression; the rest is ignored."""
MAX_PARTS = 50
"""The most elements of a tuple or set. A longer one is compared as one term."""


def _repeating(match: re.Match[str]) -> str:
    """Return a repeating decimal as a fraction."""
    whole, start, again = match.groups()
    size = 10 ** len(start)
    over = int((whole or "0") + start + again) - int((whole or "0") + start)
    return f"({over}/{size * (10 ** len(again) - 1)})"


def _mixed(match: re.Match[str]) -> str:
    """Return a mixed number as a sum; a product with an improper fraction stays."""
    whole, *parts = (group for group in match.groups() if group is not None)
    return f"({whole}+{parts[0]}/{parts[1]})" if int(parts[0]) < int(parts[1]) else match[0]


_PLAIN: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\\(?:left|right|displaystyle|limits|bigl?|bigr?|Bigl?|Bigr?|middle)(?![a-zA-Z])", ""),
    (r"(?<=\d)(?:\\!?,\\!|,\\!|\{,\}|\\[, ])(?=\d{3}(?!\d))", ","),
    (r"\\(?:text(?:rm|bf)?|math(?:rm|bf|it)|mbox|operatorname|emph)\s*\{([^{}]*)\}", r" \1 "),
    (r"\\[dtc](frac|binom)", r"\\\1"),
    (r"\{([^{}]*)\\choose([^{}]*)\}", r"\\binom{\1}{\2}"),
    (r"\\?(sin|cos|tan)\s*\^\s*(?:\{\s*-\s*1\s*\}|-1)", r"\\arc\1"),
    (r"\\l(floor|ceil)(?![a-z])(.*?)\\r\1(?![a-z])", r"\\\1(\2)"),
    (r"(\d*)\.(\d*)\\(?:overline|bar|dot)\{(\d{1,9})\}", _repeating),
    (r"(?<![\w.\\])(\d+(?:\.\d+)?)[eE]([-+]?\d{1,3})(?!\w)", r"(\1*10^{\2})"),
    (r"(?<![\d.^_}/)\w])(\d{1,9})\s*\\frac\s*(?:\{\s*(\d{1,9})\s*\}\s*\{\s*(\d{1,9})\s*\}|(\d)\s*(\d))",
     _mixed),
    (r"(?<![\d.^_}/)\w])(\d{1,9}) (\d{1,9})/(\d{1,9})(?![\d/])", _mixed),
    (r"(?<![\d:.])(\d{1,9})\s*:\s*(\d{1,9})(?![\d:.])", r"(\1/\2)"),
    (r"\\(?:emptyset|varnothing)|∅", "emptyset"),
    (r"\\pm(?![a-z])", "±"),
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
    (r"\\%", "%"),
    (r"\\?\$|\\[()\[\]]|\\mathbb|[.。]\s*$", ""),
)  # fmt: skip
_UNITS = re.compile(pattern("math_units"))
_NAME = re.compile(pattern("math_name"))
_WORDS = re.compile(pattern("math_words"))
"""A word after a term, with its power: usually a unit."""
_DEGREES = re.compile(r"(?<=\d)\s*(?:\^\s*\{?\s*\\circ\s*\}?|\\degree(?![a-z])|°|degrees?\b)")
_PI = re.compile(r"π|\\pi(?![a-z])|\bpi\b")
_VARIABLE = re.compile(r"\s*\\?[a-zA-Z]+\s*")
_TURNED = str.maketrans("<>", "><")
_GROUPS = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?!\d)")


def same_math(first: str, second: str) -> bool:
    """Return whether two expressions are mathematically equal: numbers, terms, tuples, sets,
    intervals, equations, inequalities or matrices, in LaTeX or plain notation."""
    if (matrices := _same_matrix(first, second)) is not None:
        return matrices
    if _DEGREES.search(first) and _PI.search(second):
        first = _DEGREES.sub("*\\\\pi/180", first)
    elif _DEGREES.search(second) and _PI.search(first):
        second = _DEGREES.sub("*\\\\pi/180", second)
    a, b = plain_math(first), plain_math(second)
    if _squeezed(a) == _squeezed(b):
        return bool(_squeezed(a))
    if a.count("%") != b.count("%"):  # `50%` is 1/2, and 50 where only that was left out
        bare = a.replace("%", ""), b.replace("%", "")
        return same_math(*bare) or _same(a, b)
    return _same(a, b) or _same_with_names(_without_layout(first), _without_layout(second))


def _same_with_names(a: str, b: str) -> bool:
    """Return whether two expressions are equal whose names matter: `y = 2x + 1` is
    `2x - y + 1 = 0`, and `x = 3, y = 4` is `(3, 4)`."""
    for named, other in ((a, b), (b, a)):
        (kind, parts), (kind_of_other, values) = _parts(named), _parts(other)
        if kind == "" and kind_of_other == "()" and named.count("=") == len(parts) == len(values):
            return _all_same(tuple(parts), tuple(values))
    sides = a.split("="), b.split("=")
    is_equation = len(sides[0]) == len(sides[1]) == 2 and not re.search(r"[<>!]=", a + b)
    return is_equation and _same_equation(*sides)


def _same(a: str, b: str) -> bool:
    """Return whether two different plain expressions are equal."""
    (kind_a, parts_a), (kind_b, parts_b) = _parts(_spread(a)), _parts(_spread(b))
    if len(parts_a) != len(parts_b) or len(parts_a) > MAX_PARTS:
        return same_term(a, b) or _same_interval(a, b)
    if len(parts_a) == 1 and kind_a == kind_b == "":
        return _same_relation(a, b) or _same_interval(a, b)
    if kind_a != kind_b and {kind_a, kind_b} != {"", "{}"}:
        return False
    if kind_a in ("{}", "") or kind_b == "{}":
        return _same_set(parts_a, parts_b)
    return all(map(same_math, parts_a, parts_b))


def plain_math(text: str) -> str:
    """Return an expression in plain notation, without layout, units and the name before `=`."""
    text = _without_layout(text)
    if "=" in text and not re.search(r"[<>!]=", text) and _NAME.match(text):
        text = _NAME.sub("", text, count=1)
    return text


def _without_layout(text: str) -> str:
    text = _WORDS.sub(_word, text[:MAX_LENGTH].strip())
    for layout, instead in _PLAIN:
        text = re.sub(layout, instead, text)
    text = _UNITS.sub("", text.strip())
    return _GROUPS.sub(lambda m: m[0].replace(",", ""), text.strip())


def _word(match: re.Match[str]) -> str:
    """Return the content of a font command, or nothing if that is a unit after a number."""
    content = match[1].strip()
    return " " if units_named(f"{content}{match[2] or ''}") else match[0]


def _same_matrix(first: str, second: str) -> bool | None:
    """Return whether two matrices are equal; None if there is none."""
    layout = [re.sub(r"\\(?:left|right)(?![a-zA-Z])|\$", "", text) for text in (first, second)]
    layout = [_NAME.sub("", text[:MAX_LENGTH], count=1) for text in layout]
    a, b = matrix_in(layout[0]), matrix_in(layout[1])
    if a is None and b is None:
        return None
    for matrix, other, term in ((a, b, second), (b, a, first)):
        if matrix is not None and matrix.is_determinant:
            value = determinant(matrix.rows)
            return same_math(value, determinant(other.rows) if other else term)
        if matrix is not None and other is None:
            kind, parts = _parts(plain_math(term))
            is_like = matrix.is_vector and kind in ("()", "[]")
            return is_like and _all_same(matrix.cells, tuple(parts))
    return bool(a and b and len(a.rows) == len(b.rows) and _all_same(a.cells, b.cells))


def _all_same(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    return len(first) == len(second) and all(map(same_math, first, second))


def _spread(text: str) -> str:
    """Return a term with `±` as two terms."""
    if "±" not in text:
        return text
    return f"{text.replace('±', '+')}, {text.replace('±', '-')}"


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
            return straight or (sign == "=" and _same_equation(sides_a, sides_b))
        if sign in a or sign in b:
            return False
    return same_term(a, b)


def _same_equation(first: list[str], second: list[str]) -> bool:
    """Return whether two equations are the same one, perhaps with terms on the other side."""
    if all(map(same_term, first, second[::-1])):
        return True
    differences = [f"({sides[0]})-({sides[1]})" for sides in (first, second)]
    return len(first) == 2 and same_equation(*differences)


def _same_interval(a: str, b: str) -> bool:
    """Return whether two inequalities or intervals hold for the same values."""
    first, second = _interval(a), _interval(b)
    if first is None or second is None or (first[0], first[3]) != (second[0], second[3]):
        return False
    return same_math(first[1], second[1]) and same_math(first[2], second[2])


def _interval(text: str) -> tuple[str, str, str, str] | None:
    """Return bracket, lower end, upper end and bracket of an inequality or interval."""
    kind, parts = _parts(text)
    if kind and len(parts) == 2 and kind != "{}":
        return kind[0], parts[0].removeprefix("+"), parts[1].removeprefix("+"), kind[1]
    sides = re.split(r"([<>]=?)", text)
    if len(sides) == 3 and _VARIABLE.fullmatch(sides[2]):
        sides = [sides[2], sides[1].translate(_TURNED), sides[0]]
    if len(sides) == 3 and _VARIABLE.fullmatch(sides[0]):
        is_closed = "=" in sides[1]
        if sides[1][0] == "<":
            return "(", "-inf", sides[2], "]" if is_closed else ")"
        return "[" if is_closed else "(", sides[2], "inf", ")"
    if len(sides) == 5 and _VARIABLE.fullmatch(sides[2]) and sides[1][0] == sides[3][0]:
        low, sign, _, sign2, high = sides if sides[1][0] == "<" else sides[::-1]
        return "[" if "=" in sign else "(", low, high, "]" if "=" in sign2 else ")"
    return None
