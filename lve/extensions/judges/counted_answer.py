"""What of an answer judges get: no reasoning, and nothing after the answer's own tag."""

from __future__ import annotations

import re

from lve.checkers.contract import CheckContext
from lve.checkers.shape.reasoning import without_reasoning

_BEGINS = re.compile(r"<(?:final_?)?answer>", re.IGNORECASE)
_ENDS = re.compile(r"</(?:final_?)?answer>", re.IGNORECASE)


class NoAnswerError(Exception):
    """The tested model's reasoning was cut off, so that there is no answer to judge."""


def counted_answer(context: CheckContext, run: int) -> str:
    """Return what counts of the last answer of run number `run`.

    Raises:
        NoAnswerError: the reasoning was cut off.
    """
    counted = counted_text(context.transcripts[run].response)
    if counted is None:
        raise NoAnswerError
    return counted


def counted_text(text: str) -> str | None:
    """Return what counts of an answer, as it is where all of it does; None if its reasoning was cut
    off. Words before the answer's tag count, as they may explain it; XML after it does, too."""
    answer = without_reasoning(text)
    if answer is None:
        return None
    if answer != text:
        answer = answer.strip()
    ends = [*_ENDS.finditer(answer)]
    if ends and _BEGINS.search(answer, 0, ends[-1].start()):
        rest = answer[ends[-1].end() :].strip()
        if rest and not rest.startswith("<"):
            return answer[: ends[-1].end()]
    return answer
