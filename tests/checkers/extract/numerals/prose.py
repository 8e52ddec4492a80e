"""Answers in prose for tests, made of the words that the rules of numbers react to."""

from __future__ import annotations

import re
from random import Random

from lve.checkers.extract.numerals import clauses, labelling, plain_sentences, sentence_order
from lve.checkers.extract.quantities.quantity_patterns import MAGNITUDES
from lve.checkers.extract.quantities.spelled_numbers import NUMBER_WORDS
from lve.checkers.extract.quantities.units import units_by_name
from lve.checkers.extract.quantities.word_lists import word_list
from lve.checkers.shape import cues, passages

_PATTERNS = [
    pattern
    for module in (clauses, labelling, plain_sentences, sentence_order, passages)
    for pattern in vars(module).values()
    if isinstance(pattern, re.Pattern)
]
CUES = tuple(
    sorted(
        {word for pattern in _PATTERNS for word in re.findall(r"[A-Za-z][a-z' ]+", pattern.pattern)}
        | {stem.strip("_") for stems in cues._STEMS.values() for stem in stems}
        | {*MAGNITUDES, *NUMBER_WORDS}
        | {
            word
            for name in ("nouns", "months", "function_words", "no_names")
            for word in word_list(name)
        }
    )
)
"""Words of the rules themselves: a new rule brings its own."""
_UNITS = tuple(sorted(name for name in units_by_name() if name.isascii()))
_WORDS = (
    *("the", "she", "sells", "apples", "for", "a", "shop", "in", "it", "pencils", "train"),
    *("boxes", "left", "from", "her", "price", "each"),
)
_SENTENCES = (
    "{w} {w} {n} {w}{e}",
    "{w} {w} {c} {n}{e}",
    "{w} {n} {c} {w} {n} {u}{e}",
    "So, {w} {c} {n} + {n} = {n}{e}",
    "{w} is {n} {o} {n} = {n} {u}{e}",
    "{w} has {n} {w}, {c} {w} {n} {u} {w}{e}",
    "Therefore, the answer is {n}{e}",
    "The total {c} is {n} {u}{e}",
    "{w} {w} {w} {c} {w}{e}",
    "Then {n} {o} {n} = {n}{e}",
    "{w} {c} {w}, so {w} {w} {n} {u} {c} {w}{e}",
    "{n} {w} {w} {c}{e}",
    "That is {n} {u}{e}",
    "{w} {w}: {n} {u} {c} {n}{e}",
)
_CLOSINGS = (
    "", "", "", "\n\nLet me know if you have questions!", " I hope this helps.",
    "\n\nNote that {n} is rounded.", " Wait, actually it is {n}.", "\nIs there anything else?",
)  # fmt: skip


def prose(random: Random) -> str:
    """Return an answer of one to three sentences."""
    sentences = [random.choice(_SENTENCES) for _ in range(random.randint(1, 3))]
    text = random.choice((" ", " ", "\n", "\n\n")).join(sentences) + random.choice(_CLOSINGS)
    filled = re.sub(r"\{(\w)\}", lambda slot: _filled(slot[1], random), text)
    return filled[:1].upper() + filled[1:]


def _number(random: Random) -> str:
    number = str(random.randint(0, 10 ** random.randint(1, 5)))
    shape = random.random()
    if shape < 0.7:
        return number
    return random.choice((
        f"**{number}**", f"${number}", f"{number}.5", f"{number},000", f"-{number}", f"{number}%",
        f"({number})", f"{number}/7", f"{number}-9", f"{number} to 9", f"{number}th",
    ))  # fmt: skip


def _filled(slot: str, random: Random) -> str:
    if slot == "n":
        return _number(random)
    if slot == "u":
        return random.choice((random.choice(_UNITS), random.choice(_WORDS), "km", "dollars"))
    ends = ("", ".", ".", ".", "!", "?", ";")
    return random.choice({"w": _WORDS, "c": CUES, "o": "+-*/x×", "e": ends}[slot])
