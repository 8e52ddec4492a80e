"""The shape of an answer: which of its parts say what the answer is, in order of authority."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Generic, Literal, TypeVar

from lve.checkers.shape.characters import plain_notation, unified, without_marks
from lve.checkers.shape.introduction import without_block_quotes, without_preamble
from lve.checkers.shape.passages import (
    announced,
    boxes,
    corrected_from,
    hashed,
    quoted_spans,
    sentences,
    tagged,
)
from lve.checkers.shape.reasoning import without_next_turn, without_reasoning
from lve.named_tuples import NamedTuple

MAX_READ = 12_000
"""The most characters of an answer that are read. A longer one is cut in the middle."""
_KEPT_BEGINNING = 3_000
"""How many of these are from the beginning of the answer."""
_PROSE = frozenset(
    {"", "text", "txt", "plain", "plaintext", "markdown", "md", "json", "answer", "output", "latex"}
)
"""Languages of fences whose content can be the answer to a question that isn't about code."""
_STRUCK = re.compile(r"~~(?!~)[^~\n]{1,200}~~")
"""What is struck out was taken back."""
_FENCE = re.compile(r"[ \t]{0,3}(?:```+|~~~+)[ \t]*([\w+#.-]*)[^\n`]*$")

Kind = Literal["tagged", "boxed", "hashed", "marked", "corrected", "headline", "conclusion"]
AFTER_CORRECTION = "after a correction"
"""How reasons say where a number or label stands that follows "wait, that is wrong"."""
_PLACES: dict[Kind, str] = {
    "tagged": "in its answer tag",
    "boxed": "in its last box",
    "hashed": "after ####",
    "marked": "where it names its answer",
    "corrected": AFTER_CORRECTION,
    "headline": "in its first sentence",
    "conclusion": "in its last sentences",
}


class Statement(NamedTuple):
    """A part of an answer that says what the answer is."""

    kind: Kind
    text: str
    start: int = 0
    """Where it begins in `Shape.plain`; 0 for tags, boxes and `####`."""
    is_retracted: bool = False
    """Whether a correction follows it."""
    is_negated: bool = False
    """Whether it is announced as a wrong answer, or somebody else's."""
    is_aside: bool = False
    """Whether it stands in a quotation."""
    is_interim: bool = False
    """Whether it is only announced as a total or result, which others may follow from."""

    @property
    def counts(self) -> bool:
        """Whether it is what the answer says in the end, in its own words."""
        return not (self.is_retracted or self.is_negated or self.is_aside)

    @property
    def place(self) -> str:
        """How reasons say where it stands."""
        return _PLACES[self.kind]


class Fence(NamedTuple):
    """A code block."""

    language: str
    """As written after the backticks, in lower case; may be empty."""
    text: str


T = TypeVar("T")


class part(Generic[T]):
    """A part of an answer, computed when it is first asked for: `functools.cached_property` without
    a lock, which takes longer than most parts."""

    def __init__(self, compute: Callable[[Shape], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, shape: Shape, owner: type) -> T:
        value = self._compute(shape)
        vars(shape)[self._compute.__name__] = value
        return value


class Shape:
    """An answer in parts; each is computed when it is first asked for.

    Attributes:
        is_cut: whether there is no answer at all, as the reasoning was cut off.
        body: the answer with unified characters, without reasoning, a next turn and introductory
            lines, cut in the middle if it is very long.
    """

    def __init__(self, text: str) -> None:
        answer = without_reasoning(text)
        self.is_cut = answer is None
        # Twice, as unifying can turn one character into 18.
        self.body = _shortened(_body(_shortened(answer or "")))

    @part
    def fences(self) -> tuple[Fence, ...]:
        """The code blocks of the body."""
        return tuple(fence for fence, _ in _split(self.body)[1])

    @part
    def plain(self) -> str:
        """The body without Markdown's marks, and without code beside the prose that answers."""
        if "```" not in self.body and "~~" not in self.body:
            return without_marks(without_block_quotes(self.body))
        prose, fences = _split(self.body)
        code = {place for fence, place in fences if fence.language not in _PROSE}
        outside = "\n".join(prose).strip()
        # Beside code, another block is its output.
        is_answered = 0 < len(code) < len(fences) or (outside and not outside.endswith(":"))
        kept = {place: fence.text for fence, place in fences}
        lines = [
            kept[number] if number in kept and not (is_answered and number in code) else line
            for number, line in enumerate(prose)
        ]
        return without_marks(without_block_quotes(_STRUCK.sub("", "\n".join(lines)))).strip()

    @part
    def boxes(self) -> tuple[str, ...]:
        """The contents of the LaTeX boxes."""
        return tuple(boxes(self.body))

    @part
    def corrected_from(self) -> int:
        """Where in `plain` the text after the last correction begins; 0 if there is none."""
        return corrected_from(self.plain)

    @part
    def tagged(self) -> str | None:
        """What stands in the answer's own tag (`<answer>`) or key of JSON; None without one."""
        return tagged(self.body)

    @part
    def marked(self) -> tuple[Statement, ...]:
        """What comes after each "the answer is", the last one first."""
        plain, since = self.plain, self.corrected_from
        passages = announced(plain)
        quotations = quoted_spans(plain) if passages else []
        return tuple(
            Statement(
                "marked",
                plain[p.start : p.end].strip(),
                p.start,
                is_retracted=p.start < since,
                is_negated=p.other,
                is_aside=any(start < p.start < end for start, end in quotations),
                is_interim=p.interim,
            )
            for p in passages
        )

    @part
    def sentences(self) -> tuple[Statement, ...]:
        """The sentences and lines in the order of the text, without closing phrases."""
        plain, since = self.plain, self.corrected_from
        return tuple(
            Statement("conclusion", plain[p.start : p.end].strip(), p.start, p.end <= since)
            for p in sentences(plain)
        )

    @part
    def strong(self) -> tuple[Statement, ...]:
        """What stands in a tag, the last box or after `####`."""
        after_hashes = hashed(self.body)
        if not (self.tagged or after_hashes or self.boxes):
            return ()
        return (
            *([Statement("tagged", self.tagged)] if self.tagged else []),
            *([Statement("boxed", self.boxes[-1])] if self.boxes else []),
            *([Statement("hashed", after_hashes)] if after_hashes else []),
        )

    @part
    def statements(self) -> tuple[Statement, ...]:
        """Everything that says what the answer is, in order of authority; what was taken back, is
        somebody else's or is quoted comes last."""
        after = self.plain[self.corrected_from :].strip(" ,.:;\n") if self.corrected_from else ""
        every = (
            *self.strong,
            *self.marked,
            *([Statement("corrected", after, self.corrected_from)] if after else []),
            *(s._replace(kind="headline") for s in self.sentences[:1]),
            *reversed(self.sentences),
        )
        return tuple(sorted(every, key=lambda statement: not statement.counts))


@lru_cache(maxsize=4)
def shaped(text: str) -> Shape:
    """Return the shape of an answer. Checks of the same answer share it."""
    return Shape(text)


def nothing_stated(text: str, noun: str) -> str:
    """Return how reasons say that an answer has nothing of what a check looks for.

    Args:
        text: the answer.
        noun: what the check looks for: `number`.
    """
    why = " (its reasoning was cut off before an answer)" if shaped(text).is_cut else ""
    return f"no {noun} that it settles on{why}"


def answer_as_written(text: str) -> str:
    """Return an answer of any length without reasoning, its characters as they are; empty if the
    reasoning was cut off."""
    return (without_reasoning(text) or "").strip()


def answer_body(text: str) -> str:
    """Return an answer of any length as `Shape.body` is: with unified characters, without
    reasoning, a next turn and introductory lines."""
    return _body(without_reasoning(text) or "")


def _body(answer: str) -> str:
    return without_preamble(unified(plain_notation(without_next_turn(answer).strip()))).strip()


def _shortened(text: str) -> str:
    if len(text) <= MAX_READ:
        return text
    return f"{text[:_KEPT_BEGINNING]}\n{text[_KEPT_BEGINNING - MAX_READ :]}"


def _split(text: str) -> tuple[list[str], list[tuple[Fence, int]]]:
    """Return the lines of a text, a code block as one empty line, and the blocks with the numbers
    of these lines. A block that never ends goes on to the end."""
    lines: list[str] = []
    fences: list[tuple[Fence, int]] = []
    inside: list[str] | None = None
    language = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark is None:
            (lines if inside is None else inside).append(line)
        elif inside is None:
            inside, language = [], mark[1].lower()
        else:
            fences.append((Fence(language, "\n".join(inside)), len(lines)))
            lines.append("")
            inside = None
    if inside is not None:
        fences.append((Fence(language, "\n".join(inside)), len(lines)))
        lines.append("")
    return lines, fences
