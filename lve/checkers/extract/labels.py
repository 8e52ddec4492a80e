"""Finds where an answer mentions the options or labels of a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from lve.checkers.shape.characters import unified
from lve.checkers.shape.patterns import pattern
from lve.named_tuples import NamedTuple

LATEX_LAYOUT = re.compile(pattern("latex_layout"))
_LETTER_OF_TEXT = re.compile(r"(?:\w+:)?\W{0,3}([A-Z])[.):]+ +\W?[A-Z](?![):])[+\]]*[.!]?")
"""An option whose text is a letter: "(A) C", "F. [H+]"."""
_IN_WORD = r"0-9A-Za-z_\u00c0-\u024f\u0370-\u052f"
"""Characters of words in scripts with spaces between words."""
_ARTICLE_AFTER = re.compile(pattern("article_after"))
_PRONOUN = re.compile(pattern("pronoun_after"))
"""After an "I" that is no option."""
_COMPOUND = re.compile(pattern("compound_letter"))
"""Before a letter that is a part of a name: "Vitamin A"."""
_ALPHABETS = (
    (r"(?<!\w)[АБВГДЕ](?=[).:,;\"]|\s*-|\s*$)", "АБВГДЕ"),
    (r"(?:(?<=твет )|(?<=твет: )|(?<=ариант ))[абвгде](?!\w)", "абвгде"),
    (r"(?<![\w'])[أابجده]ـ?(?!\w)", "أبجده"),
    (r"(?:(?<=は)|(?<=: ))[アイウエオ](?=[。、でだ]|\s*$)", "アイウエオ"),
    (r"[甲乙丙丁戊](?=[项項、，。；：:)）正错对不是选符为与和或的说,\s]|$)", "甲乙丙丁戊"),
    (pattern("numbered_options"), "123456789"),
    (r"[1-9](?=번)|(?:(?<=は)|(?<=は、)|(?<=是)|(?<=为))[1-9](?=番|で|[。、，]|\s*$)", "123456789"),
)
_INTRODUCED = pattern("letter_introduced")
"""Before a small letter with a bracket: "la b)"."""
_ORDINAL = re.compile(pattern("ordinal"), re.IGNORECASE)
_PARTICLES = re.compile(pattern("particle"), re.IGNORECASE)
_ALONE = re.compile(pattern("particle_alone"), re.IGNORECASE)
"""After a particle that is an answer, not a part of a sentence."""
_PRONOUN_OF_TWO = re.compile(pattern("pronoun_of_two"))
_NOUN = re.compile(r"(?i)(?<!\w)an? (?:\w+ )?$")
"""Before a particle that is a noun: "a clear no"."""
_SYNONYMS = {"yes": pattern("yes"), "no": pattern("no"), "false": pattern("untrue")}
_HEDGE = re.compile(r"(?i)^[\s)\"']*(?:,?\s*(?:or|oder|ou|或|/)\s*)")
_LINK = re.compile(pattern("label_link"), re.IGNORECASE)
_OFFERED = re.compile(pattern("labels_offered"))
"""Before labels between which an answer chooses."""
_NONE = re.compile(pattern("labels_denied"))
"""Before alternatives that are all rejected."""
_SYMBOL = re.compile(pattern("symbol_defined"))
_FORMULA = re.compile(pattern("formula"))
_OPTION_NAMED = re.compile(pattern("option_named"))
_OPTION_MARKED = re.compile(pattern("option_marked"))
_LETTERS_CHOSEN = re.compile(pattern("letters_chosen"))
_CONCEDES = re.compile(pattern("concedes"))
"""A clause before another one, up to its label: "Although some would say"."""
_SINGLE_VERB = re.compile(pattern("single_verb"))
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Mention(NamedTuple):
    """A place where an answer mentions labels."""

    labels: tuple[str, ...]
    start: int
    end: int
    stance: int = 0
    """As in `lve.checkers.extract.stances`."""


@lru_cache(maxsize=64)
def _letter_pattern(letters: str) -> re.Pattern[str]:
    cls = f"[{re.escape(letters)}]"
    small = f"[{re.escape(letters.lower())}]"
    return re.compile(
        rf"(?<![{_IN_WORD}^])(?<![\w]['-])(?:{cls}(?![{_IN_WORD}+#°^])(?![-']\w)"
        rf"|{cls}{{2,{max(2, len(letters))}}}(?![{_IN_WORD}'])"
        rf"|(?<=\()(?<![A-Za-z0-9_)]\(){small}(?=\))"
        rf"|(?:(?<=(?i:answer is ))|(?<=(?i:answer: ))|(?<=(?i:ans: ))|(?<=(?i:option ))"
        rf"|(?<=(?i:choice ))|(?<=: )|^){small}(?=[.):]|$)|(?:{_INTRODUCED}){small}(?=\)))"
    )


def letter_mentions(text: str, letters: str) -> list[Mention]:
    """Return the mentions of lettered options; if there are none, those of their letters in other
    alphabets, their numbers and "the second option"."""
    mentions = [
        Mention(tuple(dict.fromkeys(m[0].upper())), m.start(), m.end())
        for m in _letter_pattern(letters).finditer(text)
        if len(set(m[0])) == len(m[0]) and not _is_word(text, m)
    ]
    mentions = _without_symbols(text, mentions)
    mentions = mentions or sorted(_other_alphabets(text, letters), key=lambda m: m.start)
    return _with_pronouns(text, mentions)


def _without_symbols(text: str, mentions: list[Mention]) -> list[Mention]:
    """Return mentions without letters that are names, symbols or units: "triangle ABC", "C = 2",
    "5 J"; "let A be the area" if others are left."""
    others = [mention for mention in mentions if not is_symbol(text, mention)]
    symbols = {letter for match in _SYMBOL.finditer(text) for letter in match.groups()}
    options = [
        mention
        for mention in others
        if symbols.isdisjoint(mention.labels)
        or _OPTION_MARKED.search(text, max(0, mention.start - 50), mention.start)
    ]
    return options or (mentions if len(others) == len(mentions) else [])


def is_symbol(text: str, mention: Mention) -> bool:
    """Return whether letters stand in a formula, or name something of geometry."""
    start, end = mention.start, mention.end
    around = f"{text[max(0, start - 50) : start]}|{text[end : end + 30]}"
    if end - start > 1:
        return _LETTERS_CHOSEN.search(around) is None
    is_option = start == 0 or _OPTION_NAMED.search(text, max(0, start - 50), start)
    return not is_option and _FORMULA.search(around) is not None


def _with_pronouns(text: str, mentions: list[Mention]) -> list[Mention]:
    """Return mentions with those by "the former" and "the latter" of the two before them."""
    for pronoun in _PRONOUN_OF_TWO.finditer(text) if len(mentions) > 1 else ():
        before = [mention for mention in mentions if mention.end <= pronoun.start()][-2:]
        if len(before) == 2:
            labels = before[0 if pronoun[1] else 1].labels
            mentions = [*mentions, Mention(labels, pronoun.start(), pronoun.end())]
    return sorted(mentions, key=lambda mention: mention.start)


def only_letters(text: str, letters: str) -> frozenset[str]:
    """Return the letters of an answer that consists only of letters: `b)`, `BD`, `B, D`; none for
    other answers."""
    if len(text) > 200:
        return frozenset()
    if (first := _LETTER_OF_TEXT.fullmatch(text.strip())) and first[1] in letters:
        return frozenset(first[1])
    bare = re.sub(r"(?i)\b(?:and|und|et|y|option|answer)\b|[\s.,;:!()\[\]\"'、，。&/+-]", "", text)
    is_word = len(bare) > 1 and bare.islower() and not re.search(r"[\s,&/]", text.strip())
    if is_word or not set(bare.upper()) <= set(letters) or len(bare) > len(letters):
        return frozenset()
    return frozenset(bare.upper())


def _is_word(text: str, match: re.Match[str]) -> bool:
    words = {"I": _PRONOUN, "A": _ARTICLE_AFTER}.get(match[0])
    if words is not None and words.match(text, match.end()):
        return True
    return _COMPOUND.search(text[max(0, match.start() - 12) : match.start()]) is not None


def _other_alphabets(text: str, letters: str) -> Iterator[Mention]:
    for places, alphabet in _ALPHABETS:
        for match in re.finditer(places, text):
            place = alphabet.find(match[0][0].replace("ا", "أ"))
            if 0 <= place < len(letters):
                yield Mention((letters[place],), match.start(), match.end())
    for match in _ORDINAL.finditer(text):
        place = len(letters) - 1 if match[6] else ((match.lastindex or 1) - 1) % 6
        if place < len(letters):
            yield Mention((letters[place],), match.start(), match.end())


@lru_cache(maxsize=64)
def _label_pattern(labels: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    spellings = {
        spelling.casefold(): label
        for label in labels
        for bare in (LATEX_LAYOUT.sub("", unified(label)).strip() or label,)
        for spelling in (label, label.replace("_", " "), label.replace("-", " "), bare)
    }
    words = [_word_pattern(word) for word in sorted(spellings, key=len, reverse=True)]
    synonyms = [
        rf"(?P<{label}>(?<!\w)(?:{_SYNONYMS[label.lower()]})(?!\w))"
        for label in labels
        if label.lower() in _SYNONYMS
    ]
    return re.compile("|".join([*synonyms, *words]), re.IGNORECASE), spellings


def _word_pattern(word: str) -> str:
    escaped = re.escape(word)
    if _CJK.search(word):
        return escaped
    if word.isdigit():  # the 5 in "3/5" and "3 out of 5" is none
        return rf"(?<![\w/.])(?<!out of ){escaped}(?![\w%])(?![.,]\d)"
    if len(word) == 1 and word.isascii():
        return rf"(?-i:(?<!\w){re.escape(word.upper())}(?![\w']))"
    return rf"(?<!\w)(?<!non-){escaped}(?!\w)"


def label_mentions(text: str, labels: Sequence[str]) -> list[Mention]:
    """Return the mentions of labels. Particles such as "no" count only where they are an answer of
    their own ("no, ..."); if there is no such place, the one that begins the text does."""
    pattern, spellings = _label_pattern(tuple(labels))
    mentions: list[Mention] = []
    first: list[Mention] = []
    for match in pattern.finditer(text):
        label = match.lastgroup or spellings[match[0].casefold()]
        if len(label) == 1 and _is_word(text, match):
            continue
        mention = Mention((label,), match.start(), match.end())
        before = text[max(0, match.start() - 20) : match.start()]
        particle = _PARTICLES.fullmatch(label)
        is_joined = before.casefold().endswith((" or ", " and "))
        is_alone = is_joined or _ALONE.match(text, match.end())
        if not particle or match.lastgroup or is_alone or _NOUN.search(before):
            mentions.append(mention)
        elif not re.search(r"\w", text[: match.start()]):
            first = [mention]
    return _with_pronouns(text, mentions) or first


def is_alternative(between: str) -> bool:
    """Return whether what stands between two labels makes them alternatives: "A or B"."""
    is_hedge = _HEDGE.match(between) and _LINK.match(_HEDGE.sub("", between))
    return bool(is_hedge) or between in ("-", " to ", "-to-", " through ", " is as good as ")


def is_link(between: str) -> bool:
    """Return whether what stands between two labels joins them: "A and B"."""
    is_short = len(between) < 20 and "\n" not in between
    return is_short and between.strip(" .)]*\"'([") != "" and _LINK.match(between) is not None


def is_new_clause(text: str, last: Mention, mention: Mention) -> bool:
    """Return whether a comma before a label ends a clause: "neither A nor C, and D contradicts the
    text"; in Chinese "是C，A和B都不对"."""
    between = text[last.end : mention.start]
    is_conceded = between in (", ", "), ") and _CONCEDES.search(
        text[: last.start], max(0, last.start - 60)
    )
    if is_conceded or (between == ", and " and len(last.labels) == 1):
        return _SINGLE_VERB.match(text, mention.end) is not None
    is_back = mention.labels[0] < last.labels[-1] and between == ","
    return is_back and _CJK.search(text[max(0, last.start - 2) : mention.end + 3]) is not None


def are_offered(text: str, start: int) -> bool:
    """Return whether an answer only names the labels from a place on to choose between them."""
    return _OFFERED.search(text, max(0, start - 40), start) is not None


def are_denied(text: str, start: int) -> bool:
    """Return whether what stands before alternatives denies all of them: "none of A or B"."""
    return _NONE.search(text, max(0, start - 40), start) is not None
