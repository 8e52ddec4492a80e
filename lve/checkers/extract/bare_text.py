"""Reduces a short answer to its text: no introduction, Markdown, quotes, punctuation, articles."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from lve.checkers.shape.answer_parts import AFTER_CORRECTION, Shape, shaped
from lve.checkers.shape.characters import unified, without_marks
from lve.checkers.shape.patterns import pattern

_LEAD = re.compile(pattern("lead"), re.IGNORECASE)
_TAKEN_BACK = re.compile(pattern("guess_taken_back"))
"""A guess that is taken back: "Lyon? No, Paris."."""
_COPULA = re.compile(r"(?:です|でした|(?<=[一-鿿ァ-ヿ\"])だ)[。.!]?$|(?<=[가-힣])입니다[.!]?$")
_TRAILING = re.compile(pattern("trailing"), re.IGNORECASE)
"""References (`[1]`), emojis, doubts and what isn't the answer, after it."""
_EXPLAINED = re.compile(pattern("explained"))
_MEMBER = re.compile(pattern("json_member"))
"""An object of JSON with one member."""
_BRACKETS = re.compile(pattern("bracket_after"))
_LATEX = re.compile(pattern("latex_text"))
_NESTED = 2
"""How deep LaTeX is read: `$\\text{Paris}$`."""
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_ABBREVIATION = re.compile(pattern("abbreviation"))
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_UNIT = re.compile(r"(?<=\d)\s+(?=[%°])|(?<=[$€£])\s+(?=\d)")
_SEPARATORS = re.compile(pattern("separators"))
"""Punctuation without a meaning. A dot before a word has one: `.NET`."""
_ONLY_FENCE = re.compile(r"(?s)(?:[^`~\n]{0,200}:\s*)?(?:```|~~~).*")
_KEY = re.compile(pattern("text_key"), re.IGNORECASE)
"""A key before a text: "Name: Ada"."""
_EMPHASIS = re.compile(r"(?<!\*)\*\*[^*\n]{1,100}\*\*(?!\*)|\"[^\"\n]{1,100}\"")
_ASIDE = re.compile(r"\([^()]*\)")
_SENTENCE = re.compile(r"[^.!?\n;]*\0[.!,]?(?:,? [^.!?\n;,]+[.!])?\s*")
_DOUBTED = re.compile(pattern("doubtful"))
_PREDICATE = re.compile(pattern("predicate"))
_UNSAID = re.compile(pattern("unsaid"))
_DENIED_AFTER = re.compile(pattern("denied_after"))
_YEAR_OF_DATE = re.compile(pattern("year_of_date"))
_STRUCK = re.compile(pattern("struck_out"))
_TAG = re.compile(pattern("inline_tag"))
_INTRODUCED = re.compile(pattern("text_introduced"))
"""A line that ends with a colon, and a paragraph after it."""
_MAX_SENTENCE = 500
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_ARTICLES = re.compile(r"(?<![\w'.-])(?:(?i:an|the)|a|(?<![^\W_] )A)(?=\s+\w)")
"""A capital A after a word is none: "Vitamin A"."""


def bare_text(text: str) -> str:
    """Return an answer in a form for comparison."""
    return next(Stated(text).forms())


class Stated:
    """What an answer consists of, as a text.

    Attributes:
        place: where in the answer it stands, for reasons; empty if it is the whole answer.
    """

    def __init__(self, text: str) -> None:
        """Args:
        text: an answer.
        """
        self._shape = shaped(_STRUCK.sub("", text))
        self._text, self.place = _stated(self._shape)

    def forms(self) -> Iterator[str]:
        """Yield the texts that it can be said to be, in a form for comparison: what the answer
        states, and all of it as it stands."""
        plain = without_marks(self._text)
        for _ in range(_NESTED if "$" in plain or "\\" in plain else 0):
            plain = _LATEX.sub(lambda m: m[1] or m[2] or "", plain)
        yield normalized_text(_trimmed(plain))
        yield normalized_text(self._text.strip("`*_ "))
        if (emphasized := _emphasized(self._text)) is not None:
            yield normalized_text(emphasized)
        yield normalized_text(self._shape.body)
        yield normalized_text(_TAG.sub("", self._text).strip())
        if (introduced := _INTRODUCED.fullmatch(self._shape.body)) is not None:
            yield normalized_text(without_marks(introduced[1]).strip())
        yield from map(normalized_text, _predicates(without_marks(self._text).strip()))


def _stated(shape: Shape) -> tuple[str, str]:
    """Return what an answer states, without what it is introduced by and closes with, and where."""
    if shape.strong:
        return shape.strong[0].text, shape.strong[0].place
    if len(shape.fences) == 1 and _ONLY_FENCE.fullmatch(shape.body):
        return shape.fences[0].text, "in its code block"
    if marked := [statement for statement in shape.marked if statement.counts]:
        return marked[0].text.split("\n")[0], marked[0].place
    if shape.corrected_from:
        after = shape.plain[shape.corrected_from :].strip(" ,.:;\n")
        return _TAKEN_BACK.sub("", after, count=1), AFTER_CORRECTION
    if (member := _MEMBER.fullmatch(shape.body)) is not None:
        return member[1].strip('"'), "in its JSON"
    if "\n" not in shape.body:
        return shape.body, ""
    text = "\n".join(dict.fromkeys(sentence.text for sentence in shape.sentences))
    return _EXPLAINED.split(text, maxsplit=1)[0], ""


def _emphasized(text: str) -> str | None:
    """Return the only part of a sentence that is in bold or quoted, as its answer; None where words
    deny or doubt it."""
    spans = [*_EMPHASIS.finditer(text)]
    if len(spans) != 1 or not spans[0].start():
        return None
    outside = _ASIDE.sub("", text[: spans[0].start()] + "\0" + text[spans[0].end() :])
    is_sentence = _SENTENCE.fullmatch(outside) and not _DOUBTED.search(outside)
    return spans[0][0].strip('*"') if is_sentence else None


def _predicates(text: str) -> Iterator[str]:
    """Yield what a sentence says that its subject is, by whom it was done, or in which year. What
    follows may explain it, but not take it back: "The capital is Paris, in the north"."""
    if (date := _YEAR_OF_DATE.fullmatch(text)) is not None:
        yield date["name"]
    said = _PREDICATE.fullmatch(text) if len(text) <= _MAX_SENTENCE else None
    if said is None or _UNSAID.search(said["subject"]) or _DENIED_AFTER.search(said["rest"]):
        return
    yield said["name"]
    if said["by"]:
        yield said["name"].split()[-1]


def _trimmed(text: str) -> str:
    text = _TAKEN_BACK.sub("", text.strip(), count=1) if "?" in text else text.strip()
    lead = _LEAD.match(text) or _KEY.match(text)
    text = (text[lead.end() :] if lead else text) or text
    text = _TRAILING.sub("", text) or text
    text = _BRACKETS.sub("", text) or text
    return _COPULA.sub("", text)


def _joined(abbreviation: re.Match[str]) -> str:
    """Return `U.S.A.` and `J. R. R. ` without what separates the letters."""
    last = " " if abbreviation[0].endswith(" ") else ""
    return abbreviation[0].replace(".", "").replace(" ", "") + last


def normalized_text(text: str) -> str:
    """Return a text in lower case, without articles and punctuation that has no meaning."""
    text = unicodedata.normalize("NFC", text)
    if (number := _NUMBER.fullmatch(text.strip(" .!\"'"))) is not None:
        return _number(number[0])
    # Most answers have few of these characters, and looking for one takes a tenth of the time.
    text = _ABBREVIATION.sub(_joined, text) if "." in text else text
    text = _UNIT.sub("", text) if " " in text else text
    text = _APOSTROPHE.sub("\u2019", text) if "'" in text else text
    text = _THOUSANDS.sub("", text) if "," in text else text
    plain = " ".join(_SEPARATORS.sub(" ", text).split())
    if plain.isupper() and plain.count(" ") > 2:
        plain = plain.casefold()  # a whole sentence in capitals: its A is an article
    bare = " ".join(_ARTICLES.sub(" ", plain).split()) if " " in plain else plain
    return (bare or plain or text.strip()).casefold()


@lru_cache(maxsize=1024)
def expected_forms(text: str) -> list[str]:
    """Return the forms of a text that a test expects. Its Markdown and LaTeX are none of an
    answer's, unless it has some that is always formatting."""
    has_format = "**" in text or "\\" in text or text.count("$") > 1
    return [normalized_text(unified(text)), *(Stated(text).forms() if has_format else ())]


def _number(text: str) -> str:
    value = Fraction(text.replace(",", ""))
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.15g}"
