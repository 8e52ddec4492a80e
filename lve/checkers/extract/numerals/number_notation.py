"""Removes notation around numbers that has no meaning, and turns "below zero" into a sign."""

from __future__ import annotations

import re

from lve.checkers.extract.quantities.quantity import quantities_in
from lve.checkers.shape.patterns import pattern

_LATEX = re.compile(pattern("latex"), re.VERBOSE)
_MATH = re.compile(r"\$\$|(?<!\\)\$(?=\S)([^$\n]*[^\s$\\])\$(?!\d)")
"""The marks of LaTeX formulas. Other dollar signs are money."""
_SIGNS = {"degree": "°", "close": "≈", "pm": "±", "dot": "·", "micro": "μ", "ohm": "Ω"}
_AND_A_HALF = re.compile(pattern("and_a_half"))
"""An amount whose half comes last: "an hour and a half"."""
_MARGIN = re.compile(pattern("margin"))
"""How far off an amount may be: "75 km, give or take 5 km"."""
_SPREAD = re.compile(pattern("spread"))
_BELOW_ZERO = re.compile(pattern("below_zero"))
_STARS = re.compile(r"([★⭐🌟]{2,10})(?:[ ]?(1/2))?[☆✩✰]*|[★⭐🌟][ ]?(1/2)?[☆✩✰]+")
"""A rating in stars; a single one that no empty star follows is an ornament."""
_NOTES = re.compile(r"\[\^\w{1,20}\]")
"""Marks of footnotes."""
_FIRST_MARK = re.compile(r"[ \t]*(?:[-*•][ \t]+)?\d{1,2}[.)][ \t]+(?=\S)")
_LIST_MARK = re.compile(pattern("list_mark"))
"""The number of an item in a list: `1.` or `1)`."""


def cleaned(text: str) -> str:
    """Return a statement without LaTeX layout, marks of footnotes and numbers of list items, with
    "below zero" as a sign and stars as their number."""
    if "★" in text or "⭐" in text or "🌟" in text:
        text = _STARS.sub(_rating, text)
    if "[^" in text:
        text = _NOTES.sub("", text)
    if text.count("$") > 1:
        text = _MATH.sub(r" \1 ", text)
    if "\\" in text or "{" in text:
        text = _LATEX.sub(_plain, text)
    if " and a half" in text:
        text = _AND_A_HALF.sub(_half_more, text)
    if "±" in text:
        text = _SPREAD.sub(r"\1", text)
    if " or " in text:
        text = _MARGIN.sub("", text)
    if "below zero" in text:
        text = _BELOW_ZERO.sub(_negative, text)
    return _without_list_marks(text) if "1." in text or "1)" in text else text


def has_list_mark(text: str) -> bool:
    """Return whether a sentence begins with the number of a list item: `2.` or `2)`."""
    return _FIRST_MARK.match(text) is not None


def is_item(line: str) -> bool:
    """Return whether a line is an item of a list, or belongs to the one before."""
    return line[0] in " \t-*•" or has_list_mark(line)


def without_list_mark(text: str) -> str:
    """Return a sentence without the number of a list item that it begins with."""
    return _FIRST_MARK.sub("", text)


def _plain(match: re.Match[str]) -> str:
    if match["mark"]:
        return match["mark"]
    if match["content"] is not None:
        return f" {match['content']}" if match["power"] is not None else f" {match['content']} "
    if match["escaped"]:
        return match["escaped"]
    kind = match.lastgroup
    if kind in _SIGNS:
        return _SIGNS[kind]
    return "," if match["comma"] or match[0].startswith(",") else " "


def _without_list_marks(text: str) -> str:
    """Return a text without the numbers of list items, if there are an item 1 and an item 2."""
    numbers = {int(mark[2]) for mark in _LIST_MARK.finditer(text)}
    return _LIST_MARK.sub(r"\1", text) if {1, 2} <= numbers else text


def _rating(stars: re.Match[str]) -> str:
    return f" {len(stars[1] or '★')}{'.5' if stars[2] or stars[3] else ''} "


def _half_more(match: re.Match[str]) -> str:
    count = "one" if match[1].lower() in ("a", "an") else match[1]
    return f"{count} and a half {match[2]}"


def _negative(match: re.Match[str]) -> str:
    return f"minus {match[1]}{match[2] or ''}" if quantities_in(match[1]) else match[0]
