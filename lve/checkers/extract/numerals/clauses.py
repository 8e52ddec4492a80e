"""Finds the part of a sentence that can state its number: not a condition, a range, a comparison or
a denial."""

from __future__ import annotations

import re
from functools import lru_cache

from lve.checkers.extract.numerals.quantities import Quantity
from lve.checkers.extract.stances import RIGHT_WORD, WRONG_WORD
from lve.checkers.shape.characters import lowered

_RANGE = re.compile(
    r"(?i)\b(?:(?:between|zwischen|entre)\s+\S{1,20}\s+(?:and|und|et|y|e)"
    r"|(?:any|some)where from\s+\S{1,20}\s+to)\s+\S*\d\S*"
    r"|(?<![\d.,-])-?\d[\d.,]*\s?(?:-|to|bis)\s?\d[\d.,]*(?=\W|$)"
)
_HAN_RANGE = re.compile(r"在\S{1,20}?[到至和]\S{1,20}?之?间")
_DASH = re.compile(r"(?<=\d)-(?=\d)")
_RANGE_END = re.compile(r"\d(?:(?<=[-osOS].)|(?<=[-osOS]\s.))")
_RANGE_STARTS = ("tween", "ischen", "ntre", "where")
"""In each text with a range is one of them."""
_RIGHT = rf"(?:(?:the|my|our|a|quite)\s+)?(?:{RIGHT_WORD}|(?:answer|result|solution|case)(?!\w))"
_NOT = re.compile(
    r"(?i)\b(?:(?:more|greater|higher|larger|bigger|less|fewer|lower|smaller) than\s+$)"
    r"|\b(?:not|isn't|is not|nicht|no longer|rather than|instead of|no es"
    r"|(?:ca|wo|could|would|should)n't (?:be|equal)|cannot (?:be|equal)|(?:was|does)n't(?: equal)?"
    r"|n'est pas|no (?:son|fue|eran)|non (?:è|sono|erano))\s+(?:\w+\s+){0,1}$"
    r"|(?<!\w)(?:pas|não|non|не|nie|niet|inte|ikke|neither|nor|anything but"
    r"|(?:anything|everything|any number|all) (?:except|but)|(?:mehr|weniger) als|(?:plus|moins) de"
    r"|(?:más|menos) de|(?:più|meno) di|больше|меньше|более|менее)\s+$|(?:不是|并非)\s?$"
)
_SCOPE = re.compile(
    r"(?i)(?<![\w'])(?:(?:(?:do|does|did|would|ca|could|will|wo|should|has|have)n't|cannot|never"
    r"|(?:do|does|did|would|can|could|will|should|has|have) not|nobody|no one|i doubt"
    r"|(?:not|isn't) (?:\w+ )?(?:sure|certain|clear|true|the case))"
    r"(?P<scope> (?:(?! but )[^\d.,;:!?=])*)|how (?:many|much|far|long|old)(?!\w)[^\d.,;:!?=]*"
    r"|(?<!\w)whether [^\d.,;:!?=]*)\Z"
)
"""What denies or asks for the number after it: "They didn't agree on 40", "how many of the 12"."""
_ATTITUDE = re.compile(
    r"(?i) (?:(?:really|actually) )?(?:think|believe|say|claim|mean|agree|if|whether|that)(?!\w)"
    r"|(?i:\s*(?:it|the|that)(?!\w))"
)
_DURING = re.compile(r"(?i)(?<!\w)(?:for|in|since|after|until|by)(?: \w+)? \W*\Z")
_CALLED_WRONG = re.compile(
    rf"(?i)[,)\"']?\s*(?:(?:is|was|are|were|would be|must be|ist|sind|est|es|è)\s+(?:\w+ly\s+)?"
    rf"(?:{WRONG_WORD}|too\s+\w+|not\s+{_RIGHT})"
    rf"|(?:isn't|wasn't|aren't|(?:cannot|can't|can not|couldn't|could not) be)\s+{_RIGHT})"
)
_NOT_AFTER = re.compile(
    r"[\d.,]*(?:[^\d、。，,]{0,6}(?:では|じゃ)(?:な|あり?ま)|[^\d。，,]{0,4}[이가] ?아[니닙])"
)
"""After a number that is denied."""
_NEGATIONS = re.findall(
    "[^|]+",
    "than|n't|not|nicht|no |instead|不是|并非|pas |não |non |не |nie |niet |inte |ikke |neither|nor "
    "|except|but|als|de |di |больше|меньше|более|менее|never|nobody|doubt|how|whether|wrong"
    "|incorrect|false|falsch|faux|too ",
)
"""One of them is in each text that fits."""
_UNKNOWN = re.compile(
    r"(?i)\bbut not how (?:many|much)\b|\bcan(?:no|')t be (?:solved|answered)\b"
    r"|\b(?:isn't|is not|not|no) (?:enough|sufficient) (?:information|data)(?=[.:;,]|$)|\b(?:(?:don|can)'t|do not|cannot|could not|couldn't|unable to|not able to"
    r"|(?:(?:don't|do not) have|not|isn't|no) (?:enough |sufficient )?information to)"
    r" (?:really )?(?:know|tell|say|(?:be )?(?:determine|calculate|compute)d?)\b"
    r"(?:(?!.*(?:\b(?:but|however|yet)\b|[:;=]))"
    r"|(?= (?:how|what|which)\b)(?!.*\b(?:but|however|yet)\b(?!(?: \w+){0,2} \w+n't)))"
)
_CONDITION = re.compile(
    r"(?<=\s)(?:when|whenever|if|where|because|since|assuming|given|as long as|wenn|weil|si"
    r"|(?<=, )car|to reach|in order to|at(?= \w\s*=))(?=\s)"
)
_ADJUNCT = re.compile(
    r"(?<=\s)(?:after|before|including|excluding|with(?= (?:an?|the|its|\d+ ?%))|without|despite"
    r"|nach|vor|inklusive|(?:in[ck]l|ex[ck]l|zzgl)\.?|zuzüglich|dont|plus(?= \d+ ?%)"
    r"|après|después de|incluyendo)(?=\s)"
)
"""The rest of a sentence that only says when or with what: "$80 after a 20% discount"."""
_CLAUSE_END = re.compile(r",(?!\d)|[;:=]")
_DETERMINER = r"(?:the|an?|his|her|its|their|these|those|all|only|about|roughly|another|each|every)"
_PREPOSITION = re.compile(
    rf"(?i)(?<![\w'])(?:at|for|(?<!\b[mt]e )(?<!him )(?<![htm]er )(?<!them )(?<!you )(?<!us )"
    r"(?<!end )(?<!ends )(?<!ended )(?<!left )(?<!go )(?<!going )(?<!went )with|in|on|after|within|during|from|than|under|below|per|every|each"
    r"|against|vs\.?|versus|to (?!get|give|make|reach|obtain|yield|equal)[a-z]+|from\s\S+ to|für|mit|bei|nach|von|aus|pro|pour|avec|dans"
    r"|para|por|con|per|из|при|за)"
    rf" (?:{_DETERMINER} )*(?:\w+ of )?[\"'(*$€£]*\Z"
)
"""What makes a number a detail of the one before it."""
_BESIDE = re.compile(
    r"(?i)(?:[,;(]| -) ?(?:while|whereas|although|though|even though|even if|compared (?:to|with)|unlike"
    r"|as opposed to|versus|während|wohingegen|obwohl|tandis que|alors que|bien que|même si"
    r"|mientras|aunque|mentre|anche se|а было|а раньше|enquanto|embora|terwijl|hoewel|хотя"
    r"|тогда как|of (?:which|whom|them)|not counting|excluding|without|or(?= \S+(?: \w+)? (?:if|when)\b)"
    r"|(?:so|and|which|that)(?:'s| is| was)? (?:just |only |still )?(?:more|less|fewer|\w+er|under|over|below"
    r"|above)(?= (?:than )?(?:the |\d))|(?:which|that)(?:'s| is| was) \S+(?: \w+)? (?:more|less|fewer|\w+er)"
    r"|(?:at|for|with)(?= [$€£]?\d)|from (?=\S+ to \S*\d)"
    r"|[$€£]?\d[\d.,]*(?: \w+)? (?:of (?:which|whom|them)|more|less|fewer|\w+er)(?= than))"
    r"(?![\w'])|, [$€£]?\d[\d.,]*(?: \w+)? of (?:them|which|whom)(?!\w)(?![^,;]*\d)"
)
"""Where a sentence goes on with something that its statement is only compared with."""
_GOES_ON = re.compile(r"[,:]|(?<= )(?:so|it means) ")
"""Where a condition ends before an equation: "since 20 fit, she sold 6 x 20 = 120"."""
_DETAILS = re.compile(r":\s+(?:\w+\s+){0,2}\d+(?:, \d+)*,? and \d+(?![.,]?\d)")
"""Details of a number: "3 of them: at 3, 8 and 9"."""
_GIVEN = re.compile(
    r"(?i)\W*(?:with|for|when|if|where|given|at|using|since|as|because|let)(?!\w)[^=,.]*=(?:[^=,]|,(?=\d))*, "
)
"""A condition with an equation before what follows from it: "With r = 3, the area is 28"."""
_HEAD = re.compile(r"[^\w\s]*\d\S*(?: [^\W\d]\w*){1,3}: ")
"""A number and what is counted, before the details: "18 guests: 12 adults ..."."""
_WORD = re.compile(r"(?!and|und|et)[^\W\d_]{2}")
_INTRODUCES = re.compile(r"[:;,(=]|[ ]-[ ]|namely|i\.e\.")
_RESULTS = re.compile(r"[:;,(=]|\bor\b")
EQUALS = re.compile(r"=>?|≈|→|->|⇒|\\(?:Rightarrow|to|implies|rightarrow)\b")
_CONCLUDED = re.compile(
    rf"(?i){EQUALS.pattern}|(?<!\w)(?:so|thus|therefore|hence|total|altogether|together|in all|left|remain\w*"
    r"|leaving|gives|makes|which)(?!\w)|得|剩|还"
)
VERB = re.compile(
    r"(?<![\w'])(?:is|are|was|were|be|it's|that's|gives|give|giving|get|gets|equals|equal to"
    r"|makes|made|making|leaves|leaving"
    r"|has|have|had|costs?|total(?:s|ing|led|:| of)|sum of|contains|yields?|becomes?|returns?"
    r"|obtain|remain(?:s|ing)?|in the end|finally|eventually|namely|i\.e\.|therefore|so|thus|hence"
    r"|ist|sind|macht|ergibt|beträgt|kostet|also|est|sont|font|fait|coûte|donc|es|son|cuesta|è"
    r"|sono|fa|costa|é|är|jest)(?![\w'])|是|为|等于|得|共|有|は|が|：|:(?=\s)"
)
"""In a text in lower case."""


def main_clause(text: str, numbers: list[Quantity]) -> tuple[str, list[Quantity]]:
    """Return a sentence without its details and condition, and the numbers in the rest."""
    if (head := _HEAD.match(text)) and not _CONCLUDED.search(text, head.end()):
        before = [n for n in numbers if n.start < head.end()]
        if before and not VERB.search(lowered(text), head.end()):
            return text[: head.end()], before
    if (given := _GIVEN.match(text)) is not None:
        after = [n for n in numbers if n.start >= given.end()]
        if after and VERB.search(lowered(text), given.end()):
            text, numbers = " " * given.end() + text[given.end() :], after
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
    end_of_clause = max((m.end() for m in _CLAUSE_END.finditer(text)), default=0)
    adjunct = _ADJUNCT.search(lowered(text), max(first, end_of_clause - 1))
    before = [n for n in numbers if n.end <= adjunct.start()] if adjunct else []
    if adjunct and 0 < len(before) < len(numbers):
        verbs = [verb.start() for verb in VERB.finditer(lowered(text))]
        is_stated = before[0].start < 2 or any(verb < adjunct.start() for verb in verbs)
        if is_stated or not any(verb > adjunct.start() for verb in verbs):
            text, numbers = text[: adjunct.start()], before
    return text, numbers


def is_adjunct(text: str, place: int) -> bool:
    """Return whether a preposition stands before the number at a place: "for 5 people"."""
    return _PREPOSITION.search(text, max(0, place - 40), place) is not None


def result_of(text: str, numbers: list[Quantity]) -> Quantity | None:
    """Return the number of which others are the parts or terms: "18 apples: 12 red and 6 green",
    "3 rows of 4 chairs, 12 chairs in total"; None if there is no such number.

    Args:
        text: a sentence.
        numbers: its numbers, at least three.
    """
    last = numbers[-1]
    for index, result in enumerate(numbers[:-2]):
        parts = numbers[index + 1 :]
        between, rest = text[result.end : parts[0].start], text[parts[0].start :]
        is_list = between.strip(" ") == "," and not _WORD.search(
            text, parts[0].end, parts[-1].start
        )
        if _INTRODUCES.search(between) and not _CONCLUDED.search(rest) and not EQUALS.search(text):
            if _is_of(result, parts) and not is_list:
                return result
    for index in range(len(numbers) - 2):
        if _is_of(last, numbers[index:-1]) and _RESULTS.search(text, numbers[-2].end, last.start):
            return last
    return None


def _is_of(result: Quantity, terms: list[Quantity]) -> bool:
    """Return whether a number is the sum of all terms, or the product or difference of two."""
    if not result.values or not all(term.values for term in terms):
        return False
    value, (first, *others) = result.values[0], [term.values[0] for term in terms]
    if value == first + sum(others):
        return True
    return len(others) == 1 and value in (first * others[0], abs(first - others[0]))


def is_negated(text: str, place: int) -> bool:
    """Return whether what stands before a place of a text denies the number there."""
    if not text.isascii() and _NOT_AFTER.match(text, place) is not None:
        return True
    if not may_negate(text):
        return False
    return _NOT.search(text[max(0, place - 40) : place].rstrip() + " ") is not None


def is_denied(text: str, number: Quantity) -> bool:
    """Return whether a text denies a number, asks for it or calls it wrong."""
    if is_negated(text, number.start):
        return True
    if not may_negate(text):
        return False
    if _CALLED_WRONG.match(text, number.end) is not None:
        return True
    scope = _SCOPE.search(text, max(0, number.start - 80), number.start)
    if scope is None or scope["scope"] is None:
        return scope is not None
    if _ATTITUDE.match(scope["scope"]):
        return True
    return not (VERB.search(lowered(scope["scope"])) or _DURING.search(scope["scope"]))


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
    if "间" in text:
        text = _HAN_RANGE.sub(" … ", text)
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
