"""Finds the labels that an answer leaves: those that it doesn't reject or except, the other of two
opposites, that of the highest share, those that only give a case or a reason; and compares an
answer with the texts of the options.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, pairwise

from lve.checkers.extract.labels import Mention, is_symbol
from lve.checkers.extract.numerals.final_number import final_numbers, number_of
from lve.checkers.extract.stances import ALL_BUT, NEITHER, WRONG, stance
from lve.checkers.shape.patterns import pattern

_OPPOSITES = (
    {"true", "false"},
    {"correct", "incorrect"},
    {"valid", "invalid"},
    {"possible", "impossible"},
)
_SCORE = re.compile(pattern("label_score"))
_GAP = re.compile(pattern("score_gap"))
_CONDITIONAL = re.compile(pattern("conditional"))
_CONDITIONAL_ANSWER = re.compile(pattern("conditional_answer"))
"""Before an answer on a condition, unless that only says how it was found: "If x is even, it's"."""
_REASON = re.compile(pattern("reason_before"))
_LETTER = re.compile(r"(?<!\w)[B-HJ-Z](?!\w)")
_DENIED = re.compile(r"(?i)(?<!\w)(?:not|isn't|is never)[ ]\Z")
_TEXT_AFTER = re.compile(pattern("text_after_letter"))
_TEXT_BEFORE = re.compile(pattern("text_before_letter"))
_VERDICT = re.compile(pattern("verdict_on_option"))
"""An item of a list that says of each option whether it is right: "B: Yes"."""
_VERDICT_FIRST = re.compile(pattern("verdict_before_option"))
_VERDICTS = re.compile(f"{pattern('before_verdicts')}(?>{_VERDICT.pattern})+")
_BEFORE = 40
_MAX_PLACES = 20
_NUMBER = re.compile(r"\s*[$€£¥]?-?\d[\d.,]*(?:/\d+)?\s?(?:°|%|[A-Za-z一-龥]{1,3}[²³]?)?\s*")
"""A text that is a number, maybe with a unit."""


def left_over(text: str, mentions: list[Mention], every: Sequence[str]) -> frozenset[str]:
    """Return the only letter that an answer doesn't mention if it rejects all the others, or those
    that it doesn't except."""
    left = {*every}.difference(*(mention.labels for mention in mentions))
    if len(mentions) == 1 and ALL_BUT.search(text, 0, mentions[0].start):
        return frozenset(left)
    is_one = len(left) == 1 and len(every) > 2 and all(m.stance == WRONG for m in mentions)
    has_others = isinstance(every, str) and not {*_LETTER.findall(text)} <= {*every}
    return frozenset(left if is_one and not has_others else ())


def opposite(text: str, mentions: list[Mention], every: Sequence[str]) -> frozenset[str]:
    """Return the other of two opposites where an answer only denies one: "It is not true."."""
    if {label.casefold() for label in every} not in _OPPOSITES or len(mentions) != 1:
        return frozenset()
    denied = _DENIED.search(text[max(0, mentions[0].start - 12) : mentions[0].start])
    return frozenset({*every} - {*mentions[0].labels}) if denied else frozenset()


def highest(text: str, mentions: list[Mention], every: Sequence[str]) -> frozenset[str] | None:
    """Return the label with the highest share where an answer only lists labels with theirs: "joy:
    0.7, fear: 0.3", or ranks them: "B > A > C"; none if there is no such label, None if it isn't
    such a list."""
    between = {text[m.end : after.start].strip() for m, after in pairwise(mentions)}
    if between == {">"}:
        return frozenset(mentions[0].labels)
    scores = [score for m in mentions if (score := _SCORE.match(text, m.end)) is not None]
    gaps = zip(scores, mentions[1:], strict=False)
    is_list = len(scores) == len(mentions) > 1
    if not is_list or not all(_GAP.fullmatch(text, s.end(), m.start) for s, m in gaps):
        return None
    shares = {m.labels[0]: float(s[1]) for m, s in zip(mentions, scores, strict=True)}
    best = [label for label, share in shares.items() if share == max(shares.values())]
    is_whole = round(sum(shares.values()), 1) in (1, 100) or all(score["of"] for score in scores)
    return frozenset(best if is_whole and len(shares) == len(every) and len(best) == 1 else ())


def marked_in_list(text: str, letters: str, texts: Sequence[str]) -> frozenset[str] | None:
    """Return the letters that an answer marks as right where it is a list with a verdict on each:
    "A: No, B: Yes"; None if it isn't such a list, or the options' texts are such verdicts.

    Args:
        text: an answer.
        letters: the letters of all options.
        texts: the texts of the options, if they are known.
    """
    text = _VERDICT_FIRST.sub(r"\2: \1", text) if _VERDICT_FIRST.match(text) else text
    are_verdicts = len(letters) < 3 or any(_VERDICT.fullmatch(f"A: {each}") for each in texts)
    if are_verdicts or not _VERDICTS.fullmatch(text):
        return None
    marks = {item["letter"]: item["right"] for item in _VERDICT.finditer(text)}
    left = {*letters}.difference(marks)
    chosen = {each for each in marks if marks[each]} or (left if len(left) == 1 else ())
    is_list = len(marks) > 1 and [*marks] == sorted(marks)
    return frozenset(chosen if {*marks} <= {*letters} else ()) if is_list else None


def only_open(mentions: list[Mention]) -> frozenset[str]:
    """Return the labels of the only mention that is not rejected."""
    rejected = {label for mention in mentions if mention.stance < 0 for label in mention.labels}
    groups = {m.labels for m in mentions if m.stance == NEITHER and not {*m.labels} <= rejected}
    left = {label for group in groups for label in group}
    return frozenset(left) if len(groups) == 1 or len(left) == 1 else frozenset()


def in_cases(text: str, places: Sequence[int]) -> set[int]:
    """Return the places in sentences that state a condition, if there are several such sentences
    or the condition is all that an answer depends on: "If it rains, the answer is A."."""
    before = {p: _CONDITIONAL.search(text[:p], max(0, p - 200)) for p in places}
    sentences = {place: condition.start() for place, condition in before.items() if condition}
    if len({*sentences.values()}) > 1:
        return {*sentences}
    return {p for p in sentences or places if _CONDITIONAL_ANSWER.search(text[:p], max(0, p - 200))}


def outside_reasons(text: str, mentions: list[Mention], every: Sequence[str]) -> list[Mention]:
    """Return the labels in words that don't stand in a reason: "mice, as owls eat mice"."""
    words = () if isinstance(every, str) else mentions
    return [m for m in words if not _REASON.search(text, max(0, m.start - 150), m.start)]


def without_letters_in(texts: Sequence[str], letters: str, answer: str) -> str:
    """Return an answer whose letters within the texts of options are small, and so no options: the
    B of "Solution B"."""
    lettered = re.compile(rf"(?<!\w)[{re.escape(letters)}](?!\w)")
    inside = [re.escape(each) for each in texts if len(each) > 1 and lettered.search(each)]
    return re.sub("|".join(inside), lambda text: text[0].lower(), answer) if inside else answer


def letters_by_number(plain: str, letters: str, texts: Sequence[str]) -> frozenset[str] | None:
    """Return the letter of the number that an answer settles on; none if it was cut off, None if
    the texts of the options aren't all numbers ("40°", "$7")."""
    if not all(map(_NUMBER.fullmatch, texts)):
        return None
    if len(plain) > 200 and plain[-1] not in '.!?。)）]"°%*$`':
        return frozenset()
    said = {*final_numbers(plain)}
    options = zip(letters, texts, strict=False)
    right = [letter for letter, each in options if said & {*number_of(each)}]
    return frozenset(right if len(right) == 1 else ())


def has_text_of_another(
    plain: str, chosen: frozenset[str], letters: str, texts: Sequence[str]
) -> bool:
    """Return whether the only chosen letter stands beside the text of another option: "A: Paris",
    "Paris (A)".

    Args:
        plain: an answer.
        chosen: the letters that it settles on.
        letters: the letters of all options.
        texts: the texts of the options in the same order.
    """
    text = plain.casefold()
    bare = [each.strip(" .").casefold().removeprefix("the ") for each in texts]
    if len(chosen) > 1 or all(len(each) == 1 for each in bare):
        return False  # or their texts are letters, too
    (letter,) = chosen
    beside: list[str] = []
    for place in islice(re.finditer(rf"(?<!\w){letter}(?!\w)", plain), _MAX_PLACES):
        if is_symbol(plain, Mention((letter,), *place.span())):
            continue  # "angle B = 58°"
        if after := _TEXT_AFTER.match(text, place.end()):
            options = [each for each in bare if text.startswith(each, after.end())]
            if options and not _is_denied(text, after.end() + len(max(options, key=len))):
                beside.append(max(options, key=len))
        start = max(0, place.start() - _BEFORE)
        if before := _TEXT_BEFORE.search(text, start, place.start()):
            said = text[: before.start()]
            options = [each for each in bare if re.search(rf"(?<![\w.]){re.escape(each)}\Z", said)]
            beside += [max(options, key=len)] if options else []
    return bool(beside) and bare[letters.index(letter)] not in beside


def _is_denied(text: str, end: int) -> bool:
    """Return whether a text goes on as a word, or is called wrong by what follows."""
    clause = re.compile(r"(?!\w)[^.;\n]{0,80}").match(text, end)
    return clause is None or stance("", clause[0]) == WRONG


def is_option(said: str, texts: Sequence[str]) -> bool:
    """Return whether "The answer is none of the above" only names an option."""
    bare = (each.strip(" .").casefold() for each in texts)
    return any(len(each) > 3 and each in said.casefold() for each in bare)
