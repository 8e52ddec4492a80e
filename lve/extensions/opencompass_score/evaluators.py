"""Upstream's evaluators by their names: the score of one answer, whose mean is what they report."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lve.data_classes import dataclass
from lve.extensions.opencompass_score.boxes import same_answer
from lve.extensions.opencompass_score.functions import general

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
Score = Callable[..., float]
"""The answer, the right one, and the evaluator's options -> 0 to 1."""


@dataclass(frozen=True, slots=True)
class Evaluator:
    """An evaluator of upstream."""

    score: Score
    options: Mapping[str, Sequence[object]]
    """Name of an option -> its values; the first one is the default."""
    graded: bool = False
    """Whether scores between 0 and 1 are usual."""


def as_texts(answer: object, reference: object) -> float:
    """Return 1 if both are the same text: white space and case count."""
    return float(str(answer) == str(reference))


def as_values(answer: object, reference: object) -> float:
    """Return 1 if both are the same value: a text is never a number."""
    return float(answer == reference)


def circular(answer: object, reference: str) -> float:
    """Return 1 if the answer is the letter of `index--letter--order`."""
    _, letter, _ = reference.split("--")
    return float(answer == letter)


def em(answer: str, references: Sequence[str]) -> float:
    """Return 1 if the first clause is one of the right answers, or the first clause of one."""
    response = general(answer)
    return float(response in [general(text) for text in references] or response in references)


def trivia_qa(answer: str, references: Sequence[str]) -> float:
    """Return 1 if the first line, behind `answer is`, `a:` and `answer:`, has a right answer."""
    response = answer.strip().split("\n")[0].lower()
    for mark in ("answer is", "a:", "answer:"):
        response = response.split(mark)[-1]
    return _has_any(general(response.strip()), references)


def natural_questions(answer: str, references: Sequence[str]) -> float:
    """Return 1 if the first line, behind `answer is`, has a right answer."""
    response = answer.strip().split("\n")[0].lower().split("answer is")[-1]
    return _has_any(general(response), references)


def squad(answer: str, references: Sequence[str]) -> float:
    """Return 1 if the first line, behind `answer is`, is one of the right answers."""
    response = general(answer.split("\n")[0].lower().split("answer is")[-1])
    return float(response in [general(text).lower() for text in references])


def drop(answer: str, reference: str) -> float:
    """Return 1 if the line behind `Answer:` has one of the right answers (`a|b`), or the other way
    round."""
    line = re.search(r"(?i)Answer\s*:\s*([^\n]+)", answer)
    response = _plain(line[1] if line else answer)
    expected = [_plain(text) for text in reference.split("|")]
    return float(
        any(
            response == text or (response and text and (response in text or text in response))
            for text in expected
        )
    )


def _plain(text: str) -> str:
    bare = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def _has_any(response: str, references: Sequence[str]) -> float:
    return float(any(general(text).lower() in response for text in references))


def gsm8k(answer: object, reference: Any) -> float:
    """Return 1 if both are the same, or the same number."""
    try:
        return float(answer == reference or abs(float(str(answer)) - int(reference)) < 1e-6)
    except (ValueError, TypeError, OverflowError):
        return 0.0


def math(answer: object, reference: object, *, version: str) -> float:
    """Return 1 if both are the same once they are written plainly."""
    return float(same_answer(answer, reference, version=version))


def bbh_free(answer: str, reference: str) -> float:
    """Return 1 if both say the same, without case and emphasis."""
    return float(_said(answer).casefold() == _said(reference).casefold())


def _said(text: str) -> str:
    parts = re.split(r"answer is\s*:?\s*", text, flags=re.IGNORECASE)
    line = (parts[-1].strip() if len(parts) > 1 else text).split("\n")[0].strip()
    line = line[:-1].strip() if line.endswith(".") else line
    if bold := re.search(r"\*\*(.*?)\*\*", line):
        line = bold[1].strip()
    if word := re.match(r"(yes|no|true|false)\b", line, flags=re.IGNORECASE):
        return word[0].capitalize()
    if not re.search(r"\d\s*,\s*\d", line):
        line = re.sub(r"\s*,\s*", " ", line)
    return re.sub(r"\s+", " ", line).strip()


def babi_long(answer: str, reference: Sequence[object]) -> float:
    """Return 1 if the first sentence, before another example, has the right answer."""
    response = answer.lower()
    for mark in (".", "<context>", "<example>"):
        response = response.split(mark)[0]
    return float(str(reference[0]).lower() in response)


def ruler_all(answer: str, references: Sequence[str]) -> float:
    """Return the share of the right answers that occur, whatever their case."""
    response = answer.lower()
    return sum(text.lower() in response for text in references) / len(references)


def ruler_any(answer: str, references: Sequence[str]) -> float:
    """Return 1 if one of the right answers occurs, whatever its case."""
    response = answer.lower()
    return float(max(text.lower() in response for text in references))


def needle(answer: str, reference: str) -> float:
    """Return 1 if the keyword of `text*keyword` occurs, else a fifth of the similarity to the
    text."""
    text, keyword = reference.split("*")[:2]
    if keyword in answer:
        return 1.0
    from rapidfuzz.distance import Levenshtein

    left, right = (re.sub(r"\s+", "", each) for each in (answer, text))
    longest = max(len(left), len(right))
    score = 100 * (1 - Levenshtein.distance(left, right) / longest) if longest else 100
    return 0.2 * score / 100


def needle_keyword(answer: str, reference: str) -> float:
    """Return 1 if the keyword of `text*keyword` occurs."""
    return float(reference.split("*")[1] in answer)


def needles_parallel(answer: str, reference: str) -> float:
    """Return the share of the keywords that occur, of `one*two#depth*depth`."""
    keywords, depths = (part.split("*") for part in reference.split("#")[:2])
    hits = sum(keyword in answer for keyword, _ in zip(keywords, depths, strict=False))
    return hits / len({int(depth) for depth in depths})


def needles_multi(answer: str, reference: str) -> float:
    """Return the share of the words behind `*` that occur, whatever their case."""
    _, words = reference.split("*")
    response, keywords = answer.lower(), words.lower().split()
    return sum(word in response for word in keywords) / len(keywords) if keywords else 0.0


def stripped(answer: str, reference: str) -> float:
    """Return 1 if both are the same text, without white space around it."""
    return float(answer.strip() == reference.strip())


def lambada(answer: str, reference: str) -> float:
    """Return 1 if the first word is the right one."""
    word = re.split(f"[{string.punctuation}]", answer.strip().split(" ")[0])[0]
    return float(general(word) == general(reference))


def tydi_qa(answer: str, references: Sequence[str]) -> float:
    """Return the best F1 of the words of the first line."""
    response = general(answer.split("\n")[0].lower()).split()
    return max(f1(response, general(text).split()) for text in references)


def f1(response: Sequence[str], target: Sequence[str]) -> float:
    """Return the harmonic mean of precision and recall of words."""
    common = (Counter(response) & Counter(target)).total()
    if not common:
        return 0.0
    precision, recall = common / len(response), common / len(target)
    return 2 * precision * recall / (precision + recall)


def mmlu_pro(answer: str, reference: str) -> float:
    """Return 1 if the first line is the letter or the text of `B. text`."""
    response = answer.split("\n")[0].strip()
    letter, point, text = reference.partition(". ")
    if not point or ". " in text:
        return 0.0
    is_letter = len(response) == 1 and response in "ABCDEFGHIJKLMNOP" and response == letter
    return float(is_letter or response == text.strip())


def musr(answer: str, reference: object) -> float:
    """Return 1 if the number in the first line with `ANSWER:` is the right one."""
    line = next((line for line in answer.split("\n") if "ANSWER:" in line), "")
    number = re.search(r"\d+", line.split("ANSWER:")[-1].strip()) if line else None
    return float(number is not None and int(number[0]) == reference)


def mrcr(answer: str, reference: str) -> float:
    """Return how similar the texts behind the prefix are; 0 without the prefix."""
    import difflib
    import json

    target = json.loads(reference)
    prefix = target["prefix"]
    if not answer.startswith(prefix):
        return 0.0
    texts = answer[len(prefix) :], target["answer"][len(prefix) :]
    return difflib.SequenceMatcher(None, *texts).ratio()
