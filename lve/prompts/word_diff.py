"""A word diff of two texts."""

from __future__ import annotations

import re
from typing import Literal

from lve.named_tuples import NamedTuple

MAX_WORDS = 4000
"""The most words between the common beginning and end. Longer parts aren't compared."""
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


class Piece(NamedTuple):
    """A part of one or both texts."""

    kind: Literal["same", "gone", "new"]
    """`same`: in both texts. `gone`: only in the earlier. `new`: only in the later."""
    text: str


def word_diff(before: str, now: str) -> list[Piece]:
    """Return the word diff of two texts.

    Pieces that are `same` or `gone` make up the earlier text, those that are `same` or `new` the
    later one.

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
    """Return the length of the common beginning of two lists."""
    count = 0
    for old_word, new_word in zip(old, new, strict=False):
        if old_word != new_word:
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
    """Return pieces with adjacent changes joined, including the white space between them."""
    joined: list[Piece] = []
    removed = added = ""
    for index, (kind, text) in enumerate(pieces):
        if kind == "gone":
            removed += text
        elif kind == "new":
            added += text
        elif text.isspace() and (removed or added) and index + 1 < len(pieces):
            removed, added = removed + text, added + text
        else:
            joined += [Piece("gone", removed), Piece("new", added), Piece("same", text)]
            removed = added = ""
    joined += [Piece("gone", removed), Piece("new", added)]
    return [piece for piece in joined if piece.text]
