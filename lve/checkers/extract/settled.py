"""Finds the options or labels that an answer settles on.

Each mention of a label has a stance: for it ("the answer is B"), against it ("A is wrong"), or
neither. The last mention that explicitly names the answer decides. Without one, the label that
begins the answer decides, or the last one called right, or the only label that isn't rejected.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lve.checkers.extract.conclusion import corrected, last_boxes, shortened_body
from lve.checkers.extract.plain_text import without_marks
from lve.checkers.extract.stances import stance

_LATEX = re.compile(
    r"\\(?:text|textbf|mathrm|mathbf|boxed|fbox|emph|bf|rm|left|right)\b\s*|[{}$\\]"
)
MAX_MENTIONS = 200
"""The most mentions that are considered: the first `_FIRST` and the last ones."""
_FIRST = 20
_HEDGE = re.compile(r"(?i)^[\s)\"']*(?:,?\s*(?:or|oder|ou|或|/)\s*)")
_LINK = re.compile(
    r"^[\s)\].\"'*]*(?:,|and|&|und|et|y|e|、|，|和|\+|/|,\s*and)?[\s(\[\"'*]*$", re.IGNORECASE
)
_VERBS = re.sub(
    r"\s+",
    "|",
    "is was are were and or but because since as seems looks holds would can can't cannot could"
    " fails over isn't has does doesn't must by due lacks not then only rather while though"
    " although if says states correctly makes fits matches works instead with",
)
_ARTICLE_AFTER = re.compile(rf"^[ ](?!(?:{_VERBS}|for sure|it is|\d)\b)[a-zäöüéè]")
_IN_WORD = r"0-9A-Za-z_\u00c0-\u024f\u0370-\u052f"
"""Characters of words in scripts with spaces between words."""
_NO_NOUN = re.compile(
    r"\s+(?:doubt|problem|idea|one|way|matter|need|more|longer|other|reason|evidence|further"
    r"|sign|clear)\b",
    re.IGNORECASE,
)

_ALSO = re.compile(r"(?i)[^.,;:!?\n]{0,40}\b(?:as well|too|also)\b")


@dataclass(frozen=True, slots=True)
class _Mention:
    labels: tuple[str, ...]
    start: int
    end: int
    stance: int
    """2: explicitly named as the answer; 1: called right; -1: called wrong; 0: neither."""


@lru_cache(maxsize=64)
def _letters(letters: str) -> re.Pattern[str]:
    cls = f"[{re.escape(letters)}]"
    small = f"[{re.escape(letters.lower())}]"
    return re.compile(
        rf"(?<![{_IN_WORD}^])(?<![\w]['-])(?:{cls}(?![{_IN_WORD}+#°^])(?![-']\w)"
        rf"|{cls}{{2,{len(letters)}}}(?![{_IN_WORD}'])|(?<=\(){small}(?=\))"
        rf"|(?:(?<=(?i:answer is ))|(?<=(?i:answer: ))|(?<=(?i:ans: ))|(?<=(?i:option ))"
        rf"|(?<=(?i:choice ))|^)"
        rf"{small}(?=[.):]|$))"
    )


@lru_cache(maxsize=64)
def _words(labels: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(labels, key=len, reverse=True)
    return re.compile(
        rf"(?<!\w)(?<!non-)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE
    )


def settled_options(text: str, letters: str, texts: Sequence[str] = ()) -> frozenset[str]:
    """Return the letters of the options that an answer settles on; empty if it settles on none.

    Args:
        text: an answer.
        letters: the letters of all options: `ABCD`.
        texts: the texts of the options in the same order, if they are known.
    """
    full = _plain(text)
    short = _only(full, letters)
    if short is not None:
        return short
    for box in reversed(last_boxes(shortened_body(text))):
        inside = _only(_plain(box), letters)
        if inside is not None:
            return inside
    # "A" and "I" can also be words.
    mentions = [
        _Mention(tuple(dict.fromkeys(m[0].upper())), m.start(), m.end(), 0)
        for m in _letters(letters).finditer(full)
        if not (m[0] in "AI" and _ARTICLE_AFTER.match(full[m.end() : m.end() + 40]))
        and len(set(m[0])) == len(m[0])
    ]
    settled = _settled(full, mentions)
    if settled or not texts:
        return settled
    chosen = settled_labels(text, texts)
    return frozenset(letters[list(texts).index(label)] for label in chosen)


def settled_labels(text: str, labels: Sequence[str]) -> frozenset[str]:
    """Return the labels that an answer settles on; empty if it settles on none.

    Args:
        text: an answer.
        labels: all labels, such as `yes` and `no`.
    """
    full = _plain(text)
    bare = full.strip(" .,!?;:\"'()[]\n").casefold()
    for label in labels:
        if bare == label.casefold():
            return frozenset([label])
    spellings = {
        unify.casefold(): label
        for label in labels
        for unify in (label, label.replace("_", " "), label.replace("-", " "))
    }
    if all(len(label) == 1 and label.isupper() for label in labels):
        return settled_options(text, "".join(labels))
    mentions = [
        _Mention((spellings[m[0].casefold()],), m.start(), m.end(), 0)
        for m in _words(tuple(spellings)).finditer(full)
        if not (m[0].casefold() == "no" and _NO_NOUN.match(full, m.end()))
    ]
    return _settled(full, mentions)


def _plain(text: str) -> str:
    return _LATEX.sub("", without_marks(shortened_body(text))).strip()


def _only(text: str, letters: str) -> frozenset[str] | None:
    """Return the letters of an answer that consists only of letters: `b)`, `BD`, `B, D`. None for
    other answers."""
    bare = re.sub(
        r"(?i)\b(?:and|und|et|y|option|answer)\b|[\s.,;:!()\[\]\"'、，。&/+]", "", text[:200]
    )
    if (
        0 < len(bare) <= len(letters)
        and all(letter in letters for letter in bare.upper())
        and len(text) <= 200
    ):
        if (
            len(bare) > 1
            and bare.islower()
            and bare.isalpha()
            and not re.search(r"[\s,&/]", text.strip())
        ):
            return None
        return frozenset(bare.upper())
    return None


def _settled(text: str, mentions: list[_Mention]) -> frozenset[str]:
    if len(mentions) > MAX_MENTIONS:
        mentions = [*mentions[:_FIRST], *mentions[_FIRST - MAX_MENTIONS :]]
    after = corrected(text)
    if after != text:
        begin = len(text) - len(after)
        late = [
            _Mention(m.labels, m.start - begin, m.end - begin, 0)
            for m in mentions
            if m.start >= begin
        ]
        if labels := _decided(after, late):
            return labels
    return _decided(text, mentions)


def _decided(text: str, mentions: list[_Mention]) -> frozenset[str]:
    judged = _joined(text, [_with_stance(text, mentions, i) for i in range(len(mentions))])
    marked = [mention for mention in judged if mention.stance == 2]
    if marked:
        return frozenset(marked[-1].labels)
    first = judged[0] if judged else None
    begins = first is not None and first.stance == 0 and _begins(text, first)
    if first is not None and begins and _is_sentence(text, first):
        return frozenset(first.labels)
    favoured = [mention for mention in judged if mention.stance == 1]
    if favoured:
        return _together(text, favoured)
    if first is not None and begins:
        return frozenset(first.labels)
    return _only_open(judged)


def _together(text: str, favoured: list[_Mention]) -> frozenset[str]:
    """Return the last labels that are called right, and those before them if they are linked by
    "also": "A is correct. C is correct as well."."""
    labels: set[str] = set()
    for mention in reversed(favoured):
        labels |= {*mention.labels}
        if not _ALSO.match(text, mention.end):
            break
    return frozenset(labels)


def _only_open(mentions: list[_Mention]) -> frozenset[str]:
    """Return the labels of the only mention that is not rejected."""
    rejected = {label for mention in mentions if mention.stance < 0 for label in mention.labels}
    open_ = [
        mention for mention in mentions if mention.stance == 0 and not {*mention.labels} <= rejected
    ]
    groups = {mention.labels for mention in open_}
    left = {label for group in groups for label in group}
    return frozenset(left) if len(groups) == 1 or len(left) == 1 else frozenset()


def _is_sentence(text: str, mention: _Mention) -> bool:
    """Return whether the label at the beginning of an answer is a whole sentence: `No.`"""
    return mention.end - mention.start > 1 and text[mention.end : mention.end + 1] in ".!,;:-\n"


def _begins(text: str, mention: _Mention) -> bool:
    """Return whether an answer begins with the label, without an alternative or question mark."""
    before = text[: mention.start].strip(" \"'([-\n").casefold()
    if before and not re.fullmatch(
        r"(?:option|answer|choice|well|sure|ok|okay|definitely|i think|i believe|probably|the"
        r"|hmm)[,:!.\s]*",
        before,
    ):
        return False
    after = text[mention.end :]
    return not re.match(r"\s*(?:,?\s*(?:or|and|oder|und)\b|\?)", after)


def _with_stance(text: str, mentions: list[_Mention], index: int) -> _Mention:
    mention = mentions[index]
    before = text[max(0, mention.start - 120) : mention.start]
    before = re.split(
        r"(?<=[.!?;])\s|\n(?=.*\S)", before.rstrip("\n") if before.strip() else before
    )[-1]
    clause = before.rstrip("\"'([ ") + (" " if before[-1:] in "\"'([ " else "")
    end = mentions[index + 1].start if index + 1 < len(mentions) else mention.end + 120
    after = re.split(
        r"(?<=[.!?;])\s|\n",
        text[mention.end : min(end, mention.end + 120)].lstrip(")]*\"' "),
        maxsplit=1,
    )[0]
    return _Mention(mention.labels, mention.start, mention.end, stance(clause, after))


def _joined(text: str, mentions: list[_Mention]) -> list[_Mention]:
    """Return the mentions, with each list as one mention: "B and D", "A, C, and D are false"."""
    joined: list[_Mention] = []
    for mention in mentions:
        last = joined[-1] if joined else None
        between = text[last.end : mention.start] if last else "x"
        is_hedge = _HEDGE.match(between) and _LINK.match(_HEDGE.sub("", between))
        if last and (is_hedge or between in ("-", " to ", "-to-")):
            joined[-1] = _Mention((), last.start, mention.end, -1)
        elif (
            last
            and len(between) < 12
            and _LINK.match(between)
            and "\n" not in between
            and between.strip(" .)]*\"'([")
        ):
            labels = tuple(dict.fromkeys((*last.labels, *mention.labels)))
            joined[-1] = _Mention(labels, last.start, mention.end, last.stance or mention.stance)
        else:
            joined.append(mention)
    return joined
