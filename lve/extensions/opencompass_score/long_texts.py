"""The evaluators of LongBench, in English and those that need no words."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

from lve.extensions.opencompass_score.evaluators import f1

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_CODE_MARKS = ("`", "#", "//")


def words(text: str) -> list[str]:
    """Return the words of a text, without case, punctuation and articles."""
    return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def long_f1(answer: str, references: Sequence[str], *, language: str) -> float:
    """Return the best F1 of words."""
    response = words(answer)
    return max((f1(response, words(text)) for text in references), default=0.0)


def first_f1(answer: str, references: Sequence[str], *, language: str) -> float:
    """Return the F1 of words with the first right answer."""
    return long_f1(answer, references[:1], language=language)


def count(answer: str, references: Sequence[object]) -> float:
    """Return the share of the numbers that are the right one."""
    return sum(_share(answer, str(text)) for text in references)


def retrieval(answer: str, references: Sequence[str], *, language: str) -> float:
    """Return the share of the numbers that are the right paragraph's."""
    name = re.compile(r"Paragraph (\d+)" if language == "en" else r"段落(\d+)")
    return sum(_share(answer, name.findall(text)[0]) for text in references)


def _share(answer: str, target: str) -> float:
    numbers = re.findall(r"\d+", answer)
    return numbers.count(target) / len(numbers) if numbers else 0.0


def classification(answer: str, reference: Mapping[str, Any]) -> float:
    """Return one over the number of classes that occur, if the right one is among them."""
    score = 0.0
    for target in reference["answers"]:
        classes = [name for name in reference["all_classes"] if name in answer]
        index = 0
        while index < len(classes):  # upstream skips the one behind each that it removes
            name = classes[index]
            if name in target and name != target:
                classes.remove(name)
            index += 1
        score += 1 / len(classes) if target in classes else 0.0
    return score


def code_similarity(answer: str, references: Sequence[str]) -> float:
    """Return the best similarity of the first line that is neither a comment nor a fence."""
    from rapidfuzz import fuzz

    lines = answer.lstrip("\n").split("\n")
    response = next((line for line in lines if not any(mark in line for mark in _CODE_MARKS)), "")
    scores = (100 if response == text else round(fuzz.ratio(response, text)) for text in references)
    return max(scores, default=0) / 100
