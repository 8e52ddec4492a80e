"""Answers in LaTeX boxes, and plain writing of them, as upstream's data set MATH has it."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BOX, _FBOX = "\\boxed", "\\fbox"
_SPELLINGS = (
    *(("an ", ""), ("a ", ""), (".$", "$"), ("\\$", ""), ("\\ ", ""), (" ", "")),
    *(("mbox", "text"), (",\\text{and}", ","), ("\\text{and}", ","), ("\\text{m}", "\\text{}")),
    ("\\le", "<"),
)
_LEFT_OUT = (
    *("square", "ways", "integers", "dollars", "mph", "inches", "ft", "hours", "km", "units"),
    *("\\ldots", "sue", "points", "feet", "minutes", "digits", "cents", "degrees", "cm", "gm"),
    *("pounds", "meters", "meals", "edges", "students", "childrentickets", "multiples"),
    *("\\text{s}", "\\text{.}", "\\text{\ns}", "\\text{}^2", "\\text{}^3", "\\text{\n}"),
    *("\\text{}", "\\mathrm{th}", "^\\circ", "^{\\circ}", "\\;", ",\\!", "{,}", '"', "\\dots"),
    *("\n", "\r", "\f"),
)
"""Words and marks that don't count: those of the appendix of Minerva's paper (arXiv:2206.14858)."""
_WRAPPERS = (
    re.compile(r"\\text\{\((.*?)\)\}"),
    *(re.compile(rf"\\{name}\{{(.*?)\}}") for name in ("text", "textbf", "overline")),
    re.compile(r"\\boxed\{(.*)\}"),
)
_SAID = (
    re.compile(r"finalansweris(.*)"),
    re.compile(r"answer?is:?(.*)"),
    re.compile(r"oxed\{(.*?)\}"),
    re.compile(r"\$(.*?)\$"),
)


def boxed_answer(text: str, *, unwrap: bool) -> str | None:
    """Return the content of the last box; None without one that is closed and begins as a box does.

    Args:
        text: the answer.
        unwrap: whether `{x}` inside the box is `x`.
    """
    start = text.rfind(_BOX)
    if start < 0:
        start = text.rfind(_FBOX)
    if start < 0:
        return None
    end = _closing(text, start)
    opening = f"{_BOX}{{"
    if end is None or not text.startswith(opening, start):
        return None
    content = text[start + len(opening) : end]
    inner = re.match(r"\{(.*)\}$", content) if unwrap else None
    return inner[1] if inner else content


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for brace in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0 and brace[0] == "}":
            return brace.start()
    return None


def normal_answer(answer: str) -> str:
    """Return an answer without spaces, units, words and LaTeX that only dresses it."""
    for before, after in _SPELLINGS:
        answer = answer.replace(before, after)
    for part in _LEFT_OUT:
        answer = answer.replace(part, "")
    for wrapper in _WRAPPERS:
        answer = wrapper.sub(lambda found_in: found_in[1], answer)
    for response in _SAID:
        if parts := response.findall(answer):
            answer = parts[-1]
    answer = answer.strip()
    if "rac" in answer and "\\frac" not in answer:
        answer = answer.replace("rac", "\\frac")
    answer = re.sub(r"frac([^{])(.)", r"frac{\1}{\2}", answer)
    answer = re.sub(r"sqrt([^{])", r"sqrt{\1}", answer).replace("$", "")
    digits = answer.replace(",", "")
    return digits if digits.isdigit() else answer


def same_answer(answer: object, reference: object, *, version: str) -> bool:
    """Return whether two answers are the same once they are written plainly, as upstream's
    MATHEvaluator (`v1` or `v2`) finds."""
    if answer is None or reference is None:
        return answer is reference
    if isinstance(answer, str) and isinstance(reference, str):
        plain = _plain_1 if version == "v1" else _plain_2
        try:
            pair = plain(answer), plain(reference)
            if pair[0] == pair[1] or normal_answer(pair[0]) == normal_answer(pair[1]):
                return True
        except (ValueError, IndexError):
            pass
        if normal_answer(answer) == normal_answer(reference):
            return True
    return answer == reference


def _replaced(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    for before, after in pairs:
        text = text.replace(before, after)
    return text


_FRACTIONS = (("tfrac", "frac"), ("dfrac", "frac"), ("\\left", ""), ("\\right", ""))
_DEGREES = (("^{\\circ}", ""), ("^\\circ", ""))
_LEADING_ZERO = ((" .", " 0."), ("{.", "{0."))


def _plain_1(text: str) -> str:
    """Return a text in upstream's first plain writing.

    Raises:
        ValueError, IndexError: it has no plain writing.
    """
    text = _replaced(text, (("\n", ""), ("\\!", ""), ("\\\\", "\\"), *_FRACTIONS, *_DEGREES))
    text = text.replace("\\$", "")
    if "\\text{ " in text:  # a unit
        text, _ = text.split("\\text{ ")
    text = _replaced(text, (("\\%", ""), *_LEADING_ZERO))
    if not text:
        return text
    text = _right_side(text)
    first, *roots = text.split("\\sqrt")
    for root in roots:
        first += "\\sqrt" + (root if root[0] == "{" else f"{{{root[0]}}}{root[1:]}")
    text = _braced_fractions(first.replace(" ", ""))
    return _slashed("\\frac{1}{2}" if text == "0.5" else text)


def _plain_2(text: str) -> str:
    """Return a text in upstream's second plain writing.

    Raises:
        ValueError: it has none.
    """
    text = text.strip().replace("\n", "").rstrip(".")
    pairs: Sequence[tuple[str, str]]
    pairs = (("\\!", ""), ("\\ ", ""), ("\\\\", "\\"), ("\\\\", "\\"), *_FRACTIONS)
    text = _replaced(text, pairs)
    without_unit = re.sub(r"\\text{.*?}$", "", text).strip()
    text = without_unit or text
    pairs = (
        *(*_DEGREES, ("\\$", ""), ("$", ""), ("\\text", ""), ("x\\in", ""), ("\\%", ""), ("%", "")),
        *(*_LEADING_ZERO, ("\\cdot", ""), ("infinity", "\\infty")),
    )
    text = _replaced(text, pairs)
    if "\\infty" not in text:
        text = text.replace("inf", "\\infty")
    text = _replaced(text, (("+\\inity", "\\infty"), ("and", ""), ("\\mathbf", "")))
    text = re.sub(r"\\mbox{.*?}", "", text)
    if "j" in text and "i" not in text:
        text = text.replace("j", "i")
    text = re.sub(r"(\d+)\.0+([^\d])", r"\1\2", text)
    text = re.sub(r"(\d+)\.0+$", r"\1", text)
    if not text:
        return text
    text = re.sub(r"\\sqrt(\w+)", r"\\sqrt{\1}", _right_side(text)).replace(" ", "")
    return _slashed(_braced_fractions(text))


def _right_side(text: str) -> str:
    """Return what a short name is equal to: `5` of `x=5`."""
    if text[0] == ".":
        text = f"0{text}"
    sides = text.split("=")
    return sides[1] if len(sides) == 2 and len(sides[0]) <= 2 else text


def _braced_fractions(text: str) -> str:
    """Return `\\frac12` as `\\frac{1}{2}`."""
    first, *parts = text.split("\\frac")
    for part in parts:
        if part.startswith("{"):
            first += f"\\frac{part}"
        elif len(part) < 2:
            return text
        else:
            below = part[1:] if part[1] == "{" else f"{{{part[1]}}}{part[2:]}"
            first += f"\\frac{{{part[0]}}}{below}"
    return first


def _slashed(text: str) -> str:
    """Return `1/2` as a fraction.

    Raises:
        ValueError: something else than whole numbers is divided.
    """
    sides = text.split("/")
    if len(sides) != 2:
        return text
    above, below = int(sides[0]), int(sides[1])
    return f"\\frac{{{above}}}{{{below}}}" if text == f"{above}/{below}" else text
