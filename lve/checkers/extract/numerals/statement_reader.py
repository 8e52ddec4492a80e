"""Finds the quantity that a statement of an answer states: the one after the last `=` or verb, not
one in a condition, a range, a comparison or a denial."""

from __future__ import annotations

import re
from functools import cached_property

from lve.checkers.extract.numerals.digit_groups import has_decimal_comma, whole
from lve.checkers.extract.numerals.quantities import Quantity, quantities_in
from lve.checkers.extract.numerals.units import Units, converted

_RANGE = re.compile(
    r"(?i)\b(?:between|zwischen|entre)\s+\S{1,20}\s+(?:and|und|et|y|e)\s+\S*\d\S*"
    r"|(?<![\d.,-])-?\d[\d.,]*\s?(?:-|to|bis)\s?\d[\d.,]*(?=\W|$)"
)
_RANGE_END = re.compile(r"(?i)[-os]\s?\d|tween|ischen|ntre")
"""In each text with a range."""
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
_NEGATIONS = ("than", "n't", "not", "nicht", "no ", "instead", "n'est", "不是", "并非")
"""One of them is in each text that fits."""
_CONDITION = re.compile(
    r"(?i)(?<=\s)(?:when|whenever|if|where|because|since|assuming|given|as long as|wenn|weil|si"
    r"|car|to reach|in order to|from|at(?= \w\s*=))(?=\s)"
)
_GOES_ON = re.compile(r"[,:]|(?<= )(?:so|it means) ")
"""Where a condition ends before an equation: "since 20 fit, she sold 6 x 20 = 120"."""
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
_SUPPOSED = re.compile(r"(?i)\W*(?:if|unless)\b[^,]*,\D*$")
"""A sentence with a number only in its condition."""
_UNKNOWN = re.compile(
    r"(?i)\b(?:(?:don|can)'t|do not|cannot|could not|couldn't|unable to|not able to) (?:really )?"
    r"(?:know|tell|say|determine|calculate|compute)\b"
    r"(?:(?!.*(?:\b(?:but|however|yet)\b|[:;=]))"
    r"|(?= (?:how|what|which)\b)(?!.*\b(?:but|however|yet)\b(?!(?: \w+){0,2} \w+n't)))"
)
_DETAILS = re.compile(r":\s+(?:\w+\s+){0,2}\d+(?:, \d+)*,? and \d+(?![.,]?\d)")
"""Details of a number: "3 of them: at 3, 8 and 9"."""
_SEPARATED = re.compile(r"\d[.,]\d")
_NAMED = re.compile(r"(?<!\w)[A-Z][\w-]* \Z")
"""A name to which the number after it belongs: "Apollo 11"."""
_SIGN = re.compile(r"\A\s*-\s+(?=\d)")
_END = re.compile(r"(?<=[.!?;])\s|(?<=[。！？；])|\n")
_BRACKET = re.compile(r"[ ]*\(([^()]{1,100})\)")
_SUBJECT = re.compile(
    r"\W*\d[\d.,]*(?: [^\W\d_]+)? (?:is|was) (?:the|our|your) "
    r"(?:answer|result|sum|product|total|number|difference|solution|correct|final|right)"
)
"""A sentence whose subject is the answer: "7 is the sum of 3 and 4."."""
_COMPUTED = re.compile(r"(?:[A-Z][a-z]{1,10},? )?[\d\s+*/×·()-]+=\s*(-?\d{1,15})\.?")
"""A sentence that only computes, which many answers end with."""


class StatementReader:
    """Reads the statements of one answer.

    Args:
        body: the answer, whose language says what a comma means.
        unit: what the wanted unit can mean; empty if none is wanted.
    """

    def __init__(self, body: str, unit: Units) -> None:
        self.body = body
        self.unit = unit
        self.restated = list[Quantity]()
        """The same amount in brackets in the unit that is asked for: "26.2 miles (42.195 km)"."""

    @cached_property
    def comma(self) -> bool | None:
        """Whether the answer's decimal point is a comma; None if that is unknown."""
        return has_decimal_comma(self.body)

    def quantities(self, text: str) -> list[Quantity]:
        """Return the quantities in a text that can have the unit."""
        quantities = quantities_in(
            text, comma_is_decimal=self.comma if _SEPARATED.search(text) else False
        )
        if self.unit:
            quantities = [q for q in quantities if self._fits(q)]
        if not any(q.is_date for q in quantities):
            return quantities
        others = [q for q in quantities if not q.is_date]
        if all(q.is_word for q in others):
            return quantities
        is_named = all(_NAMED.search(text, max(0, q.start - 30), q.start) for q in others)
        return quantities if is_named else others

    def _fits(self, quantity: Quantity) -> bool:
        if quantity.units is None:
            return not quantity.is_date
        return converted(quantity.values[0], quantity.units, self.unit) is not None

    def in_statement(self, text: str) -> Quantity | None:
        """Return the number of a text that begins with the answer."""
        text = _SIGN.sub("-", text)
        clause = _END.split(_without_ranges(text), maxsplit=1)[0]
        if _CONCLUDES.search(clause):
            return self.in_sentence(clause)
        if equals := [*_EQUALS.finditer(clause)]:
            after = self._first_of(clause[equals[-1].end() :])
            if after is not None:
                return after
        first = self._first_of(clause)
        if first is None:
            return self._first_of(clause, words=True)
        spelled = self._first_of(clause[: first.start], words=True)
        if spelled is not None and not re.match(r"\s*(?:one|a)\b", clause, re.IGNORECASE):
            return spelled
        self._restate(clause, first)
        return first

    def _restate(self, text: str, quantity: Quantity) -> None:
        """Note the same amount in brackets after a quantity."""
        bracket = _BRACKET.match(text, quantity.end) if self.unit and quantity.units else None
        inside = self.quantities(bracket[1]) if bracket else []
        self.restated += [other for other in inside if other.units][:1]

    def in_sentence(self, text: str) -> Quantity | None:
        """Return the number that a sentence states."""
        if _SUBJECT.match(text) and (subject := self.quantities(text)):
            return subject[0]
        if computed := _COMPUTED.fullmatch(text):
            return Quantity(*computed.span(1), whole(computed[1]))
        plain = _without_ranges(text)
        plain = _OF.sub(r"\1", plain) if "of" in plain else plain
        outside = _PARENTHESES.sub(lambda m: " " * len(m[0]), plain)
        if (
            not re.search(r"\d", outside)
            and re.search(r"\d", plain)
            and not re.search(r"[^\W\d_]{2}", outside)
        ):
            outside = plain
        numbers = self.quantities(outside)
        digits = [n for n in numbers if not n.is_word]
        if not digits:
            return self._only_words(outside, plain, numbers)
        if _SUPPOSED.match(outside) or (_may_deny(outside) and _UNKNOWN.search(outside)):
            return None
        outside, digits = _main_clause(outside, digits)
        number = self._said(outside, digits)
        if number is None and len(numbers) > len(digits):
            return self._only_words(outside, plain, [n for n in numbers if n.is_word])
        if number is not None:
            self._restate(plain, number)
            others = (other for other in numbers if self.unit and other is not number)
            self.restated += [other for other in others if _are_same(number, other)][:1]
        return number

    def _only_words(self, outside: str, plain: str, numbers: list[Quantity]) -> Quantity | None:
        """Return the number of a sentence that has no digits outside of brackets."""
        words = [n for n in numbers if not _is_article(outside, n)]
        if words:
            return words[-1]
        if self.unit or not outside.strip():
            inside = self.quantities(plain)
            return inside[-1] if inside else None
        return None

    def _said(self, text: str, digits: list[Quantity]) -> Quantity | None:
        """Return the number that a main clause says: after its last `=` or verb, or its last
        one."""
        starts = [*_EQUALS.finditer(text)] or [*_VERB.finditer(text)]
        for start in reversed(starts):
            if _is_negated(text, start.end()):
                continue
            after = [n for n in digits if n.start >= start.end()]
            after = [n for n in after if not _is_negated(text, n.start)]
            if after:
                return _of_list(text, after)
            if word := self._closing_word(text[start.end() :]):
                return word
        affirmed = [n for n in digits if not _is_negated(text, n.start)]
        if len(affirmed) > 1 and _OR.fullmatch(text[affirmed[-2].end : affirmed[-1].start]):
            return affirmed[-2] if _are_same(*affirmed[-2:]) else None
        return affirmed[-1] if affirmed else None

    def _closing_word(self, text: str) -> Quantity | None:
        """Return the number in words of which `text` consists: `fifteen` in "3/4 of 20 is
        fifteen."."""
        numbers = self.quantities(text)
        if len(numbers) != 1 or not numbers[0].is_word:
            return None
        others = text[: numbers[0].start] + text[numbers[0].end :]
        return None if others.strip(" .!:") else numbers[0]

    def _first_of(self, text: str, *, words: bool = False) -> Quantity | None:
        numbers = self.quantities(text)
        wanted = (n for n in numbers if n.is_word is words)
        return next((n for n in wanted if not _is_negated(text, n.start)), None)

    def last_of(self, text: str) -> Quantity | None:
        """Return the last number of a text, if it has an equals sign the last one after it."""
        text = _SIGN.sub("-", text)
        equals = [*_EQUALS.finditer(text)]
        numbers = self.quantities(text[equals[-1].end() :] if equals else text)
        return numbers[-1] if numbers else None

    def leading(self, text: str) -> Quantity | None:
        """Return the number that an answer begins with if it is a complete statement: "4 of them;
        ..."."""
        opening = _LEADING.match(text)
        if opening is None or _UNSURE.search(opening[0]):
            return None
        numbers = self.quantities(opening[0])
        is_alone = len(numbers) == 1 and not opening[0][: numbers[0].start].strip(" -+$€£")
        return numbers[0] if is_alone else None


def _main_clause(text: str, numbers: list[Quantity]) -> tuple[str, list[Quantity]]:
    """Return a sentence without its details and condition, and the numbers in the rest."""
    details = _DETAILS.search(text) if ":" in text else None
    if details is not None and _VERB.search(text, 0, details.start()):
        before = [n for n in numbers if n.end <= details.start()]
        if before:
            text, numbers = text[: details.start()], before
    for match in _CONDITION.finditer(text):
        before = [n for n in numbers if n.end <= match.start()]
        equals = _EQUALS.search(text, match.end()) if before else None
        if before and not (equals and _GOES_ON.search(text, match.end(), equals.start())):
            return text[: match.start()], before
    return text, numbers


def _of_list(text: str, numbers: list[Quantity]) -> Quantity | None:
    """Return the first number, or the last one of a list or date that begins with it; None for
    alternatives ("3 or 4")."""
    last = numbers[0]
    for number in numbers[1:]:
        between = text[last.end : number.start]
        if _OR.fullmatch(between):
            return last if _are_same(last, number) else None
        if not re.fullmatch(r"\s*(?:,|and|, and|;|then|\+|\*|×|/)\s*", between):
            break
        last = number
    return last


def _are_same(first: Quantity, second: Quantity) -> bool:
    """Return whether one quantity says the other in another unit or notation, perhaps rounded."""
    if not first.units or not second.units:
        return bool({*first.values, *first.others} & {*second.values, *second.others})
    other = converted(second.values[0], second.units, first.units)
    return other is not None and abs(other - first.values[0]) * 50 <= abs(first.values[0])


def _may_deny(text: str) -> bool:
    lower = text.lower()
    return "n't" in lower or "not" in lower or "unable" in lower


def _is_negated(text: str, place: int) -> bool:
    before = text[max(0, place - 40) : place].rstrip() + " "
    lower = before.lower()
    return any(stem in lower for stem in _NEGATIONS) and _NOT.search(before) is not None


def _is_article(text: str, number: Quantity) -> bool:
    return text[number.start : number.end].lower() == "one" and len(text.split()) > 5


def _without_ranges(text: str) -> str:
    if not _RANGE_END.search(text):
        return text
    return _RANGE.sub(lambda m: m[0] if _is_no_range(text, m) else " … ", text)


def _is_no_range(text: str, match: re.Match[str]) -> bool:
    """Return whether an apparent range is a difference (`5 - 3 = 2`) or a date."""
    rest = text[match.end() : match.end() + 4]
    before = text[: match.start()].rstrip()
    return (
        "=" in rest or rest.startswith("-") or before.endswith(("=", "+", "*", "from", "von", "de"))
    )
