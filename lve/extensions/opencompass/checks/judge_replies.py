"""What upstream reads in the reply of a judge: the score of one answer, whose mean it reports."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Reading = Callable[..., float]
"""The judge's reply, and the function's own arguments -> 0 to 1."""
_EESE_HIGHEST = 10
_BOXED = re.compile(r"(?:<NUMBER>\s*|\\boxed\{)\s*(-?\d*\.?\d+)\s*(?:</NUMBER>|\})")


def first_tag(
    reply: str, *, true_tag: str = "A", false_tag: str = "B", metric_name: str = ""
) -> float:
    """Return 1 if the first of two tags in a reply is the first one: `A` is also in `WAIT`."""
    tag = re.search(f"{re.escape(true_tag)}|{re.escape(false_tag)}", reply)
    return float(tag is not None and tag[0] == true_tag)


def first_of_three(reply: str) -> float:
    """Return 1 if the first of the letters A, B and C is A."""
    letter = re.search("[ABC]", reply)
    return float(letter is not None and letter[0] == "A")


def correct(reply: str) -> float:
    """Return 1 if a reply has the word `correct`, and not `incorrect`."""
    text = reply.strip().upper()
    return float(not re.search(r"\bINCORRECT\b", text) and bool(re.search(r"\bCORRECT\b", text)))


def agreed(reply: str) -> float:
    """Return 1 if a reply is `A`, or begins with `correct`: how a cascade reads its judge."""
    text = reply.strip().upper()
    return float(text == "A" or text.startswith("CORRECT"))


def last_boxed(reply: str) -> float:
    """Return the last number in a box or between `<NUMBER>` and `</NUMBER>`; 0 without one."""
    numbers = _BOXED.findall(reply)
    return float(numbers[-1]) if numbers else 0.0


def of_ten(reply: str) -> float:
    """Return the first whole number, over ten."""
    try:
        return int(reply) / _EESE_HIGHEST
    except ValueError:
        pass
    number = re.search(r"(?<!\d)\d+(?!\d)", reply)
    return int(number[0]) / _EESE_HIGHEST if number else 0.0


READINGS: Mapping[str, Reading] = {
    "MedXpertQA_llmjudge_postprocess": first_tag,
    "aa_lcr_llmjudge_postprocess": correct,
    "cascade": agreed,
    "chem_exam_score_llmjudge_postprocess": last_boxed,
    "csimpleqa_postprocess": first_of_three,
    "eese_score_postprocess_dict": of_ten,
    "generic_llmjudge_academic_postprocess": first_tag,
    "generic_llmjudge_postprocess": first_tag,
    "medbullets_llmjudge_postprocess": first_tag,
    "medmcqa_llmjudge_postprocess": first_tag,
    "simpleqa_postprocess": first_of_three,
    "supergpqa_llmjudge_postprocess": first_tag,
}
"""Upstream's name of a function for judges' replies -> the function. `cascade` is what its
CascadeEvaluator reads, whatever function is named beside it."""
