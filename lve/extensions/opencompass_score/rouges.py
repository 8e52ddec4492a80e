"""ROUGE as upstream has it: of the package rouge-score for summaries, of the package rouge (ROUGE-L
of sets of words) for long texts, and the F1 of LVEval."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lve.extensions.opencompass_score.evaluators import f1
from lve.extensions.opencompass_score.long_texts import words

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
