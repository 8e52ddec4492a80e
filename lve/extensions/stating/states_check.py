"""The check of what an answer states: it mentions much that it denies, doubts or takes back."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import ClassVar

from lve import regexes
from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.library.texts.patterns import PatternCheck
from lve.checkers.search import search
from lve.checkers.shape.answer_parts import shaped
from lve.checkers.shape.patterns import pattern
from lve.data_classes import dataclass
from lve.escape import quoted

MAX_MATCHES = 100
"""The most matches of a pattern that are looked at."""
_REACH = 200
"""How many characters on each side of a match are read."""
_ENDS = re.compile(pattern("clause_ends"))
_DENIES = re.compile(pattern("denies"))
"""Before a match in its clause."""
_DENIED = re.compile(pattern("denied"))
"""After a match in its clause."""
_DENIED_LATER = re.compile(pattern("denied_later"))
_DOUBTED_LATER = re.compile(pattern("doubted_later"))
"""After a match in its sentence: "which is wrong", "but I'm not sure"."""
_DOUBTS = re.compile(pattern("doubts"))
_OFFERS = re.compile(pattern("offers"))
"""Before a match that is one of several alternatives."""
_OFFERED = re.compile(pattern("offered"))
_BETWEEN = re.compile(r"(?i)\W+(?:or|oder)\W+")
_DECLINES = re.compile(pattern("declines"))
"""Anywhere: "I don't know"."""


def statement(answer: str, regex: regexes.Pattern, alternatives: bool) -> tuple[str | None, str]:
    """Return what a pattern first matches in what an answer states, and why it matches nothing.

    Args:
        answer: the answer. Its reasoning, and what a correction takes back, is left out.
        regex: the pattern.
        alternatives: whether a match may stand beside alternatives, or in an answer that declines
            something.

    Raises:
        LimitError: the search takes too long.
    """
    shape = shaped(answer)
    text = shape.strong[0].text if shape.strong else shape.plain[shape.corrected_from :]
    declines = not alternatives and _DECLINES.search(text)
    cuts = [0, *(end for cut in _ENDS.finditer(text) for end in cut.span()), len(text)]
    why = "doesn't occur in the answer"
    for start, end in _spans(regex, text):
        clause = cuts[bisect_right(cuts, start) - 1], cuts[bisect_left(cuts, end)]
        why = _objection(text, (start, end), clause, alternatives)
        if not (why := why or ("is in an answer that declines to say it" if declines else "")):
            return text[start:end], ""
    return None, why


def _spans(regex: regexes.Pattern, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a pattern matches. Alternatives that all match are one: "112 or 911"."""
    spans: list[tuple[int, int]] = []
    start = 0
    while len(spans) < MAX_MATCHES and (match := search(regex, text, start)) is not None:
        is_another = bool(spans) and _BETWEEN.fullmatch(text, spans[-1][1], match.start())
        spans.append((spans.pop()[0] if is_another else match.start(), match.end()))
        start = max(match.end(), start + 1)
    yield from spans


def _objection(
    text: str, match: tuple[int, int], clause: tuple[int, int], alternatives: bool
) -> str:
    """Return why the words around a match don't let it be stated; empty if they do."""
    before = text[max(clause[0], match[0] - _REACH) : match[0]]
    after = text[match[1] : min(clause[1], match[1] + _REACH)]
    if text[clause[1] : clause[1] + 3].strip().startswith("?"):
        return "is only asked"
    rest = text[match[1] : match[1] + _REACH]
    if _DENIES.search(before) or _DENIED.match(after) or _DENIED_LATER.match(rest):
        return "is denied"
    if _DOUBTS.search(before) or _DOUBTS.search(after) or _DOUBTED_LATER.match(rest):
        return "is doubted"
    is_offered = not alternatives and (_OFFERS.search(before) or _OFFERED.match(after))
    return "is one of several alternatives" if is_offered else ""


@dataclass(frozen=True, slots=True)
class States(PatternCheck):
    """Passes if the answer states what the pattern matches: a match that it denies, doubts, asks,
    offers beside an alternative or takes back doesn't count.

    Its clause decides, in English and in part in German. For a number, an option or a label,
    `number`, `option` and `choice` read more closely.
    """

    tier: ClassVar = "expr"

    states: str
    """The pattern, in Python's `re` syntax. Literal braces are doubled: `[0-9]{{2,6}}`. It doesn't
    see Markdown, and apostrophes are straight."""
    flags: str = "I"
    """As in `regex`; by default, upper and lower case are equal."""
    alternatives: bool = False
    """Whether it may stand beside alternatives ("112 or a doctor"), or in an answer that declines
    something ("I can't say why")."""

    examples: ClassVar = (
        CheckExample(
            {"states": "blue (jar|pot)"},
            ("In the **blue jar**.", "Not in the piano, in the blue pot.", "Red? No, a blue jar."),
            ("It isn't in the blue jar.", "The blue jar or the piano.", "I don't know. Blue jar?"),
        ),
    )

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        text, why = statement(response, self.compiled(), self.alternatives)
        if text is None:
            return judged(False, f"{quoted(self.states)} {why}")
        return judged(True, f"states {quoted(text)}")
