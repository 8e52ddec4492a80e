"""Finds the first sentence of an answer to which the others only add something: "K2 is 8,611 metres
high. It was first climbed in 1954.", and answers that give alternatives.

A worked solution ends with its number, a statement begins with it. What follows a statement is an
addition, unless it concludes or corrects something, or has a number that comes of those before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import permutations

from lve.checkers.extract.numerals.clauses import is_unknown
from lve.checkers.extract.quantities.quantity_patterns import has_number_word, has_quantity
from lve.checkers.extract.quantities.spelled_numbers import spelled_value
from lve.checkers.shape.characters import lowered
from lve.checkers.shape.passages import stated
from lve.checkers.shape.patterns import pattern

_STATES_NONE = re.compile(pattern("opening_without_statement"))
"""A first sentence that supposes something, or is corrected or used by what follows. This pattern,
the next two, `_FACTORS` and `_PREMISES` are for texts in lower case: three times as fast."""
_NUMBERED = re.compile(r"[A-Z]\w+ \d+ (?!.*\d)")
"""Such a sentence, too: "Apollo 11 was launched"."""
_CONCLUDES = re.compile(pattern("after_opening_concludes"))
_SO = re.compile(pattern("conclusion_word"))
_VARIES = re.compile(pattern("parallel"))
"""What differs between two statements that are alternatives, and the marks after them."""
_SUMMARY = re.compile(pattern("summary"))
"""What makes of alternatives details or guesses."""
_SAME_THING = re.compile(pattern("after_opening_same_thing"))
"""How a sentence begins that says another number of the same thing: "It's 18.", "Of these"."""
_WOULD = re.compile(r"\bwould\b")
_FACTORS = re.compile(pattern("hidden_factor"))
"""Words that stand for a number of a computation, which their groups are named after."""
_ROUNDS = re.compile(r"(?:round|rund|rond|redond|arroton)(?!er)")
_PREMISES = re.compile(pattern("premises"))
"""A sentence that says of which numbers the first one comes."""
_BREAK = re.compile(r"[.!?;\n。！？；](?:(?<=[\n。！？；])|(?=\s))")
"""Where a sentence may end."""
_DIGITS = re.compile(r"(?<![\w.,^])\d{1,12}(?:,\d{3})*(?:\.\d{1,9})?")
_WORD = re.compile(r"[A-Za-z]+(?:-[a-z]+)?")
_DIGITS_AND_MARKS = "0123456789.,;!?%$/ "
Number = int | Fraction
MAX_OPENED = 700
"""The most characters of an answer that is taken for a statement with additions."""
MAX_NUMBERS = 8
"""The most numbers of such an answer."""


@lru_cache(maxsize=4)
def opening_sentence(plain: str) -> str | None:
    """Return the first sentence of an answer if it states a number, and others only add to it, or
    the one before the last where that only says a number again; an empty text for alternatives, of
    which none is chosen; None if the last sentence may state the number.

    Args:
        plain: the answer without marks; without boxes, announcements and corrections.
    """
    if len(plain) > MAX_OPENED or _BREAK.search(plain) is None:
        return None
    first, *later = [plain[start:end].strip() for start, end, *_ in stated(plain)][::-1] or [""]
    if later and _are_alternatives([first, *later]):
        return ""
    if not (has_quantity(first) and any(map(has_quantity, later))):
        return None
    if len(_numbers(first)) == 1 and any(_explains(sentence, first) for sentence in later):
        return first
    if "=" in plain or "\n" in plain.strip():
        return None
    before = [first, *later[:-1]]
    if _SO.search(lowered(before[-1])) and _repeats(" ".join(before), later[-1]):
        return before[-1]
    is_open = _NUMBERED.match(first) or _STATES_NONE.search(lowered(first)) or is_unknown(first)
    is_open = is_open or any(
        _SAME_THING.match(text) or _CONCLUDES.search(lowered(text)) for text in later
    )
    return None if is_open or _computes(first, later) else first


def _are_alternatives(sentences: list[str]) -> bool:
    """Return whether the last two sentences say the same with different numbers, and the last one
    doesn't come of those before: "The first method gives 60. The second gives 70."."""
    before, last = sentences[-2:]
    if before.rstrip(_DIGITS_AND_MARKS)[-1:] != last.rstrip(_DIGITS_AND_MARKS)[-1:]:
        return False
    numbers, others = _numbers(last), _numbers(before)
    if numbers[:1] == others[:1] or numbers[1:] != others[1:]:  # of the same scale, "/10"
        return False
    frames = {(*_VARIES.sub("", _DIGITS.sub("0", text)).split(),) for text in (before, last)}
    text = " ".join(sentences[:-1])
    if len(frames) > 1 or _SUMMARY.search(text):
        return False
    return not _comes_of(numbers[0], _numbers(text)[-MAX_NUMBERS:], last)


def _repeats(text: str, last: str) -> bool:
    """Return whether a last sentence only says a number again that those before conclude from:
    "Anna gave 4 of 10 to Ben, so she has 6. Ben has 4."."""
    if not last[0].isupper() or f" {last.split()[0]}" not in text:
        return False
    numbers = _numbers(text)
    return {*_numbers(last)} <= {*numbers[:-1]} - {*numbers[-1:]}


def _explains(sentence: str, first: str) -> bool:
    """Return whether the only number of a first sentence comes of those of another one, which
    gives premises and concludes nothing."""
    number, terms = _numbers(first)[0], _numbers(sentence)
    if not 1 < len(terms) < MAX_NUMBERS or number in terms:
        return False
    lower = lowered(sentence)
    if not _PREMISES.search(lower) or _SO.search(lower):
        return False
    return _comes_of(number, terms, sentence)


def _computes(first: str, later: list[str]) -> bool:
    """Return whether a number of later sentences is one of the first, or comes of those before."""
    before, text = [*_numbers(first)], first
    if len(before) > 2:  # "15 got on, 4 got off, and 7 got on": no statement
        return True
    for sentence in later:
        text = f"{text} {sentence}"
        for number in _numbers(sentence):
            if len(before) > MAX_NUMBERS or _comes_of(number, before, text):
                return True
            before.append(number)
    return False


@lru_cache(maxsize=16)
def _numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of a text in digits, and those in single English words."""
    words = filter(None, map(spelled_value, _WORD.findall(text))) if has_number_word(text) else ()
    digits = (number.replace(",", "") for number in _DIGITS.findall(text))
    return (*(Fraction(each) if "." in each else int(each) for each in digits), *words)


def _comes_of(number: Number, before: Sequence[Number], text: str) -> bool:
    """Return whether a number is one of those before it, their sum, or the sum, difference,
    product, quotient or percentage of two."""
    if not _WOULD.search(text):
        words = {word.lastgroup or "" for word in _FACTORS.finditer(lowered(text))}
        before = [*before, *(int(name[1:]) for name in words)]
    if number != 1 and (number in before or number == sum(before)):
        return True
    if "squar" in text and any(number == n * n or n == number * number for n in before):
        return True
    if _ROUNDS.search(text) and any(number in (n // 1, n // 1 + 1) for n in before):
        return True
    return any(_is_of_two(number, *pair) for pair in permutations(before, 2))


def _is_of_two(number: Number, first: Number, second: Number) -> bool:
    if number in (first + second, second - first):
        return True
    product, percent = first * second, 100 * number
    if not first or number == product or second == number * first:
        return bool(first)
    return product in (percent, 100 * first - percent, percent - 100 * first)
