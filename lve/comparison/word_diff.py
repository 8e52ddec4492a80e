"""What two texts have in common, and what not, word by word."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

MAX_WORDS = 4000
"""Of each text, between what both begin and end with. Longer ones are shown as two texts."""
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


class Piece(NamedTuple):
    """A part of one or both texts."""

    kind: Literal["same", "gone", "new"]
    """In both texts; only in the earlier; only in the later."""
    text: str


def word_diff(before: str, now: str) -> list[Piece]:
    """Return the pieces of two texts. Those that are the same and those that are gone make the
    earlier text, those that are the same and those that are new the later.

    Args:
        before: the earlier text.
        now: the later text.
    """
    if before == now:
        return [Piece("same", now)] if now else []
    old, new = _WORD.findall(before), _WORD.findall(now)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    middle = _middle(old[start : len(old) - end], new[start : len(new) - end])
    pieces = [
        Piece("same", "".join(old[:start])),
        *middle,
        Piece("same", "".join(old[len(old) - end :])),
    ]
    return [piece for piece in pieces if piece.text]


def _common(old: list[str], new: list[str]) -> int:
    """Return with how many equal words two lists begin."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _middle(old: list[str], new: list[str]) -> list[Piece]:
    if max(len(old), len(new)) > MAX_WORDS:
        return [Piece("gone", "".join(old)), Piece("new", "".join(new))]
    from rapidfuzz.distance import Indel

    pieces: list[Piece] = []
    for step in Indel.opcodes(old, new):
        there = "".join(old[step.src_start : step.src_end])
        if step.tag == "equal":
            pieces.append(Piece("same", there))
            continue
        pieces.append(Piece("gone", there))
        pieces.append(Piece("new", "".join(new[step.dest_start : step.dest_end])))
    return _joined([piece for piece in pieces if piece.text])


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Return pieces in which a blank between two changes belongs to them: words that changed one
    after the other are one change."""
    found: list[Piece] = []
    gone = new = ""
    for index, (kind, text) in enumerate(pieces):
        if kind == "gone":
            gone += text
        elif kind == "new":
            new += text
        elif text.isspace() and (gone or new) and index + 1 < len(pieces):
            gone, new = gone + text, new + text
        else:
            found += [Piece("gone", gone), Piece("new", new), Piece("same", text)]
            gone = new = ""
    found += [Piece("gone", gone), Piece("new", new)]
    return [piece for piece in found if piece.text]
