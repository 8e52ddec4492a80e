"""Extractors with the same results as those of OpenCompass and AISBench.

lve's own, which understand more notations, are in `lve.checkers.extract`: `options.py` and
`first_or_last_number.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

MISSING_TAG = "NO ANSWER FOUND"
"""Upstream's result if the tag doesn't occur."""

_OPTION_PATTERNS = Path(__file__).with_name("options.txt").read_text(encoding="utf-8").splitlines()
"""Patterns in upstream's order. `<a|b>` stands for two patterns in this order, `@` for a letter,
`#` for a `boxed{letter}` that follows, `!` for the rest of the sentence up to a space."""
_CUSHION = (r"@:", r"@")


def first_option(text: str, *, options: str = "ABCD", cushion: bool = True) -> str:
    """The option that upstream's `first_option_postprocess` finds.

    Args:
        text: an answer.
        options: the letters of the options.
        cushion: whether any letter counts if no phrase names one.
    """
    text = text.strip()
    is_ascii = text.isascii()
    for shape, needs_more in _shapes(options, cushion):
        if needs_more and is_ascii:
            continue
        letter = _matched_option(shape, text, options)
        if letter:
            return letter
    return ""


def first_number(text: str) -> str:
    """The number that upstream's `first_number_postprocess` finds, a float."""
    match = re.search(r"-?\d*\.?\d+", text)
    if match is None:
        return ""
    value = float(match[0])
    return str(int(value)) if value.is_integer() else repr(value)


def xml_tag(text: str, *, tag: str) -> str:
    """The content of the last `<tag>...</tag>`, like upstream's `xml_tag_postprocessor`."""
    name = tag.strip("<>/")
    opening, closing = f"<{name}>", f"</{name}>"
    last, place = MISSING_TAG, 0
    while (start := text.find(opening, place)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        last, place = text[start + len(opening) : end].strip(), end + len(closing)
    return last


@lru_cache(maxsize=64)
def _shapes(options: str, cushion: bool) -> tuple[tuple[str, bool], ...]:
    """Return the patterns to try, each with whether it can only match texts that are not ASCII."""
    shapes = [alternative for shape in _OPTION_PATTERNS for alternative in _alternatives(shape)]
    letters = re.escape(options)
    candidates = [*shapes, *_CUSHION] if cushion else shapes
    # Characters in brackets or before `?` are optional, so they don't count here.
    return tuple(
        (
            shape.replace("[@]", f"[{letters}]").replace("@", f"([{letters}])"),
            not re.sub(r"\[.*?\]|.\?", "", shape).isascii(),
        )
        for shape in candidates
    )


def _alternatives(shape: str) -> Iterator[str]:
    before, opened, rest = shape.partition("<")
    if not opened:
        yield shape
        return
    inner, _, after = rest.partition(">")
    for choice in inner.split("|"):
        yield f"{before}{choice}{after}"


def _matched_option(shape: str, text: str, options: str) -> str:
    """Return the first option in the text that a pattern's first match selects."""
    if shape.endswith("!"):
        selected = _rest_of_sentence(re.compile(shape[:-1]), text)
    elif shape.endswith("#"):
        selected = _boxed_after(re.compile(shape[:-1]), text, options)
    else:
        match = re.search(shape, text, re.DOTALL)
        selected = (match[1] or match[0]) if match else ""
    return next((letter for letter in options if letter in selected), "")


def _rest_of_sentence(start: re.Pattern[str], text: str) -> str:
    """Return the same text as upstream's `(\\S+)(?:。|$)`, but in linear time."""
    place = 0
    while match := start.search(text, place):
        begin = match.end()
        run = re.compile(r"\S*").match(text, begin)
        end = run.end() if run else begin
        if begin < end == len(text):
            return text[begin:]
        stop = text.rfind("。", begin + 1, end)
        if stop > 0:
            return text[begin:stop]
        place = max(end, match.start() + 1)
    return ""


def _boxed_after(start: re.Pattern[str], text: str, options: str) -> str:
    match = start.search(text)
    boxed = match and re.compile(rf"boxed{{([{re.escape(options)}])}}").search(text, match.end())
    return boxed[1] if boxed else ""


EXTRACTORS: Mapping[str, Callable[..., str]] = {
    "first-number": first_number,
    "first-option": first_option,
    "xml-tag": xml_tag,
}
"""lve's name -> the function."""
