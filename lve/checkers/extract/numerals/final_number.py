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
from lve.checkers.extract.numerals.quantities import Quantity, quantities_in
from lve.checkers.extract.numerals.units import Units, converted
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
    r"(?i)(?<![\w'])(?:the|is|are|of|answer|it|there|and|total|costs?|about|value|result)(?![\w'])|≈"
)


_SCORED = re.compile(
    r"(?i)(?<![^\W_])(?:scor|rat(?:e|ed|ing)(?![^\W_])|grad(?:e|ed|ing)(?![^\W_])|give|gave|star|point|mark"
    r"|note(?![^\W_])|punkt|puntos|评分|得分|分数|打分|点数|スコア|★|⭐)"
)
"""What makes `8/10` a score."""
_NAMED = re.compile(r"(?<!\w)[A-Z][\w-]* \Z")
"""A name to which the number after it belongs: "Apollo 11"."""
_SIGN = re.compile(r"\A\s*-\s+(?=\d)")
_END = re.compile(r"(?<=[.!?;])\s|(?<=[。！？；])|\n")
_BRACKET = re.compile(r"[ ]*\(([^()]{1,100})\)")


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
    values = (v for q in final_quantities(text) for v in (*q.values, *q.others))
    return list(dict.fromkeys(values))


def final_amounts(text: str, unit: Units) -> list[Fraction]:
    """Return the possible values of the amount that an answer settles on, in a unit.

    Args:
        text: an answer. Amounts that can't be converted to `unit` aren't considered; a number
            without a unit is taken to have it.
        unit: what the unit can mean.
    """
    amounts = list[Fraction]()
    for quantity in final_quantities(text, unit):
        for value in quantity.values:
            amount = value if quantity.units is None else converted(value, quantity.units, unit)
            if amount is not None:
                amounts.append(amount)
    return list(dict.fromkeys(amounts))


def final_quantities(text: str, unit: Units = ()) -> list[Quantity]:
    """Return the quantity that an answer settles on; two if it begins with one and ends with
    another, and none if it settles on none.

    Args:
        text: an answer.
        unit: if not empty, quantities of other kinds are not considered.
    """
    text = shortened_body(text)
    reader = _Reader(_comma_is_decimal(text), unit)
    boxes = last_boxes(text)
    if boxes:
        last = reader.last_of(_close_sign(cleaned(boxes[-1])))
        return [last] if last else []
    text = cleaned(text)
    last = reader.stated(corrected(text)) or reader.stated(text)
    leading = None if has_correction(text) else reader.leading(text)
    chosen = [quantity for quantity in (leading, last) if quantity]
    if any(quantity.over is not None for quantity in chosen) and _SCORED.search(text):
        chosen = [_as_score(quantity) for quantity in chosen]
    return [*dict.fromkeys([*chosen, *reader.restated])]


def _as_score(quantity: Quantity) -> Quantity:
    """Return a quantity that is read as a score: 8 of `8/10`."""
    if quantity.over is None:
        return quantity
    return quantity._replace(values=(quantity.over,), others=quantity.values)


def number_of(text: str) -> tuple[Fraction, ...]:
    """Return the possible values of a number in a test; empty if it is no number.

    Args:
        text: the number: `42`, `$18`, `1,234` or `50%`.
    """
    numbers = quantities_in(cleaned(answer_body(text)), comma_is_decimal=False)
    if len(numbers) != 1:
        return ()
    return (*numbers[0].others, *numbers[0].values)


@lru_cache(maxsize=1024)
def shown_number(value: Fraction) -> str:
    """Return a number as reasons show it, with up to 12 digits."""
    return f"{float(value):.12g}" if abs(value) < 10**300 else "a huge number"


def _comma_is_decimal(text: str) -> bool | None:
    if not _SEPARATED.search(text) or _ENGLISH.search(text):
        return False
    return True if _EUROPEAN.search(text) else None


def _close_sign(text: str) -> str:
    """Return a text that begins with a number, with a minus sign set apart (`- 7`) joined."""
    return _SIGN.sub("-", text)


class _Reader:
    """Reads the quantities of one answer."""

    def __init__(self, comma_is_decimal: bool | None, unit: Units) -> None:
        self.comma = comma_is_decimal
        self.unit = unit
        self.restated = list[Quantity]()
        """The same amount in brackets in the unit that is asked for: "26.2 miles (42.195 km)"."""

    def quantities(self, text: str) -> list[Quantity]:
        """Return the quantities in a text that can have the unit."""
        quantities = quantities_in(text, comma_is_decimal=self.comma)
        if self.unit:
            quantities = [q for q in quantities if self._fits(q)]
        if not any(q.is_date for q in quantities):
            return quantities
        others = [q for q in quantities if not q.is_date]
        is_named = all(_NAMED.search(text, max(0, q.start - 30), q.start) for q in others)
        return quantities if is_named else others

    def _fits(self, quantity: Quantity) -> bool:
        if quantity.units is None:
            return not quantity.is_date
        return converted(quantity.values[0], quantity.units, self.unit) is not None

    def stated(self, text: str) -> Quantity | None:
        """Return the number after "the answer is", or the number that the last sentence states."""
        for rest in after_markers(text):
            if number := self._in_statement(_close_sign(rest)):
                return number
        last_first = sentences(text)[::-1]
        plain = [s for s in last_first if not _POSSIBLY.search(s)]
        for sentence in (*plain, *last_first) if len(plain) < len(last_first) else last_first:
            if number := self._in_sentence(sentence):
                return number
        return None

    def _in_statement(self, text: str) -> Quantity | None:
        """Return the number of a text that begins with the answer."""
        clause = _END.split(_without_ranges(text), maxsplit=1)[0]
        if _CONCLUDES.search(clause):
            return self._in_sentence(clause)
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

    def _in_sentence(self, text: str) -> Quantity | None:
        """Return the number that a sentence states."""
        plain = _OF.sub(r"\1", _without_ranges(text))
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
        if _SUPPOSED.match(outside) or _UNKNOWN.search(outside):
            return None
        outside, digits = _main_clause(outside, digits)
        number = self._said(outside, digits)
        if number is None and len(numbers) > len(digits):
            return self._only_words(outside, plain, [n for n in numbers if n.is_word])
        if number is not None:
            self._restate(plain, number)
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
            return None
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
        equals = [*_EQUALS.finditer(text)]
        numbers = self.quantities(text[equals[-1].end() :] if equals else text)
        return numbers[-1] if numbers else None

    def leading(self, text: str) -> Quantity | None:
        """Return the number that an answer begins with if it is a complete statement: "4 of them;
        ..."."""
        opening = _LEADING.match(text)
        if opening is None or _UNSURE.search(opening[0]) or after_markers(text):
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
        if before:
            return text[: match.start()], before
    return text, numbers


def _of_list(text: str, numbers: list[Quantity]) -> Quantity | None:
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


def _is_article(text: str, number: Quantity) -> bool:
    return text[number.start : number.end].lower() == "one" and len(text.split()) > 5


def _without_ranges(text: str) -> str:
    return _RANGE.sub(lambda m: m[0] if _is_no_range(text, m) else " … ", text)


def _is_no_range(text: str, match: re.Match[str]) -> bool:
    """Return whether an apparent range is a difference (`5 - 3 = 2`) or a date."""
    rest = text[match.end() : match.end() + 4]
    before = text[: match.start()].rstrip()
    return (
        "=" in rest or rest.startswith("-") or before.endswith(("=", "+", "*", "from", "von", "de"))
    )
