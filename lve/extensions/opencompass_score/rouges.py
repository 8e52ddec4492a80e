"""ROUGE as upstream has it, and the evaluators of LongBench."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lve.extensions.opencompass_score.evaluators import f1

_SMALLEST = 1e-8
_COMMON_WORDS = frozenset(
    re.findall(
        r"\w+",
        "and to of in her was with for it from is that his he by she they or at because be on are "
        "their what as had were about being this who but have has when which does",
    )
)
"""Words that don't count as keywords in LVEval."""
_LEAST_RECALL = 0.2


def rouge_1(answer: str, reference: object) -> float:
    """Return ROUGE-1's F-measure; of several references the best one."""
    texts = reference if isinstance(reference, list) else [reference]
    return max(f1(_latin_words(answer), _latin_words(str(text))) for text in texts)


def _latin_words(text: str) -> list[str]:
    return re.findall("[a-z0-9]+", text.lower())


def long_rouge(answer: str, references: Sequence[str], *, language: str) -> float:
    """Return the best ROUGE-L."""
    return max((rouge_l(answer, text) for text in references), default=0.0)


def keyword_rouge(answer: str, references: Sequence[str], *, language: str) -> float:
    """Return ROUGE-L with the first right answer, both without common words."""
    texts = (" ".join(_rare_words(text)) for text in (answer, references[0]))
    return rouge_l(*texts)


def keyword_f1(answer: str, references: Sequence[str], *, language: str) -> float:
    """Return the F1 of words with the first right answer; 0 if the answer has less than a fifth of
    the keywords, which are the last one."""
    response, keywords = words(answer), words(references[-1])
    if references[-1]:
        common = Counter(response) & Counter(keywords)
        rare = sum(number for word, number in common.items() if word not in _COMMON_WORDS)
        if rare / len(keywords) < _LEAST_RECALL:
            return 0.0
    return f1(response, words(references[0]))


def _rare_words(text: str) -> Iterator[str]:
    return (word for word in words(text) if word not in _COMMON_WORDS)


def rouge_l(answer: str, reference: str) -> float:
    """Return ROUGE-L of sentences, that end with a point, and of words that each count once."""
    said, expected = _sentences(answer), _sentences(reference)
    if not said or not expected:
        return 0.0
    kept = set[str]()
    for sentence in expected:
        for other in said:
            kept.update(_common(sentence, other))
    recall, precision = (
        len(kept) / len({word for each in sentences for word in each})
        for sentences in (expected, said)
    )
    return 2.0 * (precision * recall / (precision + recall + _SMALLEST))


def _sentences(text: str) -> list[list[str]]:
    """Return the words of each sentence; one of white space has an empty word."""
    return [" ".join(part.split()).split(" ") for part in text.split(".") if part]


def _common(first: Sequence[str], second: Sequence[str]) -> Iterator[str]:
    """Yield the words of a longest common subsequence, the last one first. Of several, it is the
    one that the package rouge takes: their words differ."""
    rows = [[0] * (len(second) + 1)]
    for word in first:
        above, row = rows[-1], [0]
        for at, other in enumerate(second, 1):
            row.append(above[at - 1] + 1 if word == other else max(above[at], row[-1]))
        rows.append(row)
    i, j = len(first), len(second)
    while i and j:
        if first[i - 1] == second[j - 1]:
            yield first[i - 1]
            i, j = i - 1, j - 1
        elif rows[i - 1][j] > rows[i][j - 1]:
            i -= 1
        else:
            j -= 1


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
