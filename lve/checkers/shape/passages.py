"""Finds where an answer says what its answer is: tags, boxes, `####`, "the answer is",
corrections, sentences."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice

from lve.checkers.shape import cues
from lve.checkers.shape.characters import lowered
from lve.checkers.shape.patterns import pattern
from lve.named_tuples import NamedTuple

MAX_PASSAGES = 20
"""The most passages of a kind that are read, from the end."""
MAX_PASSAGE = 1_000
"""The most characters of a passage that are read."""
_NAMES = r"(?:final_?|correct_?|best_?)?(?:answer|response|result|solution|output|ans|choice)"
_TAG = re.compile(rf"<(/?)({_NAMES})>|\[(/?)(ANSWER)\]", re.IGNORECASE)
_DOUBLE = re.compile(r"\[\[([^\[\]\n]{1,60})\]\]")
_KEY = re.compile(
    rf'"({_NAMES}|label|verdict|category|sentiment|classification|prediction|option|selected'
    r'(?:_option)?|value)"\s*:\s*("(?:[^"\\\n]|\\.){0,1000}"|\[[^\[\]{}]{0,1000}\]|[^\s,{}\[\]]+)',
    re.IGNORECASE,
)
_ESCAPE = re.compile(
    r"\\(?:([\\\"/]|[nrt](?!imes|ext|an(?!\w)|heta|ight|eq|u(?!\w))|u[\da-fA-F]{4})|(?=.))"
)
"""A backslash in JSON; many models write those of LaTeX without another before them."""
_BOX = re.compile(r"\\(?:boxed|fbox)\s*")
_CALLED_WRONG = re.compile(pattern("box_wrong"))
"""After a box: "would be wrong"."""
_BARE = re.compile(r"[-+]?[\w.,]*\w")
_HASHES = re.compile(r"(?m)^[ \t]*####[ \t]*(?!#)(\S[^\n]*)$")
_HEADED = re.compile(r"(?i)\W*(?:step|part|option|solution|explanation|analysis|reason|\d+[.)])")
_SAID = pattern("said")
"""The announcement from its noun on."""
_RATED = r"(?:give|rate|score|grade) (?:it|this|(?:the|this|your) \w+)(?= (?:an? |at )?\**\d)"
_MARKER = re.compile(
    r"(?=[^\x00-\x7f]|a[nl]|b[eo]|c[oeâ]|de|e[axr]|f[ia]|h[ie]|i[n'w ]|ja|l[oö]|m[yo]|na|o[tuvd]"
    r"|p[ro]|r[eéi]|s[tohv]|t[yehlo]|us|v[ea]|wr|ya)"  # the words' first letters: tried sooner
    rf"(?:(?<![^\W_])i(?:'d| would|'ll)? {_RATED}|"
    rf"(?:(?<![^\W_])|(?<=[一-龥ぁ-んァ-ン]))(?P<other>(?:{pattern('taken_back')})\s+)?"
    rf"(?:(?:{pattern('announced_before')})[ ]){{0,4}}{_SAID})[\s:：\"]*"
)
"""An answer's own announcement of its result, in any of two dozen languages."""
_MARKED = re.compile(f"{_RATED}|{_SAID}")
"""A part of each such announcement, from a word with its cue on."""
_DOUBTED = re.compile(pattern("doubted"))
"""Before an announcement that is denied: "I don't think that the answer is"."""
_IF = re.compile(r"\S+(?: \S+)? (?:only )?if\b")
_INTERIM = re.compile(pattern("interim_total"))
"""A total, or the heading of a solution in steps."""
_CORRECTION = re.compile(pattern("correction"))
_CONCEDED = re.compile(pattern("conceded"))
"""What only seemed so, up to the word after which the answer is."""
_NO_WAIT = re.compile(r"(?i)\s*no[,.]? ?wait[,.:;!]")
"""A "no" that introduces a correction."""
_CHATTER = re.compile(pattern("chatter"))
"""A closing phrase, in a text in lower case: searching that is several times faster."""
_SENTENCE_END = re.compile(pattern("sentence_end"))
"""A mark after an abbreviation is none, unless a capital letter follows: "p. 12", "i.e. 5"."""
_LIST_MARK = re.compile(r"\s*(?:[-*•]\s+|\(?(?:\d{1,3}|[A-Za-z])[.)]\s+)*")
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•#]|-{3,}))")
_BLANK_LINE = re.compile(r"\n\s*\n")
_ITEM = re.compile(r"[-*•]\s")
_QUOTATION = re.compile(r"\"[^\"\n]{1,400}\"")


class Passage(NamedTuple):
    """A part of a text."""

    start: int
    end: int
    other: bool = False
    """Whether it is announced as somebody else's answer, or a wrong one."""
    interim: bool = False
    """Whether it is only announced as a total or result, which others may follow from."""


def tagged(text: str) -> str | None:
    """Return the content of the last `<answer>...</answer>`, or of the last `"answer": ...` of an
    answer in JSON; None if there is neither."""
    if "<" in text or "[" in text:
        content, begin = None, None
        for mark in _TAG.finditer(text):
            if not (mark[1] or mark[3]):
                begin = mark.end()
            elif begin is not None:
                content, begin = text[begin : mark.start()], None
        if content is None and begin is not None:
            content = text[begin:]  # cut off, or never closed
        if content and content.strip():
            return content.strip()
        if double := _last(_DOUBLE, text):
            return double[-1][1].strip()
    if '":' in text and (
        text.startswith(("{", "```")) or "```json" in text or text.rstrip("`\r\n ")[-1:] == "}"
    ):
        keys = _last(_KEY, text)
        by_name = [key for key in keys if "answer" in key[1].lower()] or keys
        return _json_text(by_name[-1][2]) if by_name else None
    return None


def _last(pattern: re.Pattern[str], text: str) -> deque[re.Match[str]]:
    return deque(pattern.finditer(text), maxlen=MAX_PASSAGES)


def _json_text(value: str) -> str:
    try:
        read = json.loads(_ESCAPE.sub(lambda m: m[0] if m[1] else r"\\", value))
    except (ValueError, RecursionError):
        return value
    if isinstance(read, list):
        return ", ".join(map(str, read))
    return read.strip() if isinstance(read, str) else value


def boxes(text: str) -> list[str]:
    """Return the contents of LaTeX boxes in order, `\\boxed{42}`, `\\fbox{42}`, `\\boxed 42`,
    without those that are called wrong."""
    if "\\" not in text:
        return []
    found = []
    for match in _last(_BOX, text):
        rest = text[match.end() : match.end() + MAX_PASSAGE]
        bare = _BARE.match(rest)
        box = _braced(rest) if rest.startswith("{") else bare[0] if bare else ""
        if box and not _CALLED_WRONG.match(rest, rest.index(box) + len(box)):
            found.append(box)
    return found


def _braced(text: str) -> str:
    depth = 0
    for place, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return text[1:place].strip()
    return ""


def hashed(text: str) -> str | None:
    """Return the text after the last `####`, unless that is a heading; None without one."""
    if "####" not in text:
        return None
    for match in reversed(_last(_HASHES, text)):
        if not (_HEADED.match(match[1]) and text[match.end() :].strip()):
            return match[1].strip(" *")
    return None


def announced(text: str) -> list[Passage]:
    """Return the rest of the paragraph after each "the answer is", the last one first."""
    may_announce = cues.cues(text) & cues.ANNOUNCEMENT
    if not (may_announce and cues.has_cued(text, cues.ANNOUNCEMENT, _MARKED.match)):
        return []
    rests, lower = [], lowered(text)
    for marker in reversed(_last(_MARKER, lower)):
        start = marker.end()
        ends = _BLANK_LINE if _ITEM.match(text, start) else _PARAGRAPH
        paragraph = ends.search(text, start, start + MAX_PASSAGE)
        end = paragraph.start() if paragraph else min(len(text), start + MAX_PASSAGE)
        if text[start:end].strip():
            is_unreal = " would " in marker[0] and _IF.match(text, start)
            other = (
                marker["other"]
                or is_unreal
                or _DOUBTED.search(lower, max(0, marker.start() - 60), marker.start())
            )
            interim = _INTERIM.search(marker[0]) is not None
            rests.append(Passage(start, end, other is not None, interim))
    return rests


def corrected_from(text: str) -> int:
    """Return where the text after the last correction ("wait, that is wrong: ...") begins; 0 if
    nothing is corrected."""
    searched = cues.cues(text)
    if searched & cues.CORRECTION and cues.has_cued(
        text, cues.CORRECTION, lambda lower, at: _CORRECTION.search(lower, max(0, at - 40), at + 80)
    ):
        for match in reversed(_last(_CORRECTION, lowered(text))):
            takes_back = match.start() > 0 or _NO_WAIT.match(text)
            if takes_back and re.search(r"\w", text[match.end() :]):
                return match.end()
    if not (searched & cues.CONCESSION and searched & cues.CONTRAST):
        return 0
    conceded = _last(_CONCEDED, lowered(text))
    return conceded[-1].end() if conceded and text[conceded[-1].end() :].strip() else 0


def sentences(text: str) -> list[Passage]:
    """Return the sentences and lines of a text, without closing phrases ("Let me know ...") unless
    there is nothing else."""
    return [*stated(text)][::-1]


def stated(text: str) -> Iterator[Passage]:
    """Yield the sentences that `sentences` returns, the last one first: often no other is read."""
    is_empty, may_close = True, cues.cues(text) & cues.CLOSING
    for part in islice(_backwards(text), MAX_PASSAGES):
        if not (may_close and is_chatter(text[part.start : part.end])):
            is_empty = False
            yield part
    if is_empty:
        yield from islice(_backwards(text), MAX_PASSAGES)


def _backwards(text: str) -> Iterator[Passage]:
    end = len(text)
    while end >= 0:
        start = text.rfind("\n", 0, end) + 1
        if text[start:end].strip():
            yield from reversed(_of_line(text, start, end))
        end = start - 1


def sentence_at(text: str, place: int) -> tuple[int, int]:
    """Return where the sentence of `sentences` that has a place of a text begins and ends."""
    begin, end = text.rfind("\n", 0, place) + 1, f"{text}\n".index("\n", place)
    mark = _LIST_MARK.match(text, begin, end)
    for stop in _SENTENCE_END.finditer(text, mark.end() if mark else begin, end):
        if stop.start() >= place:
            return begin, stop.start() + 1
        begin = stop.end()
    return begin, end


def is_chatter(sentence: str) -> bool:
    """Return whether a sentence is a closing phrase, or only says where more is."""
    return (
        bool(cues.cues(sentence) & cues.CLOSING) and _CHATTER.search(sentence.lower()) is not None
    )


def _of_line(text: str, start: int, end: int) -> list[Passage]:
    mark = _LIST_MARK.match(text, start, end)
    stops = [*_SENTENCE_END.finditer(text, mark.end() if mark else start, end)]
    begins = [start, *(stop.end() for stop in stops)]
    ends = [*(stop.start() + 1 for stop in stops), end]
    return [
        Passage(max(begin, end - MAX_PASSAGE), end)
        for begin, end in zip(begins, ends, strict=True)
        if text[begin:end].strip()
    ]


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Return the places of quotations of three words and more: somebody else's words."""
    if '"' not in text:
        return []
    return [m.span() for m in _QUOTATION.finditer(text) if m[0].count(" ") >= 2]
