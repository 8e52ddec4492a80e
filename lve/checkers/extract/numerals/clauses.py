"""Finds the part of a sentence that can state its number: not a condition, a range, a comparison or
a denial."""

from __future__ import annotations

import re
from functools import lru_cache

from lve.checkers.extract.numerals.quantities import Quantity
from lve.checkers.shape.characters import lowered

_RANGE = re.compile(
    r"(?i)\b(?:between|zwischen|entre)\s+\S{1,20}\s+(?:and|und|et|y|e)\s+\S*\d\S*"
    r"|(?<![\d.,-])-?\d[\d.,]*\s?(?:-|to|bis)\s?\d[\d.,]*(?=\W|$)"
)
_DASH = re.compile(r"(?<=\d)-(?=\d)")
_RANGE_END = re.compile(r"\d(?:(?<=[-osOS].)|(?<=[-osOS]\s.))")
_RANGE_STARTS = ("tween", "ischen", "ntre")
"""In each text with a range is one of them."""
_NOT = re.compile(
    r"(?i)\b(?:(?:more|greater|higher|larger|bigger|less|fewer|lower|smaller) than\s+$)"
    r"|\b(?:not|isn't|is not|nicht|no longer|rather than|instead of|no es"
    r"|(?:ca|wo|could|would|should)n't (?:be|equal)|cannot (?:be|equal)|(?:was|does)n't(?: equal)?"
    r"|n'est pas|no (?:son|fue|eran)|non (?:è|sono|erano))\s+(?:\w+\s+){0,1}$"
    r"|(?<!\w)(?:pas|não|non|не|nie|niet|inte|ikke)\s+$|(?:不是|并非)\s?$"
)
_NOT_AFTER = re.compile(
    r"[\d.,]*(?:[^\d、。，,]{0,6}(?:では|じゃ)(?:な|あり?ま)|[^\d。，,]{0,4}[이가] ?아[니닙])"
)
"""After a number that is denied."""
_NEGATIONS = re.findall(
    "[^|]+", "than|n't|not|nicht|no |instead|不是|并非|pas |não |non |не |nie |niet |inte |ikke "
)
"""One of them is in each text that fits."""
_UNKNOWN = re.compile(
    r"(?i)\b(?:(?:don|can)'t|do not|cannot|could not|couldn't|unable to|not able to"
    r"|(?:(?:don't|do not) have|not|isn't|no) (?:enough |sufficient )?information to)"
    r" (?:really )?(?:know|tell|say|(?:be )?(?:determine|calculate|compute)d?)\b"
    r"(?:(?!.*(?:\b(?:but|however|yet)\b|[:;=]))"
    r"|(?= (?:how|what|which)\b)(?!.*\b(?:but|however|yet)\b(?!(?: \w+){0,2} \w+n't)))"
)
_CONDITION = re.compile(
    r"(?<=\s)(?:when|whenever|if|where|because|since|assuming|given|as long as|wenn|weil|si"
    r"|car|to reach|in order to|from(?! (?:before|above|earlier))|at(?= \w\s*=))(?=\s)"
)
_ADJUNCT = re.compile(
    r"(?<=\s)(?:after|before|including|excluding|with(?= (?:an?|the|its|\d+ ?%))|without|despite"
    r"|nach|vor|inklusive|(?:in[ck]l|ex[ck]l|zzgl)\.?|zuzüglich|dont|plus(?= \d+ ?%)"
    r"|après|después de|incluyendo)(?=\s)"
)
"""The rest of a sentence that only says when or with what: "$80 after a 20% discount"."""
_BESIDE = re.compile(
    r"(?i)[,;(] ?(?:while|whereas|although|though|even though|even if|compared (?:to|with)|unlike"
    r"|as opposed to|versus|während|wohingegen|obwohl|tandis que|alors que|bien que|même si"
    r"|mientras|aunque|mentre|anche se|а было|а раньше|enquanto|embora|terwijl|hoewel|хотя"
    r"|тогда как)(?![\w'])"
)
"""Where a sentence goes on with something that its statement is only compared with."""
_GOES_ON = re.compile(r"[,:]|(?<= )(?:so|it means) ")
"""Where a condition ends before an equation: "since 20 fit, she sold 6 x 20 = 120"."""
_DETAILS = re.compile(r":\s+(?:\w+\s+){0,2}\d+(?:, \d+)*,? and \d+(?![.,]?\d)")
"""Details of a number: "3 of them: at 3, 8 and 9"."""
EQUALS = re.compile(r"=>?|≈|→|->|⇒|\\(?:Rightarrow|to|implies|rightarrow)\b")
VERB = re.compile(
    r"(?<![\w'])(?:is|are|was|were|be|it's|that's|gives|give|giving|get|gets|equals|equal to"
    r"|makes|made|making|leaves|leaving"
    r"|has|have|had|costs?|total(?:s|ing|led|:| of)|sum of|contains|yields?|becomes?|returns?"
    r"|obtain|remain(?:s|ing)?|namely|i\.e\.|therefore|so|thus|hence"
    r"|ist|sind|macht|ergibt|beträgt|kostet|also|est|sont|font|fait|coûte|donc|es|son|cuesta|è"
    r"|sono|fa|costa|é|är|jest)(?![\w'])|是|为|等于|得|共|有|は|が|：|:(?=\s)"
)
"""In a text in lower case."""


def main_clause(text: str, numbers: list[Quantity]) -> tuple[str, list[Quantity]]:
    """Return a sentence without its details and condition, and the numbers in the rest."""
    if ":" in text and (sum_of_parts := before_parts(text, numbers)):
        text, numbers = text[: text.rindex(":", 0, numbers[len(sum_of_parts)].start)], sum_of_parts
    details = _DETAILS.search(text) if ":" in text else None
    if details is not None and VERB.search(lowered(text), 0, details.start()):
        before = [n for n in numbers if n.end <= details.start()]
        if before:
            text, numbers = text[: details.start()], before
    first = numbers[0].end
    beside = _BESIDE.search(text, first)
    before = [n for n in numbers if n.end <= beside.start()] if beside else []
    if beside and before:
        text, numbers = text[: beside.start()], before
    for match in _CONDITION.finditer(lowered(text), first):
        before = [n for n in numbers if n.end <= match.start()]
        equals = EQUALS.search(text, match.end()) if before else None
        if before and not (equals and _GOES_ON.search(text, match.end(), equals.start())):
            return text[: match.start()], before
    if len(numbers) == 1:
        return text, numbers
    end_of_clause = max(first, *map(text.rfind, ",;:="))  # an adjunct has none of these
    adjunct = _ADJUNCT.search(lowered(text), end_of_clause, numbers[-1].start)
    before = [n for n in numbers if n.end <= adjunct.start()] if adjunct else []
    if adjunct and before and not VERB.search(lowered(text), adjunct.start()):
        text, numbers = text[: adjunct.start()], before
    return text, numbers


def before_parts(text: str, numbers: list[Quantity]) -> list[Quantity]:
    """Return the numbers before a colon if those after it add up to the last of them: "18 apples:
    12 red and 6 green"; nothing if they don't."""
    colon = text.rfind(":", 0, numbers[-1].start)
    before = [n for n in numbers if n.end <= colon]
    parts = [n.values[0] for n in numbers[len(before) :] if n.values]
    is_sum = len(parts) > 1 and "=" not in text and before and sum(parts) == before[-1].values[0]
    return before if is_sum else []


def is_negated(text: str, place: int) -> bool:
    """Return whether what stands before a place of a text denies the number there."""
    if not text.isascii() and _NOT_AFTER.match(text, place) is not None:
        return True
    if not may_negate(text):
        return False
    return _NOT.search(text[max(0, place - 40) : place].rstrip() + " ") is not None


@lru_cache(maxsize=4)
def may_negate(text: str) -> bool:
    """Return whether a text may deny something."""
    return any(map(f"{text} ".lower().__contains__, _NEGATIONS))


def is_unknown(text: str) -> bool:
    """Return whether a text says that it doesn't know a number."""
    lower = text.lower()
    may_deny = "n't" in lower or "not" in lower or "unable" in lower or "no " in lower
    return may_deny and _UNKNOWN.search(text) is not None


def without_ranges(text: str) -> str:
    """Return a text without its ranges ("3 to 5"), which are no numbers."""
    if not (_RANGE_END.search(text) or any(map(text.lower().__contains__, _RANGE_STARTS))):
        return text
    return _RANGE.sub(lambda m: m[0] if _is_no_range(text, m) else " … ", text)


def ranges_in(text: str) -> list[str]:
    """Return the ranges of a text: "between 3 and 5", "3-5"."""
    return [_DASH.sub(" - ", m[0]) for m in _RANGE.finditer(text) if not _is_no_range(text, m)]


def _is_no_range(text: str, match: re.Match[str]) -> bool:
    """Return whether an apparent range is a difference (`5 - 3 = 2`) or a date."""
    rest = text[match.end() : match.end() + 4]
    before = text[: match.start()].rstrip()
    return (
        "=" in rest or rest.startswith("-") or before.endswith(("=", "+", "*", "from", "von", "de"))
    )
