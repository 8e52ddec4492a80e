"""Finds the options or labels that an answer settles on.

A tag, a box or `####` decides alone, then what follows a correction, then the whole text. In a text
each mention of a label has a stance: named as the answer, called right, called wrong, or neither.
The last mention that is named decides. Without one, the label that begins the answer decides, or
those called right, or the only label that isn't rejected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lve.checkers.extract import left_labels, stances
from lve.checkers.extract.labels import (
    LATEX_LAYOUT,
    Mention,
    label_mentions,
    letter_mentions,
    only_letters,
)
from lve.checkers.shape.answer_parts import AFTER_CORRECTION, shaped
from lve.checkers.shape.passages import quoted_spans
from lve.checkers.shape.patterns import pattern
from lve.named_tuples import NamedTuple

MAX_MENTIONS = 200
"""The most mentions that are considered: the first `_FIRST` and the last ones."""
_FIRST = 20
_ADVERB = re.compile(pattern("adverb"))
"""What says nothing of labels: "The right one, however, is B"; "If I had to choose, B"."""
_ALTERNATIVE = re.compile(pattern("label_alternative"))
_DEPENDS = re.compile(pattern("label_depends"))
"""An answer that gives a label for each of several cases."""
_ALL_RIGHT = re.compile(pattern("all_right"))
_NONE_CHOSEN = re.compile(pattern("none_chosen"))
_NOTHING_RIGHT = re.compile(pattern("nothing_right"))
_ANSWERS_NOTHING = re.compile(pattern("answers_nothing"))
_BEYOND = re.compile(pattern("letter_beyond"))
"""Two letters that are linked at the end of a list: "B, D and E"."""
_EXCEPTION_FIRST = re.compile(pattern("exception_first"))
_CIRCLED = re.compile(pattern("circled_answer"))

Find = Callable[[str], list[Mention]]


class Settled(NamedTuple):
    """What an answer settles on."""

    labels: frozenset[str]
    """Empty if it settles on none."""
    place: str = ""
    """Where it says so; empty if that is the whole text."""


def settled_options(text: str, letters: str, texts: Sequence[str] = ()) -> Settled:
    """Return the letters of the options that an answer settles on.

    Args:
        text: an answer.
        letters: the letters of all options: `ABCD`.
        texts: the texts of the options in the same order, if they are known.
    """

    def find(part: str) -> list[Mention]:
        return letter_mentions(left_labels.without_letters_in(texts, letters, part), letters)

    if circled := _CIRCLED.search(text):
        place = ord(circled[0][-1]) - ord("①")
        text = f"{text[: circled.end() - 1]}{letters[place : place + 1]}{text[circled.end() :]}"
    plain = shaped(text).plain
    if any(pair[1] in letters and pair[2] not in letters for pair in _BEYOND.finditer(plain)):
        return Settled(frozenset())  # one of those that it chooses is no option
    marked = None if shaped(text).strong else left_labels.marked_in_list(plain, letters, texts)
    if marked is not None:
        return Settled(marked, "in its list of verdicts")
    settled = _settled(text, find, lambda part: only_letters(part, letters), letters)
    if not settled.labels and _ALL_RIGHT.fullmatch(plain):
        return Settled(frozenset(letters))
    if settled.labels and texts:
        is_other = left_labels.has_text_of_another(plain, settled.labels, letters, texts)
        return Settled(frozenset()) if is_other else settled
    nothing = _NOTHING_RIGHT.search(plain) if texts else None
    if settled.labels or not texts or (nothing and not left_labels.is_option(nothing[0], texts)):
        return settled
    if (numbered := left_labels.letters_by_number(plain, letters, texts)) is not None:
        return Settled(frozenset() if find(plain) else numbered)
    chosen = settled_labels(text, texts)
    return Settled(
        frozenset(letters[[*texts].index(label)] for label in chosen.labels), chosen.place
    )


def settled_labels(text: str, labels: Sequence[str]) -> Settled:
    """Return the labels that an answer settles on.

    Args:
        text: an answer.
        labels: all labels, such as `yes` and `no`.
    """
    if all(len(label) == 1 and label.isascii() and label.isupper() for label in labels):
        return settled_options(text, "".join(labels))

    def only(part: str) -> frozenset[str]:
        bare = part.strip(" .,!?;:\"'()[]\n。！").casefold()
        return frozenset(label for label in labels if bare == label.casefold())

    return _settled(text, lambda part: label_mentions(part, labels), only, labels)


def _settled(
    text: str, find: Find, only: Callable[[str], frozenset[str]], every: Sequence[str]
) -> Settled:
    shape = shaped(text)
    for statement in shape.strong:
        part = _words(statement.text)
        if labels := only(part) or _decided(part, find(part), every):
            return Settled(labels, statement.place)
    plain = _words(shape.plain).strip()
    if labels := only(plain):
        return Settled(labels)
    if shape.corrected_from:
        after = _words(shape.plain[shape.corrected_from :])
        if labels := _decided(after, find(after), every):
            return Settled(labels, AFTER_CORRECTION)
    named = [s for s in shape.marked if s.counts]
    cases = left_labels.in_cases(shape.plain, [s.start for s in named])
    for said in [s for s in named if s.start not in cases]:
        part = _words(said.text)
        if labels := only(part) or _announced(part, find(part), every):
            return Settled(labels, "where it names its answer")
        if _ANSWERS_NOTHING.match(part):
            begin = max(shape.plain.rfind(end, 0, said.start) for end in ("\n", ". ")) + 1
            rest = _words(shape.plain[begin:])
            return Settled(_decided(rest, find(rest), every))
    return Settled(_decided(plain, find(plain), every))


def _words(text: str) -> str:
    """Return a text without LaTeX layout and adverbs between commas; "except for B, all" turned."""
    return _EXCEPTION_FIRST.sub(r"all except \1", _ADVERB.sub("", LATEX_LAYOUT.sub("", text)))


def _announced(text: str, mentions: list[Mention], every: Sequence[str]) -> frozenset[str]:
    """Return the labels at the beginning of a text after "the answer is"."""
    judged = stances.with_stances(text, mentions)
    first = next((m for m in judged if m.stance != stances.WRONG), None)
    if first is None or stances.BOUNDARY.search(text, 0, first.start):
        return frozenset()
    later = [m.start for m in judged if m.start > first.start and m.stance == stances.NAMED]
    if later and stances.CONTRAST.search(text, first.end, later[-1]):
        return frozenset()
    before = text[: first.start].strip(" \"'([*:-\n")
    is_close = first.stance == stances.NAMED or len(before.split()) <= 4
    return _listed(text, judged, every) or frozenset(first.labels if is_close else ())


def _decided(text: str, mentions: list[Mention], every: Sequence[str]) -> frozenset[str]:
    if (best := left_labels.highest(text, mentions, every)) is not None:
        return best
    if len(mentions) > MAX_MENTIONS:
        mentions = [*mentions[:_FIRST], *mentions[_FIRST - MAX_MENTIONS :]]
    if len(mentions) > 1 and _DEPENDS.match(text):
        return frozenset()
    quotations = quoted_spans(text)
    own = [m for m in mentions if not any(a < m.start < b for a, b in quotations)] or mentions
    judged = stances.with_stances(text, own)
    cases = left_labels.in_cases(text, [m.start for m in judged])
    judged = [m._replace(stance=stances.WRONG) if m.start in cases else m for m in judged]
    open_from = max((m.start for m in judged if m.stance != stances.WRONG), default=0)
    if any(nothing.start() > open_from for nothing in _NOTHING_RIGHT.finditer(text)):
        return frozenset()
    if len(judged) > 1 and len(judged[0].labels) == len(every) and _begins(text, judged[0]):
        del judged[0]  # "Yes and no. Strictly speaking, yes."
    named = [mention for mention in judged if mention.stance == stances.NAMED]
    if named:
        return frozenset(named[-1].labels)
    right = [mention for mention in judged if mention.stance == stances.RIGHT]
    if not right and _NONE_CHOSEN.search(text):
        return frozenset()
    first = judged[0] if judged else None
    begins = first is not None and first.stance == stances.NEITHER and _begins(text, first)
    mentioned = {label for mention in judged for label in mention.labels}
    if begins and mentioned == {*every} and stances.at_lines(text, judged):
        return frozenset()  # all options, repeated
    if first is not None and begins and (not right or stances.is_sentence(text, first)):
        return _listed(text, judged, every) or frozenset(first.labels)
    if right:
        return frozenset(label for mention in right for label in mention.labels)
    return (
        _listed(text, judged, every)
        or left_labels.only_open(judged)
        or left_labels.only_open(left_labels.outside_reasons(text, judged, every))
        or left_labels.left_over(text, judged, every)
        or left_labels.opposite(text, judged, every)
    )


def _listed(text: str, judged: list[Mention], every: Sequence[str]) -> frozenset[str]:
    """Return the labels of a list with one on each line, unless it has all of them."""
    chosen = [mention for mention in judged if mention.stance != stances.WRONG]
    labels = {label for mention in chosen for label in mention.labels}
    if not 1 < len(labels) < len(every) or any(mention.stance for mention in chosen):
        return frozenset()
    return frozenset(labels) if stances.at_lines(text, chosen) else frozenset()


def _begins(text: str, mention: Mention) -> bool:
    """Return whether an answer begins with the label, without an alternative or question mark."""
    before = text[: mention.start].strip(" \"'([*>-\n")
    return bool(stances.OPENING.fullmatch(before)) and not _ALTERNATIVE.match(text, mention.end)
