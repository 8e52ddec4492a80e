"""Finds out whether the words around a label are for it or against it.

Words decide, not sentences: what calls something right or wrong, what negates it, what names the
answer, and what only supposes or concedes something.
"""

from __future__ import annotations

import re

from lve.checkers.shape.characters import lowered
from lve.checkers.shape.patterns import pattern

_JUDGED = re.compile(pattern("judged"), re.IGNORECASE)
_HEADED = re.compile(pattern("headed"), re.IGNORECASE)
"""A heading before a list: "Incorrect: B, D", "✅ A"."""
_REJECTED = re.compile(pattern("rejected"), re.IGNORECASE)
_SUPPOSED = re.compile(pattern("supposed"), re.IGNORECASE)
_CONFIRMED = re.compile(pattern("confirmed"))
"""After a label that others are said to choose: "and they'd be right"."""
_NAMED = re.compile(pattern("named"), re.IGNORECASE)
_KEY = re.compile(pattern("key"), re.IGNORECASE)
"""A key at the beginning of a line, before a label: "Severity: high"."""
_CONCLUDES = re.compile(pattern("clause_concludes"))
_BESIDE = re.compile(pattern("said_after_label"))
"""After a label, what doesn't judge it: "B, right?", "B (not C)"."""
_BUT = re.compile(pattern("clause_contrasts"))
_ONLY = re.compile(r"(?i)(?<!\w)only\W*$")
_TOO = re.compile(r"(?i)(?<!\w)(?:as well|too|also)(?!\w)")
_UNREAL = re.compile(r"(?i)[^|]*\|[\s\"')]*\?|[^|]*(?:would|might) be\W*\|\s*(?:only )?if\b")
_OF_A_CLAUSE = re.compile(pattern("of_a_clause"))
_SCOPE = re.compile(pattern("scope"))
"""What denies or asks for what follows."""
_ATTITUDE = re.compile(pattern("attitude"))
_DURING = re.compile(r"(?i)(?<!\w)(?:for|in|since|after|until|by)(?: \w+)? \W*\Z")
_VERB = re.compile(pattern("verb"))
ALL_BUT = re.compile(pattern("except"))
_CHANCE = re.compile(pattern("chance"))
_HYPOTHETICAL = re.compile(pattern("hypothetical"))
"""After a label: "B would be right if it were winter"."""
NAMED, RIGHT, NEITHER, WRONG = 2, 1, 0, -1


def stance(before: str, after: str) -> int:
    """Return a clause's stance on a label.

    Args:
        before: the clause up to the label.
        after: the rest of the clause, up to the next label.

    Returns:
        `NAMED` as the answer, called `RIGHT` or `WRONG`, or `NEITHER`.
    """
    if excepted := ALL_BUT.search(before):  # "All except B are wrong", "Remove all but B"
        return NAMED if excepted["out"] or _judged(after) == WRONG else WRONG
    if _SUPPOSED.search(before) and not _REJECTED.search(before) and _CONFIRMED.match(after):
        return NAMED
    if _REJECTED.search(before) or _SUPPOSED.search(before) or _UNREAL.match(f"{before}|{after}"):
        return WRONG
    if (chance := _CHANCE.search(f"{before} {after}")) is not None:
        is_likely = int(chance["percent"]) > 50
        return WRONG if is_likely is bool(chance["wrong"]) else NAMED
    if is_in_denial(before) or _HYPOTHETICAL.match(after):
        return WRONG
    if is_of_clause(before, after):
        return NEITHER
    judged = _judged(_BESIDE.sub("", after))
    if _NAMED.search(before):
        return NAMED if judged != WRONG or _KEY.match(before) or after.startswith(": ") else WRONG
    if _CONCLUDES.match(before) and judged != WRONG:
        return NAMED
    if judged != NEITHER:
        is_contrast = judged == RIGHT and _BUT.match(before) and not _TOO.search(after)
        return NAMED if is_contrast or (_ONLY.search(before) and judged == RIGHT) else judged
    if headed := _HEADED.search(before):
        return RIGHT if headed["right"] else WRONG
    return RIGHT if _KEY.match(before) else NAMED if _ONLY.search(before) else NEITHER


def is_in_denial(before: str) -> bool:
    """Return whether what stands before something denies or asks for it: "They didn't agree on",
    "I don't think it's", "how many of the"."""
    scope = _SCOPE.search(before)
    if scope is None or scope["scope"] is None:
        return scope is not None
    if _ATTITUDE.match(scope["scope"]):
        return True
    return not (_VERB.search(lowered(scope["scope"])) or _DURING.search(scope["scope"]))


def is_of_clause(before: str, after: str) -> bool:
    """Return whether a label says something of the clause after it: "It is true that ..."."""
    return _OF_A_CLAUSE.match(f"{before[-12:].strip()}|{after}") is not None


def _judged(after: str) -> int:
    """Return what the words after a label say of it; the first that judges decides."""
    weak = NEITHER
    for word in _JUDGED.finditer(after):
        if word["right"] or word["wrong"]:
            return RIGHT if (word["right"] is None) is bool(word["not"]) else WRONG
        if word["almost"] or word["plain_not"]:
            weak = WRONG
        elif weak == NEITHER:
            weak = RIGHT
    return weak
