"""Finds the option that an answer settles on."""

from __future__ import annotations

import re
from functools import lru_cache


def option(text: str, *, options: str = "ABCD", cushion: bool = True) -> str:
    """The option that the answer settles on: "the answer is B", "Answer: B", "\\boxed{B}", "(B)".

    Args:
        text: an answer.
        options: the letters of the options.
        cushion: whether a letter that stands alone counts if none is named as the answer.
    """
    text = text.strip()
    patterns = _patterns(options)
    for pattern in patterns if cushion else patterns[:-1]:
        letters = pattern.findall(text)
        if letters:
            return str(letters[-1])
    return ""


def last_option(text: str, *, options: str = "ABCD") -> str:
    """The last letter of an option in the text."""
    return next((letter for letter in reversed(text) if letter in options), "")


@lru_cache(maxsize=64)
def _patterns(options: str) -> tuple[re.Pattern[str], ...]:
    letter = f"([{re.escape(options)}])"
    # `\s*:?\s*` would take quadratic time for many spaces.
    marks = r"[\(\[*\"'$]{0,4}" + letter + r"(?!\w)"
    around = r"\s*(?:[:：]\s*)?" + marks
    shapes = (
        r"答案(?:选项)?(?:应该?)?(?:是|为|选)?" + around,
        r"(?:故|应)?选择?" + around,
        r"\b(?:(?i:answer)(?i:\s+to the question)?(?:\s*[*_]{1,3})?(?i:\s+is|\s*[:=])"
        r"|(?i:option|choice)(?i:\s+is))(?i:\s*(?:option|choice))?" + around,
        # Options may be listed on the lines after "each option:".
        r"\b(?<!each )(?<!every )(?i:option|choice)[^\S\n]*[:=][^\S\n]*" + marks,
        r"\\boxed\{\s*(?:\\text\{)?" + letter,
        r"^[\(\[]?" + letter + r"(?:[\)\].,:：。，]|$)",
        r"[\s，,：:（(]" + letter + r"[)）]?[。.，,]?$",
        r"(?<![\w'’])" + letter + r"(?![\w'’])",
    )
    return tuple(map(re.compile, shapes))
