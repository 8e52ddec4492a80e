"""Finds the number that an answer settles on."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from lve.checkers.extract.numerals.clauses import is_unknown, ranges_in
from lve.checkers.extract.numerals.emphasis import emphasised
from lve.checkers.extract.numerals.number_notation import cleaned, has_list_mark, is_item
from lve.checkers.extract.numerals.opening import opening_sentence
from lve.checkers.extract.numerals.plain_answers import is_year, plain_quantity
from lve.checkers.extract.numerals.selection import are_same, is_adjunct
from lve.checkers.extract.numerals.sentence_order import stating_sentences
from lve.checkers.extract.numerals.statement_reader import StatementReader
from lve.checkers.extract.numerals.zero_answers import NONE_BECAUSE, of_nothing
from lve.checkers.extract.quantities.number_words import with_digits
from lve.checkers.extract.quantities.quantity import Quantity, quantities_in
from lve.checkers.extract.quantities.spelled_numbers import spelled_value
from lve.checkers.extract.quantities.units import Units, converted
from lve.checkers.shape.answer_parts import AFTER_CORRECTION, Shape, Statement, answer_body, shaped
from lve.checkers.shape.characters import without_marks
from lve.checkers.shape.patterns import pattern

_CONCLUDES = re.compile(pattern("concludes"))
"""What may state something after an answer that begins with its number."""
_SO = re.compile(pattern("so_word"))
_PREMISE = re.compile(r"\d[\d.,]* (?:[a-z]+ ){1,2}(?:is|are|was|were|ha[sd]|have) [a-z]")
"""A whole sentence that an answer begins with, from which it may go on: "90 eggs were laid"."""
_LEADING_CHARACTERS = 200
"""How much of an answer its first number stands in."""
_SPELLED_CHARACTERS = 2_000
"""How much of the end of an answer without another number is read for numbers in words."""
_PROGRAM = re.compile(pattern("program"))
"""A line of a program."""
_SCORED = re.compile(pattern("scored"))
"""What makes `8/10` a score."""
_SIMPLE = re.compile(pattern("simple_number"))
"""The fast path: nearly all answers of most tests."""


_POINTS_BACK = re.compile(r"(?:That|This|It)(?:'s| is| equals) ")
_SINGLE = re.compile(r"[A-Za-z]+(?:-[a-z]+)?")
_SCALE = re.compile(r"(?i)\b(?:scale|skala|échelle|escala|scala) (?:of|von|from|d[ea]) \S+ \S+ \d+")
"""The ends of a scale, which are no answer."""
_BITS = 900
"""Of the numerator of a number that is certainly below 10^300."""
_SHOWN_BITS = 40
"""Of a whole number that certainly has no more than 12 digits."""


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
    values = [v for q in final_quantities(text) for v in (*q.values, *q.others)]
    return values if len(values) < 2 else list(dict.fromkeys(values))


def final_amounts(text: str, unit: Units) -> list[Fraction]:
    """Return the possible values of the amount that an answer settles on, in a unit.

    Args:
        text: an answer. Amounts that can't be converted to `unit` aren't considered; a number
            without a unit is taken to have it.
        unit: what the unit can mean.
    """
    values = [(value, q.units) for q in final_quantities(text, unit) for value in q.values]
    amounts = (v if units is None else converted(v, units, unit) for v, units in values)
    return list(dict.fromkeys(amount for amount in amounts if amount is not None))


@lru_cache(maxsize=4)
def final_quantities(text: str, unit: Units = ()) -> tuple[Quantity, ...]:
    """Return the quantity that an answer settles on; two if it begins with one and ends with
    another, and none if it settles on none. Checks of the same answer share it.

    Args:
        text: an answer.
        unit: if not empty, quantities of other kinds are not considered.
    """
    if not unit and (plain := plain_quantity(text)) and plain.over is None:
        return (plain,)
    shape = shaped(text)
    reader = StatementReader(shape.body, unit)
    if _is_code(shape):
        return ()
    if NONE_BECAUSE.match(shape.plain) and not shape.strong:
        return of_nothing(shape.plain)
    quantities = _chosen(shape, reader)
    if not quantities and reader.left_out and not is_unknown(shape.plain):
        reader.counts_which = True
        quantities = _chosen(shape, reader)
    if quantities or not shape.strong:
        return quantities or _spelled(shape.plain, unit) or of_nothing(cleaned(shape.plain))
    strong = shape.strong[0]
    quantities = _spelled(strong.text, unit) or of_nothing(cleaned(without_marks(strong.text)))
    return tuple(quantity._replace(place=strong.place) for quantity in quantities)


def _is_code(shape: Shape) -> bool:
    """Return whether an answer is nothing but a program."""
    fence = shape.fences[0].text if len(shape.fences) == 1 else ""
    is_alone = shape.body.startswith("```") and fence.strip() in shape.plain
    return is_alone and _PROGRAM.search(fence) is not None


def _chosen(shape: Shape, reader: StatementReader) -> tuple[Quantity, ...]:
    """Return the quantity that an answer settles on in digits or English words, as
    `final_quantities` does."""
    if shape.strong:
        strong = shape.strong[0]
        number = _of_strong(strong, reader)
        return (number._replace(place=strong.place),) if number else ()
    leading, rest = None, ""
    is_list = "\n" in shape.plain and has_list_mark(shape.plain)
    if not (shape.corrected_from or shape.marked or is_list):
        leading, rest = reader.leading(cleaned(shape.plain[:_LEADING_CHARACTERS]))
    rest += shape.plain[_LEADING_CHARACTERS:]
    if leading and not _CONCLUDES.search(rest):
        chosen = [leading]
    else:
        last = _stated(shape, reader)
        chosen = [quantity for quantity in (leading, last) if quantity]
        if leading and last and not are_same(leading, last):
            is_open = _SO.search(rest) or shown_number(leading.values[0]) in rest
            is_premise = is_open and _PREMISE.match(shape.plain)
            chosen = [last] if is_premise else [] if is_open else [leading]
    if any(quantity.over is not None for quantity in chosen) and _SCORED.search(shape.body):
        chosen = [_as_score(quantity) for quantity in chosen]
    if len(chosen) + len(reader.restated) < 2:
        return tuple(chosen)
    return tuple(dict.fromkeys([*chosen, *reader.restated])) if chosen else ()


def _spelled(text: str, unit: Units) -> tuple[Quantity, ...]:
    """Return the quantity that an answer gives in words of another language than English."""
    digits = with_digits(text[-_SPELLED_CHARACTERS:])
    return final_quantities(digits, unit) if digits else ()


def _of_strong(statement: Statement, reader: StatementReader) -> Quantity | None:
    """Return the quantity in a tag, a box or after `####`."""
    text = cleaned(without_marks(statement.text))
    if statement.kind == "boxed":
        return reader.last_of(text)
    return reader.in_statement(text)


def _stated(shape: Shape, reader: StatementReader) -> Quantity | None:
    """Return the quantity after "the answer is", or that the last sentence states."""
    if number := _count_of_list(shape, reader):
        return number
    for counts in (True, False):
        for statement in shape.marked:
            is_due = statement.counts is counts and not statement.is_negated
            if statement.is_interim and _computes_on(shape, statement):
                continue
            if is_due and (number := reader.in_statement(cleaned(statement.text))):
                return number._replace(place=statement.place)
        is_whole = counts and not (shape.corrected_from or shape.fences)
        if is_whole and (number := emphasised(shape.body, reader)):
            return number
        opening = opening_sentence(shape.plain) if is_whole else None
        if opening == "":
            return None
        if opening and (number := reader.in_sentence(cleaned(opening))):
            return number
        place = AFTER_CORRECTION if shape.corrected_from and counts else ""
        for sentence in (sentences := stating_sentences(shape, counts=counts)):
            number = reader.in_sentence(sentence)
            if number and reader.unit and _POINTS_BACK.match(sentence):
                before = reader.quantities(next(sentences, ""))
                reader.restated += [q for q in before if are_same(number, q)][:1]
            if number is None or (not reader.unit and is_year(number)):
                digits = with_digits(sentence) if reader.comma is not False else None
                last = reader.in_sentence(digits) if digits else None
                is_date = number is not None and is_adjunct(sentence, number.start)
                is_last = digits and last and not digits[last.end :].strip(" .!")
                if digits and (number is None or is_last or (last and is_date)):
                    return last
            if number:
                return number._replace(place=place) if place else number
    return None


def _count_of_list(shape: Shape, reader: StatementReader) -> Quantity | None:
    """Return how many items an answer says that the list which it ends with has: "There are two
    ways:" and two of them."""
    head, colon, rest = shape.plain.partition(":\n")
    items = [line for line in rest.split("\n") if line.strip()] if colon and "=" not in rest else []
    if len(items) < 2 or shape.corrected_from or shape.marked:
        return None
    if not all(map(is_item, items)):
        return None
    number = reader.in_sentence(cleaned(head[head.rfind("\n") + 1 :] + ":"))
    count = sum(line[0] not in " \t" for line in items)
    return number if number and number.values[0] == count else None


def _computes_on(shape: Shape, statement: Statement) -> bool:
    """Return whether a sentence after a statement computes something."""
    later = (sentence.text for sentence in shape.sentences if sentence.start > statement.start)
    return any("=" in text for text in later)


def _as_score(quantity: Quantity) -> Quantity:
    """Return a quantity that is read as a score: 8 of `8/10`."""
    if quantity.over is None:
        return quantity
    return quantity._replace(values=(quantity.over,), others=quantity.values)


def final_range(text: str) -> tuple[Fraction, Fraction] | None:
    """Return the ends of the only range of an answer without another number: "between 3 and 5";
    None if it has none or several."""
    plain = _SCALE.sub("", cleaned(shaped(text).plain))
    plain = _SINGLE.sub(lambda word: str(spelled_value(word[0]) or word[0]), plain)
    ranges = ranges_in(with_digits(plain) or plain)
    ends = [q.values[-1] for q in quantities_in(ranges[0])] if len(ranges) == 1 else []
    return (ends[0], ends[1]) if len(ends) == 2 and ends[0] <= ends[1] else None


def number_place(text: str, unit: Units = ()) -> str:
    """Return how reasons say where in an answer its number stands: " (in its last box)"; empty if
    that is the whole answer.

    Args:
        text: an answer.
        unit: as for `final_quantities`.
    """
    if _SIMPLE.fullmatch(text):
        return ""
    # With the same arguments as before, for which they are kept.
    quantities = final_quantities(text, unit) if unit else final_quantities(text)
    for quantity in reversed(quantities):
        if quantity.place:
            return f" ({quantity.place})"
    return ""


def number_of(text: str) -> tuple[Fraction, ...]:
    """Return the possible values of a number in a test; empty if it is no number.

    Args:
        text: the number: `42`, `$18`, `1,234` or `50%`.
    """
    numbers = quantities_in(cleaned(answer_body(text)), comma_is_decimal=False)
    if len(numbers) != 1:
        return ()
    return (*numbers[0].others, *numbers[0].values)


def shown_number(value: Fraction) -> str:
    """Return a number as reasons show it, with up to 12 digits."""
    if value.denominator == 1 and value.numerator.bit_length() < _SHOWN_BITS:
        return str(value.numerator)
    is_small = value.numerator.bit_length() < _BITS or abs(value) < 10**300
    return f"{float(value):.12g}" if is_small else "a huge number"
