"""Removes the lines by which an answer is introduced."""

from __future__ import annotations

import re

from lve.checkers.shape.patterns import pattern

_PREAMBLE = re.compile(pattern("preamble"), re.IGNORECASE | re.VERBOSE)
"""An introductory line before the answer: "## Answer", "Sure! Here is what you asked for:"."""
_QUESTION = re.compile(r"(?i)\s*(?:q|question):[^\n]*\n\s*(?:a|answer):[ \t]*(?=\S)")
"""The question, repeated before the answer."""
_BLOCK_QUOTE = re.compile(pattern("block_quote"), re.MULTILINE)
"""Quoted lines that aren't announced (`:`), with text after them."""
_MIN_QUOTED_WORDS = 4
_MAX_PREAMBLE = 3
"""The most introductory lines that are removed."""


def without_preamble(text: str) -> str:
    """Return an answer without its introductory lines."""
    if (question := _QUESTION.match(text)) is not None:
        text = text[question.end() :]
    for _ in range(_MAX_PREAMBLE):
        preamble = _PREAMBLE.match(text)
        if preamble is None:
            break
        text = text[preamble.end() :]
    return text


def without_block_quotes(text: str) -> str:
    """Return an answer without the lines of a question or passage that it quotes (`> ...`) and then
    goes on from."""
    if ">" not in text:
        return text
    return _BLOCK_QUOTE.sub(_unless_short, text)


def _unless_short(quoted: re.Match[str]) -> str:
    lines = quoted[1].strip()
    is_question = lines.endswith(("?", "？"))
    return "\n" if is_question or len(lines.split()) > _MIN_QUOTED_WORDS else quoted[0]
