"""Finds the quantity that a statement of an answer states: the one after the last `=` or verb, not
one in a condition, a range, a comparison or a denial."""

from __future__ import annotations

import re
from functools import partial

from lve.checkers.extract.numerals.clauses import (
    CONCLUDED,
    EQUALS,
    VERB,
    conclusion_after,
    goes_on_beside,
    is_denied,
    is_negated,
    is_unknown,
    main_clause,
    without_brackets,
    without_ranges,
)
from lve.checkers.extract.numerals.labelling import goes_on, is_pointed_at, says_which
from lve.checkers.extract.numerals.plain_sentences import MARKS, computed_number, plain_number
from lve.checkers.extract.numerals.selection import (
    affirmed,
    are_alternatives,
    are_same,
    before_adjuncts,
    consistent,
    converts,
    count_of,
    first_of_list,
    is_adjunct,
    is_article,
    is_mark,
    result_of,
    without_wholes,
)
from lve.checkers.extract.quantities.digit_groups import has_decimal_comma
from lve.checkers.extract.quantities.quantity import Quantity, quantities_in
from lve.checkers.extract.quantities.quantity_patterns import begins_with_word, has_quantity
from lve.checkers.extract.quantities.units import Units, converted
from lve.checkers.shape.characters import lowered
from lve.checkers.shape.patterns import pattern

_UNSURE = re.compile(r"(?i)=>?|≈|→|->|⇒|\?|\b(?:think|doubt|wrong|incorrect|not|isn't|too)\b")
_FROM_TO = re.compile(r"\S+ to (?=[^\w\s]?\d)")
_LEADING = re.compile(pattern("leading"))
_TERM = re.compile(pattern("opening_term"))
"""After a minus, what makes the number before it a term: "9 - 1 = 8"."""
_CONTINUES = re.compile(r"\s*[-+*/×·÷=]")
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
_REASON = re.compile(pattern("reason"))
"""Where a sentence goes on with why its number is right."""
_SUPPOSED = re.compile(pattern("only_supposed"))
"""A sentence with a number only in its condition."""
_DEPENDS = re.compile(pattern("depends"))
"""A sentence that gives a number for each of several cases."""
_SEPARATED = re.compile(r"\d[.,]\d")
_NAMED = re.compile(r"(?<!\w)[A-Z][\w-]* \Z")
"""A name to which the number after it belongs: "Apollo 11"."""
_EXISTS = re.compile(r"\b[Tt]here(?: is| are| was| were|'s|'ve been| ha(?:s|ve) been)(?: only)? \Z")
_SIGN = re.compile(r"\A\s*-\s+(?=\d)")
_END = re.compile(r"(?<=[.!?;])\s|(?<=[。！？；])|\n")
_IN_CASE = re.compile(pattern("in_case"))
"""An equation in the middle of a statement, that only says of what: "y at x = 3 is 9"."""
_BRACKET = re.compile(r"[ ]*\(([^()]{1,100})\)")
_SUBJECT = re.compile(pattern("subject"))
"""A sentence whose subject is the answer: "7 is the sum of 3 and 4."."""


class StatementReader:
    """Reads the statements of one answer.

    Args:
        body: the answer, whose language says what a comma means.
        unit: what the wanted unit can mean; empty if none is wanted.
    """

    def __init__(self, body: str, unit: Units) -> None:
        self.body = body
        self.unit = unit
        self.restated: list[Quantity] = []
        """The same amount in brackets in the unit that is asked for: "26.2 miles (42.195 km)"."""
        self.counts_which = False
        """Whether numbers that say which one ("chapter 5") count."""
        self.left_out = False
        """Whether such a number was left out."""
        self._read: dict[tuple[str, bool], list[Quantity]] = {}

    @property
    def comma(self) -> bool | None:
        """Whether the answer's decimal point is a comma; None if that is unknown."""
        return has_decimal_comma(self.body)

    def quantities(self, text: str) -> list[Quantity]:
        """Return the quantities in a text that can have the unit."""
        key = (text, self.counts_which)
        if key not in self._read:
            self._read[key] = self._quantities(text)
        return self._read[key]

    def _quantities(self, text: str) -> list[Quantity]:
        quantities = quantities_in(
            text, comma_is_decimal=self.comma if _SEPARATED.search(text) else False
        )
        quantities = self._counted(text, consistent(text, quantities))
        if self.unit:
            quantities = [q for q in quantities if self._fits(q)]
        others = [q for q in quantities if not q.is_date]
        if len(others) == len(quantities) or all(q.is_word for q in others):
            return quantities
        is_named = all(_NAMED.search(text, max(0, q.start - 30), q.start) for q in others)
        is_stated = goes_on_beside(text, lowered(text), others[0].start + 1)
        return quantities if is_named or is_stated else others

    def _counted(self, text: str, quantities: list[Quantity]) -> list[Quantity]:
        """Return the quantities without those that only say which one."""
        counted: list[Quantity] = []
        last = None
        for quantity in quantities:
            if quantity.units or quantity.is_date:
                counted.append(quantity)
                continue
            is_bare = last is not None and quantity.units is None
            follows = last is not None and is_bare and goes_on(text[last.end : quantity.start])
            if not follows and not says_which(text, quantity.start, quantity.end):
                counted.append(quantity)
                continue
            last = quantity
            self.left_out = True
            if self.counts_which and not follows and not is_pointed_at(text, quantity.start):
                counted.append(quantity)
        return counted

    def _fits(self, quantity: Quantity) -> bool:
        if quantity.units is None:
            return not quantity.is_date
        return converted(quantity.values[0], quantity.units, self.unit) is not None

    def in_statement(self, text: str) -> Quantity | None:
        """Return the number of a text that begins with the answer."""
        text = _SIGN.sub("-", text)
        clause = _END.split(without_ranges(text), maxsplit=1)[0]
        if conclusion_after(clause, 0):
            return self.in_sentence(clause)
        if result := self._result(clause):
            return result
        _, *after = EQUALS.split(clause)
        if after and (number := self._first_of(after[-1])):
            return number
        first = self._first_of(clause)
        if first is None:
            return self._first_of(clause, words=True)
        spelled = self._first_of(clause[: first.start], words=True)
        if spelled and not (re.match(r"(?i)\s*(?:one|a)\b", clause) or is_article(clause, spelled)):
            return spelled
        self._restate(clause, first)
        return first

    def _restate(self, text: str, quantity: Quantity) -> None:
        """Note the same amount in brackets after a quantity."""
        bracket = _BRACKET.match(text, quantity.end)
        inside = self.quantities(text) if bracket else []
        others = [q for q in inside if bracket and q.units and q.start in range(*bracket.span(1))]
        self.restated += [q for q in others if self.unit or converts(text, quantity, q)][:1]

    def in_sentence(self, text: str) -> Quantity | None:
        """Return the number that a sentence states."""
        if not has_quantity(text):
            return None
        if _SUBJECT.match(text) and (subject := self.quantities(text)):
            return subject[0]
        if computed := computed_number(text):
            return computed
        plain = without_ranges(text)
        if _SUPPOSED.match(plain) or is_unknown(plain) or _DEPENDS.match(plain):
            return None
        if not (self.unit or self.counts_which) and (number := plain_number(plain, self.body)):
            return number
        if "=" in text:
            text, plain = (_IN_CASE.sub(lambda m: " " * len(m[0]), part) for part in (text, plain))
        if result := self._result(text):
            return result
        outside = without_brackets(plain)
        numbers = without_wholes(
            outside, self.quantities(outside) if self.quantities(plain) else []
        )
        if is_counted := any(n.is_word and _EXISTS.search(outside, 0, n.start) for n in numbers):
            end = outside.find(":") % (len(outside) + 1)
            is_detail = CONCLUDED.search(outside, end) is None
            numbers = [n for n in numbers if n.start < end or not is_detail]
        digits = [n for n in numbers if not n.is_word]
        if is_counted:
            digits = [n for n in digits if not is_adjunct(outside, n.start)]
        if not digits:
            return self._only_words(outside, plain, [n for n in numbers if n.is_word])
        outside, digits = main_clause(outside, digits)
        number = self._said(outside, digits, numbers[-1].start)
        if number is None and len(numbers) > len(digits):
            return self._only_words(outside, plain, [n for n in numbers if n.is_word])
        if number is not None:
            self._restate(plain, number)
            others = (q for q in numbers if q is not number)
            same = are_same if self.unit else partial(converts, plain)
            self.restated += [other for other in others if same(number, other)][:1]
        return number

    def _result(self, text: str) -> Quantity | None:
        """Return the number of a sentence that its other numbers are the parts or terms of."""
        if not MARKS.search(text):
            return None
        reason = _REASON.search(text)
        text = text[: reason.start()] if reason else text
        numbers = [n for n in self.quantities(text) if not is_mark(text, n)]
        if count := count_of(text, numbers):
            return count
        numbers = [n for n in numbers if not n.is_word]
        result = result_of(text, numbers) if len(numbers) > 2 else None
        return None if result is None or is_denied(text, result) else result

    def _only_words(self, outside: str, plain: str, numbers: list[Quantity]) -> Quantity | None:
        """Return the number of a sentence that has no digits outside of brackets."""
        words = [n for n in numbers if not is_article(outside, n)]
        if words:
            outside, words = main_clause(outside, words)
            result = result_of(outside, words) if len(words) > 2 else None
            return result or self._said(outside, words, words[-1].start)
        if self.unit or not outside.strip():
            inside = self.quantities(plain)
            return inside[-1] if inside else None
        return None

    def _said(self, text: str, digits: list[Quantity], last: int) -> Quantity | None:
        """Return the number that a main clause says: after its last `=` or verb, or its last
        one, which begins at `last`, in words or digits."""
        starts = [*EQUALS.finditer(text)] or [*VERB.finditer(lowered(text), 0, last)]
        since = starts[-1].end() if starts else 0
        if conclusion := conclusion_after(text, since):
            starts.append(conclusion)
        sure = affirmed(text, digits)
        detail: list[Quantity] = []
        for start in reversed(starts):
            if is_negated(text, start.end()):
                continue
            after = [n for n in sure if n.start >= start.end()]
            stated = after
            if len(sure) > 1:
                stated = [n for n in after if not is_adjunct(text, n.start)]
            if stated:
                return first_of_list(text, [n for n in after if n.start >= stated[0].start])
            detail = detail or after
            if after:
                continue
            if word := self._closing_word(text[start.end() :]):
                by = start.end()
                return word._replace(start=word.start + by, end=word.end + by)
        if detail:
            is_pair = _FROM_TO.match(text, detail[0].start)
            return detail[-1] if is_pair else first_of_list(text, detail)
        if len(sure) > 1 and are_alternatives(text, *sure[-2:]):
            return sure[-2] if are_same(*sure[-2:]) else None
        return before_adjuncts(text, sure) if sure else None

    def _closing_word(self, text: str) -> Quantity | None:
        """Return the number in words of which a text consists: `fifteen`."""
        numbers = self.quantities(text)
        if len(numbers) != 1 or not numbers[0].is_word:
            return None
        others = text[: numbers[0].start] + text[numbers[0].end :]
        return None if others.strip(" .!:") else numbers[0]

    def _first_of(self, text: str, *, words: bool = False) -> Quantity | None:
        numbers = self.quantities(text)
        wanted = (n for n in numbers if n.is_word is words)
        return next((n for n in wanted if not is_denied(text, n)), None)

    def last_of(self, text: str) -> Quantity | None:
        """Return the last number of a text, if it has an equals sign the last one after it."""
        text = _SIGN.sub("-", text)
        text = EQUALS.split(text)[-1]
        numbers = [n for n in self.quantities(text) if not is_denied(text, n)]
        return numbers[-1] if numbers else None

    def leading(self, text: str) -> tuple[Quantity | None, str]:
        """Return the number that an answer begins with if it is a complete statement, and the rest
        of the answer: "4 of them; ..."."""
        if begins_with_word(text):
            return None, ""
        opening = _LEADING.match(text)
        if opening is None or _UNSURE.search(opening[0]):
            return None, ""
        rest = text[opening.end() : opening.end() + 60]
        if opening[0].rstrip().endswith("-") and _TERM.match(rest):
            return None, ""
        if _CONTINUES.match(rest) or ("\n" in text and _ITEM.match(text)):
            return None, ""
        numbers = self.quantities(opening[0])
        is_alone = len(numbers) == 1 and not opening[0][: numbers[0].start].strip(" -+$€£")
        return (numbers[0], text[opening.end() :]) if is_alone else (None, "")
