"""Separates an answer from the reasoning before it and a next turn after it."""

from __future__ import annotations

import re

from lve.checkers.shape.introduction import without_preamble
from lve.checkers.shape.patterns import pattern

_REASONING = re.compile(pattern("reasoning"))
_ANSWER_BEGINS = re.compile(pattern("answer_begins"))
"""Where a model's own marks say that its answer begins, whether or not the reasoning was closed."""
_LEADING = re.compile(pattern("leading_marks"))
_ENDS = re.compile(pattern("turn_ends"))
"""Marks of the end of a turn that a server didn't remove: what comes after them is no answer."""
_TURN = re.compile(pattern("turn"), re.IGNORECASE)
"""A question that a base model asks itself once it has answered."""
_INTRODUCTION = re.compile(pattern("only_introduces"))
_NEXT_INPUT = re.compile(pattern("next_input"), re.IGNORECASE)
"""The next row of a base model that goes on with the examples of a prompt."""


def without_reasoning(text: str) -> str | None:
    """Return an answer without the model's reasoning: `<think>...</think>` and the like.

    An end mark without a start mark ends reasoning from the beginning of the text.

    Returns:
        The text, empty if there is nothing else; None if the reasoning was cut off, so that there
        is no answer at all.
    """
    if not ("<" in text or "[" in text or "◁" in text):
        return text
    start: int | None = None
    pieces: list[str] = []
    place = 0
    for mark in _REASONING.finditer(text):
        if mark["closes"] or mark["ends"] or mark["stops"] or mark["over"]:
            if start is None:
                pieces = []
            place, start = mark.end(), None
        elif start is None:
            pieces.append(text[place : mark.start()])
            start = mark.start()
    if start is None:
        return "".join([*pieces, text[place:]])
    if begins := _ANSWER_BEGINS.search(text, start):
        return "".join([*pieces, text[begins.end() :]])
    if text[text.rfind("\n", 0, start) + 1 : start].strip():
        return "".join([*pieces, text[start:]])  # "the <think> tag", in a sentence
    # An answer before the reasoning stands: only what was cut off is lost.
    return "".join(pieces) if "".join(pieces).strip() else None


def non_reasoning_content(text: str, *, start: str = "<think>", end: str = "</think>") -> str:
    """The text without reasoning, like upstream's `extract_non_reasoning_content`: an end tag
    without a start tag ends reasoning from the beginning, one that never ends stays."""
    if start not in text:
        return text.rpartition(end)[2].strip()
    pieces, place = [], 0
    while (opened := text.find(start, place)) >= 0:
        closed = text.find(end, opened + len(start))
        if closed < 0:
            break
        pieces.append(text[place:opened])
        place = closed + len(end)
    return "".join([*pieces, text[place:]]).strip()


def without_next_turn(text: str) -> str:
    """Return an answer up to where the text goes on with a turn of somebody else: a special token
    (`<|endoftext|>`), or a question that the model asks itself (`Question:`, `Human:`)."""
    if "<" in text or "[" in text:
        if begins := [*_ANSWER_BEGINS.finditer(text)]:
            text = text[begins[-1].end() :]
        leading = _LEADING.match(text)
        text = text[leading.end() :] if leading else text
        if ends := _ENDS.search(text):
            text = text[: ends.start()]
    if ":" not in text and "：" not in text:
        return text
    for turns in (_TURN, _NEXT_INPUT):
        for turn in turns.finditer(text):
            before = text[max(0, turn.start() - 300) : turn.start()].strip()
            if before and before[-1] not in ":：" and not _introduces(before):
                key = re.escape(turn[0].strip(" \t\n:0123456789"))
                numbered = re.compile(rf"(?im)^\W{{0,5}}{key}\W{{0,5}}\d")
                if numbered.search(text, max(0, turn.start() - 4_000), turn.start()):
                    continue  # "Claim 2:", as the answer itself began to number
                text = text[: turn.start()]
                break
    return text


def _introduces(before: str) -> bool:
    """Return whether a text before a question only introduces it: a heading, "Sure!"."""
    if without_preamble(f"{before}\n\n.") == ".":
        return True
    return "\n" not in before and _INTRODUCTION.fullmatch(before) is not None
