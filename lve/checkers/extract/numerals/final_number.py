"""Finds the number that an answer settles on."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from lve.checkers.extract.conclusion import (
    after_markers,
    corrected,
    has_correction,
    last_boxes,
    sentences,
    shortened_body,
)
from lve.checkers.extract.numerals.number_notation import cleaned
from lve.checkers.extract.numerals.number_tokens import Number, numbers_in
from lve.checkers.extract.plain_text import answer_body

_RANGE = re.compile(
    r"(?i)\b(?:between|zwischen|entre)\s+\S{1,20}\s+(?:and|und|et|y|e)\s+\S*\d\S*"
    r"|(?<![\d.,-])\d[\d.,]*\s?(?:-|to|bis)\s?\d[\d.,]*(?=\W|$)"
)
_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）")
_EQUALS = re.compile(r"=>?|≈|→|->|⇒|\\(?:Rightarrow|to|implies|rightarrow)\b")
_VERB = re.compile(
    r"(?i)(?<![\w'])(?:is|are|was|were|be|it's|that's|gives|give|giving|get|gets|equals|equal to"
    r"|makes|made|making|leaves|leaving"
    r"|has|have|had|costs?|total(?:s|ing|led|:| of)|sum of|contains|yields?|becomes?|returns?"
    r"|obtain|remain(?:s|ing)?|namely|i\.e\.|therefore|so|thus|hence"
    r"|ist|sind|macht|ergibt|beträgt|kostet|also|est|sont|font|fait|coûte|donc|es|son|cuesta|è"
    r"|sono|fa|costa|é|är|jest)(?![\w'])"
    r"|是|为|等于|得|共|有|は|が|：|:(?=\s)"
)
_NOT = re.compile(
    r"(?i)\b(?:(?:more|greater|higher|larger|bigger|less|fewer|lower|smaller) than\s+$)"
    r"|\b(?:not|isn't|is not|nicht|no longer|rather than|instead of|no es"
    r"|(?:ca|wo|could|would|should)n't (?:be|equal)|cannot (?:be|equal)|(?:was|does)n't(?: equal)?"
    r"|n'est pas)\s+(?:\w+\s+){0,1}$|(?:不是|并非)$"
)
_CONDITION = re.compile(
    r"(?i)(?<=\s)(?:when|whenever|if|where|because|since|assuming|given|as long as|wenn|weil|si"
    r"|car|to reach|in order to)(?=\s)"
)
_CONCLUDES = re.compile(
    r"(?i)[,;] (?:and )?(?:so|thus|therefore|hence|i\.e\.|rounded|rounding|also|donc)(?![\w'])"
    r"|rounds to|rounded to"
)
_UNSURE = re.compile(r"(?i)=>?|≈|→|->|⇒|\b(?:wrong|incorrect|not|isn't|too)\b")
_OF = re.compile(
    r"(?<=\d)(\s+(?:out )?of\s+(?:the |its |his |her |their |all |these |those )?)\d[\d,.]*(?!\w)"
)
_OR = re.compile(r"(?i)\s*,?\s*(?:or|oder|ou|o|或)\s*")
_LEADING = re.compile(
    r"\s*\S{1,30}(?:\s+\S+){0,4}?\s*(?:[;\n]|-\s|,?\s(?:because|since|as|weil|car|porque)\b)"
)
_POSSIBLY = re.compile(
    r"(?i)\b(?:could|might)\b|^\((?=[^()]*[^\W\d_]{2} [^()]*[^\W\d_]{2})[^()]+\)\W*$"
)
"""A sentence that only says what could be, or is in brackets. Other sentences take precedence."""
_SUPPOSED = re.compile(r"(?i)\W*(?:if|unless)\b[^,]*,\D*$")
"""A sentence with a number only in its condition."""
_UNKNOWN = re.compile(
    r"(?i)\b(?:(?:don|can)'t|do not|cannot|could not|couldn't|unable to|not able to) (?:really )?"
    r"(?:know|tell|say|determine|calculate|compute)\b(?!.*(?:\b(?:but|however|yet)\b|[:;=]))"
)
_DETAILS = re.compile(r":\s+(?:\w+\s+){0,2}\d+(?:, \d+)*,? and \d+(?![.,]?\d)")
"""Details of a number: "3 of them: at 3, 8 and 9"."""
_SEPARATED = re.compile(r"\d[.,]\d")
_EUROPEAN = re.compile(
    r"(?i)(?<![\w'])(?:der|die|das|und|ist|sind|macht|beträgt|ergibt|euro|kostet|le|la|les|est"
    r"|sont|de|des|il|y a|el|los|es|son"
    r"|het|een|och|är|jest|wynosi|costa|prezzo|preço|o|é)(?![\w'])|€|kr\b|zł"
)
_ENGLISH = re.compile(
    r"(?i)(?<![\w'])(?:the|is|are|of|answer|it|there|and|total|costs?|about|value|result)(?![\w'])"
)


_SIMPLE = re.compile(
    r"\s*(?:(?:The )?(?:[Ff]inal )?[Aa]nswer(?: is|:) )?\**"
    r"(-?[0-9]{1,15}|-?[0-9]{1,9}\.[0-9]{1,2})\**\.?\s*"
)
"""The fast path: nearly all answers of most tests."""


@lru_cache(maxsize=1024)
def _simple(digits: str) -> Fraction:
    return Fraction(digits)


def final_numbers(text: str) -> list[Fraction]:
    """Return the number that an answer settles on.

    Args:
        text: an answer.

    Returns:
        The possible values of the number, the most likely first: its notation may be ambiguous, and
        the answer may begin with one number and end with another. Empty if the answer settles on
        none.
    """
    if simple := _SIMPLE.fullmatch(text):
        return [_simple(simple[1])]
    text = shortened_body(text)
    comma = _comma_is_decimal(text)
    boxes = last_boxes(text)
    if boxes:
        last = _last_of(cleaned(boxes[-1]), comma)
        return list(last.values) if last else []
    text = cleaned(text)
    last = _stated(corrected(text), comma) or _stated(text, comma)
    leading = None if has_correction(text) else _leading(text, comma)
    values = [*(leading.values if leading else ()), *(last.values if last else ())]
    return list(dict.fromkeys(values))


def number_of(text: str) -> tuple[Fraction, ...]:
    """Return the possible values of a number in a test; empty if it is no number.

    Args:
        text: the number: `42`, `$18`, `1,234` or `50%`.
    """
    plain = cleaned(answer_body(text))
    numbers = numbers_in(plain, comma_is_decimal=False)
    if len(numbers) != 1:
        return ()
    value = numbers[0].values
    return value[::-1] if plain.rstrip().endswith("%") and len(value) == 2 else value


@lru_cache(maxsize=1024)
def shown_number(value: Fraction) -> str:
    """Return a number as reasons show it, with up to 12 digits."""
    return f"{float(value):.12g}" if abs(value) < 10**300 else "a huge number"


def _comma_is_decimal(text: str) -> bool | None:
    if not _SEPARATED.search(text) or _ENGLISH.search(text):
        return False
    return True if _EUROPEAN.search(text) else None


def _stated(text: str, comma: bool | None) -> Number | None:
    """Return the number after "the answer is", or the number that the last sentence states."""
    for rest in after_markers(text):
        if number := _in_statement(rest, comma):
            return number
    last_first = sentences(text)[::-1]
    plain = [s for s in last_first if not _POSSIBLY.search(s)]
    for sentence in (*plain, *last_first) if len(plain) < len(last_first) else last_first:
        if number := _in_sentence(sentence, comma):
            return number
    return None


def _in_statement(text: str, comma: bool | None) -> Number | None:
    """Return the number of a text that begins with the answer."""
    clause = re.split(r"(?<=[.!?;])\s|(?<=[。！？；])|\n", _without_ranges(text), maxsplit=1)[0]
    if _CONCLUDES.search(clause):
        return _in_sentence(clause, comma)
    if equals := [*_EQUALS.finditer(clause)]:
        after = _first_of(clause[equals[-1].end() :], comma)
        if after is not None:
            return after
    first = _first_of(clause, comma)
    if first is None:
        return _first_of(clause, comma, words=True)
    spelled = _first_of(clause[: first.start], comma, words=True)
    if spelled is not None and not re.match(r"\s*(?:one|a)\b", clause, re.IGNORECASE):
        return spelled
    return first


def _in_sentence(text: str, comma: bool | None) -> Number | None:
    """Return the number that a sentence states."""
    plain = _OF.sub(r"\1", _without_ranges(text))
    outside = _PARENTHESES.sub(lambda m: " " * len(m[0]), plain)
    if (
        not re.search(r"\d", outside)
        and re.search(r"\d", plain)
        and not re.search(r"[^\W\d_]{2}", outside)
    ):
        outside = plain
    digits = [n for n in numbers_in(outside, comma_is_decimal=comma) if not n.is_word]
    if not digits:
        words = [
            n for n in numbers_in(outside, comma_is_decimal=comma) if not _is_article(outside, n)
        ]
        inside = numbers_in(plain, comma_is_decimal=comma)
        return words[-1] if words else (inside[-1] if inside and not outside.strip() else None)
    if _SUPPOSED.match(outside) or _UNKNOWN.search(outside):
        return None
    outside, digits = _main_clause(outside, digits)
    starts = [*_EQUALS.finditer(outside)] or [*_VERB.finditer(outside)]
    for start in reversed(starts):
        if _is_negated(outside, start.end()):
            continue
        after = [n for n in digits if n.start >= start.end()]
        after = [n for n in after if not _is_negated(outside, n.start)]
        if after:
            return _of_list(outside, after)
        if word := _closing_word(outside[start.end() :]):
            return word
    affirmed = [n for n in digits if not _is_negated(outside, n.start)]
    if len(affirmed) > 1 and _OR.fullmatch(outside[affirmed[-2].end : affirmed[-1].start]):
        return None
    return affirmed[-1] if affirmed else None


def _closing_word(text: str) -> Number | None:
    """Return the number in words of which `text` consists: `fifteen` in "3/4 of 20 is
    fifteen."."""
    numbers = numbers_in(text)
    if len(numbers) != 1 or not numbers[0].is_word:
        return None
    others = text[: numbers[0].start] + text[numbers[0].end :]
    return None if others.strip(" .!:") else numbers[0]


def _main_clause(text: str, numbers: list[Number]) -> tuple[str, list[Number]]:
    """Return a sentence without its details and condition, and the numbers in the rest."""
    details = _DETAILS.search(text) if ":" in text else None
    if details is not None and _VERB.search(text, 0, details.start()):
        before = [n for n in numbers if n.end <= details.start()]
        if before:
            text, numbers = text[: details.start()], before
    for match in _CONDITION.finditer(text):
        before = [n for n in numbers if n.end <= match.start()]
        if before:
            return text[: match.start()], before
    return text, numbers


def _of_list(text: str, numbers: list[Number]) -> Number | None:
    """Return the first number, or the last one of a list or date that begins with it; None for
    alternatives ("3 or 4")."""
    last = numbers[0]
    for number in numbers[1:]:
        between = text[last.end : number.start]
        if _OR.fullmatch(between):
            return None
        if not re.fullmatch(r"\s*(?:,|and|, and|;|then|\+|\*|×|/)\s*", between):
            break
        last = number
    return last


def _is_negated(text: str, place: int) -> bool:
    return _NOT.search(text[max(0, place - 40) : place].rstrip() + " ") is not None


def _is_article(text: str, number: Number) -> bool:
    return text[number.start : number.end].lower() == "one" and len(text.split()) > 5


def _first_of(text: str, comma: bool | None, *, words: bool = False) -> Number | None:
    numbers = numbers_in(text, comma_is_decimal=comma)
    return next((n for n in numbers if n.is_word is words and not _is_negated(text, n.start)), None)


def _last_of(text: str, comma: bool | None) -> Number | None:
    equals = [*_EQUALS.finditer(text)]
    numbers = numbers_in(text[equals[-1].end() :] if equals else text, comma_is_decimal=comma)
    return numbers[-1] if numbers else None


def _leading(text: str, comma: bool | None) -> Number | None:
    """Return the number that an answer begins with if it is a complete statement: "4 of them;
    ..."."""
    opening = _LEADING.match(text)
    if opening is None or _UNSURE.search(opening[0]) or after_markers(text):
        return None
    numbers = numbers_in(opening[0], comma_is_decimal=comma)
    is_alone = len(numbers) == 1 and not opening[0][: numbers[0].start].strip(" -+$€£")
    return numbers[0] if is_alone else None


def _without_ranges(text: str) -> str:
    return _RANGE.sub(lambda m: m[0] if _is_no_range(text, m) else " … ", text)


def _is_no_range(text: str, match: re.Match[str]) -> bool:
    """Return whether an apparent range is a difference (`5 - 3 = 2`) or a date."""
    rest = text[match.end() : match.end() + 4]
    before = text[: match.start()].rstrip()
    return (
        "=" in rest or rest.startswith("-") or before.endswith(("=", "+", "*", "from", "von", "de"))
    )
