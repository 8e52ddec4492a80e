"""Finds the options or labels that an answer settles on.

A tag, a box or `####` decides alone, then what follows a correction, then the whole text. In a text
each mention of a label has a stance: named as the answer, called right, called wrong, or neither.
The last mention that is named decides. Without one, the label that begins the answer decides, or
those called right, or the only label that isn't rejected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lve.checkers.extract.labels import (
    Mention,
    are_denied,
    are_offered,
    is_alternative,
    is_link,
    is_new_clause,
    label_mentions,
    letter_mentions,
    only_letters,
)
from lve.checkers.extract.left_labels import (
    has_text_of_another,
    highest,
    left_over,
    only_open,
    opposite,
)
from lve.checkers.extract.stances import NAMED, NEITHER, RIGHT, WRONG, is_of_clause, stance
from lve.checkers.shape.passages import quoted_spans
from lve.checkers.shape.patterns import pattern
from lve.checkers.shape.shape import AFTER_CORRECTION, shaped
from lve.named_tuples import NamedTuple

_LATEX = re.compile(pattern("latex_layout"))
MAX_MENTIONS = 200
"""The most mentions that are considered: the first `_FIRST` and the last ones."""
_FIRST = 20
_REACH = 120
"""How many characters on each side of a label are read."""
_BOUNDARY = re.compile(pattern("boundary"))
_ADVERB = re.compile(pattern("adverb"))
"""What says nothing of labels: "The right one, however, is B"; "If I had to choose, B"."""
_SPLIT = re.compile(pattern("label_split"))
_OPENING = re.compile(pattern("opening"))
_ALTERNATIVE = re.compile(pattern("label_alternative"))
_DEPENDS = re.compile(pattern("label_depends"))
"""An answer that gives a label for each of several cases."""
_DECORATION = "✅❌✓✗✔✘☑☐ "
_ASIDE = re.compile(pattern("aside"))
_OPTION_TEXT = re.compile(pattern("option_text"))
"""After a letter, before the text of its option: "(A) It isn't said."."""
_REPLY = re.compile(r"(?i)(?:yes|no|ja|nein|oui|non|sí)(?=[.!,;\n]|$)")
_INTRODUCES = (":", "：")
_ALL_RIGHT = re.compile(pattern("all_right"))
_CHANGED = re.compile(pattern("changed"))
_NONE_CHOSEN = re.compile(pattern("none_chosen"))
_RETRACTS = re.compile(pattern("retracts"))
_RETRACTED_FOR = re.compile(pattern("retracted_for"))
_VERB_AFTER = re.compile(pattern("verb_after_letter"))
_LIST_MARKS = " \t>*•|(\"'-.)0123456789"

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
    settled = _settled(
        text,
        lambda part: letter_mentions(part, letters),
        lambda part: only_letters(part, letters),
        letters,
    )
    if not settled.labels and _ALL_RIGHT.fullmatch(shaped(text).plain):
        return Settled(frozenset(letters))
    if not texts:
        return settled
    if settled.labels:
        plain, letter = shaped(text).plain, min(settled.labels)
        is_other = len(settled.labels) == 1 and has_text_of_another(plain, letter, letters, texts)
        return Settled(frozenset()) if is_other else settled
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
    named = [_words(s.text) for s in shape.marked if s.counts]
    for part in named:
        if labels := only(part) or _announced(part, find(part), every):
            return Settled(labels, "where it names its answer")
    return Settled(_decided(plain, find(plain), every))


def _words(text: str) -> str:
    """Return a text without LaTeX layout and adverbs between commas."""
    return _ADVERB.sub("", _LATEX.sub("", text))


def _announced(text: str, mentions: list[Mention], every: Sequence[str]) -> frozenset[str]:
    """Return the labels at the beginning of a text after "the answer is"."""
    judged = _with_stances(text, mentions)
    first = next((m for m in judged if m.stance != WRONG), None)
    if first is None or _BOUNDARY.search(text, 0, first.start):
        return frozenset()
    before = text[: first.start].strip(" \"'([*:-\n")
    is_close = first.stance == NAMED or len(before.split()) <= 4
    return _listed(text, judged, every) or frozenset(first.labels if is_close else ())


def _decided(text: str, mentions: list[Mention], every: Sequence[str]) -> frozenset[str]:
    if (best := highest(text, mentions, every)) is not None:
        return best
    if len(mentions) > MAX_MENTIONS:
        mentions = [*mentions[:_FIRST], *mentions[_FIRST - MAX_MENTIONS :]]
    if len(mentions) > 1 and _DEPENDS.match(text):
        return frozenset()
    quotations = quoted_spans(text)
    own = [m for m in mentions if not any(a < m.start < b for a, b in quotations)] or mentions
    judged = _with_stances(text, own)
    if len(judged) > 1 and len(judged[0].labels) == len(every) and _begins(text, judged[0]):
        del judged[0]  # "Yes and no. Strictly speaking, yes."
    named = [mention for mention in judged if mention.stance == NAMED]
    if named:
        return frozenset(named[-1].labels)
    right = [mention for mention in judged if mention.stance == RIGHT]
    if not right and _NONE_CHOSEN.search(text):
        return frozenset()
    first = judged[0] if judged else None
    begins = first is not None and first.stance == NEITHER and _begins(text, first)
    if (
        begins
        and {label for m in judged for label in m.labels} == {*every}
        and _at_lines(text, judged)
    ):
        return frozenset()  # all options, repeated
    if first is not None and begins and (not right or _is_sentence(text, first)):
        return _listed(text, judged, every) or frozenset(first.labels)
    if right:
        return frozenset(label for mention in right for label in mention.labels)
    return (
        _listed(text, judged, every)
        or only_open(judged)
        or left_over(text, judged, every)
        or opposite(text, judged, every)
    )


def _listed(text: str, judged: list[Mention], every: Sequence[str]) -> frozenset[str]:
    """Return the labels of a list with one on each line, unless it has all of them."""
    chosen = [mention for mention in judged if mention.stance != WRONG]
    labels = {label for mention in chosen for label in mention.labels}
    if not 1 < len(labels) < len(every) or any(mention.stance for mention in chosen):
        return frozenset()
    return frozenset(labels) if _at_lines(text, chosen) else frozenset()


def _at_lines(text: str, mentions: list[Mention]) -> bool:
    """Return whether each mention begins a line of its own."""
    return len(mentions) > 1 and all(
        not text[text.rfind("\n", 0, mention.start) + 1 : mention.start].strip(_LIST_MARKS)
        for mention in mentions
    )


def _is_sentence(text: str, mention: Mention) -> bool:
    """Return whether the label at the beginning of an answer is a whole sentence: `No.`"""
    is_word = mention.end - mention.start > 1 or not text[mention.start].isascii()
    if _ASIDE.match(text, mention.end):
        return True
    return is_word and text[mention.end : mention.end + 1] in ".!,;:-\n，。！；：、的"


def _begins(text: str, mention: Mention) -> bool:
    """Return whether an answer begins with the label, without an alternative or question mark."""
    before = text[: mention.start].strip(" \"'([*>-\n")
    return bool(_OPENING.fullmatch(before)) and not _ALTERNATIVE.match(text, mention.end)


def _with_stances(text: str, mentions: list[Mention]) -> list[Mention]:
    """Return the mentions with stances, each list as one: "B and D", "A, C, and D are false"."""
    groups: list[Mention] = []
    for mention in mentions:
        last = groups[-1] if groups else None
        between = text[last.end : mention.start] if last else ""
        if last and between.casefold() == " to " and _CHANGED.search(text, 0, last.start):
            groups[-1] = last._replace(stance=WRONG)
            groups.append(mention._replace(stance=NAMED))
        elif last and len(between) < 20 and is_alternative(between):
            labels = (*last.labels, *mention.labels) if are_denied(text, last.start) else ()
            groups[-1] = Mention(labels, last.start, mention.end, WRONG)
        elif last and last.labels and is_new_clause(text, last, mention):
            groups.append(mention)
        elif last and not {*last.labels} & {*mention.labels} and last.labels and is_link(between):
            labels = tuple(dict.fromkeys((*last.labels, *mention.labels)))
            groups[-1] = Mention(labels, last.start, mention.end, last.stance)
        else:
            groups.append(mention)
    for index, group in enumerate(groups):
        if len(group.labels) > 1 and are_offered(text, group.start):
            groups[index] = group._replace(labels=(), stance=WRONG)
    judged: list[Mention] = []
    for index, group in enumerate(groups):
        mention = group._replace(stance=group.stance or _stance_of(text, groups, index))
        if judged and mention.stance != WRONG and _is_correction(text, judged[-1], mention):
            judged[-1], mention = judged[-1]._replace(stance=WRONG), mention._replace(stance=NAMED)
        judged.append(mention)
    return judged


def _is_correction(text: str, last: Mention, mention: Mention) -> bool:
    """Return whether a label takes back the one before it: "B. No, A."."""
    if not _RETRACTS.fullmatch(text, last.end, mention.start):
        return False
    return mention.stance != NEITHER or _RETRACTED_FOR.match(text, mention.end) is not None


def _stance_of(text: str, groups: list[Mention], index: int) -> int:
    """Return the stance of a mention by its clause: the words from the one before to the next."""
    mention = groups[index]
    start = groups[index - 1].end if index else 0
    end = groups[index + 1].start if index + 1 < len(groups) else len(text)
    before = text[max(start, mention.start - _REACH) : mention.start]
    after = _VERB_AFTER.sub(" ", text[mention.end : min(end, mention.end + _REACH)], count=1)
    if len(groups) == 1:
        before = before.lstrip(_DECORATION)
    clauses = _BOUNDARY.split(
        before.rstrip("\n") if before.rstrip()[-1:] in _INTRODUCES else before
    )
    before = clauses[-1]
    if index and len(clauses) == 1 and (cuts := [*_SPLIT.finditer(before)]):
        before = before[cuts[-1].start() :].lstrip(",，、( ")
    clauses = _BOUNDARY.split(after, maxsplit=1)
    after = clauses[0]
    if after.endswith("?") and (reply := _REPLY.match(clauses[-1])) is not None:
        after = reply[0]  # "Check B: 3 > 4? No."
    if end < len(text) and len(clauses) == 1 and (cuts := [*_SPLIT.finditer(after)]):
        after = after[: cuts[-1].start()]
    bare = before.strip(" \"'(*-")
    is_option = len(groups) == 1 and _OPTION_TEXT.match(text, mention.end)
    if (is_option and _OPENING.fullmatch(bare)) or (not bare and _is_sentence(text, mention)):
        after = ""
    if len(groups) > 1 and is_of_clause(before, after):
        return WRONG  # "It is true that ..., but ..."
    return stance(before, after)
