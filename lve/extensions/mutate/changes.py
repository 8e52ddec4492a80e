"""The changes: ways in which another model could have written the same answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

MAX_ANSWER = 20_000
"""The most characters of an answer that is changed. Examples are short."""
_SHORT = 40
"""The most characters of an answer that is a value rather than a text."""
_MARKED = re.compile(r"[*_`#|$\\~<>\[\]{}]|^\s*[-+] |^\s*\d+[.)] |^(?: {4}|\t)", re.MULTILINE)
_VALUE = re.compile(r"[^\W_][\w.,%'\u2019+/ -]{0,39}[.!]?")
_LONG_NUMBER = re.compile(r"(?<![\w.,/:-])\d{5,12}(?![\w,/:-]|\.\d)")
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])")
_BLANK = re.compile(r"(?<=\S) (?=\S)")
_NUMBER = re.compile(r"-?\d[\d,.]*")
_STRAIGHT_QUOTES = re.compile(r'"([^"\n]*)"')
_LABEL = re.compile(r"^([^\W\d][\w ]{0,30}:) +(\S[^\n]*?)[ \t]*$", re.MULTILINE)
_BARE_FENCE = re.compile(r"^(```)\n(?=[^`]*^```[ \t]*$)", re.MULTILINE)
_LABELLED_FENCE = re.compile(r"^(```)[\w+-]+[ \t]*\n", re.MULTILINE)
_LANGUAGES = {"{": "json", "[": "json", "<": "xml"}
_THOUGHTS = "The user asks a question. I have to read it carefully, then reply."
_TEMPTED = "Is it 7? Or 12? Option A, or C? Yes, no? I'd better look at it again."
_FULL_WIDTH = {ord(digit): ord(digit) - ord("0") + 0xFF10 for digit in "0123456789"}


def markdown(text: str) -> Iterator[str]:
    """The answer is bold, or italic."""
    if not _MARKED.search(text) and "\n" not in text.strip():
        bare = text.strip()
        yield f"**{bare}**"
        yield f"*{bare}*"


def heading(text: str) -> Iterator[str]:
    """A heading stands above it."""
    yield f"## Answer\n\n{text}"


def fence(text: str) -> Iterator[str]:
    """It stands in a code fence, with or without a language."""
    if "```" not in text:
        bare = text.strip()
        yield f"```\n{bare}\n```"
        yield f"```{_LANGUAGES.get(bare[:1], 'text')}\n{bare}\n```"


def fence_label(text: str) -> Iterator[str]:
    """Its code fences name their language, or don't."""
    yield _BARE_FENCE.sub(r"\1text\n", text)
    yield _LABELLED_FENCE.sub(r"\1\n", text)


def label(text: str) -> Iterator[str]:
    """What follows a label such as "Answer:" is bold, or the label is."""
    if not _MARKED.search(text):
        yield _LABEL.sub(r"\1 **\2**", text)
        yield _LABEL.sub(r"**\1** \2", text)


def thousands(text: str) -> Iterator[str]:
    """Its large numbers have separators, or none."""
    if not re.search(r"(?<!\d)0\d{4}", text):
        yield _LONG_NUMBER.sub(lambda m: f"{int(m[0]):,}", text)
        yield _LONG_NUMBER.sub(lambda m: f"{int(m[0]):,}".replace(",", "\u202f"), text)
    yield _GROUPED.sub(lambda m: m[0].replace(",", ""), text)


def punctuation(text: str) -> Iterator[str]:
    """It ends with a full stop, or without."""
    bare = text.rstrip()
    if bare.endswith(".") and not bare.endswith(".."):
        yield bare[:-1]
    elif bare[-1:].isalnum():
        yield f"{bare}."


def case(text: str) -> Iterator[str]:
    """It is in lower case, or in capitals."""
    if _MARKED.search(text):
        return
    yield text.lower()
    yield text.upper()


def chatter(text: str) -> Iterator[str]:
    """It follows a friendly beginning."""
    yield f"Sure! Here is what you asked for:\n\n{text}"
    yield f"Certainly.\n\n{text}"


def lead(text: str) -> Iterator[str]:
    """A value follows "The answer is"."""
    bare = text.strip()
    if _is_value(bare):
        yield f"The answer is {bare}"
        yield f"**Answer:** {bare}"


def think(text: str) -> Iterator[str]:
    """The model's reasoning stands before it, in `<think>`."""
    if "<think>" not in text:
        yield f"<think>\n{_THOUGHTS}\n</think>\n\n{text}"


def doubts(text: str) -> Iterator[str]:
    """The reasoning before it weighs other answers."""
    if "<think>" not in text:
        yield f"<think>\n{_TEMPTED}\n</think>\n\n{text}"


def reasoning(text: str) -> Iterator[str]:
    """It follows reasoning in prose."""
    yield f"Let me think about this step by step, and look at every part of it.\n\n{text}"


def quotes(text: str) -> Iterator[str]:
    """Its quotes and apostrophes are curly, its hyphens don't break."""
    if "`" in text or "{" in text:
        return
    yield _STRAIGHT_QUOTES.sub("\u201c\\1\u201d", re.sub(r"(?<=\w)'(?=\w)", "\u2019", text))
    yield re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", "\u2011", text)


def unicode(text: str) -> Iterator[str]:
    """Its letters with accents are written in another form of Unicode."""
    yield unicodedata.normalize("NFD", text)
    yield unicodedata.normalize("NFC", text)


def digits(text: str) -> Iterator[str]:
    """Its digits are full-width, its minus signs typographic."""
    yield text.translate(_FULL_WIDTH)
    yield re.sub(r"(?<![\w)])-(?=\d)", "\u2212", text)


def blanks(text: str) -> Iterator[str]:
    """Its blanks don't break."""
    yield _BLANK.sub("\u00a0", text)
    yield _BLANK.sub("\u202f", text)


def ends(text: str) -> Iterator[str]:
    """White space stands around it."""
    yield f"\n{text}\n"
    if "\n" not in text:  # blanks before a line of code mean something
        yield f" {text} "


def line_ends(text: str) -> Iterator[str]:
    """Its lines end as on Windows."""
    yield text.replace("\r\n", "\n").replace("\n", "\r\n")


def latex(text: str) -> Iterator[str]:
    """A value is written in LaTeX."""
    bare = text.strip().rstrip(".")
    if _is_value(bare) and " " not in bare:
        inner = bare if _NUMBER.fullmatch(bare) or len(bare) == 1 else f"\\text{{{bare}}}"
        yield f"$\\boxed{{{inner}}}$"
        yield f"\\[ {inner} \\]"


def _is_value(text: str) -> bool:
    """Return whether a text is one or two words of a script with blanks between words."""
    is_short = len(text) <= _SHORT and len(text.split()) <= 2
    return is_short and max(text, default="") < "\u2e80" and bool(_VALUE.fullmatch(text))


CHANGES: dict[str, Callable[[str], Iterator[str]]] = {
    "markdown": markdown,
    "heading": heading,
    "fence": fence,
    "fence_label": fence_label,
    "label": label,
    "thousands": thousands,
    "punctuation": punctuation,
    "case": case,
    "chatter": chatter,
    "lead": lead,
    "think": think,
    "doubts": doubts,
    "reasoning": reasoning,
    "quotes": quotes,
    "unicode": unicode,
    "digits": digits,
    "blanks": blanks,
    "ends": ends,
    "line_ends": line_ends,
    "latex": latex,
}
"""Name of a change -> function that yields the changed texts. Its docstring is shown to users."""


def changed(name: str, text: str) -> list[str]:
    """Return the forms of an answer after a change that differ from it; none for a very long
    answer, or one without letters and digits.

    Args:
        name: the change.
        text: the answer.
    """
    if len(text) > MAX_ANSWER or not any(map(str.isalnum, text)):
        return []
    return [form for form in dict.fromkeys(CHANGES[name](text)) if form != text]


def change_in_words(name: str) -> str:
    """Return a sentence about what a change does to an answer."""
    return " ".join((CHANGES[name].__doc__ or "").split())
